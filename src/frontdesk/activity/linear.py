"""Commands about what was done: every change, how far it came, and the decision where it did not arrive."""

from frontdesk.api.contract.ids import CampaignId
from frontdesk.app import linear_sentences
from frontdesk.linear.parsing import NotUnderstood, leading_numbers
from frontdesk.linear.session import ListKind, PrintedList, Session
from frontdesk.storage.records import NEEDS_PERSON, Change
from frontdesk.text.display_text import SafeText, trusted


def activity(session: Session, words: str) -> None:  # noqa: ARG001
    """`activity`: every change; those that need a decision first."""
    changes = {str(each.change_id): each for each in session.queries.changes()}
    waiting = [key for key, each in changes.items() if each.state in NEEDS_PERSON]
    rest = [key for key in changes if key not in waiting]

    def row(key: str) -> SafeText | None:
        change = session.queries.change(int(key))
        return None if change is None else linear_sentences.change(change, session.target(change), session.view())

    unsent = session.queries.unsent()
    counts = f"{len(waiting):,} to decide, {unsent:,} not confirmed yet"
    session.print_list(
        PrintedList(ListKind.CHANGE, [*waiting, *rest], row),
        "Activity",
        f", {counts}, to be decided first, then the newest",
        ["Nothing was done from here yet."],
    )
    broken = session.queries.broken()
    session.say(*(linear_sentences.broken(each) for each in broken[:5]))


def say_change(session: Session, change_id: int) -> None:
    """All of a change."""
    change = session.queries.change(change_id)
    if change is None:
        raise NotUnderstood("This change is not known any more.")
    session.say(*linear_sentences.change_facts(change, session.target(change), session.view()))


def retry(session: Session, words: str) -> None:
    """`retry`: send a refused or conflicting change again."""
    change = _change(session, words)
    session.wait_for(session.services.retry(change.change_id))
    session.say(
        trusted(f"Sent again: {linear_sentences.said(change.label).text}, on {session.target(change).text}.")
    )


def drop(session: Session, words: str) -> None:
    """`drop`: give a change up."""
    change = _change(session, words)
    session.wait_for(session.services.drop(change.change_id))
    session.say(trusted(f"Dropped: {linear_sentences.said(change.label).text}, on {session.target(change).text}."))


def watch(session: Session, words: str) -> None:
    """`watch`: watch a campaign by its id."""
    if not words or len(words.split()) != 1:
        raise NotUnderstood("Watch which? Write: watch ID with a campaign's id.")
    session.services.watch_campaign(CampaignId(words))
    session.wait_for(session.services.written())
    session.say("Watched; the command campaigns lists it.")


def unwatch(session: Session, words: str) -> None:
    """`unwatch`: stop watching a campaign of the list."""
    chosen, _ = leading_numbers(words)
    if not chosen:
        raise NotUnderstood("Which? Write: unwatch N after campaigns.")
    kind, key = session.at_number(chosen[0])
    if kind is not ListKind.CAMPAIGN:
        raise NotUnderstood(f"That number is a {kind}; the command campaigns lists campaigns.")
    session.services.unwatch_campaign(CampaignId(key))
    session.wait_for(session.services.written())
    session.say("Not watched any more; the campaign itself goes on.")


def _change(session: Session, words: str) -> Change:
    """The change that is meant: a number of the list, or the one that alone needs a decision."""
    chosen, _ = leading_numbers(words)
    if chosen:
        kind, key = session.at_number(chosen[0])
        if kind is not ListKind.CHANGE:
            raise NotUnderstood(f"That number is a {kind}; the command activity lists the changes.")
        change = session.queries.change(int(key))
    else:
        waiting = [each for each in session.queries.changes() if each.state in NEEDS_PERSON]
        if len(waiting) != 1:
            raise NotUnderstood(
                f"{len(waiting)} changes wait for a decision. Write: activity, then a number of it."
            )
        change = waiting[0]
    if change is None:
        raise NotUnderstood("This change is not known any more.")
    return change

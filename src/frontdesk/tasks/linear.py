"""Commands that change something: status, people, due, tags, texts, read markers; undo and redo.

All go through `app.services`, so what is done here is undone on the screens, and the other way round.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial

from frontdesk.api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk.app import linear_sentences
from frontdesk.app.linear_lists import status_named
from frontdesk.app.services import ActionResult
from frontdesk.linear.parsing import NotUnderstood, one_of
from frontdesk.linear.session import ListKind, Session
from frontdesk.outbox.commands import COMPLETED
from frontdesk.outbox.undo import ASK_ABOVE, TooManyToUndo, UndoRequest
from frontdesk.storage.records import TaskRecord
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.name_lookup import NoSuchName, find_named
from frontdesk.text.spoken_time import moment

NAMED = 3
"""So many things are named in the report of an action on them."""


def status(session: Session, words: str) -> None:
    """`status`: put tasks into a status."""
    things, rest = session.things(words)
    if not rest:
        names = [each.name for each in session.services.catalogue.statuses(session.queries.task_counts())]
        listed = ", ".join(f"{place} {name}" for place, name in enumerate(names, start=1))
        raise NotUnderstood(
            f"Which status? Known are: {listed}. Write: status this {names[0]}, or: status N {names[0]}."
        )
    _set_status(session, session.tasks_among(things), status_named(session, rest))


def complete(session: Session, words: str) -> None:
    """`complete`: put tasks into the status completed."""
    things, rest = session.things(words, all_numbers=True)
    _nothing_more(rest)
    _set_status(session, session.tasks_among(things), COMPLETED)


def assign(session: Session, words: str) -> None:
    """`assign`: put people on tasks, those with a minus in front off."""
    things, rest = session.things(words)
    people = {
        each.agent_id: each.name for each in session.services.catalogue.people(session.queries.people_seen())
    }
    if not rest:
        raise NotUnderstood(
            f"Whom? Known are: {', '.join(people.values()) or 'none yet'}. Write: assign N NAME, -NAME."
        )
    add: list[AgentId] = []
    remove: list[AgentId] = []
    for part in filter(None, (each.strip() for each in rest.split(","))):
        found = _person(session, part.lstrip("+-").strip(), people)
        (remove if part.startswith("-") else add).append(found)
    _assign(session, session.tasks_among(things), add, remove)


def unassign(session: Session, words: str) -> None:
    """`unassign`: take people off tasks; without a name everybody."""
    things, rest = session.things(words)
    found = session.tasks_among(things)
    seen = {each for task in found for each in task.assigned}
    people = {each: session.services.catalogue.person(each) for each in seen}
    if not seen:
        session.say("Nobody is assigned there.")
        return
    off = (
        [_person(session, part.strip(), people) for part in rest.split(",") if part.strip()]
        if rest
        else list(seen)
    )
    _assign(session, found, [], off)


def assign_me(session: Session, words: str) -> None:
    """`me`: put me on tasks."""
    me = session.services.catalogue.me
    if me is None:
        raise NotUnderstood("Who are you? Set agent_id in the profile, or FRONTDESK_AGENT_ID.")
    things, rest = session.things(words, all_numbers=True)
    _nothing_more(rest)
    _assign(session, session.tasks_among(things), [me], [])


def due(session: Session, words: str) -> None:
    """`due`: set when tasks are due, in words; `none` clears it."""
    things, rest = session.things(words)
    if not rest:
        raise NotUnderstood("Due when? Write: due N tomorrow 9am, due this +3d, due N none.")
    try:
        wanted = parse_due(rest, session.now())
    except DueNotUnderstood as error:
        raise NotUnderstood(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    found = session.tasks_among(things)
    ids = [each.task_id for each in found]
    if wanted.at is None:
        _do(
            session,
            "No due date on",
            "Clear the due date of",
            found,
            partial(session.services.set_due, ids, 0, ""),
        )
        return
    said = moment(wanted.seconds, session.services.clock(), session.zone)
    short = f"{wanted.at:%a} {wanted.at.day} {wanted.at:%b %H:%M} {wanted.at.tzname() or ''}".strip()
    note = f", {wanted.note}," if wanted.note else ""
    act = partial(session.services.set_due, ids, wanted.seconds, short)
    _do(session, f"Due {said}{note} set on", f"Set the due date to {said}{note} on", found, act)


def tag(session: Session, words: str) -> None:
    """`tag`: give tags to conversations; they can't be taken off."""
    things, rest = session.things(words)
    tags = {each.id: each.title for each in session.services.catalogue.tags()}
    if not rest:
        raise NotUnderstood(
            f"Which tags? Known are: {', '.join(tags.values()) or 'none yet'}. "
            "Write: tag N NAME, NAME; id:ID for one not known here."
        )
    wanted: dict[TagId, None] = {}
    for part in filter(None, (each.strip() for each in rest.split(","))):
        if part.startswith("id:"):
            wanted[TagId(part.removeprefix("id:").strip())] = None
            continue
        try:
            wanted[find_named(part.lstrip("#"), tags, "tag")] = None
        except NoSuchName as error:
            raise NotUnderstood(
                f"{str(error)[:1].upper()}{str(error)[1:]}. tag N id:ID gives one not known here."
            ) from error
    ids = session.conversations_among(things)
    names = ", ".join(
        linear_sentences.said(session.services.catalogue.tag(each).title, 40).text for each in wanted
    )
    to = _listed([session.name(each).text for each in ids[:ASK_ABOVE]], len(ids))
    if not _agrees(session, len(ids), f"Give {names} to {to}? Tags can't be taken off."):
        return
    done = session.wait_for(session.services.give_tags(ids, list(wanted)))
    on = _listed([session.name(each).text for each in ids[:NAMED]], len(ids))
    _tell(session, done, f"Tag {names} given to {on}. It is sent in 5 seconds; undo takes it back before.")


def edit(session: Session, words: str) -> None:
    """`edit`: set the title or the text of one task; without new words a person edits the old ones."""
    things, rest = session.things(words)
    field, _, text = rest.partition(" ")
    name = {"title": "title", "text": "body", "body": "body"}[one_of(field, ("title", "text", "body"))]
    found = session.tasks_among(things)
    if len(found) > 1:
        raise NotUnderstood("Title and text are edited on one task alone.")
    task = found[0]
    if not _agrees(session, 1, f"Edit {session.task_name(task).text}?"):
        return
    before = task.title if name == "title" else task.body
    if not text.strip():
        shown = " ".join(show_line(before, 20_000).text.replace("␤", " ").split())
        if name == "body" and "\n" in before.strip():
            raise NotUnderstood("The text has several lines: write edit text WORDS to replace all of it.")
        if not session.console.is_typed:
            raise NotUnderstood(f"It is now: {shown or 'empty'}. Write: edit {field} NEW WORDS.")
        text = session.console.read(f"{field}> ", shown)
        if text == shown:
            session.say("Left as it was.")
            return
    done = session.wait_for(session.services.edit(task.task_id, {name: text.strip()}, {name: before}))
    _tell(
        session,
        done,
        f"{'Title' if name == 'title' else 'Text'} of {session.task_name(task).text} set. undo takes it back.",
    )


def read(session: Session, words: str) -> None:
    """`read`: take conversations as read, only here."""
    _mark_read(session, words, is_read=True)


def unread(session: Session, words: str) -> None:
    """`unread N`: have conversations wait to be read, only here."""
    _mark_read(session, words, is_read=False)


def toggle_read(session: Session, words: str) -> None:
    """`m`: read becomes unread, and the other way round."""
    things, rest = session.things(words, all_numbers=True)
    _nothing_more(rest)
    for each in session.conversations_among(things):
        record = session.queries.conversation(each)
        _set_read(session, [each], is_read=record is not None and record.unread > 0)


def mark(session: Session, words: str) -> None:
    """`mark`: mark things of the list for the next action; `mark all` those printed, `mark none`."""
    if words.lower() == "none":
        session.marks = {}
        session.say("Nothing is marked.")
        return
    listing = session.listing
    if words.lower() == "all" and listing is not None and listing.printed:
        things = [session.at_number(place) for place in range(1, listing.printed + 1)]
    elif words:
        things, rest = session.things(words, all_numbers=True)
        _nothing_more(rest)
    else:
        _say_marks(session)
        return
    if any(kind not in (ListKind.CONVERSATION, ListKind.TASK) for kind, _ in things):
        raise NotUnderstood("Only conversations and tasks are marked.")
    session.marks |= {key: kind for kind, key in things}
    _say_marks(session)


def unmark(session: Session, words: str) -> None:
    """`unmark`: take marks off things of the list, or all."""
    if words and words.lower() != "all":
        things, _ = session.things(words, all_numbers=True)
        for _, key in things:
            session.marks.pop(key, None)
    else:
        session.marks = {}
    _say_marks(session)


def undo(session: Session, words: str) -> None:  # noqa: ARG001
    """`undo`: take back what was done last."""
    _turn(session, session.services.undo, ("Undone", "Being sent back"), "Nothing to undo.", "redo does it again")


def redo(session: Session, words: str) -> None:  # noqa: ARG001
    """`redo`: do again what was undone last."""
    _turn(
        session,
        session.services.redo,
        ("Done again", "Being sent again"),
        "Nothing to redo.",
        "undo takes it back",
    )


def _set_status(session: Session, found: Sequence[TaskRecord], wanted: StatusId) -> None:
    name = linear_sentences.said(session.services.catalogue.status(wanted), 60).text
    act = partial(session.services.set_status, [each.task_id for each in found], wanted)
    _do(session, f"Status {name} set on", f"Set the status {name} on", found, act)


def _assign(session: Session, found: Sequence[TaskRecord], add: list[AgentId], remove: list[AgentId]) -> None:
    view = session.view()
    on = ", ".join(view.person(each).text for each in add)
    off = ", ".join(view.person(each).text for each in remove)
    words = " and ".join(filter(None, (f"put {on} on" if on else "", f"took {off} off" if off else "")))
    ids: list[TaskId] = [each.task_id for each in found]
    what = f"{words[:1].upper()}{words[1:]}:"
    _do(session, what, "Change who is on", found, partial(session.services.assign, ids, add, remove))


def _do(
    session: Session,
    did: str,
    question: str,
    found: Sequence[TaskRecord],
    act: "Callable[[], Future[ActionResult]]",
) -> None:
    """Do something to tasks, asking first where they are many, and say on which it was done."""
    on = _listed([session.task_name(each).text for each in found[:ASK_ABOVE]], len(found))
    if not _agrees(session, len(found), f"{question} {on}?"):
        return
    done = session.wait_for(act())
    on = _listed([session.task_name(each).text for each in found[:NAMED]], len(found))
    same = f", of which {len(found) - done.count} were so already" if 0 < done.count < len(found) else ""
    _tell(session, done, f"{did} {on}{same}. undo takes it back.", f"Nothing to change on {on}.")


def _agrees(session: Session, count: int, question: str) -> bool:
    """Ask before an action on many, and before one that a person at the prompt may expect to work on something
    else; a script has named it."""
    is_asked = count > ASK_ABOVE or (session.is_unsure and session.console.is_typed)
    if is_asked and not session.ask_yes(question):
        session.say("Left as it was.")
        return False
    return True


def _listed(names: Sequence[str], count: int) -> str:
    """The first of several by name, and how many more there are."""
    left = count - len(names)
    return ", ".join(names) + (f" and {left:,} more" if left else "")


def _tell(session: Session, done: ActionResult, words: str, nothing: str = "Nothing to change.") -> None:
    for problem in done.problems:
        session.say(show_line(problem, 400))
    session.clear_used_marks()
    if done.count:
        session.say(words)
    elif not done.problems:
        session.say(nothing)


def _turn(
    session: Session,
    turn: "Callable[[UndoRequest], Future[ActionResult | TooManyToUndo | None]]",
    words: tuple[str, str],
    nothing: str,
    back: str,
) -> None:
    did, sends = words
    done = session.wait_for(turn(UndoRequest(ASK_ABOVE)))
    if isinstance(done, TooManyToUndo):
        if not session.ask_yes(f"{linear_sentences.said(done.label).text}: that is on {done.count:,}. Go on?"):
            session.say("Left as it was.")
            return
        done = session.wait_for(turn(UndoRequest(sure_of=done.batch)))
    if done is None or isinstance(done, TooManyToUndo):
        session.say(nothing)
        return
    for problem in done.problems:
        which = f" on {session.target(done.first).text}" if done.first is not None and not done.count else ""
        session.say(trusted(f"Not {did.lower()}{which}: {show_line(problem, 400).text}."))
    if done.count:
        told = sends if done.is_to_send else did
        session.say(f"{told}: {linear_sentences.said(done.label).text}{_on_what(session, done)}. {back}.")


def _on_what(session: Session, done: ActionResult) -> str:
    """On what an action was undone or redone: the first by name."""
    return "" if done.first is None else f", on {_listed([session.target(done.first).text], done.count)}"


def _mark_read(session: Session, words: str, *, is_read: bool) -> None:
    things, rest = session.things(words, all_numbers=True)
    _nothing_more(rest)
    _set_read(session, session.conversations_among(things), is_read=is_read)


def _set_read(session: Session, ids: Sequence[ConversationId], *, is_read: bool) -> None:
    for each in ids:
        (session.services.mark_read if is_read else session.services.mark_unread)(each)
    session.wait_for(session.services.written())
    session.clear_used_marks()
    on = _listed([session.name(each).text for each in ids[:NAMED]], len(ids))
    session.say(f"{on} marked {'read' if is_read else 'unread'}, only here.")


def _say_marks(session: Session) -> None:
    if not session.marks:
        session.say("Nothing is marked.")
        return
    session.say(f"{len(session.marks):,} marked; the next action works on them and takes the marks off:")
    for key, kind in session.marks.items():
        if kind is ListKind.TASK:
            record = session.queries.task(TaskId(key))
            session.say(trusted(f"Task {session.task_name(record).text if record else 'gone meanwhile'}."))
        else:
            session.say(trusted(f"Conversation {session.name(ConversationId(key)).text}."))


def _person(session: Session, typed: str, people: dict[AgentId, str]) -> AgentId:
    me = session.services.catalogue.me
    if typed.lower() in ("me", "myself") and me is not None:
        return me
    try:
        return find_named(typed, people, "person")
    except NoSuchName as error:
        raise NotUnderstood(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def _nothing_more(rest: str) -> None:
    if rest:
        raise NotUnderstood(f"{rest[:60]} was not expected there; give numbers of the list alone.")

"""The linear mode's command that hands a conversation over."""

from frontdesk.inbox.changes import NO_TEAM, NoteDraft, mentioned_in
from frontdesk.inbox.commands import known_people, open_task
from frontdesk.inbox.linear import commands as inbox_linear
from frontdesk.inbox.linear.thread import opened_conversation
from frontdesk.linear.commands import DOING, Command
from frontdesk.linear.line_parser import NotUnderstood, find_record
from frontdesk.linear.sentences import inline_text
from frontdesk.linear.session import Session
from frontdesk.linear.verbs import context_of
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import DUE
from frontdesk.registry.hand_over import hand_over
from frontdesk.storage import record_lookup
from frontdesk.tasks.commands import DUE_VERB
from frontdesk.text.relative_time import spoken_moment
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.privacy import IS_HIDDEN, is_private

USAGE = "Type hand NAME: TEXT, or hand NAME due WHEN: TEXT, with what's left to do as the text."


def hand(session: Session, words: str) -> None:
    """`hand`: hand the open conversation over to somebody."""
    if session.store.profile.team is None:
        raise NotUnderstood(NO_TEAM)
    here = opened_conversation(session)
    whom, has_text, text = words.partition(":")
    name, has_due, when = whom.partition(" due ")
    people = {
        each: known for each, known in known_people(session.store).items() if each != session.store.catalogue.me
    }
    if not has_text or not name.strip():
        known = f"{IS_HIDDEN}." if is_private() else f"People: {', '.join(people.values()) or 'none yet'}."
        raise NotUnderstood(f"Hand over to whom? {USAGE} {known}")
    to = find_record(name.strip(), people, "person")
    due = DUE_VERB.parse(when.strip(), context_of(session)).fields[DUE] if has_due else None
    draft = NoteDraft(here, text, mentioned_in(text, people), AgentId(to))
    named = session.named_task and record_lookup.task(session.db, session.named_task)
    found = named if named and named.conversation_id == here else open_task(session.db, here)
    task = None if found is None or found.status == COMPLETED else found
    done = session.wait_for(hand_over(session.store, draft, task, due))
    shown, customer = inline_text(session.view().person(AgentId(to)), 40).text, inbox_linear.name(session, here)
    until = f", due {spoken_moment(due, session.store.clock(), session.zone)}" if due else ""
    words = f"Handed {customer} over to {shown}{until if task else ''}"
    why = "its task is completed, so it wasn't assigned" if found else "there is no open task to assign"
    session.report(done, f"{words}." if task else f"{words}; {why}.")


COMMANDS = (
    Command(
        "note.hand_over",
        hand,
        "hand W",
        "NAME [due WHEN]: TEXT",
        DOING,
        more=(
            "It assigns the open conversation's task, sets its due date and writes TEXT as a note: one action.",
            "When they open the conversation, the thread shows that they accepted it.",
        ),
    ),
)

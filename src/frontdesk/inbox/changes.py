"""Changes that give tags, say who needs no answer, and write notes; each runs inside one write transaction.

`team.sharing` sends notes to the relay: the sender of the outbox, which talks to the platform, leaves them alone.
"""

import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import conversations, read_markers
from frontdesk.inbox.store.notes import MAX_LETTERS, TeamNote, content_of
from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler, NotPossible
from frontdesk.service_clocks import clocks
from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ChangeKind, ChangeState, ConversationRecord, Made
from frontdesk.storage.sql import rows
from frontdesk.text.fuzzy import rank_matches
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, ConversationId, TagId
from frontdesk_lines.display_text import counted

TAGS_HOLD_SECONDS = 5.0
"""Tags can't be taken off again, so they wait longer."""


def add_tags(
    db: apsw.Connection, conversation_ids: Sequence[ConversationId], tag_ids: Sequence[TagId], made: Made
) -> None:
    """Queue the changes that give tags, held for as long as they can be undone."""
    for each in conversation_ids:
        queue.add(db, made, ChangeKind.TAGS, each, {"tagIds": list(tag_ids)}, {}, TAGS_HOLD_SECONDS)
    conversations.mark_pending(db, conversation_ids)


class TagChangeHandler(ChangeHandler):
    """Marks conversations with pending tags, and gives tags again."""

    def __init__(self) -> None:
        super().__init__("the platform can't remove tags")

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        conversations.mark_pending(db, targets)

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:
        return [str(row[0]) for row in rows(db, "SELECT conversation_id FROM conversations WHERE pending = 1")]

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:
        tags = [TagId(each) for each in json_access.texts(change.fields.get("tagIds"))]
        here = [ConversationId(change.target)]
        add_tags(db, here, tags, Made.like(change, now))
        return True


MARKS = "marks"
"""The field of a change that says who needs no answer: all marks of the conversation."""


def set_needs_answer(db: apsw.Connection, seen: ConversationRecord, made: Made, *, needs_answer: bool) -> bool:
    """Mark that what a customer wrote needs no answer, or take that back; return whether it changes anything.

    Args:
        seen: the conversation when the person decided: what came since isn't meant.
    """
    conversation_id = seen.conversation_id
    before = clocks.marks_of(db, conversation_id)
    after = before[:-1]
    if not needs_answer:
        mark = clocks.mark_until(db, conversation_id, seen.last_incoming_at)
        after = before if mark is None else [*before, mark]
    elif not clocks.needs_no_answer(db, conversation_id):
        after = before
    if after != before:
        _set_marks(db, conversation_id, after, made)
    return after != before


class AnswerChangeHandler(ChangeHandler):
    """Undoes and repeats marks, which are in effect from the moment they are made."""

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        change_feed.append(db, change_feed.CONVERSATION, targets)

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        """Restore the marks before, where nobody has changed them since."""
        if clocks.marks_of(db, change.target) != change.fields[MARKS]:
            raise NotPossible("it has since been marked again")
        _set_marks(db, change.target, change.base[MARKS], made)
        return True


def _set_marks(db: apsw.Connection, target: str, marks: Sequence[float], made: Made) -> None:
    before = {MARKS: clocks.marks_of(db, target)}
    change_id = queue.add(db, made, ChangeKind.NO_ANSWER, target, {MARKS: marks}, before)
    queue.move(db, change_id, ChangeState.CONFIRMED, expected=(ChangeState.QUEUED,), now=made.now)
    clocks.put_marks(db, target, marks, made.now)
    read_markers.show(db, target)


MAX_SUGGESTIONS = 5
_TYPED = r"(?:^|(?<=[\s(]))@([^\s@]{0,60})$"


def mentioned_in(text: str, people: Mapping[AgentId, str]) -> tuple[AgentId, ...]:
    """Return the agents that a text mentions, in its order; of names that begin alike the longest counts."""
    names = sorted(
        {(name.casefold(), each) for each, known in people.items() for name in (known, each) if name.strip()},
        key=lambda each: -len(each[0]),
    )
    folded = text.casefold()
    found: dict[AgentId, None] = {}
    for at in (match.end() for match in re.finditer(r"(?<!\w)@", folded)):
        named = next((each for name, each in names if _is_at(folded, at, name)), None)
        if named is not None:
            found[named] = None
    return tuple(found)


def typed_mention(before: str) -> str | None:
    """Return what is typed of a mention at the end of a text, without its sign; None outside of one."""
    found = re.search(_TYPED, before)
    return None if found is None else found[1]


def suggestions(typed: str, people: Mapping[AgentId, str]) -> Sequence[AgentId]:
    if not typed:
        return list(people)[:MAX_SUGGESTIONS]
    words = [(str(each), f"{name} {each}") for each, name in people.items()]
    return [AgentId(each) for each in rank_matches(typed, words)][:MAX_SUGGESTIONS]


def _is_at(folded: str, at: int, name: str) -> bool:
    after = folded[at + len(name) : at + len(name) + 1]
    return folded.startswith(name, at) and not (after.isalnum() or after == "_")


NO_TEAM = "Notes need a team: see docs/team.md to set one up."
TOO_LONG = f"A note can have {MAX_LETTERS:,} characters at most"

_UNSEEN = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"


class NoteDraft(NamedTuple):
    """A note to write."""

    conversation_id: ConversationId
    text: str
    mentions: Sequence[AgentId] = ()
    hand_over_to: AgentId | None = None


def clean_note(typed: str) -> str:
    """Return a note's text as it is sent: without control characters, and without blanks around it."""
    return re.sub(_UNSEEN, "", typed.replace("\r\n", "\n").replace("\r", "\n")).strip()


def note_refusal(text: str) -> str:
    if len(text) > MAX_LETTERS:
        return f"{TOO_LONG}; this one has {counted(len(text), 'character')}."
    return "" if text else "Type the note first."


def add_note(db: apsw.Connection, draft: NoteDraft, made: Made) -> int:
    """Queue a new note with an id, by which the relay takes it once; return 1.

    Raises:
        NotPossible: it is empty or too long.
    """
    text = clean_note(draft.text)
    if why := note_refusal(text):
        raise NotPossible(why.removesuffix("."))
    note_id = uuid.uuid4().hex
    content = {"text": text, "mentions": list(draft.mentions), "hand_over_to": draft.hand_over_to or ""}
    _add(db, draft.conversation_id, {note_id: content}, {note_id: None}, made)
    return 1


def take_back(db: apsw.Connection, note: TeamNote, made: Made) -> int:
    """Queue that a note which the relay has is taken back; return 1."""
    gone, before = {note.note_id: None}, {note.note_id: content_of(note)}
    _add(db, note.conversation_id, gone, before, made)
    return 1


class NoteChangeHandler(ChangeHandler):
    """Marks conversations with unsent notes, takes notes back and writes them again."""

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        conversations.mark_pending(db, targets)
        change_feed.append(db, change_feed.NOTES, targets)

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:  # noqa: ARG002 - tags find them
        return ()

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        """Restore what was there before: nothing, so that a note is taken back, or the note."""
        _add(db, ConversationId(change.target), change.base, change.fields, made)
        return True

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:
        _add(db, ConversationId(change.target), change.fields, change.base, Made.like(change, now))
        return True


def _add(
    db: apsw.Connection,
    conversation_id: ConversationId,
    fields: Mapping[str, object],
    before: Mapping[str, object],
    made: Made,
) -> None:
    queue.add(db, made, ChangeKind.NOTE, conversation_id, fields, before)
    conversations.mark_pending(db, [conversation_id])
    change_feed.append(db, change_feed.NOTES, [conversation_id])

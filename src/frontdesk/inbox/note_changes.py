"""Changes that write notes and take them back; each function runs inside one write transaction of the store.

`app.team_sharing` sends them to the relay: the sender of the outbox, which talks to the platform, leaves them
alone.
"""

import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import conversations
from frontdesk.inbox.store.notes import MAX_LETTERS, TeamNote, content_of
from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler, NotPossible
from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ChangeKind
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_lines.display_text import counted

NO_TEAM = "Notes need a team: see docs/team.md to set one up."
TOO_LONG = f"A note can have {MAX_LETTERS:,} characters at most"

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class NoteDraft(NamedTuple):
    """A note to write.

    Attributes:
        hand_over_to: the agent to whom it hands the conversation over.
    """

    conversation_id: ConversationId
    text: str
    mentions: Sequence[AgentId] = ()
    hand_over_to: AgentId | None = None


def clean_note(typed: str) -> str:
    """Return a note's text as it is sent: without control characters, and without blanks around it."""
    return _UNSEEN.sub("", typed.replace("\r\n", "\n").replace("\r", "\n")).strip()


def note_refusal(text: str) -> str:
    """Return why a text can't be a note; empty where it can."""
    if len(text) > MAX_LETTERS:
        return f"{TOO_LONG}; this one has {counted(len(text), 'character')}."
    return "" if text else "Type the note first."


def add_note(db: apsw.Connection, draft: NoteDraft, *, batch: str, label: str, now: float) -> int:
    """Queue a new note with an id, by which the relay takes it once; return 1.

    Raises:
        NotPossible: it is empty or too long.
    """
    text = clean_note(draft.text)
    if why := note_refusal(text):
        raise NotPossible(why.removesuffix("."))
    note_id = uuid.uuid4().hex
    content = {"text": text, "mentions": list(draft.mentions), "hand_over_to": draft.hand_over_to or ""}
    _add(db, draft.conversation_id, {note_id: content}, {note_id: None}, batch=batch, label=label, now=now)
    return 1


def take_back(db: apsw.Connection, note: TeamNote, *, batch: str, label: str, now: float) -> int:
    """Queue that a note which the relay has is taken back; return 1."""
    gone, before = {note.note_id: None}, {note.note_id: content_of(note)}
    _add(db, note.conversation_id, gone, before, batch=batch, label=label, now=now)
    return 1


class NoteChangeHandler(ChangeHandler):
    """Marks conversations with unsent notes, takes notes back and writes them again."""

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        conversations.mark_pending(db, targets)
        change_feed.append(db, change_feed.NOTES, targets)

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:  # noqa: ARG002 - tags find them
        return ()

    def reverse(self, db: apsw.Connection, change: Change, *, batch: str, label: str, now: float) -> bool:
        """Restore what was there before: nothing, so that a note is taken back, or the note."""
        here, undoes = ConversationId(change.target), change.change_id
        _add(db, here, change.base, change.fields, batch=batch, label=label, now=now, undoes=undoes)
        return True

    def repeat_undone(self, db: apsw.Connection, change: Change, now: float) -> bool:
        here, label = ConversationId(change.target), change.label
        _add(db, here, change.fields, change.base, batch=change.batch, label=label, now=now, undoes=change.undoes)
        return True


def _add(
    db: apsw.Connection,
    conversation_id: ConversationId,
    fields: Mapping[str, object],
    before: Mapping[str, object],
    *,
    batch: str,
    label: str,
    now: float,
    undoes: int | None = None,
) -> None:
    queue.add(
        db,
        batch=batch,
        kind=ChangeKind.NOTE,
        target=conversation_id,
        fields=fields,
        base=before,
        label=label,
        now=now,
        undoes=undoes,
    )
    conversations.mark_pending(db, [conversation_id])
    change_feed.append(db, change_feed.NOTES, [conversation_id])

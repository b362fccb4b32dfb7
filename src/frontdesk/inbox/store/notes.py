"""Notes that a team's people write about conversations, hand-overs among them, and who has taken one up.

The follower stores what the relay has; what this person has written is in the outbox until the relay has taken it.
A note never leaves the team: it isn't a message, and the platform doesn't get it.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.record_lookup import line_of_target
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeKind, ChangeState, Json
from frontdesk.storage.sql import Row, first, rows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, ConversationId

MAX_LETTERS = 10_000
MAX_MENTIONS = 50
MAX_NOTES = 500
"""So many notes of one conversation are shown, the newest."""

SEEN_MARKER = "note seen"
"""Kept of a conversation: up to which time its notes were seen here, Unix seconds of the relay's clock."""

RECEIPT = "note receipt"
"""Kept of a hand-over that was taken up here: its conversation, until the relay has the receipt."""

_VERSION = 1
_MAX_ID_LETTERS = 300
_MAX_LATE_SECONDS = 30 * 86_400.0
"""So long before its arrival a note can have been written, as far as its desk is believed."""

_COLUMNS = "note_id, conversation_id, at, author, text, mentions, hand_over_to, written_at"


class TeamNote(NamedTuple):
    """A note as it is shown.

    Attributes:
        at: when it was written, Unix seconds.
        author: an agent's id; empty where the team doesn't know it.
        state: CONFIRMED once the relay has it.
        change_id: of one that this person has written and the relay hasn't taken.
        taken_up_at: of a hand-over, when its receiver opened the conversation.
        arrived_at: when the relay took it, Unix seconds of its clock; by that time it counts as seen.
    """

    note_id: str
    conversation_id: ConversationId
    at: float
    author: AgentId
    text: str
    mentions: tuple[AgentId, ...] = ()
    hand_over_to: AgentId | None = None
    state: ChangeState = ChangeState.CONFIRMED
    reason: str = ""
    change_id: int = 0
    taken_up_at: float | None = None
    taken_up_by: AgentId | None = None
    arrived_at: float = 0.0

    @property
    def is_pending(self) -> bool:
        return self.state in UNCONFIRMED


def content_of(note: TeamNote) -> Json:
    """Return what a change keeps of a note, besides its id and conversation."""
    return {"text": note.text, "mentions": list(note.mentions), "hand_over_to": note.hand_over_to or ""}


def note_of_change(change: Change) -> tuple[str, Json | None]:
    """Return the id of a change's note, and its content; None where it is taken back."""
    ((note_id, content),) = change.fields.items()
    return note_id, content


def note_body(conversation_id: str, content: Json | None, written_at: float | None = None) -> str:
    """Return a note as the relay keeps it; empty for one that is taken back.

    Args:
        written_at: Unix seconds of the relay's clock; None for the time at which the relay takes it.
    """
    if content is None:
        return ""
    time = {} if written_at is None else {"written_at": written_at}
    return json.dumps({"v": _VERSION, "conversation": conversation_id, **content, **time}, ensure_ascii=False)


def receipt_body(conversation_id: str, note_id: str) -> str:
    return json.dumps({"v": _VERSION, "conversation": conversation_id, "takes_up": note_id}, ensure_ascii=False)


def receipt_id(note_id: str) -> str:
    """Return the id of a hand-over's receipt: a desk that sends it twice sends the same."""
    return f"{note_id} taken up"


def apply(
    db: apsw.Connection, note_id: str, author: str, at: float, body: str, line_id: str | None = None
) -> None:
    """Store a note or a receipt as the relay has it, or remove one that was taken back.

    Args:
        line_id: the line whose rights its author had; None for what was written here.

    Raises:
        ValueError: it is neither, or about a conversation of another line.
    """
    if not body:
        row = first(db, "SELECT conversation_id FROM notes WHERE note_id = ?", (note_id,))
        db.execute("DELETE FROM notes WHERE note_id = ?", (note_id,))
        if row is not None:
            _append_to_feed(db, str(row[0]))
        return
    found = json.loads(body)
    conversation_id = json_access.text(json_access.mapping(found).get("conversation"))
    text, takes_up = json_access.text(found.get("text")), json_access.text(found.get("takes_up"))
    if not conversation_id or not (text or takes_up) or len(note_id) > _MAX_ID_LETTERS:
        raise ValueError("a row of the team that isn't a note")
    known = line_of_target(db, conversation_id)
    if line_id is not None and known and known != line_id:
        raise ValueError("a note about a conversation of another line")
    mentions = json_access.texts(found.get("mentions"))[:MAX_MENTIONS]
    written_at = json_access.number(found.get("written_at")) or at
    _put(
        db,
        (
            *(note_id, conversation_id, at, author, text[:MAX_LETTERS], json.dumps(mentions)),
            json_access.text(found.get("hand_over_to"))[:_MAX_ID_LETTERS],
            min(at, max(written_at, at - _MAX_LATE_SECONDS)),
            takes_up,
        ),
    )


def confirm(db: apsw.Connection, change: Change, author: str, at: float, body: str) -> None:
    """Store what the relay has just taken, until the follower meets it there."""
    note_id, _ = note_of_change(change)
    apply(db, note_id, author, at, body)


def of_conversation(db: apsw.Connection, conversation_id: ConversationId, me: AgentId | None) -> list[TeamNote]:
    """Return the notes about a conversation, oldest first, with what this person has written."""
    found = rows(
        db,
        f"SELECT {_COLUMNS} FROM notes WHERE conversation_id = ? AND takes_up = ''"
        " ORDER BY at DESC, note_id LIMIT ?",
        (conversation_id, MAX_NOTES),
    )
    notes = {note.note_id: note for note in map(_note, reversed(found))}
    for change in queue.unsettled(db, ChangeKind.NOTE):
        if change.target == conversation_id:
            _overlay(notes, change, me)
    handed = [note.note_id for note in notes.values() if note.hand_over_to]
    for note_id, by, at in _taken_up(db, handed):
        if by == notes[note_id].hand_over_to:  # nobody else can take it up
            notes[note_id] = notes[note_id]._replace(taken_up_at=at, taken_up_by=AgentId(by))
    return sorted(notes.values(), key=lambda note: note.at)


def last_own(db: apsw.Connection, conversation_id: ConversationId, me: AgentId | None) -> TeamNote | None:
    own = [note for note in of_conversation(db, conversation_id, me) if me is not None and note.author == me]
    return own[-1] if own else None


def calls_for(db: apsw.Connection, conversation_id: ConversationId, me: AgentId | None) -> TeamNote | None:
    """Return the newest note that hands the conversation over to me, or mentions me, and that I haven't seen."""
    found = since(db, [conversation_id], me, queue.kept(db, SEEN_MARKER, conversation_id) or 0.0)
    return next((note for note in reversed(found) if note.hand_over_to == me), found[-1] if found else None)


def unseen(db: apsw.Connection, me: AgentId | None) -> list[TeamNote]:
    """Return the notes by others that mention me, or hand over to me, and that I haven't seen; oldest first."""
    if me is None:
        return []
    found = rows(
        db,
        f"SELECT {_COLUMNS} FROM notes WHERE (hand_over_to = ? OR instr(mentions, ?) > 0) AND author <> ?"
        " AND takes_up = '' AND at > coalesce((SELECT CAST(value AS REAL) FROM outbox.kept WHERE kind = ?"
        " AND id = notes.conversation_id), 0) ORDER BY at, note_id LIMIT ?",
        (me, json.dumps(me), me, SEEN_MARKER, MAX_NOTES),
    )
    return list(map(_note, found))


def since(db: apsw.Connection, conversation_ids: Sequence[str], me: AgentId | None, at: float) -> list[TeamNote]:
    """Return the notes by others that mention me, or hand over to me, and are newer than a time; oldest first."""
    if me is None:
        return []
    found = rows(
        db,
        f"SELECT {_COLUMNS} FROM notes WHERE conversation_id IN (SELECT value FROM json_each(?)) AND at > ?"
        " AND takes_up = '' AND author <> ? AND (hand_over_to = ? OR instr(mentions, ?) > 0) ORDER BY at",
        (json.dumps(list(conversation_ids)), at, me, me, json.dumps(me)),
    )
    return list(map(_note, found))


def mark_seen(
    db: apsw.Connection, conversation_id: ConversationId, me: AgentId | None, now: float, *, receipts: bool
) -> None:
    """Note that this person has seen the notes of a conversation.

    Args:
        receipts: take up what is handed over to them, too.
    """
    row = first(db, "SELECT max(at) FROM notes WHERE conversation_id = ?", (conversation_id,))
    if row is None or row[0] is None:
        return
    if float(row[0]) > (queue.kept(db, SEEN_MARKER, conversation_id) or 0.0):
        queue.keep(db, SEEN_MARKER, conversation_id, float(row[0]), now)
        change_feed.append(db, change_feed.NOTES, [conversation_id])
    if me is None or not receipts:
        return
    handed = rows(
        db, "SELECT note_id FROM notes WHERE conversation_id = ? AND hand_over_to = ?", (conversation_id, me)
    )
    taken = {note_id for note_id, by, _ in _taken_up(db, [row[0] for row in handed]) if by == me}
    for (note_id,) in handed:
        if note_id not in taken and queue.kept(db, RECEIPT, note_id) is None:
            queue.keep(db, RECEIPT, note_id, conversation_id, now)
            change_feed.append(db, change_feed.CHANGE, [RECEIPT])  # wakes the engine


def _put(db: apsw.Connection, values: Row) -> None:
    before = first(db, f"SELECT {_COLUMNS}, takes_up FROM notes WHERE note_id = ?", (values[0],))
    if before == values:
        return
    db.execute(f"INSERT OR REPLACE INTO notes ({_COLUMNS}, takes_up) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    _append_to_feed(db, values[1])


def _append_to_feed(db: apsw.Connection, conversation_id: str) -> None:
    for kind in (change_feed.THREAD, change_feed.CONVERSATION, change_feed.NOTES):
        change_feed.append(db, kind, [conversation_id])


def _overlay(notes: dict[str, TeamNote], change: Change, me: AgentId | None) -> None:
    """Show a change that the relay hasn't taken; a refused one that takes a note back changes nothing."""
    note_id, content = note_of_change(change)
    if content is not None:
        notes[note_id] = TeamNote(
            note_id,
            ConversationId(change.target),
            notes[note_id].at if note_id in notes else change.made_at,
            me or AgentId(""),
            str(content["text"]),
            tuple(map(AgentId, content["mentions"])),
            AgentId(content["hand_over_to"]) if content["hand_over_to"] else None,
            change.state,
            change.reason,
            change.change_id,
        )
    elif change.state in UNCONFIRMED:
        notes.pop(note_id, None)


def _taken_up(db: apsw.Connection, note_ids: Sequence[str]) -> list[tuple[str, str, float]]:
    ids = json.dumps([receipt_id(each) for each in note_ids])
    found = rows(
        db, "SELECT takes_up, author, at FROM notes WHERE note_id IN (SELECT value FROM json_each(?))", (ids,)
    )
    return [(str(note_id), str(by), float(at)) for note_id, by, at in found if note_id in note_ids]


def _note(row: Row) -> TeamNote:
    note_id, conversation_id, at, author, text, mentions, hand_over_to, written_at = row
    named = tuple(map(AgentId, json.loads(mentions)))
    to = AgentId(hand_over_to) if hand_over_to else None
    return TeamNote(
        note_id,
        ConversationId(conversation_id),
        float(written_at or at),
        AgentId(author),
        text,
        named,
        to,
        arrived_at=float(at),
    )

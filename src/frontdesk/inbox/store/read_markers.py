"""What was read here, and since when customers wait, by index look-ups.

Markers are local: the interface can't mark a thread as read, and a PATCH would raise a task's unread count
(rule 180).
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from frontdesk.inbox.store.notes import SEEN_MARKER
from frontdesk.outbox import queue
from frontdesk.service_clocks.clocks import last_said_at, read_answers, row_number
from frontdesk.storage import change_feed
from frontdesk.storage.records import Json
from frontdesk.storage.sql import first, rows

INCOMING = "in"
ANSWER = "answer"
NEITHER = ""

_NOT_SAID = ("note", "informative")
_NEUTRAL_TYPES = (*_NOT_SAID, "deleted")
"""Types after which nobody waits and that are no answer: internal, by the platform, or deleted."""


def direction_of(raw: Json) -> str:
    """Return whether a message makes the customer wait, is a person's answer, or neither."""
    direction = raw.get("messageDirection")
    if raw.get("type") in _NEUTRAL_TYPES:
        return NEITHER
    if direction == "incoming":
        return INCOMING
    return ANSWER if direction == "outgoing" and raw.get("initiator") == "person" else NEITHER


def can_preview(raw: Json) -> bool:
    return raw.get("type") not in _NOT_SAID


READ_MARKER = "read"
"""The kept value of a conversation: Unix milliseconds up to which its thread was read here."""

UNREAD_MARKER = "unread"
"""The kept value of a conversation marked unread: from when on, Unix milliseconds; reading removes it."""


class ReadState(NamedTuple):
    """The read state of a thread.

    Attributes:
        waiting_since: since when the customer waits for an answer (`service_clocks.clocks`), Unix seconds.
        last_incoming_at: Unix milliseconds.
        unread: how many of their messages are newer than what was read or answered.
    """

    waiting_since: float | None
    last_incoming_at: float | None
    unread: int


def read_state(db: apsw.Connection, conversation_id: str, number: int) -> ReadState:
    waiting, incoming_at = read_answers(db, number).waiting_from, last_said_at(db, number, INCOMING)
    return ReadState(waiting, incoming_at, _incoming_since(db, number, read_until(db, conversation_id, number)))


def read_until(db: apsw.Connection, conversation_id: str, number: int) -> float:
    """Return the time until which a conversation was read or answered, Unix milliseconds."""
    by_hand: float | None = queue.kept(db, UNREAD_MARKER, conversation_id)
    marker: float | None = queue.kept(db, READ_MARKER, conversation_id)
    return max(marker or 0, last_said_at(db, number, ANSWER) or 0) if by_hand is None else by_hand


def mark_read(db: apsw.Connection, conversation_id: str, until_ms: float, now: float) -> None:
    """Mark a thread as read up to a time; a marker never moves back."""
    before = queue.kept(db, READ_MARKER, conversation_id)
    queue.keep(db, READ_MARKER, conversation_id, max(until_ms, before or 0), now)
    queue.forget(db, UNREAD_MARKER, conversation_id)
    show(db, conversation_id)


def mark_unread(db: apsw.Connection, conversation_id: str, now: float) -> None:
    """Mark the customer's last message as unread."""
    number = row_number(db, conversation_id)
    last = None if number is None else last_said_at(db, number, INCOMING)
    if last is not None:
        queue.keep(db, UNREAD_MARKER, conversation_id, last - 1, now)
        show(db, conversation_id)


def is_marked_unread(db: apsw.Connection, conversation_id: str) -> bool:
    return queue.kept(db, UNREAD_MARKER, conversation_id) is not None


def show(db: apsw.Connection, conversation_id: str) -> None:
    """Update what lists show of the markers of a conversation."""
    number = row_number(db, conversation_id)
    if number is None:
        return
    stands = read_state(db, conversation_id, number)
    db.execute(
        "UPDATE conversations SET unread = ?, waiting_since = ? WHERE rowid = ?",
        (stands.unread, stands.waiting_since, number),
    )
    change_feed.append(db, change_feed.CONVERSATION, [conversation_id])


def _incoming_since(db: apsw.Connection, number: int, after: float) -> int:
    row = first(
        db,
        "SELECT count(*) FROM messages WHERE conversation = ? AND says = ? AND says <> '' AND created_at > ?",
        (number, INCOMING, after),
    )
    return int(row[0]) if row else 0


MAX_MARKERS = 50
"""So many are told at a time, for the lease is renewed in between."""


class SharedRead(NamedTuple):
    """How far a conversation was read.

    Attributes:
        until_ms: up to which message, Unix milliseconds.
        notes_at: up to which note, Unix seconds.
    """

    conversation_id: str
    until_ms: float
    notes_at: float = 0.0


def unshared(db: apsw.Connection) -> list[tuple[SharedRead, str]]:
    """Return markers that the relay lacks, each with its line; none of a conversation whose line isn't known."""
    found = rows(
        db,
        "SELECT here.id, here.until_ms, here.notes_at, here.line_id FROM"
        " (SELECT read.id AS id, CAST(read.value AS REAL) AS until_ms,"
        " coalesce(CAST(note.value AS REAL), 0) AS notes_at, line_id FROM outbox.kept AS read"
        " JOIN conversations ON conversations.conversation_id = read.id AND line_id IS NOT NULL"
        " LEFT JOIN outbox.kept AS note ON note.kind = ? AND note.id = read.id WHERE read.kind = ?) AS here"
        " LEFT JOIN team_reads ON team_reads.conversation_id = here.id"
        " WHERE here.until_ms > coalesce(team_reads.until_ms, 0)"
        " OR here.notes_at > coalesce(team_reads.notes_at, 0) LIMIT ?",
        (SEEN_MARKER, READ_MARKER, MAX_MARKERS),
    )
    return [(SharedRead(str(each), float(until), float(notes)), str(line)) for each, until, notes, line in found]


def note_shared(db: apsw.Connection, reads: Iterable[SharedRead]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO team_reads VALUES (?, ?, ?)",
        [(each.conversation_id, each.until_ms, each.notes_at) for each in reads],
    )


def apply(db: apsw.Connection, read: SharedRead, now: float) -> bool:
    """Take over how far another desk of this person has read; returns whether that was further than here."""
    note_shared(db, [read])
    here = read.conversation_id
    is_further = read.until_ms > (queue.kept(db, READ_MARKER, here) or 0)
    if is_further:
        mark_read(db, here, read.until_ms, now)
    if read.notes_at > (queue.kept(db, SEEN_MARKER, here) or 0):
        queue.keep(db, SEEN_MARKER, here, read.notes_at, now)
        change_feed.append(db, change_feed.NOTES, [here])
    return is_further

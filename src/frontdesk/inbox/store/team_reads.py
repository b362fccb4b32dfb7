"""Read markers that a person's desks share: how far the relay has them, and what is to be told it."""

from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from frontdesk.inbox.store import read_markers
from frontdesk.inbox.store.notes import SEEN_MARKER
from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.sql import rows

MAX_MARKERS = 50
"""So many are told at a time, for the lease is renewed in between."""


@dataclass(frozen=True, slots=True)
class SharedRead:
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
        (SEEN_MARKER, read_markers.READ_MARKER, MAX_MARKERS),
    )
    return [(SharedRead(str(each), float(until), float(notes)), str(line)) for each, until, notes, line in found]


def note_shared(db: apsw.Connection, reads: Iterable[SharedRead]) -> None:
    """Note what the relay has."""
    db.executemany(
        "INSERT OR REPLACE INTO team_reads VALUES (?, ?, ?)",
        [(each.conversation_id, each.until_ms, each.notes_at) for each in reads],
    )


def apply(db: apsw.Connection, read: SharedRead, now: float) -> bool:
    """Take over how far another desk of this person has read; returns whether that was further than here."""
    note_shared(db, [read])
    here = read.conversation_id
    is_further = read.until_ms > (queue.kept(db, read_markers.READ_MARKER, here) or 0)
    if is_further:
        read_markers.mark_read(db, here, read.until_ms, now)
    if read.notes_at > (queue.kept(db, SEEN_MARKER, here) or 0):
        queue.keep(db, SEEN_MARKER, here, read.notes_at, now)
        change_feed.append(db, change_feed.NOTES, [here])
    return is_further

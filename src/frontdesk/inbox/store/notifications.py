"""Incoming messages, tasks, and notes of the team that may be announced."""

import json
from collections.abc import Collection
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import notes
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.outbox import queue
from frontdesk.storage import record_lookup
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.ids import AgentId, ConversationId


class Notification(NamedTuple):
    """A new message or task, with its texts as they came.

    Attributes:
        key: the kind and the id, to be claimed.
        at: Unix seconds, by the platform's clock.
        assigned: empty for nobody.
        says: their last words, the task's title, or the note.
        what: of a note, what it does.
    """

    key: str
    conversation_id: ConversationId
    at: float
    is_unread: bool
    assigned: tuple[str, ...]
    who: str
    says: str
    what: str = ""


def newest_at(db: apsw.Connection) -> float | None:
    """Return the time of the newest stored message, Unix seconds, or None."""
    row = first(db, "SELECT created_at FROM messages ORDER BY rowid DESC LIMIT 1")
    return None if row is None else float(row[0]) / 1000


def since(
    db: apsw.Connection,
    conversation_ids: Collection[str],
    task_ids: Collection[str],
    at: float,
    me: AgentId | None = None,
) -> list[Notification]:
    """Return those of them with something newer than a time, the oldest first.

    Args:
        me: who notes of the team may mention.
    """
    wrote = rows(
        db,
        "SELECT 'conversation ' || conversation_id, conversation_id, last_incoming_at, unread > 0, assigned,"
        " iif(name <> '', name, number), iif(preview_direction = 'incoming', preview, '') FROM conversations"
        " WHERE last_incoming_at > ? AND conversation_id IN (SELECT value FROM json_each(?))",
        (at, json.dumps(list(conversation_ids))),
    )
    came = rows(
        db,
        "SELECT 'task ' || task_id, coalesce(conversation_id, ''), created_at, status <> 'completed', assigned,"
        " customer_name, title FROM tasks"
        " WHERE created_at > ? AND task_id IN (SELECT value FROM json_each(?))",
        (at, json.dumps(list(task_ids))),
    )
    found = [
        Notification(key, ConversationId(of), moment, bool(unread), tuple(json.loads(assigned)), who, says)
        for key, of, moment, unread, assigned, who, says in (*wrote, *came)
    ]
    found += [_of_note(db, note) for note in notes.since(db, list(conversation_ids), me, at)]
    return sorted(found, key=lambda each: each.at)


def _of_note(db: apsw.Connection, note: TeamNote) -> Notification:
    record = record_lookup.conversation(db, note.conversation_id)
    who = "" if record is None else record.name or record.number
    seen_at = queue.kept(db, notes.SEEN_MARKER, note.conversation_id) or 0.0
    to = note.mentions if note.hand_over_to is None else (note.hand_over_to,)
    what = "a note mentions you" if note.hand_over_to is None else "handed over to you"
    return Notification(
        f"note {note.note_id}",
        note.conversation_id,
        note.arrived_at,
        note.arrived_at > seen_at,
        to,
        who,
        note.text,
        what,
    )


def unread_count(db: apsw.Connection, me: AgentId | None, *, of_all: bool, most: int) -> int:
    """Count unread conversations, mine and unassigned or all of them, up to `most`."""
    # The plus keeps SQLite from the index of unread ones, which doesn't say whose they are: where almost all
    # are others', a look at each row takes 100 ms for 100,000 and the index of views 30.
    row = first(
        db,
        "SELECT count(*) FROM (SELECT 1 FROM conversations WHERE +unread > 0 AND (? OR assigned = '[]'"
        " OR instr(assigned, ?) > 0) LIMIT ?)",
        (of_all, None if me is None else json.dumps(me), most),
    )
    return int(row[0]) if row else 0

"""Incoming messages and tasks that may be announced."""

import json
from collections.abc import Collection
from dataclasses import dataclass

import apsw

from frontdesk.api.contract.ids import AgentId, ConversationId
from frontdesk.storage.sql import first, rows


@dataclass(frozen=True, slots=True)
class Notification:
    """A new message or task, with its texts as they came.

    Attributes:
        key: the kind and the id, to be claimed.
        at: Unix seconds, by the platform's clock.
        is_unread: whether it is unread here.
        assigned: empty for nobody.
        who: the customer.
        says: their last words, or the task's title.
    """

    key: str
    conversation_id: ConversationId
    at: float
    is_unread: bool
    assigned: tuple[str, ...]
    who: str
    says: str


def newest_at(db: apsw.Connection) -> float | None:
    """Return the time of the newest stored message, Unix seconds, or None."""
    row = first(db, "SELECT created_at FROM messages ORDER BY rowid DESC LIMIT 1")
    return None if row is None else float(row[0]) / 1000


def since(
    db: apsw.Connection, conversation_ids: Collection[str], task_ids: Collection[str], at: float
) -> list[Notification]:
    """Return those of them with something newer than a time, the oldest first."""
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
    return sorted(found, key=lambda each: each.at)


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

"""Pages of a stored thread for screens."""

import json
from collections.abc import Collection

import apsw

from frontdesk.api.contract.ids import ConversationId, MessageId
from frontdesk.inbox.models import MessageRecord
from frontdesk.inbox.store import read_markers
from frontdesk.storage.records import MessagePosition
from frontdesk.storage.sql import Row, first, rows

_OF_THREAD = (
    " FROM messages JOIN conversations ON conversations.rowid = messages.conversation WHERE conversation_id = ?1"
)
_WHOLE = f"SELECT created_at, message_id, messages.raw{_OF_THREAD}"


def page_before(
    db: apsw.Connection, conversation_id: ConversationId, before: MessagePosition | None, limit: int
) -> list[MessageRecord]:
    """Return up to `limit` stored messages older than `before` (None: the newest ones), oldest first."""
    at, each = before if before is not None else MessagePosition(9e18, MessageId(""))
    found = rows(
        db,
        "SELECT created_at, message_id, messages.raw FROM messages"
        " JOIN conversations ON conversations.rowid = messages.conversation"
        " WHERE conversation_id = ?1 AND (created_at, message_id) < (?2, ?3)"
        " ORDER BY created_at DESC, message_id DESC LIMIT ?4",
        (conversation_id, at, each, limit),
    )
    return [MessageRecord(MessagePosition(row[0], row[1]), json.loads(row[2])) for row in reversed(found)]


def page_from(
    db: apsw.Connection, conversation_id: ConversationId, start: MessagePosition | None, limit: int
) -> list[MessageRecord]:
    """Return up to `limit` stored messages from a position on (None: the oldest), oldest first."""
    at, each = start if start is not None else MessagePosition(-9e18, MessageId(""))
    found = rows(
        db,
        f"{_WHOLE} AND (created_at, message_id) >= (?2, ?3) ORDER BY created_at, message_id LIMIT ?4",
        (conversation_id, at, each, limit),
    )
    return list(map(_record, found))


def by_ids(db: apsw.Connection, conversation_id: ConversationId, ids: Collection[str]) -> dict[str, MessageRecord]:
    """Return the stored messages of a thread with these ids."""
    if not ids:
        return {}
    found = rows(
        db,
        f"{_WHOLE} AND message_id IN (SELECT value FROM json_each(?2))",
        (conversation_id, json.dumps(list(ids))),
    )
    return {row[1]: _record(row) for row in found}


def count_after(db: apsw.Connection, conversation_id: ConversationId, after: MessagePosition, limit: int) -> int:
    """Count the stored messages that are newer than a position, up to `limit`."""
    row = first(
        db,
        f"SELECT count(*) FROM (SELECT 1{_OF_THREAD} AND (created_at, message_id) > (?2, ?3) LIMIT ?4)",
        (conversation_id, *after, limit),
    )
    return int(row[0]) if row else 0


def ends(db: apsw.Connection, conversation_id: ConversationId) -> tuple[MessagePosition, MessagePosition] | None:
    """Return the positions of the oldest and the newest stored message; None where nothing is stored."""
    found = [
        first(
            db,
            f"SELECT created_at, message_id{_OF_THREAD} ORDER BY created_at {order}, message_id {order} LIMIT 1",
            (conversation_id,),
        )
        for order in ("ASC", "DESC")
    ]
    oldest, newest = found
    return None if oldest is None or newest is None else (MessagePosition(*oldest), MessagePosition(*newest))


def first_unread(db: apsw.Connection, conversation_id: ConversationId) -> MessagePosition | None:
    """Return the position of the first unread message by the customer; None where all were read."""
    row = first(db, "SELECT rowid, unread FROM conversations WHERE conversation_id = ?", (conversation_id,))
    if row is None or not row[1]:
        return None
    after = read_markers.read_until(db, conversation_id, row[0])
    found = first(
        db,
        "SELECT created_at, message_id FROM messages"
        " WHERE conversation = ? AND says = ? AND says <> '' AND created_at > ?"
        " ORDER BY created_at, message_id LIMIT 1",
        (row[0], read_markers.INCOMING, after),
    )
    return None if found is None else MessagePosition(*found)


def _record(row: Row) -> MessageRecord:
    return MessageRecord(MessagePosition(row[0], row[1]), json.loads(row[2]))

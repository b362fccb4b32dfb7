"""Limit the store's size: the oldest messages are deleted first, and nothing else.

Messages can be fetched again; a thread that lost its oldest ones shows that older ones exist.
"""

import apsw

from frontdesk.inbox.store import threads
from frontdesk.storage import change_feed, full_text
from frontdesk.storage.records import MessagePosition
from frontdesk.storage.sql import first, rows, used_bytes
from frontdesk_api.contract.ids import MessageId

MAX_DELETED = 2_000
"""Messages deleted in one transaction, so that other writers hardly wait."""

KEEP_NEWEST = 20_000
"""The newest messages of all threads stay, whatever the limit."""


def shrink(db: apsw.Connection, max_bytes: int, keep_newest: int = KEEP_NEWEST) -> int:
    """Delete some of the oldest messages if the store is too large; call again until it returns 0."""
    if used_bytes(db) <= max_bytes:
        return 0
    kept = first(db, "SELECT rowid FROM messages ORDER BY rowid DESC LIMIT 1 OFFSET ?", (keep_newest,))
    if kept is None:
        return 0
    gone = rows(
        db,
        "SELECT rowid, conversation FROM messages WHERE rowid <= ? ORDER BY rowid LIMIT ?",
        (kept[0], MAX_DELETED),
    )
    # A millisecond's messages are deleted together: within one, only the platform knows their order.
    last = threads.end_of_moment(gone[-1][0])
    gone += rows(
        db, "SELECT rowid, conversation FROM messages WHERE rowid > ? AND rowid <= ?", (gone[-1][0], last)
    )
    db.execute("DELETE FROM messages WHERE rowid <= ?", (last,))
    full_text.mark_unindexed(db, full_text.IndexKind.MESSAGE, (row[0] for row in gone))
    conversations = {row[1] for row in gone}
    for number in conversations:
        _cut_segments(db, number)
    # 0: the thread was read once, and nothing of it is stored any more.
    touched = rows(
        db,
        "UPDATE conversations SET thread_read_at = iif(EXISTS (SELECT 1 FROM messages"
        " WHERE conversation = conversations.rowid), thread_read_at, thread_read_at * 0)"
        " WHERE rowid IN (SELECT value FROM json_each(?)) RETURNING conversation_id",
        (str(sorted(conversations)),),
    )
    change_feed.append(db, change_feed.THREAD, [row[0] for row in touched])
    return len(gone)


def _cut_segments(db: apsw.Connection, number: int) -> None:
    """End segments at their oldest message left; one that lost some isn't complete any more."""
    segments = rows(
        db,
        "SELECT rowid, newest_at, newest_id, oldest_at, oldest_id FROM segments WHERE conversation = ?",
        (number,),
    )
    for segment, newest_at, newest_id, oldest_at, oldest_id in segments:
        oldest = first(
            db,
            "SELECT created_at, message_id FROM messages WHERE conversation = ?"
            " AND (created_at, message_id) BETWEEN (?, ?) AND (?, ?) ORDER BY created_at, message_id LIMIT 1",
            (number, oldest_at, oldest_id, newest_at, newest_id),
        )
        if oldest is None:
            db.execute("DELETE FROM segments WHERE rowid = ?", (segment,))
        elif MessagePosition(oldest[0], MessageId(oldest[1])) != MessagePosition(oldest_at, MessageId(oldest_id)):
            db.execute(
                "UPDATE segments SET oldest_at = ?, oldest_id = ?, complete = 0, cursor_at = NULL,"
                " cursor_id = NULL WHERE rowid = ?",
                (*oldest, segment),
            )

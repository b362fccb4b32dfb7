"""Threads as stretches without holes: what lies between two of them is a gap, and says so.

`sync.pull` puts pages, `Reader` reads windows. A page joins a stretch when it shares a message
with it, overlaps it in time, or was asked for from its oldest message.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from frontdesk.contract.ids import ConversationId, MessageId
from frontdesk.store import conversations, feed, search, talk
from frontdesk.store.query import first, rows
from frontdesk.store.records import Json, MessageKey, MessageRecord, Segment

NEWEST = 60
"""Among so many of the newest messages the one is looked for that a list previews."""

_LAST_MS = 8_640_000_000_000_000
"""The last moment of any calendar; a time beyond it is taken for it."""


_ROW_SHIFT = 20
_ROW_LAST_MS = (1 << 42) - 1
"""Row numbers hold milliseconds and a counter for messages of one moment, as `schema.STORE_2` makes them."""


@dataclass(frozen=True, slots=True)
class PagePut:
    """What a page brought.

    Attributes:
        differing: messages that were new or had changed.
        met_known: whether the page reached a stretch that was known before.
    """

    differing: int
    met_known: bool


def put_page(
    db: apsw.Connection,
    conversation_id: ConversationId,
    messages: Sequence[Json],
    *,
    start: MessageKey | None,
    has_more: bool,
    now: float,
) -> PagePut:
    """Store a page, newest first as it came; `start` is the key it was asked from."""
    conversation = _rowid(db, conversation_id)
    keys = [key_of(raw) for raw in messages]
    known: set[MessageKey] = set()
    differing = 0
    for key, raw in zip(keys, messages, strict=True):
        text = json.dumps(raw, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        row = first(
            db,
            "SELECT created_at, raw, rowid FROM messages WHERE conversation = ? AND message_id = ?",
            (conversation, key.message_id),
        )
        if row is not None:
            known.add(MessageKey(row[0], key.message_id))
            if row[1] == text:
                continue
            db.execute("UPDATE messages SET raw = ?, says = ? WHERE rowid = ?", (text, talk.says(raw), row[2]))
            number = row[2]
        else:
            number = _free_row_number(db, key.created_at)
            db.execute(
                "INSERT INTO messages (rowid, conversation, created_at, message_id, raw, says)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (number, conversation, key.created_at, key.message_id, text, talk.says(raw)),
            )
        search.note(db, search.Kind.MESSAGE, [number])
        differing += 1
    before = segments(db, conversation_id)
    after, met_known = join(before, keys, known=known, start=start, has_more=has_more)
    if after != before:
        db.execute("DELETE FROM segments WHERE conversation = ?", (conversation,))
        db.executemany(
            "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?)",
            ((conversation, *each.newest, *each.oldest, int(each.complete)) for each in after),
        )
    if differing or after != before:
        feed.append(db, feed.THREAD, [conversation_id])
    if start is None:
        _tell_conversation(db, conversation_id, now, differs=bool(differing))
    return PagePut(differing, met_known)


def join(
    stretches: Sequence[Segment],
    page: Sequence[MessageKey],
    *,
    known: set[MessageKey],
    start: MessageKey | None,
    has_more: bool,
) -> tuple[list[Segment], bool]:
    """The stretches after a page was added, newest first, and whether it met one of them."""
    if not page:
        if start is None:
            return list(stretches), bool(stretches)
        return [
            Segment(each.newest, each.oldest, complete=each.complete or not has_more)
            if each.oldest == start
            else each
            for each in stretches
        ], True
    newest, oldest, complete = max(page), min(page), not has_more
    apart: list[Segment] = []
    met = False
    for each in stretches:
        overlaps = each.newest.created_at > oldest.created_at and each.oldest.created_at < newest.created_at
        shares = any(each.oldest <= key <= each.newest for key in known)
        follows = start is not None and each.oldest == start
        if overlaps or shares or follows:
            # The stretch that the page was asked from is no news: it goes on until it meets another.
            met = met or not follows or overlaps
            newest, oldest = max(newest, each.newest), min(oldest, each.oldest)
            complete = complete or each.complete
        else:
            apart.append(each)
    joined = [*apart, Segment(newest, oldest, complete)]
    return sorted(joined, key=lambda each: each.newest, reverse=True), met


def segments(db: apsw.Connection, conversation_id: ConversationId) -> list[Segment]:
    """The known stretches of a thread, newest first."""
    found = rows(
        db,
        "SELECT newest_at, newest_id, oldest_at, oldest_id, complete FROM segments"
        " JOIN conversations ON conversations.rowid = segments.conversation"
        " WHERE conversation_id = ? ORDER BY newest_at DESC, newest_id DESC",
        (conversation_id,),
    )
    return [Segment(MessageKey(row[0], row[1]), MessageKey(row[2], row[3]), bool(row[4])) for row in found]


def page_before(
    db: apsw.Connection, conversation_id: ConversationId, before: MessageKey | None, limit: int
) -> list[MessageRecord]:
    """Up to `limit` stored messages older than `before` (the newest ones for None), oldest first."""
    at, each = before if before is not None else MessageKey(9e18, MessageId(""))
    found = rows(
        db,
        "SELECT created_at, message_id, messages.raw FROM messages"
        " JOIN conversations ON conversations.rowid = messages.conversation"
        " WHERE conversation_id = ?1 AND (created_at, message_id) < (?2, ?3)"
        " ORDER BY created_at DESC, message_id DESC LIMIT ?4",
        (conversation_id, at, each, limit),
    )
    return [MessageRecord(MessageKey(row[0], row[1]), json.loads(row[2])) for row in reversed(found)]


def page_from(db: apsw.Connection, conversation_id: ConversationId, oldest: MessageKey) -> list[MessageRecord]:
    """Every stored message from `oldest` on, oldest first: a window that is already on the screen."""
    found = rows(
        db,
        "SELECT created_at, message_id, messages.raw FROM messages"
        " JOIN conversations ON conversations.rowid = messages.conversation"
        " WHERE conversation_id = ? AND (created_at, message_id) >= (?, ?)"
        " ORDER BY created_at, message_id",
        (conversation_id, *oldest),
    )
    return [MessageRecord(MessageKey(row[0], row[1]), json.loads(row[2])) for row in found]


def key_of(raw: Json) -> MessageKey:
    """A message's place in its thread."""
    created = raw.get("createdAt")
    number = created if isinstance(created, int | float) and not isinstance(created, bool) else 0
    return MessageKey(max(-_LAST_MS, min(_LAST_MS, number)), MessageId(str(raw["messageId"])))


def row_number(created_at: float) -> int:
    """The first row number for messages of this moment: in all threads together they stand in time's order."""
    return int(max(0, min(created_at, _ROW_LAST_MS))) << _ROW_SHIFT


def _free_row_number(db: apsw.Connection, created_at: float) -> int:
    lowest = row_number(created_at)
    row = first(
        db,
        "SELECT max(rowid) FROM messages WHERE rowid BETWEEN ? AND ?",
        (lowest, lowest + (1 << _ROW_SHIFT) - 1),
    )
    return lowest if row is None or row[0] is None else int(row[0]) + 1


def _rowid(db: apsw.Connection, conversation_id: ConversationId) -> int:
    row = first(db, "SELECT rowid FROM conversations WHERE conversation_id = ?", (conversation_id,))
    if row is not None:
        return int(row[0])
    db.execute("INSERT INTO conversations (conversation_id) VALUES (?)", (conversation_id,))
    return db.last_insert_rowid()


def _tell_conversation(db: apsw.Connection, conversation_id: ConversationId, now: float, *, differs: bool) -> None:
    if not differs:
        db.execute(
            "UPDATE conversations SET thread_active_at = max(coalesce(thread_active_at, 0),"
            " coalesce(task_active_at, 0)), thread_read_at = coalesce(thread_read_at, ?)"
            " WHERE conversation_id = ? AND (thread_read_at IS NULL"
            " OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0))",
            (now, conversation_id),
        )
        return
    newest = page_before(db, conversation_id, None, NEWEST)
    conversations.learn_from_thread(db, conversation_id, _rowid(db, conversation_id), newest[::-1], now)

"""Pages of a stored thread, and the window of its messages that a screen holds."""

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import read_markers
from frontdesk.storage.records import Json, MessagePosition
from frontdesk.storage.sql import Row, first, rows
from frontdesk_api.contract.ids import ConversationId, MessageId

_OF_THREAD = (
    " FROM messages JOIN conversations ON conversations.rowid = messages.conversation WHERE conversation_id = ?1"
)
_WHOLE = f"SELECT created_at, message_id, messages.raw{_OF_THREAD}"


class MessageRecord(NamedTuple):
    """A message and its raw object."""

    key: MessagePosition
    raw: Json


def page_before(
    db: apsw.Connection, conversation_id: ConversationId, before: MessagePosition | None, limit: int
) -> list[MessageRecord]:
    """Return up to `limit` stored messages older than `before` (None: the newest ones), oldest first."""
    at, each = before if before is not None else MessagePosition(9e18, MessageId(""))
    found = rows(
        db,
        f"{_WHOLE} AND (created_at, message_id) < (?2, ?3) ORDER BY created_at DESC, message_id DESC LIMIT ?4",
        (conversation_id, at, each, limit),
    )
    return [_record(row) for row in reversed(found)]


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
    if not ids:
        return {}
    found = rows(
        db,
        f"{_WHOLE} AND message_id IN (SELECT value FROM json_each(?2))",
        (conversation_id, json.dumps(list(ids))),
    )
    return {row[1]: _record(row) for row in found}


def count_after(db: apsw.Connection, conversation_id: ConversationId, after: MessagePosition, limit: int) -> int:
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


def last_change_read_at(db: apsw.Connection, conversation_id: ConversationId) -> float | None:
    """Return when a thread was last read with something new or changed in it, Unix seconds; None for never.

    A read that brought nothing new writes nothing.
    """
    row = first(db, "SELECT thread_read_at FROM conversations WHERE conversation_id = ?", (conversation_id,))
    return float(row[0]) if row and row[0] else None


def first_unread(db: apsw.Connection, conversation_id: ConversationId) -> MessagePosition | None:
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


STEP = 60
"""So many messages are read when a screen comes near an end of the window; more on a screen that is taller."""

MAX_HELD = 4 * STEP
"""So many are held on a screen of up to `STEP` lines."""


class ThreadWindow:
    """Messages of one thread, oldest first; no move reads more than the window holds.

    Attributes:
        before: the stored message before the first one, which decides whether a day or a sender's turn begins
            there; None where nothing older is stored.
    """

    def __init__(self, db: apsw.Connection, conversation_id: ConversationId):
        self._db = db
        self._id = conversation_id
        self.messages: Sequence[MessageRecord] = ()
        self.before: MessageRecord | None = None
        self.has_newer = False

    @property
    def has_older(self) -> bool:
        return self.before is not None

    def outside(self, shown: int) -> tuple[int, int]:
        """Estimate by time how many entries are older and newer than the `shown` ones: no counting."""
        messages = self.messages
        if not messages or not (self.has_older or self.has_newer):
            return 0, 0
        stored = ends(self._db, self._id)
        start, end = messages[0].key.created_at, messages[-1].key.created_at
        if stored is None or end <= start:
            return len(messages) * self.has_older, len(messages) * self.has_newer
        rate = shown / (end - start)
        older, newer = (start - stored[0].created_at) * rate, (stored[1].created_at - end) * rate
        return max(self.has_older, int(older)), max(self.has_newer, int(newer))

    def to_newest(self, count: int = STEP) -> None:
        self._hold(page_before(self._db, self._id, None, count + 1), count, has_newer=False)

    def to_oldest(self, count: int = STEP) -> None:
        found = page_from(self._db, self._id, None, count + 1)
        self.before, self.messages, self.has_newer = None, found[:count], len(found) > count

    def around(self, key: MessagePosition, older: int = STEP, newer: int = STEP) -> None:
        after = page_from(self._db, self._id, key, newer + 1)
        found = page_before(self._db, self._id, key, older + 1)
        self._hold([*found, *after[:newer]], older + min(newer, len(after)), has_newer=len(after) > newer)

    def older(self, step: int = STEP) -> bool:
        """Slide towards the oldest; False at the oldest stored one."""
        if not self.messages or self.before is None:
            return False
        found = page_before(self._db, self._id, self.messages[0].key, step + 1)
        kept = self.messages[: max(0, _max_held(step) - min(step, len(found)))]
        has_newer = self.has_newer or len(kept) < len(self.messages)
        self._hold([*found, *kept], min(step, len(found)) + len(kept), has_newer=has_newer)
        return bool(found)

    def newer(self, step: int = STEP) -> bool:
        """Slide towards the newest; False at the newest stored one."""
        if not self.messages or not self.has_newer:
            return False
        last = self.messages[-1].key
        found = [each for each in page_from(self._db, self._id, last, step + 2) if each.key != last]
        self.has_newer = len(found) > step
        messages = [*self.messages, *found[:step]]
        passed = len(messages) - _max_held(step)
        if passed > 0:
            self.before, messages = messages[passed - 1], messages[passed:]
        self.messages = messages
        return bool(found)

    def read_again(self, reading: MessagePosition | None, step: int = STEP) -> None:
        """Read the window again, with what is new.

        `reading` is the message at the top of the screen, which stays; None follows the end of the thread.
        """
        most = _max_held(step)
        if not self.messages:
            self.to_newest(step)
            return
        if reading is None:
            first = self.messages[0].key
            found = page_from(self._db, self._id, first, most + 1)
            if len(found) > most or not found:
                self.to_newest(most // 2)
                return
            older = page_before(self._db, self._id, found[0].key, 1)
            self._hold([*older, *found], len(found), has_newer=False)
            return
        above = sum(1 for each in self.messages if each.key < reading)
        self.around(reading, above, most - above)

    def _hold(self, found: Sequence[MessageRecord], count: int, *, has_newer: bool) -> None:
        """Hold the last `count`; `before` is the message before them."""
        over = len(found) - count
        self.before = found[over - 1] if over > 0 else None
        self.messages, self.has_newer = found[max(0, over) :], has_newer


def _max_held(step: int) -> int:
    return max(MAX_HELD, 4 * step)

"""What was read here and what was not, and who waits since when: look-ups, however long a thread is.

Markers are the person's own: the interface has no way to read a thread on the platform, and a PATCH
would raise a task's unread count (rule 180). Called by `conversations` and `inbox.commands`.
"""

from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import Json
from frontdesk.storage.sql import first

INCOMING = "in"
ANSWER = "answer"
NEITHER = ""

_NOBODY_SAID = ("note", "informative")
_NO_TALK = (*_NOBODY_SAID, "deleted")
"""Types that leave nobody waiting and answer nobody: said among us, by the platform, or taken back."""


def direction_of(raw: Json) -> str:
    """What a message says; bots, AI and campaigns do not end a customer's wait."""
    direction = raw.get("messageDirection")
    if raw.get("type") in _NO_TALK:
        return NEITHER
    if direction == "incoming":
        return INCOMING
    return ANSWER if direction == "outgoing" and raw.get("initiator") == "person" else NEITHER


def is_talk(raw: Json) -> bool:
    """Whether one of the two sides said it, so that a list may preview it."""
    return raw.get("type") not in _NOBODY_SAID


READ_MARKER = "read"
"""Kept a conversation: Unix milliseconds up to which its thread was read here."""

UNREAD_MARKER = "unread"
"""Kept a conversation that was marked unread by hand: from where on; reading it takes it off."""


class ReadState(NamedTuple):
    """How a thread stands. Times are Unix milliseconds.

    Attributes:
        waiting_since: when the customer last wrote, where no person has answered since.
        last_incoming_at: when the customer last wrote.
        unread: how many of their messages are newer than what was read or answered.
    """

    waiting_since: float | None
    last_incoming_at: float | None
    unread: int


def standing(db: apsw.Connection, conversation_id: str, number: int) -> ReadState:
    """How the thread of a conversation with this row number stands."""
    answered_at = _last_at(db, number, ANSWER)
    incoming_at = _last_at(db, number, INCOMING)
    waiting = incoming_at if incoming_at is not None and incoming_at > (answered_at or 0) else None
    return ReadState(waiting, incoming_at, _incoming_since(db, number, _until(db, conversation_id, answered_at)))


def read_until(db: apsw.Connection, conversation_id: str, number: int) -> float:
    """Up to when the thread of the conversation with this row number was read here or answered, milliseconds."""
    return _until(db, conversation_id, _last_at(db, number, ANSWER))


def mark_read(db: apsw.Connection, conversation_id: str, until_ms: float, now: float) -> None:
    """The thread was read up to here; what came later stays unread, and a marker only moves on."""
    before = queue.kept(db, READ_MARKER, conversation_id)
    queue.keep(db, READ_MARKER, conversation_id, max(until_ms, before or 0), now)
    queue.forget(db, UNREAD_MARKER, conversation_id)
    _tell(db, conversation_id)


def mark_unread(db: apsw.Connection, conversation_id: str, now: float) -> None:
    """The customer's last message waits to be read again."""
    number = _number(db, conversation_id)
    last = None if number is None else _last_at(db, number, INCOMING)
    if last is not None:
        queue.keep(db, UNREAD_MARKER, conversation_id, last - 1, now)
        _tell(db, conversation_id)


def _until(db: apsw.Connection, conversation_id: str, answered_at: float | None) -> float:
    by_hand: float | None = queue.kept(db, UNREAD_MARKER, conversation_id)
    marker: float | None = queue.kept(db, READ_MARKER, conversation_id)
    return max(marker or 0, answered_at or 0) if by_hand is None else by_hand


def _tell(db: apsw.Connection, conversation_id: str) -> None:
    number = _number(db, conversation_id)
    if number is None:
        return
    unread = standing(db, conversation_id, number).unread
    db.execute("UPDATE conversations SET unread = ? WHERE rowid = ?", (unread, number))
    change_feed.append(db, change_feed.CONVERSATION, [conversation_id])


def _number(db: apsw.Connection, conversation_id: str) -> int | None:
    row = first(db, "SELECT rowid FROM conversations WHERE conversation_id = ?", (conversation_id,))
    return None if row is None else int(row[0])


def _last_at(db: apsw.Connection, number: int, says: str) -> float | None:
    row = first(
        db,
        "SELECT max(created_at) FROM messages WHERE conversation = ? AND says = ? AND says <> ''",
        (number, says),
    )
    return None if row is None else row[0]


def _incoming_since(db: apsw.Connection, number: int, after: float) -> int:
    row = first(
        db,
        "SELECT count(*) FROM messages WHERE conversation = ? AND says = ? AND says <> '' AND created_at > ?",
        (number, INCOMING, after),
    )
    return int(row[0]) if row else 0

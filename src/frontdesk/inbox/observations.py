"""Pages of threads that were read, for a team's other desks, and those that another desk has read.

The observations of a page's messages come before the page's own, which names them: it changes whenever one of them
does.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from frontdesk.inbox.store import thread_pages, threads
from frontdesk.inbox.store.threads import older_cursor
from frontdesk.storage.records import Json, MessagePosition
from frontdesk.storage.sql import first, rows
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk_api.contract.ids import ConversationId, MessageId
from frontdesk_api.json_access import canonical

MAX_STORED = 100
"""So many messages of a thread are passed on that was read before; older ones are read where they are wanted."""


_HEAD = "head"


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page of a thread, as `threads.put_page` takes it; `sign_at` is the newest sign known before."""

    messages: Sequence[Json]
    start: MessagePosition | None
    cursor: MessagePosition | None
    has_more: bool
    sign_at: float


class ThreadObserver:
    """Turns pages of threads into observations.

    The head of a thread moves with each message. Its observation keeps its id for as long as one message of the
    middle stays in it, so that a desk that was away for hours finds few pages, of which each shares messages with
    the next.
    """

    def __init__(self) -> None:
        self._anchors: dict[ConversationId, str] = {}

    def observed(
        self, conversation_id: ConversationId, line_id: str, page: ReadPage, asked_at: float
    ) -> list[Observed]:
        ids = [str(raw["messageId"]) for raw in page.messages]
        found = [
            Observed(ObservedKind.MESSAGE, message_key(conversation_id, each), line_id, asked_at, raw)
            for each, raw in zip(ids, page.messages, strict=True)
        ]
        texts = "".join(canonical(raw) for raw in page.messages)
        body: Json = {
            "conversation": conversation_id,
            "ids": ids,
            "start": page.start,
            "cursor": page.cursor,
            "has_more": page.has_more,
            "sign_at": page.sign_at,
            "digest": hashlib.blake2b(texts.encode("utf-8", "replace"), digest_size=12).hexdigest(),
        }
        key = json.dumps([conversation_id, *self._place(conversation_id, ids, page.start)])
        return [*found, Observed(ObservedKind.PAGE, key, line_id, asked_at, body)]

    def _place(
        self, conversation_id: ConversationId, ids: Sequence[str], start: MessagePosition | None
    ) -> tuple[str, str]:
        if start is not None:
            return "before", start.message_id
        if self._anchors.get(conversation_id) not in ids:
            self._anchors[conversation_id] = ids[len(ids) // 2] if ids else ""
        return _HEAD, self._anchors[conversation_id]


def read_threads(db: apsw.Connection) -> list[ConversationId]:
    """Return the threads of which something was read, the most active first."""
    found = rows(
        db,
        "SELECT conversation_id FROM conversations WHERE thread_read_at > 0"
        " ORDER BY active_at IS NULL, active_at DESC, conversation_id",
    )
    return [ConversationId(row[0]) for row in found]


def stored_newest(
    db: apsw.Connection, conversation_id: ConversationId, observer: ThreadObserver
) -> list[Observed]:
    """Return the newest messages of a stored thread as a page: what was read before there was anybody to tell."""
    segments = threads.segments(db, conversation_id)
    about = first(
        db, "SELECT line_id, thread_read_at FROM conversations WHERE conversation_id = ?", (conversation_id,)
    )
    if not segments or about is None:
        return []
    newest = segments[0]
    records = thread_pages.page_before(db, conversation_id, None, MAX_STORED)
    held = [each for each in records if each.key >= newest.oldest]
    if not held:
        return []
    is_all = held[0].key == newest.oldest
    page = ReadPage(
        [each.raw for each in reversed(held)],
        start=None,
        cursor=older_cursor(newest) if is_all else held[0].key,
        has_more=not (is_all and newest.complete),
        sign_at=threads.signs(db, conversation_id).read_to,
    )
    return observer.observed(conversation_id, str(about[0] or ""), page, float(about[1]))


def message_key(conversation_id: str, message_id: str) -> str:
    """Return the id of a message's observation, which begins with its conversation's."""
    return json.dumps([conversation_id, message_id])


def head_prefix(conversation_id: str) -> str:
    """Return how the ids of the observations of a thread's newest pages begin."""
    return json.dumps([conversation_id, _HEAD])[:-1]


def missing_messages(db: apsw.Connection, pages: Iterable[Observed], at_hand: Mapping[str, Json]) -> list[str]:
    """Return the keys of messages that pages name and that are neither at hand nor stored."""
    missing = []
    for page in pages:
        keys = _keys(page)
        wanted = [each for each, key in keys.items() if key not in at_hand]
        stored = thread_pages.by_ids(db, ConversationId(str(page.body.get("conversation"))), wanted)
        missing += [keys[each] for each in wanted if each not in stored]
    return missing


def apply(db: apsw.Connection, page: Observed, at_hand: Mapping[str, Json], now: float) -> bool:
    """Store a page that another desk has read; returns False where its newest message can't be had.

    The page ends before another message that can't be had: the thread has a gap there.

    Args:
        at_hand: messages by their key; others are taken as they are stored.

    Raises:
        KeyError, TypeError, ValueError: it isn't a page.
    """
    body, keys = page.body, _keys(page)
    conversation_id = ConversationId(body["conversation"])
    stored = thread_pages.by_ids(db, conversation_id, [each for each, key in keys.items() if key not in at_hand])
    messages: list[Json] = []
    for each, key in keys.items():
        raw = at_hand.get(key) or (stored[each].raw if each in stored else None)
        if not raw:
            break
        messages.append(raw)
    is_whole = len(messages) == len(keys)
    if not messages and not is_whole:
        return False
    threads.put_page(
        db,
        conversation_id,
        messages,
        start=_position(body["start"]) or _start_behind(db, conversation_id, messages),
        cursor=_position(body["cursor"]) if is_whole else None,
        has_more=bool(body["has_more"]) or not is_whole,
        now=now,
        sign_at=float(body["sign_at"]),
    )
    return True


def _start_behind(
    db: apsw.Connection, conversation_id: ConversationId, messages: Sequence[Json]
) -> MessagePosition | None:
    """Return where a head of a thread begins that is older than what is stored; None for the newest.

    Taken for the newest, it would hide what is missing between it and the newer messages.
    """
    newest = max(map(threads.position_of, messages), default=None)
    known = threads.segments(db, conversation_id)
    return newest if newest is not None and known and known[0].newest > newest else None


def _keys(page: Observed) -> dict[str, str]:
    """Return the keys of a page's messages by their id, newest first; none where it isn't a page."""
    conversation_id, ids = page.body.get("conversation"), page.body.get("ids")
    if not isinstance(conversation_id, str) or not isinstance(ids, list):
        return {}
    return {str(each): message_key(conversation_id, str(each)) for each in ids}


def _position(value: Sequence[Any] | None) -> MessagePosition | None:
    return None if value is None else MessagePosition(value[0], MessageId(value[1]))

"""Fetch and store threads, a page at a time.

Methods return whether anything differed; the schedule adapts to that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from frontdesk.inbox.observations import ReadPage, ThreadObserver
from frontdesk.inbox.store import threads
from frontdesk.inbox.store.threads import older_cursor
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import store_page
from frontdesk.storage.records import MessagePosition
from frontdesk.sync.observations import Observe, observe_nothing
from frontdesk_api import json_access
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.contract.decode import Page
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId, MessageId
from frontdesk_api.contract.messages import MessageKey as WireKey
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.values import UnixMillis

CATCH_UP_PAGES = 8
"""How many pages back a thread is caught up before what lies between is left as a gap."""


class ThreadPuller:
    """The reads of one profile's threads; keeps where catch-ups were interrupted."""

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        clock: Callable[[], float],
        catch_up_pages: int = CATCH_UP_PAGES,
        observe: Observe = observe_nothing,
    ):
        self._observe, self._observer = observe, ThreadObserver()
        self._catch_up_pages = catch_up_pages
        self._client = client
        self._store = store
        self._clock = clock
        self._interrupted: dict[ConversationId, _CatchUp] = {}

    async def thread_head(self, conversation_id: ConversationId) -> bool:
        """Fetch the newest messages of a thread, back to those that are known.

        An interrupted catch-up continues after the newest messages are stored.
        """
        pair = self._pair(conversation_id)
        if pair is None:
            return False
        was_known = self._is_known(conversation_id)
        interrupted = self._interrupted.pop(conversation_id, None)
        here = _CatchUp(None, self._catch_up_pages)
        differed = False
        while here.pages_left:
            try:
                sign_at = threads.signs(self._store.reading, conversation_id).newest
                asked_at = self._clock()
                page = await self._messages(pair, here.start)
            except BaseException:
                self._keep_interrupted(conversation_id, interrupted if here.start is None else here)
                raise
            put = await self._put_thread(conversation_id, page, here.start, sign_at, asked_at)
            differed = differed or put.differing > 0
            cursor = _cursor_of(page)
            if not page.has_more or cursor in (None, here.start):
                break
            here = _CatchUp(cursor, here.pages_left - 1)
            if not was_known:
                if self._is_known(conversation_id):
                    break
                if interrupted is not None:
                    here, interrupted = interrupted, None
                elif not here.pages_left:
                    # Nothing was readable so far, and a gap is shown at a message: the next poll goes on.
                    self._keep_interrupted(conversation_id, _CatchUp(cursor, self._catch_up_pages))
            elif put.met_known:
                if interrupted is None or not self._ends_at(conversation_id, interrupted.start):
                    break
                here, interrupted = interrupted, None
        return differed

    async def thread_older(self, conversation_id: ConversationId, before: MessagePosition) -> bool:
        """Fetch the page before a message: older ones, or the rest of a gap."""
        pair = self._pair(conversation_id)
        if pair is None:
            return False
        known = threads.segments(self._store.reading, conversation_id)
        start = next((older_cursor(each) for each in known if each.oldest == before), before)
        asked_at, sign_at = self._clock(), threads.signs(self._store.reading, conversation_id).newest
        page = await self._messages(pair, start)
        put = await self._put_thread(conversation_id, page, start, sign_at, asked_at)
        return put.differing > 0

    async def _put_thread(
        self,
        conversation_id: ConversationId,
        page: Page[Any],
        start: MessagePosition | None,
        sign_at: float,
        asked_at: float,
    ) -> threads.PagePut:
        raws = [item.raw for item in page.items]
        place: dict[str, Any] = {"start": start, "has_more": page.has_more, "cursor": _cursor_of(page)}
        now = self._clock()
        put = await store_page(
            self._store,
            self._clock,
            "message",
            [raw["messageId"] for raw in raws],
            page.broken,
            find_unchanged=lambda db: threads.known_page(db, conversation_id, raws, **place, now=now),
            put=lambda db: threads.put_page(db, conversation_id, raws, **place, now=now, sign_at=sign_at),
        )
        if not page.broken:
            # A page with items that can't be read isn't whole: nobody else is told that nothing is missing in it.
            line_id = str((self._pair(conversation_id) or ("",))[0])
            read = ReadPage(raws, sign_at=sign_at, **place)
            self._observe(self._observer.observed(conversation_id, line_id, read, asked_at))
        return put

    def _is_known(self, conversation_id: ConversationId) -> bool:
        return bool(threads.segments(self._store.reading, conversation_id))

    def _keep_interrupted(self, conversation_id: ConversationId, where: "_CatchUp | None") -> None:
        if where is not None:
            self._interrupted[conversation_id] = where

    def _ends_at(self, conversation_id: ConversationId, start: MessagePosition | None) -> bool:
        """Return whether a segment still ends where a catch-up was interrupted."""
        known = threads.segments(self._store.reading, conversation_id)
        return any(not each.complete and older_cursor(each) == start for each in known)

    async def _messages(self, pair: tuple[LineId, CustomerId], start: MessagePosition | None) -> Page[Any]:
        line_id, customer_id = pair
        if start is None:
            query = MessageQuery(phoneNumberId=line_id, targetPhoneNumberId=customer_id)
        else:
            key = WireKey(messageId=start.message_id, createdAt=UnixMillis(start.created_at))
            query = MessageQuery(phoneNumberId=line_id, targetPhoneNumberId=customer_id, startKey=key)
        return await self._client.get_messages(query)

    def _pair(self, conversation_id: ConversationId) -> tuple[LineId, CustomerId] | None:
        known = record_lookup.conversation(self._store.reading, conversation_id)
        if known is None or known.line_id is None or known.customer_id is None:
            return None
        return known.line_id, known.customer_id


@dataclass(frozen=True, slots=True)
class _CatchUp:
    """The next page of a catch-up, and how many more are allowed."""

    start: MessagePosition | None
    pages_left: int


def _cursor_of(page: Page[Any]) -> MessagePosition | None:
    """Return the cursor of the next page: its last readable message where the platform gives none."""
    said = page.cursor or {}
    each, at = said.get("messageId"), json_access.number(said.get("createdAt"))
    if isinstance(each, str) and each and at is not None:
        return MessagePosition(said["createdAt"], MessageId(each))
    raws = (item.raw for item in reversed(page.items))
    return next((threads.position_of(raw) for raw in raws if threads.written_at(raw) is not None), None)

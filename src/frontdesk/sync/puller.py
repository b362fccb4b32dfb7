"""Fetches and stores: one method for each thing that is polled, each a page at a time.

Called by the engine. What a method answers says whether anything differed, which is what the
schedule adapts to.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import ABOUT_HOST, BadReply, NotFound, Refused
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.decode import Broken, Page
from frontdesk.api.contract.ids import CampaignId, ConversationId, CustomerId, LineId, MessageId, TaskId
from frontdesk.api.contract.limits import TASKS_LIMIT_MAX
from frontdesk.api.contract.messages import MessageKey as WireKey
from frontdesk.api.contract.messages import MessageQuery
from frontdesk.api.contract.tasks import TaskQuery
from frontdesk.api.contract.times import UnixMillis
from frontdesk.campaigns.store import campaigns
from frontdesk.inbox.store import conversations, threads
from frontdesk.inbox.store.segments import bottom_of
from frontdesk.outbox import queue
from frontdesk.storage import invalid_items as stored_invalid_items
from frontdesk.storage import json_access
from frontdesk.storage.database import Store
from frontdesk.storage.records import Json, MessageKey
from frontdesk.sync.pages import store_page
from frontdesk.tasks import store as task_store
from frontdesk.workflows.sync import DocumentPuller

log = logging.getLogger(__name__)

CATCH_UP_PAGES = 8
"""How many pages back a thread is caught up before what lies between is left as a gap."""

MISSING_A_WALK = 5
"""So many of the tasks that walks missed are read after one, and the others after the next: the first
page of all waits meanwhile."""


class Puller:
    """Polls of one profile. Holds where the walk over all tasks stands.

    Attributes:
        documents: reads workflows and AI agents.
        swept: whether all tasks were walked once.
    """

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        clock: Callable[[], float],
        catch_up_pages: int = CATCH_UP_PAGES,
    ):
        self._catch_up_pages = catch_up_pages
        self._client = client
        self._store = store
        self._clock = clock
        self._cursor: JsonObject | None = None
        self._cursors_seen: set[str] = set()
        self._met: set[TaskId] = set()
        self._writing: asyncio.Future[bool] | None = None
        self._same_at: dict[CampaignId, float] = {}
        self._broken_off: dict[ConversationId, _CatchUp] = {}
        self.documents = DocumentPuller(client, store, clock)
        self.swept = False

    async def tasks_head(self) -> bool:
        """The first page of all tasks."""
        asked_at = self._clock()
        page = await self._client.list_tasks(TaskQuery(limit=TASKS_LIMIT_MAX))
        return await self._put_tasks(page, asked_at)

    async def tasks_page(self, query: TaskQuery) -> tuple[bool, Page[Any]]:
        """A page of some of the tasks. It is merged like any other, and says nothing of what isn't on it."""
        asked_at = self._clock()
        page = await self._client.list_tasks(query)
        return await self._put_tasks(page, asked_at), page

    async def tasks_sweep(self) -> bool:
        """The next page of the walk over all tasks; the end of one walk begins another."""
        if self._cursor is None:
            self._cursors_seen, self._met = set(), set()
        query = TaskQuery(limit=TASKS_LIMIT_MAX)
        if self._cursor is not None:
            query = TaskQuery(limit=TASKS_LIMIT_MAX, lastEvaluatedKey=self._cursor)
        asked_at = self._clock()
        try:
            page = await self._client.list_tasks(query)
        except Refused:
            # A cursor may have expired: the next walk begins at the start.
            self._cursor = None
            raise
        differed = await self._write_behind(self._put_tasks(page, asked_at))
        self._met |= {TaskId(item.raw["taskId"]) for item in page.items}
        # What came and couldn't be read is there all the same.
        self._met |= {TaskId(stored_invalid_items.place_of("task", each.raw)) for each in page.broken}
        self._cursor = page.cursor if page.has_more else None
        if self._cursor is not None:
            seen = json.dumps(self._cursor, sort_keys=True)
            if seen not in self._cursors_seen:
                self._cursors_seen.add(seen)
                return differed
            self._cursor = None
        before, self._writing = self._writing, None
        await self._until_written(before)
        if not page.has_more:
            await self._finish_sweep()
        # A walk that goes in circles or breaks off has met what it has met; it decides nothing.
        self.swept = True
        return differed

    async def _write_behind(self, put: Coroutine[Any, Any, bool]) -> bool:
        """Until all was walked once, the next page is fetched while this one is written."""
        if self.swept:
            return await put
        before, self._writing = self._writing, asyncio.ensure_future(put)
        await self._until_written(before)
        return True

    async def _until_written(self, writing: asyncio.Future[bool] | None) -> None:
        """One that couldn't be written is walked to again."""
        if writing is None:
            return
        try:
            await writing
        except BaseException:
            self._cursor = None
            raise

    async def thread_head(self, conversation_id: ConversationId) -> bool:
        """The newest messages of a thread, paged back until they meet what is known.

        A catch-up that the network broke off goes on where it was once the newest messages are there.
        """
        pair = self._pair(conversation_id)
        if pair is None:
            return False
        is_known = bool(threads.segments(self._store.reading, conversation_id))
        broken_off = self._broken_off.pop(conversation_id, None)
        here = _CatchUp(None, self._catch_up_pages if is_known else 1)
        differed = False
        while here.pages_left:
            try:
                page = await self._messages(pair, here.start)
            except BaseException:
                self._keep_broken_off(conversation_id, broken_off if here.start is None else here)
                raise
            put = await self._put_thread(conversation_id, page, here.start)
            differed = differed or put.differing > 0
            cursor = _cursor_of(page)
            if not page.has_more or cursor in (None, here.start):
                break
            here = _CatchUp(cursor, here.pages_left - 1)
            if put.met_known:
                if broken_off is None or not self._ends_at(conversation_id, broken_off.start):
                    break
                here, broken_off = broken_off, None
        return differed

    async def thread_older(self, conversation_id: ConversationId, before: MessageKey) -> bool:
        """The page before a message: older ones, or what a gap lacks."""
        pair = self._pair(conversation_id)
        if pair is None:
            return False
        stretches = threads.segments(self._store.reading, conversation_id)
        start = next((bottom_of(each) for each in stretches if each.oldest == before), before)
        put = await self._put_thread(conversation_id, await self._messages(pair, start), start)
        return put.differing > 0

    async def campaign(self, campaign_id: CampaignId) -> bool:
        """One campaign's state and counters. An id nobody knows, or what can't be read, is said on its row."""
        now = self._clock()
        try:
            item = await self._client.get_campaign(campaign_id)
        except NotFound as error:
            problem = str(error)
            await self._store.run(lambda db: campaigns.put_problem(db, campaign_id, problem))
            return False
        except BadReply as error:
            if error.raw is None:
                raise
            broken = Broken(error.raw, str(error))
            return await store_page(
                self._store,
                self._clock,
                "campaign",
                (),
                [broken],
                known=lambda db: campaigns.known_problem(db, campaign_id, broken.reason),
                put=lambda db: campaigns.put_problem(db, campaign_id, broken.reason),
                asked_for=campaign_id,
            )
        came, same_at = campaigns.taken_apart(item.raw), self._same_at.get(campaign_id)

        def known(db: apsw.Connection) -> bool | None:
            found = campaigns.known(db, campaign_id, came, now)
            if found is False:
                self._same_at[campaign_id] = now
            return found

        return await store_page(
            self._store,
            self._clock,
            "campaign",
            [campaign_id],
            (),
            known=known,
            put=lambda db: campaigns.put(db, campaign_id, came, now, same_at),
        )

    async def _put_tasks(self, page: Page[Any], asked_at: float) -> bool:
        raws = [item.raw for item in page.items]
        return await store_page(
            self._store,
            self._clock,
            "task",
            [raw["taskId"] for raw in raws],
            page.broken,
            known=lambda db: False if task_store.are_known(db, raws) else None,
            put=lambda db: self._put_current(db, raws, asked_at),
        )

    def _put_current(self, db: apsw.Connection, raws: Sequence[Json], asked_at: float) -> bool:
        """Store tasks, but for those that are from before a change was settled that was asked for later."""
        old = queue.settled_since(db, asked_at, self._clock())
        return bool(task_store.put(db, [raw for raw in raws if raw["taskId"] not in old]))

    async def _put_thread(
        self, conversation_id: ConversationId, page: Page[Any], start: MessageKey | None
    ) -> threads.PagePut:
        raws = [item.raw for item in page.items]
        place: dict[str, Any] = {"start": start, "has_more": page.has_more, "cursor": _cursor_of(page)}
        now = self._clock()
        return await store_page(
            self._store,
            self._clock,
            "message",
            [raw["messageId"] for raw in raws],
            page.broken,
            known=lambda db: threads.known_page(db, conversation_id, raws, **place),
            put=lambda db: threads.put_page(db, conversation_id, raws, **place, now=now),
        )

    async def _finish_sweep(self) -> None:
        """Two whole walks that missed a task, and a read of it, decide that it is gone."""
        met, self._met = self._met, set()
        missing = await self._store.run(lambda db: task_store.finish_sweep(db, met))
        self.swept = True
        for task_id in missing[:MISSING_A_WALK]:
            await self._settle_missing(task_id)

    async def _settle_missing(self, task_id: TaskId) -> None:
        asked_at = self._clock()
        try:
            item = await self._client.get_task(task_id)
        except NotFound:
            await self._store.run(lambda db: task_store.remove(db, task_id))
            return
        except (Refused, BadReply) as error:
            if isinstance(error, ABOUT_HOST):
                raise
            log.warning("a task that two walks missed can't be read: %s", type(error).__name__)
            await self._store.run(lambda db: task_store.is_there(db, task_id))
            return

        def put(db: apsw.Connection) -> None:
            self._put_current(db, [item.raw], asked_at)
            task_store.is_there(db, task_id)

        await self._store.run(put)

    def _keep_broken_off(self, conversation_id: ConversationId, where: "_CatchUp | None") -> None:
        if where is not None:
            self._broken_off[conversation_id] = where

    def _ends_at(self, conversation_id: ConversationId, start: MessageKey | None) -> bool:
        """Whether a stretch still ends where a catch-up was broken off."""
        stretches = threads.segments(self._store.reading, conversation_id)
        return any(not each.complete and bottom_of(each) == start for each in stretches)

    async def _messages(self, pair: tuple[LineId, CustomerId], start: MessageKey | None) -> Page[Any]:
        line_id, customer_id = pair
        if start is None:
            query = MessageQuery(phoneNumberId=line_id, targetPhoneNumberId=customer_id)
        else:
            key = WireKey(messageId=start.message_id, createdAt=UnixMillis(start.created_at))
            query = MessageQuery(phoneNumberId=line_id, targetPhoneNumberId=customer_id, startKey=key)
        return await self._client.get_messages(query)

    def _pair(self, conversation_id: ConversationId) -> tuple[LineId, CustomerId] | None:
        known = conversations.conversation(self._store.reading, conversation_id)
        if known is None or known.line_id is None or known.customer_id is None:
            return None
        return known.line_id, known.customer_id


@dataclass(frozen=True, slots=True)
class _CatchUp:
    """Where a thread is paged back from, and for how many pages yet."""

    start: MessageKey | None
    pages_left: int


def _cursor_of(page: Page[Any]) -> MessageKey | None:
    """What the next page is asked with; its last readable message where the platform doesn't say."""
    said = page.cursor or {}
    each, at = said.get("messageId"), json_access.number(said.get("createdAt"))
    if isinstance(each, str) and each and at is not None:
        return MessageKey(said["createdAt"], MessageId(each))
    raws = (item.raw for item in reversed(page.items))
    return next((threads.key_of(raw) for raw in raws if threads.moment_of(raw) is not None), None)

"""Fetches and stores: one method for each thing that is polled, each a page at a time.

Called by the engine. What a method answers says whether anything differed, which is what the
schedule adapts to.
"""

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

import apsw

from frontdesk.client.client import PlatformClient
from frontdesk.client.errors import NotFound, Refused
from frontdesk.contract.ai_agents import AiAgentQuery
from frontdesk.contract.base import JsonObject
from frontdesk.contract.decode import Broken, Page
from frontdesk.contract.ids import CampaignId, ConversationId, CustomerId, LineId, TaskId
from frontdesk.contract.limits import TASKS_LIMIT_MAX
from frontdesk.contract.messages import MessageKey as WireKey
from frontdesk.contract.messages import MessageQuery
from frontdesk.contract.tasks import TaskQuery
from frontdesk.contract.times import UnixMillis
from frontdesk.store import campaigns, conversations, documents, outbox, tasks, threads
from frontdesk.store.records import Json, MessageKey
from frontdesk.store.store import Store

log = logging.getLogger(__name__)

CATCH_UP_PAGES = 8
"""How many pages back a thread is caught up before what lies between is left as a gap."""

SWEEP = "sweep"
"""Kept: the number of the last whole walk over all tasks."""


class Puller:
    """Polls of one profile. Holds where the walk over all tasks stands."""

    def __init__(self, client: PlatformClient, store: Store, clock: Callable[[], float]):
        self._client = client
        self._store = store
        self._clock = clock
        self._cursor: JsonObject | None = None
        self._cursors_seen: set[str] = set()
        self._sweep: int | None = None
        self.swept = False

    async def tasks_head(self) -> bool:
        """The first page of all tasks."""
        asked_at = self._clock()
        page = await self._client.list_tasks(TaskQuery(limit=TASKS_LIMIT_MAX))
        return await self._put_tasks(page, await self._sweep_number(), asked_at)

    async def tasks_sweep(self) -> bool:
        """The next page of the walk over all tasks; the end of one walk begins another."""
        if self._cursor is None:
            self._sweep = await self._sweep_number() + 1
            self._cursors_seen = set()
        sweep = await self._sweep_number()
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
        differed = await self._put_tasks(page, sweep, asked_at)
        self._cursor = page.cursor if page.has_more else None
        if self._cursor is not None:
            seen = json.dumps(self._cursor, sort_keys=True)
            if seen not in self._cursors_seen:
                self._cursors_seen.add(seen)
                return differed
            self._cursor = None
        elif not page.has_more:
            await self._finish_sweep(sweep)
        # A walk that goes in circles or breaks off has met what it has met; it decides nothing.
        self.swept = True
        return differed

    async def thread_head(self, conversation_id: ConversationId) -> bool:
        """The newest messages of a thread, paged back until they meet what is known."""
        pair = self._pair(conversation_id)
        if pair is None:
            return False
        start: MessageKey | None = None
        first_time = not threads.segments(self._store.reading, conversation_id)
        differed = False
        for _ in range(1 if first_time else CATCH_UP_PAGES):
            page = await self._messages(pair, start)
            put = await self._put_thread(conversation_id, page, start)
            differed = differed or put.differing > 0
            if put.met_known or not page.has_more or not page.items:
                break
            start = threads.key_of(page.items[-1].raw)
        return differed

    async def thread_older(self, conversation_id: ConversationId, start: MessageKey) -> bool:
        """The page before a message: older ones, or what a gap lacks."""
        pair = self._pair(conversation_id)
        if pair is None:
            return False
        page = await self._messages(pair, start)
        put = await self._put_thread(conversation_id, page, start)
        return put.differing > 0

    async def campaign(self, campaign_id: CampaignId) -> bool:
        """One campaign's state and counters. An id nobody knows is said on its row."""
        now = self._clock()
        try:
            item = await self._client.get_campaign(campaign_id)
        except NotFound as error:
            problem = str(error)
            await self._store.run(lambda db: campaigns.put_problem(db, campaign_id, problem))
            return False
        return await self._store.run(lambda db: campaigns.put(db, campaign_id, item.raw, now))

    async def workflows(self) -> bool:
        """The workflow list, minimal."""
        page = await self._client.list_workflows(minimal=True)
        return await self._put_documents(documents.WORKFLOW, page)

    async def ai_agents(self) -> bool:
        """The AI agents, all pages."""
        raws: list[Json] = []
        broken: list[Broken] = []
        async for page in self._client.iter_ai_agent_pages(AiAgentQuery(flat=True)):
            raws += [item.raw for item in page.items]
            broken += page.broken
        await self._report(documents.AI_AGENT, broken)
        return await self._store.run(lambda db: documents.replace_all(db, documents.AI_AGENT, raws))

    async def _put_tasks(self, page: Page[Any], sweep: int, asked_at: float) -> bool:
        await self._report("task", page.broken)
        raws = [item.raw for item in page.items]

        def put(db: apsw.Connection) -> bool:
            # A page that was asked for before a change was settled may show the task from before it.
            old = outbox.settled_since(db, asked_at, self._clock())
            return bool(tasks.put(db, [raw for raw in raws if raw["taskId"] not in old], sweep))

        return await self._store.run(put)

    async def _put_documents(self, kind: str, page: Page[Any]) -> bool:
        await self._report(kind, page.broken)
        raws = [item.raw for item in page.items]
        return await self._store.run(lambda db: documents.replace_all(db, kind, raws))

    async def _put_thread(
        self, conversation_id: ConversationId, page: Page[Any], start: MessageKey | None
    ) -> threads.PagePut:
        await self._report("message", page.broken)
        raws = [item.raw for item in page.items]
        now = self._clock()
        return await self._store.run(
            lambda db: threads.put_page(db, conversation_id, raws, start=start, has_more=page.has_more, now=now)
        )

    async def _finish_sweep(self, sweep: int) -> None:
        """Two whole walks that missed a task, and a read of it, decide that it is gone."""

        def finish(db: apsw.Connection) -> list[TaskId]:
            outbox.keep(db, SWEEP, SWEEP, sweep, self._clock())
            return tasks.finish_sweep(db, sweep)

        missing = await self._store.run(finish)
        self.swept = True
        for task_id in missing:
            await self._settle_missing(task_id, sweep)

    async def _settle_missing(self, task_id: TaskId, sweep: int) -> None:
        try:
            item = await self._client.get_task(task_id)
        except NotFound:
            await self._store.run(lambda db: tasks.remove(db, task_id))
            return
        except Refused as error:
            log.warning("a task that two walks missed can't be read: %s", type(error).__name__)
            return
        await self._store.run(lambda db: tasks.put(db, [item.raw], sweep))

    async def _sweep_number(self) -> int:
        if self._sweep is None:
            kept = outbox.kept(self._store.reading, SWEEP, SWEEP)
            self._sweep = kept if isinstance(kept, int) else 0
        return self._sweep

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

    async def _report(self, kind: str, broken: Sequence[Broken]) -> None:
        """Keep what couldn't be read, with its JSON, for a person to look at."""
        if not broken:
            return
        now = self._clock()

        def keep(db: apsw.Connection) -> None:
            for each in broken:
                raw = json.dumps(each.raw, ensure_ascii=False, default=str)
                db.execute(
                    "INSERT OR IGNORE INTO broken VALUES (?, ?, ?, ?, ?)",
                    (kind, raw[:200], raw, each.reason, now),
                )

        await self._store.run(keep)

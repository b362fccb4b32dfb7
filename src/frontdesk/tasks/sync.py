"""Fetch and store tasks: the first page, the walk over all, and the pages of a filter.

Methods return whether anything differed; the schedule adapts to that.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed, clients
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import item_id, store_page
from frontdesk.storage.records import Json
from frontdesk.sync.observations import Observe, observe_nothing
from frontdesk.tasks import history, task_filter
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk.tasks.observations import observed_gone, observed_tasks
from frontdesk.tasks.task_filter import FilterProgress, Scope
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ABOUT_HOST, BadReply, BadRequestInput, NotFound, Refused, ReplyTooLarge
from frontdesk_api.client.replies import PageLimit
from frontdesk_api.contract.base import MAX_TASKS_LIMIT, JsonObject
from frontdesk_api.contract.decode import Page
from frontdesk_api.contract.ids import AgentId, ConversationId, LineId, TaskId
from frontdesk_api.contract.tasks import TaskQuery

log = logging.getLogger(__name__)

KEEP_READS_SECONDS, READS_AT_ONCE = 600.0, 1_000
"""So often, in parts of so many, the times of the last reads are stored, and when the engine ends: what a history
says is that much less exact after a kill."""

FIRST_PAGE_SECONDS = 10.0
"""Maximum age of the first page with which a walk begins, so that it goes on with the second one."""

MAX_MISSING_READS = 5
"""So many of the tasks that walks missed are read after one, and the others after the next: the first
page of all waits meanwhile."""


class _Asked(NamedTuple):
    """A request: its Unix seconds, the position of the change feed then, and its number."""

    at: float
    position: int
    number: int


@dataclass(frozen=True, slots=True)
class _FirstPage:
    """The tasks that the first page of all had, and where the second one begins."""

    asked_at: float
    met: frozenset[TaskId]
    cursor: JsonObject | None


class TaskPuller:
    """The reads of one profile's tasks; keeps the position of the walk over all.

    Attributes:
        swept: whether one walk is complete.
        walk_pages: the requests of the last whole walk; 0 if unknown, and then the next one begins with the first
            page.
    """

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        clock: Callable[[], float],
        observe: Observe = observe_nothing,
    ):
        self._client = client
        self._store = store
        self._clock = clock
        self._observe = observe
        self._cursor: JsonObject | None = None
        self._cursors_seen: set[str] = set()
        self._met: set[TaskId] = set()
        self._walk_requests, self._first_page = 0, _FirstPage(float("-inf"), frozenset(), None)
        self._requests = count(1)
        self._last_asked: dict[str, _Asked] = {}
        self._reads_kept_at, self._kept_number = clock(), 0
        self._writing: asyncio.Future[bool] | None = None
        self._head_limit, self._walk_limit = PageLimit(MAX_TASKS_LIMIT), PageLimit(MAX_TASKS_LIMIT)
        self.swept, self.walk_pages = False, 0

    async def tasks_head(self) -> bool:
        asked = self._asked_now()
        page = await self._head_limit.fetch(TaskQuery(limit=MAX_TASKS_LIMIT), self._client.list_tasks)
        differed = await self._put_tasks(page, asked)
        self._first_page = _FirstPage(asked.at, _met(page), page.cursor if page.has_more else None)
        return differed

    async def tasks_page(self, query: TaskQuery, limit: PageLimit) -> tuple[bool, Page[Any]]:
        """Fetch and store a page of some tasks; it decides nothing about the others."""
        asked = self._asked_now()
        page = await limit.fetch(query, self._client.list_tasks)
        return await self._put_tasks(page, asked), page

    async def tasks_sweep(self) -> bool:
        """Fetch the next page of the walk over all tasks; after the last one the walk starts again."""
        if self._cursor is None:
            self._cursors_seen, self._met, self._walk_requests = set(), set(), 0
            if self.walk_pages and 0 <= self._clock() - self._first_page.asked_at < FIRST_PAGE_SECONDS:
                self._cursor, self._met = self._first_page.cursor, set(self._first_page.met)
        self._walk_requests += 1
        query = TaskQuery(limit=MAX_TASKS_LIMIT)
        if self._cursor is not None:
            query = TaskQuery(limit=MAX_TASKS_LIMIT, lastEvaluatedKey=self._cursor)
        asked = self._asked_now()
        try:
            page = await self._walk_limit.fetch(query, self._client.list_tasks)
        except Refused:
            # A cursor may have expired: the next walk begins at the start.
            self._cursor, self.walk_pages = None, 0
            raise
        differed = await self._write_in_background(self._put_tasks(page, asked))
        self._met |= _met(page)
        self._cursor = page.cursor if page.has_more else None
        if self._cursor is not None:
            seen = json.dumps(self._cursor, sort_keys=True)
            if seen not in self._cursors_seen:
                self._cursors_seen.add(seen)
                return differed
            self._cursor = None
        before, self._writing = self._writing, None
        await self._await_write(before)
        if not page.has_more:
            self.walk_pages = self._walk_requests
            await self._finish_sweep()
        # A walk that goes in circles or breaks off has met what it has met; it decides nothing.
        self.swept = True
        return differed

    async def _write_in_background(self, put: Coroutine[Any, Any, bool]) -> bool:
        """Write a page while the next one is fetched, until all tasks were walked once."""
        if self.swept:
            return await put
        before, self._writing = self._writing, asyncio.ensure_future(put)
        # If polling ends before the next page, nobody awaits this one any more.
        self._writing.add_done_callback(lambda written: written.cancelled() or written.exception())
        await self._await_write(before)
        return True

    async def _await_write(self, writing: asyncio.Future[bool] | None) -> None:
        """Wait for the page that is being written; a failed one is fetched again."""
        if writing is None:
            return
        try:
            await writing
        except BaseException:
            self._cursor = None
            raise

    def _asked_now(self) -> _Asked:
        return _Asked(self._clock(), change_feed.position(self._store.reading), next(self._requests))

    async def _put_tasks(self, page: Page[Any], asked: _Asked) -> bool:
        raws = [item.raw for item in page.items]
        differed = await store_page(
            self._store,
            self._clock,
            "task",
            [raw["taskId"] for raw in raws],
            page.broken,
            find_unchanged=lambda db: False if task_store.are_known(db, raws) else None,
            put=lambda db: self._put_current(db, raws, asked),
        )
        self._note_asked(raws, asked)
        if not 0 <= self._clock() - self._reads_kept_at < KEEP_READS_SECONDS:
            await self.keep_reads()
        self._observe(observed_tasks(raws, asked.at))
        return differed

    def _put_current(self, db: apsw.Connection, raws: Sequence[Json], asked: _Asked) -> bool:
        """Store tasks except those requested before a change of them was confirmed, or before their last read."""
        last = {each: self._last_asked[each] for raw in raws if (each := str(raw["taskId"])) in self._last_asked}
        old = queue.settled_since(db, asked.position) | {
            each for each, before in last.items() if before.number > asked.number
        }
        seen = Seen(asked.at, self._clock(), {each: before.at for each, before in last.items()})
        # Here already, so that an older answer, whose write waits behind this one, is known as such.
        self._note_asked(raws, asked)
        return bool(task_store.put(db, [raw for raw in raws if raw["taskId"] not in old], seen))

    def _note_asked(self, raws: Sequence[Json], asked: _Asked) -> None:
        for task_id in (str(raw["taskId"]) for raw in raws):
            if self._last_asked.get(task_id, asked).number <= asked.number:
                self._last_asked[task_id] = asked

    async def keep_reads(self) -> None:
        """Store when tasks were requested since the last time: the history's next start begins there."""
        self._reads_kept_at = self._clock()
        kept = self._kept_number
        self._kept_number = max((each.number for each in self._last_asked.values()), default=kept)
        fresh = [(each, last.at) for each, last in self._last_asked.items() if last.number > kept]
        for start in range(0, len(fresh), READS_AT_ONCE):
            part = dict(fresh[start : start + READS_AT_ONCE])
            await self._store.run(lambda db, part=part: history.note_reads(db, part))  # type: ignore[misc]

    async def _finish_sweep(self) -> None:
        """Delete tasks that two whole walks missed and that a read doesn't find."""
        met, self._met = self._met, set()

        def finish(db: apsw.Connection) -> Sequence[TaskId]:
            note_listed(db)
            return task_store.finish_sweep(db, met)

        missing = await self._store.run(finish)
        self.swept = True
        for task_id in missing[:MAX_MISSING_READS]:
            await self._resolve_missing(task_id)

    async def _resolve_missing(self, task_id: TaskId) -> None:
        asked = self._asked_now()
        try:
            item = await self._client.get_task(task_id)
        except NotFound:
            gone = observed_gone(self._store.reading, task_id, asked.at)
            await self._store.run(lambda db: task_store.remove(db, task_id))
            self._last_asked.pop(task_id, None)
            self._observe(gone)
            return
        except (Refused, BadReply) as error:
            if isinstance(error, ABOUT_HOST):
                raise
            log.warning("can't load a task that two listings left out: %s", type(error).__name__)
            await self._store.run(lambda db: task_store.reset_misses(db, task_id))
            return

        def put(db: apsw.Connection) -> None:
            self._put_current(db, [item.raw], asked)
            task_store.reset_misses(db, task_id)

        await self._store.run(put)
        self._observe(observed_tasks([item.raw], asked.at))


def _met(page: Page[Any]) -> frozenset[TaskId]:
    """Return the ids of a page's tasks; what came and couldn't be read is there all the same."""
    broken = (item_id("task", each.raw) for each in page.broken)
    return frozenset(map(TaskId, (*(item.raw["taskId"] for item in page.items), *broken)))


MAX_PAGES = 10
"""So many pages of a filter are read at once; what is beyond comes with the walk over all tasks."""


@dataclass
class _FilterWalk:
    """The progress of the first walk through the pages of a filter."""

    cursor: JsonObject | None = None
    pages: int = 0
    seen: set[str] = field(default_factory=set)


class FilteredTasks:
    """The filters of open boards.

    Attributes:
        walked: keys of those that are complete, or of which the first pages were read.
        refused: keys of those that the platform refuses.
    """

    def __init__(self, pull: TaskPuller, store: Store, clock: Callable[[], float]):
        self._pull = pull
        self._store = store
        self._clock = clock
        self._walks: dict[str, _FilterWalk] = {}
        self._limits: dict[str, PageLimit] = {}
        self._complete: set[str] = set()
        self.walked: set[str] = set()
        self.refused: set[str] = set()

    async def next_page(self, scope: Scope) -> bool:
        """Fetch the next page of a filter until all is known, then its first; return whether anything differed."""
        walk = None
        if not self._pull.swept and scope.key not in self.walked:
            walk = self._walks.setdefault(scope.key, _FilterWalk())
        try:
            query = query_for(scope, None if walk is None else walk.cursor)
            limit = self._limit_of(scope)
            differed, page = await self._pull.tasks_page(query, limit)
        except ReplyTooLarge as error:
            await self._note(scope, FilterProgress(problem=error.problem))
            raise
        except (Refused, BadRequestInput) as error:
            if isinstance(error, ABOUT_HOST):
                raise
            self._walks.pop(scope.key, None)
            if walk is not None and walk.cursor is not None:
                # A cursor may have expired, which says nothing of the filter: what is beyond comes with the
                # walk over all tasks.
                self.walked.add(scope.key)
            else:
                self.refused.add(scope.key)
                await self._note(scope, FilterProgress(problem=str(error)))
            raise
        self.refused.discard(scope.key)
        cursor = page.cursor if page.has_more else None
        if walk is not None:
            walk.cursor, walk.pages = cursor, walk.pages + 1
            name = json.dumps(cursor, sort_keys=True)
            goes_round = name in walk.seen
            walk.seen.add(name)
            if cursor is None or goes_round or walk.pages >= MAX_PAGES:
                del self._walks[scope.key]
                self.walked.add(scope.key)
        if cursor is None or self._pull.swept:
            self._complete.add(scope.key)
        await self._note(scope, FilterProgress(complete=scope.key in self._complete))
        return differed

    def _limit_of(self, scope: Scope) -> PageLimit:
        """Return the limit of a filter's pages; those of filters that no board shows any more are dropped."""
        if scope.key not in self._limits:
            shown = {each.tasks_of for each in clients.open_screens(self._store.reading, self._clock())}
            self._limits = {key: limit for key, limit in self._limits.items() if key in shown}
            self._limits[scope.key] = PageLimit(MAX_TASKS_LIMIT)
        return self._limits[scope.key]

    async def _note(self, scope: Scope, progress: FilterProgress) -> None:
        """Store the progress where it differs, since each write wakes the screens."""
        if task_filter.progress_of(self._store.reading, scope) != progress:
            now = self._clock()
            await self._store.run(lambda db: task_filter.put_progress(db, scope, progress, now))


def query_for(scope: Scope, cursor: JsonObject | None) -> TaskQuery:
    """Build the request for a page of a scope (docs/interface.md, List tasks)."""
    asked: dict[str, object] = {"limit": MAX_TASKS_LIMIT}
    if scope.line_id:
        asked["phoneNumberId"] = LineId(scope.line_id)
    if scope.agent_id:
        asked["agentId"] = AgentId(scope.agent_id)
    if scope.conversation_id:
        asked["participantsIdentifiers"] = ConversationId(scope.conversation_id)
    if cursor is not None:
        asked["lastEvaluatedKey"] = cursor
    return TaskQuery.model_validate(asked)

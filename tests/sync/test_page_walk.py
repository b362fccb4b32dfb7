"""The walk over all tasks: pages are written behind at first, and none of them is lost."""

import asyncio
import gc
from typing import Any

import apsw
import pytest

from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.sync import FIRST_PAGE_SECONDS, MAX_MISSING_READS, TaskPuller
from frontdesk_api.client.errors import ApiError, BadReply, NotFound, RateLimited, Refused
from frontdesk_api.contract.decode import Broken, Item, Page
from frontdesk_api.contract.ids import TaskId
from frontdesk_api.contract.tasks import Task, TaskQuery
from sample_json import raw_task
from sync.running_engine import run


class Platform:
    """Pages of two tasks each."""

    def __init__(self, count: int):
        self.raws = [raw_task(number) for number in range(count)]
        self.asked: list[int] = []
        self.broken: list[Broken] = []
        self.refused = -1
        self.says: ApiError = NotFound("no such task", status=404)

    async def get_task(self, task_id: TaskId) -> Item[Task]:
        raise self.says

    async def list_tasks(self, query: TaskQuery) -> Page[Task]:
        at = (query.lastEvaluatedKey or {}).get("at", 0)
        assert isinstance(at, int)
        self.asked.append(at)
        if at == self.refused:
            raise Refused("the cursor has expired", status=400)
        items = [Item(Task.model_validate(raw), raw) for raw in self.raws[at : at + 2]]
        more = at + 2 < len(self.raws)
        return Page(
            items=tuple(items), broken=tuple(self.broken), cursor={"at": at + 2} if more else None, has_more=more
        )


def test_the_first_walk_stores_every_page_before_it_says_that_all_was_walked(store: Store) -> None:
    async def test() -> None:
        platform = Platform(7)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        while not puller.swept:
            await puller.tasks_sweep()
        assert task_store.counts_by_status(store.reading) == {"open": 7}
        assert platform.asked == [0, 2, 4, 6]

    run(test)


def test_a_page_that_could_not_be_written_after_polling_has_ended_is_no_error_of_the_loop(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(db: apsw.Connection, raws: Any, seen: Any) -> Any:
        raise apsw.FullError("disk full")

    async def test() -> None:
        problems: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
        monkeypatch.setattr(task_store, "put", fail)
        puller = TaskPuller(Platform(7), store, lambda: 1.0)  # type: ignore[arg-type]
        await puller.tasks_sweep()
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})  # it retrieves no error
        await store.run(lambda _db: None)  # the writer forgets the job that failed
        del puller
        gc.collect()
        assert problems == []

    run(test)


def test_a_page_that_could_not_be_written_is_walked_to_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [apsw.FullError("disk full")]
    put = task_store.put

    def fail_once(db: apsw.Connection, raws: Any, seen: Any) -> Any:
        if failures and any(raw["taskId"] == "t2" for raw in raws):
            raise failures.pop()
        return put(db, raws, seen)

    async def test() -> None:
        platform = Platform(7)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        monkeypatch.setattr(task_store, "put", fail_once)
        failed = 0
        while not puller.swept:
            try:
                await puller.tasks_sweep()
            except Exception:
                failed += 1
        assert failed == 1
        assert task_store.counts_by_status(store.reading) == {"open": 7}

    run(test)


def test_what_two_walks_missed_is_asked_for_and_a_429_there_is_the_hosts(store: Store) -> None:
    async def walk(puller: TaskPuller) -> None:
        puller.swept = False
        while not puller.swept:
            await puller.tasks_sweep()

    async def test() -> None:
        platform = Platform(5)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        db = store.reading
        await walk(puller)
        del platform.raws[1]
        await walk(puller)
        assert record_lookup.task(db, TaskId("t1")), "pages shift while they are walked: one miss means nothing"
        platform.says = RateLimited("slower", status=429)
        with pytest.raises(RateLimited):
            await walk(puller)
        assert record_lookup.task(db, TaskId("t1"))
        platform.says = NotFound("no such task", status=404)
        await walk(puller)
        assert record_lookup.task(db, TaskId("t1")) is None

    run(test)


def test_a_task_that_came_broken_is_there_and_few_missing_ones_are_read_a_walk(store: Store) -> None:
    async def walk(puller: TaskPuller) -> None:
        puller.swept = False
        while not puller.swept:
            await puller.tasks_sweep()

    async def test() -> None:
        platform = Platform(MAX_MISSING_READS + 4)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        db = store.reading
        await walk(puller)
        platform.broken = [Broken({"taskId": "t0", "title": 7}, "no title")]
        del platform.raws[1:]
        platform.raws[0] = raw_task(99)
        for _ in range(2):
            await walk(puller)
        assert task_store.counts_by_status(db) == {"open": 5}, (
            "t0 is kept, so is t99, and three wait for the next walk"
        )
        await walk(puller)
        assert task_store.counts_by_status(db) == {"open": 2}

    run(test)


def test_a_missed_task_whose_read_fails_otherwise_ends_no_walk(store: Store) -> None:
    async def test() -> None:
        platform = Platform(3)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        platform.says = BadReply("not JSON")
        for raws in (platform.raws, platform.raws[:1], platform.raws[:1]):
            platform.raws, puller.swept = raws, False
            while not puller.swept:
                await puller.tasks_sweep()
        assert task_store.counts_by_status(store.reading) == {"open": 3}

    run(test)


def test_a_walk_goes_on_from_a_first_page_that_was_just_read(store: Store) -> None:
    async def test() -> None:
        now = 1.0
        platform = Platform(7)
        puller = TaskPuller(platform, store, lambda: now)  # type: ignore[arg-type]

        async def walk() -> list[int]:
            platform.asked.clear()
            puller.swept = False
            while not puller.swept:
                await puller.tasks_sweep()
            return list(platform.asked)

        await puller.tasks_head()
        assert await walk() == [0, 2, 4, 6], "the first walk meets everything itself"
        assert puller.walk_pages == 4
        assert await walk() == [2, 4, 6]
        assert puller.walk_pages == 3
        now += FIRST_PAGE_SECONDS
        assert await walk() == [0, 2, 4, 6], "the first page is too old"

    run(test)


def test_the_tasks_of_the_first_page_are_not_missed_by_a_walk_that_goes_on_from_it(store: Store) -> None:
    async def test() -> None:
        platform = Platform(5)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        for _ in range(4):
            puller.swept = False
            while not puller.swept:
                await puller.tasks_sweep()
            await puller.tasks_head()
        assert task_store.counts_by_status(store.reading) == {"open": 5}

    run(test)


def test_after_a_refused_cursor_the_walk_begins_at_the_start(store: Store) -> None:
    async def test() -> None:
        platform = Platform(7)
        puller = TaskPuller(platform, store, lambda: 1.0)  # type: ignore[arg-type]
        while not puller.swept:
            await puller.tasks_sweep()
        await puller.tasks_head()
        platform.refused = 2
        with pytest.raises(Refused):
            await puller.tasks_sweep()
        assert puller.walk_pages == 0
        await puller.tasks_sweep()
        assert platform.asked[-2:] == [2, 0]

    run(test)

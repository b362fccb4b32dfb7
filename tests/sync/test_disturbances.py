"""The engine over sleeping machines, clocks set back, hanging hosts, throttling, a full disk and faults of
its own."""

import asyncio
from concurrent.futures import Future
from typing import Any

import apsw
import pytest

from frontdesk.config.settings import Settings
from frontdesk.engine.main import make_budget
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import threads as thread_store
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue
from frontdesk.outbox.bulk import REQUEST_PACE
from frontdesk.outbox.queue import ChangeState
from frontdesk.storage import change_feed, clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, ConversationOrder, Health, MessagePosition
from frontdesk.sync.scheduler import DuePoll, Job, PollKind
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId, StatusId, TaskId
from sandbox.asking import Sandbox
from sync.running_engine import Clocks, Start, Works, run

pytestmark = pytest.mark.slow

DONE = StatusId("completed")
MESSAGES, TASKS = "/getMessages", "/tasks/list"


def open_a_thread(it: Works) -> ConversationId:
    here = conversation_store.ids(it.services.store.reading, ConversationOrder.NAME)[0]
    it.services.sync.report_focus(Focus("inbox", here, active_at=it.services.store.clock()))
    return here


def an_open_task(it: Works) -> TaskId:
    (task_id,) = task_store.ids_of_status(it.services.store.reading, StatusId("open"), 1)
    return task_id


async def settled(it: Works) -> None:
    """Everything was read, and while the clock stands nothing is due: the open thread was read as well."""
    await it.until(lambda: it.engine.has_read_all)
    open_a_thread(it)
    await quiet(it)


async def quiet(it: Works) -> None:
    """No request comes while the store is asked many times."""
    number = -1
    while number != len(it.line.seen):
        number = len(it.line.seen)
        for _ in range(40):
            await asyncio.sleep(0.005)
            await asyncio.to_thread(lambda: it.store.write(lambda _: None).result())


def test_after_a_sleep_of_eight_hours_each_wanted_thing_is_read_once_the_open_thread_first(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = Clocks()
    now = clocks.stand()
    begun: list[Job] = []

    async def story() -> None:
        async with works(clocks=clocks, is_filled=True) as it:
            await settled(it)
            number = len(it.line.seen)
            poll = it.engine.poller.poll

            async def note(due: DuePoll, *arguments: Any, **options: Any) -> None:
                begun.append(due.job)
                await poll(due, *arguments, **options)

            monkeypatch.setattr(it.engine.poller, "poll", note)
            clocks.stand(now + 8 * 3600)
            await it.until(lambda: len(it.line.paths(number)) >= 4)
            await quiet(it)
            asked = it.line.paths(number)
            assert begun[0].kind is PollKind.THREAD, "what a person looks at comes first"
            assert len(begun) == len(set(begun)), "each once"
            threads = asked.pop(MESSAGES)
            assert threads == sum(each.kind in (PollKind.THREAD, PollKind.THREAD_BEHIND) for each in begun)
            assert max(asked.values()) <= 2, "the first page of tasks, and a page of the walk"
            assert sum(asked.values()) <= 9

    run(story)


def test_after_a_sleep_nobody_waits_for_a_backoff_of_before(works: Start) -> None:
    clocks = Clocks()
    now = clocks.stand()

    async def story() -> None:
        async with works(clocks=clocks, is_filled=True) as it:
            await settled(it)
            it.line.is_cut = True
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.OFFLINE)
            it.line.is_cut = False
            clocks.stand(now + 31)
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)

    run(story)


def test_a_clock_set_back_makes_everything_due_and_holds_no_change_for_hours(works: Start) -> None:
    clocks = Clocks()
    now = clocks.stand()

    async def story() -> None:
        async with works(clocks=clocks, is_filled=True) as it:
            await settled(it)
            task_id = an_open_task(it)
            it.services.tasks.set_status([task_id], DONE).result()
            number = len(it.line.seen)
            clocks.stand(now - 7200)
            await it.until(lambda: it.line.paths(number)[TASKS] >= 2)
            assert any(path == MESSAGES for path in it.line.paths(number)), "the thread is looked at still"
            clocks.go_on(10)
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            health = clients.health(it.services.store.reading)
            assert health.fresh_at is not None
            assert health.fresh_at <= clocks.wall()
            assert it.line.count("PATCH") == 1

    run(story)


def test_a_clock_set_ahead_takes_no_time_from_a_change_that_may_still_arrive(works: Start) -> None:
    clocks = Clocks()
    now = clocks.stand()

    async def story() -> None:
        async with works(clocks=clocks, is_filled=True) as it:
            await settled(it)
            task_id = an_open_task(it)
            it.line.loses_answers_to = "PATCH"
            it.services.tasks.set_status([task_id], DONE).result()
            clocks.go_on(10)
            await it.until(lambda: queue.recent(it.store.reading, 1)[0].state is ChangeState.UNKNOWN)
            clocks.stand(now + 3600)
            await quiet(it)
            assert queue.recent(it.store.reading, 1)[0].state is ChangeState.UNKNOWN
            clocks.go_on(60)
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            assert it.line.count("PATCH") == 1

    run(story)


def test_a_change_of_the_future_is_sent_although_the_clock_was_set_back_while_nothing_ran(works: Start) -> None:
    clocks = Clocks()
    now = clocks.stand()

    async def story() -> None:
        async with works(clocks=clocks) as it:
            await it.until(lambda: it.engine.has_read_all)
            it.engine.stop()
            task_id = an_open_task(it)
            await it.until(lambda: it.engine._stopping.is_set())
            clocks.stand(now + 86_400)
            it.services.tasks.set_status([task_id], DONE).result()
        clocks.stand(now)
        async with works(clocks=clocks) as it:
            await quiet(it)
            clocks.go_on(10)
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)

    run(story)


def test_a_host_that_hangs_holds_up_no_other(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            it.line.hangs_at = MESSAGES
            await it.until(
                lambda: it.line.paths()[TASKS] >= 2 and conversation_store.count(it.services.store.reading)
            )
            open_a_thread(it)
            number = len(it.line.seen)
            it.services.sync.request_refresh()
            await it.until(lambda: it.line.paths(number)[TASKS] >= 1)
            it.services.sync.request_refresh()
            await it.until(lambda: it.line.paths(number)[TASKS] >= 3)

    run(story)


def test_a_poll_that_fails_through_our_own_fault_neither_spins_nor_keeps_the_others(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[float] = []

    async def story() -> None:
        async with works() as it:

            async def faulty() -> bool:
                failed.append(it.services.store.clock())
                raise KeyError("a fault of ours")

            monkeypatch.setattr(it.engine._resources.tasks, "tasks_head", faulty)
            monkeypatch.setattr(it.engine._resources.documents, "workflows", faulty)
            await it.until(lambda: any("agents" in path for path in it.line.paths()))
            await it.until(lambda: len(failed) == 2)
            number = len(it.line.seen)
            it.services.sync.report_focus(Focus("agents", active_at=it.services.store.clock()))
            it.services.sync.request_refresh("ai agents")
            await it.until(lambda: len(it.line.seen) > number)
            assert len(failed) == 2
            assert clients.health(it.services.store.reading).state is Connection.LIVE

    run(story)


def test_what_is_asked_for_during_another_answer_does_not_wait_for_the_next_minute(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wake-up that comes while a step runs is not lost."""

    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            begun, go_on = asyncio.Event(), asyncio.Event()

            async def slow(*_: object) -> bool:
                begun.set()
                await go_on.wait()
                return False

            monkeypatch.setattr(it.engine._resources.threads, "thread_older", slow)
            here = conversation_store.ids(it.services.store.reading, ConversationOrder.NAME)[0]
            it.services.sync.request_older(here, MessagePosition(1.0, "m"))  # type: ignore[arg-type]
            await it.until(begun.is_set)
            asked = it.services.sync.request_refresh().result()
            for _ in range(3):
                await quiet(it)
            go_on.set()
            await it.until(
                lambda: (
                    (ask := clients.request_by_id(it.services.store.reading, asked)) is not None
                    and ask.state == "done"
                )
            )

    run(story)


def test_a_429_keeps_an_ask_open_and_is_obeyed_and_halves_what_is_spent(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            full = it.engine.poller.budget.per_minute
            here = open_a_thread(it)
            (stretch,) = thread_store.segments(it.services.store.reading, here)
            fault = {
                "path": MESSAGES,
                "kind": "status",
                "status": 429,
                "headers": {"Retry-After": "2"},
                "times": 1,
            }
            await asyncio.to_thread(sandbox.put, "/sandbox/faults", [fault])
            asked = it.services.sync.request_older(here, stretch.oldest).result()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.THROTTLED)
            assert it.engine.poller.budget.per_minute < 0.6 * full
            await it.until(
                lambda: (
                    (ask := clients.request_by_id(it.services.store.reading, asked)) is not None
                    and ask.state == "done"
                )
            )
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)

    run(story)


def test_a_host_that_asks_for_ten_minutes_is_named_and_a_refresh_tries_it(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            fault = {"path": TASKS, "kind": "status", "status": 429, "headers": {"Retry-After": "600"}}
            await asyncio.to_thread(sandbox.put, "/sandbox/faults", [fault | {"times": 1}])
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.store.reading).state is Connection.ASKED_TO_WAIT)
            health = clients.health(it.store.reading)
            assert health.reason == "127.0.0.1:1"
            assert health.retry_at is not None
            assert health.retry_at - it.services.store.clock() > 500
            number = len(it.line.seen)
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.store.reading).state is Connection.LIVE)
            assert it.line.paths(number)[TASKS] >= 1

    run(story)


def test_a_full_disk_is_waited_out_without_spending_requests(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            write = Store.write
            refused: list[int] = []

            def full(store: Store, job: Any) -> "Future[Any]":
                refused.append(1)
                failed: Future[Any] = Future()
                failed.set_exception(apsw.FullError("database or disk is full"))
                return failed

            number = len(it.line.seen)
            monkeypatch.setattr(Store, "write", full)
            while len(refused) < 4:  # noqa: ASYNC110 - the store, through which else is waited, is full
                await asyncio.sleep(0.01)
            assert len(it.line.seen) - number <= 8, "what can't be kept is not fetched again and again"
            monkeypatch.setattr(Store, "write", write)
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE, 50)
            number = len(it.line.seen)
            await it.until(lambda: it.line.paths(number)[TASKS] >= 1, 50)

    run(story)


def test_a_clock_set_ahead_and_back_while_the_disk_is_full_is_noticed_both_times(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = Clocks()
    now = clocks.stand()
    noticed: list[str] = []

    async def story() -> None:
        async with works(clocks=clocks, is_filled=True) as it:
            await settled(it)
            monkeypatch.setattr(it.engine.poller, "resume_after_sleep", lambda: noticed.append("ahead"))
            monkeypatch.setattr(it.engine.poller, "adjust_to_clock", lambda by: noticed.append(f"back {by:.0f}"))

            def full(store: Store, job: Any) -> "Future[Any]":
                failed: Future[Any] = Future()
                failed.set_exception(apsw.FullError("database or disk is full"))
                return failed

            with monkeypatch.context() as patched:
                patched.setattr(Store, "write", full)
                async with asyncio.timeout(50):
                    for seconds, times in ((3600, 1), (0, 2)):
                        clocks.stand(now + seconds)
                        while len(noticed) < times:  # noqa: ASYNC110 - the store, through which else is waited, is full
                            await asyncio.sleep(0.01)
            assert noticed == ["ahead", "back 3600"]

    run(story)


def test_a_store_that_cannot_be_written_is_said_where_it_can_be(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:

            async def full(*_: object) -> bool:
                raise apsw.FullError("database or disk is full")

            await it.until(lambda: it.engine.has_read_all)
            open_a_thread(it)
            monkeypatch.setattr(it.engine._resources.threads, "thread_head", full)
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.STUCK)
            assert "full" in clients.health(it.services.store.reading).reason

    run(story)


def test_the_engine_says_that_it_lives_and_no_screen_paints_for_it(works: Start) -> None:
    clocks = Clocks()
    now = clocks.stand()

    async def story() -> None:
        async with works(clocks=clocks, is_filled=True) as it:
            await settled(it)
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)
            position = change_feed.position(it.store.reading)
            clocks.stand(now + 1)  # after a longer time the open thread is late until it is read, and says so
            it.engine._heartbeat_at = float("-inf")
            it.engine._wake()
            await it.until(lambda: clients.health(it.services.store.reading).heard_at == now + 1)
            _, events = change_feed.since(it.store.reading, position)
            assert change_feed.HEALTH not in {event.kind for event in events}

    run(story)


def test_a_new_engine_goes_on_with_the_age_of_what_is_shown(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await it.until(lambda: clients.health(it.services.store.reading).fresh_at)
            fresh_at = clients.health(it.services.store.reading).fresh_at
        async with works() as it:
            it.line.is_cut = True
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.OFFLINE)
            health = clients.health(it.services.store.reading)
            assert health.fresh_at is not None
            assert fresh_at is not None
            assert health.fresh_at >= fresh_at

    run(story)


def test_a_beat_moves_the_age_and_tells_nobody(store: Store) -> None:
    store.write(lambda db: clients.write_health(db, Health(Connection.LIVE, fresh_at=1.0, heard_at=1.0))).result()
    position = change_feed.position(store.reading)
    store.write(lambda db: clients.write_heartbeat(db, 5.0, 6.0)).result()
    assert clients.health(store.reading) == Health(Connection.LIVE, fresh_at=5.0, heard_at=6.0)
    store.write(lambda db: clients.write_heartbeat(db, None, 7.0)).result()
    assert clients.health(store.reading).fresh_at == 5.0
    store.write(lambda db: clients.write_heartbeat(db, None, 8.0, {"c1": 7.5})).result()
    assert change_feed.position(store.reading) == position
    store.write(lambda db: clients.write_health(db, Health(Connection.OFFLINE))).result()
    assert [clients.campaign_read_at(store.reading, each) for each in ("c1", "c2")] == [7.5, None]


def test_who_looks_is_known_across_a_sleep_and_a_clock_set_back(store: Store) -> None:
    store.write(lambda db: clients.report_focus(db, "one", Focus("inbox"), 10_000.0)).result()
    assert clients.open_screens(store.reading, 40_000.0) == []
    store.write(lambda db: clients.refresh_focus_times(db, 10_020.0, 40_000.0)).result()
    assert len(clients.open_screens(store.reading, 40_000.0)) == 1
    assert clients.open_screens(store.reading, 5_000.0) == [], "a row of the future is nobody's word"
    store.write(lambda db: clients.refresh_focus_times(db, 5_000.0, 5_000.0)).result()
    assert len(clients.open_screens(store.reading, 5_000.0)) == 1


def test_the_learned_pace_is_kept_for_the_next_engine(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            db, budget = it.services.store.reading, it.engine.poller.budget
            await it.until(lambda: queue.kept(db, REQUEST_PACE, "") == budget.pace)
            budget.throttled()
            it.engine._heartbeat_at = float("-inf")
            it.engine._wake()
            await it.until(lambda: queue.kept(db, REQUEST_PACE, "") < 60_000)
            known = it.services.store.profile, Settings(requests_per_minute=100_000)
            assert make_budget(*known, it.store).pace == queue.kept(db, REQUEST_PACE, "")
            assert make_budget(known[0], Settings(requests_per_minute=200), it.store).per_minute == 200

    run(story)

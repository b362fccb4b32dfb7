"""The engine's step computes clocks from the store: what has changed, and all at a new config."""

from collections.abc import Collection
from typing import Any
from unittest.mock import Mock
from zoneinfo import ZoneInfo

import apsw
import pytest

from frontdesk.config.settings import Settings
from frontdesk.inbox import filter_words
from frontdesk.inbox.store import conversations, retention, threads
from frontdesk.registry.service_policies import make_monitor
from frontdesk.service_clocks import monitor
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, ClockState, Policy
from frontdesk.service_clocks.monitor import BATCH, ServiceClockMonitor
from frontdesk.service_clocks.store import NearestClock
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.coverage import Precision
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import ConversationOrder, MessagePosition
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.contract.ids import ConversationId, MessageId, TaskId
from sample_json import raw_message, raw_task
from services import Services

pytestmark = pytest.mark.anyio
HERE = ConversationId("L1#C1")
HOUR = 3_600.0
T = 1_795_000_000
ALWAYS = BusinessHours(ZoneInfo("UTC"), [[(0, 86_400)]] * 7)
TARGETS = {ClockKind.FIRST: HOUR, ClockKind.NEXT: 4 * HOUR, ClockKind.RESOLUTION: 10 * HOUR}
POLICY = Policy("Service", "", ALWAYS, TARGETS, frozenset({"standby"}))


def put(store: Store, *raws: dict[str, Any], has_more: bool = False, start: MessagePosition | None = None) -> None:
    page = sorted(raws, key=lambda raw: raw["createdAt"], reverse=True)
    store.write(lambda db: threads.put_page(db, HERE, page, start=start, has_more=has_more, now=float(T))).result()


def put_task(store: Store, seen: Seen | None = None, number: int = 1, **fields: Any) -> None:
    raw = raw_task(number, createdAt=T, **fields)
    store.write(lambda db: task_store.put(db, [raw], seen or Seen(T, T))).result()


def incoming(after: int, **fields: Any) -> dict[str, Any]:
    return raw_message(T + after, **fields)


def answer(after: int, **fields: Any) -> dict[str, Any]:
    return raw_message(T + after, messageDirection="outgoing", initiator="person", **fields)


class Engine:
    """A monitor whose steps are never too soon."""

    def __init__(self, store: Store, *policies: Policy, source: object = "one"):
        self.store, self.steady, self.computed = store, 0.0, 0
        self.monitor = ServiceClockMonitor(store, policies or (POLICY,), self._match, source, lambda: self.steady)

    def _match(self, _: apsw.Connection, match: str, ids: Collection[str]) -> set[str]:
        return {each for each in ids if match in each}

    async def settle(self) -> None:
        """Step until nothing is left to do."""
        for _ in range(50):
            self.steady += 10
            if await self.monitor.step() >= 1.0:
                return
        raise AssertionError("the walk never ends")


def nearest(store: Store) -> NearestClock | None:
    return clock_store.of_conversation(store.reading, HERE)


def due(store: Store) -> tuple[ClockKind, float | None]:
    found = nearest(store)
    assert found is not None
    return found.clock.kind, found.clock.due_at


async def test_each_message_moves_the_clock_as_it_comes(store: Store) -> None:
    engine = Engine(store)
    put(store, incoming(0), incoming(60))
    await engine.settle()
    assert due(store) == (ClockKind.FIRST, T + HOUR)
    put(store, raw_message(T + 70, messageDirection="outgoing", initiator="bot"))
    await engine.settle()
    assert due(store) == (ClockKind.FIRST, T + HOUR)
    put(store, answer(100))
    await engine.settle()
    assert nearest(store) is None
    put(store, incoming(200))
    await engine.settle()
    assert due(store) == (ClockKind.NEXT, T + 200 + 4 * HOUR)


async def test_what_a_write_that_failed_has_left_is_computed_by_the_next_step(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(store)
    await engine.settle()
    monkeypatch.setattr(monitor, "BATCH", 1)
    for number in (1, 2):
        put_task(store, number=number)
    engine.steady += 10
    await engine.monitor.step()
    engine.steady += 10
    with monkeypatch.context() as failing:
        failing.setattr(store, "run", Mock(side_effect=StoreUnusable("the disk is full")))
        with pytest.raises(StoreUnusable):
            await engine.monitor.step()
    await engine.settle()
    found = [clock_store.of_conversation(store.reading, ConversationId(f"L1#C{number}")) for number in (1, 2)]
    assert None not in found


async def test_a_gap_makes_the_clock_unknown_until_it_is_read(store: Store) -> None:
    engine = Engine(store)
    put(store, answer(0))
    put(store, incoming(500), has_more=True)
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert (found.clock.state, found.clock.due_at) == (ClockState.UNKNOWN, None)
    put(store, incoming(100), answer(0), start=MessagePosition((T + 500) * 1000, MessageId(f"m{T + 500:05}")))
    await engine.settle()
    assert due(store) == (ClockKind.NEXT, T + 100 + 4 * HOUR)


async def test_what_needs_no_answer_ends_a_clock_even_before_a_gap(store: Store, services: Services) -> None:
    engine = Engine(store)
    put(store, incoming(0))
    put(store, incoming(500), has_more=True)
    await engine.settle()
    record = record_lookup.conversation(store.reading, HERE)
    assert record is not None
    services.inbox.set_needs_answer([record], needs_answer=False).result()
    await engine.settle()
    assert nearest(store) is None
    put(store, incoming(500), incoming(900), has_more=True)
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert found.clock.state is ClockState.UNKNOWN, "whether the gap hides an answer says which of both it is"
    services.outbox.undo().result()
    await engine.settle()
    assert nearest(store) is not None


async def test_a_thread_that_was_never_read_or_not_since_the_last_sign_is_unknown(store: Store) -> None:
    engine = Engine(store, Policy("s", "", ALWAYS, {ClockKind.FIRST: HOUR}))
    put_task(store)
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert found.clock.state is ClockState.UNKNOWN
    put(store, incoming(0))
    await engine.settle()
    assert due(store) == (ClockKind.FIRST, T + HOUR)
    put_task(store, customer={"phoneNumberId": "C1", "lastActiveAt": T + 900})
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert found.clock.state is ClockState.UNKNOWN


async def test_messages_that_were_deleted_to_save_room_make_the_clock_unknown(store: Store) -> None:
    engine = Engine(store)
    put(store, incoming(0), incoming(60), has_more=False)
    await engine.settle()
    store.write(lambda db: retention.shrink(db, 0, keep_newest=1)).result()
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert found.clock.state is ClockState.UNKNOWN


async def test_the_nearest_of_a_conversation_and_its_tasks_is_shown_and_an_unknown_one_is_told(
    store: Store,
) -> None:
    engine = Engine(store)
    put_task(store)
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert (found.clock.kind, found.clock.due_at, found.has_unknown) == (
        ClockKind.RESOLUTION,
        T + 10 * HOUR,
        True,
    )
    put(store, incoming(0))
    await engine.settle()
    assert due(store) == (ClockKind.FIRST, T + HOUR)
    assert clock_store.of_task(store.reading, "t1", HERE) == nearest(store)


async def test_a_task_pauses_goes_on_and_ends(store: Store) -> None:
    engine = Engine(store)
    put_task(store)
    put(store, answer(0))
    put_task(store, Seen(T + 100, T + 100), statusCase="standby")
    await engine.settle()
    found = nearest(store)
    assert found is not None
    assert (found.clock.state, found.clock.due_at) == (ClockState.PAUSED, None)
    put_task(store, Seen(T + 3_700, T + 3_700), statusCase="open")
    await engine.settle()
    found = nearest(store)
    assert found is not None
    # Each change happened somewhere between two reads.
    assert (found.clock.due_at, found.clock.due_latest) == (T + 10 * HOUR, T + 3_700 + 10 * HOUR)
    put_task(store, Seen(T + 4_000, T + 4_000), statusCase="completed")
    await engine.settle()
    assert nearest(store) is None


async def test_a_task_without_a_conversation_has_a_clock_of_its_own(store: Store) -> None:
    put_task(store, participantsIdentifiers="", number=7)
    engine = Engine(store)
    await engine.settle()
    found = clock_store.of_task(store.reading, "t7", None)
    assert found is not None
    assert found.clock.due_at == T + 10 * HOUR
    put_task(store, Seen(T + 9, T + 9), participantsIdentifiers="", number=7, statusCase="completed")
    await engine.settle()
    assert clock_store.of_task(store.reading, "t7", None) is None


async def test_the_first_policy_that_matches_counts(store: Store) -> None:
    put(store, incoming(0))
    strict = Policy("VIP", "C1", ALWAYS, {ClockKind.FIRST: 60.0})
    await Engine(store, Policy("none", "C2", ALWAYS, TARGETS), strict, POLICY).settle()
    found = nearest(store)
    assert found is not None
    assert (found.clock.policy, found.clock.due_at) == ("VIP", T + 60)


async def test_another_config_computes_all_anew_and_none_removes_all(store: Store, services: Services) -> None:
    put(store, incoming(0))
    await Engine(store).settle()
    longer = Policy("Service", "", ALWAYS, {ClockKind.FIRST: 2 * HOUR})
    await Engine(store, longer, source="two").settle()
    assert due(store) == (ClockKind.FIRST, T + 2 * HOUR)
    await make_monitor(store, Settings(), services.store.profile).step()
    assert nearest(store) is None


async def test_a_restart_goes_on_where_the_last_run_ended_and_a_walk_covers_all(store: Store) -> None:
    def fill(db: apsw.Connection) -> None:
        raws = [raw_task(number, createdAt=T) for number in range(1, 2 * BATCH + 50)]
        task_store.put(db, raws, Seen(T, T))

    store.write(fill).result()
    await Engine(store).settle()
    count = store.reading.execute("SELECT count(*) FROM service_clocks WHERE task_id <> ''").fetchone()
    assert count == (2 * BATCH + 49,)
    put_task(store, Seen(T + 9, T + 9), statusCase="completed")
    put(store, answer(0))
    again = Engine(store)
    await again.settle()
    assert nearest(store) is None


async def test_what_the_feed_has_forgotten_is_found_by_a_walk(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(store)
    put(store, incoming(0))
    await engine.settle()
    put(store, answer(60))
    store.write(lambda db: db.execute("DELETE FROM feed WHERE seq < (SELECT max(seq) FROM feed)")).result()
    await engine.settle()
    assert nearest(store) is None


async def test_nothing_is_written_where_nothing_has_changed(store: Store) -> None:
    put(store, incoming(0))
    engine = Engine(store)
    await engine.settle()
    await engine.settle()
    before = change_feed.position(store.reading)
    await engine.settle()
    assert change_feed.position(store.reading) == before


async def test_a_filter_and_an_order_find_the_nearest_deadlines(store: Store, services: Services) -> None:
    put_task(store, number=2)
    put_task(store, number=3, statusCase="completed")
    put(store, incoming(0))
    policy = Policy("s", "", ALWAYS, {ClockKind.FIRST: HOUR, ClockKind.NEXT: HOUR})
    await Engine(store, policy).settle()
    query = filter_words.parse("sla<15m")
    db, profile = services.store.reading, services.store.profile
    found = conversations.ids(db, ConversationOrder.SLA, -1, filter_words.wanted(query, profile, T + HOUR - 800))
    assert found == [HERE]
    early = filter_words.wanted(query, profile, float(T))
    assert conversations.ids(db, ConversationOrder.SLA, -1, early) == []
    everybody = conversations.ids(db, ConversationOrder.SLA)
    assert everybody[0] == HERE
    coverage = clock_store.coverage(db)
    assert not coverage.has_clocks
    assert filter_words.precision(coverage, query) is Precision.AT_LEAST
    assert filter_words.precision(coverage, filter_words.parse("is:task")) is not Precision.ABOUT


async def test_an_alert_is_found_from_its_warning_on(store: Store) -> None:
    put(store, incoming(0))
    await Engine(store).settle()
    assert clock_store.with_warning(store.reading, T, T + HOUR - 901, 10) == []
    (found,) = clock_store.with_warning(store.reading, T, T + HOUR - 900, 10)
    assert (found.conversation_id, found.clock.due_at) == (HERE, T + HOUR)
    assert clock_store.with_warning(store.reading, T + HOUR, T + 9 * HOUR, 10) == []


async def test_a_task_that_is_deleted_takes_its_clock_along(store: Store) -> None:
    engine = Engine(store)
    put_task(store)
    put(store, answer(0))
    await engine.settle()
    assert due(store)[0] is ClockKind.RESOLUTION
    store.write(lambda db: task_store.remove(db, TaskId("t1"))).result()
    await engine.settle()
    assert nearest(store) is None

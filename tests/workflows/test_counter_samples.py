"""Counters of a period: from kept samples, across resets, and honest about where they begin."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.checks.sample_workflows import Json, parent, whole
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import analyze_workflow, check_stored
from frontdesk.workflows.counter_samples import DAY, EVERY_SECONDS, MAX_MARKED, count_period
from frontdesk.workflows.view.tree import period_words, totals, tree_heading
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.traffic import Loss, TrafficPeriod, TrafficState, measure_period
from frontdesk_flows.tree_layout import outline_of
from sample_records import words
from workflows.view.test_row import VIEW

NOW = 1_700_000_000.0
HOUR = 3_600.0
W = WorkflowId("w")


def counted(started: int, message: str = "Is it here?") -> Json:
    made = whole() | {"lastModified": started}
    parent(made, "ask")["data"]["message"] = message
    made["analytics"] = {
        "totalStarted": started,
        "totalCompleted": started // 2,
        "nodeStats": {"ask": {"enteredCount": started}},
        "edgeStats": {"yes->thank": {"traversalCount": started // 4}},
        "buttonStats": {"yes": {"subNodeId": "yes", "clickCount": started // 4}},
    }
    return made


def read(store: Store, *reads: tuple[float, Json]) -> Json:
    """Store documents read so many seconds before now; returns the last."""

    def write(db: Any) -> None:
        for ago, raw in reads:
            workflow_store.put_whole(db, raw, NOW - ago)

    store.write(write).result()
    return reads[-1][1]


def started(store: Store, current: Json, period: TrafficPeriod) -> tuple[Any, bool, int]:
    found = count_period(store.reading, "w", current, period, NOW)
    return (found.analytics or {}).get("totalStarted"), found.reaches_back, found.resets


def test_since_yesterday_is_what_was_counted_in_a_day(store: Store) -> None:
    reads = ((3 * DAY, counted(10)), (25 * HOUR, counted(100)), (HOUR, counted(140)), (0, counted(160)))
    current = read(store, *reads)
    assert started(store, current, TrafficPeriod.YESTERDAY) == (60, True, 0)
    assert started(store, current, TrafficPeriod.RESET) == (160, True, 0)
    found = count_period(store.reading, "w", current, TrafficPeriod.YESTERDAY, NOW).analytics
    assert found is not None
    assert found["nodeStats"] == {"ask": {"enteredCount": 60}}
    assert found["buttonStats"] == {"yes": {"subNodeId": "yes", "clickCount": 15}}


def test_where_no_sample_reaches_back_it_says_from_when(store: Store) -> None:
    current = read(store, (2 * HOUR, counted(100)), (0, counted(130)))
    assert started(store, current, TrafficPeriod.YESTERDAY) == (30, False, 0)
    found = count_period(store.reading, "w", current, TrafficPeriod.YESTERDAY, NOW)
    assert found.since == NOW - 2 * HOUR
    told = period_words(found, VIEW.now, VIEW.zone)
    assert told.startswith("only since ")
    traffic = measure_period(outline_of(current).document, found)
    assert traffic.in_progress is None, "a difference of totals isn't who runs now"
    assert "running" not in words(totals(traffic, 90, VIEW.glyphs))
    assert words(tree_heading(traffic, 58, told)).startswith(told), "the order gives way"
    assert words(tree_heading(traffic, 90, told)).startswith(f"in run order, {told}")
    found = count_period(store.reading, "w", current, TrafficPeriod.UPDATE, NOW)
    assert "no update seen" in period_words(found, VIEW.now, VIEW.zone)
    never = whole() | {"id": "never", "analytics": {"totalStarted": 3}}
    assert count_period(store.reading, "never", never, TrafficPeriod.YESTERDAY, NOW).analytics is None


def test_a_reset_in_between_loses_nothing_that_was_read(store: Store) -> None:
    reads = [
        (30 * HOUR, counted(100)),
        (3 * HOUR, counted(150)),
        (2.9 * HOUR, counted(157)),
        (2 * HOUR, counted(5)),
    ]
    current = read(store, *reads, (0, counted(20)))
    assert started(store, current, TrafficPeriod.YESTERDAY) == (57 + 20, True, 1)
    assert started(store, current, TrafficPeriod.EVER) == (157 + 20, True, 1)
    assert started(store, current, TrafficPeriod.RESET) == (20, True, 0)
    found = count_period(store.reading, "w", current, TrafficPeriod.EVER, NOW)
    assert found.analytics is not None
    assert found.analytics["nodeStats"]["ask"]["enteredCount"] == 177
    assert "across 1 reset" in period_words(found, VIEW.now, VIEW.zone)


def test_since_the_update_begins_where_the_graph_changed(store: Store) -> None:
    reads = [(3 * DAY, counted(10)), (2 * DAY, counted(50, "New words")), (HOUR, counted(80, "New words"))]
    current = read(store, *reads, (0, counted(90, "New words")))
    assert started(store, current, TrafficPeriod.UPDATE) == (40, True, 0)


def test_the_tree_shows_the_period_and_what_it_does_not_know(store: Store) -> None:
    read(store, (25 * HOUR, counted(100)), (0, counted(160)))
    found = analyze_workflow(store.reading, W, TrafficPeriod.YESTERDAY, NOW)
    assert found is not None
    assert (found.traffic.started, found.traffic.nodes["ask"].entered) == (60, 60)
    store.write(lambda db: db.execute("DELETE FROM workflow_samples") and None).result()
    found = analyze_workflow(store.reading, W, TrafficPeriod.YESTERDAY, NOW)
    assert found is not None
    assert found.traffic.state is TrafficState.NOT_SAMPLED


@pytest.mark.parametrize(("hours", "is_least"), [(25, False), (2, True)])
def test_a_loss_is_that_of_the_period_and_who_waits_does_so_now(store: Store, hours: int, is_least: bool) -> None:
    def losing(started: int, dropped: int) -> Json:
        made = counted(started)
        stats = {"enteredCount": started, "completedCount": 50, "exitedCount": dropped}
        made["analytics"] |= {"totalDropped": dropped, "nodeStats": {"ask": stats}}
        return made

    read(store, (hours * HOUR, losing(100, 10)), (0, losing(160, 30)))
    found = analyze_workflow(store.reading, W, TrafficPeriod.YESTERDAY, NOW)
    checked = check_stored(store.reading, W, TrafficPeriod.YESTERDAY, NOW)
    assert found is not None
    assert checked is not None
    assert found.loss == checked.loss == Loss(20, 60, found.outline.document.steps["ask"], 20, is_least)
    assert found.traffic.nodes["ask"].still_here == 160 - 50 - 30


@pytest.mark.slow
def test_samples_are_few_and_old_ones_are_thinned(store: Store) -> None:
    step = EVERY_SECONDS / 3
    read(store, *((6 * DAY - at * step, counted(at)) for at in range(int(6 * DAY / step))))
    times = [at for (at,) in rows(store.reading, "SELECT at FROM workflow_samples ORDER BY at")]
    assert all(later - before >= EVERY_SECONDS for before, later in pairwise(times))
    assert len([at for at in times if at < NOW - 2.1 * DAY]) <= 5
    assert len(times) < 210
    read(store, *((-at * HOUR - 1, counted(5_000 + at, f"words {at}")) for at in range(MAX_MARKED + 5)))
    (marked,) = rows(store.reading, "SELECT count(*) FROM workflow_samples WHERE is_marked")
    assert marked[0] == MAX_MARKED


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 40) | st.just(-1), min_size=1, max_size=12))
def test_any_run_of_counts_and_resets_adds_up(tmp_path_factory: pytest.TempPathFactory, steps: list[int]) -> None:
    store = Store(tmp_path_factory.mktemp("samples"))
    try:
        total, value = 0, 100
        reads = [(20 * HOUR, counted(value))]
        for at, step in enumerate(steps, start=1):
            value = 0 if step < 0 else value + step
            total += max(0, step)
            reads.append((20 * HOUR - at * HOUR, counted(value)))
        current = read(store, *reads)
        assert started(store, current, TrafficPeriod.YESTERDAY)[0] == total
        assert started(store, current, TrafficPeriod.EVER)[0] == 100 + total
    finally:
        store.close()

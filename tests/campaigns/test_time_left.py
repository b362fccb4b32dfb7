"""The range of the end on recorded runs, and what each thing it is made of does."""

import json
from pathlib import Path
from statistics import median

import pytest

from campaigns.recorded_runs import Recording, Verdict, verdicts
from frontdesk.campaigns import throughput
from frontdesk.campaigns.pace import Point, measure_pace
from frontdesk.campaigns.time_left import Certainty, Doubt, Eta, LineLoad, estimate_end

RUNS = json.loads((Path(__file__).parent / "recorded_runs.json").read_text(encoding="utf-8"))


def read(name: str, every: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Return the time left and the range of each read from a third of the recipients on that told one."""
    found: list[Verdict] = list(verdicts(throughput, Recording(name, **RUNS[name]), every, 0))
    return [(each.left, each.low, each.high) for each in found if each.low is not None and each.high is not None]


@pytest.mark.parametrize(
    ("name", "half_width"),
    [("even 44,000", 0.20), ("ramp", 0.20), ("slow, another starts", 0.35), ("another ends", 0.25)],
)
@pytest.mark.parametrize("every", [(4.0, 8.0), (15.0, 60.0)], ids=["on screen", "behind"])
def test_recorded_ends_lie_within_ranges_that_are_narrow_enough(
    name: str, half_width: float, every: tuple[float, float]
) -> None:
    known = read(name, every)
    assert sum(low <= left <= high for left, low, high in known) >= 0.9 * len(known)
    assert median((high - low) / 2 / max(left, 30.0) for left, low, high in known) <= half_width


def steady(seconds: float, pace: float, begin: float = 0.0, count: float = 0.0) -> list[Point]:
    return [Point(begin + at, count + pace * at) for at in range(0, int(seconds) + 1, 4)]


def known(found: Eta | None) -> tuple[float, float]:
    assert found is not None
    return found.low_seconds, found.high_seconds


def test_an_early_ramp_is_forgotten() -> None:
    slow = steady(60, 1)
    points = [*slow, *steady(240, 10, 60, 60)[1:]]
    low, high = known(estimate_end(points, 300, 1_000, 0))
    assert low < 100 < high
    assert high < 125


def test_a_campaign_that_is_planned_on_the_line_is_reckoned_with() -> None:
    alone = known(estimate_end(steady(300, 10), 300, 3_000, 0))
    shared = known(estimate_end(steady(300, 10), 300, 3_000, 0, [LineLoad(1_000, None, 60, None)]))
    assert shared[0] == pytest.approx(alone[0])
    assert shared[1] > 400 > alone[1]


def test_one_that_ends_soon_leaves_its_share() -> None:
    low, high = known(estimate_end(steady(300, 10), 300, 3_000, 0, [LineLoad(500, 10, 0, 0)]))
    assert low < 175 < high
    assert high > 300


def test_a_pause_is_no_slow_pace_but_may_come_again() -> None:
    points = [*steady(120, 10), Point(200, 1_200), *steady(120, 10, 204, 1_240)]
    low, high = known(estimate_end(points, 324, 1_200, 0))
    assert low < 120 < high
    assert high > 120 + 120 * 80 / 240


def test_the_pace_of_before_counts_where_the_line_is_evenly_shared() -> None:
    points = [*steady(300, 10), *steady(60, 5, 300, 3_000)[1:]]
    even = known(estimate_end(points, 360, 1_000, 0, [LineLoad(300, 5, 0, 300)]))
    # Both send 300 at half the pace, then this one sends the rest alone.
    assert even[0] < 130 < even[1]
    assert even[1] < 1.25 * 130
    # On a line that took no notice of the other, the pace since then counts, and both cases.
    uneven = known(estimate_end(steady(360, 10), 360, 1_000, 0, [LineLoad(300, 10, 0, 300)]))
    assert uneven[0] < 65
    assert uneven[1] > 100


def test_one_that_has_come_and_gone_leaves_the_pace_of_before() -> None:
    points = [*steady(100, 10), *steady(100, 5, 100, 1_000)[1:], *steady(40, 10, 200, 1_500)[1:]]
    low, high = known(estimate_end(points, 240, 1_000, 0, [LineLoad(0, None, 0, 200, 100)]))
    assert low < 100 < high
    assert high < 125


def test_after_a_sudden_change_the_range_holds_both_paces() -> None:
    points = [*steady(200, 10), *steady(60, 5, 200, 2_000)[1:]]
    found = estimate_end(points, 260, 500, 0)
    low, high = known(found)
    assert low < 50
    assert 100 < high < 140
    assert found is not None
    assert (found.certainty, found.doubt) == (Certainty.ROUGH, Doubt.SHIFTED)


def test_the_beginning_of_a_pause_is_no_slow_pace() -> None:
    points = [*steady(200, 10), Point(204, 2_000), Point(212, 2_000)]
    low, high = known(estimate_end(points, 212, 1_000, 0))
    assert low < 100 < high < 130


def test_a_pace_that_drifts_may_be_further_off_than_one_that_jumps_up_and_down() -> None:
    def after(steps: list[float]) -> float:
        points, count = [Point(0, 0)], 0.0
        for place, each in enumerate(steps, start=1):
            count += 10 * each
            points.append(Point(10.0 * place, count))
        pace = measure_pace(points, points[-1].at)
        assert pace is not None
        return pace.deviation(600)

    up_and_down = after([10 + 2 * (place % 3 - 1) for place in range(48)])
    drifting = after([10 + abs(place % 24 - 12) / 3 for place in range(48)])
    assert after([10] * 48) < up_and_down < drifting


def test_nothing_is_said_during_a_pause_nor_just_after_the_queue_has_changed() -> None:
    assert estimate_end(steady(120, 10), 141, 500, 0) is None
    assert estimate_end(steady(120, 10), 120, 500, 0, [LineLoad(0, None, 0, 110)]) is None
    assert estimate_end(steady(120, 10), 120, 500, 0, [LineLoad(0, None, 0, 90)]) is not None


def test_as_little_as_one_read_gives_no_range() -> None:
    assert estimate_end([], 10, 5, 0) is None
    assert estimate_end([Point(0, 0)], 10, 5, 0) is None
    assert estimate_end([Point(0, 0), Point(9, 0)], 9, 5, 0) is None

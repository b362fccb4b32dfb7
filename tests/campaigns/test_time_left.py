"""The range of the end on recorded runs, and what each thing it is made of does."""

import json
from pathlib import Path
from statistics import median

import pytest

from campaigns.recorded_runs import Recording, Verdict, verdicts
from frontdesk.campaigns import throughput
from frontdesk.campaigns.time_left import Eta, LineLoad, Point, estimate_end

RUNS = json.loads((Path(__file__).parent / "recorded_runs.json").read_text(encoding="utf-8"))


def read(name: str, every: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Return the time left and the range of each read from a third of the recipients on that told one."""
    found: list[Verdict] = list(verdicts(throughput, Recording(name, **RUNS[name]), every, 0))
    return [(each.left, each.low, each.high) for each in found if each.low is not None and each.high is not None]


@pytest.mark.parametrize(
    ("name", "half_width"),
    [("even 44,000", 0.20), ("ramp", 0.20), ("slow, another starts", 0.60), ("another ends", 0.25)],
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


def test_nothing_is_said_during_a_pause_nor_just_after_the_queue_has_changed() -> None:
    assert estimate_end(steady(120, 10), 141, 500, 0) is None
    assert estimate_end(steady(120, 10), 120, 500, 0, [LineLoad(0, None, 0, 110)]) is None
    assert estimate_end(steady(120, 10), 120, 500, 0, [LineLoad(0, None, 0, 90)]) is not None


def test_as_little_as_one_read_gives_no_range() -> None:
    assert estimate_end([], 10, 5, 0) is None
    assert estimate_end([Point(0, 0)], 10, 5, 0) is None
    assert estimate_end([Point(0, 0), Point(9, 0)], 9, 5, 0) is None

"""The range of the end on recorded runs, and what each thing it is made of does."""

import json
import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.recorded_runs import Recording, verdicts
from examples import few
from frontdesk.campaigns.time_left import Certainty, Doubt, Eta, LineLoad, Point, count_at, estimate_end

RUNS = json.loads((Path(__file__).parent / "recorded_runs.json").read_text(encoding="utf-8"))


def read(name: str, every: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Return the time left and the range of each read from a third of the recipients on that told one."""
    found = verdicts(Recording(name, **RUNS[name]), every, 0)
    return [
        (each.left, each.low, each.high)
        for each in found
        if each.done >= 1 / 3 and each.low is not None and each.high is not None
    ]


@pytest.mark.parametrize(
    ("name", "half_width"),
    [("even 44,000", 0.20), ("ramp", 0.25), ("slow, another starts", 0.20), ("another ends", 0.25)],
)
@pytest.mark.parametrize("every", [(4.0, 8.0), (15.0, 60.0)], ids=["on screen", "behind"])
def test_recorded_ends_lie_within_ranges_that_are_narrow_enough(
    name: str, half_width: float, every: tuple[float, float]
) -> None:
    known = read(name, every)
    assert sum(low <= left <= high for left, low, high in known) >= 0.95 * len(known)
    assert median((high - low) / 2 / max(left, 30.0) for left, low, high in known) <= half_width


def steady(seconds: float, pace: float, begin: float = 0.0, count: float = 0.0, every: int = 4) -> list[Point]:
    return [Point(begin + at, count + pace * at) for at in range(0, int(seconds) + 1, every)]


def in_blocks(paces: Sequence[float], seconds: int = 10) -> list[Point]:
    """A point each second, at these paces for so many seconds each."""
    counts = accumulate((pace for pace in paces for _ in range(seconds)), initial=0.0)
    return [Point(float(at), count) for at, count in enumerate(counts)]


def told(points: Sequence[Point], left: float, line: Sequence[LineLoad] = (), later: float = 0.0) -> Eta:
    found = estimate_end(points, points[-1].at + later, left, 0, line)
    assert found is not None
    return found


def known(found: Eta) -> tuple[float, float]:
    return found.low_seconds, found.high_seconds


@few
@given(st.integers(3, 100), st.floats(0.5, 500), st.floats(0, 1e6), st.floats(0, 1e5))
def test_an_even_pace_is_that_pace_whenever_it_began(reads: int, pace: float, begin: float, count: float) -> None:
    points = steady(4 * reads, pace, begin, count)
    found = told(points, pace * 60)
    assert found.low_seconds < 60 < found.high_seconds < 120
    assert found.doubt is Doubt.VARIES


@few
@given(st.floats(0.1, 100), st.floats(1, 10))
def test_a_range_scales_with_the_counts(more: float, paces: float) -> None:
    points = in_blocks([200 + 100 * math.sin(paces * each) for each in range(24)])
    scaled = [Point(each.at, each.finished * more) for each in points]
    assert known(told(scaled, 5_000 * more)) == pytest.approx(known(told(points, 5_000)), rel=0.02)


def test_an_early_ramp_is_forgotten() -> None:
    points = [*steady(60, 1), *steady(540, 10, 60, 60)[1:]]
    low, high = known(told(points, 1_000))
    assert low < 100 < high < 130


def test_after_a_sudden_change_the_range_holds_both_paces() -> None:
    found = told([*steady(200, 10), *steady(60, 5, 200, 2_000)[1:]], 500)
    assert found.low_seconds < 50
    assert 100 < found.high_seconds < 160
    assert (found.certainty, found.doubt) == (Certainty.ROUGH, Doubt.SHIFTED)


def test_the_more_uneven_a_pace_the_wider_the_range() -> None:
    def ratio(by: float) -> float:
        low, high = known(told(in_blocks([10 + by * (place % 3 - 1) for place in range(48)]), 6_000))
        return high / low

    assert ratio(0) < ratio(3) < ratio(6)


def test_the_further_ahead_the_less_is_known() -> None:
    points = steady(300, 10)
    ratios = [high / low for low, high in (known(told(points, left)) for left in (3_000, 9_000, 27_000))]
    assert ratios == sorted(ratios)
    assert ratios[0] < 1.5


@pytest.mark.parametrize(("pause", "is_pause"), [(12, False), (24, True), (80, True)])
def test_a_pause_is_no_slow_pace_but_may_come_again(pause: int, is_pause: bool) -> None:
    whole = told(steady(240, 10), 1_200)
    found = told([*steady(120, 10), *steady(120, 10, 120 + pause, 1_200)], 1_200)
    assert (found.low_seconds == pytest.approx(whole.low_seconds, rel=0.01)) == is_pause
    assert (found.high_seconds == pytest.approx(whole.high_seconds + pause / 2, rel=0.01)) == is_pause
    assert (found.doubt is Doubt.PAUSED) == (pause == 80)


def test_where_outcomes_are_rare_a_pause_is_longer() -> None:
    """Eight times the usual gap: some 85 seconds."""
    for pause, is_pause in ((60, False), (200, True)):
        points = [*steady(600, 0.1, every=10), *steady(600, 0.1, 600 + pause, 60, every=10)]
        assert (told(points, 60).doubt is Doubt.PAUSED) == is_pause


def test_nothing_is_said_during_a_pause_but_at_its_beginning() -> None:
    assert estimate_end(steady(120, 10), 142, 500, 0) is None
    low, high = known(told(steady(200, 10), 1_000, later=12))
    assert low < 100 < high < 150


def test_counts_that_go_back_count_as_no_outcome() -> None:
    points = steady(120, 10)
    points[15] = Point(60, 550)
    assert known(told(points, 600))[1] < 90


def test_a_campaign_that_is_planned_on_the_line_is_reckoned_with() -> None:
    alone = known(told(steady(300, 10), 3_000))
    shared = known(told(steady(300, 10), 3_000, [LineLoad((), 1_000, 60)]))
    assert shared[0] == pytest.approx(alone[0])
    assert shared[1] > 400 > alone[1]


def test_one_that_ends_soon_leaves_its_share() -> None:
    low, high = known(told(steady(300, 10), 3_000, [LineLoad(steady(300, 10), 500)]))
    assert low < 175 < high < 225


def test_one_that_has_just_begun_is_told_by_the_pace_of_the_others() -> None:
    other = [*steady(600, 10), *steady(20, 5, 600, 6_000)[1:]]
    low, high = known(told(steady(20, 5, 600), 1_000, [LineLoad(other, 9_000)]))
    assert low < 200 < high < 1.5 * low


def test_one_that_has_come_and_gone_leaves_the_pace_of_before() -> None:
    points = [*steady(100, 10), *steady(100, 5, 100, 1_000)[1:], *steady(40, 10, 200, 1_500)[1:]]
    gone = LineLoad([Point(100, 0), Point(200, 500)], 0)
    low, high = known(told(points, 1_000, [gone]))
    assert low < 100 < high < 130


def test_a_line_that_had_nothing_to_do_was_not_paused() -> None:
    before = LineLoad([Point(-900, 0), Point(-800, 1_000)], 0)
    assert told(steady(100, 10), 1_000, [before]) == told(steady(100, 10), 1_000)


def test_one_that_goes_first_keeps_what_it_gets() -> None:
    first = told(steady(300, 10), 3_000, [LineLoad([Point(200, 0), Point(300, 0)], 2_000)])
    assert first.low_seconds < 300
    assert first.high_seconds > 500


def test_one_that_was_not_read_lately_counts_at_the_far_end_alone() -> None:
    lost = LineLoad(steady(100, 10), 1_000)
    alone, shared = known(told(steady(300, 10), 3_000)), known(told(steady(300, 10), 3_000, [lost]))
    assert shared[0] == pytest.approx(alone[0])
    assert shared[1] > 400


def test_one_that_was_watched_too_late_is_waited_for() -> None:
    other = LineLoad([Point(296, 5_000), Point(300, 5_040)], 1_000)
    assert estimate_end(steady(300, 10), 300, 3_000, 0, [other]) is None


def test_one_with_no_known_end_shares_for_ever() -> None:
    low, high = known(told(steady(300, 5), 1_500, [LineLoad(steady(300, 5), math.inf)]))
    assert low < 300 < high < 400


def test_odd_counts_end_the_reckoning_too() -> None:
    low, high = known(told(steady(300, 1e9), 2.0**63, [LineLoad((), 2.0**62, 7.7), LineLoad((), math.inf, 0.1)]))
    assert 0 < low < high < math.inf


def test_those_on_their_way_take_longer() -> None:
    alone, tail = (estimate_end(steady(300, 10), 300, 3_000, each) for each in (0, 100))
    assert alone is not None
    assert tail is not None
    assert tail.low_seconds == alone.low_seconds
    assert tail.high_seconds == pytest.approx(alone.high_seconds + 40)


def test_too_little_gives_no_range() -> None:
    assert estimate_end([], 10, 5, 0) is None
    assert estimate_end([Point(0, 0)], 10, 5, 0) is None
    assert estimate_end([Point(0, 0), Point(9, 0)], 9, 5, 0) is None
    assert estimate_end(steady(4, 10), 7, 5, 0) is None
    assert told(steady(12, 10), 500).certainty is Certainty.ROUGH
    assert told(steady(120, 10), 500).certainty is Certainty.GOOD


@pytest.mark.parametrize(
    ("at", "count"), [(-5, 10), (0, 10), (2.5, 15), (5, 20), (5.5, 20), (6, 20), (8, 40), (10, 60), (99, 60)]
)
def test_between_two_reads_outcomes_came_evenly(at: float, count: float) -> None:
    assert count_at([Point(0, 10), Point(5, 20), Point(6, 20), Point(10, 60)], at) == count

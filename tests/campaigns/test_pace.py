"""The pace of counters: exact where they rise evenly, none where too little is known, and free of pauses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.campaigns.pace import MIN_SEEN_SECONDS, Point, count_at, measure_pace, points_since


def even(seconds: int, pace: float, begin: float = 0.0, count: float = 0.0, every: int = 1) -> list[Point]:
    return [Point(begin + at, count + pace * at) for at in range(0, seconds + 1, every)]


@settings(max_examples=25)
@given(st.integers(9, 200), st.floats(0.5, 500), st.floats(0, 1e6), st.floats(0, 1e5), st.integers(1, 4))
def test_an_even_pace_is_that_pace_whenever_it_began(
    seconds: int, pace: float, begin: float, count: float, every: int
) -> None:
    points = even(seconds * every, pace, begin, count, every)
    found = measure_pace(points, points[-1].at)
    assert found is not None
    for value in (found.value, found.overall, found.usual):
        assert value == pytest.approx(pace, rel=1e-3)
    assert found.seen == pytest.approx(seconds * every, rel=1e-3)
    assert (found.standing, found.has_shifted) == (0.0, False)
    assert sum(each.weight for each in found.models) == pytest.approx(1)
    assert found.deviation(60) < 0.2


@pytest.mark.parametrize("seconds", range(1, 12))
def test_too_short_a_time_gives_no_pace(seconds: int) -> None:
    assert (measure_pace(even(seconds, 10), seconds) is None) == (seconds < MIN_SEEN_SECONDS)


def test_what_does_not_move_has_no_pace() -> None:
    assert measure_pace(even(60, 0), 60) is None
    assert measure_pace(even(60, 10), 60 + 19) is not None
    assert measure_pace(even(60, 10), 60 + 21) is None, "it may be a pause"


@pytest.mark.parametrize("pause", [30, 300])
def test_a_pause_is_cut_out_and_counted_apart(pause: int) -> None:
    points = [*even(60, 10), *even(60, 10, 60 + pause, 600)]
    found = measure_pace(points, points[-1].at)
    assert found is not None
    assert found.value == pytest.approx(10, rel=0.05)
    assert found.seen == pytest.approx(120, abs=2)
    assert found.standing == pytest.approx(pause / 120, rel=0.05)


@pytest.mark.parametrize(("before", "then"), [(10, 20), (20, 10), (10, 14)])
def test_after_a_sudden_change_the_new_pace_goes_on(before: float, then: float) -> None:
    points = [*even(120, before), *even(120, then, 120, before * 120)[1:]]
    found = measure_pace(points, 240)
    assert found is not None
    assert found.value == pytest.approx(then, rel=0.02)


def test_the_further_ahead_the_less_is_known_of_a_pace_that_drifts() -> None:
    points, count = [], 0.0
    for second in range(240):
        points.append(Point(second, count))
        count += 10 + second / 12
    found = measure_pace(points, 239)
    assert found is not None
    assert found.deviation(3600) > found.deviation(600) > found.deviation(60) > 0
    assert found.value > found.overall


@pytest.mark.parametrize(
    ("at", "count"), [(-5, 10), (0, 10), (2.5, 15), (5, 20), (5.5, 20), (6, 20), (8, 40), (10, 60), (99, 60)]
)
def test_between_two_reads_outcomes_came_evenly(at: float, count: float) -> None:
    assert count_at([Point(0, 10), Point(5, 20), Point(6, 20), Point(10, 60)], at) == count


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        (-1, [(0, 0), (10, 100), (20, 120)]),
        (0, [(0, 0), (10, 100), (20, 120)]),
        (5, [(5, 50), (10, 100), (20, 120)]),
        (10, [(10, 100), (20, 120)]),
        (15, [(15, 110), (20, 120)]),
        (20, [(20, 120)]),
        (25, [(20, 120)]),
    ],
)
def test_points_since_a_moment_begin_with_how_it_stood_then(
    begin: float, expected: list[tuple[float, float]]
) -> None:
    points = [Point(0, 0), Point(10, 100), Point(20, 120)]
    assert points_since(points, begin) == [Point(*each) for each in expected]

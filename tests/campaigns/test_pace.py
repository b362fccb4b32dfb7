"""The pace of counters: exact where they rise evenly, none where too little is known, and free of pauses."""

import math
import statistics
from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.pace import MIN_SEEN_SECONDS, Pace, Point, count_at, measure_pace, points_since


def even(seconds: int, pace: float, begin: float = 0.0, count: float = 0.0, every: int = 1) -> list[Point]:
    return [Point(begin + at, count + pace * at) for at in range(0, seconds + 1, every)]


@few
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


def in_blocks(paces: Sequence[float], seconds: int = 10) -> list[Point]:
    """A point each second, at these paces for so many seconds each."""
    counts = accumulate((pace for pace in paces for _ in range(seconds)), initial=0.0)
    return [Point(1_000.0 + at, 500.0 + count) for at, count in enumerate(counts)]


def measured(points: Sequence[Point], later: float = 0.0) -> Pace:
    found = measure_pace(points, points[-1].at + later)
    assert found is not None
    return found


WAVES = [10 + math.sin(3 * number) + number / 20 for number in range(24)]
"""Paces that drift a little and never jump."""


def solve(matrix: Sequence[Sequence[float]], *columns: Sequence[float]) -> tuple[list[list[float]], float]:
    """Solve a symmetric positive system for several right sides; also returns the logarithm of its determinant."""
    size, log_determinant = len(matrix), 0.0
    rows = [[*row, *(column[place] for column in columns)] for place, row in enumerate(matrix)]
    for place in range(size):
        log_determinant += math.log(rows[place][place])
        for below in range(place + 1, size):
            factor = rows[below][place] / rows[place][place]
            rows[below] = [one - factor * other for one, other in zip(rows[below], rows[place], strict=True)]
    for place in reversed(range(size)):
        row = rows[place]
        for number in range(size, size + len(columns)):
            known = sum(row[each] * rows[each][number] for each in range(place + 1, size))
            row[number] = (row[number] - known) / row[place]
    return [[row[size + number] for row in rows] for number in range(len(columns))], log_determinant


def test_the_models_are_those_of_a_random_walk_seen_through_noise() -> None:
    """The filter's level, variance and likelihood, by the covariances of all blocks with the first one."""
    found = measured(in_blocks(WAVES))
    overall = statistics.mean(WAVES)
    assert (found.overall, found.usual) == pytest.approx((overall, statistics.median(WAVES)))
    assert (found.seen, found.block_seconds, found.standing, found.has_shifted) == (240.0, 10.0, 0.0, False)
    assert [each.ratio for each in found.models] == [0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
    seen = [pace / overall for pace in WAVES]
    since_first = [each - seen[0] for each in seen[1:]]
    size = len(since_first)
    likelihoods = []
    for model in found.models:
        drift = model.ratio
        matrix = [[1 + drift * (min(i, j) + 1) + (i == j) for j in range(size)] for i in range(size)]
        shared = [1 + drift * (i + 1) for i in range(size)]
        (weights, scaled), log_determinant = solve(matrix, shared, since_first)
        level = seen[0] + sum(one * other for one, other in zip(weights, since_first, strict=True))
        variance = 1 + drift * size - sum(one * other for one, other in zip(weights, shared, strict=True))
        squares = sum(one * other for one, other in zip(scaled, since_first, strict=True))
        noise = (squares + 0.03**2 / (2 + drift)) / len(seen)
        assert (model.level, model.uncertainty, model.noise) == pytest.approx((level, variance, noise))
        likelihoods.append(math.exp(-(log_determinant + len(seen) * math.log(noise)) / 2))
    assert [each.weight for each in found.models] == pytest.approx(
        [each / sum(likelihoods) for each in likelihoods]
    )
    level = sum(each.weight * each.level for each in found.models)
    assert found.value == pytest.approx(level * overall)


@pytest.mark.parametrize(("ahead", "blocks"), [(3_600, 360), (100, 10), (10, 1), (4, 0.4), (0, 0.1)])
def test_a_mean_pace_deviates_by_its_level_its_drift_and_the_noise_of_its_blocks(
    ahead: float, blocks: float
) -> None:
    found = measured(in_blocks(WAVES))
    level = found.value / found.overall
    variance = 0.0
    for each in found.models:
        own = each.noise * (each.uncertainty + each.ratio * blocks / 3 + 1 / max(1, blocks))
        variance += each.weight * (own + (each.level - level) ** 2)
    assert found.deviation(ahead) == pytest.approx(math.sqrt(variance) / level)


@settings(max_examples=20)
@given(st.floats(0.1, 100), st.floats(0.3, 10))
def test_a_pace_scales_with_the_counts_and_against_the_time(more: float, slower: float) -> None:
    points = in_blocks([20 * each for each in WAVES])
    scaled = [Point(each.at * slower, each.finished * more) for each in points]
    one, other = measured(points), measured(scaled)
    for value, then in ((one.value, other.value), (one.overall, other.overall), (one.usual, other.usual)):
        assert then == pytest.approx(value * more / slower, rel=0.02)
    assert other.seen == pytest.approx(one.seen * slower)


@pytest.mark.parametrize(
    ("paces", "seen"),
    [
        ([10.0] * 16, 160),
        ([5.0] + [10.0] * 15, 150),
        ([5.0] * 4 + [10.0] * 12, 120),
        ([5.0] * 5 + [10.0] * 11, 160),  # it is a level of its own
        ([8.4] * 4 + [10.0] * 12, 120),
        ([8.6] * 4 + [10.0] * 12, 160),
        ([float(number) for number in range(1, 17)], 80),
        ([10.0, 5.0] + [10.0] * 14, 160),
    ],
)
def test_a_slow_start_is_left_out_but_never_more_than_half(paces: list[float], seen: float) -> None:
    found = measured(in_blocks(paces))
    assert found.seen == seen
    assert found.overall == pytest.approx(statistics.mean(paces[-int(seen) // 10 :]))


def test_one_slow_moment_at_the_start_of_an_uneven_run_is_no_slow_start() -> None:
    paces = [9.0, *[10.0] * 9, *[10.5] * 6]
    assert measured(in_blocks(paces)).seen == 160


@pytest.mark.parametrize(("later", "seen"), [(0, 60), (8, 68), (8.5, 60), (15, 60)])
def test_that_nothing_has_moved_for_a_while_may_be_the_beginning_of_a_pause(later: float, seen: float) -> None:
    """It counts up to eight times the usual time between two outcomes, one second here."""
    found = measured(even(60, 1), later)
    assert found.seen == seen
    assert found.overall == pytest.approx(60 / seen)


@pytest.mark.parametrize(("pause", "is_cut"), [(19, False), (20, True), (40, True)])
def test_a_pause_is_one_from_twenty_seconds_on(pause: float, is_cut: bool) -> None:
    found = measured([*even(60, 10), *even(60, 10, 60 + pause, 600)])
    assert found.seen == (120 if is_cut else 120 + pause)
    assert found.standing == (pytest.approx(pause / 120) if is_cut else 0.0)


def test_a_time_without_reads_is_no_pause() -> None:
    assert measured([*even(60, 10), *even(60, 10, 100, 1_000)]).standing == 0.0


def test_where_outcomes_are_rare_a_pause_is_longer() -> None:
    """Eight times the usual gap: (1,200 + pause) / 120 seconds."""
    for pause, is_pause in ((70, False), (85, False), (86, True), (90, True)):
        points = [*even(600, 0.1, every=10), *even(600, 0.1, 600 + pause, 60, every=10)]
        found = measured(points)
        assert found.standing == (pytest.approx(pause / found.seen) if is_pause else 0.0)


def test_two_pauses_are_both_cut_out_and_counted() -> None:
    points = [*even(60, 10), *even(60, 10, 100, 600), *even(60, 10, 220, 1_200)]
    found = measured(points)
    assert found.seen == pytest.approx(180, abs=3)
    assert found.standing == pytest.approx((40 + 60) / 180, rel=0.05)
    assert found.value == pytest.approx(10, rel=0.03)


def test_counts_that_go_back_count_as_no_outcome() -> None:
    points = even(60, 10)
    points[30] = Point(30, 250)
    assert measured(points).overall == pytest.approx(10)


@pytest.mark.parametrize(
    ("paces", "has_shifted", "value"),
    [
        ([10.0] * 12 + [14.0] * 12, True, 14.0),
        ([10.0] * 8 + [14.0] * 8 + [7.0] * 8, True, 7.0),
        ([10.0] * 12 + [11.0] * 12, False, 10.9),
        ([10.0, 14.0] * 12, False, 12.0),
        ([10.0, 10.2] * 6 + [13.0, 13.2] * 6, True, 13.1),
        ([10.0, 10.2] * 6 + [12.0, 12.2] * 6, False, 12.1),
    ],
)
def test_few_sudden_changes_are_shifts_of_the_level_and_many_are_noise(
    paces: list[float], has_shifted: bool, value: float
) -> None:
    found = measured(in_blocks(paces))
    assert found.has_shifted is has_shifted
    assert found.value == pytest.approx(value, rel=0.05)


def test_a_pace_is_never_taken_for_less_than_a_twentieth_of_the_overall_one() -> None:
    found = measured(in_blocks([100.0] * 12 + [50.0, 20.0, 5.0, *[0.2] * 5]))
    assert found.value >= 0.05 * found.overall


@pytest.mark.parametrize(
    ("every", "block_seconds"), [(1, 10.0), (10, 10.0), (15, 15.0), (40, 40.0), (120, 120.0), (240, 240.0)]
)
def test_blocks_are_as_long_as_the_time_between_two_reads(every: int, block_seconds: float) -> None:
    assert measured(even(240, 10, every=every)).block_seconds == block_seconds


def test_a_short_run_has_blocks_of_two_and_a_half_seconds() -> None:
    assert measured(even(10, 10)).block_seconds == 2.5

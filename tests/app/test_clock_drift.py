"""Two clocks compared: a sleep and a clock set back are told apart from mere time."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.sync.clock_jumps import AWAY_SECONDS, STEP_SECONDS, ClockEvent, ClockReading, compare_clocks

BEFORE = ClockReading(1_000_000.0, 500.0)


def event(wall: float, steady: float) -> ClockEvent:
    return compare_clocks(BEFORE, ClockReading(BEFORE.wall + wall, BEFORE.steady + steady))[0]


@given(st.floats(0, AWAY_SECONDS - 1), st.floats(-STEP_SECONDS + 1, 0))
def test_time_that_passes_is_nothing(seconds: float, slewed: float) -> None:
    assert event(max(0.0, seconds + slewed), seconds) is ClockEvent.NONE


def test_a_sleep_is_seen_whether_or_not_the_steady_clock_slept_too() -> None:
    assert event(8 * 3600, 0.1) is ClockEvent.WOKE
    assert event(8 * 3600, 8 * 3600) is ClockEvent.WOKE


def test_a_process_that_was_stopped_wakes_too() -> None:
    assert event(45, 45) is ClockEvent.WOKE


@given(st.floats(STEP_SECONDS + 1, AWAY_SECONDS - 1))
def test_a_clock_set_ahead_by_less_than_a_sleep_is_seen(seconds: float) -> None:
    assert event(seconds, 0.1) is ClockEvent.WENT_AHEAD


@given(st.floats(STEP_SECONDS + 0.5, 1e9))
def test_a_clock_that_was_set_back_is_seen_with_by_how_much(seconds: float) -> None:
    event_seen, lost = compare_clocks(BEFORE, ClockReading(BEFORE.wall - seconds, BEFORE.steady + 0.1))
    assert event_seen is ClockEvent.WENT_BACK
    assert abs(lost - seconds) < 1


def test_a_clock_set_back_during_a_sleep_is_set_back() -> None:
    assert event(-3600, 8 * 3600) is ClockEvent.WENT_BACK
    assert event(7 * 3600, 8 * 3600) is ClockEvent.WENT_BACK

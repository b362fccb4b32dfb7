"""Two clocks compared: a sleep and a clock set back are told apart from mere time (issue 4, point 8)."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.sync.clock_drift import AWAY_SECONDS, BACK_SECONDS, ClockEvent, ClockReading, compare

BEFORE = ClockReading(1_000_000.0, 500.0)


def turn(wall: float, steady: float) -> ClockEvent:
    return compare(BEFORE, ClockReading(BEFORE.wall + wall, BEFORE.steady + steady)).turn


@given(st.floats(0, AWAY_SECONDS - 1), st.floats(-BACK_SECONDS + 1, 0))
def test_time_that_passes_is_nothing(seconds: float, slewed: float) -> None:
    assert turn(max(0.0, seconds + slewed), seconds) is ClockEvent.NONE


def test_a_sleep_is_seen_whether_or_not_the_steady_clock_slept_too() -> None:
    assert turn(8 * 3600, 0.1) is ClockEvent.WOKE
    assert turn(8 * 3600, 8 * 3600) is ClockEvent.WOKE


def test_a_process_that_was_stopped_wakes_too() -> None:
    assert turn(45, 45) is ClockEvent.WOKE


@given(st.floats(BACK_SECONDS + 0.5, 1e9))
def test_a_clock_that_was_set_back_is_seen_with_by_how_much(seconds: float) -> None:
    step = compare(BEFORE, ClockReading(BEFORE.wall - seconds, BEFORE.steady + 0.1))
    assert step.turn is ClockEvent.WENT_BACK
    assert abs(step.seconds - seconds) < 1


def test_a_clock_set_back_during_a_sleep_is_set_back() -> None:
    assert turn(-3600, 8 * 3600) is ClockEvent.WENT_BACK
    assert turn(7 * 3600, 8 * 3600) is ClockEvent.WENT_BACK

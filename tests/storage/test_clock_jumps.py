"""Two clocks compared: a sleep and a clock that was set are told apart from mere time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.storage.clocks import (
    AWAY_SECONDS,
    STEP_SECONDS,
    ClockEvent,
    ClockReading,
    compare_clocks,
    is_ahead,
)

BEFORE = ClockReading(1_700_000_000.0, 500.0)


def compare(wall: float, steady: float) -> tuple[ClockEvent, float]:
    return compare_clocks(BEFORE, ClockReading(BEFORE.wall + wall, BEFORE.steady + steady))


@pytest.mark.parametrize(
    ("wall", "steady", "event", "seconds"),
    [
        (1.0, 1.0, ClockEvent.NONE, 1.0),
        (30.0, 30.0, ClockEvent.NONE, 30.0),
        (10.0, 1.0, ClockEvent.NONE, 10.0),
        (30.5, 1.0, ClockEvent.WOKE, 30.5),
        (31.0, 31.0, ClockEvent.WOKE, 31.0),
        (8 * 3600.0, 0.1, ClockEvent.WOKE, 8 * 3600.0),
        (8 * 3600.0, 8 * 3600.0, ClockEvent.WOKE, 8 * 3600.0),
        (36.0, 40.0, ClockEvent.WOKE, 40.0),
        (-4.0, 1.0, ClockEvent.NONE, 1.0),
        (-4.5, 1.0, ClockEvent.WENT_BACK, 5.5),
        (-3600.0, 60.0, ClockEvent.WENT_BACK, 3660.0),
        (10.0, 40.0, ClockEvent.WENT_BACK, 30.0),
        (7 * 3600.0, 8 * 3600.0, ClockEvent.WENT_BACK, 3600.0),
    ],
)
def test_what_a_difference_between_two_readings_means(
    wall: float, steady: float, event: ClockEvent, seconds: float
) -> None:
    assert compare(wall, steady) == (event, seconds)


@given(st.floats(0, AWAY_SECONDS - 1), st.floats(-STEP_SECONDS + 1, 0))
def test_time_that_passes_is_nothing(seconds: float, slewed: float) -> None:
    assert compare(max(0.0, seconds + slewed), seconds)[0] is ClockEvent.NONE


@given(st.floats(STEP_SECONDS + 0.5, 1e9))
def test_a_clock_that_gained_on_the_steady_one_was_set_or_the_machine_slept(seconds: float) -> None:
    assert is_ahead(BEFORE, ClockReading(BEFORE.wall + seconds, BEFORE.steady + 0.1))
    assert is_ahead(BEFORE, ClockReading(BEFORE.wall + seconds, 0.0)), "another start of the machine"
    assert not is_ahead(BEFORE, ClockReading(BEFORE.wall - seconds, BEFORE.steady + 0.1))


@given(st.floats(STEP_SECONDS + 0.5, 1e9))
def test_a_clock_that_was_set_back_is_seen_with_by_how_much(seconds: float) -> None:
    event, lost = compare(-seconds, 0.1)
    assert event is ClockEvent.WENT_BACK
    assert abs(lost - seconds) < 1

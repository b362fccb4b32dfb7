"""Two clocks tell a sleep from a clock that was set back."""

import pytest

from frontdesk.sync.clock_jumps import ClockEvent, ClockReading, compare_clocks


@pytest.mark.parametrize(
    ("wall", "steady", "event", "seconds"),
    [
        (1.0, 1.0, ClockEvent.NONE, 1.0),
        (30.0, 30.0, ClockEvent.NONE, 30.0),
        (30.5, 1.0, ClockEvent.WOKE, 30.5),
        (31.0, 31.0, ClockEvent.WOKE, 31.0),
        (-4.0, 1.0, ClockEvent.NONE, 1.0),
        (-4.5, 1.0, ClockEvent.WENT_BACK, 5.5),
        (-3600.0, 60.0, ClockEvent.WENT_BACK, 3660.0),
        (10.0, 40.0, ClockEvent.WENT_BACK, 30.0),
        (36.0, 40.0, ClockEvent.WOKE, 40.0),
    ],
)
def test_what_a_difference_between_two_readings_means(
    wall: float, steady: float, event: ClockEvent, seconds: float
) -> None:
    before = ClockReading(1_700_000_000.0, 500.0)
    assert compare_clocks(before, ClockReading(before.wall + wall, before.steady + steady)) == (event, seconds)

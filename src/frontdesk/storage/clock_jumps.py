"""Detects with two clocks whether the machine slept or its clock was set."""

from enum import StrEnum
from typing import NamedTuple

STEP_SECONDS = 5.0
"""Difference in seconds above which the wall clock was set, or the steady one stopped."""

AWAY_SECONDS = 30.0
"""Gap in seconds above which the machine slept, the process was stopped, or the clock was set forward."""


class ClockEvent(StrEnum):
    """Events between two readings: nothing, a sleep or a clock set ahead, or one set back."""

    NONE = "none"
    WOKE = "woke"
    WENT_BACK = "went back"


class ClockReading(NamedTuple):
    """Both clocks at one moment, in seconds."""

    wall: float
    steady: float


def compare_clocks(before: ClockReading, now: ClockReading) -> tuple[ClockEvent, float]:
    """Compare two successive readings; return the event and its seconds.

    The wall clock stamps everything in the store; the steady one never goes back, and stops during many sleeps.
    """
    wall, steady = now.wall - before.wall, now.steady - before.steady
    if steady - wall > STEP_SECONDS:
        return ClockEvent.WENT_BACK, steady - wall
    passed = max(wall, steady)
    return (ClockEvent.WOKE if passed > AWAY_SECONDS else ClockEvent.NONE), passed


def is_ahead(before: ClockReading, now: ClockReading) -> bool:
    """Return whether the wall clock advanced more than the steady one: it was set, or the machine slept."""
    return now.wall - before.wall > now.steady - before.steady + STEP_SECONDS

"""Tells from two clocks whether the machine slept or its clock was set back; the engine checks once a second."""

from enum import StrEnum
from typing import NamedTuple

BACK_SECONDS = 5.0
"""A wall clock that lost more than this was set back: stored times mean nothing."""

AWAY_SECONDS = 30.0
"""A longer gap means that the machine slept, the process stood still, or the clock was set forward."""


class ClockEvent(StrEnum):
    """What a difference between two readings means: nothing, a sleep, or a clock that was set back."""

    NONE = "none"
    WOKE = "woke"
    WENT_BACK = "went back"


class ClockReading(NamedTuple):
    """Both clocks at one moment, in seconds."""

    wall: float
    steady: float


def compare_clocks(before: ClockReading, now: ClockReading) -> tuple[ClockEvent, float]:
    """Compare two successive readings; returns the event and its seconds.

    The wall clock stamps everything in the store; the steady one never goes back, and stops during many sleeps.
    """
    wall, steady = now.wall - before.wall, now.steady - before.steady
    if steady - wall > BACK_SECONDS:
        return ClockEvent.WENT_BACK, steady - wall
    passed = max(wall, steady)
    return (ClockEvent.WOKE if passed > AWAY_SECONDS else ClockEvent.NONE), passed

"""Detects that the machine slept or its clock was set back, from two clocks. Pure.

The wall clock stamps everything in the store; the steady one never goes back, and stops during many sleeps.
"""

from dataclasses import dataclass
from enum import StrEnum

BACK_SECONDS = 5.0
"""A wall clock that lost more than this was set back: stored times mean nothing."""

AWAY_SECONDS = 30.0
"""A longer gap means that the machine slept, the process stood still, or the clock was set forward."""


class ClockEvent(StrEnum):
    """A difference between two readings."""

    NONE = "none"
    WOKE = "woke"
    WENT_BACK = "went back"


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks at one moment, in seconds."""

    wall: float
    steady: float


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A clock event and its seconds."""

    turn: ClockEvent
    seconds: float = 0.0


def compare(before: ClockReading, now: ClockReading) -> ClockStep:
    """Compare two successive readings."""
    wall, steady = now.wall - before.wall, now.steady - before.steady
    if steady - wall > BACK_SECONDS:
        return ClockStep(ClockEvent.WENT_BACK, steady - wall)
    if max(wall, steady) > AWAY_SECONDS:
        return ClockStep(ClockEvent.WOKE, max(wall, steady))
    return ClockStep(ClockEvent.NONE)

"""Two clocks compared: whether the machine slept, or its clock was set back, between two looks.

Pure, and called by the engine ten times a second. The wall clock is what everything in the store
is stamped with; the steady one never goes back, and stands still while many machines sleep.
"""

from dataclasses import dataclass
from enum import StrEnum

BACK_SECONDS = 5.0
"""A wall clock that is behind the steady one by more than this was set: times kept before mean nothing."""

AWAY_SECONDS = 30.0
"""Nobody looked for this long: the machine slept, the process stood still, or the clock was set forward."""


class ClockEvent(StrEnum):
    """What happened between two looks."""

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
    """What happened, and by how many seconds."""

    turn: ClockEvent
    seconds: float = 0.0


def compare(before: ClockReading, now: ClockReading) -> ClockStep:
    """What to make of two readings, one after the other."""
    wall, steady = now.wall - before.wall, now.steady - before.steady
    if steady - wall > BACK_SECONDS:
        return ClockStep(ClockEvent.WENT_BACK, steady - wall)
    if max(wall, steady) > AWAY_SECONDS:
        return ClockStep(ClockEvent.WOKE, max(wall, steady))
    return ClockStep(ClockEvent.NONE)

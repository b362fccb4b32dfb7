"""This machine's clocks: jumps of one, and its offset from the platform's, by the `Date` of responses.

In a team the offset is by the relay's clock.
The engine keeps the offset; the status line and `doctor` show it. Every surface that takes a time in words uses
`parse_by_clock`, which refuses words that count from now while the clock is wrong.
"""

import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeVar

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.sql import ReadConnection, first
from frontdesk.text.relative_time import MINUTE, duration_words

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


MAX_OFFSET_SECONDS = 60.0
"""Maximum offset in seconds; a larger one is shown, and relative words are refused."""

SAME_SECONDS = 5.0
"""Difference in seconds below which two offsets are equal: a `Date` has whole seconds, and responses take time."""

ANOTHER_WEEK = timedelta(days=8, hours=5)
"""Shift in seconds that tells whether words count from now: others mean the same time at both moments."""

_KEY = "platform clock"


class _Timed(Protocol):
    @property
    def at(self) -> object: ...


TimedT = TypeVar("TimedT", bound=_Timed)


def keep_offset(db: apsw.Connection, offset: float, now: float, steady: float) -> None:
    """Store an offset, and notify screens, if it differs from the stored one.

    Args:
        offset: seconds that the platform's clock is ahead of this machine's.
        steady: seconds of the clock that all processes of the machine share and nobody sets.
    """
    kept = known_offset(db, now, steady)
    if kept is None or abs(kept - offset) > SAME_SECONDS:
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, json.dumps([offset, now - steady])))
        change_feed.append(db, change_feed.HEALTH, ["clock"])


def known_offset(db: ReadConnection, now: float, steady: float | None = None) -> float | None:
    """Return the offset; None if this machine's clock was set, or it slept or started, since it was measured."""
    offset, since = _kept(db)
    moved = now - (time.monotonic() if steady is None else steady) - since
    return offset if abs(moved) <= SAME_SECONDS else None


def last_offset(db: ReadConnection) -> float | None:
    """Return the offset that the engine stored last, which is the present one while the engine runs."""
    return _kept(db)[0]


def _kept(db: ReadConnection) -> tuple[float | None, float]:
    """Return the offset, and the difference between this machine's two clocks at its measurement."""
    row = first(db, "SELECT value FROM meta WHERE key = ?", (_KEY,))
    return (None, 0.0) if row is None else json.loads(row[0])


def offset_words(offset: float | None) -> str:
    """Describe the offset of this machine's clock: "2 h behind"; empty up to a minute or if unknown."""
    if offset is None or abs(offset) <= MAX_OFFSET_SECONDS:
        return ""
    return f"{duration_words(round(abs(offset) / MINUTE) * MINUTE)} {'behind' if offset > 0 else 'ahead'}"


def parse_by_clock(
    parse: Callable[[str, datetime], TimedT], words: str, now: datetime, offset: float | None
) -> TimedT:
    """Parse a time in words, unless they count from a clock that is off.

    Raises:
        DueNotUnderstood: the words count from it, or `parse` doesn't understand them.
    """
    found = parse(words, now)
    fault = relative_fault(offset)
    if fault and is_relative(parse, words, now):
        from frontdesk.text.due_parser import DueNotUnderstood  # heavy, and not needed to load the offset

        raise DueNotUnderstood(fault)
    return found


def relative_fault(offset: float | None) -> str:
    """Return why times that count from now are refused, with an example after `;`; empty if they aren't."""
    off = offset_words(offset)
    return off and f"your clock is {off}: set it or type a full date; for example 2026-12-24 09:00"


def is_relative(parse: Callable[[str, datetime], _Timed], words: str, now: datetime) -> bool:
    """Return whether the time that words mean depends on when they are parsed."""
    try:
        return parse(words, now).at != parse(words, now - ANOTHER_WEEK).at
    except ValueError:
        return True

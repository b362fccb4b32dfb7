"""Business time: how much of it lies between two moments, and when so much of it has passed. Pure.

Hours are open while the wall clock of their zone is within a period: the hour that comes twice in autumn counts
twice, and the one that spring leaves out not at all.
"""

import bisect
import itertools
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo

DAY = 86_400
EPOCH = date(1970, 1, 1)

MAX_DAYS = 3_660
"""A deadline is looked for in so many days."""

MIN_AT, MAX_AT = 0.0, 7_000_000_000.0
"""Moments that a calendar is asked about, Unix seconds: a year in the far future is a fault of the data."""

MAX_CACHED_DAYS = 20_000

BLOCK_DAYS = 128
"""Sums are kept by blocks of so many days: numbers ask about tens of thousands of spans."""

_BLOCK = BLOCK_DAYS * DAY

Period = tuple[int, int]
"""From and until, in seconds of a day by the wall clock; 86,400 is its end."""

Week = Sequence[Sequence[Period]]
"""The periods of Monday to Sunday."""

_Interval = tuple[float, float]


class _Block:
    """The open intervals of some days, in order, with the business seconds before each."""

    def __init__(self, intervals: Sequence[_Interval]) -> None:
        self._intervals = intervals
        self._starts = [opens for opens, _ in intervals]
        *self._sums, self.total = itertools.accumulate((until - opens for opens, until in intervals), initial=0.0)

    def before(self, at: float) -> float:
        number = bisect.bisect_right(self._starts, at) - 1
        if number < 0:
            return 0.0
        opens, until = self._intervals[number]
        return self._sums[number] + min(at, until) - opens


class BusinessHours:
    """The opening hours of one zone, in seven days with periods that don't overlap."""

    def __init__(self, zone: tzinfo, week: Week, is_holiday: Callable[[date], bool] = lambda _: False):
        self._zone, self._is_holiday = zone, is_holiday
        self._week = tuple(tuple(sorted(periods)) for periods in week)
        self._days: dict[int, tuple[_Interval, ...]] = {}
        self._blocks: dict[int, _Block] = {}

    def between(self, start: float, end: float) -> float:
        """Return the business seconds between two moments (Unix seconds); 0 where they are in reverse."""
        if end <= start:
            return 0.0
        first, last = int(start // _BLOCK), int(end // _BLOCK)
        seconds = self._block(last).before(end) - self._block(first).before(start)
        return seconds + sum(self._block(each).total for each in range(first, last))

    def after(self, start: float, seconds: float) -> float | None:
        """Return the first moment at which so many business seconds have passed; None beyond `MAX_DAYS`."""
        left = seconds
        if left <= 0:
            return start
        for opens, until in self._intervals(start, start + MAX_DAYS * DAY):
            usable = until - max(opens, start)
            if usable >= left:
                return max(opens, start) + left
            left -= max(0.0, usable)
        return None

    def _block(self, number: int) -> "_Block":
        if (known := self._blocks.get(number)) is None:
            days = range(number * BLOCK_DAYS, (number + 1) * BLOCK_DAYS)
            known = self._blocks[number] = _Block([each for day in days for each in self._open_on(day)])
        return known

    def _intervals(self, start: float, end: float) -> Iterator[_Interval]:
        """Yield the open intervals that may touch a range, in order."""
        for day in range(int(start // DAY), int(end // DAY) + 1):
            yield from self._open_on(day)

    def _open_on(self, day: int) -> tuple[_Interval, ...]:
        """Return the open intervals within a day of UTC, in order."""
        if (known := self._days.get(day)) is not None:
            return known
        found: list[_Interval] = []
        for start, end, offset in self._pieces(day * DAY, (day + 1) * DAY):
            first, last = (start + offset) // DAY, (end + offset - 1) // DAY
            for number in range(first, last + 1):
                found += self._open_within(number, start + offset, end + offset, offset)
        if len(self._days) >= MAX_CACHED_DAYS:
            self._days.clear()
        self._days[day] = tuple(found)
        return self._days[day]

    def _open_within(self, number: int, start: int, end: int, offset: int) -> Iterator[_Interval]:
        """Yield what is open of a local date, within a range of local seconds, as Unix seconds."""
        local_date = EPOCH + timedelta(days=number)
        if self._is_holiday(local_date):
            return
        for opens, until in self._week[local_date.weekday()]:
            since, to = max(number * DAY + opens, start), min(number * DAY + until, end)
            if since < to:
                yield (since - offset, to - offset)

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield the parts of a day between which the zone's offset changes, each with its offset."""
        while start < end:
            offset = self._offset(start)
            # Two changes within six hours, there and back, are in no zone's records.
            at = next((at for at in range(start, end, DAY // 4) if self._offset(at) != offset), end - 1)
            change = end if self._offset(at) == offset else self._change_before(max(start, at - DAY // 4), at)
            yield start, change, offset
            start = change

    def _change_before(self, low: int, high: int) -> int:
        """Return the first second with another offset, given one before it and one after it."""
        offset = self._offset(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._offset(middle) == offset else (low, middle)
        return high

    def _offset(self, at: int) -> int:
        offset = datetime.fromtimestamp(at, UTC).astimezone(self._zone).utcoffset()
        return 0 if offset is None else int(offset.total_seconds())

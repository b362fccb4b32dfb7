"""Business time: how much of it lies between two moments, and when so much of it has passed. Pure.

Hours are open while the wall clock of their zone is within a period: the hour that comes twice in autumn counts
twice, and the one that spring leaves out not at all.
"""

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
"""Sums of whole days are kept by blocks of so many."""

Period = tuple[int, int]
"""From and until, in seconds of a day by the wall clock; 86,400 is its end."""

Week = Sequence[Sequence[Period]]
"""The periods of Monday to Sunday."""

_Interval = tuple[float, float]


def _never(_: date) -> bool:
    return False


class BusinessHours:
    """The opening hours of one zone.

    Args:
        week: seven days, each with periods that don't overlap.
        is_holiday: whether a date has no hours.
    """

    def __init__(self, zone: tzinfo, week: Week, is_holiday: Callable[[date], bool] = _never):
        self._zone, self._is_holiday = zone, is_holiday
        self._week = tuple(tuple(sorted(periods)) for periods in week)
        self._days: dict[int, tuple[_Interval, ...]] = {}
        self._sums: dict[int, list[float]] = {}

    def between(self, start: float, end: float) -> float:
        """Return the business seconds between two moments (Unix seconds); 0 where they are in reverse."""
        first, last = int(start // DAY), int(end // DAY)
        if last - first < 2:
            return self._counted(start, end)
        whole_days = self._of_days(first + 1, last)
        return self._counted(start, (first + 1) * DAY) + whole_days + self._counted(last * DAY, end)

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

    def _counted(self, start: float, end: float) -> float:
        return sum(max(0.0, min(until, end) - max(opens, start)) for opens, until in self._intervals(start, end))

    def _of_days(self, first: int, end: int) -> float:
        """Return the business seconds of the days from one up to another: numbers ask about thousands of spans."""
        seconds = 0.0
        while first < end:
            block, at = divmod(first, BLOCK_DAYS)
            until = min(end - block * BLOCK_DAYS, BLOCK_DAYS)
            sums = self._sums_of(block)
            seconds += sums[until] - sums[at]
            first = (block + 1) * BLOCK_DAYS
        return seconds

    def _sums_of(self, block: int) -> list[float]:
        """Return for each day of a block, and for its end, the business seconds before it within the block."""
        if (known := self._sums.get(block)) is None:
            days = range(block * BLOCK_DAYS, (block + 1) * BLOCK_DAYS)
            of_days = (sum(until - opens for opens, until in self._open_on(day)) for day in days)
            known = self._sums[block] = [*itertools.accumulate(of_days, initial=0.0)]
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

"""The days that numbers are counted for, in the person's zone, and the days that they are compared with."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

SLOT_SECONDS = 900
"""Messages are counted by quarters of an hour: days of every zone begin with one."""

MAX_DAYS = 400

EXAMPLES = "today, yesterday, 7, 28, 2026-11-01 or 2026-11-01..2026-11-15"


class PeriodNotUnderstood(ValueError):
    """The words name no days that have been; the text says what does."""


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days up to now.

    Attributes:
        first_day, last_day: both included.
        end: Unix seconds, not included: the end of the last day, or the end of the quarter of an hour that is now.
    """

    first_day: date
    last_day: date
    end: float
    zone: tzinfo

    @property
    def start(self) -> float:
        """Return the beginning of the first day, Unix seconds."""
        return _midnight(self.first_day, self.zone)

    @property
    def days(self) -> int:
        return (self.last_day - self.first_day).days + 1

    @property
    def before(self) -> "Period":
        """Return as many days before it, up to the same time of the last one."""
        shift = timedelta(days=self.days)
        last = self.last_day - shift
        end = _midnight(last + timedelta(days=1), self.zone)
        if self.end < _midnight(self.last_day + timedelta(days=1), self.zone):
            local = datetime.fromtimestamp(self.end, self.zone)
            end = min(end, (local - shift).timestamp())
        return Period(self.first_day - shift, last, end, self.zone)

    def each_day(self) -> Iterator["Period"]:
        for number in range(self.days):
            day = self.first_day + timedelta(days=number)
            yield Period(day, day, min(self.end, _midnight(day + timedelta(days=1), self.zone)), self.zone)

    @property
    def hours(self) -> Sequence[int]:
        """Return the hours of the day that it has some of, 0 to 23: of today, those that have begun."""
        return range(24) if self.days > 1 else range(self.local(self.end - 1).hour + 1)

    @property
    def weekdays(self) -> Sequence[int]:
        """Return the weekdays that it has some of, 0 is Monday."""
        return sorted({each.first_day.weekday() for each in self.each_day()})

    @property
    def hours_of_week(self) -> Sequence[str]:
        """Return the hours of the week that it has some of: `0 09` is from nine on Mondays."""
        moments = map(self.local, range(int(self.start), int(self.end), SLOT_SECONDS))
        return sorted({f"{each.weekday()} {each.hour:02}" for each in moments})

    @property
    def short_name(self) -> str:
        """Return its days without the year of the last one: `Thu 26 Nov`, `20 to 26 Nov`."""
        return self.name.rpartition(" ")[0]

    @property
    def name(self) -> str:
        """Return its days for people: `Thu 26 Nov 2026`, `20 to 26 Nov 2026`."""
        first, last = self.first_day, self.last_day
        if first == last:
            return f"{first:%a} {first.day} {first:%b %Y}"
        year = "" if first.year == last.year else f" {first.year}"
        month = "" if not year and first.month == last.month else f" {first:%b}"
        return f"{first.day}{month}{year} to {last.day} {last:%b %Y}"

    @property
    def name_in_full(self) -> str:
        """Return its days, and that the last one isn't whole: what counts is compared up to the same time."""
        is_whole = self.end >= _midnight(self.last_day + timedelta(days=1), self.zone)
        return self.name if is_whole else f"{self.name} up to the same time"

    def local(self, at: float) -> datetime:
        return datetime.fromtimestamp(at, self.zone)


def parse_period(words: str, now: float, zone: tzinfo) -> Period:
    """Parse `today`, `yesterday`, a number of days, a day, or `DAY..DAY`; raises `PeriodNotUnderstood`."""
    written = words.strip().lower() or "today"
    today = datetime.fromtimestamp(now, zone).date()
    if re.fullmatch(r"\d{1,4}", written):
        if not 1 <= int(written) <= MAX_DAYS:
            raise PeriodNotUnderstood(f"{written} days: choose 1 to {MAX_DAYS}")
        return _period(today - timedelta(days=int(written) - 1), today, now, zone)
    first, sign, last = written.partition("..")
    first_day = _day(first, now, zone)
    last_day = _day(last or "today", now, zone) if sign else first_day
    if last_day < first_day:
        raise PeriodNotUnderstood(f"{words.strip()}: the second day is before the first")
    if (last_day - first_day).days >= MAX_DAYS:
        raise PeriodNotUnderstood(f"{words.strip()}: choose at most {MAX_DAYS} days")
    return _period(first_day, last_day, now, zone)


def _period(first_day: date, last_day: date, now: float, zone: tzinfo) -> Period:
    slot_end = float((int(now) // SLOT_SECONDS + 1) * SLOT_SECONDS)
    return Period(first_day, last_day, min(_midnight(last_day + timedelta(days=1), zone), slot_end), zone)


def _day(words: str, now: float, zone: tzinfo) -> date:
    from frontdesk.text.due_parser import DueNotUnderstood, parse_past_day  # the engine counts, and reads no words

    try:
        day = parse_past_day(words, datetime.fromtimestamp(now, zone))
    except DueNotUnderstood as error:
        why, _, _ = str(error).partition("; ")
        raise PeriodNotUnderstood(f"{why}; try {EXAMPLES}") from None
    if day is None:
        raise PeriodNotUnderstood(f"{words.strip()!r} isn't a recognized day or range; try {EXAMPLES}")
    return day


def _midnight(day: date, zone: tzinfo) -> float:
    return datetime.combine(day, time(), zone).astimezone(UTC).timestamp()

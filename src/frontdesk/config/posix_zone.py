"""Time zone of a POSIX rule such as `EST5EDT,M3.2.0,M11.1.0`, as TZ may hold one.

`zoneinfo` takes names and files only. Offsets count westwards in a rule and eastwards here.
"""

import calendar
import re
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

MAX_OFFSET_HOURS, MAX_RULE_HOURS = 24, 167

USA_RULES = ",M3.2.0,M11.1.0"
"""The C library's rules for a zone that names daylight saving time without rules."""

_DAY_SECONDS = 86_400
_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_TIME = r"[+-]?\d{1,3}(?::[0-5]\d(?::[0-5]\d)?)?"
_DAY = r"(?:M(?:[1-9]|1[0-2])\.[1-5]\.[0-6]|J\d{1,3}|\d{1,3})"
_STANDARD = re.compile(rf"(?P<name>{_NAME})(?P<offset>{_TIME})", re.ASCII)
_SUMMER = re.compile(
    rf"(?P<name>{_NAME})(?P<offset>{_TIME})?,(?P<start>{_DAY})(?:/(?P<start_at>{_TIME}))?,"
    rf"(?P<end>{_DAY})(?:/(?P<end_at>{_TIME}))?",
    re.ASCII,
)


class _OffsetPeriod(NamedTuple):
    """A period of standard or daylight saving time: its name, and the seconds east of UTC."""

    name: str
    offset: int


class _ClockChange(NamedTuple):
    """A day of each year, and the wall clock's seconds after its midnight."""

    day: str
    seconds: int

    def in_year(self, year: int) -> int:
        """Return the wall clock's seconds since the first day of the calendar."""
        return _ordinal(self.day, year) * _DAY_SECONDS + self.seconds


class PosixZone(tzinfo):
    """A zone without a history: the same rules in every year."""

    def __init__(
        self,
        rule: str,
        standard: _OffsetPeriod,
        summer: tuple[_OffsetPeriod, _ClockChange, _ClockChange] | None = None,
    ) -> None:
        self._rule = rule
        self._standard = standard
        self._summer = summer

    def __repr__(self) -> str:
        return f"PosixZone({self._rule!r})"

    def __str__(self) -> str:
        return self._rule

    def __reduce__(self) -> tuple[object, ...]:
        return parse_posix_zone, (self._rule,)

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return None if moment is None else timedelta(seconds=self._of_wall(moment).offset)

    def dst(self, moment: datetime | None) -> timedelta | None:
        if moment is None:
            return None
        return timedelta(seconds=self._of_wall(moment).offset - self._standard.offset)

    def tzname(self, moment: datetime | None) -> str | None:
        return None if moment is None else self._of_wall(moment).name

    def fromutc(self, moment: datetime) -> datetime:
        """Return the wall clock's time; the second one of an hour that comes twice has a fold."""
        period = self._of_utc(_seconds(moment))
        wall = moment + timedelta(seconds=period.offset)
        return wall.replace(fold=int(self._of_wall(wall.replace(fold=0)).offset > period.offset))

    def _of_wall(self, moment: datetime) -> _OffsetPeriod:
        if self._summer is None:
            return self._standard
        wall = _seconds(moment)
        both = sorted((self._standard, self._summer[0]), key=lambda each: each.offset, reverse=True)
        # The greater offset is the earlier moment.
        possible = [each for each in both if self._of_utc(wall - each.offset) is each]
        if possible:
            return possible[-1 if moment.fold else 0]
        # Clocks skip this time: before their change they had the smaller offset (PEP 495).
        return both[0 if moment.fold else -1]

    def _of_utc(self, seconds: int) -> _OffsetPeriod:
        if self._summer is None:
            return self._standard
        summer, start, end = self._summer
        year = date.fromordinal(min(max(seconds // _DAY_SECONDS, 1), date.max.toordinal())).year
        begins_at = start.in_year(year) - self._standard.offset
        ends_at = end.in_year(year) - summer.offset
        if begins_at > ends_at:  # south of the equator
            return self._standard if ends_at <= seconds < begins_at else summer
        return summer if begins_at <= seconds < ends_at else self._standard


def parse_posix_zone(text: str) -> PosixZone | None:
    """Return the zone of a rule, or `None` for another text."""
    found = _STANDARD.match(text)
    if found is None:
        return None
    standard = _period(found["name"], found["offset"], 0)
    rest = text[found.end() :]
    if not rest:
        return None if standard is None else PosixZone(text, standard)
    rules = _SUMMER.fullmatch(rest if "," in rest else rest + USA_RULES)
    if standard is None or rules is None:
        return None
    summer = _period(rules["name"], rules["offset"], standard.offset + 3_600)
    start = _change(rules["start"], rules["start_at"])
    end = _change(rules["end"], rules["end_at"])
    if summer is None or start is None or end is None:
        return None
    return PosixZone(text, standard, (summer, start, end))


def _period(name: str, offset: str | None, default: int) -> _OffsetPeriod | None:
    east = default if offset is None else -_signed_seconds(offset)
    # Python's clocks differ from UTC by less than a day.
    is_possible = abs(east) < MAX_OFFSET_HOURS * 3_600
    return _OffsetPeriod(name.strip("<>"), east) if is_possible else None


def _change(day: str, at: str | None) -> _ClockChange | None:
    seconds = 2 * 3_600 if at is None else _signed_seconds(at)
    is_possible = _is_day(day) and abs(seconds) < (MAX_RULE_HOURS + 1) * 3_600
    return _ClockChange(day, seconds) if is_possible else None


def _is_day(text: str) -> bool:
    if text.startswith("J"):
        return 1 <= int(text[1:]) <= 365
    return text.startswith("M") or int(text) <= 365


def _signed_seconds(text: str) -> int:
    parts = [int(each) for each in text.lstrip("+-").split(":")]
    size = sum(part * unit for part, unit in zip(parts, (3_600, 60, 1), strict=False))
    return -size if text.startswith("-") else size


def _ordinal(day: str, year: int) -> int:
    first = date(year, 1, 1).toordinal()
    if day.startswith("J"):  # 29 February isn't counted
        number = int(day[1:])
        return first + number - (0 if calendar.isleap(year) and number >= 60 else 1)
    if not day.startswith("M"):
        return first + int(day)
    month, week, weekday = (int(each) for each in day[1:].split("."))
    begins, length = calendar.monthrange(year, month)  # weekdays from Monday; the rule's from Sunday
    at = 1 + (weekday - 1 - begins) % 7 + 7 * (week - 1)
    return date(year, month, at if at <= length else at - 7).toordinal()


def _seconds(moment: datetime) -> int:
    day_seconds = moment.hour * 3_600 + moment.minute * 60 + moment.second
    return moment.toordinal() * _DAY_SECONDS + day_seconds

"""Due dates in words: `tomorrow 9am`, `fri`, `+3d`, `17:00`, ISO 8601, Unix seconds, or 0 for none.

Each pattern covers the whole text, so that no word or number is skipped. `date_languages` translates what isn't
English.
"""

import calendar
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeVar

from frontdesk.text.date_languages import to_english
from frontdesk.text.fuzzy import UnusableWords
from frontdesk.text.snooze_until import SnoozeWish

T = TypeVar("T")

END_OF_BUSINESS = time(17)
"""The time of day of a due date that names none."""

UNSET_WORDS = frozenset({"0", "none", "clear", "no", "never", "no due date", "no date", "remove"})
EXAMPLES = "tomorrow 9am, fri, +3d, 17:00, 2026-12-24 or 0"
"""Examples of due dates, short enough for one line of the dialog."""

MAX_UNIX_SECONDS = 9_999_999_999
"""Largest number taken for Unix seconds: with more digits it is milliseconds."""


MAX_CHARACTERS = 200
"""Maximum length of a time in words."""

MAX_WORDS = 8
"""Maximum number of words among which an unknown word is searched for: each is tried in all languages."""


class DueNotUnderstood(UnusableWords):
    """Raised when the words name no time; the text has examples."""


@dataclass(frozen=True, slots=True)
class Due:
    """A due date.

    Attributes:
        at: in the zone of the `now` it was parsed with; None unsets the due date.
        seconds: `dueDate`: Unix seconds, 0 unsets.
        note: a warning, such as a past time or a change of clocks.
    """

    at: datetime | None
    seconds: int
    is_past: bool = False
    note: str = ""


def parse_due(words: str, now: datetime) -> Due:
    """Parse the words, in the zone of `now`.

    A day without a time means 17:00. A bare number alone or after a day is an hour. A weekday is the next one,
    today while 17:00 (or the given time) is ahead; with `next` it is never today. A time without a day is the
    next one. Days and weeks keep the time of day across a change of clocks; hours and minutes are elapsed time.
    Midnight is the end of its day.

    Raises:
        DueNotUnderstood: the words mean no time, are ambiguous, or have a word or number without a meaning.
    """
    if now.tzinfo is None:
        raise ValueError("now has no zone")
    text = _normalize(words)
    if text in UNSET_WORDS:
        return Due(None, 0)
    try:
        wanted = _read_in_any_language(text, words, lambda each: _read(each, now), ("time", EXAMPLES))
        # By way of UTC, a time that the clocks skip becomes the one that they show instead.
        at = wanted.astimezone(UTC).astimezone(now.tzinfo)
        seconds = int(at.timestamp())
    except (OverflowError, OSError) as error:
        raise DueNotUnderstood(f"{words.strip()!r} is out of range; try {EXAMPLES}") from error
    if not 0 < seconds <= MAX_UNIX_SECONDS:
        raise DueNotUnderstood(f"{words.strip()!r} is out of range; try {EXAMPLES}")
    is_past = _is_before(at, now)
    return Due(at, seconds, is_past, "in the past" if is_past else _clock_change(wanted, at))


def _normalize(words: str) -> str:
    if len(words) > MAX_CHARACTERS:
        raise DueNotUnderstood(f"{words[:40].strip()!r}… is too long for a time; try {EXAMPLES}")
    text = " ".join(words.lower().replace(",", " ").replace("\u200e", "").replace("\u200f", "").split())
    for pattern, plain in _SPELLINGS:
        text = pattern.sub(plain, text)
    return text


def _read_in_any_language(text: str, words: str, read: Callable[[str], T | None], named: tuple[str, str]) -> T:
    """Return what `read` finds in the text or in a translation; `named` is the kind of value, with examples."""
    kind, examples = named
    found = _readings(text, read)
    if len(found) == 1:
        return found.pop()
    if found:
        why = f"{words.strip()!r} means different {kind}s in different languages"
    elif word := _unused_word(text, read):
        why = f"{word!r} in {words.strip()!r} isn't understood"
    else:
        why = f"{words.strip()!r} isn't a recognized {kind}"
    raise DueNotUnderstood(f"{why}; try {examples}")


def _readings(text: str, read: Callable[[str], T | None]) -> set[T]:
    found = read(text)
    if found is not None:
        return {found}
    return {other for each in to_english(text) if (other := read(each)) is not None}


def _unused_word(text: str, read: Callable[[str], T | None]) -> str:
    """Return the last word whose removal makes the text valid, or "" if there is none."""
    parts = text.split(" ")
    for at in reversed(range(len(parts) if 1 < len(parts) <= MAX_WORDS else 0)):
        try:
            if _readings(" ".join(parts[:at] + parts[at + 1 :]), read):
                return parts[at]
        except (DueNotUnderstood, OverflowError, OSError):
            continue
    return ""


def _clock_change(wanted: datetime, at: datetime) -> str:
    """Describe how a change of clocks affects the requested time of day."""
    if wanted.tzinfo is not at.tzinfo:
        return ""  # relative hours, or an explicit zone
    if wanted.replace(tzinfo=None) != at.replace(tzinfo=None):
        return f"clocks skip {wanted:%H:%M} that night; using {at:%H:%M}"
    if wanted.replace(fold=1).utcoffset() != wanted.replace(fold=0).utcoffset():
        which = "second" if wanted.fold else "first"
        return f"clocks show {wanted:%H:%M} twice that night; using the {which}"
    return ""


_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_NUMBERS |= {"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_UNITS = {
    "minutes": ("m", "min", "mins", "minute", "minutes"),
    "hours": ("h", "hr", "hrs", "hour", "hours"),
    "days": ("d", "day", "days"),
    "weeks": ("w", "wk", "week", "weeks"),
    "months": ("mo", "month", "months"),
    "years": ("y", "yr", "year", "years"),
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words}
_UNIT_WORDS = "|".join(sorted(_UNIT_OF, key=len, reverse=True))
_AMOUNT = rf"(?:(\d{{1,6}}(?:\.\d)?)\s*|({'|'.join(_NUMBERS)}) )({_UNIT_WORDS})(?![a-z])"
_STEP = re.compile(_AMOUNT)
_RELATIVE = re.compile(
    rf"(?P<sign>\+|-|in )?\s*(?P<steps>(?:(?:and )?{_AMOUNT}\s*)+)(?P<end>from now|ago|back|before)?"
)
_END_OF_DAY = ("eod", "end of day")
_TIMES = {"morning": time(9), "noon": time(12), "midday": time(12), "afternoon": time(14), "evening": time(18)}
_TIMES |= {"night": time(20), "midnight": time(23, 59), **dict.fromkeys(_END_OF_DAY, END_OF_BUSINESS)}
_PARTS_OF_DAY = {
    "morning": range(12),
    "afternoon": range(12, 19),
    "evening": range(17, 24),
    "night": range(18, 24),
}
_TOMORROW = ("tomorrow", "tom", "tmr", "tmrw", "tmw", "tomorow", "tommorow", "tommorrow")
_CLOCK = re.compile(r"(?:at )?(\d{1,2})(?:h|[:.](\d\d)(?::(\d\d))?h?)?\s*(?:([ap])m?)?")
_ISO_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_MONTHS = {name.lower(): at for at, name in enumerate(calendar.month_abbr) if name}
_NUMERIC_DATE = re.compile(r"(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}|\d\d)|\.)?(?= |$)")
_DAY_MONTH = re.compile(r"(?:the )?(\d{1,2})(?:st|nd|rd|th)? (?:of )?([a-z]{3,9})\.?(?: (\d{4}))?")
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.? (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?")
_MARCH_OR_TUESDAY = re.compile(r"mar\.? \d{1,2}|\d{1,2} mar\.?")
"""Words that mean Tuesday in Spanish, French and Italian, or March: the one month that is also a day."""
_SPELLINGS = (
    (re.compile(r"\b([ap])\.m\.?(?!\w)"), r"\1m"),
    (re.compile(r"\btonight\b"), "today night"),
    (re.compile(rf"\bthis (?=(?:{'|'.join(_PARTS_OF_DAY)})\b)"), "today "),
    (re.compile(r"(?<=\d) (?:h|o'?clock)\b(?: (?=\d\d$))?"), "h"),
    (re.compile(r"^(\+ ?|in )(\d{1,6}h)(\d\d)$"), r"\1\2 \3m"),
    (re.compile(r"\b(\d{1,2})h(\d\d)\b"), r"\1:\2"),
)


PAST_EXAMPLES = "yesterday, monday, 3 oct, 2 weeks ago, 2026-10-03 or beginning"
_BEGINNING = frozenset({"beginning", "the beginning", "start", "the start", "first", "oldest"})


def parse_past_day(words: str, now: datetime) -> date | None:
    """Parse a day up to today, in the zone of `now`; `None` means since the beginning.

    A weekday is the last one before today. A date without a year is the last such one.

    Raises:
        DueNotUnderstood: the words mean no such day, or are ambiguous; the text has examples.
    """
    text = _normalize(words).removeprefix("on ")
    if text in _BEGINNING:
        return None
    if (numeric := _NUMERIC_DATE.fullmatch(text)) is not None:
        text = _spell_out(numeric, text, "2026-10-03 or '3 oct'")
    try:
        day = _read_in_any_language(
            text, words, lambda each: _past_day(each.removesuffix(" eod"), now), ("day", PAST_EXAMPLES)
        )
    except OverflowError as error:
        raise DueNotUnderstood(f"{words.strip()!r} is out of range; try {PAST_EXAMPLES}") from error
    if day > now.date():
        raise DueNotUnderstood(f"{words.strip()!r} is in the future; try {PAST_EXAMPLES}")
    return day


def _past_day(text: str, now: datetime) -> date | None:
    today = now.date()
    named = {
        "today": today,
        "yesterday": today - timedelta(days=1),
        "last week": today - timedelta(days=7 + today.weekday()),
        "last month": _months_later(today.replace(day=1), -1),
    }
    if text in named:
        return named[text]
    name = text.removeprefix("last ")
    if (weekday := _weekday(name)) is not None:
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    month = _MONTHS.get(name[:3])
    if month is not None and calendar.month_name[month].lower().startswith(name):
        return date(today.year - (month > today.month), month, 1)
    if (at := _relative(text, now)) is not None:
        return at.astimezone(now.tzinfo).date()
    # 29 Feb may be eight years away.
    return _calendar_day(text, range(today.year, today.year - 9, -1), lambda day: day <= today)


def _read(text: str, now: datetime) -> datetime | None:
    if text.isdecimal() and len(text) > 2:
        return _unix(text, now)
    if _MARCH_OR_TUESDAY.fullmatch(text):
        raise DueNotUnderstood(f"{text!r} could be March or a Tuesday; write 'march 9' or 'tue 9'")
    numeric = _NUMERIC_DATE.match(text)
    if numeric is not None and not _is_clock(numeric, text):
        text = _spell_out(numeric, text)
    return _iso(text, now) or _day_and_time(text, now)


def _unix(digits: str, now: datetime) -> datetime:
    if len(digits) == 10:
        return datetime.fromtimestamp(int(digits), now.tzinfo)
    if len(digits) == 13:
        raise DueNotUnderstood(f"{digits} looks like milliseconds; due dates are Unix seconds: {digits[:-3]}")
    raise DueNotUnderstood(f"{digits[:20]} isn't a Unix time in seconds (ten digits); try {EXAMPLES}")


def _is_clock(found: re.Match[str], text: str) -> bool:
    """Return whether a number is a time such as `9.30`, not a date such as `24.12`."""
    if not re.fullmatch(r"\d{1,2}\.\d\d", found[0]):
        return False
    hour, minute = int(found[1]), int(found[3])
    is_date = 1 <= hour <= 31 and 1 <= minute <= 12
    if is_date and hour < 24 and found[0] == text:
        month = calendar.month_abbr[minute].lower()
        raise DueNotUnderstood(f"{text!r} could be a time or a date; write {hour}:{found[3]} or '{hour} {month}'")
    return not is_date


def _spell_out(found: re.Match[str], text: str, instead: str = "2026-12-24 or '24 dec'") -> str:
    """Rewrite `25/12` as `25 dec` if only one reading is possible."""
    first, second = int(found[1]), int(found[3])
    if first != second and first <= 12 and second <= 12:
        raise DueNotUnderstood(f"{text!r} could be two dates; write {instead}")
    day, month = (first, second) if second <= 12 else (second, first)
    year = "" if found[4] is None else f" {found[4] if len(found[4]) == 4 else '20' + found[4]}"
    name = calendar.month_abbr[month].lower() if 1 <= month <= 12 else "?"
    return f"{day} {name}{year}{text[found.end() :]}"


def _iso(text: str, now: datetime) -> datetime | None:
    if not re.match(r"\d{4}-", text) or re.fullmatch(r"\d{4}-w\d\d", text):
        return None  # a week isn't a day
    try:
        return _at(date.fromisoformat(text.upper()), END_OF_BUSINESS, now)
    except ValueError:
        try:
            at = datetime.fromisoformat(text.upper())
        except ValueError:
            return None
        return at if at.tzinfo is not None else _at(at.date(), at.time(), now)


def _day_and_time(text: str, now: datetime) -> datetime | None:
    """Parse `tomorrow 9am`, `9am tomorrow`, `fri 14`, `17:00`, `25 dec noon`, `+3d`, `in two weeks at 9am`."""
    alone = _time(text, is_hour=True)
    if alone is not None:
        at = _at(now.date(), alone, now)
        return (
            at if _is_before(now, at) or text in _END_OF_DAY else _at(now.date() + timedelta(days=1), alone, now)
        )
    if (whole := _day(text, END_OF_BUSINESS, now)) is not None:
        return _at(whole, END_OF_BUSINESS, now)
    if (step := _relative(text, now)) is not None:
        return step
    words, clock = _split_time(text)
    if clock is None:
        return None
    day = _day(words, clock, now)
    return _relative(words, now, clock) if day is None else _at(day, clock, now)


def _relative(text: str, now: datetime, clock: time | None = None) -> datetime | None:
    """Parse `+3d`, `in 2h`, `3 days ago`; days and longer are at `clock`, if given. `30h` could mean a time."""
    found = _RELATIVE.fullmatch(text)
    if found is None or (found["sign"] and found["end"]) or re.fullmatch(r"\d+h", text):
        return None
    amounts = dict.fromkeys(_UNITS, 0.0)
    for digits, word, unit in _STEP.findall(found["steps"]):
        amounts[_UNIT_OF[unit]] += float(digits) if digits else _NUMBERS[word]
    hours = timedelta(hours=amounts.pop("hours"), minutes=amounts.pop("minutes"))
    if (hours and clock is not None) or any(each % 1 for each in amounts.values()):
        return None
    way = -1 if found["sign"] == "-" or found["end"] in ("ago", "back", "before") else 1
    months = int(amounts["months"] + 12 * amounts["years"])
    day = _months_later(now.date(), way * months) + way * timedelta(days=amounts["days"] + 7 * amounts["weeks"])
    start = _at(day, clock or now.time().replace(second=0, microsecond=0), now)
    if day == now.date() and clock is None:
        start = now.replace(second=0, microsecond=0)  # keeps the fold of an hour that comes twice
    return start.astimezone(UTC) + way * hours if hours else start


def _split_time(text: str) -> tuple[str, time | None]:
    """Split a text into a time and the words before or after it."""
    parts = text.split(" ")
    for at in range(len(parts) - 1, 0, -1):
        last = _time(" ".join(parts[at:]), is_hour=True)
        if last is not None:
            before = parts[: at - 1] if parts[at - 1] == "at" and at > 1 else parts[:at]
            if before[-1] in _PARTS_OF_DAY:
                last = _time_within(before.pop(), last, is_exact=text.endswith(("m", "a", "p")))
            return " ".join(before), last
    for at in range(1, len(parts)):
        first = _time(" ".join(parts[:at]))
        if first is not None:
            return " ".join(parts[at:]).removeprefix("on "), first
    return text, None


def _time_within(part: str, clock: time, *, is_exact: bool) -> time | None:
    """Return the time in that part of the day: `tonight 9` is 21:00."""
    hours = _PARTS_OF_DAY[part]
    if clock.hour not in hours and clock.hour < 12 and not is_exact:
        clock = clock.replace(hour=clock.hour + 12)
    return clock if clock.hour in hours else None


def _time(text: str, *, is_hour: bool = False) -> time | None:
    """Parse a time of day; with `is_hour` a bare number is an hour."""
    if (name := text.removeprefix("at ")) in _TIMES:
        return _TIMES[name]
    found = _CLOCK.fullmatch(text)
    if found is None or (text.isdecimal() and not is_hour):
        return None
    hour, minute, second = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if found[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[4] == "p" else 0)
    return time(hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None


def _day(text: str, clock: time, now: datetime) -> date | None:
    today = now.date()
    named = {
        "today": today,
        "yesterday": today - timedelta(days=1),
        **dict.fromkeys(_TOMORROW, today + timedelta(days=1)),
        "day after tomorrow": today + timedelta(days=2),
        "next week": today + timedelta(days=7 - today.weekday()),
        "next month": _months_later(today, 1),
        "next year": _months_later(today, 12),
        "eow": today + timedelta(days=(4 - today.weekday()) % 7),
        "end of week": today + timedelta(days=(4 - today.weekday()) % 7),
        "eom": _month_end(today),
        "end of month": _month_end(today),
    }
    name = text.removeprefix("on ").removeprefix("by ")
    if (day := named.get(name.removeprefix("the "))) is not None:
        return day
    is_next = name.startswith("next ")
    weekday = _weekday(name.removeprefix("next ").removeprefix("this "))
    if weekday is not None:
        ahead = (weekday - now.weekday()) % 7
        if ahead == 0 and (is_next or not _is_before(now, _at(now.date(), clock, now))):
            ahead = 7
        return today + timedelta(days=ahead)
    # 29 Feb may be eight years away.
    years = range(today.year, today.year + 9)
    return _calendar_day(name, years, lambda day: _is_before(now, _at(day, clock, now)))


def _weekday(name: str) -> int | None:
    names = [each.lower() for each in calendar.day_name]
    return next((at for at, each in enumerate(names) if len(name) > 1 and each.startswith(name.rstrip("."))), None)


def _calendar_day(text: str, years: Iterable[int], fits: Callable[[date], bool]) -> date | None:
    """Parse a date; one without a year is the first that fits."""
    head, _, rest = text.partition(" ")
    if (weekday := _weekday(head)) is not None:
        day = _calendar_day(rest, years, fits)
        return day if day is not None and day.weekday() == weekday else None
    try:
        if found := _ISO_DAY.fullmatch(text):
            return date(int(found[1]), int(found[2]), int(found[3]))
        if found := _DAY_MONTH.fullmatch(text):
            number, month, year = found.groups()
        elif found := _MONTH_DAY.fullmatch(text):
            month, number, year = found.groups()
        else:
            return None
        at = _MONTHS.get(month[:3])
        if at is None or not calendar.month_name[at].lower().startswith(month):
            return None
        if year is not None:
            return date(int(year), at, int(number))
        fitting = (
            date(each, at, int(number)) for each in years if int(number) <= calendar.monthrange(each, at)[1]
        )
        return next(filter(fits, fitting), None)
    except ValueError:
        return None


def _at(day: date, clock: time, now: datetime) -> datetime:
    """Return a time on a day; if the clocks show it twice, the first one that isn't over."""
    first = datetime.combine(day, clock, tzinfo=now.tzinfo)
    second = first.replace(fold=1)
    return second if _is_before(first, now) and not _is_before(second, now) else first


def _is_before(one: datetime, other: datetime) -> bool:
    """Compare instants: of two times in one zone Python compares what the clocks show, fold or not."""
    return one.timestamp() < other.timestamp()


def _months_later(day: date, months: int) -> date:
    """Return the same day of a later month, or its last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("no calendar has such a year")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


SNOOZE_EXAMPLES = "tomorrow 9am, until they write, fri only or off"

_OFF = frozenset({"0", "off", "none", "clear", "wake", "wake up", "now"})
_WRITES = ("they write", "they reply", "they answer", "message", "reply")
_OR_MESSAGE = tuple(f" or {middle}{each}" for middle in ("until ", "when ", "") for each in _WRITES)
_TIME_ALONE = (" only", " even if they write")


def parse_snooze(words: str, now: datetime) -> SnoozeWish:
    """Parse a time, as for due dates, or the customer's next message, in the zone of `now`.

    A time alone also ends with the customer's message, which must not stay hidden. `only` after the time
    prevents that.

    Raises:
        DueNotUnderstood: the words mean no time, or a past one; the text has examples.
    """
    text = " ".join(words.lower().split())
    if text in _OFF:
        return SnoozeWish()
    text = text.removeprefix("until ").removeprefix("till ")
    if text in _WRITES:
        return SnoozeWish(on_message=True)
    on_message = True
    for each in (*_OR_MESSAGE, *_TIME_ALONE):
        if text.endswith(each):
            text, on_message = text.removesuffix(each), each not in _TIME_ALONE
            break
    due = parse_due(text, now)
    if due.at is None:
        raise DueNotUnderstood(f"{words.strip()!r} isn't a recognized time; try {SNOOZE_EXAMPLES}")
    if due.is_past:
        raise DueNotUnderstood(f"{words.strip()!r} is in the past; try {SNOOZE_EXAMPLES}")
    return SnoozeWish(due.at, on_message, due.note)

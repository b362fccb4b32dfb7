"""Due dates in words: `tomorrow 9am`, `fri`, `+3d`, `17:00`, ISO 8601, Unix seconds, or 0 for none.

The tables below read everyday words; only the rest goes to dateparser, which takes a second to load.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

END_OF_BUSINESS = time(17)
"""The time of a day without one."""

UNSET_WORDS = frozenset({"0", "none", "clear", "no", "never", "no due date", "no date", "remove"})
EXAMPLES = "tomorrow 9am, fri, +3d, 17:00, 2026-12-24 or 0"
"""Short enough for one line of the dialog."""

MAX_UNIX_SECONDS = 9_999_999_999
"""Beyond ten digits a number would be read as milliseconds."""

MAX_LANGUAGES = 40
"""How many languages dateparser tries, the most used first; with all of its 205 some words take over a second."""


class DueNotUnderstood(ValueError):
    """The words name no time; the text has examples."""


@dataclass(frozen=True, slots=True)
class Due:
    """A due date.

    Attributes:
        at: in the zone of the `now` it was read with; None unsets the due date.
        seconds: `dueDate`: Unix seconds, 0 unsets.
        note: a warning, such as a past time or a change of clocks.
    """

    at: datetime | None
    seconds: int
    is_past: bool = False
    note: str = ""


def parse_due(words: str, now: datetime) -> Due:
    """Parse the words, in the zone of `now`.

    A day without a time means 17:00. A weekday is the next one, today while 17:00 (or the given time) is ahead;
    with `next` it is never today. A time without a day is the next one. Days and weeks keep the time of day across
    a change of clocks; hours and minutes are elapsed time. Midnight is the end of its day.

    Raises:
        DueNotUnderstood: they mean no time, or are ambiguous.
    """
    if now.tzinfo is None:
        raise ValueError("now has no zone")
    text = " ".join(words.lower().replace(",", " ").split())
    if text in UNSET_WORDS:
        return Due(None, 0)
    try:
        at = _read(text, words.strip(), now) or _ask_dateparser(words.strip(), now)
        if at is None:
            raise DueNotUnderstood(f"{words.strip()!r} isn't a recognized time; try {EXAMPLES}")
        wanted = at
        # Through UTC: a time that the clocks skip becomes the one that they show instead.
        at = at.astimezone(UTC).astimezone(now.tzinfo)
        seconds = int(at.timestamp())
    except (OverflowError, OSError) as error:
        raise DueNotUnderstood(f"{words.strip()!r} is out of range; try {EXAMPLES}") from error
    if not 0 < seconds <= MAX_UNIX_SECONDS:
        raise DueNotUnderstood(f"{words.strip()!r} is out of range; try {EXAMPLES}")
    is_past = _is_before(at, now)
    return Due(at, seconds, is_past, "in the past" if is_past else _clock_change(wanted, at))


def _clock_change(wanted: datetime, at: datetime) -> str:
    """Describe what a change of clocks does to the requested time of day."""
    if wanted.tzinfo is not at.tzinfo:
        return ""  # counted in hours, or said in another zone
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
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words}
_UNIT_WORDS = "|".join(sorted(_UNIT_OF, key=len, reverse=True))
_AMOUNT = rf"(?:(\d{{1,6}})\s*|({'|'.join(_NUMBERS)}) )({_UNIT_WORDS})\b"
_STEP = re.compile(_AMOUNT)
_RELATIVE = re.compile(rf"(?:\+|in )?\s*((?:(?:and )?{_AMOUNT}\s*)+)(?:from now)?")
_TIMES = {"morning": time(9), "noon": time(12), "midday": time(12), "afternoon": time(14), "evening": time(18)}
_TIMES |= {"eod": END_OF_BUSINESS, "midnight": time(23, 59)}
_TOMORROW = ("tomorrow", "tom", "tmr", "tmrw", "tmw", "tomorow", "tommorow", "tommorrow")
_CLOCK = r"(?:at )?(\d{1,2})(?:[:.](\d\d))?\s*(am|pm)?"
_MONTHS = {name.lower(): at for at, name in enumerate(calendar.month_abbr) if name}
_WEEKDAYS = {name.lower(): at for at, name in enumerate(calendar.day_abbr)}
_NUMERIC_DATE = re.compile(r"(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}|\d\d))?(?= |$)")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\.?(?: (\d{4}))?")
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?")


PAST_EXAMPLES = "yesterday, monday, 3 oct, 2 weeks ago, 2026-10-03 or beginning"
_BEGINNING = frozenset({"beginning", "the beginning", "start", "the start", "first", "oldest"})
_AGO = re.compile(rf"(?:-\s*((?:{_AMOUNT}\s*)+)|((?:{_AMOUNT}\s*)+) ?(?:ago|back|before))")


def parse_past_day(words: str, now: datetime) -> date | None:
    """Parse a day up to today, in the zone of `now`; None for the beginning.

    A weekday is the last one before today. A date without a year is the last such one.

    Raises:
        DueNotUnderstood: they mean no such day, or are ambiguous; the text has examples.
    """
    text = " ".join(words.lower().replace(",", " ").split()).removeprefix("on ")
    if text in _BEGINNING:
        return None
    if (numeric := _NUMERIC_DATE.fullmatch(text)) is not None:
        text = _spell_out(numeric, text, "2026-10-03 or '3 oct'")
    try:
        day = _past_day(text, now)
    except (ValueError, OverflowError):
        day = None
    if day is None:
        raise DueNotUnderstood(f"{words.strip()!r} isn't a recognized day; try {PAST_EXAMPLES}")
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
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text)
    if (ago := _AGO.fullmatch(text)) is not None:
        return _days_ago(ago[0], now)
    name = text.removeprefix("last ")
    weekday = _WEEKDAYS.get(name[:3])
    if weekday is not None and calendar.day_name[weekday].lower().startswith(name):
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    month = _MONTHS.get(name[:3])
    if month is not None and calendar.month_name[month].lower().startswith(name):
        return date(today.year - (month > today.month), month, 1)
    # 29 Feb may be eight years away.
    for year in range(today.year, today.year - 9, -1):
        day = _calendar_day(name, END_OF_BUSINESS, datetime(year, 1, 1, tzinfo=now.tzinfo))
        if day is not None and (day <= today or re.search(r"\d{4}", name)):
            return day
    return None


def _days_ago(text: str, now: datetime) -> date:
    day = now
    for digits, word, unit_word in _STEP.findall(text):
        amount, unit = int(digits) if digits else _NUMBERS[word], _UNIT_OF[unit_word]
        if unit == "months":
            day = datetime.combine(_months_later(day.date(), -amount), day.time(), tzinfo=now.tzinfo)
        else:
            day -= timedelta(**{unit: amount})
    return day.date()


def _read(text: str, original: str, now: datetime) -> datetime | None:
    if text.isdecimal():
        return _unix(text, now)
    numeric = None if re.fullmatch(_CLOCK, text) else _NUMERIC_DATE.match(text)
    if numeric is not None:
        text = _spell_out(numeric, text)
    return _iso(original, now) or _relative(text, now) or _day_and_time(text, now)


def _unix(digits: str, now: datetime) -> datetime:
    if len(digits) == 10:
        return datetime.fromtimestamp(int(digits), now.tzinfo)
    if len(digits) == 13:
        raise DueNotUnderstood(f"{digits} looks like milliseconds; due dates are Unix seconds: {digits[:-3]}")
    raise DueNotUnderstood(f"{digits[:20]} isn't a Unix time in seconds (ten digits); try {EXAMPLES}")


def _spell_out(found: re.Match[str], text: str, instead: str = "2026-12-24 or '24 dec'") -> str:
    """`25/12` as `25 dec`, where only one reading is possible."""
    first, second = int(found[1]), int(found[2])
    if first != second and first <= 12 and second <= 12:
        raise DueNotUnderstood(f"{text!r} could be two dates; write {instead}")
    day, month = (first, second) if second <= 12 else (second, first)
    year = "" if found[3] is None else f" {found[3] if len(found[3]) == 4 else '20' + found[3]}"
    name = calendar.month_abbr[month].lower() if 1 <= month <= 12 else "?"
    return f"{day} {name}{year}{text[found.end() :]}"


def _iso(text: str, now: datetime) -> datetime | None:
    if not re.match(r"\d{4}-", text):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        try:
            at = datetime.fromisoformat(text.upper())
        except ValueError:
            return None
        return at if at.tzinfo is not None else _at(at.date(), at.time(), now)
    return _at(day, END_OF_BUSINESS, now)


def _relative(text: str, now: datetime) -> datetime | None:
    """`+3d`, `in 2h`, `in two weeks at 9am`."""
    text, clock = _split_time(text) if " at " in text else (text, None)
    found = _RELATIVE.fullmatch(text)
    if found is None:
        return None
    amounts = dict.fromkeys(_UNITS, 0)
    for digits, word, unit in _STEP.findall(found[1]):
        amounts[_UNIT_OF[unit]] += int(digits) if digits else _NUMBERS[word]
    day = _months_later(now.date(), amounts["months"]) + timedelta(days=amounts["days"] + 7 * amounts["weeks"])
    start = _at(day, clock or now.time().replace(second=0, microsecond=0), now)
    if day == now.date() and clock is None:
        start = now.replace(second=0, microsecond=0)  # keeps the fold of an hour that comes twice
    if not amounts["hours"] and not amounts["minutes"]:
        return start
    return start.astimezone(UTC) + timedelta(hours=amounts["hours"], minutes=amounts["minutes"])


def _day_and_time(text: str, now: datetime) -> datetime | None:
    """`tomorrow 9am`, `9am tomorrow`, `fri`, `17:00`, `25 dec noon`."""
    if text == "tonight":
        return _at(now.date(), time(20), now)
    alone = _time(text)
    if alone is not None:
        at = _at(now.date(), alone, now)
        return at if _is_before(now, at) or text == "eod" else _at(now.date() + timedelta(days=1), alone, now)
    whole = _day(text, END_OF_BUSINESS, now)
    if whole is not None:
        return _at(whole, END_OF_BUSINESS, now)
    words, clock = _split_time(text)
    if clock is None:
        return None
    day = _day(words, clock, now)
    return None if day is None else _at(day, clock, now)


def _split_time(text: str) -> tuple[str, time | None]:
    """Split into the words before or after a time, and the time."""
    parts = text.split(" ")
    for at in range(len(parts) - 1, 0, -1):
        last = _time(" ".join(parts[at:]))
        if last is not None and (parts[at - 1] != "at" or at < 2):
            return " ".join(parts[:at]), last
        if last is not None:
            return " ".join(parts[: at - 1]), last
    for at in range(1, len(parts)):
        first = _time(" ".join(parts[:at]))
        if first is not None:
            return " ".join(parts[at:]).removeprefix("on "), first
    return text, None


def _time(text: str) -> time | None:
    if (name := text.removeprefix("at ")) in _TIMES:
        return _TIMES[name]
    found = re.fullmatch(_CLOCK, text)
    if found is None or not (found[2] or found[3] or text.startswith("at ")):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[3] == "pm" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _day(text: str, clock: time, now: datetime) -> date | None:
    today = now.date()
    named = {
        "today": today,
        "eod": today,
        "end of day": today,
        **dict.fromkeys(_TOMORROW, today + timedelta(days=1)),
        "next week": today + timedelta(days=7 - today.weekday()),
        "eow": today + timedelta(days=(4 - today.weekday()) % 7),
        "end of week": today + timedelta(days=(4 - today.weekday()) % 7),
        "eom": _month_end(today),
        "end of month": _month_end(today),
    }
    if text in named:
        return named[text]
    try:
        return (
            date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else _calendar_day(text, clock, now)
        )
    except ValueError:
        return None


def _calendar_day(text: str, clock: time, now: datetime) -> date | None:
    is_next = text.startswith("next ")
    name = text.removeprefix("next ").removeprefix("this ").removeprefix("on ")
    weekday = _WEEKDAYS.get(name[:3])
    if weekday is not None and calendar.day_name[weekday].lower().startswith(name):
        ahead = (weekday - now.weekday()) % 7
        if ahead == 0 and (is_next or not _is_before(now, _at(now.date(), clock, now))):
            ahead = 7
        return now.date() + timedelta(days=ahead)
    found = _DAY_MONTH.fullmatch(name)
    day, month, year = (found[1], found[2], found[3]) if found else (None, None, None)
    if found is None and (found := _MONTH_DAY.fullmatch(name)):
        day, month, year = found[2], found[1], found[3]
    number = _MONTHS.get((month or "")[:3])
    if number is None or day is None or not calendar.month_name[number].lower().startswith(month or "-"):
        return None
    if year is not None:
        return date(int(year), number, int(day))
    for candidate in range(now.year, now.year + 9):  # 29 feb may be eight years away
        try:
            chosen = date(candidate, number, int(day))
        except ValueError:
            continue
        if _is_before(now, _at(chosen, clock, now)):
            return chosen
    return None


def _at(day: date, clock: time, now: datetime) -> datetime:
    """Return a time of a day; where the clocks show it twice, the first one that isn't over."""
    first = datetime.combine(day, clock, tzinfo=now.tzinfo)
    second = first.replace(fold=1)
    return second if _is_before(first, now) and not _is_before(second, now) else first


def _is_before(one: datetime, other: datetime) -> bool:
    """Compare instants: of two times in one zone Python compares what the clocks show, fold or not."""
    return one.timestamp() < other.timestamp()


def _months_later(day: date, months: int) -> date:
    """Return the same day of a later month, or its last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > 9999:
        raise OverflowError("no calendar has such a year")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _ask_dateparser(words: str, now: datetime) -> datetime | None:
    """Parse other languages and notations."""
    if len(words) > 60 or not any(letter.isalpha() for letter in words):
        return None
    import dateparser  # it takes a second to load
    from dateparser.data.languages_info import language_order

    base = now.replace(tzinfo=None, second=0, microsecond=0)
    settings = {"PREFER_DATES_FROM": "future", "RELATIVE_BASE": base, "REQUIRE_PARTS": ["day"]}
    try:
        found = dateparser.parse(words, languages=language_order[:MAX_LANGUAGES], settings=settings)
    except Exception:  # it raises whatever its many parsers raise; to a person all of it means one thing
        return None
    if not isinstance(found, datetime):
        return None
    if found.tzinfo is not None:
        return found
    # A day without a time comes back as midnight, or with the time of day of `now`.
    if found.time() in (time(0), base.time()):
        return _at(found.date(), END_OF_BUSINESS, now)
    return _at(found.date(), found.time(), now)

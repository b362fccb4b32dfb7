"""Times in few words: relative, due dates, days. `now` and the zone are the caller's."""

from datetime import datetime, timedelta, tzinfo

from frontdesk_api.contract.values import UnixSeconds, seconds_to_datetime
from frontdesk_lines.display_text import counted
from frontdesk_lines.lines import Role, Span, span

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800
DUE_SOON = 15 * MINUTE
WINDOW = 24 * HOUR
"""Estimated time after the last incoming message in which free-form answers are possible."""


def local(at: float, zone: tzinfo) -> datetime | None:
    """Return the moment in a zone, or `None` if it is outside the calendar."""
    moment = seconds_to_datetime(UnixSeconds(at))
    try:
        return None if moment is None else moment.astimezone(zone)
    except OverflowError:  # the last hours of the year 9999 are outside the calendar east of Greenwich
        return None


def short_duration(seconds: float) -> str:
    """Return a duration in its largest unit, `7m`, `3h`, `2d`, `5w`; below a minute `<1m`."""
    for size, least, unit in ((WEEK, 2 * WEEK, "w"), (DAY, DAY, "d"), (HOUR, HOUR, "h"), (MINUTE, MINUTE, "m")):
        if seconds >= least:
            return f"{int(seconds // size)}{unit}"
    return "<1m"


def stamp(at: float | None, now: float, zone: tzinfo) -> str:
    """Return a past moment in at most six cells: `09:12` today, `Tue` this week, else `18 Nov`."""
    if at is None:
        return ""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "?"
    days = (today.date() - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if 0 < days < 7:
        return f"{moment:%a}"
    return f"{moment.day} {moment:%b}" if moment.year == today.year else f"{moment:%b %y}"


def clock(at: float, zone: tzinfo) -> str:
    """Return the time of day, `09:12`."""
    moment = local(at, zone)
    return "--:--" if moment is None else f"{moment:%H:%M}"


def is_same_day(at: float, other: float, zone: tzinfo) -> bool:
    """Return whether two moments are on one day of a zone; a moment outside the calendar is on none."""
    moments = [local(each, zone) for each in (at, other)]
    days = {None if each is None else each.date() for each in moments}
    return len(days) == 1 and None not in days


def day(at: float, now: float, zone: tzinfo) -> str:
    """Format a day: Today, Yesterday, `Tue 18 Nov`, with the year if it differs."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "unknown day"
    if moment.date() == today.date():
        return "Today"
    if moment.date() == today.date() - timedelta(days=1):
        return "Yesterday"
    return f"{moment:%a} {_date(moment, today)}"


def when(at: float, now: float, zone: tzinfo, *, is_short: bool = False) -> str:
    """Return a near moment: `17:00`, `tomorrow 09:00`, in short `Thu 09:00`, `Fri 09:00`, `3 Dec`."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "unknown time"
    days = (moment.date() - today.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if days == 1 and not is_short:
        return f"tomorrow {moment:%H:%M}"
    if days == -1:
        return f"yesterday {moment:%H:%M}"
    return f"{moment:%a %H:%M}" if 0 < days < 7 else _date(moment, today)


def full_moment(at: float, now: float, zone: tzinfo) -> str:
    """Return a moment with its time of day: `17:00`, `tomorrow 09:00`, `Fri 09:00`, `Thu 3 Dec 09:00`."""
    near = when(at, now, zone)
    return near if ":" in near else past_moment(at, now, zone)


def moment(at: datetime, now: datetime) -> str:
    """Return a moment in full with its zone, `Fri 27 Nov 17:00 UTC`, and with the year if it differs."""
    return f"{at:%a} {_date(at, now)} {at:%H:%M} {at.tzname() or ''}".strip()


def between(earliest: float | None, latest: float, now: float, zone: tzinfo) -> str:
    """Return when an event happened: `10:02`, `between 10:02 and 10:07`, `before Tue 18 Nov 10:07`."""
    last = past_moment(latest, now, zone)
    if earliest is None:
        return f"before {last}"
    first = past_moment(earliest, now, zone)
    if first == last:
        return last
    return f"between {first} and {clock(latest, zone) if is_same_day(earliest, latest, zone) else last}"


def past_moment(at: float, now: float, zone: tzinfo) -> str:
    """Return a past moment to the minute: `10:02` today, else `Tue 18 Nov 10:02`; with the year if it differs."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "unknown time"
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return f"{moment:%a} {_date(moment, today)} {moment:%H:%M}"


def _date(at: datetime, now: datetime) -> str:
    year = "" if at.year == now.year else f" {at.year}"
    return f"{at.day} {at:%b}{year}"


def distance_words(at: float, now: float) -> str:
    """Return the distance from now: `in 40 minutes`, `in 3 days`, `2 hours ago`."""
    # Round to the minute, so that "in two hours" still says two hours a moment later.
    seconds = round(abs(at - now) / MINUTE) * MINUTE
    for size, word in ((WEEK, "week"), (DAY, "day"), (HOUR, "hour")):
        if seconds >= 2 * size:
            words = f"{round(seconds / size):,} {word}s"
            break
    else:
        minutes = seconds // MINUTE
        words = "1 minute" if minutes == 1 else f"{minutes:,} minutes"
        if not minutes:
            return "now"
    return f"in {words}" if at > now else f"{words} ago"


def duration_words(seconds: float) -> str:
    """Return a duration to the minute: `12 min`, `1 h 5 min`, `3 days 4 h`."""
    minutes = int(max(0.0, seconds) // MINUTE)
    if minutes < 1:
        return "less than a minute"
    hours, minutes = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days:,} days {hours} h" if hours else f"{days:,} days"


def duration_range(low_seconds: float, high_seconds: float) -> str:
    """Return a range of durations, rounded outwards: `20 to 40 s`, `2.5 to 9 min`, `1:45 to 2:20 h`.

    Below ten minutes the steps are half minutes.
    """
    if high_seconds <= MINUTE:
        step, unit = 10, "s"
    elif high_seconds <= 10 * MINUTE:
        step, unit = MINUTE // 2, "min"
    elif high_seconds <= 2 * HOUR:
        step, unit = MINUTE, "min"
    elif high_seconds <= 2 * DAY:
        step, unit = 5 * MINUTE, "h"
    else:
        step, unit = DAY, "days"
    low = int(low_seconds // step) * step
    high = int(-(-high_seconds // step)) * step
    bounds = [_in_unit(each, unit) for each in (low, high)]
    if low == high:
        return f"{bounds[0]} {unit}"
    return f"{bounds[0]} to {bounds[1]} {unit}" if low else f"under {bounds[1]} {unit}"


def _in_unit(seconds: int, unit: str) -> str:
    if unit == "h":
        return f"{seconds // HOUR}:{seconds % HOUR // MINUTE:02}"
    if seconds % MINUTE and unit == "min":
        return f"{seconds / MINUTE:.1f}"
    return f"{seconds // {'s': 1, 'min': MINUTE, 'days': DAY}[unit]:,}"


def time_within_day(at: float, now: float, zone: tzinfo) -> str:
    """Return a moment of the next 24 hours, short: `17:00`, or `Fri 09:00` on another day."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "unknown time"
    return f"{moment:%H:%M}" if moment.date() == today.date() else f"{moment:%a %H:%M}"


def moment_range(low: float, high: float, now: float, zone: tzinfo) -> str:
    """Return a range of near moments, rounded outwards: `16:40 to 17:05`, `Fri 02:10 to 05:20`, `3 Dec to 4 Dec`.

    The steps are 5 minutes, and whole minutes in the next 20 minutes.
    """
    step = MINUTE if high - now <= 20 * MINUTE else 5 * MINUTE
    first, last = low // step * step, -(-high // step) * step
    begin, end = (when(each, now, zone, is_short=True) for each in (first, last))
    if begin == end:
        return begin
    return f"{begin} to {clock(last, zone) if is_same_day(first, last, zone) else end}"


def due(at: float | None, now: float, zone: tzinfo, *, is_short: bool = False) -> Span | None:
    """Return a due date, emphasized once it is due, or `None` without one.

    Args:
        is_short: whether tomorrow is called by its weekday.
    """
    if at is None:
        return None
    if at < now:
        return span(f"! {short_duration(now - at)} late", Role.BAD)
    role = Role.WARN if at - now <= DUE_SOON else Role.DIM
    return span(f"due {when(at, now, zone, is_short=is_short)}", role)


_UNITS = ((WEEK, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def spoken_length(seconds: float) -> str:
    """Return a duration to be read out, in its largest unit; weeks only from two on."""
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count >= (2 if unit == "week" else 1):
            return counted(count, unit)
    return "less than a minute"


def spoken_day(at: float, now: float, zone: tzinfo) -> str:
    """Return the day: today, yesterday, tomorrow, `Tuesday 18 November`, with the year if it differs."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "unknown day"
    for days, word in ((0, "today"), (-1, "yesterday"), (1, "tomorrow")):
        if moment.date() - today.date() == timedelta(days=days):
            return word
    year = "" if moment.year == today.year else f" {moment.year}"
    return f"{moment:%A} {moment.day} {moment:%B}{year}"


def spoken_moment(at: float | None, now: float, zone: tzinfo) -> str:
    there = None if at is None else local(at, zone)
    if at is None or there is None:
        return "at an unknown time"
    return f"{spoken_day(at, now, zone)} at {there:%H:%M}"

"""Durations and moments as they are read out."""

from datetime import timedelta, tzinfo

from frontdesk.text.relative_time import DAY, HOUR, MINUTE, WEEK, local
from frontdesk_lines.display_text import counted

_UNITS = ((WEEK, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def length(seconds: float) -> str:
    """Return a duration in its largest unit; weeks only from two on."""
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count >= (2 if unit == "week" else 1):
            return counted(count, unit)
    return "less than a minute"


def day(at: float, now: float, zone: tzinfo) -> str:
    """Return the day: today, yesterday, tomorrow, `Tuesday 18 November`, with the year if it differs."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "unknown day"
    for days, word in ((0, "today"), (-1, "yesterday"), (1, "tomorrow")):
        if moment.date() - today.date() == timedelta(days=days):
            return word
    year = "" if moment.year == today.year else f" {moment.year}"
    return f"{moment:%A} {moment.day} {moment:%B}{year}"


def moment(at: float | None, now: float, zone: tzinfo) -> str:
    there = None if at is None else local(at, zone)
    if at is None or there is None:
        return "at an unknown time"
    return f"{day(at, now, zone)} at {there:%H:%M}"

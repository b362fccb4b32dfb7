"""Times in full words, for speech: `today at 09:12`, `Tuesday 18 November at 17:00`, `3 hours`."""

from datetime import timedelta, tzinfo

from frontdesk.text.relative_time import DAY, HOUR, MINUTE, WEEK, local

_UNITS = ((WEEK, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def length(seconds: float) -> str:
    """A duration in its largest unit; weeks only from two on."""
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count >= (2 if unit == "week" else 1):
            return counted(count, unit)
    return "less than a minute"


def counted(count: float, thing: str, things: str = "") -> str:
    """A number with its word, in the singular for one."""
    return f"{count:,.0f} {thing if count == 1 else things or thing + 's'}"


def day(at: float, now: float, zone: tzinfo) -> str:
    """The day: today, yesterday, tomorrow, `Tuesday 18 November`, with the year where it differs."""
    moment, today = local(at, zone), local(now, zone)
    if moment is None or today is None:
        return "no known day"
    for days, word in ((0, "today"), (-1, "yesterday"), (1, "tomorrow")):
        if moment.date() - today.date() == timedelta(days=days):
            return word
    year = "" if moment.year == today.year else f" {moment.year}"
    return f"{moment:%A} {moment.day} {moment:%B}{year}"


def moment(at: float | None, now: float, zone: tzinfo) -> str:
    """The day and the time of day."""
    there = None if at is None else local(at, zone)
    if at is None or there is None:
        return "at no known time"
    return f"{day(at, now, zone)} at {there:%H:%M}"


def due(at: float, now: float, zone: tzinfo) -> str:
    """A due date, and how overdue it is."""
    when = moment(at, now, zone)
    return f"overdue by {length(now - at)}, was due {when}" if at < now else f"due {when}"

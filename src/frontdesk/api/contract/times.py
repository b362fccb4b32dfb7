"""Unix seconds and Unix milliseconds as distinct types, and the one way to a datetime.

docs/interface.md, Resources states the unit of each field. Where it states none (a task's
createdAt and updatedAt, a customer's times) the magnitude decides and the caller is told
that it was assumed.
"""

from datetime import UTC, datetime
from typing import NewType

UnixSeconds = NewType("UnixSeconds", float)
UnixMillis = NewType("UnixMillis", float)
UnixUnstated = NewType("UnixUnstated", float)
"""A time whose unit the interface does not state."""

MILLIS_FROM = 1e11
"""From here on a number is read as milliseconds (docs/interface.md, Values seen)."""


def seconds_to_datetime(value: UnixSeconds) -> datetime | None:
    """The aware time of Unix seconds, or None where no calendar has such a time."""
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def millis_to_datetime(value: UnixMillis) -> datetime | None:
    """The aware time of Unix milliseconds, or None where no calendar has such a time."""
    try:
        return seconds_to_datetime(UnixSeconds(value / 1000))
    except OverflowError:  # JSON has whole numbers that no float holds
        return None


def millis_to_seconds(value: UnixMillis) -> UnixSeconds:
    """The same moment in seconds."""
    return UnixSeconds(value / 1000)


def unstated_to_seconds(value: UnixUnstated) -> UnixSeconds:
    """Seconds out of a time of unstated unit: 1e11 and more is milliseconds."""
    return UnixSeconds(value / 1000 if abs(value) >= MILLIS_FROM else value)


def datetime_to_seconds(value: datetime) -> UnixSeconds:
    """Whole Unix seconds of an aware time, as `dueDate` wants them."""
    return UnixSeconds(int(value.timestamp()))


def datetime_to_millis(value: datetime) -> UnixMillis:
    """Whole Unix milliseconds of an aware time, as `scheduledAt` wants them."""
    return UnixMillis(int(value.timestamp() * 1000))

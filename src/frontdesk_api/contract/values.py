"""Unix seconds and milliseconds as distinct types, and their conversions (units: docs/interface.md, Resources)."""

from datetime import UTC, datetime
from typing import NewType

UnixSeconds = NewType("UnixSeconds", float)
UnixMillis = NewType("UnixMillis", float)
UnixUnstated = NewType("UnixUnstated", float)
"""A time whose unit the interface doesn't state; its magnitude decides."""

MILLIS_FROM = 1e11
"""Minimum of numbers that are milliseconds (docs/interface.md, Values seen)."""


def seconds_to_datetime(value: UnixSeconds) -> datetime | None:
    """Convert to an aware time, or `None` outside the calendar."""
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def millis_to_seconds(value: UnixMillis) -> UnixSeconds:
    return UnixSeconds(value / 1000)


def unstated_to_seconds(value: UnixUnstated) -> UnixSeconds:
    """Convert a time of unstated unit to seconds: 1e11 and more is milliseconds."""
    return UnixSeconds(value / 1000 if abs(value) >= MILLIS_FROM else value)


COUNTERS = (
    "totalRecipients",
    "pendingCount",
    "sentCount",
    "deliveredCount",
    "readCount",
    "failedCount",
    "optOutCount",
    "duplicateMessageCount",
    "tooManyRequestsCount",
)
"""A campaign's nine counters, in the interface's order."""

CAMPAIGN_ENDED = frozenset({"completed", "failed", "stopped"})
"""Campaign states after which no further sending starts; counters may still move."""

"""What is let go of about campaigns as it grows old. Called by the engine's housekeeping."""

from collections.abc import Callable

import apsw

from frontdesk.campaigns.store import campaigns, watch_intervals


def spare_samples(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Answer a write that thins old samples; None where there are none to spare."""
    spare = watch_intervals.spare(db, now)
    return (lambda db: watch_intervals.thin(db, spare, now)) if spare else None


def spare_lists(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Answer a write that drops lists of recipients not watched for long; None where there are none."""
    lists = campaigns.spare_lists(db, now)
    return (lambda db: campaigns.drop_lists(db, lists)) if lists else None

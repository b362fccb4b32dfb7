"""Brings the counts of messages up to date before they are read."""

from collections.abc import Callable

from frontdesk.metrics import store
from frontdesk.metrics.periods import Period
from frontdesk.storage.database import ProfileStore

AT_ONCE = 50
"""So many quarters of an hour are counted in one transaction."""


def count_all(store_: ProfileStore, period: Period, progress: Callable[[int], None] | None = None) -> None:
    """Count what is stale in a period and the one before; `progress` gets the number of quarters left.

    The engine does this between polls; a command without an engine waits for it here.
    """
    start, end = period.before.start, period.end
    while left := store.stale(store_.reading, start, end):
        if progress is not None:
            progress(left)
        store_.write(lambda db: store.count_batch(db, AT_ONCE, start, end)).result()

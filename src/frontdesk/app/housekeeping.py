"""Composes the housekeeping of one profile's store of what each feature lets go of."""

from collections.abc import Callable

from frontdesk.campaigns.store.retention import drop_lists, thin_samples
from frontdesk.inbox.store import retention
from frontdesk.storage.database import Store
from frontdesk.sync.housekeeping import Housekeeping


def make_housekeeping(
    store: Store, clock: Callable[[], float], steady: Callable[[], float], max_bytes: int
) -> Housekeeping:
    """The housekeeping that an engine does beside its polls."""
    spares = (thin_samples, drop_lists)
    return Housekeeping(store, clock, steady, max_bytes, shrink=retention.shrink, spares=spares)

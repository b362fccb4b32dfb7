"""Failed writes of this machine: polls pause, since they would fetch the same data again."""

import apsw

from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable, unusable

STORE_TROUBLE = (apsw.Error, StoreUnusable)

FIRST_SECONDS, MAX_SECONDS = 2.0, 60.0
"""The first and the maximum pause of all polls after a failed write, in seconds."""


class StoreTrouble:
    """The write errors of one store, and the pause after them.

    Attributes:
        reason: for a person; empty if data can be stored.
        until: when polls may try again, Unix seconds.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._times = 0
        self.reason = ""
        self.until = 0.0

    def note(self, error: Exception, now: float) -> None:
        """Record a failed write: the pause doubles with each."""
        wait = min(MAX_SECONDS, FIRST_SECONDS * 2.0 ** min(self._times, 10))
        self._times += 1
        if isinstance(error, apsw.Error):
            error = unusable(error, self._store.folder)
        self.reason, self.until = str(error) or type(error).__name__, now + wait

    def clear(self) -> None:
        """Record a write that succeeded."""
        self.reason, self._times = "", 0

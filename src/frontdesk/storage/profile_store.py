"""ProfileStore: one profile's open store, for screens, the linear mode and commands.

Every write is one job on the store's writer thread, answered by a future.
"""

import logging
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import apsw

from frontdesk.config.catalogue import Catalogue
from frontdesk.config.settings import Profile, Settings
from frontdesk.storage.database import Job, Store
from frontdesk.storage.database_files import StoreUnusable

T = TypeVar("T")

log = logging.getLogger("frontdesk.storage")


class ProfileStore:
    """A store with its profile and settings.

    Attributes:
        process: the id of this process' focus reports.
        on_refused: called on the writer's thread with the reason when an unawaited write is refused;
            once until one succeeds again.
    """

    def __init__(
        self,
        store: Store,
        profile: Profile,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self.profile, self.settings, self.clock = profile, settings or Settings(), clock
        self.catalogue = Catalogue(profile)
        self.process = uuid.uuid4().hex
        self.on_refused: Callable[[str], None] | None = None
        self._store = store
        self._refused = ""

    @property
    def folder(self) -> Path:
        return self._store.folder

    @property
    def reading(self) -> apsw.Connection:
        """The read-only connection of the thread that opened the store."""
        return self._store.reading

    def write(self, job: Job[T]) -> "Future[T]":
        """Run `job(db)` on the writer thread in one transaction (`Store.write`)."""
        return self._store.write(job)

    def write_unawaited(self, job: Job[object]) -> None:
        """Write without waiting; a refusal is reported to `on_refused`, another error logged."""
        self.report_refusal(self.write(job))

    def report_refusal(self, written: "Future[Any]") -> None:
        """Report a failure of this write like `write_unawaited`."""
        written.add_done_callback(self._report)

    def flush(self) -> "Future[None]":
        """Resolve once all earlier writes are done."""
        return self.write(lambda _: None)

    def read_in_background(self, job: Job[T]) -> "Future[T]":
        """Run `job(db)` on a reading thread, one at a time: for reads of much data."""
        return self._store.read_in_background(job)

    def _report(self, written: "Future[Any]") -> None:
        error = written.exception()
        if error is not None and not isinstance(error, StoreUnusable):
            log.error("something that nobody waits for was not written", exc_info=error)
        reported, self._refused = self._refused, str(error) if isinstance(error, StoreUnusable) else ""
        if self._refused not in ("", reported) and self.on_refused is not None:
            self.on_refused(self._refused)

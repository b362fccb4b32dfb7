"""ProfileStore: one profile's open store, as screens, the linear mode and commands are given it.

Every write is one job on the store's writer thread, answered by a future; nothing here waits for the network.
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
    """A store with the profile and the settings that it is used with.

    Attributes:
        process: the id under which this process reports what it shows.
        on_refused: called on the writer's thread with the reason when a write that nobody waits for is refused;
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
        """The folder of the store's files."""
        return self._store.folder

    @property
    def reading(self) -> apsw.Connection:
        """The read-only connection of the thread that opened the store."""
        return self._store.reading

    def write(self, job: Job[T]) -> "Future[T]":
        """Run `job(db)` on the writer thread in one transaction (`Store.write`)."""
        return self._store.write(job)

    def write_unawaited(self, job: Job[object]) -> None:
        """Write something that nobody waits for; a refusal is reported to `on_refused`, another error logged."""
        self.report_refusal(self.write(job))

    def report_refusal(self, written: "Future[Any]") -> None:
        """Report it like `write_unawaited` when this write fails."""
        written.add_done_callback(self._report)

    def flush(self) -> "Future[None]":
        """Done once everything that was asked for before is written, so that what is read then shows it."""
        return self.write(lambda _: None)

    def read_in_background(self, job: Job[T]) -> "Future[T]":
        """Run `job(db)` on a thread that only reads, after the jobs before it: for reads of much data."""
        return self._store.read_in_background(job)

    def _report(self, written: "Future[Any]") -> None:
        error = written.exception()
        if error is not None and not isinstance(error, StoreUnusable):
            log.error("something that nobody waits for was not written", exc_info=error)
        reported, self._refused = self._refused, str(error) if isinstance(error, StoreUnusable) else ""
        if self._refused not in ("", reported) and self.on_refused is not None:
            self.on_refused(self._refused)

"""The store of one profile: a connection for queries, a thread for writes, one for long queries.

`ProfileStore` is the same with the profile's settings, for screens, the linear mode and commands.
"""

import asyncio
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import apsw

from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import IS_READ_ONLY, Profile, Settings
from frontdesk.storage.clocks import known_offset
from frontdesk.storage.database_files import (
    PROBLEMS,
    Notify,
    StoreUnusable,
    file_numbers,
    open_reader,
    open_writer,
    unusable,
)
from frontdesk.storage.recovery import damaged_files, is_damage, mark_damaged

T = TypeVar("T")
Job = Callable[[apsw.Connection], T]
Prepare = Callable[[], object] | None

BUSY_TRIES_SECONDS = 30.0

_WRITES = (apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE)


class WriteGuard(Protocol):
    """Decides whether this process may write and send."""

    @property
    def may_send(self) -> bool: ...

    def check(self, db: apsw.Connection) -> None:
        """Raise an error to refuse; called on the writer thread at the start of each transaction."""

    def committed(self) -> None:
        """Record that the transaction of the last `check` was committed."""


class Store:
    """Both files of a profile, for one process.

    Args:
        notify: given a sentence for a person about a slow opening.
        syncs: whether this process stores what the platform sends, as an engine does.

    Attributes:
        reading: a read-only connection that belongs to the thread that opened the store.
        just_set_aside: damaged files that this opening moved aside.
        guard: checked in every write transaction; None lets all pass.
        trouble: why the disk refused the last write or another program delayed it; empty if neither did.
    """

    def __init__(self, folder: Path, notify: Notify | None = None, *, syncs: bool = False):
        self.folder, self._syncs = folder, syncs
        before = set(damaged_files(folder))
        self.reading = open_reader(folder, notify)
        self.just_set_aside = [path for path in damaged_files(folder) if path not in before]
        self.guard: WriteGuard | None = None
        self.trouble = ""
        self._files = file_numbers(folder)
        self._jobs: queue.SimpleQueue[tuple[Job[Any], Prepare, Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="frontdesk-writer", daemon=True)
        self._thread.start()
        self._background: ThreadPoolExecutor | None = None
        self._background_reader: apsw.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def is_replaced(self) -> bool:
        """Return whether the files were replaced, so that nobody sees writes of this process."""
        return file_numbers(self.folder) != self._files

    def may_send(self) -> bool:
        """Return whether the guard lets this process send to the platform."""
        return self.guard is None or self.guard.may_send

    def write(self, job: Job[T], prepare: Prepare = None) -> "Future[T]":
        """Run `job(db)` on the writer thread in one `BEGIN IMMEDIATE` transaction.

        The future holds its result after the commit, or its error after the rollback.

        Args:
            prepare: called on the writer thread before the transaction, for imports: these would keep other
                processes from writing.
        """
        future: Future[T] = Future()
        self._jobs.put((job, prepare, future))
        return future

    async def run(self, job: Job[T]) -> T:
        """Run `write` for async callers. A cancelled caller doesn't undo the write."""
        return await asyncio.shield(asyncio.wrap_future(self.write(job)))

    async def read(self, job: Job[T]) -> T:
        """Run `read_in_background` for async callers, so that loading many rows doesn't block their loop."""
        return await asyncio.to_thread(lambda: self.read_in_background(job).result())

    def read_in_background(self, job: Job[T]) -> "Future[T]":
        """Run `job(db)` on a reading thread, one at a time; the thread starts on first use."""
        if self._background is None:
            self._background = ThreadPoolExecutor(1, "frontdesk-reads")
        return self._background.submit(self._read, job)

    def close(self) -> None:
        """Finish the requested writes and close all connections; background queries are cancelled."""
        if self._background is not None:
            self._background.shutdown(cancel_futures=True)
        if self._background_reader is not None:
            self._background_reader.close()
        self._jobs.put(None)
        self._thread.join(timeout=BUSY_TRIES_SECONDS)
        self.reading.close()

    def _require_files(self) -> None:
        """Raise StoreUnusable if the files were moved or removed: writes would be confirmed and lost."""
        if self.is_replaced:
            raise StoreUnusable(f"the store in {self.folder} was removed or replaced while frontdesk was running")

    def _read(self, job: Job[T]) -> T:
        if self._background_reader is None:
            self._background_reader = open_reader(self.folder)
        return job(self._background_reader)

    def _work(self) -> None:
        db: apsw.Connection | None = None
        while (task := self._jobs.get()) is not None:
            job, prepare, future = task
            try:
                if prepare is not None:
                    prepare()
                self._require_files()
                db = db or open_writer(self.folder, syncs=self._syncs)
                result = _in_transaction(db, job, self.guard)
                self._require_files()
            except BaseException as error:  # the thread outlives every job; its caller sees the error
                if is_damage(error):
                    mark_damaged(self.folder)
                elif isinstance(error, apsw.Error) and isinstance(error, tuple(PROBLEMS)):
                    error = unusable(error, self.folder)
                if isinstance(error, StoreUnusable) and not isinstance(error, ReadOnly):
                    self.trouble = str(error)
                future.set_exception(error)
            else:
                self.trouble = ""
                future.set_result(result)
        if db is not None:
            db.close()


def _in_transaction(db: apsw.Connection, job: Job[T], guard: WriteGuard | None) -> T:
    give_up_at = time.monotonic() + BUSY_TRIES_SECONDS
    while True:
        try:
            db.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            if time.monotonic() > give_up_at:
                raise
            continue
        try:
            if guard is not None:
                guard.check(db)
            result = job(db)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        if guard is not None:
            guard.committed()
        return result


class ReadOnly(StoreUnusable):
    """Raised when the run is read-only: no change is queued, undone, retried or dropped."""


def _keep_changes(job: Job[T]) -> Job[T]:
    """Wrap a job to refuse every write to the outbox's changes in it."""

    def run(db: apsw.Connection) -> T:
        db.authorizer = _refuse_change
        return job(db)

    return run


def _refuse_change(
    operation: int, table: str | None, _column: str | None, database: str | None, _trigger: str | None
) -> int:
    """Authorize a statement; SQLite calls this when it prepares one."""
    if (database, table) == ("outbox", "changes") and operation in _WRITES:
        raise ReadOnly(IS_READ_ONLY)
    return apsw.SQLITE_OK


log = logging.getLogger("frontdesk.storage")


class ProfileStore:
    """A store with its profile and settings.

    Attributes:
        process: the id of this process's focus reports.
        on_refused: called on the writer's thread with the reason when an unawaited write is refused;
            once until one succeeds again.
        engine_process: returns the process id of the engine that this process has started; 0 if none runs.
        is_engine_replaced: returns whether that engine hung and a new one hasn't had its time to report.
    """

    def __init__(
        self,
        store: Store,
        profile: Profile,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self.profile, self.settings, self.clock = profile, (settings or Settings()).of_profile(profile.name), clock
        self.catalogue = Catalogue(profile)
        self.process = uuid.uuid4().hex
        self.on_refused: Callable[[str], None] | None = None
        self.engine_process: Callable[[], int] = lambda: 0
        self.is_engine_replaced: Callable[[], bool] = lambda: False
        self._store = store
        self._refused = ""

    def set_profile(self, profile: Profile) -> None:
        """Use this edited profile, such as other names, from the next redraw on."""
        self.profile, self.catalogue = profile, Catalogue(profile)

    @property
    def folder(self) -> Path:
        return self._store.folder

    @property
    def reading(self) -> apsw.Connection:
        """The read-only connection of the thread that opened the store."""
        return self._store.reading

    def clock_offset(self) -> float | None:
        """Return the seconds that the platform's clock is ahead of this machine's; None if unknown."""
        return known_offset(self.reading, self.clock())

    def can_write(self) -> bool:
        """Return whether the disk took this process's last write and no other program delayed it."""
        return not self.trouble

    @property
    def trouble(self) -> str:
        """The reason why this process's last write was refused; empty if it wasn't."""
        return self._store.trouble

    def write(self, job: Job[T], prepare: Prepare = None) -> "Future[T]":
        """Run `job(db)` on the writer thread in one transaction (`Store.write`).

        In a read-only run the future of a job that touches the outbox's changes holds `ReadOnly`.
        """
        return self._store.write(_keep_changes(job) if self.settings.read_only else job, prepare)

    def write_unawaited(self, job: Job[object], prepare: Prepare = None) -> None:
        """Write without waiting; report a refusal to `on_refused`, log another error."""
        self.report_refusal(self.write(job, prepare))

    def report_refusal(self, written: "Future[Any]") -> None:
        """Report a failure of this write like `write_unawaited`."""
        written.add_done_callback(self._report)

    def flush(self) -> "Future[None]":
        """Resolve once all earlier writes are done."""
        return self.write(lambda _: None)

    def read_in_background(self, job: Job[T]) -> "Future[T]":
        """Run `job(db)` on a reading thread, one at a time, for queries of much data."""
        return self._store.read_in_background(job)

    def _report(self, written: "Future[Any]") -> None:
        error = written.exception()
        reason = str(error) if isinstance(error, StoreUnusable) else ""
        if error is not None and not reason:
            log.error("a background write failed", exc_info=error)
            if isinstance(error, ImportError):  # an update replaced the program's files while it ran
                reason = f"couldn't load part of frontdesk ({error}); restart it"
        reported, self._refused = self._refused, reason
        if self._refused not in ("", reported) and self.on_refused is not None:
            self.on_refused(self._refused)

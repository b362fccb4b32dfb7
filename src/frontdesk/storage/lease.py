"""The lease of the engine that polls and sends: a row of `outbox.db` with a token that only grows.

`Store.guard` holds it, so that every write transaction checks it and renews it once it is `RENEW_SECONDS` old.

- A process that ends frees `leader.lock`, and the next one takes over within a second.
- A process that is stopped is replaced when its lease has run out; what it was sending counts as unknown.
- When it goes on, its first write is refused and its engine stops. The transport compares the clock with the end
  of the lease before the headers and each part of the body, so nothing that was half sent is finished.
- The clock is the monotonic one, which all processes share and nobody can set. It starts over at a reboot, so an
  end that is further ahead than a lease lasts is ignored.

The queue of engines, and of commands that send, for the lease.

A read-only engine gives way to one that sends changes, which marks a file while it waits. A file lock would say
the same of one that is stopped (`ctrl+z`) and can't take its turn.
"""

import asyncio
import contextlib
import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import apsw
from filelock import FileLock, Timeout

from frontdesk.config.file_access import open_regular_file
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import LEADER_LOCK, WRITER_FILE, StoreUnusable
from frontdesk.storage.sql import first

LEASE_SECONDS = 15.0
"""Seconds for which a frozen engine keeps the others waiting."""

RENEW_SECONDS = 4.0
"""Age at which a write transaction renews the lease, in seconds; a heartbeat comes every five seconds."""


class LeaseLost(StoreUnusable):
    """Raised when another engine has taken over: this one may neither write nor send."""


class Lease:
    """The right to poll and send for a profile, from `try_acquire` until another engine takes it.

    Args:
        clock: seconds that all processes of the machine share and that nobody sets.

    Attributes:
        token: higher than that of every holder before.
        is_lost: whether a write found that another engine has taken over.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = 0
        self.is_lost = False
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._clock = clock
        self._file_lock = FileLock(folder / LEADER_LOCK, mode=0o600, thread_local=False)
        self._until = self._written_until = 0.0

    @property
    def may_send(self) -> bool:
        """Return whether no other engine can have taken over, without a look into the store."""
        return not self.is_lost and self._clock() < self._until

    def check(self, db: apsw.Connection) -> None:
        """Require the lease in a write transaction, and renew it if it is due.

        Raises:
            LeaseLost: another engine holds the lease, or has held it since.
        """
        found = first(db, "SELECT token, owner FROM outbox.lease")
        if self.is_lost or found != (self.token, self._owner):
            self.is_lost = True
            raise LeaseLost("another frontdesk polls for this profile now")
        now = self._clock()
        if now + LEASE_SECONDS - self._until >= RENEW_SECONDS:
            self._write(db, now)

    def committed(self) -> None:
        """Use the renewal that the transaction has committed."""
        self._until = self._written_until

    def is_free(self, db: apsw.Connection) -> bool:
        """Return whether nobody holds the lease: it ran out, or its holder had the file lock and ended."""
        row = first(db, "SELECT until, has_file_lock FROM outbox.lease")
        if row is None:
            # Nobody ever held the lease, or an engine of an earlier version does, which has the file lock alone.
            return self._file_lock.is_locked
        until, has_file_lock = row
        # Get the time after the row: a live holder is at most a lease ahead, unless the row is from before a
        # reboot.
        seconds_left = until - self._clock()
        is_over = seconds_left <= 0 or seconds_left > LEASE_SECONDS
        return is_over or bool(has_file_lock and self._file_lock.is_locked)

    def acquire(self, db: apsw.Connection) -> bool:
        """Take the lease in this transaction if it is free; return whether it was."""
        if not self.is_free(db):
            return False
        row = first(db, "SELECT token FROM outbox.lease")
        self.token = 1 + (int(row[0]) if row else 0)
        self._write(db, self._clock())
        return True

    def give_up(self, db: apsw.Connection) -> None:
        self._written_until = 0.0
        db.execute("UPDATE outbox.lease SET until = 0, owner = ''")

    def lock_file(self) -> bool:
        """Take the file lock, which frees the lease at once when this process dies; return whether that worked."""
        if not self._file_lock.is_locked:
            try:
                self._file_lock.acquire(timeout=0)
            except Timeout:
                return False
        return True

    def unlock_file(self) -> None:
        """Release the file lock, once all requests of this engine have ended."""
        self._file_lock.release()

    def _write(self, db: apsw.Connection, now: float) -> None:
        """Write the row; also try for the file lock, which a stopped holder may have kept until now."""
        self._written_until = now + LEASE_SECONDS
        db.execute(
            "INSERT INTO outbox.lease (one, token, owner, until, has_file_lock) VALUES (1, ?1, ?2, ?3, ?4)"
            " ON CONFLICT (one) DO UPDATE SET token = ?1, owner = ?2, until = ?3, has_file_lock = ?4",
            (self.token, self._owner, self._written_until, self.lock_file()),
        )


async def try_acquire(store: Store, clock: Callable[[], float] = time.monotonic) -> Lease | None:
    """Take the lease if it is free, and let it guard all later writes of this store."""
    lease = Lease(store.folder, clock)
    lease.lock_file()
    try:
        if lease.is_free(store.reading) and await store.run(lease.acquire):
            lease.committed()
            store.guard = lease
            return lease
    finally:
        if store.guard is not lease:
            lease.unlock_file()
    return None


RETRY_SECONDS = 0.5

MARK_SECONDS = 5.0
"""Seconds for which a mark counts; a waiting engine sets one at each attempt."""


class WriterMark:
    """The mark that engines set while they wait to send changes.

    Its time only distinguishes one mark from the next, so it doesn't matter if the wall clock is set.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = folder / WRITER_FILE
        self._clock = clock
        self._seen, self._seen_at = self._read(), float("-inf")

    def set(self) -> None:
        """Mark that this engine waits."""
        with contextlib.suppress(OSError):  # without a mark it still gets its turn once the other one ends
            os.close(open_regular_file(self._path, os.O_CREAT | os.O_WRONLY))
            os.utime(self._path)

    def is_set(self) -> bool:
        """Return whether this object has seen a new mark in the last `MARK_SECONDS`."""
        now, mark = self._clock(), self._read()
        if mark != self._seen:
            self._seen, self._seen_at = mark, now
        return now - self._seen_at < MARK_SECONDS

    def _read(self) -> int:
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0


async def acquire_lease(store: Store, stopping: asyncio.Event, *, read_only: bool = False) -> Lease | None:
    """Wait for the profile's lease; None at the end or when the store was replaced."""
    mark = WriterMark(store.folder)
    while not stopping.is_set() and not store.is_replaced:
        if not read_only:
            mark.set()
        if not (read_only and mark.is_set()) and (lease := await try_acquire(store)) is not None:
            return lease
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), RETRY_SECONDS)
    return None


async def wait_for_writer(store: Store) -> None:
    """Wait until an engine that sends changes wants the lease."""
    mark = WriterMark(store.folder)
    while not mark.is_set():  # noqa: ASYNC110 - another process, which announces nothing
        await asyncio.sleep(RETRY_SECONDS)

"""The queue of engines, and of commands that send, for the lease.

A read-only engine gives way to one that sends changes, which marks a file while it waits. A file lock would say
the same of one that is stopped (`ctrl+z`) and can't take its turn.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from frontdesk.config.file_access import open_regular_file
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import WRITER_FILE
from frontdesk.storage.lease import Lease, try_acquire

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

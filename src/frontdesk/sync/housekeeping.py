"""Indexing, the store's size limit, and deleting old data, in small steps so that the writer stays free."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import apsw

from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk.storage.sql import used_bytes

MEGABYTE = 1_000_000
MAX_BYTES = 2_000 * MEGABYTE
"""Default size limit of a store."""

INDEX_BATCH_SIZE = 1_000
BUSY_REST_SECONDS = 0.05
"""Pause between two batches, in seconds."""

REST_SECONDS = 2.0
SIZE_CHECK_SECONDS = 60.0
THIN_SECONDS = 600.0

Shrink = Callable[[apsw.Connection, int], int]
"""Deletes a part of the oldest rows while the store exceeds a number of bytes, and returns their number."""

FindSpare = Callable[[apsw.Connection, float], Callable[[apsw.Connection], object] | None]
"""Returns a write that deletes old data at a time (Unix seconds), or `None` if there is none."""


class BatchWork(NamedTuple):
    """Work that is done in batches.

    Attributes:
        left: counts the remaining work, on a reading connection.
        batch: a write that does a part of the work.
    """

    left: Callable[[apsw.Connection], int]
    batch: Callable[[apsw.Connection], object]


_INDEXING = BatchWork(full_text.unindexed, lambda db: full_text.index_batch(db, INDEX_BATCH_SIZE))


class Housekeeping:
    """The housekeeping of one profile's store.

    Args:
        clock: Unix seconds, for the age of samples.
        steady: monotonic seconds, for intervals.
        max_bytes: `store_megabytes` of the settings.
        work: done after indexing, in this order.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        steady: Callable[[], float],
        max_bytes: int,
        *,
        shrink: Shrink,
        spares: Sequence[FindSpare],
        work: Sequence[BatchWork] = (),
    ) -> None:
        self._store = store
        self._clock, self._steady = clock, steady
        self._max_bytes = max_bytes
        self._shrink_part = shrink
        self._spares = spares
        self._work = (_INDEXING, *work)
        self._sized_at = self._thinned_at = float("-inf")

    async def step(self) -> float:
        """Do one part of the work; return the seconds to rest."""
        if await self._work_off():
            return BUSY_REST_SECONDS
        now = self._steady()
        if now - self._sized_at >= SIZE_CHECK_SECONDS:
            if await self._shrink():
                return BUSY_REST_SECONDS
            self._sized_at = now
        if now - self._thinned_at >= THIN_SECONDS:
            await self._thin(self._clock())
            self._thinned_at = now
        return REST_SECONDS

    async def _work_off(self) -> bool:
        for each in self._work:
            if each.left(self._store.reading):
                await self._store.run(each.batch)
                return True
        return False

    async def _shrink(self) -> int:
        if used_bytes(self._store.reading) <= self._max_bytes:
            return 0
        return await self._store.run(lambda db: self._shrink_part(db, self._max_bytes))

    async def _thin(self, now: float) -> None:
        for find_spare in self._spares:
            if (delete := find_spare(self._store.reading, now)) is not None:
                await self._store.run(delete)

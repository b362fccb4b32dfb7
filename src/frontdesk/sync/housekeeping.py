"""What keeps the store fit beside the polls: words are indexed, its size stays within its bound, and
what grows old is let go of, as each feature says.

Run by the engine, a little at a time, so that nobody waits long for the writer.
"""

from collections.abc import Callable, Sequence

import apsw

from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk.storage.sql import used_bytes

MEGABYTE = 1_000_000
MAX_BYTES = 2_000 * MEGABYTE
"""How large a store may get where the settings say nothing else."""

INDEX_AT_ONCE = 1_000
BUSY_REST_SECONDS = 0.05
"""Between two batches others get their turn."""

REST_SECONDS = 2.0
LOOK_AT_SIZE_SECONDS = 60.0
THIN_SECONDS = 600.0

Shrink = Callable[[apsw.Connection, int], int]
"""Lets the oldest go, a part at a time, while the store is larger than so many bytes; answers how many went."""

FindSpare = Callable[[apsw.Connection, float], Callable[[apsw.Connection], object] | None]
"""Answers a write that lets go of what is old at a time (Unix seconds); None where there is nothing."""


class Housekeeping:
    """The housekeeping of one profile's store.

    Args:
        clock: Unix seconds, as samples have them: how old they are is told from it.
        steady: seconds that never go back, for what is done now and then.
        most_bytes: the size that the store may have (`store_megabytes` in the settings).
        spares: what grows old and is let go of now and then.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        steady: Callable[[], float],
        most_bytes: int,
        *,
        shrink: Shrink,
        spares: Sequence[FindSpare],
    ) -> None:
        self._store = store
        self._clock, self._steady = clock, steady
        self._most_bytes = most_bytes
        self._shrink_part = shrink
        self._spares = spares
        self._sized_at = self._thinned_at = float("-inf")

    async def step(self) -> float:
        """Do a part of what there is to do; answers how many seconds it may rest."""
        if await self._index():
            return BUSY_REST_SECONDS
        now = self._steady()
        if now - self._sized_at >= LOOK_AT_SIZE_SECONDS:
            if await self._shrink():
                return BUSY_REST_SECONDS
            self._sized_at = now
        if now - self._thinned_at >= THIN_SECONDS:
            await self._thin(self._clock())
            self._thinned_at = now
        return REST_SECONDS

    async def _index(self) -> int:
        if not full_text.unindexed(self._store.reading):
            return 0
        return await self._store.run(lambda db: full_text.index_batch(db, INDEX_AT_ONCE))

    async def _shrink(self) -> int:
        if used_bytes(self._store.reading) <= self._most_bytes:
            return 0
        return await self._store.run(lambda db: self._shrink_part(db, self._most_bytes))

    async def _thin(self, now: float) -> None:
        for find_spare in self._spares:
            if (let_go := find_spare(self._store.reading, now)) is not None:
                await self._store.run(let_go)

"""ServiceClockMonitor: a step of the engine that keeps the clocks up to date.

It follows the change feed, so it computes what has changed. At a new config, and where the feed has forgotten what
changed, it walks all conversations once, a batch at a time.
"""

import hashlib
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

import apsw

from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.clocks import Policy
from frontdesk.service_clocks.policies import FindMatches, policy_of_each
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event

STEP_SECONDS = 1.0
WALK_SECONDS = 0.1
"""Between two batches of a walk: polls and changes come first."""

BATCH = 200
SAVE_EVERY = 500
"""The position in the feed is stored at least after so many events."""

VERSION = 2
"""Raise it to compute all clocks anew."""


class ClockPosition(NamedTuple):
    """Up to where the clocks are computed.

    Attributes:
        seq: the last event of the feed.
        walked: up to where everything was walked; None when that is done.
    """

    seq: int
    walked: clock_store.Walked | None


class ServiceClockMonitor:
    """The service clocks of one profile.

    Args:
        source: the config that the policies were read from: another one computes everything anew.
    """

    def __init__(
        self,
        store: Store,
        policies: Sequence[Policy],
        find_matches: FindMatches,
        source: object,
        steady: Callable[[], float] = time.monotonic,
    ):
        self._store, self._policies, self._find_matches = store, policies, find_matches
        self._digest = hashlib.sha256(f"{VERSION} {source!r}".encode()).hexdigest()[:16]
        self._steady, self._next_at = steady, float("-inf")
        self._position: ClockPosition | None = None
        self._saved_seq = 0
        self._pending: list[str] = []

    async def step(self) -> float:
        """Compute what has changed, or a batch of a walk; return the seconds until the next step."""
        wait = self._next_at - self._steady()
        if wait > 0:
            return wait
        if not self._policies:
            if clock_store.position(self._store.reading):
                await self._store.run(clock_store.clear)
            return 60.0
        before = self._position or self._stored_position()
        self._position = before
        after = self._read_feed(before)
        if self._pending:
            batch = self._pending[:BATCH]
        elif after.walked is not None:
            batch, walked = clock_store.walk(self._store.reading, after.walked, BATCH)
            after = ClockPosition(after.seq, walked)
        else:
            batch = []
        await self._compute(batch, after)
        rest = WALK_SECONDS if self._pending or after.walked is not None else STEP_SECONDS
        self._next_at = self._steady() + rest
        return rest

    async def close(self) -> None:
        """End, like the engine's other monitors; what a step has left goes on from the stored position."""

    def _stored_position(self) -> ClockPosition:
        stored = clock_store.position(self._store.reading)
        if stored.get("config") != self._digest:
            return ClockPosition(change_feed.position(self._store.reading), clock_store.WALK_START)
        self._saved_seq, walked = int(stored["seq"]), stored["walked"]
        return ClockPosition(self._saved_seq, None if walked is None else (str(walked[0]), int(walked[1])))

    def _read_feed(self, before: ClockPosition) -> ClockPosition:
        """Note what has changed; where the feed has forgotten it, everything is walked."""
        seq, events = change_feed.since(self._store.reading, before.seq)
        if change_feed.EVERYTHING in events:
            return ClockPosition(seq, clock_store.WALK_START)
        self._pending = list(dict.fromkeys([*self._pending, *sorted(self._changed(events))]))
        return ClockPosition(seq, before.walked)

    def _changed(self, events: Collection[Event]) -> set[str]:
        of_threads = (change_feed.CONVERSATION, change_feed.THREAD)
        conversations = {each.id for each in events if each.kind in of_threads}
        tasks = {each.id for each in events if each.kind == change_feed.TASK}
        if not tasks:
            return conversations
        return conversations | clock_store.conversations_of_tasks(self._store.reading, tasks)

    async def _compute(self, batch: Sequence[str], after: ClockPosition) -> None:
        db = self._store.reading
        found = clock_store.differing(
            db, clock_store.compute(db, batch, policy_of_each(self._policies, self._find_matches, db, batch))
        )
        has_walked = self._position is None or after.walked != self._position.walked
        # What still waits must be found again after a restart: so the position isn't stored before it is done.
        left = self._pending[BATCH:]
        must_save = not left and (has_walked or after.seq - self._saved_seq >= SAVE_EVERY)
        if found or must_save:
            await self._store.run(partial(self._write, found=found, after=after if must_save else None))
        self._position, self._pending = after, left

    def _write(
        self, db: apsw.Connection, found: dict[str, clock_store.Clocks], after: ClockPosition | None
    ) -> None:
        clock_store.put(db, found)
        if after is not None:
            self._saved_seq = after.seq
            clock_store.put_position(db, {"config": self._digest, "seq": after.seq, "walked": after.walked})

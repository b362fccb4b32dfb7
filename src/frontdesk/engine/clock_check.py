"""Adjusts stored times when the clock was set; the engine checks before it reads and before it sends."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.sync.clock_jumps import ClockEvent, ClockReading, compare_clocks, is_ahead

CLOCKS = "clocks"
"""The key under which an engine's last reading of both clocks is kept, for the next engine."""


class _Noticed(NamedTuple):
    """A clock that was set, and what it showed before and after."""

    event: ClockEvent
    seconds: float
    before: float
    now: float


class ClockCheck:
    """Compares the clocks with their previous reading, for one engine.

    Args:
        clock: Unix seconds.
        steady: seconds that never go back, and that all processes of the machine share.
        settle_after: how long a request without an answer may be in transit, in seconds.
        on_adjusted: called with what was noticed, and its seconds, once the store is adjusted.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        steady: Callable[[], float],
        settle_after: float,
        on_adjusted: Callable[[ClockEvent, float], None],
    ) -> None:
        self._store, self._clock, self._steady = store, clock, steady
        self._settle_after, self._on_adjusted = settle_after, on_adjusted
        self._lock = asyncio.Lock()
        self._last_reading = self._read()
        # Not in the store yet; if the write fails, it is tried again at the next check.
        self._noticed: list[_Noticed] = []
        self._has_taken_over = False

    def start(self) -> None:
        """Take the first reading."""
        self._last_reading = self._read()

    async def check(self) -> None:
        """Adjust stored times if a clock was set; afterwards they can be relied on.

        One caller at a time, so that nobody goes on with the old times; and again until nothing happened, since a
        write takes time in which the clock may be set once more.
        """
        async with self._lock:
            while await self._check_once():
                pass

    async def take_over(self) -> None:
        """Adjust the outbox if the clock was set while no engine ran, or while the previous one was stopped.

        Otherwise the time of a change that the previous engine has just sent would seem to be over.
        """

        def adjust(db: apsw.Connection) -> None:
            now, kept = self._read(), queue.kept(db, CLOCKS, "")
            if kept is not None and is_ahead(before := ClockReading(*kept), now):
                queue.restart_transits_since(db, before.wall - self._settle_after, now.wall)
            queue.adjust_to_clock(db, now.wall)

        await self._store.run(adjust)
        self._has_taken_over = True

    def keep(self, db: apsw.Connection) -> None:
        """Keep the last reading for the next engine, unless something it showed isn't in the store yet."""
        if not self._noticed:
            self._keep(db)

    async def _check_once(self) -> bool:
        before, self._last_reading = self._last_reading, self._read()
        event, seconds = compare_clocks(before, self._last_reading)
        if event is not ClockEvent.NONE:
            self._noticed.append(_Noticed(event, seconds, before.wall, self._last_reading.wall))
        if not self._noticed:
            return False
        await self._store.run(self._adjust_store)
        noticed, self._noticed = self._noticed, []
        for each in noticed:
            self._on_adjusted(each.event, each.seconds)
        return True

    def _adjust_store(self, db: apsw.Connection) -> None:
        for event, seconds, before, now in self._noticed:
            if event is ClockEvent.WENT_BACK:
                # Of now: a change that was made since, while this couldn't be written, keeps its time.
                now = self._clock()
                clients.refresh_focus_times(db, now, now)
                queue.adjust_to_clock(db, now, seconds)
            else:
                clients.refresh_focus_times(db, before, now)
                queue.restart_transits_since(db, before - self._settle_after, now)
        self._keep(db)

    def _keep(self, db: apsw.Connection) -> None:
        if self._has_taken_over:
            queue.keep(db, CLOCKS, "", self._last_reading, self._last_reading.wall)

    def _read(self) -> ClockReading:
        return ClockReading(self._clock(), self._steady())

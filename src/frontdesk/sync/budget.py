"""How many requests a profile may spend: so many a second, so many a minute.

The platform's own limit is not in the interface (design.md, section 6), so frontdesk keeps one
of its own. What a person did goes first: the rest leaves a share of each minute to it.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar

URGENT: ContextVar[bool] = ContextVar("urgent", default=False)
"""Set while something a person did is being sent or fetched."""

SECOND, MINUTE = 1.0, 60.0
URGENT_SHARE = 0.25
BEHIND_SHARE = 0.4


class Budget:
    """Two sliding windows over the times of past requests."""

    def __init__(self, per_second: float, per_minute: int, clock: Callable[[], float]):
        self._per_second = max(1, int(per_second))
        self._per_minute = max(1, per_minute)
        self._clock = clock
        self._spent: deque[float] = deque()

    def wait_seconds(self, *, urgent: bool, behind: bool = False) -> float:
        """How long until one more request fits, 0 for now; what is read ahead may use the least."""
        now = self._clock()
        while self._spent and self._spent[0] <= now - MINUTE:
            self._spent.popleft()
        share = 1.0 if urgent else BEHIND_SHARE if behind else 1 - URGENT_SHARE
        room = max(1, int(self._per_minute * share))
        waits = [0.0]
        if len(self._spent) >= room:
            waits.append(self._spent[-room] + MINUTE - now)
        if len(self._spent) >= self._per_second:
            waits.append(self._spent[-self._per_second] + SECOND - now)
        return max(waits)

    async def take(self) -> None:
        """Wait for room and spend one request; urgent work is told by `URGENT`."""
        while (wait := self.wait_seconds(urgent=URGENT.get())) > 0:  # noqa: ASYNC110 - room comes with time
            await asyncio.sleep(wait)
        self._spent.append(self._clock())

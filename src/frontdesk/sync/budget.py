"""The request budget of a profile, a second and a minute.

The platform's limit isn't in the interface, so frontdesk has its own and adapts: a 429 halves the minute's, and
a tenth of the whole returns each minute. A share of each minute is reserved for the person's changes.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

URGENT: ContextVar[bool] = ContextVar("urgent", default=False)
"""Set while a person's change or request is sent."""


@contextmanager
def urgent() -> Iterator[None]:
    """Let the requests made inside use the person's share of the budget."""
    token = URGENT.set(True)
    try:
        yield
    finally:
        URGENT.reset(token)


SECOND, MINUTE = 1.0, 60.0
URGENT_SHARE = 0.25
REQUESTED_SHARE = 0.6
BEHIND_SHARE = 0.4
MIN_PER_MINUTE = 10
BACK_EACH_MINUTE = 0.1
ONE_ANSWER_SECONDS = 1.0
"""Several 429 within this time answer earlier requests and count once."""


class Budget:
    """Two sliding windows over the times of past requests.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, per_second: float, per_minute: int, clock: Callable[[], float]):
        self._per_second = max(1, int(per_second))
        self._full = max(1, per_minute)
        self._clock = clock
        self._spent: deque[float] = deque()
        self._cut_to = float(self._full)
        self._cut_at: float | None = None

    @property
    def per_minute(self) -> int:
        """The present budget of a minute."""
        if self._cut_at is None:
            return self._full
        back = self._full * BACK_EACH_MINUTE * (self._clock() - self._cut_at) / MINUTE
        return int(min(self._full, self._cut_to + back))

    def throttled(self) -> None:
        """Halve the budget after a 429."""
        now = self._clock()
        if self._cut_at is not None and now - self._cut_at < ONE_ANSWER_SECONDS:
            return
        self._cut_to = max(min(self._full, MIN_PER_MINUTE), self.per_minute / 2)
        self._cut_at = now

    def reset_after_sleep(self) -> None:
        """Forget past requests: the platform's minutes are over."""
        self._spent.clear()
        self._cut_at = None

    def wait_seconds(self, *, urgent: bool, behind: bool = False, requested: bool = False) -> float:
        """Return the seconds until one more request fits, 0 for now.

        Reading ahead (`behind`) may use the least; long work on request (`requested`) some more, so that it
        continues during the polls of visible data.
        """
        now = self._clock()
        while self._spent and self._spent[0] <= now - MINUTE:
            self._spent.popleft()
        share = 1.0 if urgent else BEHIND_SHARE if behind else REQUESTED_SHARE if requested else 1 - URGENT_SHARE
        room = max(1, int(self.per_minute * share))
        waits = [0.0]
        if len(self._spent) >= room:
            waits.append(self._spent[-room] + MINUTE - now)
        if len(self._spent) >= self._per_second:
            waits.append(self._spent[-self._per_second] + SECOND - now)
        return max(waits)

    def spend(self) -> None:
        """Count one request now."""
        self._spent.append(self._clock())

    async def take(self) -> None:
        """Wait for room and spend one request; urgent if `URGENT` is set."""
        while (wait := self.wait_seconds(urgent=URGENT.get())) > 0:  # noqa: ASYNC110 - room comes with time
            await asyncio.sleep(wait)
        self.spend()

"""Request budget of a profile: token buckets that spread requests evenly over the minute.

The platform's limit isn't in the interface, so the pace is learned: a 429 or 503 halves it, and while answers are
quick it rises by a tenth of the maximum each minute. Each purpose has a bucket; full ones overflow to the others.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.config.request_pace import RISE_EACH_MINUTE, burst, sustained_per_minute

SECOND, MINUTE = 1.0, 60.0
MIN_PER_MINUTE = 10
MAX_RISE_SECONDS = 10.0
"""Maximum time between two answers that counts for the rise: no request, no learning."""

ONE_ANSWER_SECONDS = 1.0
"""Seconds within which several 429 answer earlier requests and count once."""


class RequestPurpose(StrEnum):
    """The purpose of a request: a person's change, a poll, or a long fetch that a person started."""

    PERSON = "person"
    READS = "reads"
    REQUESTED = "requested"


WEIGHTS = {RequestPurpose.PERSON: 4.0, RequestPurpose.READS: 2.0, RequestPurpose.REQUESTED: 1.0}
"""Shares of new tokens while every bucket has room."""

FIRST_LOOK_LEAVES = 0.5
"""Part of the person's bucket that the first fetch of newly opened data must leave."""

EXACT = 1e-9
"""Tolerance for rounding."""

PURPOSE: ContextVar[RequestPurpose] = ContextVar("purpose", default=RequestPurpose.READS)


@contextmanager
def spending_as(purpose: RequestPurpose) -> Iterator[None]:
    """Count the requests made inside as this purpose's."""
    token = PURPOSE.set(purpose)
    try:
        yield
    finally:
        PURPOSE.reset(token)


@contextmanager
def urgent() -> Iterator[None]:
    """Let the requests made inside use the person's share of the budget."""
    with spending_as(RequestPurpose.PERSON):
        yield


@dataclass(slots=True)
class Allowance:
    """The requests of one poll.

    Attributes:
        prepaid: the number counted before the poll began.
        requests: the number made.
    """

    prepaid: int = 0
    requests: int = 0


ALLOWANCE: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


class Budget:
    """The token buckets of a profile, and two hard limits: on the requests in any second and in any minute.

    Args:
        per_minute: the maximum.
        clock: monotonic seconds.
        pace: requests a minute to begin with; None for the maximum.

    Attributes:
        pace: the learned requests a minute, which a team's share may not allow.
    """

    def __init__(self, per_second: float, per_minute: int, clock: Callable[[], float], pace: float | None = None):
        self._per_second = max(1, int(per_second))
        self._own = self._full = max(1, per_minute)
        self._clock = clock
        self._spent: deque[float] = deque(maxlen=max(self._full, self._per_second))
        self.pace = float(self._full if pace is None else min(self._full, max(MIN_PER_MINUTE, pace)))
        self._answered_at = clock()
        self._cut_at: float | None = None
        self._waiting = dict.fromkeys(RequestPurpose, 0)
        self._levels = self._sizes()
        self._filled_at = clock()

    @property
    def per_minute(self) -> int:
        """The present budget of a minute."""
        return int(min(self._full, self.pace))

    @property
    def per_second(self) -> float:
        """The sustained requests a second, which is the rate of new tokens."""
        return sustained_per_minute(self.per_minute) / MINUTE

    def set_share(self, per_minute: int | None) -> None:
        """Use a share of a team's budget from now on, or the profile's own budget for `None`."""
        full = self._own if per_minute is None else max(1, per_minute)
        if full == self._full:
            return
        self._fill()
        self._full = full
        self._spent = deque(self._spent, maxlen=max(full, self._per_second))
        sizes = self._sizes()
        self._levels = {each: min(level, sizes[each]) for each, level in self._levels.items()}

    def throttled(self) -> None:
        """Halve the budget after a 429 or 503."""
        now = self._clock()
        if self._cut_at is not None and now - self._cut_at < ONE_ANSWER_SECONDS:
            return
        self._fill()
        self.pace = max(min(self._full, MIN_PER_MINUTE), self.per_minute / 2)
        self._cut_at = self._answered_at = now
        sizes = self._sizes()
        self._levels = {each: min(level, sizes[each]) for each, level in self._levels.items()}

    def note_answer(self, *, is_quick: bool) -> None:
        """Raise the pace by the time since the last answer, if this answer came quickly."""
        now = self._clock()
        seconds, self._answered_at = min(MAX_RISE_SECONDS, now - self._answered_at), now
        if is_quick and self.pace < self._full:
            self._fill()
            self.pace = min(self._full, self.pace + self._full * RISE_EACH_MINUTE * seconds / MINUTE)

    def reset_after_sleep(self) -> None:
        """Forget past requests: the platform's minutes are over."""
        self._spent.clear()
        self._levels, self._filled_at = self._sizes(), self._clock()

    def wait_seconds(
        self, purpose: RequestPurpose = RequestPurpose.READS, *, first_look: bool = False, leaves: float = 0.0
    ) -> float:
        """Return the seconds until one more request fits, or 0 for now.

        Args:
            first_look: whether somebody has just opened the data, so that part of the person's bucket may be used.
            leaves: the part of the bucket that must be left for others.
        """
        wait = self._wait_for(purpose, 1.0 + self._waiting[purpose] + leaves * self._sizes()[purpose])
        if wait > 0 and first_look:
            wait = min(wait, self._wait_for(RequestPurpose.PERSON, self._first_look_level()))
        return max(wait, self._wait_for_windows())

    def spend(self, purpose: RequestPurpose = RequestPurpose.READS, *, first_look: bool = False) -> RequestPurpose:
        """Count one request now; return whose bucket paid for it."""
        self._fill()
        is_empty = self._levels[purpose] < 1 - EXACT
        if first_look and is_empty and self._levels[RequestPurpose.PERSON] >= self._first_look_level() - EXACT:
            purpose = RequestPurpose.PERSON
        self._levels[purpose] -= 1
        self._spent.append(self._clock())
        return purpose

    def refund(self, purpose: RequestPurpose = RequestPurpose.READS) -> None:
        """Take back one counted request that wasn't made."""
        self._fill()
        self._levels[purpose] = min(self._sizes()[purpose], self._levels[purpose] + 1)
        if self._spent:
            self._spent.pop()

    async def take(self) -> None:
        """Wait for room and spend one request for the current `PURPOSE`, unless its poll has paid for it."""
        allowance = ALLOWANCE.get()
        if allowance is not None:
            allowance.requests += 1
            if allowance.prepaid:
                allowance.prepaid -= 1
                return
        purpose, is_waiting = PURPOSE.get(), False
        try:
            while (wait := max(self._wait_for(purpose, 1.0), self._wait_for_windows())) > 0:
                if not is_waiting:
                    is_waiting = True
                    self._waiting[purpose] += 1  # counted, so that no new poll overtakes one that has begun
                await asyncio.sleep(wait)
        finally:
            if is_waiting:
                self._waiting[purpose] -= 1
        self.spend(purpose)

    def _sizes(self) -> dict[RequestPurpose, float]:
        size = burst(self.per_minute)
        return {RequestPurpose.PERSON: size, RequestPurpose.READS: size, RequestPurpose.REQUESTED: 1.0}

    def _first_look_level(self) -> float:
        return 1.0 + FIRST_LOOK_LEAVES * self._sizes()[RequestPurpose.PERSON]

    def _fill(self) -> None:
        """Add the tokens of the time since the last call."""
        now = self._clock()
        left, sizes = max(0.0, now - self._filled_at), self._sizes()
        self._filled_at = now
        while left > 0 and (rates := self._rates(self._levels, sizes)):
            step = min(left, *((sizes[each] - self._levels[each]) / rate for each, rate in rates.items()))
            for each, rate in rates.items():
                level = self._levels[each] + step * rate
                self._levels[each] = sizes[each] if sizes[each] - level < EXACT else level
            left -= step

    def _rates(
        self, levels: dict[RequestPurpose, float], sizes: dict[RequestPurpose, float]
    ) -> dict[RequestPurpose, float]:
        """Return the tokens a second of each bucket that isn't full."""
        weights = {each: WEIGHTS[each] for each in RequestPurpose if levels[each] < sizes[each]}
        whole, refill = sum(weights.values()), self.per_second
        return {each: refill * weight / whole for each, weight in weights.items()}

    def _wait_for(self, purpose: RequestPurpose, wanted: float) -> float:
        """Return the seconds until a bucket holds the wanted tokens, as far as it can hold them."""
        self._fill()
        levels, sizes, seconds = dict(self._levels), self._sizes(), 0.0
        wanted = min(wanted, sizes[purpose])
        while levels[purpose] < wanted - EXACT:
            rates = self._rates(levels, sizes)
            step = min(
                (wanted - levels[purpose]) / rates[purpose],
                *((sizes[each] - levels[each]) / rate for each, rate in rates.items()),
            )
            for each, rate in rates.items():
                level = levels[each] + step * rate
                levels[each] = sizes[each] if sizes[each] - level < EXACT else level
            seconds += step
        return seconds

    def _wait_for_windows(self) -> float:
        """Return the seconds until the last second and the last minute have room."""
        now, waits = self._clock(), [0.0]
        for seconds, most in ((SECOND, self._per_second), (MINUTE, self._full)):
            if len(self._spent) >= most:
                waits.append(self._spent[-most] + seconds - now)
        return max(waits)

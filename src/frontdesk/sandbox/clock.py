"""The sandbox's time: real time multiplied by --speed, never running backwards."""

import time
from collections.abc import Callable


class Clock:
    """Virtual Unix milliseconds.

    Args:
        speed: virtual seconds a real second.
        resume_ms: the latest time known from an earlier run; the clock starts there if real time is
            behind it, because stored times must stay in the past.
    """

    def __init__(
        self,
        speed: float = 1.0,
        resume_ms: float = 0,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._steady = steady
        self._speed = speed
        self._origin_ms = max(wall() * 1000, resume_ms)
        self._started = steady()

    def now_ms(self) -> int:
        return int(self._origin_ms + (self._steady() - self._started) * 1000 * self._speed)

    def now_seconds(self) -> int:
        return self.now_ms() // 1000

    def advance(self, seconds: float) -> None:
        """Jump ahead; the control behind `POST /sandbox/advance`."""
        self._origin_ms += seconds * 1000

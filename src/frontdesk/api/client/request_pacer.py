"""Pace of requests for clients without a budget."""

import asyncio
import time

from frontdesk.api.contract.endpoints import Host

REQUESTS_A_SECOND = 10.0
"""Number of requests a second: half of the rate limit seen in the field (docs/interface.md)."""


class RequestPacer:
    """Allows a second's worth of requests at once, then spaces them evenly."""

    def __init__(self, a_second: float) -> None:
        self._a_second = a_second
        self._left = a_second
        self._at = time.monotonic()

    async def __call__(self, _host: Host) -> None:
        now = time.monotonic()
        self._left = min(self._a_second, self._left + (now - self._at) * self._a_second) - 1
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / self._a_second)

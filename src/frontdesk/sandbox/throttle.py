"""A rate limit that a test can turn on; the interface shows none (rule 19).

Asked by the application for each request of the interface.
"""

import time

from frontdesk.sandbox.answers import Refusal


class Throttle:
    """A token bucket an account, one second deep."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, account: str, per_second: int) -> None:
        """Take a token.

        Raises:
            Refusal: 429 with Retry-After when none is left.
        """
        if per_second <= 0:
            return
        now = time.monotonic()
        tokens, at = self._buckets.get(account, (float(per_second), now))
        tokens = min(float(per_second), tokens + (now - at) * per_second)
        if tokens < 1:
            self._buckets[account] = (tokens, now)
            raise Refusal(429, "too_many_requests", "Too many requests a second.", {"Retry-After": "1"})
        self._buckets[account] = (tokens - 1, now)

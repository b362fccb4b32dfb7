"""Retries of fetches: conditions and waits. A write is never repeated."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from frontdesk.api.client.errors import (
    Ambiguous,
    ApiError,
    CredentialsMissing,
    HttpError,
    InvalidPaging,
    NotSent,
    RateLimited,
    ReplyTooLarge,
    ServerError,
    TooManyItems,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits for retrying a fetch.

    Attributes:
        total_seconds: for all attempts and the waits between them.
        retry_after_cap: a longer Retry-After is left to the caller, in the error.
    """

    attempts: int = 3
    base_seconds: float = 0.5
    longest_seconds: float = 8.0
    total_seconds: float = 30.0
    retry_after_cap: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random

    def wait_before_next(self, error: ApiError, attempt: int, seconds_left: float) -> float | None:
        """Return the seconds to wait before the next attempt, or `None` to fail now."""
        if attempt >= self.attempts or not _is_transient(error):
            return None
        retry_after = error.retry_after if isinstance(error, HttpError) else None
        if retry_after is not None:
            return retry_after if retry_after <= min(self.retry_after_cap, seconds_left) else None
        backoff = min(self.longest_seconds, self.base_seconds * 2 ** (attempt - 1)) * self.random()
        return backoff if backoff < seconds_left else None


ONCE = RetryPolicy(attempts=1)
"""The policy for callers with a backoff of their own."""


def parse_retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Parse a Retry-After header, seconds or an HTTP date, into seconds; return `None` if invalid."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    at = parse_http_date(text)
    return None if at is None else max(0.0, (at - (now or datetime.now(UTC))).total_seconds())


def parse_http_date(text: str) -> datetime | None:
    """Parse an HTTP date; return `None` if invalid."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _is_transient(error: ApiError) -> bool:
    if isinstance(error, CredentialsMissing | ReplyTooLarge | TooManyItems | InvalidPaging):
        return False
    return isinstance(error, NotSent | Ambiguous | RateLimited | ServerError)

"""The state of each host, of reads whose reply is too large, and when to retry.

Six bad states are distinguished because each needs another remedy: offline, intercepted, refused, asked to wait,
throttled, failing.
"""

import random
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, replace

from frontdesk.api.client.errors import (
    MAX_RETRY_AFTER,
    Ambiguous,
    ApiError,
    BadReply,
    CredentialsMissing,
    CredentialsRefused,
    HttpError,
    Intercepted,
    NotSent,
    RateLimited,
    Redirected,
    Refused,
    ReplyTooLarge,
)
from frontdesk.storage.records import Connection, Health

FIRST_SECONDS = 1.0
MAX_SECONDS = 60.0
REFUSED_SECONDS = 60.0
MAX_ATTENDED_SECONDS = 8.0
"""The longest wait while somebody watches: a person waits, and an unreachable platform isn't burdened."""

LONG_WAIT_SECONDS = 120.0
"""A host that asks for more (Retry-After) is paused, and a person decides whether to try before its end."""

RETRY_AFTER_SPREAD = 0.15
"""The share of a Retry-After over which clients spread their return."""

MAX_UNNAMED_RETRY_SECONDS = 10.0
"""A retry within this time isn't announced: it would keep the screen busy."""

UNANSWERED_SECONDS = 4.0
"""An answer late by this is reported, long before its request times out."""

SAME_MOMENT_SECONDS = 1.0
"""The largest difference between two clocks' readings of one moment."""

_WORST_FIRST = (
    Connection.INTERCEPTED,
    Connection.REFUSED,
    Connection.OFFLINE,
    Connection.ASKED_TO_WAIT,
    Connection.THROTTLED,
    Connection.FAILING,
)


_THROTTLED = (Connection.THROTTLED, Connection.ASKED_TO_WAIT)
_TRIED_SOON = (Connection.OFFLINE, Connection.INTERCEPTED, Connection.FAILING)
"""While a person waits, unless the host said for how long it wants to be left in peace."""


@dataclass(slots=True)
class _Host:
    state: Connection = Connection.STARTING
    reason: str = ""
    since: float = 0.0
    failures: int = 0
    failed_at: float = 0.0
    retry_at: float = 0.0
    refuses_reads: bool = False
    has_asked: bool = False  # for a time, with Retry-After
    is_tried: bool = False  # before that time, for a person


class Backoff:
    """The state of every used host, and the profile's state made of them.

    Args:
        throttled: called at every 429.

    Attributes:
        attended: whether a person looks at a screen now.
        fresh_at: when the platform last answered a read or accepted a change, also to an earlier engine.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        chance: random.Random | None = None,
        throttled: Callable[[], None] | None = None,
    ):
        self._clock = clock
        self._chance = chance or random.Random()
        self._throttled = throttled
        self._hosts: dict[Hashable, _Host] = {}
        self._unanswered_since: float | None = None
        self.attended = False
        self.fresh_at: float | None = None

    def note_success(self, host: str, *, was_read: bool = True, read: Hashable = None) -> None:
        """Note an answer; `was_read` where it returned data of the platform, `read` where it was a poll's."""
        self._hosts.pop(read, None)
        now = self._clock()
        if was_read:
            self.fresh_at = now
        state = self._hosts.setdefault(host, _Host())
        if state.state in _THROTTLED and now < state.retry_at and not state.is_tried:
            return  # asked before the host said for how long it wants to be left in peace
        state.is_tried = state.has_asked = False
        if state.refuses_reads and not was_read:
            return  # that it answers was known
        state.refuses_reads = False
        if state.state is not Connection.LIVE:
            state.since = now
        state.state, state.reason, state.failures, state.retry_at = Connection.LIVE, "", 0, 0.0

    def note_failure(self, host: str, error: ApiError, read: Hashable = None) -> None:
        """Note an error; full jitter spreads the retries of many clients.

        Args:
            read: the poll that met it. A reply that is too large makes this one wait, not the host's others.
        """
        now = self._clock()
        is_of_read = read is not None and isinstance(error, ReplyTooLarge)
        if is_of_read:
            self.note_success(host, was_read=False)
        state = self._hosts.setdefault(read if is_of_read else host, _Host())
        kind = classify(error)
        retry_after = float(getattr(error, "retry_after", None) or 0.0)
        if retry_after > LONG_WAIT_SECONDS and kind in (Connection.THROTTLED, Connection.FAILING):
            kind = Connection.ASKED_TO_WAIT
        if isinstance(error, RateLimited) and self._throttled is not None:
            self._throttled()
        retry_at = now + self._wait(state, kind, retry_after)
        if state.state in _THROTTLED and now < state.retry_at:
            is_news = kind in _THROTTLED and (state.is_tried or retry_at > state.retry_at)
            state.is_tried = False
            if not is_news:
                return  # what the host asked for holds, whatever became of requests made before its time
        if state.state is not kind:
            state.since = now
        state.refuses_reads = kind is Connection.FAILING and isinstance(error, Refused)
        state.failures += 1
        state.failed_at, state.retry_at = now, retry_at
        state.has_asked, state.is_tried = retry_after > 0, False
        reason = error.interception if isinstance(error, Intercepted | Redirected) else ""
        if kind is Connection.ASKED_TO_WAIT and isinstance(error, HttpError):
            reason = error.host
        state.state, state.reason = kind, reason or str(error)

    def _wait(self, state: _Host, kind: Connection, retry_after: float) -> float:
        """Return the seconds until the next attempt."""
        ceiling = min(MAX_SECONDS, FIRST_SECONDS * 2.0 ** min(state.failures + 1, 10))
        wait = max(FIRST_SECONDS, self._chance.uniform(0, ceiling))
        if kind is Connection.REFUSED:
            wait = REFUSED_SECONDS
        if retry_after > 0:
            later = 1.0 + RETRY_AFTER_SPREAD * self._chance.random()
            wait = max(wait, min(retry_after * later, MAX_RETRY_AFTER))
        return wait

    def ready_at(self, host: str, read: Hashable = None) -> float:
        """Return when a host may be used again, also for this read."""
        return max((self._retry_at(self._hosts[key]) for key in (host, read) if key in self._hosts), default=0.0)

    def _retry_at(self, state: _Host) -> float:
        if self.attended and state.state in _TRIED_SOON and not state.has_asked:
            return min(state.retry_at, state.failed_at + MAX_ATTENDED_SECONDS)
        return state.retry_at

    def _named_retry(self, state: _Host) -> float | None:
        at = self._retry_at(state)
        return at if at - state.failed_at > MAX_UNNAMED_RETRY_SECONDS else None

    def has_failed(self, host: str) -> bool:
        """Whether the last that is known of a host is a failure."""
        return host in self._hosts and self._hosts[host].state in _WORST_FIRST

    def is_throttled(self, host: str) -> bool:
        return host in self._hosts and self._hosts[host].state in _THROTTLED

    def begin_try(self, host: str) -> None:
        """Note that a person has a request sent to a throttling host before its time: a success counts."""
        if host in self._hosts:
            self._hosts[host].is_tried = True

    def reset(self) -> None:
        """Retry every host at once, after a person's request or a sleep, except throttling ones."""
        for state in self._hosts.values():
            if state.state not in _THROTTLED:
                state.retry_at, state.failures = 0.0, 0

    def adjust_to_clock(self, seconds: float) -> None:
        """Shift every stored moment: the clock was ahead by so much."""
        for state in self._hosts.values():
            state.since -= seconds
            state.failed_at -= seconds
            state.retry_at -= seconds
        if self.fresh_at is not None:
            self.fresh_at -= seconds

    def add_unanswered(self, health: Health, seconds: float) -> Health:
        """Report an unanswered request where no worse state is known."""
        if seconds < UNANSWERED_SECONDS or health.state not in (Connection.STARTING, Connection.LIVE):
            self._unanswered_since = None
            return health
        since = self._clock() - seconds
        if self._unanswered_since is None or abs(since - self._unanswered_since) > SAME_MOMENT_SECONDS:
            self._unanswered_since = since
        return replace(health, state=Connection.WAITING, since=self._unanswered_since)

    def health(self, needed: Collection[Hashable] | None = None) -> Health:
        """Return the profile's state: the worst of the hosts and reads needed now."""
        hosts = [state for host, state in self._hosts.items() if needed is None or host in needed]
        for kind in _WORST_FIRST:
            for state in hosts:
                if state.state is kind:
                    return Health(kind, state.reason, state.since, self.fresh_at, self._named_retry(state))
        live = [state.since for state in hosts if state.state is Connection.LIVE]
        if not live:
            return Health(fresh_at=self.fresh_at)
        return Health(Connection.LIVE, "", max(live), self.fresh_at, None)


def classify(error: ApiError) -> Connection:
    """Which of the bad states an error means, apart from how long it asks to wait."""
    if isinstance(error, Intercepted | Redirected):
        return Connection.INTERCEPTED
    if isinstance(error, CredentialsRefused | CredentialsMissing):
        return Connection.REFUSED
    if isinstance(error, RateLimited):
        return Connection.THROTTLED
    if isinstance(error, NotSent | Ambiguous) and not isinstance(error, HttpError | BadReply):
        return Connection.OFFLINE
    return Connection.FAILING

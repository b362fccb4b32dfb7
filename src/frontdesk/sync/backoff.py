"""Bad states of hosts and of single polls, and when to retry.

One failed poll rests alone; its host rests once several have failed without an answer in between. Six bad
states are distinguished because each needs another remedy: offline, intercepted, refused, asked to wait,
throttled, failing.
"""

import random
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field

from frontdesk.storage.records import Connection, Health
from frontdesk_api.client.errors import (
    ABOUT_HOST,
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
    ServerError,
)

FIRST_SECONDS = 1.0
MAX_SECONDS = 60.0
REFUSED_SECONDS = 60.0
MAX_ATTENDED_SECONDS = 6.0
"""Maximum wait in seconds while somebody watches, short enough for a person and rare enough for the platform."""

EARLY_TRIES_SECONDS = 60.0
"""Seconds in which refused credentials, and throttling without a Retry-After, are tried early for a person."""

REFUSED_ATTENDED_SECONDS = 10.0
"""Seconds between two tries with refused credentials at any host: too many may lock an account."""

THROTTLED_ATTENDED_SECONDS = 10.0

ATTENDED_SPREAD = 0.25
"""Share by which tries come earlier while somebody watches, so that clients drift apart."""

FREED_AFTER_SECONDS = 3.0
"""Seconds after its own last failure at which a host is tried because another one in the same state has responded.

The same holds for polls that failed while their host did.
"""

MIN_FAILED_READS = 3
"""Number of polls that fail without an answer in between, after which the host counts as failing."""

LONG_WAIT_SECONDS = 120.0
"""Maximum Retry-After in seconds; after a longer one, a person decides whether to try before its end."""

RETRY_AFTER_SPREAD = 0.15
"""Share of a Retry-After over which clients spread their return."""

MAX_UNNAMED_RETRY_SECONDS = 12.0
"""Seconds within which a retry isn't announced, since that would keep the screen busy."""

UNANSWERED_SECONDS = 4.0
"""Seconds after which a late answer is reported, long before its request times out."""

SAME_MOMENT_SECONDS = 1.0
"""Maximum difference in seconds between two clocks' readings of one moment."""

_WORST_FIRST = (
    Connection.INTERCEPTED,
    Connection.REFUSED,
    Connection.OFFLINE,
    Connection.ASKED_TO_WAIT,
    Connection.THROTTLED,
    Connection.FAILING,
)


UNAVAILABLE = 503
_THROTTLED = (Connection.THROTTLED, Connection.ASKED_TO_WAIT)
_COMMON_CAUSE = (Connection.OFFLINE, Connection.INTERCEPTED, Connection.REFUSED, Connection.THROTTLED)
"""Bad states with one cause for all hosts: the network, the credentials, the account's limit."""


@dataclass(slots=True)
class _Host:
    state: Connection = Connection.STARTING
    reason: str = ""
    since: float = 0.0
    failures: int = 0
    failed_at: float = 0.0
    retry_at: float = 0.0
    attended_retry_at: float = 0.0  # while somebody watches
    asked_until: float = 0.0  # with Retry-After
    refuses_reads: bool = False
    is_tried: bool = False  # a request was sent on purpose since the last failure: its answer counts
    has_cut_pace: bool = False  # the host has throttled and not responded since, whatever its state is
    failed_reads: set[Hashable] = field(default_factory=set)  # since its last answer


class Backoff:
    """The state of every used host, and the profile's state, which is the worst of them.

    Args:
        throttled: called at the first 429 or 503, and again only after that host has responded; requests in
            between are single tries, which say nothing about the pace.

    Attributes:
        attended: whether a person looks at a screen now.
        fresh_at: when the platform last answered a poll or accepted a change, including those of earlier engines.
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
        self._hosts: dict[str, _Host] = {}
        self._reads: dict[Hashable, _Host] = {}
        self._unanswered_since: float | None = None
        self._is_pace_cut = False
        self._refused_since = self._refused_try_at = 0.0
        self.attended = False
        self.fresh_at: float | None = None

    def note_success(self, host: str, *, was_read: bool = True, read: Hashable = None) -> None:
        """Record an answer: `was_read` if it returned data of the platform, `read` if it was a poll's."""
        self._reads.pop(read, None)
        now = self._clock()
        if was_read:
            self.fresh_at = now
        state = self._hosts.setdefault(host, _Host())
        if state.state in _THROTTLED and now < self._retry_at(state) and not state.is_tried:
            return  # the request left before the host asked to wait
        state.is_tried = False
        if state.refuses_reads and not was_read:
            return  # the host is known to answer
        before, since = state.state, state.since
        if state.has_cut_pace:
            self._is_pace_cut = False
        self._hosts[host] = _Host(Connection.LIVE, since=since if before is Connection.LIVE else now)
        if before in _COMMON_CAUSE:
            self._try_others(before)
        if before in _WORST_FIRST:
            self._free_reads(state.failed_reads)

    def _try_others(self, kind: Connection) -> None:
        """Let the hosts in the same bad state be tried soon, but not before the time that they asked for."""
        now = self._clock()
        pause = REFUSED_ATTENDED_SECONDS if kind is Connection.REFUSED else FREED_AFTER_SECONDS
        for state in self._hosts.values():
            if state.state is kind:
                at = max(now + self._chance.random(), state.asked_until, state.failed_at + pause)
                state.retry_at = min(state.retry_at, at)
                state.attended_retry_at = min(state.attended_retry_at, at)

    def _free_reads(self, reads: Collection[Hashable]) -> None:
        """Retry polls soon if they failed together with their host."""
        now = self._clock()
        for state in (self._reads[each] for each in reads if each in self._reads):
            at = now + FREED_AFTER_SECONDS * self._chance.random()
            state.retry_at, state.attended_retry_at = min(state.retry_at, at), min(state.attended_retry_at, at)

    def note_failure(self, host: str, error: ApiError, read: Hashable = None) -> None:
        """Record an error; full jitter spreads the retries of many clients.

        Args:
            read: the poll or changed target. An error that may concern this alone makes it wait, and the host
                only after `MIN_FAILED_READS` of them; a reply that is too large proves that the host answers.
        """
        is_unavailable = isinstance(error, ServerError) and error.status == UNAVAILABLE
        # A poll that keeps failing so shows nothing new about the pace.
        if isinstance(error, RateLimited) or (is_unavailable and read not in self._reads):
            self._cut_pace(self._hosts.setdefault(host, _Host()))
        if read is not None and is_about_read(error):
            if isinstance(error, ReplyTooLarge):
                self.note_success(host, was_read=False)
            self._fail(self._reads.setdefault(read, _Host()), error, Connection.FAILING)
            failed = self._hosts.setdefault(host, _Host()).failed_reads
            failed.add(read)
            if len(failed) < MIN_FAILED_READS:
                return
        self._fail(self._hosts.setdefault(host, _Host()), error, classify(error))

    def _cut_pace(self, state: _Host) -> None:
        state.has_cut_pace = True
        if not self._is_pace_cut and self._throttled is not None:
            self._throttled()
        self._is_pace_cut = True

    def _fail(self, state: _Host, error: ApiError, kind: Connection) -> None:
        now = self._clock()
        retry_after = float(getattr(error, "retry_after", None) or 0.0)
        if retry_after > LONG_WAIT_SECONDS and kind in (Connection.THROTTLED, Connection.FAILING):
            kind = Connection.ASKED_TO_WAIT
        if state.state in _THROTTLED and now < self._retry_at(state):
            is_news = kind in _THROTTLED and (state.is_tried or now + retry_after > state.retry_at)
            state.is_tried = False
            if not is_news:
                return  # the host's requested wait holds, even if earlier requests end differently
        if state.state is not kind:
            state.since = now
        state.refuses_reads = kind is Connection.FAILING and isinstance(error, Refused)
        self._set_retry(state, kind, retry_after)
        state.is_tried = False
        reason = error.interception if isinstance(error, Intercepted | Redirected) else ""
        if kind is Connection.ASKED_TO_WAIT and isinstance(error, HttpError):
            reason = error.host
        state.state, state.reason = kind, reason or str(error)

    def _set_retry(self, state: _Host, kind: Connection, retry_after: float) -> None:
        """Decide when a failed host is tried again, and when while somebody watches."""
        now = self._clock()
        ceiling = min(MAX_SECONDS, FIRST_SECONDS * 2.0 ** min(state.failures + 1, 10))
        wait = max(FIRST_SECONDS, self._chance.uniform(0, ceiling))
        sooner = 1.0 - ATTENDED_SPREAD * self._chance.random()
        attended = min(wait, MAX_ATTENDED_SECONDS * sooner)
        if kind is Connection.REFUSED:
            attended = self._refused_wait(now)
            wait = max(REFUSED_SECONDS, attended)
        elif kind in _THROTTLED:
            is_early = state.state is not kind or now - state.since < EARLY_TRIES_SECONDS
            attended = min(wait, THROTTLED_ATTENDED_SECONDS * sooner) if is_early else wait
        later = 1.0 + RETRY_AFTER_SPREAD * self._chance.random()
        state.asked_until = now + min(retry_after * later, MAX_RETRY_AFTER)
        state.failures, state.failed_at = state.failures + 1, now
        state.retry_at = max(now + wait, state.asked_until)
        state.attended_retry_at = max(now + attended, state.asked_until)

    def _refused_wait(self, now: float) -> float:
        """Return the seconds until this host's next try with refused credentials, after other hosts' tries."""
        if not any(each.state is Connection.REFUSED for each in self._hosts.values()):
            self._refused_since = self._refused_try_at = now
        is_early = now - self._refused_since < EARLY_TRIES_SECONDS
        pause = REFUSED_ATTENDED_SECONDS if is_early else REFUSED_SECONDS
        self._refused_try_at = max(now, self._refused_try_at) + pause
        return self._refused_try_at - now

    def ready_at(self, host: str, read: Hashable = None) -> float:
        """Return when a host may be used again for this poll; without a host, when the poll is tried again."""
        states = (self._hosts.get(host), self._reads.get(read))
        return max((self._retry_at(each) for each in states if each is not None), default=0.0)

    @property
    def failed_reads(self) -> Collection[Hashable]:
        """The polls that rest by themselves, or are tried again."""
        return self._reads.keys()

    def forget_reads(self, wanted: Collection[Hashable]) -> None:
        """Forget the failures of unwanted polls, once they may be tried again."""
        now = self._clock()
        self._reads = {
            read: state for read, state in self._reads.items() if read in wanted or now < self._retry_at(state)
        }

    def _retry_at(self, state: _Host) -> float:
        return min(state.retry_at, state.attended_retry_at) if self.attended else state.retry_at

    def _named_retry(self, state: _Host) -> float | None:
        at = self._retry_at(state)
        return at if at - state.failed_at > MAX_UNNAMED_RETRY_SECONDS else None

    def has_failed(self, host: str, read: Hashable = None) -> bool:
        """Return whether the last result of a host, or of this poll, is a failure."""
        return read in self._reads or (host in self._hosts and self._hosts[host].state in _WORST_FIRST)

    def live_since(self, host: str) -> float:
        """Return since when a host answers, or 0 if it doesn't or was never used."""
        state = self._hosts.get(host)
        return 0.0 if state is None or state.state is not Connection.LIVE else state.since

    def is_throttled(self, host: str) -> bool:
        return host in self._hosts and self._hosts[host].state in _THROTTLED

    def begin_try(self, host: str) -> None:
        """Record a request sent to a throttling host on purpose: a success counts, even before its time."""
        if host in self._hosts:
            self._hosts[host].is_tried = True

    def reset(self) -> None:
        """Retry every host except throttling ones at once, after a person's request or a sleep."""
        for state in self._states():
            if state.state not in _THROTTLED:
                state.retry_at, state.attended_retry_at, state.failures = 0.0, 0.0, 0
        self._refused_try_at = 0.0

    def adjust_to_clock(self, seconds: float) -> None:
        """Shift every stored moment back by the seconds that the clock was ahead."""
        for state in self._states():
            state.since -= seconds
            state.failed_at -= seconds
            state.retry_at -= seconds
            state.attended_retry_at -= seconds
            state.asked_until -= seconds
        self._refused_since -= seconds
        self._refused_try_at -= seconds
        if self.fresh_at is not None:
            self.fresh_at -= seconds

    def _states(self) -> tuple[_Host, ...]:
        return *self._hosts.values(), *self._reads.values()

    def add_unanswered(self, health: Health, seconds: float) -> Health:
        """Report an unanswered request if no worse state is known."""
        if seconds < UNANSWERED_SECONDS or health.state not in (Connection.STARTING, Connection.LIVE):
            self._unanswered_since = None
            return health
        since = self._clock() - seconds
        if self._unanswered_since is None or abs(since - self._unanswered_since) > SAME_MOMENT_SECONDS:
            self._unanswered_since = since
        return health._replace(state=Connection.WAITING, since=self._unanswered_since)

    def health(self, needed: Collection[Hashable] | None = None) -> Health:
        """Return the profile's state: the worst of the hosts and polls needed now."""
        states = (*self._hosts.items(), *self._reads.items())
        hosts = [state for key, state in states if needed is None or key in needed]
        for kind in _WORST_FIRST:
            for state in hosts:
                if state.state is kind:
                    return Health(kind, state.reason, state.since, self.fresh_at, self._named_retry(state))
        live = [state.since for state in hosts if state.state is Connection.LIVE]
        if not live:
            return Health(fresh_at=self.fresh_at)
        return Health(Connection.LIVE, "", max(live), self.fresh_at, None)


def is_about_read(error: ApiError) -> bool:
    """Return whether an error may concern one poll alone: the platform fails, or its answer is missing or bad."""
    return (
        isinstance(error, Ambiguous)
        and not isinstance(error, ABOUT_HOST)
        and not getattr(error, "retry_after", None)
    )


def classify(error: ApiError) -> Connection:
    """Return the bad state that an error means, whatever wait it asks for."""
    if isinstance(error, Intercepted | Redirected):
        return Connection.INTERCEPTED
    if isinstance(error, CredentialsRefused | CredentialsMissing):
        return Connection.REFUSED
    if isinstance(error, RateLimited):
        return Connection.THROTTLED
    if isinstance(error, NotSent | Ambiguous) and not isinstance(error, HttpError | BadReply):
        return Connection.OFFLINE
    return Connection.FAILING

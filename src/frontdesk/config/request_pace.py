"""Limits of an engine's requests, and the pace that a budget of a minute can sustain.

The engine keeps to the limits, and screens announce them.
"""

from typing import NamedTuple

from frontdesk.config.hosts import are_local
from frontdesk.config.settings import Settings
from frontdesk_api.hosts import Hosts

BURST = 1 / 15
"""Part of the minute's budget that may be used at once: for people's changes, and as much for polls."""

MIN_REFILL = 0.85
"""Minimum part of the minute's budget that lasts, if the bursts are most of it."""

CHANGES_SHARE = 0.77
"""Part of the pace that many changes get: 0.67 while threads are fetched ahead, 0.88 on a quiet board."""


RISE_EACH_MINUTE = 0.1
"""Part of the maximum requests of a minute that is added each minute while answers are quick."""


class RequestLimits(NamedTuple):
    """Maximum requests in a second and in a minute, and the minute's requests to begin with."""

    per_second: float
    per_minute: int
    start: int


REMOTE = RequestLimits(5.0, 300, 120)
LOCAL = RequestLimits(50.0, 3_000, 3_000)
"""Limits for a platform whose hosts are all on this machine, such as a sandbox.

A tunnel to another one looks the same, so the config's limits and a 429 or 503 apply here, too.
"""


def request_limits(settings: Settings, hosts: Hosts) -> RequestLimits:
    """Return the limits for these hosts; the config's values are the maximum."""
    usual = LOCAL if are_local(hosts) else REMOTE
    per_minute = settings.requests_per_minute or usual.per_minute
    start = per_minute if usual is LOCAL else min(per_minute, usual.start)
    return RequestLimits(settings.requests_per_second or usual.per_second, per_minute, start)


def burst(per_minute: float) -> float:
    """Return the number of requests that may be made at once after a rest; at least one."""
    return max(1.0, per_minute * BURST)


def sustained_per_minute(per_minute: float) -> float:
    """Return the requests a minute that last: even with all bursts at its start no minute exceeds its budget."""
    return max(per_minute - 2 * burst(per_minute), per_minute * MIN_REFILL)


def changes_per_minute(per_minute: float) -> float:
    """Return how many of the sustained requests changes may take; polls take the rest."""
    return sustained_per_minute(per_minute) * CHANGES_SHARE


def seconds_of_changes(requests: float, limits: RequestLimits) -> float:
    """Return the seconds that a number of requests for changes takes while answers are quick."""
    left, seconds, rise = requests - burst(limits.start), 0.0, limits.per_minute * RISE_EACH_MINUTE
    pace = min(limits.per_minute, limits.start + rise / 2)
    while pace < limits.per_minute and left > changes_per_minute(pace):
        left, seconds = left - changes_per_minute(pace), seconds + 60
        pace = min(limits.per_minute, pace + rise)
    return max(seconds + left * 60 / changes_per_minute(pace), requests / max(1.0, limits.per_second))

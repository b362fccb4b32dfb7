"""How many requests an engine may make, and the pace that a budget of a minute can keep up.

The engine holds to it, and screens announce it.
"""

from typing import NamedTuple

from frontdesk.config.hosts import Hosts, are_local
from frontdesk.config.settings_table import Settings

BURST = 1 / 15
"""What may go at once, as a part of the minute's budget: for people's changes, and as much for polls."""

MIN_REFILL = 0.85
"""The least part of the minute's budget that can be kept up, where the bursts are most of it."""

CHANGES_SHARE = 0.77
"""The part that many changes get of the pace: 0.67 while threads are read ahead, 0.88 on a quiet board."""


RISE_EACH_MINUTE = 0.1
"""How much of the most requests of a minute is added each minute while answers are quick."""


class RequestLimits(NamedTuple):
    """The most requests in a second and in a minute, and those of a minute to begin with."""

    per_second: float
    per_minute: int
    start: int


REMOTE = RequestLimits(5.0, 300, 120)
LOCAL = RequestLimits(50.0, 3_000, 3_000)
"""For a platform whose hosts are all on this machine: a sandbox. A tunnel to another one looks the same, so the
config's limits and a 429 or 503 hold here, too."""


def request_limits(settings: Settings, hosts: Hosts) -> RequestLimits:
    """Return the limits for these hosts; what is set in the config is the most."""
    usual = LOCAL if are_local(hosts) else REMOTE
    per_minute = settings.requests_per_minute or usual.per_minute
    start = per_minute if usual is LOCAL else min(per_minute, usual.start)
    return RequestLimits(settings.requests_per_second or usual.per_second, per_minute, start)


def burst(per_minute: float) -> float:
    """Return how many requests may go at once after a rest; at least one."""
    return max(1.0, per_minute * BURST)


def sustained_per_minute(per_minute: float) -> float:
    """Return the requests a minute that last: with all bursts at its start no minute has more than it may."""
    return max(per_minute - 2 * burst(per_minute), per_minute * MIN_REFILL)


def changes_per_minute(per_minute: float) -> float:
    """Return the changes' usual part of that pace: polls take the rest."""
    return sustained_per_minute(per_minute) * CHANGES_SHARE


def seconds_of_changes(requests: float, limits: RequestLimits) -> float:
    """Return how long so many requests of changes take while answers are quick."""
    left, seconds, rise = requests - burst(limits.start), 0.0, limits.per_minute * RISE_EACH_MINUTE
    pace = min(limits.per_minute, limits.start + rise / 2)
    while pace < limits.per_minute and left > changes_per_minute(pace):
        left, seconds = left - changes_per_minute(pace), seconds + 60
        pace = min(limits.per_minute, pace + rise)
    return max(seconds + left * 60 / changes_per_minute(pace), requests / max(1.0, limits.per_second))

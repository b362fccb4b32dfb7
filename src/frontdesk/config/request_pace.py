"""The pace that a budget of requests a minute can keep up: what the engine holds and what screens announce."""

BURST = 1 / 15
"""What may go at once, as a part of the minute's budget: for people's changes, and as much for polls."""

MIN_REFILL = 0.85
"""The least part of the minute's budget that can be kept up, where the bursts are most of it."""

CHANGES_SHARE = 0.77
"""The part that many changes get of the pace: 0.67 while threads are read ahead, 0.88 on a quiet board."""


def burst(per_minute: float) -> float:
    """Return how many requests may go at once after a rest; at least one."""
    return max(1.0, per_minute * BURST)


def sustained_per_minute(per_minute: float) -> float:
    """Return the requests a minute that last: with all bursts at its start no minute has more than it may."""
    return max(per_minute - 2 * burst(per_minute), per_minute * MIN_REFILL)


def changes_per_minute(per_minute: float) -> float:
    """Return the changes' usual part of that pace: polls take the rest."""
    return sustained_per_minute(per_minute) * CHANGES_SHARE

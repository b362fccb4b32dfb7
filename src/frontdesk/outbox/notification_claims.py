"""Claims on notifications: each is shown once, by one screen.

What was shown is kept in the outbox's file, so that it holds after a restart and for every screen on the profile.
"""

from collections.abc import Mapping

import apsw

from frontdesk.outbox import queue

TOLD = "told"
"""Kept a conversation or task: the moment, Unix seconds, of the newest thing in it that was told of."""

FORGET_SECONDS = 14 * 86_400.0
"""After so long nothing as old is news to anybody, so what was told of it need not be known."""


def claim(db: apsw.Connection, moments: Mapping[str, float], now: float) -> frozenset[str]:
    """Those of which nobody was told up to their moment: whoever gets them tells, and nobody after."""
    told = queue.kept_among(db, TOLD, moments)
    claimed = frozenset(key for key, at in moments.items() if at > told.get(key, 0.0))
    for key in claimed:
        queue.keep(db, TOLD, key, moments[key], now)
    if claimed:
        queue.forget_older(db, TOLD, now - FORGET_SECONDS)
    return claimed

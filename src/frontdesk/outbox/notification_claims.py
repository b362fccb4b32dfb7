"""Claims on notifications, kept in the outbox's file: each is shown once, by one screen, also after a restart."""

from collections.abc import Mapping

import apsw

from frontdesk.outbox import queue

TOLD = "told"
"""Kept a conversation or task: the time, Unix seconds, of the newest notified event."""

FORGET_SECONDS = 14 * 86_400.0
"""After so long an equally old event is never new, so the claim is deleted."""


def claim(db: apsw.Connection, moments: Mapping[str, float], now: float) -> frozenset[str]:
    """Claim unclaimed events; the caller shows those returned."""
    told = queue.kept_among(db, TOLD, moments)
    claimed = frozenset(key for key, at in moments.items() if at > told.get(key, 0.0))
    for key in claimed:
        queue.keep(db, TOLD, key, moments[key], now)
    if claimed:
        queue.forget_older(db, TOLD, now - FORGET_SECONDS)
    return claimed

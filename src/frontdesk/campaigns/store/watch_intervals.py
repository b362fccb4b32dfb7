"""When campaigns were watched without a hole, and what is kept of their samples when these grow old.

A rate is made only of time in which somebody looked (`campaigns.metrics.throughput`). Called by `campaigns`
and by the engine's housekeeping.
"""

import json
from collections.abc import Iterable, Sequence

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.models import WatchInterval
from frontdesk.storage.sql import Row, first, rows

HOLE_SECONDS = 90.0
"""Reads further apart than this leave a hole: an unchanged one is written once a minute only."""

HOUR, DAY = 3_600.0, 86_400.0
KEEP_ONE_IN = ((HOUR, 60.0), (DAY, 600.0))
"""From which age on one sample is kept in how many seconds."""

FALLING = 1
"""The place of the counter that falls by itself: pending. A fall of any other is a correction, which stays."""


def read(db: apsw.Connection, campaign_id: CampaignId, now: float, read_before: float | None = None) -> None:
    """A campaign was read: the present stretch goes on, or a new one begins after a hole.

    Args:
        read_before: when it was read before, where that is later than what was written.
    """
    last = first(
        db,
        "SELECT since, until FROM watch_stretches WHERE campaign_id = ? ORDER BY since DESC LIMIT 1",
        (campaign_id,),
    )
    if last is not None:
        until = max(last[1], read_before) if read_before is not None and read_before <= now else last[1]
        if 0 <= now - until <= HOLE_SECONDS and until - last[1] <= HOLE_SECONDS:
            db.execute(
                "UPDATE watch_stretches SET until = ? WHERE campaign_id = ? AND since = ?",
                (now, campaign_id, last[0]),
            )
            return
    db.execute("INSERT OR REPLACE INTO watch_stretches VALUES (?, ?, ?)", (campaign_id, now, now))


def stretches(db: apsw.Connection, campaign_id: CampaignId, since: float) -> list[WatchInterval]:
    """When a campaign was watched since then, oldest first."""
    found = rows(
        db,
        "SELECT since, until FROM watch_stretches WHERE campaign_id = ? AND until >= ? ORDER BY since",
        (campaign_id, since),
    )
    return [WatchInterval(*row) for row in found]


def spare(db: apsw.Connection, now: float) -> list[tuple[CampaignId, float]]:
    """Old samples that say little: all but one a minute after an hour, one in ten minutes after a day.

    The first and the last of a campaign stay, and what shows that a counter fell with the one before it.
    """
    found: list[tuple[CampaignId, float]] = []
    for (campaign_id,) in rows(db, "SELECT DISTINCT campaign_id FROM samples"):
        old = rows(
            db,
            "SELECT at, counters FROM samples WHERE campaign_id = ? AND at < ? ORDER BY at",
            (campaign_id, now - HOUR),
        )
        keep = _kept(old, now)
        # The last of the old ones may be the last of all, with which the next read is compared.
        found += [(campaign_id, row[0]) for row in old[1:-1] if row[0] not in keep]
    return found


def thin(db: apsw.Connection, spared: Iterable[tuple[CampaignId, float]], now: float) -> None:
    """Let these samples go, and moments of long ago at which a campaign was read and nothing before or after."""
    db.executemany("DELETE FROM samples WHERE campaign_id = ? AND at = ?", spared)
    db.execute("DELETE FROM watch_stretches WHERE until = since AND until < ?", (now - DAY,))


def _kept(found: Sequence[Row], now: float) -> set[float]:
    newest: dict[tuple[float, int], float] = {}
    keep: set[float] = set()
    before: Row | None = None
    counters: list[float | None] = []
    for at, text in found:
        every = max(seconds for age, seconds in KEEP_ONE_IN if at <= now - age)
        newest[every, int(at // every)] = at
        last, counters = counters, json.loads(text)
        if before is not None and _fell(last, counters):
            keep |= {before[0], at}
        before = (at, text)
    return keep | set(newest.values())


def _fell(before: Iterable[float | None], after: Iterable[float | None]) -> bool:
    pairs = enumerate(zip(before, after, strict=True))
    return any(
        place != FALLING and was is not None and now is not None and now < was for place, (was, now) in pairs
    )

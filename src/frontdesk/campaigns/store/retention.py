"""Deletion of old samples and recipient lists, by the engine's housekeeping."""

import json
from collections.abc import Callable, Iterable, Sequence

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.store import campaigns
from frontdesk.outbox import queue
from frontdesk.storage.sql import Row, rows

HOUR, DAY = 3_600.0, 86_400.0
KEEP_ONE_IN = ((HOUR, 60.0), (DAY, 600.0))
"""From which age on one sample is kept in how many seconds."""

KEEP_LISTS_SECONDS = 7 * DAY
"""So long after its last read the list of recipients stays of a campaign that nobody watches any more."""

FALLING = 1
"""The index of the counter that falls by itself: pending. A fall of any other is a correction, which stays."""


def thin_samples(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Return a write that deletes old samples; None where all are to stay."""
    found = samples_to_thin(db, now)
    return (lambda db: delete_samples(db, found, now)) if found else None


def drop_lists(db: apsw.Connection, now: float) -> Callable[[apsw.Connection], object] | None:
    """Return a write that deletes lists of long unwatched campaigns; None without any."""
    listed = rows(
        db,
        "SELECT campaign_id FROM audiences LEFT JOIN campaigns USING (campaign_id) WHERE coalesce(read_at, 0) < ?",
        (now - KEEP_LISTS_SECONDS,),
    )
    watched = queue.kept_among(db, campaigns.WATCHED, (each for (each,) in listed))
    unwatched = [CampaignId(each) for (each,) in listed if each not in watched]
    return (lambda db: _delete_lists(db, unwatched)) if unwatched else None


def samples_to_thin(db: apsw.Connection, now: float) -> list[tuple[CampaignId, float]]:
    """Return the samples to delete: all but one a minute after an hour, one in ten minutes after a day.

    The first and last of a campaign stay, and those that show that a counter fell.
    """
    found: list[tuple[CampaignId, float]] = []
    for (campaign_id,) in rows(db, "SELECT DISTINCT campaign_id FROM samples"):
        old = rows(
            db,
            "SELECT at, counters FROM samples WHERE campaign_id = ? AND at < ? ORDER BY at",
            (campaign_id, now - HOUR),
        )
        keep = samples_to_keep(old, now)
        # The last of the old ones may be the last of all, with which the next read is compared.
        found += [(campaign_id, row[0]) for row in old[1:-1] if row[0] not in keep]
    return found


def delete_samples(db: apsw.Connection, spared: Iterable[tuple[CampaignId, float]], now: float) -> None:
    """Delete these samples, and old watch intervals of a single read."""
    db.executemany("DELETE FROM samples WHERE campaign_id = ? AND at = ?", spared)
    db.execute("DELETE FROM watch_stretches WHERE until = since AND until < ?", (now - DAY,))


def samples_to_keep(found: Sequence[Row], now: float) -> set[float]:
    """Return the times of the old samples that stay."""
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
        index != FALLING and was is not None and now is not None and now < was for index, (was, now) in pairs
    )


def _delete_lists(db: apsw.Connection, campaign_ids: Iterable[CampaignId]) -> None:
    for each in campaign_ids:
        if queue.kept(db, campaigns.WATCHED, each) is None:
            campaigns.put_audience(db, each, None)

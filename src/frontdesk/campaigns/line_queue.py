"""The other campaigns on a campaign's line, as far as frontdesk watches them; for the Campaigns screen."""

from collections.abc import Iterable, Sequence

import apsw

from frontdesk.campaigns.models import CampaignHistory, CampaignRecord
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.throughput import LOOKBACK_SECONDS, expected_pace, expected_seconds, line_load
from frontdesk.campaigns.time_left import LineLoad
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import CAMPAIGN_ENDED

HANGS_AFTER = 900.0
"""A campaign that was due so many seconds ago and hasn't begun: when it will, if ever, nobody can tell."""


def expected_ends(
    waiting: Sequence[tuple[float, float | None]], paces: Sequence[float], left: float | None, now: float
) -> list[tuple[float, float] | None]:
    """Return between which moments campaigns that wait for a line end; None where that can't be told.

    Args:
        waiting: when each begins and its recipients, in the order of the beginnings.
        paces: recipients a second of the line's last campaigns; without any, no pace is assumed.
        left: recipients that its running campaigns have still to reach; None is unknown.
    """
    pace, is_assumed = expected_pace(paces)
    found: list[tuple[float, float] | None] = []
    for begins_at, count in waiting:
        hangs = begins_at < now - HANGS_AFTER
        if is_assumed or hangs or left is None or count is None:
            found.append(None)
        else:
            wait = max(0.0, begins_at - now)
            low, high = (now + wait + each for each in expected_seconds(count, pace, left, wait))
            found.append((low, high))
        if not hangs:
            left = None if left is None or count is None else left + count
    return found


class LineQueue:
    """Reads the other campaigns of a line: each once per read of it, and the length of its list once."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._lengths: dict[CampaignId, int] = {}
        self._histories: dict[CampaignId, CampaignHistory] = {}
        self._loads: dict[CampaignId, tuple[object, LineLoad | None]] = {}

    def loads(self, record: CampaignRecord, among: Iterable[CampaignRecord], now: float) -> list[LineLoad]:
        """Return what the others on its line mean for a running campaign; nothing for any other."""
        if record.status != "inProgress" or not record.line_id:
            return []
        others = (
            each for each in among if each.line_id == record.line_id and each.campaign_id != record.campaign_id
        )
        found = (self._load(each, now) for each in others)
        return [each for each in found if each is not None]

    def _load(self, record: CampaignRecord, now: float) -> LineLoad | None:
        # With many on one line each is asked for by all others, at nearly the same time.
        basis = (record, int(now))
        kept = self._loads.get(record.campaign_id)
        if kept is None or kept[0] != basis:
            found = line_load(self._history(record, now), now, self.recipients(record))
            kept = self._loads[record.campaign_id] = (basis, found)
        return kept[1]

    def _history(self, record: CampaignRecord, now: float) -> CampaignHistory:
        if record.status in CAMPAIGN_ENDED:
            return CampaignHistory(record)
        kept = self._histories.get(record.campaign_id)
        if kept is None or kept.record != record:
            since = min(now, record.read_at or now) - LOOKBACK_SECONDS
            kept = self._histories[record.campaign_id] = campaign_store.recent_history(self._db, record, since)
        return kept

    def recipients(self, record: CampaignRecord) -> int | None:
        """Return the length of the list of a campaign that is to come, which the platform doesn't count yet."""
        if record.status not in ("scheduled", "pending"):
            return None
        known = self._lengths.get(record.campaign_id)
        if known is None:
            known = campaign_store.count_recipients(self._db, record.campaign_id)
            if known is not None:
                self._lengths[record.campaign_id] = known
        return known

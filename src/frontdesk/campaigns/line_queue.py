"""The other campaigns on a campaign's line, as far as frontdesk watches them; for the Campaigns screen."""

from collections.abc import Iterable

import apsw

from frontdesk.campaigns.models import CampaignHistory, CampaignRecord
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.throughput import LOOKBACK_SECONDS, line_load
from frontdesk.campaigns.time_left import LineLoad
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import CAMPAIGN_ENDED


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
            found = line_load(self._history(record, now), now, self._recipients(record))
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

    def _recipients(self, record: CampaignRecord) -> int | None:
        if record.status not in ("scheduled", "pending"):
            return None
        known = self._lengths.get(record.campaign_id)
        if known is None:
            known = campaign_store.count_recipients(self._db, record.campaign_id)
            if known is not None:
                self._lengths[record.campaign_id] = known
        return known

"""The campaigns that the numbers count, which know nothing of campaigns."""

import apsw

from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.throughput import LOOKBACK_SECONDS, CampaignState, measure_throughput
from frontdesk.campaigns.view.row import UNREAD_AFTER_SECONDS
from frontdesk.metrics.facts import RunningCampaign
from frontdesk_api.contract.values import CAMPAIGN_ENDED


def read_campaigns(db: apsw.Connection, now: float) -> list[RunningCampaign]:
    """Return the watched campaigns that run, or may run since they were read last."""
    found = []
    for stored in campaign_store.watched(db):
        if stored.status in CAMPAIGN_ENDED:
            continue
        record = campaign_store.with_last_read(db, stored)
        age = None if record.read_at is None or record.problem else now - record.read_at
        is_known = age is not None and age <= UNREAD_AFTER_SECONDS
        is_to_come = record.status == "scheduled" and (record.scheduled_at or 0.0) > now
        if record.status != "inProgress" and (is_known or is_to_come):
            continue
        pace, is_throttled = None, False
        if is_known:
            history = campaign_store.recent_history(db, record, now - LOOKBACK_SECONDS)
            measured = measure_throughput(history, now)
            pace, is_throttled = measured.minute_rate, measured.state is CampaignState.THROTTLED
        found.append(
            RunningCampaign(record.campaign_id, record.name, record.line_id or "", is_known, is_throttled, pace)
        )
    return found

"""The orders of the list of campaigns."""

import pytest

from campaigns.view.test_row import campaign
from frontdesk.campaigns.alert_rules import BUILT_IN, AlertMatch
from frontdesk.campaigns.models import CampaignHistory, CampaignOrder, CampaignRecord, sort_campaigns
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import CampaignState, Throughput
from frontdesk_api.contract.ids import CampaignId
from sample_records import HALF, NONE, NOW, ZONE

THROTTLED = HALF._replace(failed=0.0, too_many=80.0)
RECORDS = [
    campaign(campaign_id=CampaignId("a"), name="Delta", started_at=NOW - 50, counters=NONE),
    campaign(campaign_id=CampaignId("b"), name="bravo", started_at=NOW - 90, counters=HALF),
    campaign(
        campaign_id=CampaignId("c"),
        name="Alpha",
        started_at=NOW - 70,
        counters=HALF._replace(failed=0.0, too_many=0.0),
    ),
    campaign("completed", campaign_id=CampaignId("d"), name="Éclair", started_at=NOW - 900, counters=THROTTLED),
    campaign("scheduled", campaign_id=CampaignId("e"), name="Charlie", scheduled_at=NOW + 60, counters=NONE),
]


@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        (CampaignOrder.TROUBLE, "dbace"),
        (CampaignOrder.STATE, "acbed"),
        (CampaignOrder.END, "bcaed"),
        (CampaignOrder.FAILING, "dbaec"),
        (CampaignOrder.NAME, "cbead"),
        (CampaignOrder.START, "eacbd"),
    ],
)
def test_each_order_has_what_needs_a_look_on_top(order: CampaignOrder, wanted: str) -> None:
    troubles = {CampaignId("b"): 1, CampaignId("d"): 0}
    ends_at = {CampaignId("b"): NOW + 10, CampaignId("c"): NOW + 20, CampaignId("a"): None}
    assert "".join(each.campaign_id for each in sort_campaigns(RECORDS, order, ends_at, troubles)) == wanted


@pytest.mark.parametrize(
    ("record", "state", "has_alert", "trouble"),
    [
        (campaign(), CampaignState.MOVING, False, None),
        (campaign(), CampaignState.MOVING, True, 0),
        (campaign(), CampaignState.STALLED, False, 1),
        (campaign(problem="gone"), CampaignState.MOVING, False, 1),
        (campaign("", problem="no campaign"), CampaignState.UNREAD, False, None),
        (campaign("failed", failed_at=NOW - 60), CampaignState.ENDED, False, 2),
        (campaign("failed", failed_at=NOW - 86_400), CampaignState.ENDED, True, None),
        (campaign("completed", completed_at=NOW - 60), CampaignState.ENDED, True, 0),
        (campaign("completed", completed_at=NOW - 60), CampaignState.ENDED, False, None),
        (campaign("stopped"), CampaignState.ENDED, True, None),
    ],
)
def test_trouble_is_an_alert_a_standstill_or_a_failure_of_today(
    record: CampaignRecord, state: CampaignState, has_alert: bool, trouble: int | None
) -> None:
    alerts = [AlertMatch(BUILT_IN[0], "5", "failed 5%")] if has_alert else []
    now = Throughput(state, NOW, None, 0.0, None, None, None)
    assert CampaignReading(CampaignHistory(record), now, alerts).trouble(NOW, ZONE) == trouble

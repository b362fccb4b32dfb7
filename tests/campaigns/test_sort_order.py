"""The orders of the list of campaigns."""

import pytest

from campaigns.view.test_row import campaign
from frontdesk.campaigns.models import CampaignOrder, sort_campaigns
from frontdesk_api.contract.ids import CampaignId
from sample_records import HALF, NONE, NOW

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
        (CampaignOrder.STATE, "acbed"),
        (CampaignOrder.END, "bcaed"),
        (CampaignOrder.FAILING, "dbaec"),
        (CampaignOrder.NAME, "cbead"),
        (CampaignOrder.START, "eacbd"),
    ],
)
def test_each_order_has_what_needs_a_look_on_top(order: CampaignOrder, wanted: str) -> None:
    ends_at = {CampaignId("b"): NOW + 10, CampaignId("c"): NOW + 20, CampaignId("a"): None}
    assert "".join(each.campaign_id for each in sort_campaigns(RECORDS, order, ends_at)) == wanted

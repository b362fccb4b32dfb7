"""What the store tells the workflow check, beside a workflow's own document."""

from checking.workflows import whole
from frontdesk.checking.check import check
from frontdesk.contract.ids import CampaignId, LineId
from frontdesk.desk.desk import Desk
from frontdesk.desk.workflow_check import known_beside
from frontdesk.store import campaigns, tasks
from frontdesk.store.store import Store
from raws import raw_task


def test_other_workflows_the_lines_channel_and_campaigns_to_come_are_known(store: Store, desk: Desk) -> None:
    raw = whole() | {"associatedToBusinessId": "L1", "isActive": False}
    assert known_beside(raw, ["w", "other"], desk.reads).channels == {}
    customers = [{"phoneNumberId": f"C{number}", "platform": each} for number, each in ((1, ""), (2, "instagram"))]
    store.write(
        lambda db: tasks.put(db, [raw_task(at, customer=each) for at, each in enumerate(customers, 1)])
    ).result()
    for number, (status, workflow_id) in enumerate([("scheduled", "w"), ("completed", "w"), ("scheduled", 5)]):
        campaign = {"id": f"c{number}", "name": f"Campaign {number}", "status": status, "workflowId": workflow_id}
        store.write(lambda db, each=campaign: campaigns.watch(db, [CampaignId(each["id"])], 1.0)).result()
        store.write(lambda db, each=campaign: campaigns.put(db, CampaignId(each["id"]), each, 1.0)).result()
    known = known_beside(raw, ["w", "other"], desk.reads)
    assert known.workflow_ids == {"w", "other"}
    assert known.channels == {"L1": "instagram"}
    assert known.scheduled == {"w": ("Campaign 0",)}
    assert [each.rule_id for each in check(raw, known=known)] == ["channel-differs", "inactive-scheduled"]
    assert desk.reads.platform_of_line(LineId("nobody's")) == ""

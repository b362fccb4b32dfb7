"""What the store tells the workflow check, beside a workflow's own document."""

from flows.checks.sample_workflows import whole
from frontdesk.campaigns.store import campaigns
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import StoredDocument, load_references, stored_document
from frontdesk_api.contract.ids import CampaignId, LineId
from frontdesk_flows.checks.run import check
from sample_json import raw_task
from services import Services


def test_other_workflows_the_lines_channel_and_campaigns_to_come_are_known(
    store: Store, services: Services
) -> None:
    raw = whole() | {"associatedToBusinessId": "L1", "isActive": False}
    assert load_references(raw, services.store.reading, workflow_ids=["w", "other"]).channels is None
    customers = [{"phoneNumberId": f"C{number}", "platform": each} for number, each in ((1, ""), (2, "instagram"))]
    store.write(
        lambda db: task_store.put(db, [raw_task(at, customer=each) for at, each in enumerate(customers, 1)])
    ).result()
    for number, (status, workflow_id) in enumerate([("scheduled", "w"), ("completed", "w"), ("scheduled", 5)]):
        campaign = {"id": f"c{number}", "name": f"Campaign {number}", "status": status, "workflowId": workflow_id}
        store.write(lambda db, each=campaign: campaigns.watch(db, [CampaignId(each["id"])], 1.0)).result()
        store.write(lambda db, each=campaign: campaigns.put(db, CampaignId(each["id"]), each, 1.0)).result()
    known = load_references(raw, services.store.reading, workflow_ids=["w", "other"])
    assert known.workflow_ids == {"w", "other"}
    assert known.channels == {"L1": "instagram"}
    assert known.scheduled == {"w": ("Campaign 0",)}
    assert [each.rule_id for each in check(raw, known=known)] == ["channel-differs", "inactive-scheduled"]
    assert record_lookup.platform_of_line(services.store.reading, LineId("nobody's")) == ""


def list_one(store: Store, changed: float, *, has_more: bool = False) -> None:
    listed = [{"id": "w", "lastModified": changed}]
    store.write(
        lambda db: workflow_store.put_listing(db, listed, has_more=has_more, requested_at=changed, now=changed)
    ).result()


def test_where_more_workflows_exist_no_pointer_is_known_to_lead_nowhere(store: Store, services: Services) -> None:
    list_one(store, 1.0, has_more=True)
    assert load_references(whole(), services.store.reading, workflow_ids=["w"]).workflow_ids is None


def test_a_whole_document_is_checked_where_it_is_as_it_is_now(store: Store, services: Services) -> None:
    list_one(store, 1.0)
    assert stored_document("w", services.store.reading).problem
    raw = whole() | {"id": "w", "lastModified": 1.0}
    store.write(lambda db: workflow_store.put_whole(db, raw, 2.0)).result()
    assert stored_document("w", services.store.reading) == StoredDocument(raw)
    list_one(store, 3.0)
    assert stored_document("w", services.store.reading).is_stale, "it was changed since"
    assert stored_document("nobody's", services.store.reading).raw is None

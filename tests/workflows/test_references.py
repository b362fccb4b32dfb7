"""What the store tells the workflow check, beside a workflow's own document."""

from typing import Any

from flows.checks.sample_workflows import whole
from frontdesk.campaigns.store import campaigns
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import StoredDocument, find_dependents, load_references, stored_document
from frontdesk.workflows.reviews import dependent_words
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


def test_the_others_that_are_on_and_those_that_point_here_are_known(store: Store, services: Services) -> None:
    def put(db: Any) -> None:
        for each in (
            whole(),
            whole() | {"id": "twin", "name": "Twin"},
            whole() | {"id": "off", "isActive": False},
            whole() | {"id": "far", "associatedToBusinessId": "elsewhere"},
        ):
            workflow_store.put_whole(db, each, 1.0)
        unread = [{"id": "new", "isActive": True, "associatedToBusinessId": "line"}]
        workflow_store.put_listing(db, unread, has_more=True, requested_at=1.0, now=1.0)

    store.write(put).result()
    known = load_references(whole(), services.store.reading)
    assert known.active_on is not None
    assert known.is_pointed_to is not None
    assert {each.workflow_id: each.start for each in known.active_on("line")} == {
        **{"w": "ask", "twin": "ask"},
        "new": None,
    }
    assert [each.words.text for each in check(whole(), known=known)] == [
        '"Twin" has the same trigger, on the same line'
    ]
    assert known.is_pointed_to("other")
    assert not known.is_pointed_to("ask")
    assert not known.is_pointed_to('o"ther')


def test_who_depends_on_a_workflow_is_told_as_far_as_it_is_known(store: Store, services: Services) -> None:
    counts = {"totalStarted": 9, "totalCompleted": 5, "totalDropped": 1}
    raw = whole() | {"analytics": counts, "executionCount": 9}

    def told(raw: dict[str, Any], db: Any, counted_at: float | None = None) -> list[str]:
        return [words.text for words, _ in dependent_words(find_dependents(raw, db, counted_at), "{:.0f}".format)]

    def follow(number: int, status: str, workflow_id: str = "w") -> None:
        campaign = {"id": f"c{number}", "name": f"Campaign {number}", "status": status, "workflowId": workflow_id}
        store.write(lambda db: campaigns.watch(db, [CampaignId(f"c{number}")], 1.0)).result()
        store.write(lambda db: campaigns.put(db, CampaignId(f"c{number}"), campaign, 10.0 + number)).result()

    stays = "the platform doesn't say what happens to them."
    assert told(raw, None) == [
        "Unknown whether running campaigns start it: the store isn't used.",
        f"3 customers are in it now; {stays}",
    ]
    db = services.store.reading
    assert told(raw, db)[0] == "Unknown whether running campaigns start it: no campaigns are watched here."
    follow(0, "completed")
    assert told(raw, db)[0] == "No running campaign starts it (1 watched campaign checked)."
    for number, status in enumerate(["inProgress", "pending", "scheduled", "inProgress"], start=1):
        follow(number, status, "w" if number < 4 else "other")
    assert told(raw | {"analytics": None}, db, 5.0) == [
        '2 running campaigns start it (as of 11): "Campaign 1", "Campaign 2".',
        'The campaign "Campaign 3" is scheduled to start it.',
        "Unknown how many customers are in it now (as of 5): there are no counters.",
    ]
    for number in range(5, 10):
        follow(number, "inProgress")
    assert told(raw, db)[0].endswith(', "Campaign 6", "Campaign 7" and 2 more.')
    reset = raw | {"executionCount": 30}
    assert told(reset, None)[1] == f"at least 3 customers are in it now; {stays}"
    assert told(raw | {"analytics": counts | {"totalCompleted": 8}}, None)[1] == "No customers are in it now."


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

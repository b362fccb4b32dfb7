"""A workflow's id stands beside its name where that doesn't say which workflow is meant."""

from typing import Any

from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.campaigns import SharedWorkflow, shared_workflows
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId

NOW = 1_700_000_000.0
LISTED: list[dict[str, Any]] = [
    {"id": "aaaa-0000-workflow-one", "name": "Offers"},
    {"id": "bbbb-0000-workflow-two", "name": "offers "},
    {"id": "cccc-0000-workflow-six", "name": "Reminder"},
]


def shared(store: Store, *campaigns: tuple[str, str]) -> dict[CampaignId, SharedWorkflow]:
    """Return what is shown beside the names, for campaigns by their workflow's id and name."""
    for number, (workflow_id, name) in enumerate(campaigns):
        raw = {"workflowId": workflow_id, "workflowName": name}
        campaign_id = CampaignId(f"c{number}")
        store.write(lambda db, each=campaign_id: campaign_store.watch(db, [each], NOW)).result()
        store.write(lambda db, each=campaign_id, raw=raw: campaign_store.put(db, each, raw, NOW)).result()
    return shared_workflows(store.reading, campaign_store.watched(store.reading))


def test_only_a_name_that_another_workflow_has_gets_its_id(store: Store) -> None:
    store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, LISTED)).result()
    found = shared(store, ("aaaa-0000-workflow-one", "Offers"), ("cccc-0000-workflow-six", "Reminder"))
    assert found == {CampaignId("c0"): SharedWorkflow("aaaa-0000-workflow-one", "…flow-one")}


def test_the_name_that_another_had_when_it_was_sent_counts_too(store: Store) -> None:
    store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, LISTED)).result()
    found = shared(store, ("cccc-0000-workflow-six", "Reminder"), ("dddd-0000-deleted-one", "Reminder"))
    assert {each: workflow.id for each, workflow in found.items()} == {
        CampaignId("c0"): "cccc-0000-workflow-six",
        CampaignId("c1"): "dddd-0000-deleted-one",
    }


def test_a_renamed_workflow_alone_is_no_other(store: Store) -> None:
    store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, LISTED[2:])).result()
    assert not shared(store, ("cccc-0000-workflow-six", "Nudge"), ("cccc-0000-workflow-six", "Reminder"), ("", ""))

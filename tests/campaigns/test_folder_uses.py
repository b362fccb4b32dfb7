"""Which folders campaigns used: of the watched ones, and of those that were created here."""

from typing import Any

from frontdesk.campaigns.sent_campaigns import FolderUse, read_folders
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId

NOW = 1_700_000_000.0


def watch(store: Store, campaign_id: str, **raw: Any) -> None:
    each = CampaignId(campaign_id)
    store.write(lambda db: campaign_store.watch(db, [each], NOW)).result()
    if raw:
        raw = {"name": campaign_id.upper(), **raw}
        store.write(lambda db: campaign_store.put(db, each, raw, NOW)).result()


def created(store: Store, campaign_id: str, sent_at: float, **body: Any) -> None:
    receipt = {"campaignId": campaign_id, "name": f"{campaign_id} sent", "sentAt": sent_at, "body": body}
    store.write(lambda db: queue.keep(db, draft_store.RECEIPT, campaign_id, receipt, NOW)).result()


def test_a_folder_has_its_campaigns_and_the_latest_says_when_it_was_used(store: Store) -> None:
    watch(store, "old", folderId="f-1", status="completed", startedAt=(NOW - 900) * 1000)
    watch(store, "new", folderId="f-1", status="inProgress", startedAt=(NOW - 60) * 1000)
    watch(store, "other", folderId="f-2", status="scheduled")
    found = read_folders(store.reading)
    assert list(found.items()) == [
        ("f-1", FolderUse(NOW - 60, ["NEW", "OLD"])), ("f-2", FolderUse(None, ["OTHER"]))
    ]  # fmt: skip


def test_one_created_here_counts_before_it_is_read_and_after_it_is_unwatched(store: Store) -> None:
    created(store, "mine", NOW - 30, folderId="f-1", associatedToBusinessId="L1")
    watch(store, "strange")
    watch(store, "mine")
    found = read_folders(store.reading)
    assert found == {"f-1": FolderUse(NOW - 30, ["mine sent"])}
    store.write(lambda db: campaign_store.unwatch(db, CampaignId("mine"))).result()
    assert read_folders(store.reading) == found

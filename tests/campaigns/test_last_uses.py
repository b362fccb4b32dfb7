"""Which lines and folders campaigns used: of the watched ones, and of those that were created here."""

from typing import Any

from frontdesk.campaigns.last_uses import FOLDER, LINE, LastUse, read_last_uses
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


def test_running_ones_are_counted_and_the_latest_says_when_it_was_used(store: Store) -> None:
    watch(store, "old", associatedToBusinessId="L1", status="completed", startedAt=(NOW - 900) * 1000)
    watch(store, "new", associatedToBusinessId="L1", status="inProgress", startedAt=(NOW - 60) * 1000)
    watch(store, "other", associatedToBusinessId="L2", status="scheduled")
    uses = read_last_uses(store.reading, LINE)
    assert uses.by_id == {"L1": LastUse(1, NOW - 60, ["NEW", "OLD"]), "L2": LastUse(0, None, ["OTHER"])}
    assert uses.unread == 0


def test_one_created_here_counts_before_it_is_read_and_after_it_is_unwatched(store: Store) -> None:
    created(store, "mine", NOW - 30, folderId="f-1", associatedToBusinessId="L1")
    watch(store, "strange")
    watch(store, "mine")
    uses = read_last_uses(store.reading, FOLDER)
    assert uses.by_id == {"f-1": LastUse(0, NOW - 30, ["mine sent"])}
    assert uses.unread == 1, "where a campaign runs that was never read isn't known"
    store.write(lambda db: campaign_store.unwatch(db, CampaignId("mine"))).result()
    assert read_last_uses(store.reading, FOLDER).by_id == uses.by_id

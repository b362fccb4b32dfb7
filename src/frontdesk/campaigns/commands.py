"""CampaignCommands: one write for each user action on campaigns."""

from concurrent.futures import Future
from typing import Any

from frontdesk.campaigns import changes
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.draft_test import OWN_NUMBER
from frontdesk.campaigns.store import campaigns, delivery_results, drafts
from frontdesk.outbox import queue
from frontdesk.outbox.batches import new_batch
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change, Made
from frontdesk_api.contract.ids import CampaignId


class CampaignCommands:
    """Commands on watched campaigns, drafts, sent campaigns and delivery results."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def watch(self, *campaign_ids: CampaignId) -> None:
        now = self._store.clock()
        self._store.write_unawaited(lambda db: campaigns.watch(db, campaign_ids, now))

    def unwatch(self, campaign_id: CampaignId) -> None:
        self._store.write_unawaited(lambda db: campaigns.unwatch(db, campaign_id))

    def create(self, draft: Draft | None, body: dict[str, Any], *, keeps_draft: bool = True) -> "Future[Change]":
        """Send a campaign once; until it leaves, it can be undone.

        The future raises `NotPossible` where it can't be sent so, or is on its way already.
        """
        made = Made(new_batch(), "", self._store.clock())
        return self._store.write(lambda db: changes.create(db, draft, body, made, keeps_draft=keeps_draft))

    def keep_draft(self, draft: Draft) -> "Future[None]":
        now = self._store.clock()
        kept = self._store.write(lambda db: changes.keep_draft(db, draft, now))
        self._store.report_refusal(kept)
        return kept

    def keep_own_number(self, number: str) -> "Future[None]":
        """Keep the number that tests of drafts are sent to."""
        now = self._store.clock()
        kept = self._store.write(lambda db: queue.keep(db, OWN_NUMBER, "", number, now))
        self._store.report_refusal(kept)
        return kept

    def forget_draft(self, draft_id: str) -> "Future[None]":
        return self._store.write(lambda db: queue.forget(db, drafts.DRAFT, draft_id))

    def read_delivery_results(self, campaign_id: CampaignId, wanted: int) -> None:
        """Have the engine read delivery results until so many recipients are known."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: delivery_results.begin(db, campaign_id, wanted, now))

    def stop_delivery_results(self, campaign_id: CampaignId) -> None:
        self._store.write_unawaited(lambda db: delivery_results.stop(db, campaign_id))

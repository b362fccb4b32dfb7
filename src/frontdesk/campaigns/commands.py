"""CampaignCommands: what a person does to campaigns; each is one write."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns import changes
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.store import alerts, campaigns, delivery_results, drafts
from frontdesk.outbox import queue
from frontdesk.outbox.batches import new_batch
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import Change


class CampaignCommands:
    """Watched campaigns, drafts, what is sent of them, and how their recipients fared."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def watch(self, *campaign_ids: CampaignId) -> None:
        """Watch campaigns by their ids, here and after a restart."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: campaigns.watch(db, campaign_ids, now))

    def unwatch(self, campaign_id: CampaignId) -> None:
        """Stop watching a campaign; the campaign itself goes on."""
        self._store.write_unawaited(lambda db: campaigns.unwatch(db, campaign_id))

    def create(self, draft: Draft, body: dict[str, Any]) -> "Future[Change]":
        """Send a campaign: once, by whoever runs the engine; until it leaves, undo takes it back.

        The future raises `NotPossible` where it can't be sent so, or is on its way already.
        """
        batch, now = new_batch(), self._store.clock()
        return self._store.write(lambda db: changes.create(db, draft, body, batch=batch, now=now))

    def keep_draft(self, draft: Draft) -> "Future[None]":
        """Remember what was decided of a campaign so far, across restarts; nobody needs to wait for it."""
        now = self._store.clock()
        kept = self._store.write(lambda db: changes.keep_draft(db, draft, now))
        self._store.report_refusal(kept)
        return kept

    def forget_draft(self, draft_id: str) -> "Future[None]":
        """Throw a draft away."""
        return self._store.write(lambda db: queue.forget(db, drafts.DRAFT, draft_id))

    def keep_receipt(self, campaign_id: CampaignId, receipt: Mapping[str, Any]) -> "Future[None]":
        """Keep what was sent of a campaign that was created beside the outbox, and watch it."""
        now = self._store.clock()
        return self._store.write(lambda db: drafts.created(db, campaign_id, receipt, "", now))

    def keep_in_doubt(self, action: str, campaign_id: CampaignId | None) -> "Future[None]":
        """Keep under which id this is sent beside the outbox, before it is; None once its fate is known.

        Args:
            action: what it does and to whom (`campaigns.request_body.action_key`).
        """
        now = self._store.clock()

        def keep(db: apsw.Connection) -> None:
            if campaign_id is None:
                queue.forget(db, drafts.IN_DOUBT, action)
            else:
                queue.keep(db, drafts.IN_DOUBT, action, campaign_id, now)

        return self._store.write(keep)

    def read_delivery_results(self, campaign_id: CampaignId, wanted: int) -> None:
        """Have the engine read how a campaign's recipients fared, until so many of them are known."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: delivery_results.begin(db, campaign_id, wanted, now))

    def stop_delivery_results(self, campaign_id: CampaignId) -> None:
        """Read no more of them; what is known stays."""
        self._store.write_unawaited(lambda db: delivery_results.stop(db, campaign_id))

    def mark_alerts_seen(self, until: float) -> None:
        """Somebody has seen the alerts that were raised up to a moment, Unix seconds."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: alerts.mark_seen(db, until, now))

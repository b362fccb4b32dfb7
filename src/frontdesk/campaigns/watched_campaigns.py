"""The watched campaigns as the engine knows them, kept up to date by the change feed."""

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event


class WatchedCampaigns:
    """The records of one profile; only those that have changed are read again."""

    def __init__(self, store: Store):
        self._store = store
        self._known: dict[CampaignId, CampaignRecord] = {}
        self._seq = 0
        self._outbox_version: int | None = None

    def changes(self) -> dict[str, CampaignRecord | None]:
        """Return what has changed since the last call; None for a campaign that isn't watched any more."""
        db = self._store.reading
        version = change_feed.versions(db).outbox
        if self._outbox_version is None:
            self._seq = change_feed.position(db)
            touched = set(campaigns.watched_ids(db))
        else:
            self._seq, events = change_feed.since(db, self._seq)
            touched = self._touched(db, events, outbox_moved=version != self._outbox_version)
        self._outbox_version = version
        found: dict[str, CampaignRecord | None] = {}
        for each in touched:
            record = campaigns.watched_record(db, each)
            if record != self._known.get(each):
                found[each] = record
                if record is None:
                    del self._known[each]
                else:
                    self._known[each] = record
        return found

    def _touched(self, db: apsw.Connection, events: frozenset[Event], *, outbox_moved: bool) -> set[CampaignId]:
        """Return the ids to read again: the list of what is watched is in the outbox, which moves later."""
        found = {CampaignId(each.id) for each in events if each.kind == change_feed.CAMPAIGN}
        if change_feed.EVERYTHING in events:
            return found | {*self._known, *campaigns.watched_ids(db)}
        if outbox_moved:
            found |= self._known.keys() ^ set(campaigns.watched_ids(db))
        return found

"""The polled campaigns as the engine knows them.

The watched ones are kept up to date by the change feed; those that only a team's other desks watch aren't stored.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.campaigns import PreparedCampaign
from frontdesk.storage import change_feed, json_access
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event


class PolledCampaigns:
    """The records of one profile; only those that have changed are read again.

    Args:
        of_others: the ids of the campaigns that a team's other desks watch and this one reads for them.
    """

    def __init__(self, store: Store, of_others: Callable[[], Collection[str]] = tuple):
        self._store, self._of_others = store, of_others
        self._known: dict[CampaignId, CampaignRecord] = {}
        self._for_others: dict[CampaignId, CampaignRecord] = {}
        self._read_for_others: set[CampaignId] = set()
        self._seq = 0
        self._outbox_version: int | None = None

    @property
    def lines(self) -> dict[str, str]:
        """The line of each polled campaign by its id; empty where it isn't known."""
        return {each: json_access.text(record.line_id) for each, record in self._known.items()}

    @property
    def own(self) -> list[str]:
        """The ids of those that are watched here."""
        return [each for each in self._known if each not in self._for_others]

    @property
    def unreadable(self) -> set[str]:
        """The ids of those that couldn't be read the last time."""
        return {each for each, record in self._known.items() if record.problem}

    def is_for_others(self, campaign_id: CampaignId) -> bool:
        return campaign_id in self._for_others

    def note_read(self, campaign_id: CampaignId, prepared: PreparedCampaign, now: float) -> bool:
        """Note a campaign that was read for other desks; returns whether it differs."""
        before, record = self._for_others.get(campaign_id), campaigns.unstored(campaign_id, prepared, now)
        if before is not None:
            self._for_others[campaign_id] = record
            self._read_for_others.add(campaign_id)
        return before is None or before.raw != record.raw

    def note_unreadable(self, campaign_id: CampaignId, problem: str) -> None:
        """Note that a campaign couldn't be read for other desks."""
        if (before := self._for_others.get(campaign_id)) is not None:
            self._for_others[campaign_id] = replace(before, problem=problem)
            self._read_for_others.add(campaign_id)

    def changes(self) -> dict[str, CampaignRecord | None]:
        """Return what has changed since the last call; None for a campaign that isn't polled any more."""
        db = self._store.reading
        version = change_feed.versions(db).outbox
        if self._outbox_version is None:
            self._seq = change_feed.position(db)
            touched = set(campaigns.watched_ids(db))
        else:
            self._seq, events = change_feed.since(db, self._seq)
            touched = self._touched(db, events, outbox_moved=version != self._outbox_version)
        self._outbox_version = version
        of_others = {CampaignId(each) for each in self._of_others()}
        touched |= self._read_for_others | (of_others - self._known.keys()) | (self._for_others.keys() - of_others)
        self._read_for_others = set()
        found: dict[str, CampaignRecord | None] = {}
        for each in touched:
            record = self._record(db, each, of_others)
            if record != self._known.get(each):
                found[each] = record
                if record is None:
                    del self._known[each]
                else:
                    self._known[each] = record
        return found

    def _record(
        self, db: apsw.Connection, campaign_id: CampaignId, of_others: Collection[CampaignId]
    ) -> CampaignRecord | None:
        record = campaigns.watched_record(db, campaign_id)
        if record is None and campaign_id in of_others:
            return self._for_others.setdefault(campaign_id, campaigns.unread(campaign_id))
        self._for_others.pop(campaign_id, None)
        return record

    def _touched(self, db: apsw.Connection, events: frozenset[Event], *, outbox_moved: bool) -> set[CampaignId]:
        """Return the ids to read again: the list of what is watched is in the outbox, which moves later."""
        found = {CampaignId(each.id) for each in events if each.kind == change_feed.CAMPAIGN}
        if change_feed.EVERYTHING in events:
            return found | {*self._known, *campaigns.watched_ids(db)}
        if outbox_moved:
            found |= (self._known.keys() - self._for_others.keys()) ^ set(campaigns.watched_ids(db))
        return found

"""The watched campaigns by when they are due, so that a decision doesn't walk through all of them."""

import heapq
from collections.abc import Mapping

from frontdesk.sync.scheduler import CampaignView, PolledCampaign, Situation, campaign_poll


class CampaignQueue:
    """A heap of due times; each is computed again when it comes to the top.

    Attributes:
        campaigns: the watched campaigns, by id.
    """

    def __init__(self) -> None:
        self.campaigns: dict[str, PolledCampaign] = {}
        self._changed: set[str] = set()
        self._heap: list[tuple[float, str]] = []
        self._at: dict[str, float] = {}
        self._view: CampaignView | None = None

    def apply(self, changes: Mapping[str, PolledCampaign | None]) -> None:
        """Take over added and changed campaigns; None for one that isn't watched any more."""
        for campaign_id, campaign in changes.items():
            if campaign is None:
                self.campaigns.pop(campaign_id, None)
            else:
                self.campaigns[campaign_id] = campaign
            self._changed.add(campaign_id)

    def update(self, campaign_id: str) -> None:
        """Compute again when a campaign is due, since it may be sooner."""
        self._changed.add(campaign_id)

    def update_all(self) -> None:
        """Compute again when each campaign is due."""
        self._changed |= self.campaigns.keys()

    def first(self, view: CampaignView, situation: Situation, now: float) -> PolledCampaign | None:
        """Return the campaign that is due first."""
        if view != self._view:
            self._view = view
            self.update_all()
        for each in self._changed:
            self._place(each, situation, now)
        self._changed = set()
        while self._heap:
            at, campaign_id = self._heap[0]
            if self._at.get(campaign_id) == at:
                self._place(campaign_id, situation, now)
                if self._at.get(campaign_id) == at:
                    return self.campaigns[campaign_id]
            heapq.heappop(self._heap)
        return None

    def _place(self, campaign_id: str, situation: Situation, now: float) -> None:
        """Push a campaign where its due time has changed; its old entry is dropped when it comes to the top."""
        campaign = self.campaigns.get(campaign_id)
        found = (
            None if campaign is None or self._view is None else campaign_poll(campaign, self._view, situation, now)
        )
        if found is None:
            self._at.pop(campaign_id, None)
        elif self._at.get(campaign_id) != found.at:
            self._at[campaign_id] = found.at
            heapq.heappush(self._heap, (found.at, campaign_id))

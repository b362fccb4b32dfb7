"""Queue of watched campaigns by due time, so that a decision doesn't check all of them."""

import heapq
from collections.abc import Callable, Mapping

from frontdesk.sync.scheduler import CampaignView, DuePoll, PolledCampaign, Situation, campaign_poll


class CampaignQueue:
    """Due times of campaigns; the soonest is computed again when requested.

    A campaign that an alert needs goes before those that are merely overdue.

    Attributes:
        campaigns: the watched campaigns, by id.
    """

    def __init__(self) -> None:
        self.campaigns: dict[str, PolledCampaign] = {}
        self._changed: set[str] = set()
        self._due, self._deadlines = _Moments(), _Moments()
        self._view: CampaignView | None = None
        self._is_own: Callable[[DuePoll], bool] = lambda _poll: True

    def apply(self, changes: Mapping[str, PolledCampaign | None]) -> None:
        """Take over added and changed campaigns, with `None` for a campaign that is no longer watched."""
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

    def first(
        self,
        view: CampaignView,
        situation: Situation,
        now: float,
        is_own: Callable[[DuePoll], bool] = lambda _poll: True,
    ) -> PolledCampaign | None:
        """Return the first due campaign among those that this machine polls itself."""
        self._is_own = is_own
        if view != self._view:
            self._view = view
            self.update_all()
        for each in self._changed:
            self._place(each, situation, now)
        self._changed = set()
        found = self._soonest(self._deadlines, situation, now)
        if found is None or found[0] > now:
            found = self._soonest(self._due, situation, now)
        return None if found is None else self.campaigns[found[1]]

    def _soonest(self, moments: "_Moments", situation: Situation, now: float) -> tuple[float, str] | None:
        """Return the soonest moment that is still right when computed again."""
        while (found := moments.first()) is not None:
            self._place(found[1], situation, now)
            if moments.first() == found:
                break
        return found

    def _place(self, campaign_id: str, situation: Situation, now: float) -> None:
        campaign = self.campaigns.get(campaign_id)
        found = (
            None if campaign is None or self._view is None else campaign_poll(campaign, self._view, situation, now)
        )
        if found is not None and not self._is_own(found):
            found = None
        self._due.put(campaign_id, None if found is None else found.at)
        self._deadlines.put(campaign_id, None if found is None else found.read_by)


class _Moments:
    """A heap of moments by id; an outdated entry is dropped when it comes to the top."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, str]] = []
        self._at: dict[str, float] = {}

    def put(self, key: str, at: float | None) -> None:
        """Set the moment of an id, or remove it for `None`."""
        if at is None:
            self._at.pop(key, None)
        elif self._at.get(key) != at:
            self._at[key] = at
            heapq.heappush(self._heap, (at, key))

    def first(self) -> tuple[float, str] | None:
        """Return the soonest moment and its id."""
        while self._heap and self._at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0] if self._heap else None

"""The sort orders of the list of campaigns; each puts what needs a look on top."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.models import CampaignRecord, counter_doubt, lost_count, lost_share
from frontdesk.text.normalize import normalize


class CampaignOrder(StrEnum):
    """What the list is sorted by; the words stand in its title."""

    STATE = "state"
    END = "end"
    FAILING = "failing"
    NAME = "name"
    START = "start"


_RANKS = {"inProgress": 0, "pending": 1, "scheduled": 2}
_ENDED = 3


def sort_campaigns(
    records: Sequence[CampaignRecord],
    order: CampaignOrder = CampaignOrder.STATE,
    ends_at: Mapping[CampaignId, float | None] | None = None,
) -> list[CampaignRecord]:
    """Return campaigns in an order; what is equal in it by state.

    Args:
        ends_at: the estimated ends of running campaigns, Unix seconds, as far as they are known.
    """
    ends = ends_at or {}
    by_state = sorted(records, key=_by_state)
    if order is CampaignOrder.END:
        return sorted(by_state, key=lambda each: (_rank(each), ends.get(each.campaign_id) or math.inf))
    if order is CampaignOrder.FAILING:
        return sorted(by_state, key=_by_failing)
    if order is CampaignOrder.NAME:
        return sorted(by_state, key=lambda each: normalize(each.name or each.campaign_id))
    if order is CampaignOrder.START:
        return sorted(by_state, key=lambda each: -(each.started_at or each.scheduled_at or 0.0))
    return by_state


def _rank(record: CampaignRecord) -> int:
    return _RANKS.get(record.status, _ENDED)


def _by_state(record: CampaignRecord) -> tuple[int, float, str]:
    """Return running campaigns first, then those to come, then ended ones, the latest first."""
    return _rank(record), -(record.started_at or record.failed_at or 0.0), record.name


def _by_failing(record: CampaignRecord) -> tuple[bool, float]:
    """Return the highest share not reached first; an unknown one comes before none."""
    is_none = lost_count(record.counters) == 0 and not counter_doubt(record.counters)
    return is_none, -(lost_share(record.counters) or 0.0)

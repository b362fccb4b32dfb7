"""Campaigns as the store gives them to screens: frozen records, times in Unix seconds, and counts out of counters.

Each recipient is in exactly one of pending, in flight, sent, failed, opted out, duplicate and too many requests;
in flight is no field but what remains (docs/interface.md, Campaign counters).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from frontdesk.campaigns.counters import (
    RISING,
    Counters,
    _of_sending,
    count_words,
    counter_doubt,
    fallen_counters,
    lost_count,
    lost_share,
)
from frontdesk.storage.records import ConversationRecord, Json
from frontdesk.text.normalize import normalize
from frontdesk_api.contract.ids import CampaignId, LineId
from frontdesk_api.contract.values import CAMPAIGN_ENDED


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """A watched campaign as it was last read; `name` is empty until it has been."""

    campaign_id: CampaignId
    name: str
    status: str
    counters: Counters
    scheduled_at: float | None
    started_at: float | None
    completed_at: float | None
    failed_at: float | None
    failure_reason: str
    workflow_name: str
    line_id: LineId | None
    source: str
    read_at: float | None
    problem: str
    raw: Json = field(repr=False)

    @property
    def times(self) -> tuple[tuple[str, float | None], ...]:
        return (
            ("Scheduled for", self.scheduled_at),
            ("Started", self.started_at),
            ("Completed", self.completed_at),
            ("Failed", self.failed_at),
        )


STATUS_WORDS = {
    "inProgress": "in progress",
    "completed": "completed",
    "failed": "failed",
    "stopped": "stopped",
    "scheduled": "scheduled",
    "pending": "pending",
}


def describe_outcome(record: CampaignRecord) -> str:
    """Say how a campaign ended or how far it is; the status and the reason are outside text."""
    status = STATUS_WORDS.get(record.status, record.status) or "not loaded yet"
    reason = f": {record.failure_reason}" if record.failure_reason else ""
    return ", ".join([f"{status}{reason}", *count_words(record.counters)])


class Sample(NamedTuple):
    """A campaign's counters at one moment, kept when they differ from the ones before."""

    at: float
    counters: Counters


class WatchInterval(NamedTuple):
    """A time in which a campaign was read again and again, without a hole."""

    since: float
    until: float


_AFTERWARDS, _AFTERWARDS_SECONDS = 1.5, 600.0
"""Delivered and read rise after the end: so much of that is part of the picture."""


@dataclass(frozen=True, slots=True)
class CampaignHistory:
    """A campaign with its samples and watch intervals, oldest first.

    Attributes:
        intervals: when it was watched; without any, throughput and alerts take all the time from the first sample
            on, a comparison none.
        thinned_before: Unix seconds.
    """

    record: CampaignRecord
    samples: Sequence[Sample] = ()
    intervals: Sequence[WatchInterval] = ()
    thinned_before: float = 0.0

    @property
    def length(self) -> float:
        if self.record.started_at is None or not self.intervals:
            return 0.0
        return max(0.0, self.end - self.record.started_at)

    @property
    def span(self) -> float:
        """Seconds after the start to show; reads long after the end don't extend it."""
        record = self.record
        if record.status not in CAMPAIGN_ENDED or record.started_at is None or not self.samples:
            return self.length
        # Of a stopped one nobody says when: what was seen to move last tells, if anything was.
        moved_at = self.last_moved_at
        ended_at = record.completed_at or record.failed_at or moved_at
        if ended_at is None or (ended_at == moved_at == self.samples[0].at):
            return 0.0
        return min(self.length, max(0.0, ended_at - record.started_at) * _AFTERWARDS + _AFTERWARDS_SECONDS)

    @property
    def end(self) -> float:
        return self.intervals[-1].until if self.intervals else 0.0

    @property
    def last_moved_at(self) -> float | None:
        """When sending was last seen to move, or was first read; deliveries and reads don't count."""
        moved_at = self.samples[0].at if self.samples else None
        for earlier, later in pairwise(self.samples):
            if _of_sending(earlier.counters) != _of_sending(later.counters):
                moved_at = later.at
        return moved_at


class Correction(NamedTuple):
    """A counter that can only rise fell: the platform corrected it."""

    at: float
    label: str
    by: float


def corrections(samples: Sequence[Sample]) -> list[Correction]:
    """Every counter that fell, oldest first."""
    return [
        Correction(later.at, RISING[field], by)
        for earlier, later in pairwise(samples)
        for field, by in fallen_counters(earlier.counters, later.counters)
    ]


class CampaignOrder(StrEnum):
    """What the list is sorted by; the words stand in its title."""

    TROUBLE = "trouble"
    FAILING = "failing"
    END = "end"
    STATE = "state"
    NAME = "name"
    START = "start"


_RANKS = {"inProgress": 0, "pending": 1, "scheduled": 2}
_ENDED = 3


def sort_campaigns(
    records: Sequence[CampaignRecord],
    order: CampaignOrder = CampaignOrder.STATE,
    ends_at: Mapping[CampaignId, float | None] | None = None,
    troubles: Mapping[CampaignId, int] | None = None,
) -> list[CampaignRecord]:
    """Return campaigns in an order, equal ones by state.

    Args:
        ends_at: the estimated ends, Unix seconds.
        troubles: of those that have any, the worst is the lowest.
    """
    ends = ends_at or {}
    by_state = sorted(records, key=_by_state)
    if order is CampaignOrder.TROUBLE:
        found = troubles or {}
        return sorted(by_state, key=lambda each: found.get(each.campaign_id, math.inf))
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


WHATSAPP = "whatsapp"
_SHORTEST, _LONGEST = 7, 15
"""Digits of a number with its calling code (E.164)."""
_SEPARATORS = str.maketrans("", "", " -().")


def customer_number(record: ConversationRecord) -> str:
    """Return the digits of a customer's number with its calling code; empty where none is known."""
    # On other channels an id may look like a number and is none.
    is_number = record.platform in ("", WHATSAPP)
    for known in ((record.customer_id or "") if is_number else "", record.number):
        digits = known.strip().removeprefix("+").translate(_SEPARATORS)
        # No calling code begins with 0: then it is written as people at home dial it.
        is_whole = not digits.startswith("0") and _SHORTEST <= len(digits) <= _LONGEST
        if digits.isascii() and digits.isdecimal() and is_whole:
            return digits
    return ""

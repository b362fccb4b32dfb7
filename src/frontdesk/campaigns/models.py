"""Campaigns as the store gives them to screens: frozen records, times in Unix seconds."""

from dataclasses import dataclass, field
from typing import NamedTuple

from frontdesk.api.contract.ids import CampaignId, CustomerId, LineId
from frontdesk.storage.records import Json


class Counters(NamedTuple):
    """A campaign's nine counters; None is unknown, which is not 0."""

    total: float | None
    pending: float | None
    sent: float | None
    delivered: float | None
    read: float | None
    failed: float | None
    opted_out: float | None
    duplicates: float | None
    too_many: float | None


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


class Sample(NamedTuple):
    """A campaign's counters at one moment, kept when they differ from the ones before."""

    at: float
    counters: Counters


class WatchInterval(NamedTuple):
    """A time in which a campaign was read again and again, without a hole."""

    since: float
    until: float


@dataclass(frozen=True, slots=True)
class DeliveryResultGroup:
    """Recipients of one campaign that fared alike.

    Attributes:
        status: the message's status, or why there is none.
        code: the error's; empty without one.
        title: the error's; a stranger's text.
    """

    status: str
    code: str
    title: str
    count: int
    examples: tuple[CustomerId, ...] = ()


@dataclass(frozen=True, slots=True)
class DeliveryResultsRecord:
    """How many recipients of a campaign were checked, and with which results.

    Attributes:
        total: different recipients in the list; None before it was read.
        wanted: at how many the reading stops.
        groups: failures first.
        begun_at, begun_with: when the last reading began, and how many were known then.
        state: `asked` while it runs, `done`, `stopped`, or `failed`; empty before the first time.
        problem: why nothing is known, or why it ended.
    """

    total: int | None = None
    checked: int = 0
    wanted: int = 0
    groups: tuple[DeliveryResultGroup, ...] = ()
    begun_at: float | None = None
    begun_with: int = 0
    read_at: float | None = None
    state: str = ""
    problem: str = ""

"""Records of workflows, as the store gives them to screens; times in Unix seconds."""

from dataclasses import dataclass, field
from enum import StrEnum

from frontdesk.api.contract.ids import WorkflowId
from frontdesk.storage.records import Json


class WorkflowCounters(StrEnum):
    """Whether a workflow's counters are known. Absent is not zero: the plan may lack them."""

    SHOWN = "shown"
    NOT_ON_PLAN = "not on this plan"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True, slots=True)
class WorkflowRecord:
    """A workflow of the list, with fields of its whole document where that was read.

    Attributes:
        is_active: None where it isn't said.
        line_id: `associatedToBusinessId`, empty where it names none.
        executions: how often it ran; None is unknown, which is not 0.
        last_execution: Unix seconds, whatever the unit it came in.
        created, last_modified: Unix seconds, as the interface says.
        read_at: when its whole document was last read, None for never.
        is_stale: the list says that it was changed since its whole document was read.
        raw: its fields without trigger, graph, variables and the counters of single nodes.
    """

    workflow_id: WorkflowId
    name: str
    is_active: bool | None
    platform: str
    line_id: str
    trigger_type: str
    folder_id: str
    executions: float | None
    last_execution: float | None
    started: float | None
    completed: float | None
    dropped: float | None
    analytics: WorkflowCounters
    created: float | None
    last_modified: float | None
    read_at: float | None
    is_stale: bool
    raw: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class WorkflowListing:
    """The list of workflows in the platform's order.

    Attributes:
        read_at: when it was read, Unix seconds; None for never.
        has_more: whether the answer said that more exist; there is no way to ask for them.
    """

    records: tuple[WorkflowRecord, ...] = ()
    read_at: float | None = None
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A snapshot of a workflow's analytics.

    Attributes:
        at: Unix seconds.
        cause: why it was kept, in words.
    """

    snapshot_id: int
    workflow_id: str
    at: float
    cause: str

"""Records of workflows from the store; times in Unix seconds."""

from dataclasses import dataclass, field
from enum import StrEnum

from frontdesk.storage.records import Json
from frontdesk_api.contract.ids import WorkflowId


class WorkflowCounters(StrEnum):
    """Whether a workflow's counters are known. Absent is not zero: the plan may lack them."""

    SHOWN = "shown"
    NOT_ON_PLAN = "not on this plan"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True, slots=True)
class WorkflowRecord:
    """A workflow of the list, with fields of its whole document if that was read.

    Attributes:
        is_active: None if unknown.
        line_id: `associatedToBusinessId`, or empty.
        executions: None is unknown, not 0.
        has_namesake: whether another workflow of the list has the same name.
        read_at: when its whole document was last read, None for never.
        is_stale: the list says that it changed after its whole document was read.
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
    has_namesake: bool = False

    @property
    def label(self) -> str:
        """The name, with the id where the name alone doesn't say which workflow is meant; else the id."""
        if not self.name.strip():
            return self.workflow_id
        return f"{self.name} ({self.workflow_id})" if self.has_namesake else self.name


@dataclass(frozen=True, slots=True)
class WorkflowListing:
    """The list of workflows in the platform's order, as of `read_at`; there is no way to ask for what it lacks."""

    records: tuple[WorkflowRecord, ...] = ()
    read_at: float | None = None
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A kept version of a workflow, or a snapshot of its analytics.

    Attributes:
        number: counted from 1 for each workflow; numbers before the oldest kept one were deleted.
        last_modified: as the platform gave it, Unix seconds; 0 for a snapshot.
        at: when this machine first loaded it, Unix seconds.
        size: compressed bytes.
        label: the cause of a snapshot, or what else it is found by (`workflows.versions`).
    """

    number: int
    last_modified: float
    at: float
    size: int
    label: str = ""

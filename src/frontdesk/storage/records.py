"""What the store gives to screens: frozen records; equality decides what is drawn again.

Times are Unix seconds as floats here, whatever the wire said; message keys keep the wire's
milliseconds because they are sent back as cursors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from frontdesk.api.contract.ids import (
    AgentId,
    CampaignId,
    ConversationId,
    CustomerId,
    LineId,
    MessageId,
    StatusId,
    TaskId,
    WorkflowId,
)

Json = Mapping[str, Any]


class MessagePosition(NamedTuple):
    """A place in a thread: Unix milliseconds, then the id for messages of the same moment."""

    created_at: float
    message_id: MessageId


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One message as it came."""

    key: MessagePosition
    raw: Json


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a thread without holes. `complete` says that nothing older exists.

    `cursor` is what the platform wants to be asked with for what is older, where that isn't
    `oldest`: messages of one moment come in an order of its own.
    """

    newest: MessagePosition
    oldest: MessagePosition
    complete: bool
    cursor: MessagePosition | None = None


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """A known conversation. `line_id` is None while the halves of its id match no known line."""

    conversation_id: ConversationId
    line_id: LineId | None
    customer_id: CustomerId | None
    name: str
    number: str
    platform: str
    preview: str
    preview_direction: str
    preview_status: str
    preview_initiator: str
    active_at: float | None
    waiting_since: float | None
    last_incoming_at: float | None
    unread: int
    open_tasks: int
    due_at: float | None
    assigned: tuple[AgentId, ...]
    pending: bool
    thread_known: bool


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task with the pending changes laid over it; `pending` names the fields they touch."""

    task_id: TaskId
    title: str
    body: str
    status: StatusId
    line_id: LineId | None
    conversation_id: ConversationId | None
    customer_id: CustomerId | None
    customer_name: str
    platform: str
    due_at: float | None
    assigned: tuple[AgentId, ...]
    unread: int
    created_at: float | None
    updated_at: float | None
    pending: tuple[str, ...]
    raw: Json = field(repr=False)


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
    """Recipients of one campaign that fared alike, as their threads tell.

    Attributes:
        status: the message's status, or why there is none.
        code: the error's; empty without one.
        title: the error's, or what else is said; a stranger's.
        examples: some of them.
    """

    status: str
    code: str
    title: str
    count: int
    examples: tuple[CustomerId, ...] = ()


@dataclass(frozen=True, slots=True)
class DeliveryResultsRecord:
    """How far the recipients of a campaign were looked at, one by one.

    Attributes:
        total: how many different recipients the list has; None before it was read.
        checked: of how many the thread was read.
        wanted: at how many the reading stops.
        groups: failures first.
        begun_at, begun_with: when the reading that runs or ran last began, and how many were known then.
        read_at: when the last of them was read.
        state: `asked` while it runs, `done`, `stopped`, or `failed`; empty before the first time.
        problem: why it can't be told, or why it ended.
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


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A workflow or an AI agent as it came."""

    document_id: str
    name: str
    raw: Json


class WorkflowCounters(StrEnum):
    """What is known of a workflow's counters. Absent is not zero: the plan may lack them."""

    SHOWN = "shown"
    NOT_ON_PLAN = "not on this plan"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True, slots=True)
class WorkflowRecord:
    """A workflow as a row tells it: the list's own fields, and those of its whole document where it was read.

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
class AiAgentListing:
    """The list of AI agents.

    Attributes:
        read_at: when it was read, Unix seconds; None for never.
        lacks: why it was read without the files of vector stores; empty where it was read with them.
    """

    records: tuple[DocumentRecord, ...] = ()
    read_at: float | None = None
    lacks: str = ""


class TokenSample(NamedTuple):
    """How many tokens an AI agent had used at one moment."""

    at: float
    tokens: float


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Something that holds the words searched for.

    Attributes:
        kind: `message`, `task` or `customer`.
        name: the customer's name, or number.
        text: what was said, or what the task is about, as it came.
        at: when it was said or last touched, Unix seconds.
    """

    kind: str
    conversation_id: ConversationId | None
    name: str
    text: str
    at: float | None
    task_id: TaskId | None = None
    key: MessagePosition | None = None


@dataclass(frozen=True, slots=True)
class InvalidItem:
    """An item that came and couldn't be read. `place` is its id, or a digest where it has none."""

    kind: str
    place: str
    raw: str
    reason: str
    at: float


class ChangeKind(StrEnum):
    """What a change is sent as."""

    TASK = "task"
    TAGS = "tags"
    CAMPAIGN = "campaign"
    WORKFLOW_CREATE = "workflow create"
    WORKFLOW_UPDATE = "workflow update"
    ANALYTICS_RESET = "analytics reset"
    WEBHOOK_DELETE = "webhook delete"

    @property
    def about(self) -> str:
        """What its target's id names: ids are the callers' own, so a workflow may have a campaign's."""
        return _ABOUT[self]


_ABOUT = {
    ChangeKind.TASK: "task",
    ChangeKind.TAGS: "conversation",
    ChangeKind.CAMPAIGN: "campaign",
    ChangeKind.WORKFLOW_CREATE: "workflow",
    ChangeKind.WORKFLOW_UPDATE: "workflow",
    ChangeKind.ANALYTICS_RESET: "workflow",
    ChangeKind.WEBHOOK_DELETE: "webhook",
}


class ChangeState(StrEnum):
    """Where a change stands on its way."""

    HELD = "held"
    QUEUED = "queued"
    SENDING = "sending"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"
    REFUSED = "refused"
    CONFIRMED = "confirmed"
    UNDONE = "undone"
    DROPPED = "dropped"


UNCONFIRMED = (ChangeState.HELD, ChangeState.QUEUED, ChangeState.SENDING, ChangeState.UNKNOWN)
"""States in which a change is laid over what the platform says."""

NEEDS_PERSON = (ChangeState.CONFLICT, ChangeState.REFUSED)
"""States that stay on the screen until a person has decided."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a person did.

    Attributes:
        target: the task's id, the conversation's for tags, the campaign's that it creates, the
            workflow's, or the webhook's.
        fields: what it sets, by the interface's names; `assignedAgentIds` as
            `{"add": [...], "remove": [...]}`, `tagIds` as a list. Of a campaign or a workflow what a row
            says of it, for its body may be megabytes (`drafts`, `pending_payloads`).
        base: the values before, for undo and for telling a colleague's change apart.
        label: what to call it on the screen.
        theirs: in a conflict, the platform's values now.
    """

    change_id: int
    batch: str
    kind: ChangeKind
    target: str
    fields: Json
    base: Json
    label: str
    state: ChangeState
    made_at: float
    send_after: float
    sends: int = 0
    sent_at: float | None = None
    settled_at: float | None = None
    reason: str = ""
    theirs: Json | None = None
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A workflow with its analytics as they were at a moment, kept before they were zeroed or asked for.

    Attributes:
        at: Unix seconds.
        cause: why it was kept, in words.
    """

    snapshot_id: int
    workflow_id: str
    at: float
    cause: str


class Connection(StrEnum):
    """How it stands between the engine and the platform; five bad states told apart.

    `SILENT` is never written: a reader says it of an engine that it has not heard for long.
    `WAITING` is a platform that owes an answer for some seconds, which may still come; `since` says from when.
    `INTERCEPTED` is somebody else's answer in the platform's place; `reason` names the host.
    `STUCK` is trouble with this machine's own files.
    """

    STARTING = "starting"
    LIVE = "live"
    WAITING = "waiting"
    OFFLINE = "offline"
    INTERCEPTED = "intercepted"
    REFUSED = "refused"
    THROTTLED = "throttled"
    FAILING = "failing"
    STOPPED = "stopped"
    PAUSED = "paused"
    STUCK = "stuck"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Health:
    """The engine's last word on the connection.

    Attributes:
        heard_at: when the engine last said that it lives, Unix seconds.
    """

    state: Connection = Connection.STARTING
    reason: str = ""
    since: float = 0.0
    fresh_at: float | None = None
    retry_at: float | None = None
    heard_at: float | None = None


class ConversationOrder(StrEnum):
    """How conversations are sorted."""

    WAITING = "waiting"
    ACTIVITY = "activity"
    DUE = "due"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Event:
    """Something in the store that differs now: a kind from `change_feed` and an id."""

    kind: str
    id: str

"""Frozen records of the store; equality decides which rows are redrawn.

Times are Unix seconds as floats; message keys keep the wire's milliseconds, since they are sent back as cursors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from frontdesk.api.contract.ids import (
    AgentId,
    ConversationId,
    CustomerId,
    LineId,
    MessageId,
    StatusId,
    TaskId,
)

Json = Mapping[str, Any]
JsonObject = dict[str, Any]


class MessagePosition(NamedTuple):
    """A position in a thread: Unix milliseconds, then the id for messages of the same moment."""

    created_at: float
    message_id: MessageId


class RecordRef(NamedTuple):
    """A record that is selected.

    Attributes:
        kind: `conversation`, `task`, `campaign`, `workflow`, `ai_agent` or `change`.
        message_id: the message under the cursor, in a conversation.
    """

    kind: str
    id: str
    message_id: str = ""


class ConversationRecord(NamedTuple):
    """A known conversation. `line_id` is None while the halves of its id match no known line.

    Attributes:
        thread_known: whether its thread was ever read.
        thread_loaded: whether what was read of it is stored still; old messages may be deleted again.
        waiting_known: whether its thread was read at or after its last sign of life: else who waits isn't known.
    """

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
    thread_loaded: bool
    waiting_known: bool = True

    def about(self, task: "TaskRecord") -> "ConversationRecord":
        """Return it as a row about one of its tasks shows it: with that task's title, due date and assignees."""
        return self._replace(
            preview=self.preview if self.thread_known else task.title,
            due_at=None if task.status == "completed" else task.due_at,
            assigned=task.assigned,
        )


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task with its pending changes applied; `pending` names their fields."""

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


class DocumentRecord(NamedTuple):
    """A raw workflow or AI agent."""

    document_id: str
    name: str
    raw: Json


class AiAgentListing(NamedTuple):
    """The list of AI agents.

    Attributes:
        read_at: Unix seconds; None for never.
        lacks: why it was read without the files of vector stores; empty where it was read with them.
    """

    records: tuple[DocumentRecord, ...] = ()
    read_at: float | None = None
    lacks: str = ""


class TokenSample(NamedTuple):
    """How many tokens an AI agent had used at one moment."""

    at: float
    tokens: float


class SearchHit(NamedTuple):
    """A search result.

    Attributes:
        kind: `message`, `task` or `customer`.
        name: the customer's name, or number.
        text: of the message or task, raw.
        at: when it was sent or last touched, Unix seconds.
    """

    kind: str
    conversation_id: ConversationId | None
    name: str
    text: str
    at: float | None
    task_id: TaskId | None = None
    key: MessagePosition | None = None


class InvalidItem(NamedTuple):
    """An unreadable item. `place` is its id, or a digest where it has none."""

    kind: str
    place: str
    raw: str
    reason: str
    at: float


class ChangeKind(StrEnum):
    """The operation that sends a change."""

    TASK = "task"
    TAGS = "tags"
    CAMPAIGN = "campaign"
    WORKFLOW_CREATE = "workflow create"
    WORKFLOW_UPDATE = "workflow update"
    ANALYTICS_RESET = "analytics reset"
    WEBHOOK_DELETE = "webhook delete"
    NOTE = "note"
    SNOOZE_CONVERSATION = "snooze conversation"
    SNOOZE_TASK = "snooze task"
    NO_ANSWER = "no answer"

    @property
    def about(self) -> str:
        """The kind of its target: ids are the callers' own, so a workflow may have a campaign's."""
        return _ABOUT[self]


_ABOUT = {
    ChangeKind.TASK: "task",
    ChangeKind.TAGS: "conversation",
    ChangeKind.CAMPAIGN: "campaign",
    ChangeKind.WORKFLOW_CREATE: "workflow",
    ChangeKind.WORKFLOW_UPDATE: "workflow",
    ChangeKind.ANALYTICS_RESET: "workflow",
    ChangeKind.WEBHOOK_DELETE: "webhook",
    ChangeKind.NOTE: "conversation",
    ChangeKind.SNOOZE_CONVERSATION: "conversation",
    ChangeKind.SNOOZE_TASK: "task",
    ChangeKind.NO_ANSWER: "conversation",
}


class ChangeState(StrEnum):
    """A change's state on its way to the platform."""

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
"""States in which a change is shown over the platform's data."""

NEEDS_PERSON = (ChangeState.CONFLICT, ChangeState.REFUSED)
"""States that stay on the screen until a person has decided."""


class Change(NamedTuple):
    """One change by a person.

    Attributes:
        target: the task's id, the conversation's for tags and notes, the campaign's that it creates, the
            workflow's, or the webhook's.
        fields: by the interface's names; `assignedAgentIds` as
            `{"add": [...], "remove": [...]}`, `tagIds` as a list. Of a campaign or a workflow only what a row
            shows, for its body may be megabytes (`drafts`, `pending_payloads`).
        base: the values before, for undo and for detecting a colleague's change.
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


class Connection(StrEnum):
    """The engine's connection to the platform.

    `SILENT` and `BUSY` are never written: readers infer them when the engine hasn't reported for long; `BUSY` is
    one that this process has started, and that may go on by itself. `STOPPED` is also inferred while a hung one is
    replaced.
    `WAITING` is a platform that hasn't answered for some seconds, but still may; `since` is the start.
    `INTERCEPTED` is an answer from something else; `reason` names the host.
    `ASKED_TO_WAIT` is a host that asked for more than two minutes; `reason` names it, `retry_at` is the end.
    `STUCK` is trouble with this machine's own files.
    `DELAYED` and `LOADING` are never written: a screen infers them from late reads of what it shows.
    """

    STARTING = "starting"
    LIVE = "live"
    DELAYED = "delayed"
    LOADING = "loading"
    WAITING = "waiting"
    OFFLINE = "offline"
    INTERCEPTED = "intercepted"
    REFUSED = "refused"
    ASKED_TO_WAIT = "asked to wait"
    THROTTLED = "throttled"
    FAILING = "failing"
    STOPPED = "stopped"
    PAUSED = "paused"
    STUCK = "stuck"
    SILENT = "silent"
    BUSY = "busy"


HUNG_SECONDS = 120.0
"""An engine without a heartbeat for this long is considered hung."""


class LateRead(NamedTuple):
    """Data on a screen that is older than it should be, or than what is called live.

    Attributes:
        kind: the kind of its poll.
        target: the poll's id; empty for the campaigns together.
        max_age: the age in seconds that the oldest stays below; None for what this engine hasn't read yet.
        is_late: whether it is older than twice its interval; the interval alone may make it older than live.
    """

    kind: str
    target: str
    max_age: float | None
    is_late: bool = True


class Duty(StrEnum):
    """What a desk does in its team."""

    ALONE = "alone"
    """It reads everything itself: there is no team, or the relay can't be used."""
    JOINING = "joining"
    LEADS = "leads"
    FOLLOWS = "follows"


class TeamState(NamedTuple):
    """A desk's part in its team, as the status line has it.

    Attributes:
        duty: None without a team.
        leader: the name of the desk that reads for this one.
        leader_agent: the id of that desk's person; empty where the team doesn't know it.
        age: in seconds, what the last report of that desk stays below.
        reason: why this desk is alone.
        share: it uses one part of so many of the account's budget then; 0 for its own budget.
    """

    duty: Duty | None = None
    leader: str = ""
    leader_agent: str = ""
    age: float = 0.0
    reason: str = ""
    share: int = 0


class Health(NamedTuple):
    """The engine's last health report.

    Attributes:
        heard_at: the engine's last heartbeat, Unix seconds.
        process: the process id of the engine that polls; 0 where none is known.
        team: only where it is read from the store.
        late: late and old reads of all screens; `sync.freshness.view_health` finds those of one.
        clock_offset: seconds that the platform's clock is ahead; only where it is read from the store.
    """

    state: Connection = Connection.STARTING
    reason: str = ""
    since: float = 0.0
    fresh_at: float | None = None
    retry_at: float | None = None
    heard_at: float | None = None
    late: tuple[LateRead, ...] = ()
    process: int = 0
    team: TeamState = TeamState()
    clock_offset: float | None = None


class ConversationOrder(StrEnum):
    """The sort order of conversations."""

    WAITING = "waiting"
    ACTIVITY = "activity"
    DUE = "due"
    NAME = "name"
    SLA = "sla"


class Event(NamedTuple):
    """A change in the store: a kind from `change_feed` and an id."""

    kind: str
    id: str

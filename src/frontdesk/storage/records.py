"""Frozen records of the store; equality decides which rows are redrawn.

Times are Unix seconds as floats; message keys keep the wire's milliseconds, since they are sent back as cursors.
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId, MessageId, StatusId, TaskId

Json = Mapping[str, Any]
JsonObject = dict[str, Any]


class MessagePosition(NamedTuple):
    """A position in a thread: Unix milliseconds, then the id for messages of the same moment."""

    created_at: float
    message_id: MessageId


class RecordRef(NamedTuple):
    """A selected record.

    Attributes:
        kind: `conversation`, `task`, `campaign`, `workflow`, `ai_agent` or `change`.
        message_id: the message under the cursor, in a conversation.
    """

    kind: str
    id: str
    message_id: str = ""


class ConversationRecord(NamedTuple):
    """A known conversation; `line_id` is `None` if no half of its id is a known line.

    Attributes:
        thread_known: whether its thread was ever fetched.
        thread_loaded: whether its fetched messages are still stored; old messages may be deleted again.
        waiting_known: whether its thread was fetched at or after its last sign of life, which tells who waits.
    """

    conversation_id: ConversationId
    line_id: LineId | None = None
    customer_id: CustomerId | None = None
    name: str = ""
    number: str = ""
    platform: str = ""
    preview: str = ""
    preview_direction: str = ""
    preview_status: str = ""
    preview_initiator: str = ""
    active_at: float | None = None
    waiting_since: float | None = None
    last_incoming_at: float | None = None
    unread: int = 0
    open_tasks: int = 0
    due_at: float | None = None
    assigned: tuple[AgentId, ...] = ()
    pending: bool = False
    thread_known: bool = True
    thread_loaded: bool = True
    waiting_known: bool = True

    def about(self, task: "TaskRecord") -> "ConversationRecord":
        """Return the record for a row about one of its tasks: with that task's title, due date and assignees."""
        return self._replace(
            preview=self.preview if self.thread_known else task.title,
            due_at=None if task.status == "completed" else task.due_at,
            assigned=task.assigned,
        )


class TaskRecord(NamedTuple):
    """A task with its pending changes applied.

    Attributes:
        pending: the fields that these changes set, as they are shown.
        raw_json: the task as the platform sent it, parsed only on demand: lists hardly need it.
    """

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
    pending: Json
    raw_json: str

    @property
    def raw(self) -> Json:
        """Return the task as the platform sent it, without pending changes."""
        raw: Json = json.loads(self.raw_json)
        return raw

    def value(self, name: str) -> Any:
        """Return a field by the interface's name, with pending changes."""
        return self.pending[name] if name in self.pending else self.raw.get(name)


class DocumentRecord(NamedTuple):
    """A raw workflow or AI agent."""

    document_id: str
    name: str
    raw: Json


class AiAgentListing(NamedTuple):
    """The list of AI agents.

    Attributes:
        read_at: Unix seconds; None for never.
        lacks: why the files of vector stores weren't fetched; empty if they were.
    """

    records: tuple[DocumentRecord, ...] = ()
    read_at: float | None = None
    lacks: str = ""


class SearchHit(NamedTuple):
    """A search result.

    Attributes:
        kind: `message`, `task` or `customer`.
        name: the customer's name, or number.
        text: the raw text of the message or task.
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
    """An unreadable item. `place` is its id, or a digest if it has none."""

    kind: str
    place: str
    raw: str
    reason: str
    at: float


class ChangeKind(StrEnum):
    """Kinds of changes, by the operation that sends one."""

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
        """The kind of the target: ids are the callers' own, so a workflow may have a campaign's."""
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
    """States of a change on its way to the platform."""

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
"""States of a change that stays on the screen until a person has decided."""


class Change(NamedTuple):
    """A change by a person.

    Attributes:
        target: the task's id, the conversation's for tags and notes, the campaign's that it creates, the
            workflow's, or the webhook's.
        fields: by the interface's names; `assignedAgentIds` as
            `{"add": [...], "remove": [...]}`, `tagIds` as a list. Of a campaign or a workflow only what a row
            shows, for its body may be megabytes (`drafts`, `pending_payloads`).
        base: the values before, for undo and for detecting a colleague's change.
        theirs: in a conflict, the platform's values now; of a confirmed change its answer, if that isn't stored.
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


class Made(NamedTuple):
    """The batch, name and time that the changes of one action share.

    Attributes:
        undoes: the change that one of an undo or redo reverses.
    """

    batch: str
    label: str
    now: float
    undoes: int | None = None

    @classmethod
    def like(cls, change: Change, now: float) -> "Made":
        """Return it for a change that is made once more."""
        return cls(change.batch, change.label, now, change.undoes)


class Connection(StrEnum):
    """The engine's connection to the platform.

    `SILENT` and `BUSY` are never written: readers infer them when the engine hasn't reported for long; `BUSY` is
    one that this process has started, and that may go on by itself. `STOPPED` is also inferred while a hung one is
    replaced.
    `WAITING` is a platform that hasn't answered for some seconds, but still may; `since` is the start.
    `INTERCEPTED` is an answer from something else; `reason` names the host.
    `ASKED_TO_WAIT` is a host that asked for more than two minutes; `reason` names it, `retry_at` is the end.
    `STUCK` is trouble with this machine's own files.
    `DELAYED` and `LOADING` are never written: a screen infers them from late polls of its data.
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
"""Seconds without a heartbeat after which an engine is considered hung."""


class LateRead(NamedTuple):
    """Data on a screen that is older than its interval allows, or than data called live.

    Attributes:
        kind: the kind of its poll.
        target: the poll's id; empty for the campaigns together.
        max_age: upper bound of the oldest age, in seconds; None if this engine hasn't fetched the data yet.
        is_late: whether the data is older than twice its interval; the interval alone may exceed live.
    """

    kind: str
    target: str
    max_age: float | None
    is_late: bool = True


class Duty(StrEnum):
    """A machine's duty in its team."""

    ALONE = "alone"
    """The machine polls everything itself: there is no team, or the relay can't be used."""
    JOINING = "joining"
    LEADS = "leads"
    FOLLOWS = "follows"


class TeamState(NamedTuple):
    """A machine's role in its team, for the status line.

    Attributes:
        duty: None without a team.
        leader: the name of the machine that polls for this one.
        leader_agent: the id of that machine's person; empty if the team doesn't know it.
        age: upper bound of the age of that machine's last report, in seconds.
        reason: why this machine is alone.
        share: the divisor of the account's budget while alone; 0 for a budget of its own.
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
        process: the process id of the engine that polls; 0 if unknown.
        team: set only when loaded from the store.
        late: late and old data of all screens; `sync.status_view.view_health` finds that of one.
        clock_offset: seconds that the platform's clock is ahead; set only when loaded from the store.
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
    """The sort orders of conversations."""

    WAITING = "waiting"
    ACTIVITY = "activity"
    DUE = "due"
    NAME = "name"
    SLA = "sla"


class Event(NamedTuple):
    """A change in the store: a kind from `change_feed` and an id."""

    kind: str
    id: str

"""The rows that a key works on, and what a plan says of their tasks; screens make it for `BulkActions`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.outbox.verbs import On, RecordChange, Records
from frontdesk.storage import clients
from frontdesk.storage.records import Connection, TaskRecord
from frontdesk.tui.context import AppContext


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that a key works on: the marked ones, else the one under the cursor.

    Attributes:
        taskless: marked conversations without a task that is known.
        gone: those of them whose mark means a task that no longer exists.
        other_open: of marked conversations, the open tasks beside the one that the key works on.
        not_first: those of the tasks that their mark means although another one of the customer is due first.
        unlinked: how many of the tasks are linked to no conversation.
        marks: cleared once the action is done.
        unlisted: those of the marks that a filter or a view leaves out.
        task_of_row: by marked conversation the task that the key works on.
        is_elsewhere: these aren't exactly the row under the cursor, so a plan is shown first.
        doubt: why a person may not know the target; empty where it is visible and named.
        is_displaced: whether that is because the cursor isn't where they moved it.
        rows_are_tasks: whether it was tasks that were chosen.
        known: the tasks as they were at the time of the key, where the action reads them.
        no_task: the reason to give where there is no task; `no_conversation` likewise.
    """

    tasks: tuple[TaskId, ...] = ()
    conversations: tuple[ConversationId, ...] = ()
    taskless: tuple[ConversationId, ...] = ()
    gone: frozenset[ConversationId] = frozenset()
    other_open: Mapping[TaskId, tuple[TaskId, ...]] = field(default_factory=dict)
    not_first: frozenset[TaskId] = frozenset()
    unlinked: int = 0
    marks: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    task_of_row: Mapping[str, TaskId] = field(default_factory=dict)
    is_elsewhere: bool = False
    doubt: str = ""
    is_displaced: bool = False
    rows_are_tasks: bool = False
    known: tuple[TaskRecord, ...] = ()
    no_task: str = "No task is selected."
    no_conversation: str = "No conversation is selected."

    @property
    def is_bulk(self) -> bool:
        """Return whether several rows are marked."""
        return len(self.marks) > 1

    @property
    def count(self) -> int:
        """Return how many rows an action on tasks works on."""
        return len(self.tasks) + len(self.taskless)

    @property
    def records(self) -> Records:
        rows = (self.tasks, ()) if self.rows_are_tasks else ((), self.conversations)
        return dict(zip(On, (self.tasks, self.conversations, *rows), strict=True))

    def of_rows(self, change: RecordChange) -> tuple[str, Sequence[str]]:
        """Return the word for the rows on which a change is made, in the plural, and their ids."""
        if On.TASK in change.on and self.tasks:
            return "tasks", (*self.tasks, *self.taskless)
        on, ids = next(((on, ids) for on in change.on if (ids := self.records[on])), (On.CONVERSATION, ()))
        return f"{on.removesuffix(' row')}s", ids

    def is_unlisted(self, task: TaskRecord) -> bool:
        """Return whether the row of a task is marked, but left out by a filter or a view."""
        return not self.unlisted.isdisjoint((task.task_id, task.conversation_id))


def doubt_of_row(why: str) -> str:
    """Describe that the cursor is on a row that nobody moved it to; empty without a reason."""
    return why and f"The list {why}; the cursor is now on another row."


def loading_reason(app_context: AppContext) -> str:
    """Return why no row can be selected yet; empty once the platform's were read."""
    health = clients.health(app_context.store.reading)
    if health.fresh_at is not None:
        return ""
    is_coming = health.state in (Connection.STARTING, Connection.LIVE, Connection.WAITING)
    return "The list is still loading." if is_coming else "Nothing has been loaded yet."

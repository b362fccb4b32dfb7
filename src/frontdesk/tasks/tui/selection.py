"""The rows selected on a screen, passed by value to `TaskActions`."""

from dataclasses import dataclass

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.storage import clients
from frontdesk.storage.records import Connection, TaskRecord
from frontdesk.tui.context import AppContext

DISPLACED = "The list changed and the cursor is on another row now."


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that a key works on: the marked ones, else the one under the cursor.

    Attributes:
        taskless: marked conversations that no task is known for.
        unlinked: how many of the tasks are linked to no conversation.
        marks: cleared once the action is done.
        is_elsewhere: these aren't exactly the row under the cursor, so a plan is shown first.
        doubt: why a person may not know the target; empty where it is visible and named.
        no_task: the reason to give where there is no task; `no_conversation` likewise.
    """

    tasks: tuple[TaskId, ...] = ()
    conversations: tuple[ConversationId, ...] = ()
    taskless: tuple[ConversationId, ...] = ()
    unlinked: int = 0
    marks: frozenset[str] = frozenset()
    is_elsewhere: bool = False
    doubt: str = ""
    no_task: str = "No task is selected."
    no_conversation: str = "No conversation is selected."


@dataclass(frozen=True, slots=True)
class Targets:
    """The tasks of a `Selection` at the time of the key."""

    tasks: tuple[TaskRecord, ...]
    selection: Selection

    @property
    def taskless(self) -> tuple[ConversationId, ...]:
        return self.selection.taskless

    @property
    def ids(self) -> tuple[TaskId, ...]:
        return tuple(task.task_id for task in self.tasks)

    @property
    def count(self) -> int:
        return len(self.tasks) + len(self.taskless)


def loading_reason(app_context: AppContext) -> str:
    """Return why no row can be selected yet; empty once the platform's were read."""
    health = clients.health(app_context.store.reading)
    if health.fresh_at is not None:
        return ""
    is_coming = health.state in (Connection.STARTING, Connection.LIVE, Connection.WAITING)
    return "The list is still loading." if is_coming else "Nothing could be read yet."

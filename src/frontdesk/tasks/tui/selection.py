"""The rows that a key works on, and what a plan says of their tasks; screens make it for `BulkActions`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.outbox.bulk import BulkPlan
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import STATUS
from frontdesk.outbox.verbs import On, RecordChange, Records
from frontdesk.storage import clients
from frontdesk.storage.records import Connection, TaskRecord
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.context import AppContext

NO_TASK = "no task loaded"
GONE = "gone"


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


def count_of(count: int, word: str) -> str:
    """Return a count with its word, given in the plural: `1 task`, `2 tasks`."""
    return f"{count:,} {word if count != 1 else word.removesuffix('s')}"


def task_notes(selection: Selection, task: TaskRecord, fields: Collection[str]) -> Line:
    """Return what a person should know about a task of a plan that sets these fields."""
    notes: list[Span] = []
    if task.status == COMPLETED and STATUS not in fields:
        notes.append(span(" · completed", Role.WARN))
    if selection.is_unlisted(task):
        notes.append(span(" · not listed", Role.WARN))
    if task.task_id in selection.not_first:
        notes.append(span(" · not due first", Role.WARN))
    elif task.task_id in selection.other_open:
        notes.append(span(" · others stay", Role.DIM))
    return tuple(notes)


def plan_counts(plan: BulkPlan, selection: Selection, fields: Collection[str]) -> Line:
    """Return the numbers of a plan that sets these fields: what changes, and what doesn't."""
    changes = count_of(len(plan.will), "tasks")
    if len(plan.will) < selection.count:
        changes = f"{len(plan.will):,} of {selection.count:,}"
    words: list[Span] = [span(f"{changes} will change", Role.STRONG)]
    will = set(plan.will)
    changing = [each for each in selection.known if each.task_id in will]
    completed = 0 if STATUS in fields else sum(each.status == COMPLETED for each in changing)
    gone = len(plan.gone) + len(selection.gone)
    counts = (
        (completed, "completed", Role.WARN),
        (sum(map(selection.is_unlisted, changing)), "not listed", Role.WARN),
        (len(plan.already), "unchanged", Role.DIM),
        (gone, GONE, Role.WARN),
        (len(selection.taskless) - len(selection.gone), f"skipped: {NO_TASK}", Role.WARN),
    )
    return (*words, *(span(f" · {count:,} {what}", role) for count, what, role in counts if count))

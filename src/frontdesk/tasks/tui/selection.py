"""The rows that a key works on, with their names; screens make it for `BulkActions`."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.outbox.bulk import bulk_title
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.verbs import On, RecordChange, Records
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.record_lookup import conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import Connection, TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, enumerate_names, show_line, trusted

NAMED = 3
"""So many names of many stand in a title."""


class TargetReason(StrEnum):
    """Why a key has no row to work on, or shows first what it would change."""

    LOADING = "The list is still loading."
    NOTHING_READ = "Nothing has been loaded yet."
    NO_TASK = "No task is selected."
    NO_TASK_LOADED = "No task loaded for this conversation, and frontdesk can't create one."
    NO_CONVERSATION = "No conversation is selected."
    NOT_LINKED = "Nothing to tag: no conversation is linked."
    DISPLACED = "The list {}; the cursor is now on another row."
    ONE_OF_MANY = "This customer has {} tasks; this one is selected."
    MAY_HAVE_OTHERS = "Tasks are still loading, and this customer may have others."


class Selection(NamedTuple):
    """The rows that a key works on: the marked ones, else the one under the cursor.

    Attributes:
        taskless: marked conversations without a task that is known.
        other_open: of marked conversations, the open tasks beside the one that the key works on.
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
    other_open: Mapping[TaskId, tuple[TaskId, ...]] = MappingProxyType({})
    unlinked: int = 0
    marks: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    task_of_row: Mapping[str, TaskId] = MappingProxyType({})
    is_elsewhere: bool = False
    doubt: str = ""
    is_displaced: bool = False
    rows_are_tasks: bool = False
    known: tuple[TaskRecord, ...] = ()
    no_task: TargetReason = TargetReason.NO_TASK
    no_conversation: TargetReason = TargetReason.NO_CONVERSATION

    @property
    def is_bulk(self) -> bool:
        return len(self.marks) > 1

    @property
    def size(self) -> int:
        return len(self.tasks) + len(self.taskless)

    @property
    def records(self) -> Records:
        rows = (self.tasks, ()) if self.rows_are_tasks else ((), self.conversations)
        return dict(zip(On, (self.tasks, self.conversations, *rows), strict=True))

    def of_rows(self, change: RecordChange) -> tuple[str, Sequence[str]]:
        """Return the word for one of the rows on which a change is made, and their ids."""
        if On.TASK in change.on and self.tasks:
            return "task", (*self.tasks, *self.taskless)
        on, ids = next(((on, ids) for on in change.on if (ids := self.records[on])), (On.CONVERSATION, ()))
        return on.removesuffix(" row"), ids

    def is_unlisted(self, task: TaskRecord) -> bool:
        """Return whether the row of a task is marked, but left out by a filter or a view."""
        return not self.unlisted.isdisjoint((task.task_id, task.conversation_id))


def loading_reason(app_context: AppContext) -> TargetReason | None:
    """Return why no row can be selected yet; None once the platform's were read."""
    health = clients.health(app_context.store.reading)
    if health.fresh_at is not None:
        return None
    is_coming = health.state in (Connection.STARTING, Connection.LIVE, Connection.WAITING)
    return TargetReason.LOADING if is_coming else TargetReason.NOTHING_READ


def task_name(db: ReadConnection, task: TaskRecord) -> SafeText:
    title, whose = show_line(task.title or "(no title)", 40).text, customer_name(db, task).text
    return trusted(f"{title} ({whose})" if whose else title)


def row_name(db: ReadConnection, key: str) -> SafeText:
    task = record_lookup.task(db, TaskId(key))
    return conversation_name(db, ConversationId(key)) if task is None else task_for_customer(db, task)


def dialog_title(db: ReadConnection, action: str, selection: Selection) -> SafeText:
    """Return a dialog's title: one task's own, or the count and the first ones'."""
    if selection.size == 1:
        task = selection.known[0]
        # A customer's only task may be one; its row in the inbox has only a sign for that.
        state = "completed: " if task.status == COMPLETED else ""
        return trusted(f"{action} · {state}{task_name(db, task).text}")
    names = [show_line(task.title or "(no title)", 24) for task in selection.known[:NAMED]]
    return bulk_title(action, names, selection.size, "marked")


def already_words(names: Sequence[SafeText], count: int, state: str) -> str:
    """Describe that nothing had to be done: '"Late delivery" for Dana is already completed'."""
    if count == 1:
        return f"{names[0].text} is already {state}"
    left = count - len(names)
    more = f" and {left:,} more" if left else ""
    return f"{count:,} are already {state}: {enumerate_names(each.text for each in names)}{more}"

"""The plan of a change on many rows: which of them change, what each gets, and what stays as it is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.bulk import describe_effect, plan_tasks
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import STATUS
from frontdesk.outbox.verbs import On, RecordChange, Records
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import ChangeKind, TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.selection import NAMED, Selection, already_words, dialog_title, task_name
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, counted, enumerate_names, show_line, trusted
from frontdesk_lines.lines import Line, Role, span

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.confirm import PlanRow

NO_TASK, NO_CONVERSATION, GONE = "no task loaded", "not linked to a conversation", "gone"

_NOTES: tuple[tuple[str, Role, Callable[[RecordChange, Selection, TaskRecord], bool]], ...] = (
    ("completed", Role.WARN, lambda change, _, task: task.status == COMPLETED and STATUS not in change.fields),
    ("not listed", Role.WARN, lambda _, selection, task: selection.is_unlisted(task)),
    ("others stay", Role.DIM, lambda _, selection, task: task.task_id in selection.other_open),
)
"""The words about a task that changes, with their condition; the first two are counted, too."""


class ChangePlan:
    """What a change would do to the rows of a selection.

    Attributes:
        what: the count of the rows that would, with their word.
        keys: the rows, those first that don't.
        sent: the number of changes to send, by their kind.
    """

    def __init__(self, change: RecordChange, selection: Selection, db: ReadConnection) -> None:
        self._change, self._selection, self._db = change, selection, db
        self._known = {task.task_id: task for task in selection.known}
        shown = task_store.shown_values(db, self._known, tuple(change.fields))
        self.tasks = tasks = plan_tasks(shown, tuple(self._known), change.fields)
        self._is_of_tasks = change.on == (On.TASK,)
        thing, rows = selection.of_rows(change)
        self.keys = [*selection.taskless, *tasks.gone, *tasks.will, *tasks.already] if self._known else rows
        self.what = counted(len(tasks.will) if self._is_of_tasks else len(rows), thing)
        will = {**selection.records, On.TASK: tasks.will if self._is_of_tasks else selection.tasks}
        counts = {part.kind: len(will[part.on]) for part in change.parts}
        self.sent = {kind: count for kind, count in counts.items() if kind is not None and count}

    @property
    def does_nothing(self) -> bool:
        return self._is_of_tasks and not self.tasks.will

    @property
    def records(self) -> Records:
        """Return the records that the change is made on, those first that change."""
        order = (*self.tasks.will, *self.tasks.already) if self._is_of_tasks else self._selection.tasks
        return {**self._selection.records, On.TASK: order}

    def title(self) -> SafeText:
        title, selection = self._change.title, self._selection
        if not self._is_of_tasks:
            return trusted(f"{title} · {self.what}")
        if selection.marks:
            return trusted(f"{title} · {selection.size:,} marked")
        return dialog_title(self._db, title, selection)

    def row(self, key: str, view: RenderContext) -> "PlanRow":
        from frontdesk.tui.dialogs.confirm import PlanRow

        task, becomes = self._known.get(TaskId(key)), self._effect(key, view)
        task = task or record_lookup.task(self._db, TaskId(key))
        if task is None:
            return PlanRow(conversation_name(self._db, ConversationId(key)), becomes)
        title = show_line(task.title or "(no title)", 60)
        if name := customer_name(self._db, task, 60):
            return PlanRow(name, becomes, title)
        return PlanRow(title, becomes)

    def _effect(self, key: str, view: RenderContext) -> Line:
        task, gets, fields = self._known.get(TaskId(key)), self._change.gets, self._change.fields
        if task is None:
            return gets or (span(NO_TASK, Role.WARN),)
        if task.task_id in self.tasks.gone:
            return (span(GONE, Role.WARN),)
        if task.task_id in self.tasks.already and not gets:
            return (span("unchanged", Role.DIM),)
        effect = describe_effect(task, fields, view)
        notes = (
            span(f" · {words}", role)
            for words, role, holds in _NOTES
            if holds(self._change, self._selection, task)
        )
        return (*effect, span("  " if effect and gets else ""), *gets, *notes)

    def numbers(self) -> Line:
        if self._is_of_tasks:
            return self._task_numbers()
        change, selection = self._change, self._selection
        numbers = [span(self.what, Role.STRONG)]
        if not self.sent:
            numbers.append(span(" · in frontdesk only; nothing is sent", Role.DIM))
        elif not change.fields:
            numbers += [span(" gets " if len(self.keys) == 1 else " get ", Role.DIM), *change.gets]
        elif skipped := selection.taskless:
            numbers.append(span(f" · {len(skipped):,} with tags and snooze only: {NO_TASK}", Role.WARN))
        if selection.unlinked and ChangeKind.TAGS in self.sent:
            left = f" · {counted(selection.unlinked, 'task')} {'not tagged' if change.fields else 'skipped'}"
            numbers.append(span(f"{left}: {NO_CONVERSATION}", Role.WARN))
        return tuple(numbers)

    def _task_numbers(self) -> Line:
        plan, selection, changes = self.tasks, self._selection, self.what
        if len(plan.will) < selection.size:
            changes = f"{len(plan.will):,} of {selection.size:,}"
        will = set(plan.will)
        changing = [each for each in selection.known if each.task_id in will]
        counts = (
            *(
                (sum(holds(self._change, selection, each) for each in changing), words, role)
                for words, role, holds in _NOTES[:2]
            ),
            (len(plan.already), "unchanged", Role.DIM),
            (len(plan.gone), GONE, Role.WARN),
            (len(selection.taskless), f"skipped: {NO_TASK}", Role.WARN),
        )
        others = (span(f" · {count:,} {what}", role) for count, what, role in counts if count)
        return (span(f"{changes} will change", Role.STRONG), *others)

    def left_out(self) -> str:
        """Return which other open tasks of the customers stay as they are; empty for none."""
        if not self._is_of_tasks:
            return ""
        other_open = self._selection.other_open
        beside = [other_open[each] for each in self.tasks.will if each in other_open]
        left = [each for tasks in beside for each in tasks]
        if not left:
            return ""
        if len(left) > NAMED:
            has = "has" if len(beside) == 1 else "have"
            return f"{counted(len(beside), 'customer')} {has} other open tasks, which don't change."
        known = task_store.among(self._db, left)
        names = enumerate_names(task_name(self._db, known[each]).text for each in left if each in known)
        return f"Also open, but not changed: {names}."

    def why_unchanged(self) -> str:
        plan, selection = self.tasks, self._selection
        names = [task_for_customer(self._db, self._known[each]) for each in plan.already[:NAMED]]
        parts = [already_words(names, len(plan.already), self._change.state)] if names else []
        for count, why in ((len(plan.gone), GONE), (len(selection.taskless), NO_TASK)):
            parts += [f"{count:,} {why}"] if count else []
        words = "; ".join(parts)
        return f"{words if names else f'Nothing to change: {words}'}."

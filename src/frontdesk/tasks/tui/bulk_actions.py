"""How a change is made on a screen: at once or after a plan, with its report and the marks of its rows."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.config.actions import Undo
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox import verbs
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import (
    BulkPlan,
    bulk_title,
    describe_cost,
    describe_effect,
    estimate_cost,
    plan_tasks,
    present_limits,
    waiting_requests,
)
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import STATUS
from frontdesk.outbox.verbs import On, RecordChange, Records
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import and_more, conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import ChangeKind, TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.bulk_runs import BulkRuns
from frontdesk.tasks.tui.selection import GONE, NO_TASK, Selection, count_of, plan_counts, task_notes
from frontdesk.text.display_text import SafeText, enumerate_names, show_error, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.futures import on_done
from frontdesk.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from frontdesk.tui.dialogs.confirm import PlanRow


NAMED = 3
"""So many names of many stand in a title."""

NO_CONVERSATION = "not linked to a conversation"


class BulkActions:
    """Plans and reports of what is done to one row or many of a screen."""

    def __init__(
        self,
        screen: BaseScreen,
        row_lists: Callable[[], Sequence[RowList]],
        show_next: Callable[[Selection], None],
    ) -> None:
        """Prepare the actions of a screen.

        Args:
            row_lists: the rows that are marked and worked on.
            show_next: moves on from the rows of an action that has dealt with them.
        """
        self._screen, self._row_lists, self._show_next = screen, row_lists, show_next
        self._store, self._outbox = screen.app_context.store, screen.app_context.outbox
        self.runs = BulkRuns(screen)
        self._acted_on: frozenset[str] = frozenset()
        """The tasks of the last action from here: a cursor whose row goes away by that is where it should be."""
        self._last_bulk: Selection | None = None
        self._restore_last_bulk: Callable[[], None] = lambda: None

    def with_tasks(self, selection: Selection) -> Selection:
        """Return a selection with its tasks as they are now, without those that no longer exist."""
        known = task_store.among(self._store.reading, selection.tasks)
        tasks = tuple(each for each in selection.tasks if each in known)
        return replace(selection, tasks=tasks, known=tuple(known[each] for each in tasks))

    def do(
        self,
        change: RecordChange,
        selection: Selection,
        then: Callable[[Records], object] | None = None,
        *,
        is_named: bool = True,
    ) -> None:
        """Make a change at once on the one row that is shown and selected; else show first what would change.

        Args:
            then: gets the records in place of `apply`, those that change first.
            is_named: a dialog has named the one row; otherwise a doubt about it shows the plan, too.
        """
        if change.fields and not selection.known:
            selection = self.with_tasks(selection)
        (things, rows), doubt = selection.of_rows(change), "" if is_named else selection.doubt
        then = then or partial(self.apply, change, selection)
        if not rows:
            self.refuse(trusted(selection.no_task if change.fields else selection.no_conversation))
        elif len(rows) == 1 and not selection.is_elsewhere and not doubt:
            then(selection.records)
        else:
            self._plan(change, selection, things, rows, then, doubt)

    def apply(self, change: RecordChange, selection: Selection, records: Records) -> "Future[ActionResult]":
        """Make a change and report it."""
        done = verbs.apply(self._store, change, records)
        first = self._first_name(change, selection, records)
        self.report(done, change.did, first, selection=selection, state=change.state, undo=change.undo)
        if change.leaves:
            self._show_next(selection)  # while the rows are still where the person saw them
        return done

    def _first_name(self, change: RecordChange, selection: Selection, records: Records) -> SafeText:
        """Name the first of the records; a completed task that stays so is named as that."""
        first = next(records[on][0] for on in change.on if records[on])
        name, task = self.row_name(first), next(iter(selection.known), None)
        is_odd = task is not None and task.status == COMPLETED and selection.count == 1
        return trusted(f"{name.text} (completed)") if is_odd and STATUS not in change.fields else name

    def row_name(self, key: str) -> SafeText:
        """Name a task with its customer, or a conversation."""
        db = self._store.reading
        task = record_lookup.task(db, TaskId(key))
        return conversation_name(db, ConversationId(key)) if task is None else task_for_customer(db, task)

    def _plan(
        self,
        change: RecordChange,
        selection: Selection,
        things: str,
        rows: Sequence[str],
        then: Callable[[Records], object],
        doubt: str,
    ) -> None:
        """Show what would change, and act on yes.

        Args:
            things: the word for the rows, in the plural.
            doubt: why this is asked although it is one row.
        """
        from frontdesk.tui.dialogs.base import Answered
        from frontdesk.tui.dialogs.confirm import BulkPlanDialog

        fields, known = change.fields, {task.task_id: task for task in selection.known}
        plan = plan_tasks(task_store.among(self._store.reading, known), tuple(known), fields)
        view, count, left_out = self._screen.app_context.view(), len(rows), ""
        if is_of_tasks := change.on == (On.TASK,):
            if not plan.will:
                self.refuse(trusted(self._why_unchanged(plan, selection, change.state)), severity="information")
                if plan.already:
                    self.clear_marks(selection)
                return
            count, numbers = len(plan.will), plan_counts(plan, selection, fields)
            sent, left_out = {ChangeKind.TASK: count}, self._left_out(selection, plan)
            title = self.dialog_title(change.title, selection)
            if selection.marks:
                title = trusted(f"{change.title} · {selection.count:,} marked")
        else:
            counts = {part.kind: len(selection.records[part.on]) for part in change.parts}
            sent = {kind: number for kind, number in counts.items() if kind is not None and number}
            numbers = _row_counts(change, selection, count_of(count, things), sent)
            title = trusted(f"{change.title} · {count_of(count, things)}")

        def row(key: str) -> "PlanRow":
            task = known.get(TaskId(key))
            return self.plan_row(key, _effect(change, selection, plan, key, task, view), task)

        undo = self._screen.app_context.key("change.undo")
        cannot_undo, back, says = list[SafeText](), list[Span](), [numbers]
        if change.undo is Undo.UNTIL_SENT:
            how = (
                "within 5 s to undo all of it, later all but the tags"
                if change.on[1:]
                else "to undo this within 5 s"
            )
            stays = f"Tags can't be removed once sent. Press {undo} {how}."
            cannot_undo, left_out = ([], stays) if change.on[1:] else ([trusted(stays)], left_out)
        says += [(span(left_out, Role.WARN),)] if left_out else []
        if sent:
            limits = present_limits(self._store)
            spent = describe_cost(estimate_cost(sent, limits, waiting_requests(self._store.reading)), limits.start)
            stops = "" if cannot_undo else f"; press {self._screen.app_context.key('bulk.stop')} to stop"
            says.append((span(f"{spent}{stops}", Role.DIM),))
            back = [] if cannot_undo else [span(f"Press {undo} to undo it.", Role.DIM)]
        accept_cursors = self.note_cursors()
        dialog = BulkPlanDialog(
            title,
            says,
            [*selection.taskless, *plan.gone, *plan.will, *plan.already] if known else rows,
            row,
            cannot_undo,
            yes=trusted(f"{change.verb} {count_of(count, things)}"),
            undo_note=tuple(back),
            target_warning=trusted(doubt),
        )

        def answered(answer: object) -> None:
            if isinstance(answer, Answered):
                if doubt:
                    accept_cursors()
                tasks = (*plan.will, *plan.already) if is_of_tasks else selection.tasks
                then({**selection.records, On.TASK: tasks})

        self._screen.app.push_screen(dialog, answered)

    def refuse(self, words: SafeText, *, severity: "SeverityLevel" = "warning") -> None:
        """Report why no dialog opens."""
        self._screen.lacks_dialog = True
        notify(self._screen.app, words, severity=severity)

    def _why_unchanged(self, plan: BulkPlan, selection: Selection, state: str) -> str:
        known = {task.task_id: task for task in selection.known}
        names = [task_for_customer(self._store.reading, known[each]) for each in plan.already[:NAMED]]
        parts = [_already(names, len(plan.already), state)] if names else []
        gone = len(plan.gone) + len(selection.gone)
        parts += [f"{gone:,} no longer {'exists' if gone == 1 else 'exist'}"] if gone else []
        unknown = len(selection.taskless) - len(selection.gone)
        parts += [f"{NO_TASK} for {unknown:,}"] if unknown else []
        words = "; ".join(parts)
        return f"{words if names else f'Nothing to change: {words}'}."

    def _left_out(self, selection: Selection, plan: BulkPlan) -> str:
        """Return which other open tasks of the customers stay as they are; empty for none."""
        beside = [selection.other_open[each] for each in plan.will if each in selection.other_open]
        left = [each for tasks in beside for each in tasks]
        if not left:
            return ""
        if len(left) > NAMED:
            has = "has" if len(beside) == 1 else "have"
            return f"{count_of(len(beside), 'customers')} {has} other open tasks, which don't change."
        known = task_store.among(self._store.reading, left)
        names = enumerate_names(self.task_name(known[each]).text for each in left if each in known)
        return f"Also open, but not changed: {names}."

    def plan_row(self, key: str, becomes: Line, task: TaskRecord | None = None) -> "PlanRow":
        """Make the row of a task or a conversation in a plan, the customer first."""
        from frontdesk.tui.dialogs.confirm import PlanRow

        db = self._store.reading
        task = task or record_lookup.task(db, TaskId(key))
        if task is None:
            return PlanRow(conversation_name(db, ConversationId(key)), becomes)
        title = show_line(task.title or "(no title)", 60)
        if name := customer_name(db, task, 60):
            return PlanRow(name, becomes, title)
        return PlanRow(title, becomes)

    def task_name(self, task: TaskRecord) -> SafeText:
        """Return a task's title and customer."""
        title = show_line(task.title or "(no title)", 40).text
        whose = customer_name(self._store.reading, task).text
        return trusted(f"{title} ({whose})" if whose else title)

    def dialog_title(self, action: str, selection: Selection) -> SafeText:
        """Return a dialog's title: one task's own, or the count and the first ones'."""
        if selection.count == 1:
            task = selection.known[0]
            # A customer's only task may be one; its row in the inbox has only a sign for that.
            state = "completed: " if task.status == COMPLETED else ""
            return trusted(f"{action} · {state}{self.task_name(task).text}")
        names = [show_line(task.title or "(no title)", 24) for task in selection.known[:NAMED]]
        return bulk_title(action, names, selection.count, "marked")

    def clear_marks(self, selection: Selection) -> Callable[[], None]:
        """Clear the marks of a selection; the function returned restores them, with the tasks that they meant."""
        removed = [(rows, rows.unmark(selection.marks)) for rows in self._row_lists()]

        def restore() -> None:
            for rows, keys in removed:
                rows.mark(keys, selection.task_of_row)

        if selection.is_bulk:
            self._last_bulk, self._restore_last_bulk = selection, restore
        return restore

    def mark_again(self, read_again: Callable[[], object]) -> None:
        """Mark the rows of the last bulk change again; the next change acts on the same tasks.

        Args:
            read_again: lists the marked rows that belong into the list now.
        """
        last = self._last_bulk
        if last is None:
            self.refuse(trusted("No bulk change has been made on this screen."), severity="information")
            return
        self._restore_last_bulk()
        read_again()
        marked = frozenset[str]().union(*(rows.marks for rows in self._row_lists()))
        if missing := len(last.marks - marked):
            words = f"{missing:,} of {len(last.marks):,} can't be marked again: no longer here."
            self.refuse(trusted(words))

    def again_hint(self, selection: Selection) -> str:
        """Return how to mark the rows of a bulk change again, to follow what was done; empty for a single row."""
        return f" · {self._screen.app_context.key('mark.again')} mark them again" if selection.is_bulk else ""

    def why_displaced(self, rows: RowList) -> str:
        """Return why the cursor isn't on its own row; empty where it is, or an action from here moved it."""
        return rows.why_displaced(self._acted_on)

    def accept_cursors(self) -> None:
        """Accept the rows that the cursors are on as meant."""
        for rows in self._row_lists():
            rows.accept_cursor()

    def note_cursors(self) -> Callable[[], None]:
        """Return what accepts the rows that the cursors are on now, once a dialog that names them is answered."""
        named = [(rows, rows.cursor_key) for rows in self._row_lists()]

        def accept() -> None:
            for rows, key in named:
                if rows.cursor_key == key:
                    rows.accept_cursor()

        return accept

    def report(
        self,
        future: "Future[ActionResult]",
        did: str,
        what: SafeText,
        *,
        selection: Selection,
        state: str,
        undo: Undo = Undo.ALWAYS,
        not_done: Callable[[], None] = lambda: None,
    ) -> None:
        """Report a change once it is in the outbox, or why it failed.

        Args:
            did: as "Completed" or "Due today:"; the target's name follows.
            undo: how long undo cancels it; what it never cancels is reported where it isn't seen at the cursor.
            what: the target's name; of many the first of those that change.
            selection: the targets, whose marks are cleared.
            state: what they are afterwards, as "completed"; shown where nothing had to be changed.
        """
        if undo is not Undo.NEVER:
            self._acted_on = frozenset((*selection.tasks, *selection.conversations))
        restore_marks = self.clear_marks(selection)
        of = max(1, len(selection.tasks) or len(selection.conversations))

        def report_result(finished: "Future[ActionResult]") -> None:
            error = finished.exception()
            if error is not None:
                restore_marks()
                not_done()
                notify(self._screen.app, trusted(f"Nothing was done: {show_error(error).text}"), severity="error")
                return
            done = finished.result()
            for problem in done.problems:
                notify(self._screen.app, show_line(problem), severity="warning")
            if not done.count:
                if not done.problems:
                    notify(self._screen.app, trusted(f"{_already([what], of, state)}."))
                return
            if undo is Undo.NEVER and not selection.is_elsewhere:
                return
            way_back = "" if undo is Undo.NEVER else f" · {undo.hint(self._screen.app_context.key('change.undo'))}"
            words = f"{did} {and_more(what, done.count).text}{way_back}{self.again_hint(selection)}"
            notify(self._screen.app, trusted(words), timeout_seconds=3)

        on_done(self._screen.app, future, report_result)


def _effect(
    change: RecordChange,
    selection: Selection,
    plan: BulkPlan,
    key: str,
    task: TaskRecord | None,
    view: RenderContext,
) -> Line:
    """Return what a row of a plan gets, or why it gets nothing."""
    if task is None:
        why = f"its task is {GONE}" if key in selection.gone else NO_TASK
        return change.gets or (span(why, Role.WARN),)
    if task.task_id in plan.gone:
        return (span(GONE, Role.WARN),)
    if task.task_id in plan.already and not change.gets:
        return (span("unchanged", Role.DIM),)
    effect, notes = describe_effect(task, change.fields, view), task_notes(selection, task, change.fields)
    return (*effect, span("  " if effect and change.gets else ""), *change.gets, *notes)


def _row_counts(change: RecordChange, selection: Selection, what: str, sent: Mapping[ChangeKind, int]) -> Line:
    """Return how many rows a plan is for, and what it leaves out."""
    numbers = [span(what, Role.STRONG)]
    if not sent:
        numbers.append(span(" · in frontdesk only; nothing is sent", Role.DIM))
    elif not change.fields:
        numbers += [span(" gets " if what.startswith("1 ") else " get ", Role.DIM), *change.gets]
    elif skipped := selection.taskless:
        numbers.append(span(f" · {len(skipped):,} with tags and snooze only: {NO_TASK}", Role.WARN))
    if selection.unlinked and ChangeKind.TAGS in sent:
        left = f" · {count_of(selection.unlinked, 'tasks')} {'not tagged' if change.fields else 'skipped'}"
        numbers.append(span(f"{left}: {NO_CONVERSATION}", Role.WARN))
    return tuple(numbers)


def _already(names: Sequence[SafeText], count: int, state: str) -> str:
    """Describe that nothing had to be done: '"Late delivery" for Dana is already completed'."""
    if count == 1:
        return f"{names[0].text} is already {state}"
    left = count - len(names)
    more = f" and {left:,} more" if left else ""
    return f"{count:,} are already {state}: {enumerate_names(each.text for each in names)}{more}"

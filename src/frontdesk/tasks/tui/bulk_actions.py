"""Bulk actions: the plan before one, the report after it, and the marks of its rows."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.config.actions import Undo
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import (
    BulkPlan,
    Cost,
    bulk_title,
    describe_cost,
    describe_effect,
    estimate_cost,
    present_limits,
    waiting_requests,
)
from frontdesk.outbox.changes import COMPLETED
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import and_more, conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import ChangeKind, TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import TaskChange, TaskCommands
from frontdesk.tasks.tui.bulk_runs import BulkRuns
from frontdesk.tasks.tui.selection import (
    GONE,
    NO_TASK,
    Selection,
    Targets,
    count_of,
    plan_counts,
    task_notes,
)
from frontdesk.text.display_text import SafeText, enumerate_names, show_error, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.futures import on_done
from frontdesk.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from frontdesk.tui.dialogs.confirm import PlanRow


class LocalChange(NamedTuple):
    """A change that only frontdesk knows, in the words of its plan.

    Attributes:
        state: what the targets become.
        is_named: a dialog has named the target, so there is no doubt which one it is.
    """

    title: str
    state: str
    verb: str
    is_named: bool = False


NAMED = 3
"""So many names of many stand in a title."""

NO_CONVERSATION = "not linked to a conversation"


class BulkActions:
    """Plans and reports of what is done to one row or many of a screen."""

    def __init__(self, screen: BaseScreen, row_lists: Callable[[], Sequence[RowList]]) -> None:
        """Prepare the bulk actions of a screen; `row_lists` have the rows that are marked and worked on."""
        self._screen, self._row_lists = screen, row_lists
        self._store, self._outbox = screen.app_context.store, screen.app_context.outbox
        self.runs = BulkRuns(screen)
        self._acted_on: frozenset[str] = frozenset()
        """The tasks of the last action from here: a cursor whose row goes away by that is where it should be."""
        self._last_bulk: Selection | None = None
        self._restore_last_bulk: Callable[[], None] = lambda: None

    def plan_tasks(
        self,
        change: TaskChange,
        targets: Targets,
        then: Callable[[Targets], object],
        *,
        is_named: bool = True,
    ) -> None:
        """Act at once on a task that is shown and selected; else show first what would change.

        Args:
            then: gets the targets, those that change first.
            is_named: a dialog has named the one task; otherwise a doubt about it shows the plan, too.
        """
        selection = targets.selection
        doubt = "" if is_named else selection.doubt
        if targets.count == 1 and not selection.is_elsewhere and not doubt:
            then(targets)
            return
        plan = TaskCommands(self._store).plan(targets.ids, change.fields)
        if not plan.will:
            self.refuse(trusted(self._why_unchanged(plan, targets, change.state)), severity="information")
            if plan.already:
                self.clear_marks(selection)
            return
        known = {task.task_id: task for task in targets.tasks}
        already, view = set(plan.already), self._screen.app_context.view()

        def row(key: str) -> "PlanRow":
            task = known.get(TaskId(key))
            if task is None:
                why = f"its task is {GONE}" if key in selection.gone else NO_TASK
                return self.plan_row(key, (span(why, Role.WARN),))
            if task.task_id in plan.gone:
                return self.plan_row(key, (span(GONE, Role.WARN),), task)
            if task.task_id in already:
                return self.plan_row(key, (span("unchanged", Role.DIM),), task)
            effect = describe_effect(task, change.fields, view)
            return self.plan_row(key, (*effect, *task_notes(selection, task, change.fields)), task)

        title = (
            trusted(f"{change.title} · {targets.count:,} marked")
            if selection.marks
            else self.dialog_title(change.title, targets)
        )
        self.show_plan(
            title,
            plan_counts(plan, targets, change.fields),
            self._cost(ChangeKind.TASK, len(plan.will)),
            [*targets.taskless, *plan.gone, *plan.will, *plan.already],
            row,
            lambda: then(Targets(tuple(known[each] for each in (*plan.will, *plan.already)), selection)),
            yes=f"Change {count_of(len(plan.will), 'tasks')}",
            left_out=self._left_out(selection, plan),
            doubt=doubt,
        )

    def plan_tags(self, selection: Selection, tags: Sequence[SafeText], then: Callable[[], object]) -> None:
        """Give tags to the shown conversation at once, else after a plan: they can't be removed again."""
        ids = selection.conversations
        if len(ids) == 1 and not selection.is_elsewhere:
            then()
            return
        undo = self._screen.app_context.key("change.undo")
        gives = tuple(part for tag in tags for part in (span(" +#", Role.GOOD), Span(tag, Role.GOOD)))
        self.show_plan(
            trusted(f"Tag · {count_of(len(ids), 'conversations')}"),
            (
                span(count_of(len(ids), "conversations"), Role.STRONG),
                span(" gets" if len(ids) == 1 else " get", Role.DIM),
                *gives,
                *(
                    [span(f" · {count_of(selection.unlinked, 'tasks')} skipped: {NO_CONVERSATION}", Role.WARN)]
                    if selection.unlinked
                    else []
                ),
            ),
            self._cost(ChangeKind.TAGS, len(ids)),
            ids,
            lambda key: self.plan_row(key, gives),
            then,
            yes=f"Tag {count_of(len(ids), 'conversations')}",
            cannot_undo=[trusted(f"Tags can't be removed once sent. Press {undo} to undo this within 5 s.")],
        )

    def plan_mark(self, selection: Selection, state: str, then: Callable[[], object]) -> None:
        """Mark the shown conversation as `read`, `unread` or in another state at once, else after a plan."""
        change = LocalChange(state.capitalize(), state, "Mark")
        self.plan_local(selection, selection.conversations, change, "conversations", then)

    def plan_local(
        self,
        selection: Selection,
        ids: Sequence[str],
        change: "LocalChange",
        things: str,
        then: Callable[[], object],
    ) -> None:
        """Act at once on the row under the cursor, else after a plan; nothing of it is sent.

        Args:
            things: what the ids are, in the plural.
        """
        if len(ids) == 1 and not selection.is_elsewhere and (change.is_named or not selection.doubt):
            then()
            return
        becomes = (span(change.state, Role.STRONG),)
        what = count_of(len(ids), things)
        self.show_plan(
            trusted(f"{change.title} · {what}"),
            (span(what, Role.STRONG), span(" · in frontdesk only; nothing is sent", Role.DIM)),
            None,
            ids,
            lambda key: self.plan_row(key, becomes),
            then,
            yes=f"{change.verb} {what}",
            doubt="" if change.is_named else selection.doubt,
        )

    def refuse(self, words: SafeText, *, severity: "SeverityLevel" = "warning") -> None:
        """Report why no dialog opens."""
        self._screen.lacks_dialog = True
        notify(self._screen.app, words, severity=severity)

    def _why_unchanged(self, plan: BulkPlan, targets: Targets, state: str) -> str:
        known = {task.task_id: task for task in targets.tasks}
        names = [task_for_customer(self._store.reading, known[each]) for each in plan.already[:NAMED]]
        parts = [_already(names, len(plan.already), state)] if names else []
        gone = len(plan.gone) + len(targets.selection.gone)
        parts += [f"{gone:,} no longer {'exists' if gone == 1 else 'exist'}"] if gone else []
        unknown = len(targets.taskless) - len(targets.selection.gone)
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

    def _cost(self, kind: ChangeKind, count: int) -> Cost:
        return estimate_cost({kind: count}, present_limits(self._store), waiting_requests(self._store.reading))

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

    def dialog_title(self, action: str, targets: Targets) -> SafeText:
        """Return a dialog's title: one task's own, or the count and the first ones'."""
        if targets.count == 1:
            task = targets.tasks[0]
            # A customer's only task may be one; its row in the inbox has only a sign for that.
            state = "completed: " if task.status == COMPLETED else ""
            return trusted(f"{action} · {state}{self.task_name(task).text}")
        names = [show_line(task.title or "(no title)", 24) for task in targets.tasks[:NAMED]]
        return bulk_title(action, names, targets.count, "marked")

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
            undo: how long undo cancels it.
            what: the target's name; of many the first of those that change.
            selection: the targets, whose marks are cleared.
            state: what they are afterwards, as "completed"; shown where nothing had to be changed.
        """
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
            way_back = undo.hint(self._screen.app_context.key("change.undo"))
            words = f"{did} {and_more(what, done.count).text} · {way_back}{self.again_hint(selection)}"
            notify(self._screen.app, trusted(words), timeout_seconds=3)

        on_done(self._screen.app, future, report_result)

    def show_plan(
        self,
        title: SafeText,
        numbers: Line,
        cost: Cost | None,
        keys: Sequence[str],
        row: "Callable[[str], PlanRow]",
        then: Callable[[], object],
        *,
        yes: str,
        cannot_undo: Sequence[SafeText] = (),
        left_out: str = "",
        doubt: str = "",
    ) -> None:
        """Show a plan, and act on yes.

        Args:
            cost: of what is sent; None where nothing is sent.
            left_out: what a person may expect to change, but doesn't.
            doubt: why this is asked although it is one row.
        """
        from frontdesk.tui.dialogs.base import Answered
        from frontdesk.tui.dialogs.confirm import BulkPlanDialog

        says: list[Line] = [numbers, *([(span(left_out, Role.WARN),)] if left_out else [])]
        back: Line = ()
        if cost is not None:
            spent = describe_cost(cost, present_limits(self._store).start)
            stop, undo = self._screen.app_context.key("bulk.stop"), self._screen.app_context.key("change.undo")
            stops = "" if cannot_undo else f"; press {stop} to stop"
            says.append((span(f"{spent}{stops}", Role.DIM),))
            back = () if cannot_undo else (span(f"Press {undo} to undo it.", Role.DIM),)
        accept_cursors = self.note_cursors()
        dialog = BulkPlanDialog(
            title, says, keys, row, cannot_undo, yes=trusted(yes), undo_note=back, target_warning=trusted(doubt)
        )

        def answered(answer: object) -> None:
            if isinstance(answer, Answered):
                if doubt:
                    accept_cursors()
                then()

        self._screen.app.push_screen(dialog, answered)


def _already(names: Sequence[SafeText], count: int, state: str) -> str:
    """Describe that nothing had to be done: '"Late delivery" for Dana is already completed'."""
    if count == 1:
        return f"{names[0].text} is already {state}"
    left = count - len(names)
    more = f" and {left:,} more" if left else ""
    return f"{count:,} are already {state}: {enumerate_names(each.text for each in names)}{more}"

"""How a change is made on a screen: at once or after a plan, with its report and the marks of its rows."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from frontdesk.config.actions import Undo
from frontdesk.outbox import verbs
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import (
    describe_cost,
    estimate_cost,
    present_limits,
    waiting_requests,
)
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import STATUS
from frontdesk.outbox.verbs import RecordChange, Records
from frontdesk.storage.record_lookup import and_more
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.bulk_runs import BulkRuns
from frontdesk.tasks.tui.selection import Selection, already_words, row_name
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import on_done
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_error, show_line, trusted
from frontdesk_lines.lines import Role, Span, span
from frontdesk_lines.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel


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

    def with_tasks(self, selection: Selection, *, are_needed: bool = True) -> Selection:
        """Return a selection with its tasks as they are now; report why if there are none."""
        known = task_store.among(self._store.reading, selection.tasks)
        tasks = tuple(each for each in selection.tasks if each in known)
        if are_needed and not tasks:
            self.refuse(trusted(selection.no_task))
        return selection._replace(tasks=tasks, known=tuple(known[each] for each in tasks))

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
            selection = self.with_tasks(selection, are_needed=False)
        (_, rows), doubt = selection.of_rows(change), "" if is_named else selection.doubt
        then = then or partial(self.apply, change, selection)
        if not rows:
            self.refuse(trusted(selection.no_task if change.fields else selection.no_conversation))
        elif len(rows) == 1 and not selection.is_elsewhere and not doubt:
            then(selection.records)
        else:
            self._plan(change, selection, then, doubt)

    def apply(self, change: RecordChange, selection: Selection, records: Records) -> "Future[ActionResult]":
        done = verbs.apply(self._store, change, records)
        first = self._first_name(change, selection, records)
        self.report(done, change.did, first, selection=selection, state=change.state, undo=change.undo)
        if change.leaves:
            self._show_next(selection)  # while the rows are still where the person saw them
        return done

    def _first_name(self, change: RecordChange, selection: Selection, records: Records) -> SafeText:
        """Name the first of the records; a completed task that stays so is named as that."""
        first = next(records[on][0] for on in change.on if records[on])
        name, task = row_name(self._store.reading, first), next(iter(selection.known), None)
        is_odd = task is not None and task.status == COMPLETED and selection.size == 1
        return trusted(f"{name.text} (completed)") if is_odd and STATUS not in change.fields else name

    def _plan(
        self, change: RecordChange, selection: Selection, then: Callable[[Records], object], doubt: str
    ) -> None:
        """Show what would change, and act on yes; `doubt` is why this is asked although it is one row."""
        from frontdesk.tasks.tui.change_plan import ChangePlan
        from frontdesk.tui.dialogs.base import Answered
        from frontdesk.tui.dialogs.confirm import BulkPlanDialog

        context, plan = self._screen.app_context, ChangePlan(change, selection, self._store.reading)
        if plan.does_nothing:
            self.refuse(trusted(plan.why_unchanged()), severity="information")
            if plan.tasks.already:
                self.clear_marks(selection)
            return
        view, undo, left_out = context.view(), context.key("change.undo"), plan.left_out()
        cannot_undo, back, says = list[SafeText](), list[Span](), [plan.numbers()]
        if change.undo is Undo.UNTIL_SENT:
            stays = f"Tags can't be removed once sent. Press {undo}"
            if change.on[1:]:
                left_out = f"{stays} within 5 s to undo all of it, later all but the tags."
            else:
                cannot_undo = [trusted(f"{stays} to undo this within 5 s.")]
        says += [(span(left_out, Role.WARN),)] if left_out else []
        if plan.sent:
            limits = present_limits(self._store)
            cost = estimate_cost(plan.sent, limits, waiting_requests(self._store.reading))
            stops = "" if cannot_undo else f"; press {context.key('bulk.stop')} to stop"
            says.append((span(f"{describe_cost(cost, limits.start)}{stops}", Role.DIM),))
            back = [] if cannot_undo else [span(f"Press {undo} to undo it.", Role.DIM)]
        accept_cursors = self.note_cursors()

        def answered(answer: object) -> None:
            if isinstance(answer, Answered):
                if doubt:
                    accept_cursors()
                then(plan.records)

        dialog = BulkPlanDialog(
            plan.title(),
            says,
            plan.keys,
            lambda key: plan.row(key, view),
            cannot_undo,
            yes=trusted(f"{change.verb} {plan.what}"),
            undo_note=tuple(back),
            target_warning=trusted(doubt),
        )
        self._screen.app.push_screen(dialog, answered)

    def refuse(self, words: SafeText, *, severity: "SeverityLevel" = "warning") -> None:
        self._screen.lacks_dialog = True
        notify(self._screen.app, words, severity=severity)

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

    def why_displaced(self, rows: RowList) -> str:
        """Return why the cursor isn't on its own row; empty where it is, or an action from here moved it."""
        return rows.why_displaced(self._acted_on)

    def accept_cursors(self) -> None:
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
                    notify(self._screen.app, trusted(f"{already_words([what], of, state)}."))
                return
            if undo is Undo.NEVER and not selection.is_elsewhere:
                return
            way_back = "" if undo is Undo.NEVER else f" · {undo.hint(self._screen.app_context.key('change.undo'))}"
            again = self._screen.app_context.key("mark.again")
            again = f" · {again} mark them again" if selection.is_bulk else ""
            words = f"{did} {and_more(what, done.count).text}{way_back}{again}"
            notify(self._screen.app, trusted(words), timeout_seconds=3)

        on_done(self._screen.app, future, report_result)

"""The rows that an action works on; bulk actions, with the plan before one and the report after it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.config.actions import Undo
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import BulkPlan, Cost, bulk_title, describe_cost, describe_effect, estimate_cost
from frontdesk.storage import clients
from frontdesk.storage.record_lookup import and_more, conversation_name, customer_name, task_for_customer
from frontdesk.storage.records import ChangeKind, Connection, TaskRecord
from frontdesk.tasks.commands import TaskChange, TaskCommands
from frontdesk.tasks.tui.bulk_runs import BulkRuns
from frontdesk.text.display_text import SafeText, enumerate_names, show_error, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from frontdesk.tui.dialogs.confirm import PlanRow


DISPLACED = "The list changed; the cursor is now on another row."


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that a key works on: the marked ones, else the one under the cursor.

    Attributes:
        taskless: marked conversations that no task is known for.
        of_several: those of the tasks whose marked conversation has other open tasks.
        unlinked: how many of the tasks are linked to no conversation.
        marks: cleared once the action is done.
        is_elsewhere: these aren't exactly the row under the cursor, so a plan is shown first.
        doubt: why a person may not know the target; empty where it is visible and named.
        no_task: the reason to give where there is no task; `no_conversation` likewise.
    """

    tasks: tuple[TaskId, ...] = ()
    conversations: tuple[ConversationId, ...] = ()
    taskless: tuple[ConversationId, ...] = ()
    of_several: frozenset[TaskId] = frozenset()
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


@dataclass(frozen=True, slots=True)
class LocalChange:
    """A change that only frontdesk knows, in the words of its plan.

    Attributes:
        state: what the targets become.
        is_named: a dialog has named the target, so there is no doubt which one it is.
    """

    title: str
    state: str
    verb: str
    is_named: bool = False


def loading_reason(app_context: AppContext) -> str:
    """Return why no row can be selected yet; empty once the platform's were read."""
    health = clients.health(app_context.store.reading)
    if health.fresh_at is not None:
        return ""
    is_coming = health.state in (Connection.STARTING, Connection.LIVE, Connection.WAITING)
    return "The list is still loading." if is_coming else "Nothing has been loaded yet."


NAMED = 3
"""So many names of many stand in a title."""

NO_TASK = "no task loaded"
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
                self.clear_marks(selection.marks)
            return
        from frontdesk.tui.dialogs.confirm import PlanRow

        known = {task.task_id: task for task in targets.tasks}
        already, view = set(plan.already), self._screen.app_context.view()

        def row(key: str) -> "PlanRow":
            task = known.get(TaskId(key))
            if task is None:
                return PlanRow(self._conversation_name(key), (span(NO_TASK, Role.WARN),))
            if task.task_id in plan.gone:
                return PlanRow(self.task_name(task), (span("gone", Role.WARN),))
            if task.task_id in already:
                return PlanRow(self.task_name(task), (span("unchanged", Role.DIM),))
            others = (span(" · others stay", Role.DIM),) if task.task_id in selection.of_several else ()
            return PlanRow(self.task_name(task), (*describe_effect(task, change.fields, view), *others))

        title = (
            trusted(f"{change.title} · {targets.count:,} marked")
            if selection.marks
            else self.dialog_title(change.title, targets)
        )
        self.show_plan(
            title,
            _in_numbers(plan, targets),
            estimate_cost(len(plan.will), ChangeKind.TASK, self._store.settings),
            [*targets.taskless, *plan.gone, *plan.will, *plan.already],
            row,
            lambda: then(Targets(tuple(known[each] for each in (*plan.will, *plan.already)), selection)),
            yes=f"Change {count_of(len(plan.will), 'tasks')}",
            left_out=_left_out(len(selection.of_several.intersection(plan.will))),
            doubt=doubt,
        )

    def plan_tags(self, selection: Selection, tags: Sequence[SafeText], then: Callable[[], object]) -> None:
        """Give tags to the shown conversation at once, else after a plan: they can't be removed again."""
        ids = selection.conversations
        if len(ids) == 1 and not selection.is_elsewhere:
            then()
            return
        from frontdesk.tui.dialogs.confirm import PlanRow

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
            estimate_cost(len(ids), ChangeKind.TAGS, self._store.settings),
            ids,
            lambda key: PlanRow(self._conversation_name(key), gives),
            then,
            yes=f"Tag {count_of(len(ids), 'conversations')}",
            cannot_undo=[trusted(f"Tags can't be removed once sent; {undo} undoes this within 5 s.")],
        )

    def plan_read(self, selection: Selection, then: Callable[[], object], *, is_read: bool) -> None:
        """Mark the shown conversation at once, else after a plan."""
        state = "read" if is_read else "unread"
        ids, name = selection.conversations, self._conversation_name
        self.plan_local(
            selection, ids, LocalChange(state.capitalize(), state, "Mark"), "conversations", name, then
        )

    def plan_local(
        self,
        selection: Selection,
        ids: Sequence[str],
        change: "LocalChange",
        things: str,
        name: Callable[[str], SafeText],
        then: Callable[[], object],
    ) -> None:
        """Act at once on the row under the cursor, else after a plan; nothing of it is sent.

        Args:
            things: what the ids are, in the plural.
        """
        if len(ids) == 1 and not selection.is_elsewhere and (change.is_named or not selection.doubt):
            then()
            return
        from frontdesk.tui.dialogs.confirm import PlanRow

        becomes = (span(change.state, Role.STRONG),)
        what = count_of(len(ids), things)
        self.show_plan(
            trusted(f"{change.title} · {what}"),
            (span(what, Role.STRONG), span(" · in frontdesk only; nothing is sent", Role.DIM)),
            None,
            ids,
            lambda key: PlanRow(name(key), becomes),
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
        parts += (
            [f"{len(plan.gone):,} no longer {'exists' if len(plan.gone) == 1 else 'exist'}"] if plan.gone else []
        )
        parts += [f"{NO_TASK} for {len(targets.taskless):,}"] if targets.taskless else []
        words = "; ".join(parts)
        return f"{words if names else f'Nothing to change: {words}'}."

    def _conversation_name(self, key: str) -> SafeText:
        return conversation_name(self._store.reading, ConversationId(key))

    def task_name(self, task: TaskRecord) -> SafeText:
        """Return a task's title and customer."""
        title = show_line(task.title or "(no title)", 40).text
        whose = customer_name(self._store.reading, task).text
        return trusted(f"{title} ({whose})" if whose else title)

    def dialog_title(self, action: str, targets: Targets) -> SafeText:
        """Return a dialog's title: one task's own, or the count and the first ones'."""
        if targets.count == 1:
            return trusted(f"{action} · {self.task_name(targets.tasks[0]).text}")
        names = [show_line(task.title or "(no title)", 24) for task in targets.tasks[:NAMED]]
        return bulk_title(action, names, targets.count, "marked")

    def clear_marks(self, marks: frozenset[str]) -> Callable[[], None]:
        """Clear these marks; the function returned restores them."""
        removed = [(rows, rows.unmark(marks)) for rows in self._row_lists()]

        def restore() -> None:
            for rows, keys in removed:
                rows.mark(keys)

        return restore

    def was_displaced(self, rows: RowList) -> bool:
        """Return whether the cursor's own row went away, and not by an action from here."""
        return rows.displaced_key is not None and rows.displaced_key not in self._acted_on

    def accept_cursors(self) -> None:
        """Accept the rows that the cursors are on as named."""
        for rows in self._row_lists():
            rows.accept_cursor()

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
        restore_marks = self.clear_marks(selection.marks)
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
            words = f"{did} {and_more(what, done.count).text} · {way_back}"
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

        settings = self._store.settings
        says: list[Line] = [numbers, *([(span(left_out, Role.WARN),)] if left_out else [])]
        back: Line = ()
        if cost is not None:
            spent = describe_cost(cost, settings.requests_per_minute)
            stop, undo = self._screen.app_context.key("bulk.stop"), self._screen.app_context.key("change.undo")
            stops = "" if cannot_undo else f"; {stop} stops it"
            says.append((span(f"{spent}{stops}", Role.DIM),))
            back = () if cannot_undo else (span(f"{undo} undoes it.", Role.DIM),)
        self.accept_cursors()
        dialog = BulkPlanDialog(
            title, says, keys, row, cannot_undo, yes=trusted(yes), undo_note=back, target_warning=trusted(doubt)
        )

        def answered(answer: object) -> None:
            if isinstance(answer, Answered):
                then()

        self._screen.app.push_screen(dialog, answered)


def count_of(count: int, word: str) -> str:
    """Return a count with its word, given in the plural: `1 task`, `2 tasks`."""
    return f"{count:,} {word if count != 1 else word.removesuffix('s')}"


def _in_numbers(plan: BulkPlan, targets: Targets) -> Line:
    changes = count_of(len(plan.will), "tasks")
    if len(plan.will) < targets.count:
        changes = f"{len(plan.will):,} of {targets.count:,}"
    words: list[Span] = [span(f"{changes} will change", Role.STRONG)]
    if plan.already:
        words.append(span(f" · {len(plan.already):,} unchanged", Role.DIM))
    if plan.gone:
        words.append(span(f" · {len(plan.gone):,} gone", Role.WARN))
    if targets.taskless:
        words.append(span(f" · {len(targets.taskless):,} skipped: {NO_TASK}", Role.WARN))
    return tuple(words)


def _left_out(customers: int) -> str:
    """Say that only one open task of each of so many customers changes; empty for none."""
    has = "has" if customers == 1 else "have"
    who = count_of(customers, "customers")
    return f"{who} {has} several open tasks; only the one due first changes." if customers else ""


def _already(names: Sequence[SafeText], count: int, state: str) -> str:
    """Describe that nothing had to be done: '"Late delivery" for Dana is already completed'."""
    if count == 1:
        return f"{names[0].text} is already {state}"
    left = count - len(names)
    more = f" and {left:,} more" if left else ""
    return f"{count:,} are already {state}: {enumerate_names(each.text for each in names)}{more}"

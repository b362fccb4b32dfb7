"""Runs a macro on what is selected on a screen: at once on one row, after a plan on others."""

from datetime import datetime
from typing import TYPE_CHECKING

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.app import macros
from frontdesk.app.macros import Macro, MacroChanges, MacroTargets
from frontdesk.config.actions import Undo
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox.bulk import describe_effect, estimate_cost, present_limits, waiting_requests
from frontdesk.outbox.snooze_view import wish_words
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.bulk_actions import NO_CONVERSATION
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tasks.tui.selection import NO_TASK, Selection, count_of, task_notes
from frontdesk.text.display_text import SafeText, show_label, show_line, trusted
from frontdesk.text.due_parser import DueNotUnderstood
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.base_screen import BaseScreen

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.confirm import PlanRow


MAX_DOES_CELLS = 60
"""The most cells of what a macro did, in its notice."""


def run_macro(screen: BaseScreen, macro: Macro) -> None:
    """Run a macro on the selection of the inbox or the board."""
    if isinstance(screen, InboxScreen):
        MacroRun(screen, screen.task_actions, screen.targets.current(), macro).start()
    elif isinstance(screen, BoardScreen):
        MacroRun(screen, screen.task_actions, screen.cursor.selection(), macro).start()


class MacroRun:
    """One run of a macro, on the rows that were selected when its key was pressed."""

    def __init__(self, screen: BaseScreen, actions: TaskActions, selection: Selection, macro: Macro) -> None:
        self._screen, self._selection, self._macro = screen, selection, macro
        self._bulk, self._show_next = actions.bulk, actions.show_next
        self._store, self._view = screen.app_context.store, screen.app_context.view()
        self._now = datetime.fromtimestamp(self._view.now, self._view.zone)
        self._name = show_label(macro.name, 40)

    def start(self) -> None:
        """Act at once on the row under the cursor, else show a plan first."""
        try:
            wanted = self._macro.changes(self._now, self._store.clock_offset())
        except DueNotUnderstood as error:
            self._bulk.refuse(show_line(f"{self._macro.label}: {error}"))
            return
        targets = self._targets(wanted)
        if not (targets.tasks or targets.conversations or targets.snoozed):
            reason = self._selection.no_task if wanted.fields else self._selection.no_conversation
            self._bulk.refuse(trusted(reason))
            return
        selection = self._selection
        if self._count(targets) == 1 and not selection.is_elsewhere and not selection.doubt:
            self._apply(targets, wanted)
        else:
            self._plan(targets, wanted)

    def _targets(self, wanted: MacroChanges) -> MacroTargets:
        on_board, selection = isinstance(self._screen, BoardScreen), self._selection
        kind = ChangeKind.SNOOZE_TASK if on_board else ChangeKind.SNOOZE_CONVERSATION
        snoozed = selection.tasks if on_board else selection.conversations
        return MacroTargets(
            selection.tasks if wanted.fields else (),
            selection.conversations if wanted.tags else (),
            kind,
            snoozed if wanted.snooze is not None else (),
        )

    def _apply(self, targets: MacroTargets, wanted: MacroChanges) -> None:
        done = macros.run(self._store, self._macro, targets, wanted)
        keys = self._keys(targets)
        state = f"as {self._name.text} leaves it"
        self._bulk.report(
            done,
            f"{self._name.text} ({show_line(self._macro.does, MAX_DOES_CELLS).text}):",
            self._row_name(keys[0]),
            selection=self._selection,
            state=state,
            undo=Undo.UNTIL_SENT if wanted.tags else Undo.ALWAYS,
        )
        if wanted.snooze is not None and not wanted.snooze.is_off:
            self._show_next(self._selection)  # while the rows are still where the person saw them

    def _plan(self, targets: MacroTargets, wanted: MacroChanges) -> None:
        keys, limits = self._keys(targets), present_limits(self._store)
        things = "tasks" if targets.tasks else "conversations"
        what = count_of(len(keys), things)
        skipped = self._selection.taskless if targets.tasks else ()
        unlinked = self._selection.unlinked if wanted.tags else 0
        numbers: list[Span] = [span(what, Role.STRONG), span(f" · {self._name.text}", Role.DIM)]
        if skipped:
            numbers.append(span(f" · {len(skipped):,} with tags and snooze only: {NO_TASK}", Role.WARN))
        if unlinked:
            numbers.append(span(f" · {count_of(unlinked, 'tasks')} not tagged: {NO_CONVERSATION}", Role.WARN))
        counts = {ChangeKind.TASK: len(targets.tasks), ChangeKind.TAGS: len(targets.conversations)}
        cost = estimate_cost(counts, limits, waiting_requests(self._store.reading))
        undo = self._screen.app_context.key("change.undo")
        tags_stay = (
            f"Tags can't be removed once sent. Press {undo} within 5 s to undo all of it, later all but the tags."
        )
        effect = self._effect_of_all(wanted)

        def row(key: str) -> "PlanRow":
            task = record_lookup.task(self._store.reading, TaskId(key))
            if task is None or not wanted.fields:
                return self._bulk.plan_row(key, effect, task)
            becomes = _joined([describe_effect(task, wanted.fields, self._view), effect])
            return self._bulk.plan_row(key, (*becomes, *task_notes(self._selection, task, wanted.fields)), task)

        self._bulk.show_plan(
            trusted(f"{self._name.text} · {what}"),
            tuple(numbers),
            cost if wanted.fields or wanted.tags else None,
            keys,
            row,
            lambda: self._apply(targets, wanted),
            yes=f"Change {what}",
            left_out=tags_stay if wanted.tags else "",
            doubt=self._selection.doubt,
        )

    def _effect_of_all(self, wanted: MacroChanges) -> Line:
        """Return what each record gets, whatever it has now."""
        tags = [span(f"+#{self._view.tag(each).text}", Role.GOOD) for each in wanted.tags]
        snooze = (
            [] if wanted.snooze is None else [span(wish_words(wanted.snooze, self._now) or "awake", Role.STRONG)]
        )
        return _joined([(each,) for each in (*tags, *snooze)])

    def _keys(self, targets: MacroTargets) -> list[str]:
        """Return the rows of a plan: the tasks, where it changes any, else the conversations."""
        others = {*targets.conversations, *targets.snoozed}
        taskless = [each for each in self._selection.taskless if each in others]
        return [*(targets.tasks or targets.conversations or targets.snoozed), *(taskless if targets.tasks else ())]

    def _count(self, targets: MacroTargets) -> int:
        return max(len(targets.tasks), len(targets.conversations), len(targets.snoozed))

    def _row_name(self, key: str) -> SafeText:
        task = record_lookup.task(self._store.reading, TaskId(key))
        if task is not None:
            return self._bulk.task_name(task)
        return conversation_name(self._store.reading, ConversationId(key))


def _joined(parts: list[Line]) -> Line:
    return tuple(each for part in parts if part for each in (span("  "), *part))[1:]

"""The targets of the keys of the inbox."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.tui.conversation_follower import ConversationFollower, InboxPanes
from frontdesk.inbox.view.conversation_row import target_line, task_and_owner
from frontdesk.outbox.changes import COMPLETED
from frontdesk.storage import record_lookup
from frontdesk.storage.coverage import is_listed
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.selection import Selection, TargetReason, loading_reason
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.status_bar import COMPLETE, STATUS, NamedTarget
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import counted, trusted
from frontdesk_lines.lines import Line, Role, fit, span
from frontdesk_lines.widgets.row_list import RowList


class TargetSelection:
    """Finds the targets of a key: marked conversations, marked tasks, or what the cursors are on.

    Args:
        why_displaced: why a list's cursor is on a row that the person didn't move it to; empty where they did.
        is_named: whether the footer has room for the task's name.
    """

    def __init__(
        self,
        screen: BaseScreen,
        panes: InboxPanes,
        follower: ConversationFollower,
        why_displaced: Callable[[RowList], str],
        is_named: Callable[[], bool],
    ) -> None:
        self._screen, self._panes, self._follower = screen, panes, follower
        self._why_displaced, self._is_named = why_displaced, is_named
        self._named_task: TaskId | None = None
        """The task that is named above the thread, or in the footer if that has room."""

    @property
    def works_on_marked_tasks(self) -> bool:
        """Return whether marked tasks are the targets; with marked conversations, too, the focus decides."""
        is_there = self._screen.focused is self._panes.facts.tasks or not self._panes.list.rows.marks
        return is_there and bool(self._panes.facts.tasks.marks)

    def current(self) -> Selection:
        found = self._selected()
        if found.tasks and found.conversations:
            return found
        no_conversation = self._loading_reason() or TargetReason.NO_CONVERSATION
        has_row = self._panes.thread.conversation_id is not None or self._panes.list.rows.marks
        no_task = TargetReason.NO_TASK_LOADED if has_row else no_conversation
        return found._replace(no_task=no_task, no_conversation=no_conversation)

    def _selected(self) -> Selection:
        """Return a task of each marked conversation, else the marked tasks or the cursor's."""
        listed, task_rows = self._panes.list.rows, self._panes.facts.tasks
        named = self._named_task if self._is_above_thread or self._is_named() else None
        if self.works_on_marked_tasks or listed.marks <= {listed.cursor_key}:
            self._follower.catch_up()
        opened = self._panes.thread.conversation_id
        conversations = () if opened is None else (opened,)
        if self.works_on_marked_tasks:
            is_elsewhere = task_rows.marks != {task_rows.cursor_key} or not task_rows.region
            return Selection(
                self._panes.facts.task_targets,
                conversations,
                marks=task_rows.marks,
                is_elsewhere=is_elsewhere,
                rows_are_tasks=True,
            )
        tasks = self._panes.facts.task_targets
        kept = tuple(listed.marked_tasks.values())
        if listed.marks and (listed.marks != {listed.cursor_key} or kept not in ((), tasks)):
            return self._marked()
        why = self._why_displaced(listed) or self._why_displaced(task_rows)
        doubt = TargetReason.DISPLACED.format(why) if why else ""
        if not why and tasks != (named,):
            doubt = self._why_named(len(task_rows.keys))
        return Selection(tasks, conversations, marks=listed.marks, doubt=doubt, is_displaced=bool(why))

    def _marked(self) -> Selection:
        """Return the task that each mark keeps, else the first that the conversation's row can be about."""
        listed, db = self._panes.list.rows, self._screen.app_context.store.reading
        marked = self._panes.list.targets
        kept = {ConversationId(row): TaskId(task) for row, task in listed.marked_tasks.items()}
        first = self._panes.list.row_tasks.first_of(marked)
        meant = {**first, **kept}
        known = {*first.values(), *task_store.statuses(db, kept.values())}
        task_of_row = {each: meant[each] for each in marked if meant.get(each) in known}
        tasks = tuple(task_of_row.values())
        return Selection(
            tasks,
            marked,
            tuple(each for each in marked if each not in task_of_row),
            other_open=task_store.other_open(db, tasks),
            marks=listed.marks,
            unlisted=listed.hidden_marks,
            task_of_row={str(row): task for row, task in task_of_row.items()},
            is_elsewhere=True,
        )

    def name_target(self) -> NamedTarget | None:
        """Show the task that keys work on above the thread; else return it where the footer must name it.

        It has whose the task is and what to do with it.
        """
        target, view = self._target(), self._screen.app_context.view()
        self._panes.thread.set_beside_facts(self._panes.facts.display)
        self._panes.thread.target.show(
            self._marked_words() if target is None else lambda width: target_line(*target, width, view)
        )
        is_above, self._named_task = self._is_above_thread, None
        if target is None or not (is_above or self._must_be_named(target)):
            return None
        task = target.task
        self._named_task = task.task_id
        if is_above:
            return None
        words = task_and_owner(task, view)
        return (STATUS, trusted(f"{words.text}: completed")) if task.status == COMPLETED else (COMPLETE, words)

    @property
    def _is_above_thread(self) -> bool:
        """Return whether the thread is in sight without the customer's tasks, so that it names the target."""
        thread, facts = self._panes.thread, self._panes.facts
        return thread.is_mounted and thread.display and not facts.display

    def _marked_words(self) -> Callable[[int], Line] | None:
        """Return what draws how many marks keys work on; None where the conversation shown has no task."""
        tasks, glyph = self._panes.facts.tasks, self._screen.app_context.glyphs.mark
        marks = tasks.marks if self.works_on_marked_tasks else self._panes.list.rows.marks
        if not (marks and tasks.keys):
            return None
        words = counted(len(marks), "marked task" if marks is tasks.marks else "marked conversation")
        return partial(fit, (span(f" {glyph} {words}", Role.WARN),))

    def _target(self) -> "_Target | None":
        """Return the one task that keys work on; None without one, or where they work on marks."""
        listed, task_rows, db = (
            self._panes.list.rows,
            self._panes.facts.tasks,
            self._screen.app_context.store.reading,
        )
        cursor = self._panes.list.cursor
        if cursor is None or task_rows.marks or listed.marked_tasks or not listed.marks <= {cursor}:
            return None
        if self._follower.is_at_cursor and self._panes.facts.conversation_id is not None:
            key, keys = task_rows.cursor_key, task_rows.keys
        else:
            keys = conversation_store.row_tasks(db, [cursor]).get(cursor, ())
            key = self._panes.list.row_tasks.of(cursor)
        task = None if key is None else record_lookup.task(db, TaskId(key))
        return None if task is None else _Target(task, keys.index(key) + 1 if key in keys else 1, len(keys))

    def _must_be_named(self, target: "_Target") -> bool:
        """Return whether it may be another task than the person thinks, a completed one or someone else's."""
        task = target.task
        if self._why_named(target.total) or task.status == COMPLETED:
            return True
        return bool(task.assigned) and self._screen.app_context.view().names.me not in task.assigned

    def _why_named(self, count: int) -> str:
        """Return why a key works only on a task that is named, if a customer has so many; empty for no reason."""
        if count > 1:
            return TargetReason.ONE_OF_MANY.format(count)
        has_all = not count or is_listed(self._screen.app_context.store.reading)
        return "" if has_all else TargetReason.MAY_HAVE_OTHERS

    def _loading_reason(self) -> TargetReason | None:
        """Return why nothing is listed yet; None where a row is drawn or a filter leaves none."""
        if self._panes.list.rows.keys or self._panes.list.is_filtered:
            return None
        if conversation_store.count(self._screen.app_context.store.reading):
            return TargetReason.LOADING
        return loading_reason(self._screen.app_context)


class _Target(NamedTuple):
    """The task that keys work on, and its place among the customer's tasks."""

    task: TaskRecord
    place: int
    total: int

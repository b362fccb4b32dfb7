"""Cards moved between columns by keys.

A moved card is in its new column at once, with the cursor on it, so that each key of a burst works on it; the
store follows a moment later.
"""

from typing import Any, Protocol

from textual.app import App

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.tasks.changes import status_fields
from frontdesk.tasks.commands import TaskCommands
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.board_cursor import BoardCursor
from frontdesk.tasks.tui.columns import Column, Columns
from frontdesk.tasks.tui.selection import Selection, Targets
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done

NO_STATUS = StatusId("")
"""Where tasks are that came without a status that is text; a column of its own when there are some."""


class Board(Protocol):
    """The part of the board's screen that moves need."""

    columns: Columns
    cursor: BoardCursor
    app_context: AppContext

    @property
    def app(self) -> App[Any]:
        """Return the app; a screen that was removed has none."""
        ...

    def show_cards(self) -> None:
        """Show the current cards of every column, pending moves included."""
        ...

    def read_again(self) -> None: ...


class CardMoves:
    """Moves cards between columns; `pending` has the status of each card whose move isn't stored yet."""

    def __init__(self, board: Board, task_actions: TaskActions) -> None:
        self._board, self._task_actions = board, task_actions
        self.pending: dict[TaskId, StatusId] = {}

    def move(self, selection: Selection, step: int) -> None:
        """Move one card with the cursor on it; several after a plan, with their marks."""
        if (targets := self._task_actions.targets_of(selection)) is None:
            return
        columns = self._board.columns.all
        at = columns.index(self._column_of(targets)) + step
        while 0 <= at < len(columns) and columns[at].status == NO_STATUS:
            at += step  # a status can't be taken off a task
        if not 0 <= at < len(columns):
            return
        to = columns[at]
        if targets.count > 1 or targets.selection.is_elsewhere:
            self._task_actions.set_status(targets, to.status)
        else:
            action = f"Status → {to.status_name.text}"
            fields, state = status_fields(to.status), f"in {to.status_name.text}"
            self._task_actions.bulk.plan_tasks(
                action, targets, fields, lambda on: self._move_one(on, to), state=state, is_named=False
            )

    def _column_of(self, targets: Targets) -> Column:
        """Return the column of one card or of all marked ones; else the current column."""
        statuses = {self.pending.get(task.task_id, task.status) for task in targets.tasks}
        found = [column for column in self._board.columns.all if column.status in statuses]
        return found[0] if len(found) == 1 else self._board.cursor.column

    def _move_one(self, targets: Targets, to: Column) -> None:
        task_id, status = targets.ids[0], to.status
        self.pending[task_id] = status
        self._board.show_cards()
        self._board.cursor.follow_to(to)
        to.show_card(task_id)
        moved = TaskCommands(self._board.app_context.store).set_status([task_id], status)
        name, what = to.status_name.text, self._task_actions.first_name(targets)
        self._task_actions.bulk.report(moved, f"→ {name}:", what, selection=targets.selection, state=f"in {name}")
        on_done(self._board.app, moved, lambda _: self._end_move(task_id, status))

    def _end_move(self, task_id: TaskId, status: StatusId) -> None:
        """Remove a stored or refused move; a later one of the same card is still pending."""
        if self.pending.get(task_id) == status:
            del self.pending[task_id]
            self._board.read_again()
            for column in self._board.columns.all:
                column.cards.refresh_keys([task_id])

"""Moves of cards between columns.

A moved card is in its new column at once, with the cursor on it, so that each key of a burst works on it; the
store follows a moment later.
"""

from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.verbs import RecordChange, Records
from frontdesk.tasks.commands import status_change
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.panes import Column
from frontdesk.tasks.tui.selection import Selection
from frontdesk.tui.futures import on_done
from frontdesk_api.contract.ids import StatusId, TaskId

if TYPE_CHECKING:
    from frontdesk.tasks.tui.screen import BoardScreen

NO_STATUS = StatusId("")
"""Where tasks are that came without a status that is text; a column of its own when there are some."""


class CardMoves:
    """Moves cards between columns; `pending` has the status of each card whose move isn't stored yet."""

    def __init__(self, board: "BoardScreen", task_actions: TaskActions) -> None:
        self._board, self._task_actions = board, task_actions
        self.pending: dict[TaskId, StatusId] = {}
        self._last: dict[TaskId, Future[ActionResult]] = {}
        """The last move of each card, until it is stored or refused."""

    def move(self, selection: Selection, step: int) -> None:
        """Move one card with the cursor on it; several after a plan, with their marks."""
        if not (found := self._task_actions.bulk.with_tasks(selection)).known:
            return
        columns = self._board.columns.all
        at = columns.index(self._column_of(found)) + step
        while 0 <= at < len(columns) and columns[at].status == NO_STATUS:
            at += step  # a status can't be taken off a task
        if not 0 <= at < len(columns):
            return
        to, is_one = columns[at], found.size == 1 and not found.is_elsewhere
        change = status_change(to.status, self._task_actions.context(), is_move=is_one)
        then = partial(self._move_one, found, to, change) if is_one else None
        self._task_actions.bulk.do(change, found, then, is_named=not is_one)

    def _column_of(self, selection: Selection) -> Column:
        """Return the column of one card or of all marked ones; else the current column."""
        statuses = {self.pending.get(task.task_id, task.status) for task in selection.known}
        found = [column for column in self._board.columns.all if column.status in statuses]
        return found[0] if len(found) == 1 else self._board.cursor.column

    def _move_one(self, selection: Selection, to: Column, change: RecordChange, records: Records) -> None:
        task_id = selection.tasks[0]
        self.pending[task_id] = to.status
        self._board.show_cards()
        self._board.cursor.follow_to(to)
        to.show_card(task_id)
        self._last[task_id] = moved = self._task_actions.bulk.apply(change, selection, records)
        on_done(self._board.app, moved, partial(self._end_move, task_id))

    def _end_move(self, task_id: TaskId, moved: "Future[ActionResult]") -> None:
        """Remove a stored or refused move; a later one of the same card is still pending."""
        if self._last.get(task_id) is moved:
            del self.pending[task_id], self._last[task_id]
            self._board.read_again()
            for column in self._board.columns.all:
                column.cards.refresh_keys([task_id])

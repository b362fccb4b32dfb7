"""Cards that keys move from column to column, for the board.

A card that is moved is in its new column at once, with the cursor on it, so that of several keys in a
burst each works on that card; the store says the same a moment later.
"""

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.tasks.commands import status_fields
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.bulk_actions import Targets
from frontdesk.tasks.tui.column import Column
from frontdesk.tasks.tui.columns import Columns
from frontdesk.tui.futures import on_done

NO_STATUS = StatusId("")
"""Where tasks are that came without a status that is text; a column of its own when there are some."""


class CardMoves(TaskActions):
    """Actions that move cards, for the board's `BaseScreen`.

    Attributes:
        columns: all of the board, from left to right.
        moves: cards on their way, and where to, until the store knows of it.
    """

    columns: Columns
    moves: dict[TaskId, StatusId]

    @property
    def column(self) -> Column:
        """The column that is worked in."""
        raise NotImplementedError

    def go_to(self, column: Column) -> None:
        """Work in this column."""
        raise NotImplementedError

    def follow_to(self, column: Column) -> None:
        """Work in the column to which the card has gone that a key works on."""
        raise NotImplementedError

    def show_cards(self) -> None:
        """Every column with what it has now, the cards on their way among them."""
        raise NotImplementedError

    def read_again(self) -> None:
        """Read what the store has now, and show it."""
        raise NotImplementedError

    def action_move_right(self) -> None:
        self._move_card(1)

    def action_move_left(self) -> None:
        self._move_card(-1)

    def _move_card(self, step: int) -> None:
        """One card goes with the cursor on it; of several the plan is shown, and marks go with them."""
        if (targets := self._targets()) is None:
            return
        columns = self.columns.all
        at = columns.index(self._column_of(targets)) + step
        while 0 <= at < len(columns) and columns[at].status == NO_STATUS:
            at += step  # a status can't be taken off a task
        if not 0 <= at < len(columns):
            return
        to = columns[at]
        if targets.count > 1 or targets.chosen.is_elsewhere:
            self.set_status(targets, to.status)
        else:
            deed = f"Status → {to.status_name.text}"
            fields, state = status_fields(to.status), f"in {to.status_name.text}"
            self.plan_tasks(deed, targets, fields, lambda on: self._move_one(on, to), state=state, is_named=False)

    def _column_of(self, targets: Targets) -> Column:
        """Where one card is, or all marked ones are; else the column that is worked in."""
        statuses = {self.moves.get(task.task_id, task.status) for task in targets.tasks}
        found = [column for column in self.columns.all if column.status in statuses]
        return found[0] if len(found) == 1 else self.column

    def _move_one(self, targets: Targets, to: Column) -> None:
        task_id, status = targets.ids[0], to.status
        self.moves[task_id] = status
        self.show_cards()
        self.follow_to(to)
        to.show_card(task_id)
        moved = self.app_context.services.set_status([task_id], status)
        name, what = to.status_name.text, self._first_of(targets)
        self.say(moved, f"→ {name}:", what, chosen=targets.chosen, state=f"in {name}")
        on_done(self.app, moved, lambda _: self._arrived(task_id, status))

    def _arrived(self, task_id: TaskId, status: StatusId) -> None:
        """The store knows of a move, or refused it; a later move of the same card is still on its way."""
        if self.moves.get(task_id) == status:
            del self.moves[task_id]
            self.read_again()
            for column in self.columns.all:
                column.cards.refresh_keys([task_id])

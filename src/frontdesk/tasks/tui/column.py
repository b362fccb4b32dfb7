"""A column of the board: the tasks of one status as cards.

Held by the board. A column reads its own cards; which tasks a filter lets through, and which are on
their way to another status, it is told.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from textual.app import ComposeResult

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks.board_column import ListedCards, MovedCards, StoredCards
from frontdesk.tasks.view.card import HEIGHT, card
from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Line, Role, Span, crop, span, width_of
from frontdesk.tui.context import AppContext
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

STATUS = "statusCase"
"""The field that a card on its way waits for."""

Moves = Mapping[TaskId, StatusId]
"""Cards that were moved a moment ago, and where to, until the store says so itself."""


class Column(Pane):
    """The tasks of one status.

    Args:
        moves: the board's cards that are on their way; read, never written.
    """

    def __init__(self, app_context: AppContext, status: StatusId, name: str, moves: Moves):
        super().__init__(title=show_line(name, 30), id=None)
        self._app_context = app_context
        self._moves = moves
        self.status_name = show_line(name, 30)
        self.status = status
        self._count = 0
        self._is_filtered = False
        self._empty: tuple[Line, ...] = ()
        self.cards = RowList(self._draw, row_height=HEIGHT, seen_blurred=False, keeps_marks=self._known_of)

    def compose(self) -> ComposeResult:
        yield self.cards

    @property
    def count(self) -> int:
        """How many tasks the column has, read or not."""
        return self._count

    def read(self, count: int, listed: Sequence[TaskId] | None, empty: tuple[Line, ...]) -> None:
        """Show the status' tasks.

        Args:
            count: how many the store has of it.
            listed: those of them that the filter lets through; None while there is none.
            empty: why it shows none, where it shows none.
        """
        if empty != self._empty:
            self._empty = empty
            self.cards.set_empty(empty)
        reads = self._app_context.services.queries
        stored = (
            StoredCards(reads, self.status, count) if listed is None else ListedCards(reads, self.status, listed)
        )
        keys = self._with_moves(stored)
        self._count, self._is_filtered = count + len(keys) - len(stored), listed is not None
        self.cards.set_keys(keys)
        self._update_title()

    def show_card(self, task_id: TaskId) -> bool:
        """Put the cursor on a card; False where it is not in this column."""
        return self.cards.move_to(task_id)

    def show_hidden_names(self, words: Line, *, at_left: bool) -> None:
        """Name the columns that are out of sight beside this one."""
        self.styles.border_subtitle_align = "left" if at_left else "right"
        self.set_subtitle(words)

    def on_resize(self) -> None:
        self._update_title()

    def _known_of(self, keys: Collection[str]) -> Collection[str]:
        return self._app_context.services.queries.task_statuses(map(TaskId, keys))

    def _with_moves(self, stored: StoredCards | ListedCards) -> Sequence[TaskId]:
        """The cards as they will be once the store knows of those on their way."""
        known = [(self._app_context.services.queries.task(each), to) for each, to in self._moves.items()]
        moved = [(task, to) for task, to in known if task is not None and task.status != to]
        out = [task.task_id for task, _ in moved if task.status == self.status]
        into = [task for task, to in moved if to == self.status]
        return MovedCards(stored, self.status, out, into) if out or into else stored

    def _update_title(self) -> None:
        """Where it is narrow the name gives way, not the count."""
        shown = f" {self._count:,}" if not self._is_filtered else f" {len(self.cards.keys):,} of {self._count:,}"
        count = span(shown, Role.DIM)
        name = crop([Span(self.status_name)], max(1, self.outer_size.width - 6 - width_of([count])))
        self.set_title((*name, count))

    def _shown(self, task_id: TaskId) -> TaskRecord | None:
        """A task as it will be once the store knows where it was moved."""
        task = self._app_context.services.queries.task(task_id)
        status = self._moves.get(task_id)
        if task is None or status is None or task.status == status:
            return task
        return replace(task, status=status, pending=(*task.pending, STATUS))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        task = self._shown(TaskId(key))
        return () if task is None else card(task, width, self._app_context.view())

"""A column of the board: the tasks of one status as cards.

Held by the board. A column reads its own cards; which tasks a filter lets through, and which are on
their way to another status, it is told.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual.app import ComposeResult

from frontdesk.contract.ids import StatusId, TaskId
from frontdesk.present.cards import HEIGHT, card
from frontdesk.present.lines import Line, Role, Span, crop, span, width_of
from frontdesk.store.records import TaskRecord
from frontdesk.store.tasks import place_on_board
from frontdesk.text import show_line
from frontdesk.tui.room import Room
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

FIRST_CARDS = 300
"""So many cards of a column are read at first; further ones when the cursor comes near them."""

STATUS = "statusCase"
"""The field that a card on its way waits for."""

Moves = Mapping[TaskId, StatusId]
"""Cards that were moved a moment ago, and where to, until the store says so itself."""


class Column(Pane):
    """The tasks of one status.

    Args:
        moves: the board's cards that are on their way; read, never written.
    """

    def __init__(self, room: Room, status: StatusId, name: str, moves: Moves):
        super().__init__(title=show_line(name, 30), id=None)
        self._room = room
        self._moves = moves
        self.status_name = show_line(name, 30)
        self.status = status
        self._window: int | None = FIRST_CARDS
        self._count = 0
        self._listed: Sequence[TaskId] | None = None
        self._empty: tuple[Line, ...] = ()
        self.cards = RowList(self._draw, row_height=HEIGHT, more=self._read_more, seen_blurred=False)

    def compose(self) -> ComposeResult:
        yield self.cards

    @property
    def count(self) -> int:
        """How many tasks the column has, read or not."""
        return self._count

    def read(self, count: int, listed: Sequence[TaskId] | None, empty: tuple[Line, ...]) -> None:
        """Show the status' tasks.

        Args:
            count: how many it has.
            listed: those of them that the filter lets through; None while there is none.
            empty: why it shows none, where it shows none.
        """
        if empty != self._empty:
            self._empty = empty
            self.cards.set_empty(empty)
        self._count, self._listed = count, listed
        keys = self._with_moves(self._read_keys())
        if self._has_more(keys) and any(self._is_here(each) for each in self.cards.needed - set(keys)):
            # Sorted out of the window: the cursor and the marks stay on their cards.
            self._window = None
            keys = self._with_moves(self._read_keys())
        self.cards.set_keys(keys, self._total)
        self._say_title()

    def take_marks(self, lost: set[str]) -> None:
        """Mark those cards that were marked in another column and are in this one now."""
        here = lost.intersection(self.cards.keys)
        if self._has_more(self.cards.keys) and any(self._is_here(each) for each in lost - here):
            self._read_more(None)
            here = lost.intersection(self.cards.keys)
        self.cards.mark(here)

    def show_card(self, task_id: TaskId) -> bool:
        """Put the cursor on a card; False where it is not in this column."""
        if not self.cards.move_to(task_id) and self._has_more(self.cards.keys) and self._is_here(task_id):
            self._read_more(None)
        return self.cards.move_to(task_id)

    def say_beyond(self, words: Line, *, at_left: bool) -> None:
        """Name the columns that are out of sight beside this one."""
        self.styles.border_subtitle_align = "left" if at_left else "right"
        self.set_subtitle(words)

    def on_resize(self) -> None:
        self._say_title()

    @property
    def _total(self) -> int:
        """How many cards it would show with all of them read."""
        return self._count if self._listed is None else 0

    def _has_more(self, keys: Sequence[str]) -> bool:
        return self._listed is None and len(keys) < self._count

    def _read_keys(self) -> Sequence[TaskId]:
        if self._listed is not None:
            return self._listed
        return self._room.desk.reads.task_ids(self.status, -1 if self._window is None else self._window)

    def _with_moves(self, keys: Sequence[TaskId]) -> Sequence[TaskId]:
        """The keys as they will be once the store knows of the cards on their way."""
        if not self._moves:
            return keys
        kept = [each for each in keys if self._moves.get(each, self.status) == self.status]
        there = set(kept)
        for task_id, status in self._moves.items():
            task = self._room.desk.reads.task(task_id)
            if status == self.status and task_id not in there and task is not None:
                kept.insert(bisect_left(kept, place_on_board(task, status), key=self._place), task_id)
        return kept

    def _place(self, task_id: TaskId) -> tuple[object, ...]:
        task = self._room.desk.reads.task(task_id)
        return () if task is None else place_on_board(task, self.status)

    def _say_title(self) -> None:
        """Where it is narrow the name gives way, not the count."""
        shown = f" {self._count:,}" if self._listed is None else f" {len(self.cards.keys):,} of {self._count:,}"
        count = span(shown, Role.DIM)
        name = crop([Span(self.status_name)], max(1, self.outer_size.width - 6 - width_of([count])))
        self.set_title((*name, count))

    def _is_here(self, key: str) -> bool:
        """Whether a card is still in this column."""
        task = self._shown(TaskId(key))
        return task is not None and task.status == self.status

    def _read_more(self, count: int | None) -> None:
        self._window = None if count is None else max(count, 2 * len(self.cards.keys))
        self.read(self._count, self._listed, self._empty)

    def _shown(self, task_id: TaskId) -> TaskRecord | None:
        """A task as it will be once the store knows where it was moved."""
        task = self._room.desk.reads.task(task_id)
        status = self._moves.get(task_id)
        if task is None or status is None or task.status == status:
            return task
        return replace(task, status=status, pending=(*task.pending, STATUS))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        task = self._shown(TaskId(key))
        return () if task is None else card(task, width, self._room.view())

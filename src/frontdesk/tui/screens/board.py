"""The board: a column for each status, custom ones included, in configured order.

Each column is a list of its own; moving a card is two lists with other keys.
"""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import HorizontalScroll
from textual.widget import Widget

from frontdesk.contract.ids import ConversationId, StatusId, TaskId
from frontdesk.present.cards import HEIGHT, card
from frontdesk.present.conversations import name_of
from frontdesk.present.lines import Line, Role, crop, span, width_of
from frontdesk.store import feed
from frontdesk.store.records import Event, TaskRecord
from frontdesk.text import Shown, show_line
from frontdesk.tui.deeds import Deeds
from frontdesk.tui.keymap import bindings_for
from frontdesk.tui.room import Room
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

NO_STATUS = StatusId("")
"""Where tasks are that came without a status that is text; a column of its own when there are some."""

FIRST_CARDS = 300
"""So many cards of a column are read at first; further ones when the cursor comes near them."""

LEAST_WIDTH = 28
"""Cells of a column in which a card can still be read."""

NO_STATUS_WORDS = "(no status)"


class Column(Pane):
    """The tasks of one status."""

    def __init__(self, room: Room, status: StatusId, name: str):
        super().__init__(title=show_line(name, 30), id=None)
        self._room = room
        self._status_name = show_line(name, 30)
        self.status = status
        self._window: int | None = FIRST_CARDS
        self._count = 0
        empty = ((span("no tasks", Role.DIM),),)
        self.cards = RowList(self._draw, row_height=HEIGHT, empty=empty, more=self._read_more, seen_blurred=False)

    def compose(self) -> ComposeResult:
        yield self.cards

    def read(self, count: int) -> None:
        """Show the status' tasks, of which there are `count`."""
        self._count = count
        reads = self._room.desk.reads
        keys = reads.task_ids(self.status, -1 if self._window is None else self._window)
        if len(keys) < count and any(self._is_here(each) for each in self.cards.needed - set(keys)):
            # Sorted out of the window: the cursor and the marks stay on their cards.
            self._window = None
            keys = reads.task_ids(self.status)
        self.cards.set_keys(keys, count)
        self._say_title()

    def on_resize(self) -> None:
        self._say_title()

    def _say_title(self) -> None:
        """Where it is narrow the name gives way, not the count."""
        count = span(f" {self._count:,}", Role.DIM)
        name = crop([span(self._status_name)], max(1, self.outer_size.width - 6 - width_of([count])))
        self.set_title((*name, count))

    def _is_here(self, key: str) -> bool:
        """Whether a card is still in this column."""
        task = self._room.desk.reads.task(TaskId(key))
        return task is not None and task.status == self.status

    def _read_more(self, count: int | None) -> None:
        self._window = None if count is None else max(count, 2 * len(self.cards.keys))
        self.read(self._count)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        task = self._room.desk.reads.task(TaskId(key))
        return () if task is None else card(task, width, self._room.view())


class Columns(HorizontalScroll, inherit_bindings=False):
    """All columns side by side; the arrows go from one to the next and don't scroll by cells."""


class BoardScreen(Deeds, DeskScreen):
    """Mode 2."""

    context = "board"
    has_marks = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("board")]
    CSS = """
    BoardScreen #columns { height: 1fr; overflow-y: hidden; scrollbar-size-horizontal: 0; }
    """

    _columns: tuple[Column, ...] = ()

    def compose_body(self) -> ComposeResult:
        board = self.room.desk.reads.task_counts()
        named = [(each.id, each.name) for each in self.room.desk.catalogue.statuses(board)]
        if board.get(NO_STATUS):
            named.append((NO_STATUS, NO_STATUS_WORDS))
        self._columns = tuple(Column(self.room, status, name) for status, name in named)
        self._row = Columns(*self._columns, id="columns", can_focus=False)
        yield self._row

    def on_mount(self) -> None:
        self._read_again()

    def on_resize(self, event: events.Resize) -> None:
        self._share_width(event.size.width)

    def home(self) -> Widget:
        return self._columns[0].cards

    def marked(self) -> int:
        return sum(len(column.cards.marks) for column in self._columns)

    def task_targets(self) -> tuple[TaskId, ...]:
        """The marked cards of all columns, else the card under the cursor."""
        marked = [key for column in self._columns if column.cards.marks for key in column.cards.targets]
        if marked:
            return tuple(TaskId(key) for key in marked)
        key = self._column.cards.cursor_key
        return () if key is None else (TaskId(key),)

    def conversation_targets(self) -> tuple[ConversationId, ...]:
        tasks = [self.room.desk.reads.task(each) for each in self.task_targets()]
        found = [task.conversation_id for task in tasks if task is not None and task.conversation_id]
        return tuple(dict.fromkeys(found))

    def conversation_name(self, conversation_id: ConversationId) -> Shown:
        record = self.room.desk.reads.conversation(conversation_id)
        return show_line(conversation_id, 60) if record is None else name_of(record)

    def raw_record(self) -> tuple[str, object] | None:
        return None if self._card is None else ("Task", self._card.raw)

    def copied_id(self) -> str | None:
        return self._column.cards.cursor_key

    def show_changes(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        if feed.EVERYTHING not in events and feed.TASK not in kinds:
            return
        self._read_again()
        touched = {event.id for event in events if event.kind == feed.TASK}
        for column in self._columns:
            if feed.EVERYTHING in events:
                column.cards.redraw()
            else:
                column.cards.refresh_keys(touched)

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.say_status()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Enter opens the card's conversation in the inbox."""
        event.stop()
        task = self.room.desk.reads.task(TaskId(event.key))
        if task is not None and task.conversation_id is not None:
            self.post_message(self.ConversationWanted(task.conversation_id))

    def action_next_pane(self) -> None:
        self._step_column(1)

    def action_previous_pane(self) -> None:
        self._step_column(-1)

    def action_pane_right(self) -> None:
        self._step_column(1)

    def action_pane_left(self) -> None:
        self._step_column(-1)

    def action_move_right(self) -> None:
        self._move_card(1)

    def action_move_left(self) -> None:
        self._move_card(-1)

    @property
    def _column(self) -> Column:
        focused = self.focused
        return next((column for column in self._columns if column.cards is focused), self._columns[0])

    @property
    def _card(self) -> TaskRecord | None:
        key = self._column.cards.cursor_key
        return None if key is None else self.room.desk.reads.task(TaskId(key))

    def _read_again(self) -> None:
        board = self.room.desk.reads.task_counts()
        unknown = set(board) - {column.status for column in self._columns}
        if unknown:
            self._add_columns(unknown)
        for column in self._columns:
            column.read(board.get(column.status, 0))

    def _add_columns(self, statuses: set[StatusId]) -> None:
        """A status that no task had before: its column goes to the right."""
        names = self.room.desk.catalogue
        added = tuple(
            Column(self.room, each, names.status(each) if each else NO_STATUS_WORDS) for each in sorted(statuses)
        )
        self._columns += added
        self._row.mount(*added)
        self._share_width(self.size.width)

    def _share_width(self, width: int) -> None:
        """As many whole columns as can be read side by side; the others are scrolled to."""
        shown = max(1, min(len(self._columns), width // LEAST_WIDTH))
        for place, column in enumerate(self._columns):
            column.styles.width = width // shown + (place % shown < width % shown)

    def _step_column(self, step: int) -> None:
        at = self._columns.index(self._column)
        # At once: of keys in a burst each starts from the column that the one before it led to.
        self.set_focus(self._columns[max(0, min(len(self._columns) - 1, at + step))].cards)

    def _move_card(self, step: int) -> None:
        at = self._columns.index(self._column) + step
        while 0 <= at < len(self._columns) and self._columns[at].status == NO_STATUS:
            at += step  # a status can't be taken off a task
        if 0 <= at < len(self._columns) and (targets := self._targets()) is not None:
            self.set_status(targets, self._columns[at].status)

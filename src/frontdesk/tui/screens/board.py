"""The board: a column for each status, custom ones included, in configured order.

A card that is moved is in its new column at once, with the cursor on it, so that of several keys in a
burst each works on that card; the store says the same a moment later.
"""

from itertools import accumulate
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from frontdesk.contract.ids import ConversationId, StatusId, TaskId
from frontdesk.present.cards import beyond
from frontdesk.present.conversations import name_of
from frontdesk.store import feed
from frontdesk.store.records import Event, TaskRecord
from frontdesk.text import Shown, show_line
from frontdesk.tui.deeds import Deeds
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.panes.column import Column, Columns
from frontdesk.tui.room import Room
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.widgets.row_list import RowList

NO_STATUS = StatusId("")
"""Where tasks are that came without a status that is text; a column of its own when there are some."""

LEAST_WIDTH = 28
"""Cells of a column in which a card can still be read."""

NO_STATUS_WORDS = "(no status)"


class BoardScreen(Deeds, DeskScreen):
    """Mode 2."""

    context = "board"
    has_marks = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("board")]
    CSS = """
    BoardScreen #columns { height: 1fr; overflow-y: hidden; scrollbar-size-horizontal: 0; }
    BoardScreen RowList > .line-view--cursor-blurred { background: $background; }
    BoardScreen RowList > .line-view--bar-blurred { color: $background; }
    """

    def __init__(self, room: Room, keymap: Keymap):
        super().__init__(room, keymap)
        kept = room.desk.kept_view(self.context)
        self._kept: dict[str, object] = kept if isinstance(kept, dict) else {}
        self._moves: dict[TaskId, StatusId] = {}
        self._columns: tuple[Column, ...] = ()
        self._widths: list[int] = []

    def compose_body(self) -> ComposeResult:
        board = self.room.desk.reads.task_counts()
        named = [(each.id, each.name) for each in self.room.desk.catalogue.statuses(board)]
        if board.get(NO_STATUS):
            named.append((NO_STATUS, NO_STATUS_WORDS))
        self._columns = tuple(Column(self.room, status, name, self._moves) for status, name in named)
        self._row = Columns(
            *self._columns,
            scrolled=self._say_hidden,
            laid_out=self._bring_focused_into_sight,
            id="columns",
        )
        # Before the first layout, so that the column that was left last can be scrolled to after it.
        self._share_width(self.app.size.width)
        yield self._row

    def on_mount(self) -> None:
        self._read_again()
        self._put_back()

    def on_resize(self, event: events.Resize) -> None:
        self._share_width(event.size.width)

    def on_descendant_focus(self) -> None:
        self._bring_focused_into_sight()

    def on_screen_suspend(self) -> None:
        self.keep_place()

    def home(self) -> Widget:
        left = self._kept.get("status")
        return next((each.cards for each in self._columns if each.status == left), self._columns[0].cards)

    def keep_place(self) -> None:
        """Remember the column, and in each column the card and its line of the screen."""
        place: dict[str, object] = {
            "status": self._column.status,
            "cards": {
                each.status: [each.cards.cursor_key, each.cards.cursor_line]
                for each in self._columns
                if each.cards.cursor_key is not None
            },
        }
        if place != self._kept:
            self._kept = place
            self.room.desk.keep_view(self.context, place)

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
        board = self._counts()
        unknown = set(board) - {column.status for column in self._columns}
        if unknown:
            self._add_columns(unknown)
        marks = {key for column in self._columns for key in column.cards.marks}
        for column in self._columns:
            column.read(board.get(column.status, 0))
        lost = marks.difference(*(column.cards.marks for column in self._columns))
        if lost:
            # Marks are the person's, wherever a card has gone.
            for column in self._columns:
                column.take_marks(lost)

    def _counts(self) -> dict[StatusId, int]:
        """How many tasks are in each status, with those on their way where they go."""
        counts = self.room.desk.reads.task_counts()
        for task_id, status in self._moves.items():
            task = self.room.desk.reads.task(task_id)
            if task is not None and task.status != status:
                counts[task.status] = counts.get(task.status, 0) - 1
                counts[status] = counts.get(status, 0) + 1
        return counts

    def _add_columns(self, statuses: set[StatusId]) -> None:
        """A status that no task had before: its column goes to the right."""
        names = self.room.desk.catalogue
        added = tuple(
            Column(self.room, each, names.status(each) if each else NO_STATUS_WORDS, self._moves)
            for each in sorted(statuses)
        )
        self._columns += added
        self._row.mount(*added)
        self._share_width(self.size.width)

    def _share_width(self, width: int) -> None:
        """As many whole columns as can be read side by side; the others are scrolled to."""
        shown = max(1, min(len(self._columns), width // LEAST_WIDTH))
        self._widths = [width // shown + (place % shown < width % shown) for place in range(len(self._columns))]
        for column, cells in zip(self._columns, self._widths, strict=True):
            column.styles.width = cells
        self._say_hidden()
        # What can be scrolled to is known once the columns have their new widths.
        self.call_after_refresh(self._bring_focused_into_sight)

    def _say_hidden(self) -> None:
        """On the lower edges of the outermost columns in sight: which ones are beyond them."""
        starts = list(accumulate(self._widths, initial=0))
        first, last = self._row.scroll_x, self._row.scroll_x + self.size.width
        seen = [place for place, start in enumerate(starts[:-1]) if first <= start < last]
        for place, column in enumerate(self._columns):
            left = [each.status_name for each in self._columns[:place]] if seen and place == seen[0] else []
            right = [each.status_name for each in self._columns[place + 1 :]] if seen and place == seen[-1] else []
            column.say_beyond(beyond(left, right, self._widths[place] - 6, self.room.glyphs), at_left=not right)

    def _put_back(self) -> None:
        """Each cursor on the card where it was left."""
        cards = self._kept.get("cards")
        if not isinstance(cards, dict):
            return
        for column in self._columns:
            match cards.get(column.status):
                case [str(key), int(line)] if column.show_card(TaskId(key)):
                    column.cards.put_back(key, line)

    def _step_column(self, step: int) -> None:
        at = self._columns.index(self._column)
        # At once: of keys in a burst each starts from the column that the one before it led to.
        self._go_to(self._columns[max(0, min(len(self._columns) - 1, at + step))])

    def _go_to(self, column: Column) -> None:
        self.set_focus(column.cards, scroll_visible=False)
        self._bring_into_sight(column)

    def _bring_focused_into_sight(self) -> None:
        if self._widths:
            self._bring_into_sight(self._column)

    def _bring_into_sight(self, column: Column) -> None:
        """Scroll by whole columns, and no further than it takes."""
        at = self._columns.index(column)
        starts = list(accumulate(self._widths, initial=0))
        first, width = self._row.scroll_x, self.size.width
        to = min(max(first, starts[at + 1] - width), starts[at])
        if to != first:
            self._row.scroll_to(x=to, animate=False, immediate=True)

    def _move_card(self, step: int) -> None:
        """One card goes with the cursor on it; marked ones go and keep their marks."""
        targets = self.task_targets()
        marked = [column for column in self._columns if column.cards.marks]
        begin = marked[0] if len(marked) == 1 else self._column
        at = self._columns.index(begin) + step
        while 0 <= at < len(self._columns) and self._columns[at].status == NO_STATUS:
            at += step  # a status can't be taken off a task
        if not targets or not 0 <= at < len(self._columns):
            return
        if marked:
            self.set_status(targets, self._columns[at].status)
        else:
            self._move_one(targets[0], self._columns[at])

    def _move_one(self, task_id: TaskId, to: Column) -> None:
        status = to.status
        self._moves[task_id] = status
        self._read_again()
        self._go_to(to)
        to.show_card(task_id)
        moved = self.room.desk.set_status([task_id], status)
        self._say(moved, f"→ {to.status_name.text}")
        moved.add_done_callback(lambda _: self.app.call_later(self._arrived, task_id, status))

    def _arrived(self, task_id: TaskId, status: StatusId) -> None:
        """The store knows of a move, or refused it; a later move of the same card is still on its way."""
        if self._moves.get(task_id) == status:
            del self._moves[task_id]
            self._read_again()
            for column in self._columns:
                column.cards.refresh_keys([task_id])

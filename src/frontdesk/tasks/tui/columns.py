"""All columns of the board side by side: as many as can be read, scrolled by whole columns.

Held by the board, which says how much room there is and which column is worked in.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate

from textual import events
from textual.containers import HorizontalScroll

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.tasks.tui.column import Column
from frontdesk.tasks.view.card import beyond
from frontdesk.text.glyphs import Glyphs

MIN_WIDTH = 28
"""Cells of a column in which a card can still be read."""


class Columns(HorizontalScroll, inherit_bindings=False):
    """The row of columns; the arrows go from one to the next and don't scroll by cells.

    Args:
        current: the column that is worked in, which is kept visible.

    Attributes:
        all: the columns from left to right.
    """

    DEFAULT_CSS = "Columns { overflow-y: hidden; scrollbar-size-horizontal: 0; }"

    def __init__(self, columns: Iterable[Column], current: Callable[[], Column], signs: Glyphs):
        self.all = tuple(columns)
        self._current = current
        self._signs = signs
        self._starts: list[int] = [0]
        self._width = 0
        self._first, self._shown = 0, 1
        super().__init__(*self.all, id="columns", can_focus=False)

    def add(self, columns: Iterable[Column]) -> None:
        """Put further columns to the right."""
        added = tuple(columns)
        self.all += added
        self.mount(*added)
        self.set_width(self._width)

    def set_width(self, width: int) -> None:
        """As many whole columns in these cells as can be read side by side; the others are scrolled to."""
        self._width = width
        self._shown = shown = max(1, min(len(self.all), width // MIN_WIDTH))
        widths = [width // shown + (place % shown < width % shown) for place in range(len(self.all))]
        for column, cells in zip(self.all, widths, strict=True):
            column.styles.width = cells
        self._starts = list(accumulate(widths, initial=0))
        self._show_current()
        self._update_hidden_names()
        # What can be scrolled to is known once the columns have their new widths.
        self.call_after_refresh(self._show_current)

    def scroll_to_column(self, column: Column) -> None:
        """Scroll by whole columns, and no further than it takes."""
        at = self.all.index(column)
        self._scroll_from(min(max(self._first, at - self._shown + 1), at))

    def hidden_marks(self) -> dict[TaskId, Column]:
        """Marked cards that are not listed, each with the column that keeps its mark."""
        return {TaskId(key): column for column in self.all for key in column.cards.hidden_marks}

    def move_marks(self, status_of: Mapping[TaskId, StatusId]) -> None:
        """Have each mark of a card that is not listed kept by the column that the card is in now.

        Args:
            status_of: the status of those cards; thousands may be marked, so they are read at once.
        """
        column_of = {column.status: column for column in self.all}
        moved: dict[Column, list[TaskId]] = {}
        hidden = self.hidden_marks()
        for key, column in hidden.items():
            status = status_of.get(key)
            to = None if status is None else column_of.get(status)
            if to is not None and to is not column:
                moved.setdefault(to, []).append(key)
        for to, keys in moved.items():
            to.cards.mark(keys)
            for column in {hidden[key] for key in keys}:
                column.cards.unmark(keys)

    def places(self) -> dict[str, list[object]]:
        """Where the cursor of each column is: on which card, on which line of the screen."""
        lists = {each.status: each.cards for each in self.all}
        return {
            status: [cards.cursor_key, cards.cursor_line] for status, cards in lists.items() if cards.cursor_key
        }

    def restore_places(self, places: object) -> None:
        """Each cursor on the card where it was left, as far as what was kept can be read."""
        if not isinstance(places, dict):
            return
        for column in self.all:
            match places.get(column.status):
                case [str(key), int(line)] if column.show_card(TaskId(key)):
                    column.cards.put_back(key, line)

    def on_resize(self, event: events.Resize) -> None:
        """Under a dialog this is the only word of a new width: the screen hears of it when it is on top."""
        if event.size.width != self._width:
            self.set_width(event.size.width)
        else:
            self._show_current()

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """A wheel that goes sideways turns whole columns, too."""
        event.stop()
        event.prevent_default()
        self._scroll_from(self._first + 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """The same to the other side."""
        event.stop()
        event.prevent_default()
        self._scroll_from(self._first - 1)

    def _scroll_from(self, first: int) -> None:
        """Have this column at the left edge. It is kept by its number: cells mean something else at another
        width."""
        first = max(0, min(first, len(self.all) - self._shown))
        if first != self._first:
            self._first = first
            self._update_hidden_names()
        if self._starts[first] != self.scroll_x:
            self.scroll_to(x=self._starts[first], animate=False, immediate=True)

    def _show_current(self) -> None:
        self.scroll_to_column(self._current())

    def _update_hidden_names(self) -> None:
        """On the lower edges of the outermost columns in sight: which ones are beyond them."""
        last = self._first + self._shown - 1
        names = [each.status_name for each in self.all]
        for at, column in enumerate(self.all):
            left = names[:at] if at == self._first else []
            right = names[at + 1 :] if at == last else []
            cells = self._starts[at + 1] - self._starts[at] - 6
            column.show_hidden_names(beyond(left, right, cells, self._signs), at_left=not right)

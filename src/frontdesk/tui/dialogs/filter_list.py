"""FilterDialog: an input that keeps the focus above a list that it filters; arrows move, enter answers."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from frontdesk.text.fuzzy import rank_matches
from frontdesk.tui.dialogs.base import Dialog, T, text_field
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import Line, span
from frontdesk_lines.textual_compat.text_input import Field
from frontdesk_lines.widgets.row_list import RowList

MAX_ROWS = 12

MOVES: list[BindingType] = [
    Binding("down,ctrl+n", "move(1)", "next", priority=True),
    Binding("up", "move(-1)", "previous", priority=True),
    Binding("pagedown", "page(1)", "page", priority=True),
    Binding("pageup", "page(-1)", "page", priority=True),
]
"""Bindings of a `ListModal`, for the dialog's own BINDINGS."""


class ListModal:
    """Moves the cursor of a dialog's list while something else has the focus.

    Mixed into a `Dialog`, and no widget itself: Textual takes the CSS of one parent alone.
    """

    _rows: RowList
    _moved_at: object = None
    """What had the focus, with its text and caret, when the list was moved last."""

    @property
    def rows(self) -> RowList:
        return self._rows

    def followed(self) -> Widget | None:
        """Return the list after a move to one of its rows, until something is typed or the focus moves."""
        focus = self._focus_state()
        return self._rows if self._rows.keys and self._moved_at == focus else focus[0]

    def action_move(self, rows: int) -> None:
        self._rows.step(rows)
        self.follow_list()

    def action_page(self, pages: int) -> None:
        self._rows.page(pages * self._rows.page_sizes[1])
        self.follow_list()

    def follow_list(self) -> None:
        """Put the terminal's cursor on the list's row; called after a key moved it."""
        self._moved_at = self._focus_state()
        # At an end of the list nothing else is painted.
        self._rows.refresh(Region(0, 0, 1, 1))

    def _focus_state(self) -> tuple[Widget | None, object, object]:
        focused: Widget | None = getattr(self, "focused", None)
        return focused, getattr(focused, "value", None), getattr(focused, "selection", None)


@dataclass(frozen=True, slots=True)
class Choice:
    """A row: its id and the words that typing is matched against."""

    id: str
    words: str


class _Field(Field):
    """An input that leaves the space bar to the list while it is empty: no name starts with a blank."""

    class Spaced(Message):
        """The space bar was pressed in an empty input."""

    def on_key(self, event: events.Key) -> None:
        # Here, after the letters before it: in a burst over a slow line the dialog's bindings would run first.
        if event.key == "space" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.Spaced())


class FilterDialog(ListModal, Dialog[T]):
    """A dialog with an input above a list that it filters.

    Attributes:
        keys: its last line, from `keymap.keys_line`.
        empty: shown in place of the list where nothing matches.
        share: of the screen's lines that the list may take.
    """

    keys: Line
    placeholder: str
    empty: str
    max_rows: ClassVar[int] = MAX_ROWS
    share: ClassVar[float] = 0.5

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("tab", "mark", "mark", priority=True),
    ]
    DEFAULT_CSS = """
    FilterDialog {
        & RowList { margin-top: 1; min-height: 1; }
        & > .dialog--spacer { width: 1; height: 0; visibility: hidden; }
    }
    """

    def __init__(self, title: SafeText, choices: Sequence[Choice] = (), *, draft: str = "") -> None:
        super().__init__(title, keys=self.keys, draft=draft)
        self._choices = tuple(choices)
        self._field = text_field(self.placeholder, _Field)
        self._rows = RowList(self.draw, empty=((span(self.empty),),), always_active=True)
        self._rows.can_focus = False
        self._rows_height = 0
        self._spacer = Static(classes="dialog--spacer")
        """Fills, invisibly, the lines that the list doesn't need, so that the box doesn't move."""

    @property
    def typed(self) -> str:
        return self._field.value.strip()

    @abstractmethod
    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """Draw the line of a choice."""

    def accept(self) -> None:
        """Answer to enter: by default with the row under the cursor."""
        if self._rows.cursor_key is not None:
            self.choose(self._rows.cursor_key)

    def choose(self, key: str) -> None:
        """Answer to a click on a row, or to enter on it."""
        self.toggle(key)

    def toggle(self, key: str) -> None:
        """Mark or unmark a row."""

    def matches(self, typed: str) -> list[str]:
        """Return the matching ids, best first; all of them in the order given while nothing is typed."""
        if not typed:
            return [choice.id for choice in self._choices]
        return rank_matches(typed, [(choice.id, choice.words) for choice in self._choices])

    def compose_body(self) -> Iterable[Widget]:
        yield self._field
        yield self._rows

    def on_mount(self) -> None:
        self._narrow()
        self.start_typing(self._field)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self._spacer

    def on_resize(self) -> None:
        self._fit()

    def list_keys(self, keys: Sequence[str]) -> None:
        self._rows.set_keys(keys)
        self._fit()

    def _fit(self) -> None:
        """Fit the list's height to its rows, and keep the top of the box where it is."""
        full = self.height_for(min(len(self.matches("")), self.max_rows), self.share)
        height = self.height_for(min(len(self._rows.keys), self.max_rows), self.share)
        if height != self._rows_height:
            self._rows.styles.height = self._rows_height = height
            self._spacer.styles.height = max(0, full - height)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.accept()

    @on(events.Click, "RowList")
    def _row_clicked(self, event: events.Click) -> None:
        if (key := self._rows.key_at(event.y)) is not None:
            self.choose(key)

    def action_mark(self) -> None:
        if self._rows.cursor_key is not None:
            self.toggle(self._rows.cursor_key)

    @on(_Field.Spaced)
    def _spaced(self, event: _Field.Spaced) -> None:
        event.stop()
        self.action_mark()

    def _narrow(self) -> None:
        keys = self.matches(self.typed)
        self.list_keys(keys)
        if keys and self.typed:
            self._rows.move_to(keys[0])

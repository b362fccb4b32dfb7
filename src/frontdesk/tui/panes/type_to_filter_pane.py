"""TypingPane: a list with a line to type in that appears above it: a filter, or a search.

Conversations, workflows and the tree of a workflow are such.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from frontdesk.tui.widgets.field import Field
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

REST_SECONDS = 0.12
"""How long typing rests before what is typed is looked for."""


class TypingPane(Pane):
    """A pane around `rows`; `take` hears what is typed."""

    DEFAULT_CSS = """
    TypingPane > Input {
        display: none;
        height: 1;
        border: none;
        padding: 0 1;
        background: $panel;
    }
    TypingPane.-typing > Input { display: block; }
    """
    placeholder: ClassVar[str] = ""
    rows: RowList

    def __init__(self, id: str, typed: str = "") -> None:
        super().__init__(id=id)
        self.typed = typed
        self._typing: Timer | None = None
        # Made when it is first used: most runs type nothing.
        self._field: Input | None = None
        if typed:
            self.add_class("-typing", update=False)

    def take(self, typed: str) -> None:
        """Something else is typed, or nothing any more."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        if self.typed:
            yield self._make_field(self.typed)
        yield self.rows

    def begin_typing(self) -> None:
        """Show the line and type into it."""
        self._show_field().focus()

    def type_again(self, typed: str) -> None:
        """Show the line with what was typed before, the focus left where it is."""
        self._show_field().value = typed
        self._take()

    def end_typing(self) -> bool:
        """Take the line away, with what is typed in it; False where there is none."""
        if not self.has_class("-typing"):
            return False
        if self._field is not None:
            self._field.value = ""
        self._take()
        self._hide()
        return True

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._stop()
        self._typing = self.set_timer(REST_SECONDS, self._take)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._take()
        if self.typed:
            self.rows.focus()
        else:
            self._hide()

    def _show_field(self) -> Input:
        self.add_class("-typing")
        if (field := self._field) is None:
            field = self._make_field()
            self.mount(field, before=self.rows)
        return field

    def _hide(self) -> None:
        had_focus = self._field is not None and self._field.has_focus
        self.remove_class("-typing")
        if had_focus:
            self.rows.focus()

    def _make_field(self, value: str = "") -> Input:
        self._field = Field(value, placeholder=self.placeholder, compact=True)
        self._field.cursor_blink = False  # an idle screen sends no byte
        return self._field

    def _stop(self) -> None:
        if self._typing is not None:
            self._typing.stop()
            self._typing = None

    def _take(self) -> None:
        self._stop()
        typed = "" if self._field is None else self._field.value.strip()
        if typed != self.typed:
            self.typed = typed
            self.take(typed)

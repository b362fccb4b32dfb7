"""CopyLinesDialog shows a text with line breaks before it is copied.

A line break that is pasted into a shell without bracketed paste runs the text before it, and the text may be a
stranger's.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import NOTHING, SafeText, counted, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, labelled, span
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.thread_view import ThreadView

MAX_HEIGHT = 16
"""Lines of the text that are visible at once; the rest scrolls."""

WARNING = "If pasted into a shell, each line break can run the text before it."


class CopyLinesDialog(Dialog[bool]):
    """Shows the lines as they will be copied; answers with whether to ask again before the next copy.

    Args:
        name: the text's name, as "Message".
    """

    accepts_queued_keys = False
    """A key typed before the lines were visible must not copy them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "copy(True)", "copy", priority=True),
        Binding(with_layout_keys("y"), "copy(True)", "copy"),
        Binding(with_layout_keys("a"), "copy(False)", "always copy"),
        Binding(with_layout_keys("n", "q"), "close", "cancel"),
    ]
    DEFAULT_CSS = """
    CopyLinesDialog {
        & > .dialog--box { width: 84; }
        & Note { height: auto; }
        & ThreadView { margin: 1 1 0 1; }
    }
    CopyLinesDialog.-short ThreadView { margin-top: 0; }
    CopyLinesDialog.-slim ThreadView { margin: 0; }
    """

    def __init__(self, name: SafeText, lines: Sequence[SafeText]) -> None:
        title = trusted(f"Copy {counted(len(lines), 'line')} · {name.text}")
        keys = keys_line(("j k", "scroll"), ("a", "always copy"), ("y enter", "copy"), ("esc", "cancel"))
        super().__init__(title, keys=keys)
        self._lines = lines
        self._number_cells = len(f"{len(lines)} ")
        self._view = ThreadView(self._draw, shows_cursor=False)

    def compose_body(self) -> Iterable[Widget]:
        yield Note((span(WARNING, Role.WARN),))
        yield self._view
        asks = "Press a to copy such texts without this question until you quit or switch profiles."
        yield Note((span(asks, Role.DIM),), classes="dialog--below dialog--aside")

    def on_mount(self) -> None:
        self._view.set_entries(map(str, range(len(self._lines))), at_end=False)
        self._view.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def action_copy(self, asks_again: bool) -> None:
        self.done(asks_again)

    @on(ThreadView.Chosen)
    def _chosen(self, event: ThreadView.Chosen) -> None:
        event.stop()

    def _fit(self) -> None:
        if width := self._view.line_width:
            lines = sum(len(self._draw(str(index), width)) for index in range(min(len(self._lines), MAX_HEIGHT)))
            self._view.styles.height = self.height_for(min(lines, MAX_HEIGHT), 0.6)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        index = int(key)
        words = self._lines[index] if index < len(self._lines) else NOTHING
        number = f"{index + 1:>{self._number_cells - 1}}"
        return tuple(labelled(number, words, width, cells=self._number_cells)) or (EMPTY,)

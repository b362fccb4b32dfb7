"""RecordDialog: a raw record, line by line, however long."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import Line, paragraph, span
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import keys_line, with_twins
from frontdesk.tui.widgets.thread_view import ThreadView


class RecordDialog(Dialog[None]):
    """Shows lines; it has no answer.

    Args:
        lines: text that is wrapped here, or a callable that lays it out for a width.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding(with_twins("q", "i"), "close", "close")]
    DEFAULT_CSS = """
    RecordDialog {
        & > .dialog--box { width: 100; height: 90%; }
    }
    """

    def __init__(self, title: SafeText, lines: Sequence[SafeText] | Callable[[int], Sequence[Line]]) -> None:
        super().__init__(title, keys=keys_line(("j k", "move"), ("g G", "ends"), ("esc", "close")))
        self._draw = lines if callable(lines) else None
        self._lines = () if callable(lines) else tuple(lines)
        self._view = ThreadView(self._lay, empty=((span("There is no record of this here."),),))

    @property
    def view(self) -> ThreadView:
        return self._view

    def compose_body(self) -> Iterable[Widget]:
        yield self._view

    def on_mount(self) -> None:
        count = 1 if self._draw is not None else len(self._lines)
        self._view.set_entries(map(str, range(count)), at_end=False)
        self._view.focus()

    def _lay(self, key: str, width: int) -> tuple[Line, ...]:
        if self._draw is not None:
            return tuple(self._draw(width))
        return tuple(paragraph(self._lines[int(key)], max(1, width)))

"""JumpListDialog: places in the view behind it, each in a few lines; enter jumps to one."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import EMPTY, Line, Span, span
from frontdesk.tui.dialogs.base import Dialog, Note
from frontdesk.tui.keymap import keys_line, with_layout_keys
from frontdesk.tui.widgets.row_list import RowList

_MOVING = (("enter", "go there"), ("j k", "move"))


class _Rows(RowList):
    """Rows whose height depends on their width."""

    def __init__(
        self,
        draw: Callable[[str, int], Sequence[Line]],
        height: Callable[[int], int],
        changed: Callable[[], None],
        empty: Span,
    ) -> None:
        super().__init__(draw, empty=((empty,),), can_mark=False)
        self._height_at, self._changed = height, changed

    def resized(self) -> None:
        before = self.row_height
        self.set_row_height(self._height_at(self.line_width))
        super().resized()
        if self.row_height != before:
            self._changed()


class JumpListDialog(Dialog[int]):
    """Answers with the number of the row, from 0.

    Args:
        draw: draws the lines of a row at a width.
        height: the lines of each at a width.
        note: a note on all of them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding(with_layout_keys("q"), "close", "close")]
    DEFAULT_CSS = """
    JumpListDialog {
        & > .dialog--box { width: 90; }
        & RowList { margin-top: 1; min-height: 2; }
    }
    """

    def __init__(
        self,
        title: SafeText,
        count: int,
        draw: Callable[[int, int], Sequence[Line]],
        *,
        height: Callable[[int], int],
        empty: str,
        note: Line = EMPTY,
    ) -> None:
        super().__init__(title, keys=keys_line(*(_MOVING if count else ()), ("esc", "close")))
        self._count, self._note = count, note
        self._rows = _Rows(lambda key, width: draw(int(key), width), height, self.on_resize, span(empty))

    @property
    def rows(self) -> RowList:
        return self._rows

    def compose_body(self) -> Iterable[Widget]:
        if self._note:
            yield Note(self._note)
        yield self._rows

    def on_mount(self) -> None:
        self._rows.set_keys([str(row) for row in range(self._count)])
        self._rows.focus()

    def on_resize(self) -> None:
        self.set_height(self._rows, max(2, self._rows.row_height * self._count), 0.7)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.done(int(event.key))

    @on(RowList.Highlighted)
    def _stop_message(self, event: RowList.Highlighted) -> None:
        event.stop()

"""LinePage: lines that are read and scrolled, without a cursor; the detail of a task is one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from frontdesk.text.lines import Line
from frontdesk.tui.keymap import bindings_for
from frontdesk.tui.widgets.line_view import LineView, Painted, thumb_lines

_KEYS = ("move.", "row.open")


class LinePage(LineView, can_focus=True):
    """A page of lines from a callable that is given a width."""

    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings_for("list") if each.id is not None and each.id.startswith(_KEYS)
    ]

    @dataclass
    class Chosen(Message):
        """Enter was pressed on the page."""

        page: "LinePage"

        @property
        def control(self) -> "LinePage":
            """The page that it is about."""
            return self.page

    def __init__(self, draw: Callable[[int], Sequence[Line]], *, id: str | None = None) -> None:
        """A page that asks `draw` for its lines at a width."""
        super().__init__(id=id)
        self._draw = draw
        self._lines: Sequence[Line] = ()
        self._top = 0

    def redraw(self, *, from_the_top: bool = False) -> None:
        """Ask for the lines again; only those that come out different are painted."""
        self._lines = self._draw(self.line_width)
        self._put_top(0 if from_the_top else self._top)

    def frame(self) -> Sequence[Painted]:
        """The lines in sight."""
        height = self.size.height
        thumb = thumb_lines(self._top, height, len(self._lines), height)
        return [
            Painted(line, thumb=y in thumb) for y, line in enumerate(self._lines[self._top : self._top + height])
        ]

    def resized(self) -> None:
        """Lay out for the new width."""
        self.redraw()

    def scroll_lines(self, count: int) -> None:
        """Scroll by so many lines."""
        self._put_top(self._top + count)

    def action_cursor_down(self) -> None:
        self.scroll_lines(1)

    def action_cursor_up(self) -> None:
        self.scroll_lines(-1)

    def action_cursor_first(self) -> None:
        self._put_top(0)

    def action_cursor_last(self) -> None:
        self._put_top(len(self._lines))

    def action_half_down(self) -> None:
        self.scroll_lines(max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self.scroll_lines(-max(1, self.size.height // 2))

    def action_page_down(self) -> None:
        self.scroll_lines(max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        self.scroll_lines(-max(1, self.size.height - 1))

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self))

    def _put_top(self, top: int) -> None:
        self._top = max(0, min(top, len(self._lines) - self.size.height))
        self.sync()

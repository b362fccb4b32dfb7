"""Lines without a cursor: LineBox, LinePage, which scrolls, and DetailPane, which follows a list's cursor."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.timer import Timer

from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import Line
from frontdesk_lines.list_keys import bindings_for
from frontdesk_lines.widgets.line_view import GUTTER, LineView, PagedView, Painted, ViewMessage, thumb_lines
from frontdesk_lines.widgets.pane import Pane


class LineBox(LineView, can_focus=False):
    """A box of lines; as high as its lines where its height is `auto`."""

    def __init__(self, draw: Callable[[int], Sequence[Line]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._lines: Sequence[Line] = ()

    def redraw(self) -> None:
        """Draw the lines again; only those that differ are painted."""
        before = len(self._lines)
        self._lines = self._draw(self.line_width)
        if len(self._lines) != before and self.styles.is_auto_height:
            self.refresh(layout=True)
        self.sync()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._draw(max(0, width - GUTTER - 1)))

    def frame(self) -> Sequence[Painted]:
        return [Painted(line) for line in self._lines[: self.size.height]]

    def resized(self) -> None:
        self._lines = self._draw(self.line_width)
        self.sync()

    def scroll_lines(self, count: int) -> None:
        """Do nothing: all lines are visible."""


_KEYS = ("move.", "row.open")


class LinePage(PagedView, can_focus=True):
    """A scrolling page of lines from a callable that is given a width."""

    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings_for("list") if each.id is not None and each.id.startswith(_KEYS)
    ]

    class Chosen(ViewMessage):
        """Enter was pressed on the page."""

    def __init__(self, draw: Callable[[int], Sequence[Line]]) -> None:
        super().__init__()
        self._draw = draw
        self._lines: Sequence[Line] = ()
        self._top = 0

    def redraw(self, *, from_the_top: bool = False) -> None:
        """Draw the lines again; only those that differ are painted."""
        self._lines = self._draw(self.line_width)
        self._set_top(0 if from_the_top else self._top)

    def frame(self) -> Sequence[Painted]:
        height = self.size.height
        thumb = thumb_lines(self._top, height, len(self._lines), height)
        return [
            Painted(line, thumb=y in thumb) for y, line in enumerate(self._lines[self._top : self._top + height])
        ]

    def resized(self) -> None:
        self.redraw()

    def scroll_lines(self, count: int) -> None:
        self._set_top(self._top + count)

    def action_cursor_first(self) -> None:
        self._set_top(0)

    def action_cursor_last(self) -> None:
        self._set_top(len(self._lines))

    @property
    def page_sizes(self) -> tuple[int, int]:
        return max(1, self.size.height // 2), max(1, self.size.height - 1)

    def step(self, by: int) -> None:
        self.scroll_lines(by)

    def page(self, by: int) -> None:
        self.scroll_lines(by)

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self))

    def _set_top(self, top: int) -> None:
        self._top = max(0, min(top, len(self._lines) - self.size.height))
        self.sync()


FOLLOW_SECONDS = 0.15
"""Delay of the detail after the cursor's last move."""

Detail = tuple[str, SafeText, Callable[[int], Sequence[Line]]]
"""A key, its heading, and its lines at a width."""


class DetailPane(Pane):
    """Details of the row under a cursor, shown once it rests, so that a held key costs nothing here."""

    def __init__(self, detail: Callable[[], Detail], id: str = "node") -> None:
        super().__init__(id=id)
        self._detail = detail
        self._key = ""
        self._draw: Callable[[int], Sequence[Line]] = lambda _: ()
        self._follow: Timer | None = None
        self.page = LinePage(lambda width: self._draw(width))

    def compose(self) -> ComposeResult:
        yield self.page

    def show_now(self) -> None:
        """Show the current detail; from the top if its key is another."""
        self._stop()
        before = self._key
        self._key, heading, self._draw = self._detail()
        self.set_title(heading)
        self.page.redraw(from_the_top=self._key != before)

    def follow_soon(self) -> None:
        """Show the current detail once the cursor rests."""
        self._stop()
        self._follow = self.set_timer(FOLLOW_SECONDS, self.show_now)

    def _stop(self) -> None:
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

"""LineBox: lines that are only read, laid out for the width they get and painted where they differ.

The facts beside a thread and the detail of a campaign are made of it.
"""

from collections.abc import Callable, Sequence

from textual.geometry import Size

from frontdesk.text.lines import Line
from frontdesk.tui.widgets.line_view import GUTTER, LineView, Painted


class LineBox(LineView, can_focus=False):
    """A box of lines without a cursor; as high as its lines where its height is `auto`."""

    def __init__(
        self, draw: Callable[[int], Sequence[Line]], *, id: str | None = None, classes: str | None = None
    ) -> None:
        """A box that asks `draw` for its lines at a width."""
        super().__init__(id=id, classes=classes)
        self._draw = draw
        self._lines: Sequence[Line] = ()

    def redraw(self) -> None:
        """Ask for the lines again; only those that come out different are painted."""
        before = len(self._lines)
        self._lines = self._draw(self.line_width)
        if len(self._lines) != before and self.styles.is_auto_height:
            self.refresh(layout=True)
        self.sync()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many lines as there are at this width."""
        return len(self._draw(max(0, width - GUTTER - 1)))

    def frame(self) -> Sequence[Painted]:
        """The lines that there is room for."""
        return [Painted(line) for line in self._lines[: self.size.height]]

    def resized(self) -> None:
        """Lay out for the new width."""
        self._lines = self._draw(self.line_width)
        self.sync()

    def scroll_lines(self, count: int) -> None:
        """There is nothing beyond what is seen."""

"""LineBar: one line at the edge of the screen, painted only in the cells whose words changed.

The header and the status line are made of it.
"""

from collections.abc import Mapping

from rich.style import Style as RichStyle
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.text.display_text import cell_width
from frontdesk.text.lines import EMPTY, Line, Role, fit, width_of
from frontdesk.tui.content import role_styles, segments


class LineBar(Widget):
    """A widget of one line that is given whole and compared with what is painted."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineBar {
        width: 1fr;
        height: 1;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._line: Line = EMPTY
        self._role_styles: Mapping[Role, RichStyle] | None = None

    @property
    def line(self) -> Line:
        """The line as it is painted."""
        return self._line

    def compose_line(self, width: int) -> Line:
        """The line at this width, at most so many cells wide."""
        raise NotImplementedError

    def sync(self) -> None:
        """Paint the cells whose words differ."""
        if not self.is_mounted or not self.size:
            return
        width = self.size.width
        before, self._line = self._line, fit(self.compose_line(width), width)
        if (changed := _changed(before, self._line, width)) is not None:
            self.refresh(changed)

    def render_line(self, y: int) -> Strip:
        """The strip of the one line."""
        if self._role_styles is None:
            self._role_styles = role_styles(self.visual_style, own_colours=self.app.native_ansi_color)
        if y > 0:
            return Strip.blank(self.size.width, self._role_styles[Role.TEXT])
        return Strip(segments(self._line, self._role_styles)).crop(0, self.size.width)

    def notify_style_update(self) -> None:
        """Forget the styles of the look before."""
        self._role_styles = None
        super().notify_style_update()

    def on_resize(self) -> None:
        self._line = EMPTY
        self.sync()

    def on_show(self) -> None:
        self.sync()


def _changed(before: Line, after: Line, width: int) -> Region | None:
    """The cells between the first and the last span that differ."""
    if before == after:
        return None
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    end = 0
    while end < min(len(before), len(after)) - same and before[-1 - end] == after[-1 - end]:
        end += 1
    start = width_of(before[:same])
    stop = width - sum(cell_width(part.text.text) for part in after[len(after) - end :])
    if width_of(before) != width or stop <= start:
        return Region(0, 0, width, 1)
    return Region(start, 0, stop - start, 1)

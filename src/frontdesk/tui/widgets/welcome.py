"""A few hints above the status line on the first start of a profile; esc or a click removes them."""

from collections.abc import Sequence
from typing import Any

from textual import events
from textual.screen import Screen

from frontdesk.text.lines import Line
from frontdesk.tui.widgets.line_view import LineView, Painted


class Welcome(LineView, can_focus=False):
    """Lines that are shown once, until they are clicked away."""

    DEFAULT_CSS = """
    Welcome {
        height: auto;
        background: $panel;
        border-top: solid $border-blurred;
    }
    .-low Welcome { display: none; }
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._lines = tuple(lines)

    def get_content_height(self, *_: object) -> int:
        return len(self._lines)

    def frame(self) -> Sequence[Painted]:
        return [Painted(line) for line in self._lines[: self.size.height]]

    def scroll_lines(self, count: int) -> None:
        """Do nothing: all lines are visible."""

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.remove()


def remove_welcome(screen: Screen[Any]) -> bool:
    """Remove the hints from a screen; False where there are none."""
    found = screen.query(Welcome)
    found.remove()
    return bool(found)

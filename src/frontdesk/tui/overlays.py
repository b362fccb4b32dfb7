"""TooSmall, a message over a screen without room, and Welcome, hints on the first start of a profile."""

from collections.abc import Sequence
from typing import Any

from rich.style import Style as RichStyle
from textual import events
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from frontdesk_lines.content import role_styles, segments
from frontdesk_lines.lines import Line, Role, fit, span
from frontdesk_lines.widgets.line_page import LineBox

MIN_WIDTH, MIN_HEIGHT = 60, 15


def is_too_small(width: int, height: int) -> bool:
    """Return whether a screen of these cells has no room for a list and a status line."""
    return width < MIN_WIDTH or height < MIN_HEIGHT


class TooSmall(Widget):
    """Covers a screen that has no room; the widgets below keep cursor and focus."""

    DEFAULT_CSS = """
    TooSmall {
        layer: small;
        display: none;
        width: 100%;
        height: 100%;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(self, leave_key: str) -> None:
        super().__init__()
        self._leave_key = leave_key

    def words(self) -> str:
        leaves = f"Press {self._leave_key} to quit."
        width, height = self.size
        here = f"{width}x{height}"
        forms = (
            f"Terminal too small ({here}, need {MIN_WIDTH}x{MIN_HEIGHT}; or use a smaller font). {leaves}",
            f"Terminal too small ({here}, need {MIN_WIDTH}x{MIN_HEIGHT}). {leaves}",
            f"too small: need {MIN_WIDTH}x{MIN_HEIGHT}",
            f"need {MIN_WIDTH}x{MIN_HEIGHT}",
            "too small",
        )
        return next((form for form in forms if len(form) <= width), "")

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        styles: dict[Role, RichStyle] = role_styles(self.visual_style, own_colours=self.app.native_ansi_color)
        if y != (height - 1) // 2:
            return Strip.blank(width, styles[Role.TEXT])
        words = self.words()
        before = max(0, (width - len(words)) // 2)
        return Strip(segments(fit((span(" " * before), span(words, Role.WARN)), width), styles))


class Welcome(LineBox, can_focus=False):
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
        super().__init__(lambda _: lines)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.remove()


def remove_welcome(screen: Screen[Any]) -> bool:
    """Remove the hints from a screen; return whether there were any."""
    found = screen.query(Welcome)
    found.remove()
    return bool(found)

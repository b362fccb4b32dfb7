"""PaneTabs: the panes of a screen on one line, where there is room for one of them alone."""

from dataclasses import dataclass

from textual import events
from textual.message import Message

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import Line, Role, Span, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar

_GAP = span("  ")


class PaneTabs(LineBar):
    """Says which panes there are, which one is seen, and the key that goes on."""

    DEFAULT_CSS = "PaneTabs { background: $background; }"

    @dataclass
    class Chosen(Message):
        """A click on a pane's name."""

        id: str

    def __init__(self, panes: tuple[tuple[str, SafeText], ...], key: str, here: str) -> None:
        """Tabs of panes that are known.

        Args:
            panes: the id and the name of each, in their order.
            key: the key that goes to the next one.
            here: the sign before the one that is seen.
        """
        super().__init__()
        self._panes = panes
        self._key, self._here = key, here
        self._current = panes[0][0]
        self._places: list[tuple[range, str]] = []

    def show(self, current: str) -> None:
        """Say that another pane is seen."""
        self._current = current
        self.sync()

    def compose_line(self, width: int) -> Line:
        """The names, and the key where there is room."""
        parts: list[Span] = [span(" ")]
        self._places = []
        for each, name in self._panes:
            at = width_of(parts)
            mark, role = (f"{self._here} ", Role.BADGE) if each == self._current else ("  ", Role.DIM)
            parts += [span(mark, role), Span(name, role)]
            self._places.append((range(at, width_of(parts)), each))
            parts.append(_GAP)
        key = (span(self._key, Role.ACCENT), span(" next pane ", Role.DIM))
        blank = width - width_of(parts) - width_of(key)
        return (*parts, span(" " * blank), *key) if blank >= 0 else tuple(parts)

    def on_click(self, event: events.Click) -> None:
        for place, each in self._places:
            if event.x in place:
                event.stop()
                self.post_message(self.Chosen(each))

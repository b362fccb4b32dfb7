"""ViewBar: a line of named views with their counts, the one that is shown in brackets."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import EMPTY, Line, Role, Span, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar


@dataclass(frozen=True, slots=True)
class ViewTab:
    """A view as the line shows it.

    Attributes:
        name: what to call it.
        count: how many it has; None where that isn't known yet.
        is_off: it can't be used for now.
    """

    name: SafeText
    count: int | None = None
    is_off: bool = False


class ViewBar(LineBar):
    """The views' line. The shown one is always in sight; what has no room left and right of it is cut."""

    DEFAULT_CSS = "ViewBar { background: $background; }"

    @dataclass
    class Chosen(Message):
        """A click on a view, by its place."""

        place: int

    def __init__(self) -> None:
        super().__init__()
        self._tabs: tuple[ViewTab, ...] = ()
        self._current = 0
        self._places: list[range] = []

    def show(self, tabs: Sequence[ViewTab], current: int) -> None:
        """Say these views; paints what differs."""
        if (tuple(tabs), current) != (self._tabs, self._current):
            self._tabs, self._current = tuple(tabs), current
            self.sync()

    def compose_line(self, width: int) -> Line:
        """As many views as fit, from so far left that the shown one is whole."""
        # Where no view has anything, nothing was read yet: that is not the same as none.
        knows = any(tab.count for tab in self._tabs)
        labels = [self._label(place, knows=knows) for place in range(len(self._tabs))]
        sizes = [width_of(label) for label in labels]
        first = 0
        while first < self._current and 2 * bool(first) + sum(sizes[first : self._current + 1]) > width - 2:
            first += 1
        parts: list[Span] = [span("… ", Role.DIM)] if first else []
        self._places = [range(0)] * first
        at = width_of(parts)
        for place in range(first, len(labels)):
            is_last = place == len(labels) - 1
            if place > self._current and at + sizes[place] > width - (0 if is_last else 2):
                parts.append(span(" …", Role.DIM))
                break
            self._places.append(range(at, at + sizes[place]))
            parts += labels[place]
            at += sizes[place]
        return tuple(parts) or EMPTY

    def on_click(self, event: events.Click) -> None:
        for place, cells in enumerate(self._places):
            if event.x in cells:
                event.stop()
                self.post_message(self.Chosen(place))

    def _label(self, place: int, *, knows: bool) -> Line:
        tab = self._tabs[place]
        count = span("" if tab.count is None or not knows else f" {_short(tab.count)}", Role.DIM)
        if place == self._current:
            return (span("[", Role.ACCENT), Span(tab.name, Role.STRONG), count, span("]", Role.ACCENT))
        return (span(" "), Span(tab.name, Role.RULE if tab.is_off else Role.DIM), count, span(" "))


def _short(count: int) -> str:
    """In four cells at most up to a million: `9999`, `102k`."""
    return str(count) if count < 10_000 else f"{count // 1000}k"

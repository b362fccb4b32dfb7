"""LineBar, one line of which only changed cells are painted, and the bars NoteBar, PaneTabs and ViewBar."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.text.display_text import SafeText, cell_width
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, span, width_of
from frontdesk.tui.content import role_styles, segments


class LineBar(Widget):
    """A widget of one line that is compared with its painted cells."""

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
        return self._line

    @abstractmethod
    def compose_line(self, width: int) -> Line:
        """Return the line, at most `width` cells wide."""

    def sync(self) -> None:
        """Paint the cells that differ."""
        if not self.is_mounted or not self.size:
            return
        width = self.size.width
        before, self._line = self._line, fit(self.compose_line(width), width)
        if (changed := _changed(before, self._line, width)) is not None:
            self.refresh(changed)

    def render_line(self, y: int) -> Strip:
        if self._role_styles is None:
            self._role_styles = role_styles(self.visual_style, own_colours=self.app.native_ansi_color)
        if y > 0:
            return Strip.blank(self.size.width, self._role_styles[Role.TEXT])
        return Strip(segments(self._line, self._role_styles)).crop(0, self.size.width)

    def notify_style_update(self) -> None:
        self._role_styles = None
        super().notify_style_update()

    def on_resize(self) -> None:
        self._line = EMPTY
        self.sync()

    def on_show(self) -> None:
        self.sync()


def _changed(before: Line, after: Line, width: int) -> Region | None:
    """Return the cells between the first and the last span that differ."""
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


class NoteBar(LineBar):
    """A bar that is hidden while it is empty, with a shorter text where it is narrow."""

    DEFAULT_CSS = """
    NoteBar { display: none; }
    NoteBar.-shown { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Line = EMPTY
        self._rights: tuple[Line, ...] = ()

    def set_lines(self, left: Line, *rights: Line) -> None:
        """Show a line, or hide the bar for an empty one.

        Args:
            rights: forms of the right side, the longest first; the last one stays at any width.
        """
        if (left, rights) != (self._left, self._rights):
            self._left, self._rights = left, rights
            self.set_class(bool(left), "-shown")
            self.sync()

    def compose_line(self, width: int) -> Line:
        room = width - width_of(self._left) - 3
        right = next(
            (each for each in self._rights if width_of(each) <= room), self._rights[-1] if self._rights else EMPTY
        )
        return fit((span(" "), *self._left), width, (*right, span(" ")) if right else ())


_GAP = span("  ")


class PaneTabs(LineBar):
    """The names of a screen's panes and the key for the next one, shown where one pane fits alone.

    Args:
        panes: id and name of each, in order.
        key: the key of the next pane.
        here: the sign before the current pane.
    """

    DEFAULT_CSS = "PaneTabs { background: $background; }"

    @dataclass
    class Chosen(Message):
        id: str

    def __init__(self, panes: tuple[tuple[str, SafeText], ...], key: str, here: str) -> None:
        super().__init__()
        self._panes = panes
        self._key, self._here = key, here
        self._current = panes[0][0]
        self._ranges: list[tuple[range, str]] = []

    def show(self, current: str) -> None:
        self._current = current
        self.sync()

    def compose_line(self, width: int) -> Line:
        parts: list[Span] = [span(" ")]
        self._ranges = []
        for each, name in self._panes:
            at = width_of(parts)
            mark, role = (f"{self._here} ", Role.BADGE) if each == self._current else ("  ", Role.DIM)
            parts += [span(mark, role), Span(name, role)]
            self._ranges.append((range(at, width_of(parts)), each))
            parts.append(_GAP)
        key = (span(self._key, Role.ACCENT), span(" next pane ", Role.DIM))
        blank = width - width_of(parts) - width_of(key)
        return (*parts, span(" " * blank), *key) if blank >= 0 else tuple(parts)

    def on_click(self, event: events.Click) -> None:
        for cells, each in self._ranges:
            if event.x in cells:
                event.stop()
                self.post_message(self.Chosen(each))


@dataclass(frozen=True, slots=True)
class ViewTab:
    """A view's name on the line.

    Attributes:
        count: its rows; None where that isn't known yet.
        is_off: whether it can't be used for now.
    """

    name: SafeText
    count: int | None = None
    is_off: bool = False


class ViewBar(LineBar):
    """Named views with their counts; the current one is in brackets and never cut off."""

    DEFAULT_CSS = "ViewBar { background: $background; }"

    @dataclass
    class Chosen(Message):
        index: int

    def __init__(self) -> None:
        super().__init__()
        self._tabs: tuple[ViewTab, ...] = ()
        self._current = 0
        self._ranges: list[range] = []

    def show(self, tabs: Sequence[ViewTab], current: int) -> None:
        if (tuple(tabs), current) != (self._tabs, self._current):
            self._tabs, self._current = tuple(tabs), current
            self.sync()

    def compose_line(self, width: int) -> Line:
        """Fit as many views as possible, starting as far left as shows the current one whole."""
        # All zero means that nothing was read yet, which is not the same as none.
        knows = any(tab.count for tab in self._tabs)
        labels = [self._label(index, knows=knows) for index in range(len(self._tabs))]
        sizes = [width_of(label) for label in labels]
        first = 0
        while first < self._current and 2 * bool(first) + sum(sizes[first : self._current + 1]) > width - 2:
            first += 1
        parts: list[Span] = [span("… ", Role.DIM)] if first else []
        self._ranges = [range(0)] * first
        at = width_of(parts)
        for index in range(first, len(labels)):
            is_last = index == len(labels) - 1
            if index > self._current and at + sizes[index] > width - (0 if is_last else 2):
                parts.append(span(" …", Role.DIM))
                break
            self._ranges.append(range(at, at + sizes[index]))
            parts += labels[index]
            at += sizes[index]
        return tuple(parts) or EMPTY

    def on_click(self, event: events.Click) -> None:
        for index, cells in enumerate(self._ranges):
            if event.x in cells:
                event.stop()
                self.post_message(self.Chosen(index))

    def _label(self, index: int, *, knows: bool) -> Line:
        tab = self._tabs[index]
        count = span("" if tab.count is None or not knows else f" {_short(tab.count)}", Role.DIM)
        if index == self._current:
            return (span("[", Role.ACCENT), Span(tab.name, Role.STRONG), count, span("]", Role.ACCENT))
        return (span(" "), Span(tab.name, Role.RULE if tab.is_off else Role.DIM), count, span(" "))


def _short(count: int) -> str:
    """Format a count in at most four cells up to a million: `9999`, `102k`."""
    return str(count) if count < 10_000 else f"{count // 1000}k"

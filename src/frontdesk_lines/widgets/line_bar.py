"""LineBar, lines of which only changed cells are painted, and the bars: StatusLine, NoteBar, PaneTabs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.content import role_styles, segments
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import EMPTY, Line, Role, Span, first_fitting, fit, span, width_of

_GAP = span("  ")


class _Label(NamedTuple):
    """A label that can be clicked: its line, its cells, and its id."""

    y: int
    cells: range
    id: str


class LineBar(Widget):
    """A widget of one line, or a few, compared with its painted cells; its labels can be clicked."""

    DEFAULT_CSS = """
    LineBar {
        width: 1fr;
        height: 1;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: Sequence[Line] = (EMPTY,)
        self._labels: list[_Label] = []
        """The labels that are shown."""
        self._role_styles: Mapping[Role, RichStyle] | None = None

    @property
    def line(self) -> Line:
        return self.lines[0]

    def compose_line(self, width: int) -> Line:
        """Return the line, exactly `width` cells wide and laid out, as `fit` does."""
        raise NotImplementedError

    def compose_lines(self, width: int) -> Sequence[Line]:
        """Return the lines, each as `compose_line` does."""
        return (self.compose_line(width),)

    def label_chosen(self, id: str) -> None:
        """Run when a label is clicked."""

    def append_label(self, line: list[Span], label: Line, id: str, y: int = 0) -> None:
        """Append a label that can be clicked to a line that is being composed."""
        start = width_of(line)
        line += label
        self._labels.append(_Label(y, range(start, width_of(line)), id))

    def sync(self) -> None:
        """Paint the cells that differ."""
        if not self.is_mounted or not self.size:
            return
        width = self.size.width
        self._labels = []
        before, self.lines = self.lines, self.compose_lines(width)
        for y, (was, line) in enumerate(zip_longest(before, self.lines, fillvalue=EMPTY)):
            changed = _changed(was, line, width)
            if changed is not None:
                self.refresh(changed.translate((0, y)))

    def render_line(self, y: int) -> Strip:
        if self._role_styles is None:
            self._role_styles = role_styles(self.visual_style, own_colours=self.app.native_ansi_color)
        if y >= len(self.lines):
            return Strip.blank(self.size.width, self._role_styles[Role.TEXT])
        return Strip(segments(self.lines[y], self._role_styles)).crop(0, self.size.width)

    def notify_style_update(self) -> None:
        self._role_styles = None
        super().notify_style_update()

    def on_resize(self) -> None:
        self.lines = (EMPTY,)
        self.sync()

    def on_show(self) -> None:
        self.sync()

    def on_click(self, event: events.Click) -> None:
        for label in self._labels:
            if event.y == label.y and event.x in label.cells:
                event.stop()
                self.label_chosen(label.id)


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


class Hint(NamedTuple):
    """A key and its label; a click runs the action with this id, if any."""

    id: str
    line: Line


_WIDE_GAP = span("   ")


class StatusLine(LineBar):
    """The state of the connection and other parts on the left, the keys that matter now on the right.

    When it is narrow, hints are dropped first and the leftmost parts last. The hints keep their order of
    importance; the last one, which opens the help, stays longest.
    """

    @dataclass(repr=False, eq=False)
    class HintChosen(Message):
        """A hint was clicked: the id of its key."""

        id: str

    def __init__(self) -> None:
        super().__init__()
        self._left: tuple[Line, ...] = ()
        self._shorter: tuple[Line, ...] = ()
        self._compact: Mapping[Line, Line] = {}
        self._hints: tuple[Hint, ...] = ()
        self._hides_hints = False

    def set_left(
        self, *parts: Line, shorter: Sequence[Line] = (), compact: Mapping[Line, Line] | None = None
    ) -> None:
        """Set the parts by importance: connection, outbox, marks; empty ones are skipped.

        Args:
            shorter: shorter forms of the first part for a narrow line.
            compact: the form of another part once all of them take more than half of the line, so that hints stay.
        """
        self._left = tuple(part for part in parts if part)
        self._shorter = tuple(shorter)
        self._compact = {} if compact is None else compact
        self.sync()

    def set_right(self, *hints: Hint) -> None:
        """Set the hints, the most important first; the last one opens the help."""
        self._hints = hints
        self.sync()

    def hide_hints(self, hides: bool) -> None:
        """Leave the hints' places blank while a dialog is open, in which other keys work."""
        self._hides_hints = hides
        self.sync()

    def is_shown(self, id: str) -> bool:
        """Return whether there is room for the hint of this key."""
        return any(each.id == id for each in self._labels)

    def compose_line(self, width: int) -> Line:
        left = list(self._left)
        if _parts_width(left) > width // 2:
            left = [self._compact.get(part, part) for part in left]
        for fewer in self._shorter if left else ():
            if _parts_width(left) > width:
                left[0] = fewer
        while len(left) > 1 and _parts_width(left) > width:
            left.pop()
        shown = list(self._hints)
        while shown and _parts_width(left) + _parts_width([hint.line for hint in shown]) > width:
            shown.pop(-2 if len(shown) > 1 else -1)
        right = _joined(hint.line for hint in shown)
        at = width - width_of(right)
        for hint in shown:
            size = width_of(hint.line)
            self._labels.append(_Label(0, range(at, at + size), hint.id))
            at += size + width_of((_WIDE_GAP,))
        return fit(_joined(left), width, (*right, span(" ")) if right and not self._hides_hints else ())

    def label_chosen(self, id: str) -> None:
        if id:
            self.post_message(self.HintChosen(id))


def _joined(parts: Iterable[Line]) -> tuple[Span, ...]:
    line = [part for words in parts for part in (_WIDE_GAP, *words)]
    return (span(" "), *line[1:]) if line else ()


def _parts_width(parts: Iterable[Line]) -> int:
    return width_of(_joined(parts)) + 1


class NoteBar(LineBar):
    """A bar that is hidden while it is empty, with a shorter text for a narrow screen."""

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
        right = first_fitting(self._rights, room)
        return fit((span(" "), *self._left), width, (*right, span(" ")) if right else ())


class PaneTabs(LineBar):
    """The names of a screen's panes and the key for the next one, shown while only one pane fits.

    Args:
        panes: id and name of each, in order.
        current_sign: the sign before the current pane.
    """

    DEFAULT_CSS = "PaneTabs { background: $background; }"

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        id: str

    def __init__(self, panes: tuple[tuple[str, SafeText], ...], key: str, current_sign: str) -> None:
        super().__init__()
        self._panes = panes
        self._key, self._current_sign = key, current_sign
        self._current = panes[0][0]

    def show(self, current: str) -> None:
        self._current = current
        self.sync()

    def compose_line(self, width: int) -> Line:
        parts: list[Span] = [span(" ")]
        for each, name in self._panes:
            mark, role = (f"{self._current_sign} ", Role.BADGE) if each == self._current else ("  ", Role.DIM)
            self.append_label(parts, (span(mark, role), Span(name, role)), each)
            parts.append(_GAP)
        key = (span(self._key, Role.ACCENT), span(" next pane ", Role.DIM))
        blank = width - width_of(parts) - width_of(key)
        return fit((*parts, span(" " * blank), *key) if blank >= 0 else parts, width)

    def label_chosen(self, id: str) -> None:
        self.post_message(self.Chosen(id))

"""StatusLine: the state of the connection on the left, the keys that matter now on the right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from frontdesk.text.lines import Line, Span, fit, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar

_GAP = span("   ")


class StatusLine(LineBar):
    """One line of parts; where it is narrow, hints are dropped first and the leftmost parts last.

    The hints keep their order of importance; the last one, which opens the help, stays longest.
    """

    @dataclass
    class HintChosen(Message):
        """A hint was clicked: the id of its key."""

        id: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._ids: tuple[str, ...] = ()
        self._ranges: list[tuple[range, str]] = []
        self._left: tuple[Line, ...] = ()
        self._shorter: tuple[Line, ...] = ()
        self._right: tuple[Line, ...] = ()

    def set_left(self, *parts: Line, shorter: Sequence[Line] = ()) -> None:
        """Set the parts by importance: connection, outbox, marks; empty ones are left out.

        Args:
            shorter: shorter forms of the first part for a narrow line.
        """
        self._left = tuple(part for part in parts if part)
        self._shorter = tuple(shorter)
        self.sync()

    def set_right(self, *hints: Line, ids: Sequence[str] = ()) -> None:
        """Set the hints, the most important first; the last one opens the help.

        Args:
            ids: the ids for `HintChosen`; empty for a key that can't be clicked.
        """
        self._right = hints
        self._ids = tuple(ids) or ("",) * len(hints)
        self.sync()

    def is_shown(self, id: str) -> bool:
        """Return whether there is room for the hint of this key."""
        return any(each == id for _, each in self._ranges)

    def compose_line(self, width: int) -> Line:
        left = list(self._left)
        for fewer in self._shorter if left else ():
            if _width(left) > width:
                left[0] = fewer
        while len(left) > 1 and _width(left) > width:
            left.pop()
        shown = list(range(len(self._right)))
        while shown and _width(left) + _width([self._right[at] for at in shown]) > width:
            shown.pop(-2 if len(shown) > 1 else -1)
        joined = _joined(self._right[at] for at in shown)
        self._note_ranges(shown, width - width_of(joined) - 1)
        return fit(_joined(left), width, (*joined, span(" ")) if joined else ())

    def on_click(self, event: events.Click) -> None:
        for cells, each in self._ranges:
            if event.x in cells and each:
                event.stop()
                self.post_message(self.HintChosen(each))

    def _note_ranges(self, shown: Iterable[int], start: int) -> None:
        self._ranges = []
        at = start + 1
        for index in shown:
            size = width_of(self._right[index])
            self._ranges.append((range(at, at + size), self._ids[index]))
            at += size + width_of((_GAP,))


def _joined(parts: Iterable[Line]) -> tuple[Span, ...]:
    line = [part for words in parts for part in (_GAP, *words)]
    return (span(" "), *line[1:]) if line else ()


def _width(parts: list[Line]) -> int:
    return width_of(_joined(parts)) + 1

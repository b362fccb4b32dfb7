"""StatusLine: what is known of the connection on the left, the keys that matter now on the right."""

from collections.abc import Iterable, Sequence

from frontdesk.present.lines import Line, Span, fit, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar

_GAP = span("   ")


class StatusLine(LineBar):
    """One line of parts; where it is narrow, hints go first and the leftmost words stay longest.

    Of the hints the last one, which leads to all the others, stays to the end, and those that
    matter most before it.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left: tuple[Line, ...] = ()
        self._shorter: tuple[Line, ...] = ()
        self._right: tuple[Line, ...] = ()

    def set_left(self, *parts: Line, shorter: Sequence[Line] = ()) -> None:
        """Connection and age first, then outbox, then marks; empty parts are left out.

        Args:
            shorter: the first part in fewer and fewer words, for a width that hasn't room for everything.
        """
        self._left = tuple(part for part in parts if part)
        self._shorter = tuple(shorter)
        self.sync()

    def set_right(self, *hints: Line) -> None:
        """The keys in the order shown, the most wanted first; the last is the way to all keys."""
        self._right = tuple(part for part in hints if part)
        self.sync()

    def compose_line(self, width: int) -> Line:
        """As many parts as fit, those on the left first."""
        left = list(self._left)
        for fewer in self._shorter if left else ():
            if _width(left) > width:
                left[0] = fewer
        while len(left) > 1 and _width(left) > width:
            left.pop()
        right = list(self._right)
        while right and _width(left) + _width(right) > width:
            right.pop(-2 if len(right) > 1 else -1)
        joined = _joined(right)
        return fit(_joined(left), width, (*joined, span(" ")) if joined else ())


def _joined(parts: Iterable[Line]) -> tuple[Span, ...]:
    line = [part for words in parts for part in (_GAP, *words)]
    return (span(" "), *line[1:]) if line else ()


def _width(parts: list[Line]) -> int:
    return width_of(_joined(parts)) + 1

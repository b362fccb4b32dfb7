"""NoteBar: one line of words with more at its right, there only while there is something to say."""

from frontdesk.present.lines import EMPTY, Line, fit, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar


class NoteBar(LineBar):
    """A bar that takes no room while it is empty; where it is narrow its right side gives way."""

    DEFAULT_CSS = """
    NoteBar { display: none; }
    NoteBar.-said { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._said: tuple[Line, Line] = (EMPTY, EMPTY)

    def say(self, left: Line, right: Line = EMPTY) -> None:
        """Say something else, or nothing."""
        if (left, right) != self._said:
            self._said = (left, right)
            self.set_class(bool(left), "-said")
            self.sync()

    def compose_line(self, width: int) -> Line:
        """Both sides, or the left alone."""
        left, right = self._said
        if width_of(left) + width_of(right) + 3 > width:
            right = right[:1] if width_of(left) + width_of(right[:1]) + 3 <= width else EMPTY
        return fit((span(" "), *left), width, (*right, span(" ")) if right else ())

"""NoteBar: one line of words with more at its right, there only while there is something to say."""

from frontdesk.text.lines import EMPTY, Line, fit, span, width_of
from frontdesk.tui.widgets.line_bar import LineBar


class NoteBar(LineBar):
    """A bar that takes no room while it is empty; where it is narrow it says less."""

    DEFAULT_CSS = """
    NoteBar { display: none; }
    NoteBar.-said { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Line = EMPTY
        self._rights: tuple[Line, ...] = ()

    def say(self, left: Line, *rights: Line) -> None:
        """Say something else, or nothing.

        Args:
            rights: what stands at the right, and the same in fewer and fewer words; the last one stays
                however narrow it is.
        """
        if (left, rights) != (self._left, self._rights):
            self._left, self._rights = left, rights
            self.set_class(bool(left), "-said")
            self.sync()

    def compose_line(self, width: int) -> Line:
        """Both sides, the right one in the most words that fit."""
        room = width - width_of(self._left) - 3
        right = next(
            (each for each in self._rights if width_of(each) <= room), self._rights[-1] if self._rights else EMPTY
        )
        return fit((span(" "), *self._left), width, (*right, span(" ")) if right else ())

"""Welcome: a few words above the status line on the first start of a profile; esc or a click takes it away."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from frontdesk.text.lines import Line
from frontdesk.tui.widgets.line_view import LineView, Painted


class Welcome(LineView, can_focus=False):
    """Lines that stand there until they are read; never again."""

    DEFAULT_CSS = """
    Welcome {
        height: auto;
        background: $panel;
        border-top: solid $border-blurred;
    }
    .-low Welcome { display: none; }
    """

    class Read(Message):
        """It was clicked."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._lines = tuple(lines)

    def get_content_height(self, *_: object) -> int:
        """As many lines as there are."""
        return len(self._lines)

    def frame(self) -> Sequence[Painted]:
        """The lines as they are."""
        return [Painted(line) for line in self._lines[: self.size.height]]

    def scroll_lines(self, count: int) -> None:
        """There is nothing beyond what is seen."""

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Read())

"""What is known of the workflow under the list's cursor, or of the row under the tree's.

Held by the workflows screen; the AI agents screen has one, too. It follows a cursor that has come to rest, so
that a held key costs nothing here.
"""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.timer import Timer

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import Line
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.pane import Pane

FOLLOW_SECONDS = 0.15
"""How long a cursor rests on a row before it is told of."""

Told = tuple[str, SafeText, Callable[[int], Sequence[Line]]]
"""What is told of: its key, its heading, and its lines at a width."""


class DetailPane(Pane):
    """Lines about one thing."""

    def __init__(self, wanted: Callable[[], Told], id: str = "node") -> None:
        """A pane that asks `wanted` what to tell of."""
        super().__init__(id=id)
        self._wanted = wanted
        self._key = ""
        self._draw: Callable[[int], Sequence[Line]] = lambda _: ()
        self._follow: Timer | None = None
        self.page = LinePage(lambda width: self._draw(width))

    def compose(self) -> ComposeResult:
        yield self.page

    def show_now(self) -> None:
        """Tell of what is wanted now; from the top where it is something else than before."""
        self._stop()
        before = self._key
        self._key, heading, self._draw = self._wanted()
        self.set_title(heading)
        self.page.redraw(from_the_top=self._key != before)

    def follow_soon(self) -> None:
        """Tell of what is wanted once the cursor has come to rest."""
        self._stop()
        self._follow = self.set_timer(FOLLOW_SECONDS, self.show_now)

    def _stop(self) -> None:
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

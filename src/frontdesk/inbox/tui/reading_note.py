"""ReadingNote: the line above the list of conversations until the threads that its order stands on were read."""

import time
from collections.abc import Sequence

from textual.timer import Timer

from frontdesk.inbox.store.conversation_query import OF_THREADS
from frontdesk.inbox.view.list_words import ListWords
from frontdesk.inbox.view.reading_progress import ReadingProgress, rows_above
from frontdesk.text.lines import EMPTY, Line, fit, span
from frontdesk.tui.context import AppContext
from frontdesk.tui.widgets.line_bar import LineBar
from frontdesk.tui.widgets.row_list import RowList

PAINT_SECONDS = 1.0
"""The count is painted at most this often: each time costs bytes."""


class ReadingNote(LineBar):
    """Says that the order may be wrong yet, and afterwards that rows are above the window, until they were seen.

    Args:
        rows: the list below.
    """

    DEFAULT_CSS = """
    ReadingNote { display: none; background: $background; }
    ReadingNote.-shown { display: block; }
    """

    def __init__(self, app_context: AppContext, rows: RowList) -> None:
        super().__init__()
        self._app_context, self._rows = app_context, rows
        self._progress = ReadingProgress()
        self._of_threads = self._by_threads = self._has_unseen_above = False
        self._painted_at = 0.0
        self._height = 1
        self._later: Timer | None = None

    @property
    def is_reading(self) -> bool:
        """Return whether it says how many threads are still to be read."""
        return self._of_threads and self._progress.is_going

    def show(self, words: ListWords) -> None:
        """Show how much was read of what the list shows."""
        before = self.is_reading, self._by_threads
        self._progress.update(words.coverage, time.monotonic())
        self._of_threads, self._by_threads = words.is_of_threads, words.order in OF_THREADS
        if words.coverage.is_listed and not self._progress.is_going:
            self._rows.follows_first = False  # from now on what arrives is news, and the cursor stays
        self.update(at_once=before != (self.is_reading, self._by_threads))

    def update(self, *, at_once: bool = False) -> None:
        """Show the rows above the window as they are now, at once or a second after the last time."""
        above = self._rows.rows_above
        self._has_unseen_above = above > 0 and (self.is_reading or self._has_unseen_above)
        is_shown = self.is_reading or self._has_unseen_above
        if is_shown != self.has_class("-shown"):
            self.set_class(is_shown, "-shown")
            at_once = True
        wait = PAINT_SECONDS - (time.monotonic() - self._painted_at)
        if not is_shown or self._later is not None:
            return
        if at_once or wait <= 0:
            self._paint()
        else:
            self._later = self.set_timer(wait, self._paint)

    def compose_lines(self, width: int) -> Sequence[Line]:
        glyphs, above = self._app_context.glyphs, self._rows.rows_above
        room = max(0, width - 2)
        lines: Sequence[Line] = ()
        if self.is_reading:
            lines = self._progress.forms(room, time.monotonic(), glyphs, above, by_threads=self._by_threads)
        elif self._has_unseen_above:
            lines = (rows_above(glyphs, above, self._app_context.key("move.first")),)
        self._set_height(len(lines))
        return [fit((span("  "), *each), width) for each in (*lines, EMPTY, EMPTY)[: self._height]]

    def on_resize(self) -> None:
        self._height = 1
        super().on_resize()

    def _set_height(self, lines: int) -> None:
        """Grow, and shrink only once all is read or with another width: the list below shouldn't jump."""
        self._height = max(self._height if self.is_reading else 1, lines)
        if self.size.height != self._height:
            self.styles.height = self._height

    def _paint(self) -> None:
        self._later = None
        self._painted_at = time.monotonic()
        self.sync()

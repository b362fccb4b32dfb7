"""How far reading the threads has come at the first start or after a long pause, and the words above the list.

Until then an order by waiting can be wrong. Pure; `inbox.tui.reading_note` shows it.
"""

from collections import deque
from collections.abc import Sequence

from frontdesk.storage.coverage import Coverage
from frontdesk.text.glyphs import Glyphs
from frontdesk.text.lines import Line, Role, span, width_of
from frontdesk.text.relative_time import MINUTE, duration_words

MIN_LEFT = 10
"""With fewer threads to read there is nothing to wait for: that is the daily traffic."""

_SEEN_SECONDS = 60.0
"""The pace is that of the last minute."""

_MIN_SEEN_SECONDS, _MIN_SEEN_READS = 5.0, 5
"""With less than this the pace isn't known."""


class ReadingProgress:
    """Follows the number of threads that were read.

    Attributes:
        is_going: from the moment at which many were left to read until none is.
        coverage: the latest one.
    """

    def __init__(self) -> None:
        self.coverage = Coverage()
        self.is_going = False
        self._seen: deque[tuple[float, int]] = deque()

    @property
    def left(self) -> int:
        """Return the number of known threads that are still to be read."""
        return max(0, self.coverage.known - self.coverage.read)

    def update(self, coverage: Coverage, now: float) -> None:
        """Take a new count, at a time in monotonic seconds."""
        self.coverage = coverage
        self.is_going = self.left >= MIN_LEFT or (self.is_going and self.left > 0)
        if not self.is_going:
            self._seen.clear()
        elif not self._seen or coverage.read != self._seen[-1][1]:
            self._seen.append((now, coverage.read))

    def seconds_left(self, now: float) -> float | None:
        """Return how long reading the rest takes at the pace of the last minute; None where that isn't known."""
        while self._seen and self._seen[0][0] < now - _SEEN_SECONDS:
            self._seen.popleft()
        if not self._seen:
            return None
        began, first = self._seen[0]
        seconds, reads = now - began, self._seen[-1][1] - first
        if seconds < _MIN_SEEN_SECONDS or reads < _MIN_SEEN_READS:
            return None
        return self.left * seconds / reads

    def forms(self, width: int, now: float, glyphs: Glyphs, above: int, *, by_threads: bool) -> Sequence[Line]:
        """Return the words above the list, in one line where it has the room, else in two.

        Args:
            above: rows of the list that are above its window.
            by_threads: whether reading threads changes the order; else only which rows there are.
        """
        some = "" if self.coverage.is_listed else "+"
        count = f"{self.left:,} of {self.coverage.known:,}{some} left"
        time = _time_words(self.seconds_left(now))
        what = f"{'The order' if by_threads else 'This list'} may still change."
        rows = f"{glyphs.up} {above:,} above" if above else ""
        loading = f"Loading conversations: {count}{time}."
        one_line = [_line(glyphs.separator, rows, f"{loading} {what}")]
        if rows:
            one_line.append(_line(glyphs.separator, rows, loading))
        if (whole := next((each for each in one_line if width_of(each) <= width), None)) is not None:
            return (whole,)
        short = time.replace("about ", "~")
        counts = [_line("", each) for each in (loading, f"Loading: {count}{time}.", f"Loading: {count}{short}.")]
        first = next((each for each in counts if width_of(each) <= width), _line("", count))
        return first, _line("", rows or what)


def rows_above(glyphs: Glyphs, above: int, first_key: str) -> Line:
    """Return the words for rows that were put above the list's window while the threads were read."""
    return _line(glyphs.separator, f"{glyphs.up} {above:,} above", f"{first_key} show the first")


def _time_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    # To the minute, and above a quarter of an hour to five: a line over SSH isn't for counting seconds.
    step = MINUTE if seconds < 15 * MINUTE else 5 * MINUTE
    return f", about {duration_words(max(1, round(seconds / step)) * step)}"


def _line(separator: str, *words: str) -> Line:
    return (span(separator.join(filter(None, words)), Role.WARN),)

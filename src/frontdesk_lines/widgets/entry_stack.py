"""EntryStack: the reading position and cursor in entries of any height, painted by ThreadView. Pure.

The top of the screen is held as (entry, line of it), never as a line number: older entries arrive above and
heights change without moving the text. Only a part of the entries is loaded; the others are fetched when the
screen comes within a page of an end, so that no move costs more than the lines it passes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

LinePosition = tuple[int, int]
"""Index of a loaded entry, and a line of it."""


class ReadingPosition(NamedTuple):
    """A position by keys, which outlives the loaded entries.

    Attributes:
        top: the entry at the top of the screen.
        line: how many of its lines are above it.
    """

    top: str
    line: int
    cursor: str


class Supply(Protocol):
    """A source of entries that aren't loaded.

    Each method returns the keys loaded from now on, or None if there are no more; the entries on the screen are
    among them unless an end was asked for.
    """

    def older(self, height: int) -> Sequence[str] | None:  # noqa: ARG002
        return None

    def newer(self, height: int) -> Sequence[str] | None:  # noqa: ARG002
        return None

    def oldest(self) -> Sequence[str] | None:
        return None

    def newest(self) -> Sequence[str] | None:
        return None

    def has_newer(self) -> bool:
        return False

    def outside(self) -> tuple[int, int]:
        """Estimate how many entries aren't loaded, older and newer, for the scroll mark."""
        return 0, 0


class NoSupply(Supply):
    """A supply with nothing more to load."""


class EntryStack:
    """Loaded entries, oldest first, with a cursor on one and a screen over some of them.

    Attributes:
        height: lines of the screen; 0 while it is hidden, when nothing is laid out.
        top: entry and line at the top of the screen.
    """

    def __init__(self, height_of: Callable[[str], int], supply: Supply | None = None):
        self._height_of_key = height_of
        self._supply: Supply = supply or NoSupply()
        self.height = 0
        self.keys: list[str] = []
        self.cursor = 0
        self.top: LinePosition = (0, 0)
        self._indexes: dict[str, int] = {}
        self._to_end = False

    def __contains__(self, key: str) -> bool:
        return key in self._indexes

    @property
    def total(self) -> tuple[int, int]:
        """About how many entries there are, and how many of them are older than the loaded ones."""
        older, newer = self._supply.outside()
        return older + len(self.keys) + newer, older

    @property
    def cursor_key(self) -> str | None:
        return self.keys[self.cursor] if self.keys else None

    @property
    def reading(self) -> ReadingPosition | None:
        if not self.keys:
            return None
        return ReadingPosition(self.keys[self.top[0]], self.top[1], self.keys[self.cursor])

    @property
    def is_at_end(self) -> bool:
        """True if the newest entry's last line is on the screen, or will be once it is shown."""
        if not self.keys or self._to_end:
            return True
        return bool(self.height) and not self._supply.has_newer() and self.top >= self._end_top()

    def show(self, keys: Iterable[str], at: ReadingPosition | None = None) -> None:
        """Show other entries: from the last one, or at an earlier position."""
        self._set_keys(keys)
        self._to_end = at is None
        self.cursor = max(0, len(self.keys) - 1)
        # While there is no height to align to, the top of a longer thread must not stay.
        self.top = (self.cursor, 0)
        if at is not None:
            self.top = (self._indexes.get(at.top, 0), at.line if at.top in self._indexes else 0)
            self.cursor = self._indexes.get(at.cursor, self.top[0])

    def replace(self, keys: Iterable[str], *, follow: bool = False) -> None:
        """Replace the loaded entries without moving the text; `follow` scrolls to a new end instead."""
        before, top, cursor = self.keys, self.top, self.cursor
        on_last = not before or cursor == len(before) - 1
        self._set_keys(keys)
        found, is_same = self._nearest(before, top[0])
        self.top = (found, top[1] if is_same else 0)
        self.cursor = self._nearest(before, cursor)[0]
        if follow:
            self._to_end = True
            if on_last:
                self.cursor = max(0, len(self.keys) - 1)

    def align(self) -> None:
        """Keep the screen within the entries and on the cursor, with a page loaded on both sides if possible."""
        if not self.height or not self.keys:
            return
        if self._to_end:
            end = self._end_top()
            self.top = end if self.cursor >= end[0] else (self.cursor, 0)
            self._to_end = False
        self._clamp()
        if self.cursor not in self._shown():
            self._reveal(self.cursor, 0)
        self._fill(-self.height)
        self._fill(self.height)
        self._clamp()

    def pin_to_end(self) -> None:
        """Align to the end next time, whatever the heights are then."""
        self._to_end = True

    def lines_above(self, limit: int) -> int:
        """Count the loaded lines above the screen, up to `limit`."""
        lines, index = self.top[1], self.top[0]
        while index > 0 and lines < limit:
            index -= 1
            lines += self.height_of(index)
        return min(lines, limit)

    def visible(self) -> list[LinePosition]:
        """Return the entry and line that each line of the screen shows."""
        found: list[LinePosition] = []
        index, line = self.top
        while index < len(self.keys) and len(found) < self.height:
            found += [(index, part) for part in range(line, self.height_of(index))]
            index, line = index + 1, 0
        return found[: self.height]

    def scroll(self, lines: int) -> None:
        """Scroll by lines; a cursor that would leave the screen is taken along."""
        if not self.keys or not self.height:
            return
        self._fill(lines - self.height if lines < 0 else lines + self.height)
        self.top = self._move_position(self.top, lines)
        self._clamp()
        shown = self._shown()
        self.cursor = min(max(self.cursor, shown[0]), shown[-1])
        self.align()

    def page(self, lines: int) -> None:
        """Scroll; at an end move the cursor there."""
        if not self.keys or not self.height:
            return
        before = self.reading
        self.scroll(lines)
        if self.reading == before:
            self.cursor = 0 if lines < 0 else len(self.keys) - 1

    def step(self, by: int) -> None:
        """Move to the next entry, after the rest of one that is taller than the screen."""
        if not self.keys or not self.height:
            return
        half = max(1, self.height // 2)
        if hidden := self.hidden_lines(self.cursor, by):
            self.scroll(by * min(hidden, half))
            return
        self.move_to(min(max(0, self.cursor + by), len(self.keys) - 1), half)

    def move_to(self, index: int, min_lines: int = 0) -> None:
        """Move the cursor to a loaded entry; scroll by at least `min_lines` lines if it isn't visible."""
        self.cursor = index
        if not self.height:
            self.top, self._to_end = (index, 0), False
            return
        shown = {line for line, _ in self.visible()}
        if index not in shown or self.hidden_lines(index, 1) or self.hidden_lines(index, -1):
            self._reveal(index, min_lines if shown & {index - 1, index, index + 1} else 0)
        self.align()

    def centre(self, index: int) -> None:
        """Move the cursor to an entry, a third of the screen below its top."""
        self.cursor = index
        self._to_end = False
        self.top = self._move_position((index, 0), -(self.height // 3)) if self.height else (index, 0)
        self.align()

    def first(self) -> None:
        oldest = self._supply.oldest()
        if oldest is not None:
            self._set_keys(oldest)
        self._to_end = False
        self.top, self.cursor = (0, 0), 0
        self.align()

    def last(self) -> None:
        newest = self._supply.newest()
        if newest is not None:
            self._set_keys(newest)
        self.cursor, self._to_end = max(0, len(self.keys) - 1), True
        self.align()

    def index_of(self, key: str) -> int | None:
        return self._indexes.get(key)

    def hidden_lines(self, index: int, by: int) -> int:
        """Count the lines of an entry beyond the lower (1) or upper (-1) edge."""
        parts = [part for at, part in self.visible() if at == index]
        if not parts:
            return self.height_of(index)
        return self.height_of(index) - 1 - parts[-1] if by > 0 else parts[0]

    def height_of(self, index: int) -> int:
        return self._height_of_key(self.keys[index])

    def _set_keys(self, keys: Iterable[str]) -> None:
        self.keys = list(keys)
        self._indexes = {key: index for index, key in enumerate(self.keys)}

    def _nearest(self, before: Sequence[str], index: int) -> tuple[int, bool]:
        """Return the index of an entry, or of the nearest one that is left, and whether it is the same."""
        for distance, key in enumerate((*before[index:], *reversed(before[:index]))):
            if key in self._indexes:
                return self._indexes[key], distance == 0
        return 0, False

    def _shown(self) -> range:
        """Return the indexes of the entries on the screen."""
        visible = self.visible()
        return range(visible[0][0], visible[-1][0] + 1)

    def _fill(self, lines: int) -> None:
        """Load this number of lines below the top of the screen, or above it for a negative number."""
        if lines < 0:
            while self.lines_above(-lines) < -lines and self._load(self._supply.older(self.height)):
                pass
            return
        while self._lines_below(lines + self.height) < lines + self.height:
            if not self._load(self._supply.newer(self.height)):
                return

    def _load(self, keys: Sequence[str] | None) -> bool:
        if keys is not None:
            self.replace(keys)
        return keys is not None

    def _lines_below(self, limit: int) -> int:
        """Count the loaded lines from the top of the screen on."""
        index, lines = self.top[0], -self.top[1]
        while index < len(self.keys) and lines < limit:
            lines += self.height_of(index)
            index += 1
        return lines

    def _clamp(self) -> None:
        index = min(self.top[0], len(self.keys) - 1)
        line = min(self.top[1], self.height_of(index) - 1) if index == self.top[0] else self.height_of(index) - 1
        self.top = (index, line)
        if self._lines_below(self.height) < self.height:
            self._fill(0)
            self.top = min(self.top, self._end_top())

    def _end_top(self) -> LinePosition:
        last = len(self.keys) - 1
        return self._move_position((last, self.height_of(last) - 1), 1 - max(1, self.height))

    def _move_position(self, position: LinePosition, by: int) -> LinePosition:
        """Move a position by lines, laying out only the entries it passes."""
        index, line = position
        line += by
        while line < 0 and index > 0:
            index -= 1
            line += self.height_of(index)
        while index < len(self.keys) - 1 and line >= self.height_of(index):
            line -= self.height_of(index)
            index += 1
        return index, min(max(0, line), self.height_of(index) - 1)

    def _reveal(self, index: int, min_lines: int) -> None:
        tall = self.height_of(index) >= self.height
        if index < self.top[0] or (index == self.top[0] and self.top[1] > 0):
            if min_lines:
                self.top = self._move_position(self.top, -min_lines)
            start = (
                self._move_position((index, self.height_of(index) - self.height), 0)
                if tall and min_lines
                else (index, 0)
            )
            self.top = min(self.top, start)
            return
        if min_lines:
            self.top = self._move_position(self.top, min_lines)
        last_line = (index, self.height_of(index) - 1)
        lowest = (index, 0) if tall else self._move_position(last_line, 1 - self.height)
        self.top = min(max(self.top, lowest), (index, 0))

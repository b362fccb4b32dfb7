"""ThreadView: entries of any height, read from the newest upwards; the thread of a conversation.

What is on the screen is held as (first entry, first line of it), never as a line number: older
entries arrive above and heights change without moving what is read, and nothing unseen is laid out.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.message import Message

from frontdesk.frozen import dataclass
from frontdesk.present.lines import EMPTY, Line
from frontdesk.tui.keymap import bindings_for
from frontdesk.tui.widgets.lines import (
    BAR,
    NO_BAR,
    LineView,
    Painted,
    Words,
    empty_frame,
    empty_lines,
    thumb_lines,
)

Lay = Callable[[str, int], Sequence[Line]]
_LAID_ENTRIES = 2048


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it is laid out at the present width."""

    key: str
    lines: tuple[Line, ...]


class ThreadView(LineView, can_focus=True):
    """Entries of variable height with a cursor on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("thread")]

    @dataclass
    class _About(Message):
        thread: "ThreadView"

        @property
        def control(self) -> "ThreadView":
            """The thread that it is about."""
            return self.thread

    @dataclass
    class Highlighted(_About):
        """The cursor came to stand on another entry, or on none; a burst arrives as its last one."""

        key: str | None

        def can_replace(self, message: Message) -> bool:
            """A newer place of the cursor replaces an older one."""
            return isinstance(message, ThreadView.Highlighted) and message.thread is self.thread

    @dataclass
    class Chosen(_About):
        """Enter or a double click on an entry."""

        key: str

    @dataclass
    class NearTop(_About):
        """Less than a page is left above; posted once until entries were put above or set anew."""

    @dataclass
    class NewBelow(_About):
        """How many entries have arrived below what is read; 0 once the end was reached."""

        count: int

        def can_replace(self, message: Message) -> bool:
            """A newer count replaces an older one."""
            return isinstance(message, ThreadView.NewBelow) and message.thread is self.thread

    def __init__(
        self,
        lay: Lay,
        *,
        empty: Words = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """A thread with no entries yet.

        Args:
            lay: gives the lines of a key at a width, at least one.
            empty: shown in the middle while there is no entry: why, and what to press.
        """
        super().__init__(id=id, classes=classes)
        self._lay = lay
        self._empty = empty_lines(empty)
        self._keys: list[str] = []
        self._places: dict[str, int] = {}
        self._cursor = 0
        self._top, self._top_line = 0, 0
        self._to_end = False
        self._near_top_said = False
        self._below = 0
        self._laid: LRUCache[str, tuple[int, tuple[Line, ...]]] = LRUCache(_LAID_ENTRIES)
        self._last_highlight: str | None = None
        self._was_at_end = False

    @property
    def keys(self) -> Sequence[str]:
        """The keys from the oldest to the newest."""
        return tuple(self._keys)

    @property
    def cursor_key(self) -> str | None:
        """The key under the cursor."""
        return self._keys[self._cursor] if self._keys else None

    @property
    def below(self) -> int:
        """Entries that arrived below what is read."""
        return self._below

    @property
    def top(self) -> tuple[str, int] | None:
        """The entry at the top of the screen and how many of its lines are above it."""
        return (self._keys[self._top], self._top_line) if self._keys else None

    @property
    def is_at_end(self) -> bool:
        """Whether the last line is on the screen."""
        return not self._keys or (self._top, self._top_line) >= self._end_top()

    @property
    def visible_keys(self) -> Sequence[str]:
        """The keys of which at least a line is on the screen."""
        return tuple(dict.fromkeys(self._keys[index] for index, _ in self._visible()))

    def entry(self, key: str) -> Entry:
        """An entry as it is laid out now."""
        return Entry(key, self._lines_of(key))

    def set_entries(self, keys: Iterable[str], at_end: bool = True) -> None:
        """Show other entries: from the last one, or where the same entries were being read."""
        before, reading, cursor = self._keys, self.top, self._cursor
        self._keys = list(keys)
        self._places = {key: place for place, key in enumerate(self._keys)}
        self._near_top_said = False
        self._set_below(0)
        if not self._keys:
            self._top = self._top_line = self._cursor = 0
        elif at_end:
            self._cursor, self._to_end = len(self._keys) - 1, True
            # Where there is no room to settle in yet, the top of a longer thread must not stay.
            self._top = min(self._top, self._cursor)
        else:
            top, line = (before.index(reading[0]), reading[1]) if reading is not None else (0, 0)
            self._top = self._place_of(before[top:])
            self._top_line = line if reading is not None and reading[0] in self._places else 0
            self._cursor = self._place_of(before[cursor:])
        self._settle()

    def _place_of(self, wanted: Sequence[str]) -> int:
        """The place of the first of these that is still here: a gap that was filled is gone."""
        return next((self._places[key] for key in wanted if key in self._places), 0)

    def append(self, keys: Iterable[str]) -> None:
        """Put newer entries below: followed at the end, else counted."""
        newer = [key for key in keys if key not in self._places]
        if not newer:
            return
        follow = self._to_end or self.is_at_end
        on_last = not self._keys or self._cursor == len(self._keys) - 1
        for place, key in enumerate(newer, len(self._keys)):
            self._places[key] = place
        self._keys += newer
        if follow:
            self._to_end = True
            self._cursor = len(self._keys) - 1 if on_last else self._cursor
        else:
            self._set_below(self._below + len(newer))
        self._settle()

    def refresh_keys(self, keys: Iterable[str]) -> None:
        """Lay these entries out again; only lines that come out different are painted."""
        follow = self.is_at_end and bool(self.size)
        for key in keys:
            self._laid.discard(key)
        self._to_end = self._to_end or follow
        self._settle()

    def redraw(self) -> None:
        """Lay all entries out again, when what all of them show has changed."""
        self.refresh_keys(list(self._laid.keys()))

    def set_empty(self, empty: Words) -> None:
        """Say something else while there is no entry."""
        self._empty = empty_lines(empty)
        self.sync()

    def move_to(self, key: str) -> bool:
        """Put the cursor on this entry and bring it into sight; False where it is not here."""
        if key not in self._places:
            return False
        self._go(self._places[key])
        return True

    def scroll_lines(self, count: int) -> None:
        """Scroll by lines without moving the cursor."""
        self._top, self._top_line = self._moved(self._top, self._top_line, count)
        self._settle()

    def frame(self) -> Sequence[Painted]:
        """What the visible lines show now."""
        if not self._keys:
            return empty_frame(self._empty, self.line_width, self.size.height)
        visible = self._visible()
        last = visible[-1][0] if visible else 0
        hidden_line = self._top > 0 or self._top_line > 0 or not self.is_at_end
        total = len(self._keys) + (1 if hidden_line else 0)
        shown = last - self._top + 1 if hidden_line else total
        thumb = thumb_lines(self._top, shown, max(total, shown + hidden_line), self.size.height)
        lines: list[Painted] = []
        for y, (index, part) in enumerate(visible):
            line = self._lines_of(self._keys[index])[part]
            bar = BAR if index == self._cursor and line else NO_BAR
            lines.append(Painted(line=line, bar=bar, thumb=y in thumb))
        return lines

    def resized(self) -> None:
        """Stay at the end, or on the line that was read."""
        self._to_end = self._to_end or self._was_at_end
        self._settle()

    def sync(self) -> None:
        """Paint what differs, and remember for the next change of size whether the end is in sight."""
        self._was_at_end = bool(self.size and self._keys) and self.is_at_end
        super().sync()

    def on_click(self, event: events.Click) -> None:
        visible = self._visible()
        if event.y < len(visible):
            self._cursor = visible[event.y][0]
            self._settle()
            if event.chain == 2:
                self.action_choose()

    def action_cursor_down(self) -> None:
        self._step(1)

    def action_cursor_up(self) -> None:
        self._step(-1)

    def action_cursor_first(self) -> None:
        self._top = self._top_line = 0
        self._cursor = 0
        self._settle()

    def action_cursor_last(self) -> None:
        self._cursor, self._to_end = max(0, len(self._keys) - 1), True
        self._settle()

    def action_half_down(self) -> None:
        self._page(max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self._page(-max(1, self.size.height // 2))

    def action_page_down(self) -> None:
        self._page(max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        self._page(-max(1, self.size.height - 1))

    def action_choose(self) -> None:
        if self._keys:
            self.post_message(self.Chosen(self, self._keys[self._cursor]))

    def _step(self, by: int) -> None:
        """The next entry, after the rest of one that is taller than the screen was read."""
        if not self._keys or not self.size:
            return
        half = max(1, self.size.height // 2)
        hidden = self._hidden_lines(self._cursor, by)
        if hidden and self._cursor in {index for index, _ in self._visible()}:
            self.scroll_lines(by * min(hidden, half))
            return
        self._go(min(max(0, self._cursor + by), len(self._keys) - 1), half)

    def _go(self, index: int, least: int = 0) -> None:
        """Put the cursor on an entry, scrolling by at least so many lines where it is out of sight."""
        self._cursor = index
        visible = {line for line, _ in self._visible()}
        if index not in visible or self._hidden_lines(index, 1) or self._hidden_lines(index, -1):
            self._reveal(index, least if visible & {index - 1, index, index + 1} else 0)
        self._settle()

    def _reveal(self, index: int, least: int) -> None:
        height = max(1, self.size.height)
        tall = self._height_of(index) >= height
        above = index < self._top or (index == self._top and self._top_line > 0)
        if above:
            if least:
                self.scroll_lines(-least)
            start = self._moved(index, self._height_of(index) - height, 0) if tall and least else (index, 0)
            self._top, self._top_line = min((self._top, self._top_line), start)
            return
        if least:
            self._top, self._top_line = self._moved(self._top, self._top_line, least)
        last_line = (index, self._height_of(index) - 1)
        lowest = (index, 0) if tall else self._moved(*last_line, 1 - height)
        self._top, self._top_line = min(max((self._top, self._top_line), lowest), (index, 0))

    def _page(self, lines: int) -> None:
        if not self._keys:
            return
        before = (self._top, self._top_line)
        self._top, self._top_line = self._moved(*before, lines)
        self._clamp()
        if (self._top, self._top_line) == before:
            self._cursor = 0 if lines < 0 else len(self._keys) - 1
        else:
            whole = [index for index, _ in self._visible()]
            if self._cursor not in whole:
                self._cursor = whole[-1] if lines < 0 else whole[0]
        self._settle()

    def _settle(self) -> None:
        """Bring the screen in line with what was decided, paint it, and say what changed."""
        if self.size and self._keys:
            if self._to_end:
                self._top, self._top_line = self._end_top()
                self._to_end = False
            self._clamp()
            if self.is_at_end:
                self._set_below(0)
            self._say_near_top()
        if self.cursor_key != self._last_highlight:
            self._last_highlight = self.cursor_key
            self.post_message(self.Highlighted(self, self.cursor_key))
        self.sync()

    def _say_near_top(self) -> None:
        if self._near_top_said:
            return
        lines, index = self._top_line, self._top
        while index > 0 and lines < self.size.height:
            index -= 1
            lines += self._height_of(index)
        if lines < self.size.height:
            self._near_top_said = True
            self.post_message(self.NearTop(self))

    def _set_below(self, count: int) -> None:
        if count != self._below:
            self._below = count
            self.post_message(self.NewBelow(self, count))

    def _visible(self) -> list[tuple[int, int]]:
        """(entry, line of it) for each line of the screen that has one."""
        found: list[tuple[int, int]] = []
        index, line = self._top, self._top_line
        while index < len(self._keys) and len(found) < self.size.height:
            found += [(index, part) for part in range(line, self._height_of(index))]
            index, line = index + 1, 0
        return found[: self.size.height]

    def _hidden_lines(self, index: int, by: int) -> int:
        """How many lines of an entry are beyond the lower (1) or upper (-1) edge."""
        parts = [part for at, part in self._visible() if at == index]
        if not parts:
            return self._height_of(index)
        return self._height_of(index) - 1 - parts[-1] if by > 0 else parts[0]

    def _clamp(self) -> None:
        self._top = min(self._top, len(self._keys) - 1)
        self._top_line = min(self._top_line, self._height_of(self._top) - 1)
        self._top, self._top_line = min((self._top, self._top_line), self._end_top())

    def _end_top(self) -> tuple[int, int]:
        """Where the screen starts when the last line is on its last line."""
        last = len(self._keys) - 1
        return self._moved(last, self._height_of(last) - 1, 1 - max(1, self.size.height))

    def _moved(self, index: int, line: int, by: int) -> tuple[int, int]:
        """The place so many lines further down or up, laying out only what is passed."""
        line += by
        while line < 0 and index > 0:
            index -= 1
            line += self._height_of(index)
        while index < len(self._keys) - 1 and line >= self._height_of(index):
            line -= self._height_of(index)
            index += 1
        return index, min(max(0, line), self._height_of(index) - 1)

    def _height_of(self, index: int) -> int:
        return len(self._lines_of(self._keys[index]))

    def _lines_of(self, key: str) -> tuple[Line, ...]:
        width = self.line_width
        found = self._laid.get(key)
        if found is None or found[0] != width:
            found = self._laid[key] = (width, tuple(self._lay(key, width)) or (EMPTY,))
        return found[1]

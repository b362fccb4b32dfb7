"""RowList: a list of keys, each drawn as one to four lines; conversations, cards and pickers use it.

The cursor and the marks are keys, never positions, so a re-sort moves neither.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.message import Message

from frontdesk.text.lines import EMPTY, Line
from frontdesk.tui.keymap import bindings_for
from frontdesk.tui.widgets.line_view import (
    BAR,
    NO_BAR,
    LineView,
    Painted,
    Words,
    empty_frame,
    empty_lines,
    thumb_lines,
)

Draw = Callable[[str, int], Sequence[Line]]
KeepsMarks = Callable[[Collection[str]], Collection[str]]
"""Of marked keys that are no longer listed those that keep their marks."""
More = Callable[[int | None], None]
"""Gives the list at least so many keys by `set_keys`, all of them for None."""

MARK = "✓"
MARKING = frozenset({"toggle_mark", "mark_range", "mark_all"})
_DRAWN_ROWS = 2048


class RowList(LineView, can_focus=True):
    """A list of string keys, drawn by a callable that is given a key and a width."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("list")]

    @dataclass
    class _About(Message):
        row_list: "RowList"

        @property
        def control(self) -> "RowList":
            """The list that it is about."""
            return self.row_list

    @dataclass
    class Highlighted(_About):
        """The cursor came to stand on another key, or on none; a burst arrives as its last one."""

        key: str | None

        def can_replace(self, message: Message) -> bool:
            """A newer place of the cursor replaces an older one."""
            return isinstance(message, RowList.Highlighted) and message.row_list is self.row_list

    @dataclass
    class Chosen(_About):
        """Enter or a double click on a row."""

        key: str

    @dataclass
    class Marked(_About):
        """The marked keys changed."""

        keys: frozenset[str]

        def can_replace(self, message: Message) -> bool:
            """A newer set of marks replaces an older one."""
            return isinstance(message, RowList.Marked) and message.row_list is self.row_list

    def __init__(
        self,
        draw: Draw,
        *,
        row_height: int = 1,
        empty: Words = "",
        can_mark: bool = True,
        always_active: bool = False,
        seen_blurred: bool = True,
        more: More | None = None,
        keeps_marks: KeepsMarks | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """A list with no rows yet.

        Args:
            draw: gives the lines of a key at a width, at most `row_height` of them.
            row_height: lines a row takes.
            empty: shown in the middle while there is no row: why, and what to press.
            can_mark: whether rows are marked here; else the keys for that go on to what is above.
            always_active: looks focused although another widget types for it, as under an input.
            seen_blurred: whether the cursor is seen while the focus is elsewhere.
            more: asked for further keys where `set_keys` gave only the first of a longer list.
            keeps_marks: which marked keys that are no longer listed keep their marks; by default none does.
        """
        super().__init__(id=id, classes=classes)
        self._draw = draw
        self._row_height = max(1, row_height)
        self._empty = empty_lines(empty)
        self._can_mark = can_mark
        self.always_active = always_active
        self._seen_blurred = seen_blurred
        self._more = more
        self._keeps_marks = keeps_marks
        self._total = 0
        self._keys: Sequence[str] = ()
        self._index = 0
        self._cursor: str | None = None
        self._top = 0
        self._marks: set[str] = set()
        self._hidden: frozenset[str] = frozenset()
        self._displaced: str | None = None
        self._anchor: str | None = None
        self._drawn: LRUCache[str, tuple[int, tuple[Line, ...]]] = LRUCache(_DRAWN_ROWS)

    @property
    def keys(self) -> Sequence[str]:
        """The keys in the order shown."""
        return self._keys

    @property
    def cursor_key(self) -> str | None:
        """The key under the cursor."""
        return self._cursor

    @property
    def cursor_index(self) -> int | None:
        """Where the cursor stands among the keys, from 0."""
        return self._index if self._cursor is not None else None

    @property
    def row_height(self) -> int:
        """The lines that a row takes."""
        return self._row_height

    @property
    def cursor_line(self) -> int:
        """The line of the screen on which the cursor's row begins."""
        return self._index * self._row_height - self._top

    @property
    def marks(self) -> frozenset[str]:
        """The marked keys, listed or hidden."""
        return frozenset(self._marks)

    @property
    def hidden_marks(self) -> frozenset[str]:
        """The marked keys that a filter or a view leaves out."""
        return self._hidden

    @property
    def displaced_key(self) -> str | None:
        """The key that the cursor was on until its row went away; None once a person has moved the cursor."""
        return self._displaced

    @property
    def needed(self) -> set[str]:
        """The keys that must not be lost where only a part of a list is given: the cursor's and the marked."""
        listed = self._marks - self._hidden
        return listed | ({self._cursor} if self._cursor is not None else set())

    @property
    def targets(self) -> tuple[str, ...]:
        """What a command works on: the marked keys in the order shown and then the hidden ones, else the one
        under the cursor."""
        if self._marks:
            listed = [key for key in self._keys if key in self._marks] if self._hidden != self._marks else []
            return (*listed, *sorted(self._hidden))
        return () if self._cursor is None else (self._cursor,)

    def key_at(self, y: int) -> str | None:
        """The key of the row on this line of the screen; None below the last one."""
        index = (self._top + y) // self._row_height
        return self._keys[index] if 0 <= index < len(self._keys) else None

    def set_keys(self, keys: Sequence[str], total: int | None = None, *, anew: bool = False) -> None:
        """Show these keys, kept as given; they are distinct. `total` counts those not given yet, too.

        The cursor stays on its key and on its line of the screen; at the very top it lets new rows
        in above it. Where its key is gone it goes to the row that followed, else the one before, and
        `displaced_key` names the key. Marks of keys that are gone are gone, but for those that
        `keeps_marks` keeps.

        Args:
            anew: this is the list of something else: it begins at its first row, without marks.
        """
        if anew:
            self._keys, self._index, self._cursor, self._top = (), 0, None, 0
            self._displaced = None
            self._set_marks(set())
        was_on = self._cursor
        before, at, offset = self._keys, self._index, self._index * self._row_height - self._top
        self._keys = keys
        self._total = max(len(keys), total or 0)
        if self._marks:
            self._keep_marks(self._marks)
        if not keys:
            self._top = 0
            self._put_cursor(0)
        else:
            self._put_cursor(_place_of(self._cursor, at, before, keys))
            was_at_top = self._top == 0
            line = self._index * self._row_height
            if not (was_at_top and line + self._row_height <= self.size.height):
                self._top = line - offset
            self._clamp()
        if was_on is not None and self._cursor != was_on:
            self._displaced = was_on
        self.sync()

    def accept_cursor(self) -> None:
        """Take the row under the cursor for the one that a person means, wherever it came from."""
        self._displaced = None

    def refresh_keys(self, keys: Iterable[str]) -> None:
        """Draw these keys again; only rows that come out different are painted."""
        for key in keys:
            self._drawn.discard(key)
        self.sync()

    def redraw(self) -> None:
        """Draw all rows again, when what all of them show has changed."""
        self._drawn.clear()
        self.sync()

    def set_row_height(self, lines: int) -> None:
        """Give every row so many lines from here on, which `draw` is asked for anew; the cursor stays in sight."""
        if lines != self._row_height:
            line = self.cursor_line // self._row_height
            self._row_height = lines
            self._top = max(0, (self._index - line) * lines)
            self._drawn.clear()
            self._reveal()
            self._clamp()
            self.sync()

    def set_empty(self, empty: Words) -> None:
        """Say something else while there is no row."""
        self._empty = empty_lines(empty)
        self.sync()

    def mark(self, keys: Iterable[str]) -> None:
        """Mark these rows too; those that aren't listed only where `keeps_marks` keeps them."""
        self._keep_marks(self._marks.union(keys))
        self.sync()

    def unmark(self, keys: Iterable[str]) -> frozenset[str]:
        """Take these marks off; answers which of them there were."""
        removed = self._marks.intersection(keys)
        if removed:
            self._set_marks(self._marks - removed)
            self.sync()
        return frozenset(removed)

    def hold(self, count: int | None) -> None:
        """Have so many keys at least, as far as there are; all of them for None."""
        held = len(self._keys)
        if self._more is not None and held < self._total and (count is None or count >= held):
            self._more(count)

    def move_to(self, key: str) -> bool:
        """Put the cursor on this key and bring it into sight; False where it is not listed."""
        index = _find(key, self._index, self._keys)
        if index is None:
            return False
        self._go(index)
        return True

    def put_back(self, key: str, line: int) -> bool:
        """Put the cursor on this key, on the line of the screen on which it was left."""
        index = _find(key, self._index, self._keys)
        if index is None:
            return False
        self._put_cursor(index)
        self._top = index * self._row_height - line
        self._clamp()
        self.sync()
        return True

    def scroll_lines(self, count: int) -> None:
        """Scroll by lines without moving the cursor."""
        rows = max(1, abs(count) // self._row_height)
        self._top += rows * self._row_height * (1 if count > 0 else -1)
        self.hold((self._top + 2 * self.size.height) // self._row_height)
        self._clamp()
        self.sync()

    def frame(self) -> Sequence[Painted]:
        """What the visible lines show now."""
        height, width, rows = self.size.height, self.line_width, self._row_height
        if not self._keys:
            return empty_frame(self._empty, width, height)
        total = len(self._keys) * rows
        thumb = thumb_lines(self._top, height, self._total * rows, height)
        shows_cursor = self._seen_blurred or self.is_active
        lines: list[Painted] = []
        for y in range(min(height, total - self._top)):
            index, part = divmod(self._top + y, rows)
            key = self._keys[index]
            at_cursor = shows_cursor and key == self._cursor
            drawn = self._lines_of(key, width)
            lines.append(
                Painted(
                    line=drawn[part] if part < len(drawn) else EMPTY,
                    # The bar shows how far the row goes; a look on all of its lines would be sent with every move.
                    look=self._cursor_look if at_cursor and part == 0 else "",
                    bar=BAR if at_cursor else NO_BAR,
                    mark=MARK if part == 0 and key in self._marks else " ",
                    thumb=y in thumb,
                )
            )
        return lines

    def resized(self) -> None:
        """Keep the cursor in sight."""
        self._reveal()
        self._clamp()
        self.sync()

    def action_cursor_down(self) -> None:
        self._step(1)

    def action_cursor_up(self) -> None:
        self._step(-1)

    def action_cursor_first(self) -> None:
        self._go(0)

    def action_cursor_last(self) -> None:
        self.hold(None)
        self._go(len(self._keys) - 1)

    def action_half_down(self) -> None:
        self._page(max(1, self._page_rows // 2))

    def action_half_up(self) -> None:
        self._page(-max(1, self._page_rows // 2))

    def action_page_down(self) -> None:
        self._page(self._page_rows)

    def action_page_up(self) -> None:
        self._page(-self._page_rows)

    def action_choose(self) -> None:
        if self._cursor is not None:
            self.post_message(self.Chosen(self, self._cursor))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where no row is marked the keys that mark do nothing."""
        return (self._can_mark or action not in MARKING) and super().check_action(action, parameters)

    def action_toggle_mark(self) -> None:
        if self._cursor is None:
            return
        self._anchor = self._cursor
        self._set_marks(self._marks ^ {self._cursor})
        self._step(1)
        self.sync()

    def action_mark_range(self) -> None:
        if self._cursor is None:
            return
        anchor = None if self._anchor is None else _find(self._anchor, self._index, self._keys)
        first, last = sorted((self._index if anchor is None else anchor, self._index))
        self._anchor = self._cursor
        self._set_marks(self._marks.union(self._keys[first : last + 1]))
        self.sync()

    def action_mark_all(self) -> None:
        self.hold(None)
        everything = set(self._keys)
        self._set_marks(set() if self._marks >= everything else self._marks | everything)
        self.sync()

    def action_clear_marks(self) -> None:
        if not self._marks:
            raise SkipAction
        self._anchor = None
        self._set_marks(set())
        self.sync()

    def on_click(self, event: events.Click) -> None:
        key = self.key_at(event.y)
        if key is None:
            return
        self._go((self._top + event.y) // self._row_height)
        if event.chain == 2:
            self.action_choose()

    @property
    def _cursor_look(self) -> str:
        return "cursor" if self.is_active else "cursor-blurred"

    @property
    def _page_rows(self) -> int:
        return max(1, self.size.height // self._row_height)

    def _step(self, rows: int) -> None:
        """One row on; at the edge the list scrolls over half a page at once, which costs fewer bytes a key."""
        if not self._keys:
            return
        self.accept_cursor()
        self.hold(self._index + rows + 2 * self._page_rows)
        index = min(max(0, self._index + rows), len(self._keys) - 1)
        line, height, jump = index * self._row_height, self.size.height, self._row_height
        jump *= max(1, self._page_rows * 3 // 5)
        seen_before = self._in_sight(self._index)
        self._put_cursor(index)
        if not self._in_sight(index):
            if seen_before and height > 0:
                self._top += jump if line > self._top else -jump
                self._clamp()
            self._reveal()
        self.sync()

    def _page(self, rows: int) -> None:
        if not self._keys:
            return
        self.accept_cursor()
        self.hold(self._index + rows + 2 * self._page_rows)
        self._put_cursor(min(max(0, self._index + rows), len(self._keys) - 1))
        self._top += rows * self._row_height
        self._reveal()
        self._clamp()
        self.sync()

    def _go(self, index: int) -> None:
        if not self._keys:
            return
        self.accept_cursor()
        self._put_cursor(index)
        self._reveal()
        self.sync()

    def _put_cursor(self, index: int) -> None:
        key = self._keys[index] if self._keys else None
        self._index = index
        if key != self._cursor:
            self._cursor = key
            self.post_message(self.Highlighted(self, key))

    def _keep_marks(self, marks: set[str]) -> None:
        """Mark those of these keys that are listed or keep their mark without it."""
        listed = marks.intersection(self._keys)
        away, keeps = marks - listed, self._keeps_marks
        hidden = set(keeps(away)) if away and keeps is not None else set()
        if listed | hidden != self._marks or hidden != self._hidden:
            self._marks, self._hidden = listed | hidden, frozenset(hidden)
            self.post_message(self.Marked(self, frozenset(self._marks)))

    def _set_marks(self, marks: set[str]) -> None:
        if marks != self._marks:
            self._marks = marks
            self._hidden &= marks
            self.post_message(self.Marked(self, frozenset(marks)))

    def _in_sight(self, index: int) -> bool:
        line = index * self._row_height
        return self._top <= line and line + self._row_height <= self._top + self.size.height

    def _reveal(self) -> None:
        line, height = self._index * self._row_height, self.size.height
        if height > 0:
            self._top = min(self._top, line)
            self._top = max(self._top, min(line, line + self._row_height - height))

    def _clamp(self) -> None:
        rows = len(self._keys) * self._row_height
        self._top = max(0, min(self._top, rows - self.size.height))

    def _lines_of(self, key: str, width: int) -> tuple[Line, ...]:
        found = self._drawn.get(key)
        if found is None or found[0] != width:
            found = self._drawn[key] = (width, tuple(self._draw(key, width)))
        return found[1]


def _find(key: str, near: int, keys: Sequence[str]) -> int | None:
    if 0 <= near < len(keys) and keys[near] == key:
        return near
    try:
        return keys.index(key)
    except ValueError:
        return None


def _place_of(cursor: str | None, at: int, before: Sequence[str], keys: Sequence[str]) -> int:
    """Where the cursor goes among new keys: its key, else the next that is still there, else the one before."""
    if cursor is None:
        return 0
    if (found := _find(cursor, at, keys)) is not None:
        return found
    if at + 1 < len(before) and at < len(keys) and keys[at] == before[at + 1]:
        return at  # the row that followed has moved up: nothing else is looked at
    places = {key: index for index, key in enumerate(keys)}
    for key in (*before[at + 1 :], *reversed(before[:at])):
        if key in places:
            return min(places[key], len(keys) - 1)
    return min(at, len(keys) - 1)

"""RowList: a list of keys, each drawn as one to four lines; conversations, cards and pickers use it.

The cursor and the marks are keys, never positions, so a re-sort moves neither.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.timer import Timer

from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.lines import EMPTY, Line
from frontdesk_lines.list_keys import bindings_for
from frontdesk_lines.widgets.line_view import (
    BAR,
    NO_BAR,
    LatestViewMessage,
    LineCache,
    PagedView,
    Painted,
    ViewMessage,
    Words,
    empty_frame,
    empty_lines,
    thumb_lines,
)

KeepsMarks = Callable[[Collection[str]], Collection[str]]
"""Returns which of these marked keys, no longer listed, stay marked."""


class RowMarks:
    """The marked keys of a list; each method that changes them returns whether it did.

    Args:
        keeps: decides which marked keys that are no longer listed stay marked; None for none.

    Attributes:
        all: the marked keys, listed or hidden.
        hidden: those that a filter or a view leaves out.
        tasks: by marked key the task that it means, for marks that keep one.
    """

    def __init__(self, keeps: KeepsMarks | None) -> None:
        self._keeps = keeps
        self.all: frozenset[str] = frozenset()
        self.hidden: frozenset[str] = frozenset()
        self.tasks: Mapping[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.all)

    def set(self, keys: Iterable[str]) -> bool:
        """Mark these keys, which are listed or hidden already, and no others."""
        before, self.all = self.all, frozenset(keys)
        self.hidden &= self.all
        self.restore_tasks(self.tasks)
        return self.all != before

    def keep(self, marks: Iterable[str], listed: Iterable[str]) -> bool:
        """Mark those of these keys that are listed or kept by `keeps`."""
        before, marks = (self.all, self.hidden), frozenset(marks)
        shown = marks.intersection(listed)
        unlisted = marks - shown
        self.hidden = frozenset(self._keeps(unlisted)) if unlisted and self._keeps is not None else frozenset()
        self.all = shown | self.hidden
        self.restore_tasks(self.tasks)
        return (self.all, self.hidden) != before

    def restore_tasks(self, tasks: Mapping[str, str]) -> None:
        """Let each of these keys that is marked mean this task, and the others none."""
        self.tasks = {key: task for key, task in tasks.items() if key in self.all}

    def in_order(self, listed: Sequence[str]) -> tuple[str, ...]:
        """Return the marked keys in the order shown and then the hidden ones."""
        shown = [key for key in listed if key in self.all] if self.hidden != self.all else []
        return (*shown, *sorted(self.hidden))


def find_key(key: str, near: int, keys: Sequence[str]) -> int | None:
    """Return the index of a key, tried at `near` first, or None if it isn't listed."""
    if 0 <= near < len(keys) and keys[near] == key:
        return near
    try:
        return keys.index(key)
    except ValueError:
        return None


def cursor_index(cursor: str | None, at: int, before: Sequence[str], keys: Sequence[str]) -> int:
    """Return the cursor's index among new keys: its key, else the next still there, else the one before."""
    if cursor is None:
        return 0
    if (found := find_key(cursor, at, keys)) is not None:
        return found
    if at + 1 < len(before) and at < len(keys) and keys[at] == before[at + 1]:
        return at  # the row that followed has moved up: the usual case
    indexes = {key: index for index, key in enumerate(keys)}
    for key in (*before[at + 1 :], *reversed(before[:at])):
        if key in indexes:
            return min(indexes[key], len(keys) - 1)
    return min(at, len(keys) - 1)


Draw = Callable[[str, int], Sequence[Line]]
More = Callable[[int | None], None]
"""Calls `set_keys` with at least this number of keys; with all of them for None."""

TasksOf = Callable[[Sequence[str]], Mapping[str, str]]
"""Returns by row the task that a mark on it keeps; a row without one has a mark that means the row alone."""

SETTLED_SECONDS = 2.0
"""A key so soon after the first row changed under a cursor that follows it may be meant for the row before."""

AHEAD_SECONDS = 0.015
"""After a key, so that its frame has been sent, and before the next one of a key that repeats."""

MARKING = frozenset({"toggle_mark", "mark_range", "mark_all"})


class RowList(PagedView, can_focus=True):
    """A list of string keys, drawn by a callable that is given a key and a width.

    Args:
        draw: returns the lines of a key at a width, at most `row_height` of them.
        empty: shown in the middle while there is no row: why, and what to press.
        can_mark: whether rows are marked; else the keys for that go on to the parent.
        always_active: whether it looks focused although another widget, such as an input, has the focus.
        seen_blurred: whether the cursor is visible without the focus.
        follows_first: whether the cursor stays on the first row, whichever that is, until a key or a click.
        more: loads further keys where `set_keys` gave only the first of a longer list.
        keeps_marks: decides which marked keys that are no longer listed stay marked; by default none.
        tasks_of: the tasks that marks keep; by default none.

    Attributes:
        keys: in the order shown; `set_keys` changes them.
        new: the keys of rows with news; `set_new` changes them.
        displaced_key: the key under the cursor when its row was removed; None once the cursor was moved.
        scrolled_from: the key that the cursor was moved to last, while scrolling has it on another one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("list")]

    @dataclass(repr=False, eq=False)
    class Highlighted(LatestViewMessage):
        """The cursor moved to another key, or to none."""

        key: str | None

    @dataclass(repr=False, eq=False)
    class Chosen(ViewMessage):
        """Enter or a double click on a row."""

        key: str

    @dataclass(repr=False, eq=False)
    class Marked(LatestViewMessage):
        keys: frozenset[str]

    def __init__(
        self,
        draw: Draw,
        *,
        row_height: int = 1,
        empty: Words = "",
        can_mark: bool = True,
        always_active: bool = False,
        seen_blurred: bool = True,
        follows_first: bool = False,
        more: More | None = None,
        keeps_marks: KeepsMarks | None = None,
        tasks_of: TasksOf = lambda _: {},
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._drawn = LineCache(draw)
        self.row_height = max(1, row_height)
        self._empty = empty_lines(empty)
        self.can_mark = can_mark
        self.always_active = always_active
        self._seen_blurred = seen_blurred
        self.follows_first = follows_first
        self._followed_from: tuple[str | None, float] = None, 0.0
        """The first row before, and when another one took its place."""
        self._more = more
        self._total = 0
        self.keys: Sequence[str] = ()
        self._index = 0
        self.cursor_key: str | None = None
        self._top = 0
        self._ahead: Timer | None = None
        self._marks = RowMarks(keeps_marks)
        self._tasks_of = tasks_of
        self.new: Collection[str] = ()
        self.displaced_key: str | None = None
        self.scrolled_from: str | None = None
        self._anchor: str | None = None

    @property
    def cursor_index(self) -> int | None:
        return self._index if self.cursor_key is not None else None

    @property
    def cursor_line(self) -> int:
        """The line of the screen on which the cursor's row begins."""
        return self._index * self.row_height - self._top

    @property
    def rows_above(self) -> int:
        return self._top // self.row_height

    @property
    def marks(self) -> frozenset[str]:
        return self._marks.all

    @property
    def hidden_marks(self) -> frozenset[str]:
        """The marked keys that a filter or a view leaves out."""
        return self._marks.hidden

    @property
    def marked_tasks(self) -> Mapping[str, str]:
        """By marked key the task that it means, for marks that keep one."""
        return self._marks.tasks

    @property
    def needed(self) -> set[str]:
        """The keys that a partial list must contain: the cursor's and the marked."""
        listed = set(self._marks.all - self._marks.hidden)
        key = self.cursor_key
        return listed if key is None or self.follows_first else {*listed, key}

    @property
    def targets(self) -> tuple[str, ...]:
        """The keys that a command works on: the marked ones as shown, then the hidden ones, else the cursor's."""
        if self._marks:
            return self._marks.in_order(self.keys)
        return () if self.cursor_key is None else (self.cursor_key,)

    @property
    def keys_on_screen(self) -> Sequence[str]:
        """The keys of the rows that are seen whole or in part."""
        return self.keys[self._top // self.row_height : -(-(self._top + self.size.height) // self.row_height)]

    def key_at(self, y: int) -> str | None:
        """Return the key of the row on a line of the screen; None below the last one."""
        index = (self._top + y) // self.row_height
        return self.keys[index] if 0 <= index < len(self.keys) else None

    def set_keys(self, keys: Sequence[str], total: int | None = None, *, reset: bool = False) -> None:
        """Show these keys, which are distinct and kept as given.

        The cursor stays on its key and line of the screen; at the very top new rows are inserted above it. If its
        key is gone it moves to the row that followed, else the one before, and `displaced_key` names the key.

        Args:
            total: the number of keys including those not given yet.
            reset: whether this is another list, which begins at its first row, without marks.
        """
        if reset:
            self.keys, self._index, self._top = (), 0, 0
            self.cursor_key = self.displaced_key = self.scrolled_from = None
            self._set_marks(())
        was_on = self.cursor_key
        before, at, offset = self.keys, self._index, self._index * self.row_height - self._top
        self.keys = keys
        self._total = max(len(keys), total or 0)
        if self._marks:
            self._keep_marks(self._marks.all)
        if not keys or self.follows_first:
            self._top = 0
            self._set_cursor(0)
        else:
            self._set_cursor(cursor_index(self.cursor_key, at, before, keys))
            line = self._index * self.row_height
            if self._top or line + self.row_height > self.size.height:
                self._top = line - offset
            self._clamp()
        if was_on is not None and self.cursor_key != was_on:
            if self.follows_first:
                self._followed_from = was_on, time.monotonic()
            else:
                self.displaced_key = was_on
        self.sync()

    def hold_cursor(self) -> None:
        """Let the cursor stay on its row from now on, whichever row is the first."""
        if self.follows_first:
            self.follows_first = False
            before, at = self._followed_from
            if time.monotonic() - at < SETTLED_SECONDS:
                self.displaced_key = before  # the key may be meant for the row that was here

    def why_displaced(self, done: Collection[str] = ()) -> str:
        """Return what brought the cursor to a row that nobody moved it to: the list `changed` or `was scrolled`.

        Empty if the person moved it; rows that are `done` go away as meant.
        """
        if self.displaced_key is not None and self.displaced_key not in done:
            return "changed"
        return "" if self.scrolled_from is None else "was scrolled"

    def accept_cursor(self) -> None:
        """Accept the row under the cursor as the intended one, however it got there."""
        self.displaced_key = self.scrolled_from = None

    def refresh_keys(self, keys: Iterable[str]) -> None:
        """Draw these keys again; only rows that differ are painted."""
        for key in keys:
            self._drawn.discard(key)
        self.sync()

    def redraw(self) -> None:
        self._drawn.clear()
        self.sync()

    def set_new(self, keys: Collection[str]) -> None:
        """Show which rows have news, listed ones or not."""
        if keys != self.new:
            self.new = keys
            self.sync()

    def set_row_height(self, lines: int) -> None:
        """Redraw every row in so many lines; the cursor stays visible."""
        if lines != self.row_height:
            line = self.cursor_line // self.row_height
            self.row_height = lines
            self._top = max(0, (self._index - line) * lines)
            self._drawn.clear()
            self.resized()

    def set_empty(self, empty: Words) -> None:
        self._empty = empty_lines(empty)
        self.sync()

    def mark(self, keys: Iterable[str], tasks: Mapping[str, str] | None = None) -> None:
        """Mark these rows too, with the tasks they mean; unlisted ones only if `keeps_marks` keeps them."""
        self._keep_marks(self._marks.all.union(keys))
        self._marks.restore_tasks({**self.marked_tasks, **(tasks or {})})
        self.sync()

    def unmark(self, keys: Iterable[str]) -> frozenset[str]:
        """Unmark these rows and return those that were marked."""
        removed = self._marks.all.intersection(keys)
        if removed:
            self._set_marks(self._marks.all - removed)
            self.sync()
        return removed

    def load(self, count: int | None) -> None:
        """Load at least so many keys, as far as there are; all of them for None."""
        held = len(self.keys)
        if self._more is not None and held < self._total and (count is None or count >= held):
            self._more(count)

    def move_to(self, key: str) -> bool:
        """Move the cursor to this key and scroll to it; return False if it isn't listed."""
        if (index := find_key(key, self._index, self.keys)) is None:
            return False
        self._jump_to(index)
        return True

    def restore_cursor(self, key: str, line: int) -> bool:
        """Move the cursor to this key, on the line of the screen on which it was left."""
        if (index := find_key(key, self._index, self.keys)) is None:
            return False
        self.hold_cursor()
        self._set_cursor(index)
        self._top = index * self.row_height - line
        self.resized()
        return True

    def scroll_lines(self, count: int) -> None:
        self.hold_cursor()
        rows = max(1, abs(count) // self.row_height)
        self._top += rows * self.row_height * (1 if count > 0 else -1)
        self.load((self._top + 2 * self.size.height) // self.row_height)
        self._clamp()
        self._take_cursor_along()
        self.sync()

    def frame(self) -> Sequence[Painted]:
        height, width, rows = self.size.height, self.line_width, self.row_height
        if not self.keys:
            return empty_frame(self._empty, width, height)
        total = len(self.keys) * rows
        thumb = thumb_lines(self._top, height, self._total * rows, height)
        shows_cursor = self._seen_blurred or self.is_active
        cursor_style = "cursor" if self.is_active else "cursor-blurred"
        lines: list[Painted] = []
        for y in range(min(height, total - self._top)):
            index, part = divmod(self._top + y, rows)
            if not lines or not part:
                key = self.keys[index]
                at_cursor = shows_cursor and key == self.cursor_key
                drawn = self._drawn.lines(key, width)
            lines.append(
                Painted(
                    line=drawn[part] if part < len(drawn) else EMPTY,
                    # The bar marks the whole row; a style on all of its lines would be sent with every move.
                    style=cursor_style if at_cursor and part == 0 else "",
                    bar=BAR if at_cursor else NO_BAR,
                    mark=" " if part else self._sign(key),
                    thumb=y in thumb,
                )
            )
        return lines

    def _sign(self, key: str) -> str:
        return UNICODE.mark if key in self._marks.all else UNICODE.new if key in self.new else " "

    def resized(self) -> None:
        self._reveal()
        self._clamp()
        self.sync()

    def action_cursor_first(self) -> None:
        self._jump_to(0)

    def action_cursor_last(self) -> None:
        self.load(None)
        self._jump_to(len(self.keys) - 1)

    def action_choose(self) -> None:
        if self.cursor_key is not None:
            self.post_message(self.Chosen(self, self.cursor_key))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return (self.can_mark or action not in MARKING) and super().check_action(action, parameters)

    def action_toggle_mark(self) -> None:
        if self.cursor_key is None:
            return
        self._anchor = key = self.cursor_key
        if key in self._marks.all:
            self._set_marks(self._marks.all - {key})
        else:
            self._mark_by_hand([key])
        self.step(1)

    def action_mark_range(self) -> None:
        if self.cursor_key is None:
            return
        anchor = None if self._anchor is None else find_key(self._anchor, self._index, self.keys)
        first, last = sorted((self._index if anchor is None else anchor, self._index))
        self._anchor = self.cursor_key
        self._mark_by_hand(self.keys[first : last + 1])
        self.sync()

    def action_mark_all(self) -> None:
        self.load(None)
        if self._marks.all.issuperset(self.keys):
            self._set_marks(())
        else:
            self._mark_by_hand(self.keys)
        self.sync()

    def action_clear_marks(self) -> None:
        if not self._marks:
            raise SkipAction
        self._anchor = None
        self._set_marks(())
        self.sync()

    def on_click(self, event: events.Click) -> None:
        if self.key_at(event.y) is not None:
            self._jump_to((self._top + event.y) // self.row_height)
            if event.chain == 2:
                self.action_choose()

    @property
    def page_sizes(self) -> tuple[int, int]:
        rows = max(1, self.size.height // self.row_height)
        return max(1, rows // 2), rows

    def step(self, rows: int) -> None:
        # At the edge the list scrolls over half a page at once, which costs fewer bytes a key.
        if not self.keys:
            return
        self.hold_cursor()
        self.accept_cursor()
        page, height = self.page_sizes[1], self.size.height
        self.load(self._index + rows + 2 * page)
        index = min(max(0, self._index + rows), len(self.keys) - 1)
        line, jump = index * self.row_height, max(1, page * 3 // 5)
        seen_before = self._in_sight(self._index)
        self._set_cursor(index)
        if not self._in_sight(index):
            if seen_before and height > 0:
                self._top += jump * self.row_height * (1 if line > self._top else -1)
                self._clamp()
            self._reveal()
        self.sync()
        if self._ahead is None and self.is_mounted:
            self._ahead = self.set_timer(AHEAD_SECONDS, lambda: self._draw_ahead(jump if rows > 0 else -jump))

    def _draw_ahead(self, jump: int) -> None:
        """Draw a row that steps in this direction will scroll to: all of them at once would delay that key."""
        self._ahead = None
        first, end = self.rows_above, -(-(self._top + self.size.height) // self.row_height)
        width = self.line_width
        for key in self.keys[end : end + jump] if jump > 0 else reversed(self.keys[max(0, first + jump) : first]):
            if not self._drawn.has(key, width):
                self._drawn.lines(key, width)
                return

    def page(self, rows: int) -> None:
        if not self.keys:
            return
        self.hold_cursor()
        self.accept_cursor()
        self.load(self._index + rows + 2 * self.page_sizes[1])
        self._set_cursor(min(max(0, self._index + rows), len(self.keys) - 1))
        self._top += rows * self.row_height
        self.resized()

    def _jump_to(self, index: int) -> None:
        if not self.keys:
            return
        self.hold_cursor()
        self.accept_cursor()
        self._set_cursor(index)
        self._reveal()
        self.sync()

    def _set_cursor(self, index: int) -> None:
        key = self.keys[index] if self.keys else None
        self._index = index
        if key != self.cursor_key:
            self.cursor_key = key
            self.post_message(self.Highlighted(self, key))

    def _take_cursor_along(self) -> None:
        """Keep the cursor on the screen, as near as possible to the row that it was moved to."""
        moved_to, height = self.scrolled_from or self.cursor_key, self.size.height
        if moved_to is None or height <= 0:
            return
        index = find_key(moved_to, self._index, self.keys)
        wanted = self._index if index is None else index
        first = -(-self._top // self.row_height)
        last = max(first, (self._top + height) // self.row_height - 1)
        at = min(max(wanted, first), last, len(self.keys) - 1)
        self.scrolled_from = None if at == index else moved_to
        self._set_cursor(at)

    def _mark_by_hand(self, keys: Sequence[str]) -> None:
        """Mark these rows too; they mean what they show, whatever an earlier mark meant."""
        marked = frozenset(keys)
        kept = {key: task for key, task in self.marked_tasks.items() if key not in marked}
        self._set_marks(self._marks.all | marked)
        self._marks.restore_tasks({**kept, **self._tasks_of(keys)})

    def _keep_marks(self, marks: Iterable[str]) -> None:
        if self._marks.keep(marks, self.keys):
            self.post_message(self.Marked(self, self._marks.all))

    def _set_marks(self, marks: Iterable[str]) -> None:
        if self._marks.set(marks):
            self.post_message(self.Marked(self, self._marks.all))

    def _in_sight(self, index: int) -> bool:
        line = index * self.row_height
        return self._top <= line and line + self.row_height <= self._top + self.size.height

    def _reveal(self) -> None:
        line, height = self._index * self.row_height, self.size.height
        if height > 0:
            self._top = min(self._top, line)
            self._top = max(self._top, min(line, line + self.row_height - height))

    def _clamp(self) -> None:
        rows = len(self.keys) * self.row_height
        self._top = max(0, min(self._top, rows - self.size.height))

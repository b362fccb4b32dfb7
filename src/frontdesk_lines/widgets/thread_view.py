"""ThreadView: entries of any height, read from the newest upwards; the thread of a conversation.

`EntryStack` holds the position and the loaded entries; this paints them and handles the keys.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType

from frontdesk_lines.lines import EMPTY, Line
from frontdesk_lines.list_keys import bindings_for
from frontdesk_lines.widgets.entry_stack import EntryStack, ReadingPosition, Supply
from frontdesk_lines.widgets.line_view import (
    BAR,
    BLANK,
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

Draw = Callable[[str, int], Sequence[Line]]


class ThreadView(PagedView, can_focus=True):
    """Entries of variable height with a cursor on one of them.

    Args:
        draw: returns the lines of a key at a width, at least one.
        empty: shown in the middle while there is no entry: why, and what to press.
        supply: the source of entries that aren't loaded; None if all are.
        shows_cursor: whether a bar marks the cursor's entry; without one the keys scroll by lines.
        at_bottom: whether entries that don't fill the view are at its bottom, with the blank lines above them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("thread")]

    @dataclass(repr=False, eq=False)
    class Highlighted(LatestViewMessage):
        """The cursor moved to another entry, or to none."""

        key: str | None

    @dataclass(repr=False, eq=False)
    class Chosen(ViewMessage):
        """Enter or a double click on an entry."""

        key: str

    class NearTop(ViewMessage):
        """Less than a page is left above and no more can be loaded; posted once for the same entries."""

    @dataclass(repr=False, eq=False)
    class EndReached(LatestViewMessage):
        """The end scrolled into or out of view."""

        is_at_end: bool

    def __init__(
        self,
        draw: Draw,
        *,
        empty: Words = "",
        supply: Supply | None = None,
        shows_cursor: bool = True,
        at_bottom: bool = False,
    ) -> None:
        super().__init__()
        self._at_bottom = at_bottom
        self._shows_cursor = shows_cursor
        self._empty = empty_lines(empty)
        self._stack = EntryStack(lambda key: len(self._lines_of(key)), supply)
        self._known_keys: Sequence[str] = self._stack.keys
        self._near_top_posted = False
        self._drawn = LineCache(lambda key, width: tuple(draw(key, width)) or (EMPTY,))
        self._width = 0
        self._last_highlight: str | None = None
        self._was_at_end = True

    @property
    def keys(self) -> Sequence[str]:
        return tuple(self._stack.keys)

    @property
    def cursor_key(self) -> str | None:
        return self._stack.cursor_key

    @property
    def reading(self) -> ReadingPosition | None:
        return self._stack.reading

    @property
    def top(self) -> tuple[str, int] | None:
        """The entry at the top of the screen and how many of its lines are above it."""
        reading = self._stack.reading
        return None if reading is None else (reading.top, reading.line)

    @property
    def is_at_end(self) -> bool:
        """True if the last line of the newest entry is on the screen."""
        return self._stack.is_at_end

    def set_entries(self, keys: Iterable[str], at_end: bool = True, at: ReadingPosition | None = None) -> None:
        """Show other entries: from the last one, at a position, or where the same were being read."""
        keys = list(keys)
        if at is None and not at_end and self._stack.keys:
            self._stack.replace(keys)
        else:
            if at is None and not at_end and keys:
                at = ReadingPosition(keys[0], 0, keys[0])
            self._drawn.clear()
            self._stack.show(keys, at)
        self._update_view()

    def replace_entries(self, keys: Iterable[str], changed: Iterable[str] = (), *, follow: bool = False) -> None:
        """Replace the loaded entries without moving the text.

        Args:
            changed: the entries that have to be laid out again.
            follow: whether to scroll to the end if that was visible.
        """
        for key in changed:
            self._drawn.discard(key)
        self._stack.replace(keys, follow=follow)
        self._update_view()

    def append(self, keys: Iterable[str]) -> None:
        """Add newer entries; at the end they are followed."""
        newer = [key for key in keys if key not in self._stack]
        if newer:
            self.replace_entries([*self._stack.keys, *newer], follow=self.is_at_end)

    def refresh_keys(self, keys: Iterable[str]) -> None:
        """Draw these entries again; only lines that differ are painted."""
        if self.is_at_end:
            self._stack.pin_to_end()
        for key in keys:
            self._drawn.discard(key)
        self._update_view()

    def redraw(self) -> None:
        self.refresh_keys(self._drawn.keys)

    def set_empty(self, empty: Words) -> None:
        self._empty = empty_lines(empty)
        self.sync()

    def move_to(self, key: str, *, centre: bool = False) -> bool:
        """Move the cursor to this entry and scroll to it; return False if it isn't loaded."""
        index = self._stack.index_of(key)
        if index is None:
            return False
        if centre:
            self._stack.centre(index)
        else:
            self._stack.move_to(index)
        self._update_view()
        return True

    def scroll_lines(self, count: int) -> None:
        self._stack.scroll(count)
        self._update_view()

    def frame(self) -> Sequence[Painted]:
        stack = self._stack
        if not stack.keys:
            return empty_frame(self._empty, self.line_width, self.size.height)
        visible = stack.visible()
        last = visible[-1][0] if visible else 0
        total, older = stack.total
        is_part = older > 0 or stack.top > (0, 0) or not stack.is_at_end
        total += int(is_part)
        shown = last - stack.top[0] + 1 if is_part else total
        # A thread that follows another pane's cursor is at its end, where a thumb says nothing.
        height = self.size.height if self.is_active or not stack.is_at_end else 0
        thumb = thumb_lines(older + stack.top[0], shown, max(total, shown + is_part), height)
        lines = [BLANK] * self._blank_lines(len(visible))
        for y, (index, part) in enumerate(visible):
            line = self._lines_of(stack.keys[index])[part]
            bar = BAR if self._shows_cursor and index == stack.cursor and line else NO_BAR
            lines.append(Painted(line=line, bar=bar, thumb=y in thumb))
        return lines

    def resized(self) -> None:
        if self._was_at_end:
            self._stack.pin_to_end()
        self._update_view()

    def on_click(self, event: events.Click) -> None:
        visible = self._stack.visible()
        y = event.y - self._blank_lines(len(visible))
        if 0 <= y < len(visible):
            self._stack.cursor = visible[y][0]
            self._update_view()
            if event.chain == 2:
                self.action_choose()

    def action_cursor_first(self) -> None:
        self._stack.first()
        self._update_view()

    def action_cursor_last(self) -> None:
        self._stack.last()
        self._update_view()

    def action_choose(self) -> None:
        if self.cursor_key is not None:
            self.post_message(self.Chosen(self, self.cursor_key))

    @property
    def page_sizes(self) -> tuple[int, int]:
        return max(1, self.size.height // 2), max(1, self.size.height - 1)

    def step(self, by: int) -> None:
        if not self._shows_cursor:
            self.scroll_lines(by)
            return
        self._stack.step(by)
        self._update_view()

    def page(self, by: int) -> None:
        self._stack.page(by)
        self._update_view()

    def _update_view(self) -> None:
        if self.size:  # while it is hidden it stays as it was last seen
            self._width, self._stack.height = self.line_width, self.size.height
        self._stack.align()
        if self._known_keys is not self._stack.keys:
            self._forget_others()
        self._post_near_top()
        if self.cursor_key != self._last_highlight:
            self._last_highlight = self.cursor_key
            self.post_message(self.Highlighted(self, self.cursor_key))
        if self._was_at_end != self.is_at_end:
            self._was_at_end = self.is_at_end
            self.post_message(self.EndReached(self, self.is_at_end))
        self.sync()

    def _post_near_top(self) -> None:
        height = self._stack.height
        if height and self._stack.keys and not self._near_top_posted and self._stack.lines_above(height) < height:
            self._near_top_posted = True
            self.post_message(self.NearTop(self))

    def _forget_others(self) -> None:
        """Drop cached lines of unloaded entries: they may have changed when they are loaded again."""
        self._known_keys, self._near_top_posted = self._stack.keys, False
        for key in [key for key in self._drawn.keys if key not in self._stack]:
            self._drawn.discard(key)

    def _blank_lines(self, visible: int) -> int:
        return max(0, self.size.height - visible) if self._at_bottom else 0

    def _lines_of(self, key: str) -> tuple[Line, ...]:
        return self._drawn.lines(key, self._width)

"""The panes of the board: its columns side by side, scrolled by whole columns, and the detail of one task."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate

from textual import events
from textual.app import ComposeResult
from textual.containers import HorizontalScroll
from textual.timer import Timer

from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox import snoozes
from frontdesk.outbox.task_fields import STATUS
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.coverage import Precision, count_words
from frontdesk.storage.records import ChangeKind, Event, TaskRecord
from frontdesk.tasks import history
from frontdesk.tasks import store as task_store
from frontdesk.tasks.store import board_sort_key
from frontdesk.tasks.view import CARD_HEIGHT, MAX_CHANGES, TaskFacts, card, detail, hidden_columns_line
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.ids import StatusId, TaskId
from frontdesk_lines.display_text import SafeText, trusted
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import Line, Role, Span, crop, span, width_of
from frontdesk_lines.widgets.line_page import LinePage
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList

Moves = Mapping[TaskId, StatusId]
"""Cards that were moved a moment ago, and where to, until the store says so itself."""


FIRST_CARDS = 500
"""So many cards of a column are read at first; further ones when the cursor comes near them."""


class Column(Pane):
    """The tasks of one status; `moves` are the board's pending moves, read only."""

    def __init__(self, app_context: AppContext, status: StatusId, moves: Moves):
        super().__init__()
        self._app_context = app_context
        self._db = app_context.store.reading
        self._moves = moves
        self.status = status
        self._stored = self._count = 0
        self._precision = Precision.EXACT
        self._listed: Sequence[TaskId] | None = None
        self._snoozed: Sequence[TaskId] = ()
        self._new: frozenset[str] = frozenset()
        self._window: int | None = FIRST_CARDS
        """How many cards are read where no filter lists them; None for all."""
        self._empty: tuple[Line, ...] = ()
        self.cards = RowList(
            self._draw,
            row_height=CARD_HEIGHT,
            seen_blurred=False,
            keeps_marks=self._known_of,
            more=self._read_more,
        )

    def compose(self) -> ComposeResult:
        yield self.cards

    @property
    def count(self) -> int:
        return self._count

    def read(
        self,
        count: int,
        precision: Precision,
        listed: Sequence[TaskId] | None,
        empty: tuple[Line, ...],
        snoozed: Sequence[TaskId] = (),
    ) -> None:
        """Show the status' tasks.

        Args:
            precision: whether these are all there are.
            listed: the matching ones; None without a filter.
            snoozed: those that sleep, which a filter has left out already.
        """
        if empty != self._empty:
            self._empty = empty
            self.cards.set_empty(empty)
        self._stored, self._precision, self._listed, self._snoozed = count, precision, listed, snoozed
        if (self.cards.cursor_index or 0) < FIRST_CARDS // 2 and not self.cards.marks:
            self._window = self._window or FIRST_CARDS  # who is back at the top reads less
        self._show()

    def show_card(self, task_id: str) -> bool:
        """Move the cursor to a card; False where it is not in this column."""
        if self.cards.move_to(task_id):
            return True
        if not self._has_below([task_id]):
            return False
        self._read_more(None)
        return self.cards.move_to(task_id)

    def show_new(self, keys: frozenset[str]) -> None:
        """Count the cards with news, as far as they are shown."""
        self._new = keys
        self._update_title()

    def show_hidden_names(self, words: Line, *, at_left: bool) -> None:
        self.styles.border_subtitle_align = "left" if at_left else "right"
        self.set_subtitle(words)

    def on_resize(self) -> None:
        self._update_title()

    def _known_of(self, keys: Collection[str]) -> Collection[str]:
        return task_store.statuses(self._db, map(TaskId, keys))

    def _has_below(self, keys: Collection[str]) -> bool:
        """Return whether any of these cards is in the part of the column that isn't read."""
        if self._listed is not None or self._window is None or not keys:
            return False
        statuses = task_store.statuses(self._db, map(TaskId, keys))
        return self.status in (each for key, each in statuses.items() if key not in self._moves)

    def _read_more(self, count: int | None) -> None:
        self._window = None if count is None else max(count, 2 * len(self.cards.keys))
        self._show()

    def _show(self) -> None:
        """Show the cards with the pending moves, without those that sleep."""
        keys, has_all = self._read()
        if self._has_below(self.cards.needed.difference(keys)):
            self._window = None  # they have moved down; the cursor and the marks stay on their cards
            keys, has_all = self._read()
        self.cards.set_keys(keys, None if has_all else self._count)
        self._update_title()

    def _read(self) -> tuple[list[TaskId], bool]:
        """Read the cards and their count; return those in the window, and whether they are all."""
        db, ids, limit = self._db, self._listed, -1
        if ids is None:
            limit = -1 if self._window is None else self._window + len(self._snoozed)
            ids = task_store.ids_of_status(db, self.status, limit)
        known = [(record_lookup.task(db, each), to) for each, to in self._moves.items()]
        moved = [(task, to) for task, to in known if task is not None and task.status != to]
        out = {task.task_id for task, _ in moved if task.status == self.status}
        into = [task for task, to in moved if to == self.status]
        if self._listed is None:
            out.update(self._snoozed)
        keys = [each for each in ids if each not in out]
        for task in into:
            keys.insert(bisect_left(keys, board_sort_key(task, self.status), key=self._sort_key), task.task_id)
        self._count = self._stored - len(out) + len(into)
        return keys, len(ids) != limit

    def _sort_key(self, task_id: TaskId) -> tuple[object, ...]:
        task = record_lookup.task(self._db, task_id)
        return () if task is None else board_sort_key(task, self.status)

    @property
    def status_name(self) -> SafeText:
        return self._app_context.view().status(self.status, 30) or trusted("(no status)")

    def _update_title(self) -> None:
        """Show name and count; a narrow column shortens the name."""
        shown = count_words(self._count, self._precision)
        if self._listed is not None:
            shown = f"{count_words(len(self.cards.keys), self._precision)} of {shown}"
        if self._snoozed:
            shown = f"{shown} · {len(self._snoozed):,} snoozed"
        new = self._new.difference(self._snoozed) if self._listed is None else self._new.intersection(self._listed)
        words = f" · {len(new):,} new" if new else ""
        count, news, name = span(f" {shown}", Role.DIM), span(words, Role.ACCENT), Span(self.status_name)
        room = max(1, self.outer_size.width - 8 - width_of([count, news]))
        with_key = span(f"{words} ({self._app_context.key('news.next')})", Role.ACCENT)
        if new and width_of([name, with_key]) <= room + width_of([news]):
            news = with_key
        sign = self._app_context.view().status_sign(self.status)
        self.set_title((sign, span(" "), *crop([name], room), count, news))

    def _shown(self, task_id: TaskId) -> TaskRecord | None:
        task = record_lookup.task(self._db, task_id)
        status = self._moves.get(task_id)
        if task is None or status is None or task.status == status:
            return task
        return task._replace(status=status, pending={**task.pending, STATUS: status})

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        task = self._shown(TaskId(key))
        if task is None:
            return ()
        view = self._app_context.view()
        snooze = snoozes.state_of(self._db, ChangeKind.SNOOZE_TASK, key, view.now)
        return card(task, width, view, snooze, clock_store.shown_for_task(self._app_context.store, task))


MIN_WIDTH = 28
"""Cells of a column in which a card can still be read."""


class Columns(HorizontalScroll, inherit_bindings=False):
    """The row of columns; `current` is the focused one, which is kept visible."""

    DEFAULT_CSS = "Columns { overflow-y: hidden; scrollbar-size-horizontal: 0; }"

    def __init__(self, columns: Iterable[Column], current: Callable[[], Column], signs: Glyphs):
        self.all = tuple(columns)
        self._current = current
        self._signs = signs
        self._starts: list[int] = [0]
        self._width = 0
        self._first, self._shown = 0, 1
        super().__init__(*self.all, id="columns", can_focus=False)

    def add(self, columns: Iterable[Column]) -> None:
        added = tuple(columns)
        self.all += added
        self.mount(*added)
        self.set_width(self._width)

    def set_width(self, width: int) -> None:
        """Show as many whole columns as can be read in these cells."""
        self._width = width
        self._shown = shown = max(1, min(len(self.all), width // MIN_WIDTH))
        widths = [width // shown + (place % shown < width % shown) for place in range(len(self.all))]
        for column, cells in zip(self.all, widths, strict=True):
            column.styles.width = cells
        self._starts = list(accumulate(widths, initial=0))
        self._show_current()
        self._update_hidden_names()
        # What can be scrolled to is known once the columns have their new widths.
        self.call_after_refresh(self._show_current)

    def scroll_to_column(self, column: Column) -> None:
        """Scroll by whole columns until this one is visible."""
        at = self.all.index(column)
        self._scroll_from(min(max(self._first, at - self._shown + 1), at))

    def hidden_marks(self) -> dict[TaskId, Column]:
        """Return marked cards that are not listed, each with the column that keeps its mark."""
        return {TaskId(key): column for column in self.all for key in column.cards.hidden_marks}

    def move_marks(self, status_of: Mapping[TaskId, StatusId]) -> None:
        """Move the marks of unlisted cards to their present columns; `status_of` reads thousands at once."""
        column_of = {column.status: column for column in self.all}
        moved: dict[Column, list[TaskId]] = {}
        hidden = self.hidden_marks()
        for key, column in hidden.items():
            status = status_of.get(key)
            to = None if status is None else column_of.get(status)
            if to is not None and to is not column:
                moved.setdefault(to, []).append(key)
        for to, keys in moved.items():
            to.cards.mark(keys)
            for column in {hidden[key] for key in keys}:
                column.cards.unmark(keys)

    def places(self) -> dict[str, list[object]]:
        """Return the cursor of each column: its card and line of the screen."""
        lists = {each.status: each.cards for each in self.all}
        return {
            status: [cards.cursor_key, cards.cursor_line] for status, cards in lists.items() if cards.cursor_key
        }

    def restore_places(self, places: object) -> None:
        if not isinstance(places, dict):
            return
        for column in self.all:
            match places.get(column.status):
                case [str(key), int(line)] if column.show_card(key):
                    column.cards.restore_cursor(key, line)

    def on_resize(self, event: events.Resize) -> None:
        """Follow a new width: under a dialog the screen is not notified."""
        if event.size.width != self._width:
            self.set_width(event.size.width)
        else:
            self._show_current()

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        event.stop()
        event.prevent_default()
        self._scroll_by(1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        event.stop()
        event.prevent_default()
        self._scroll_by(-1)

    def _scroll_by(self, columns: int) -> None:
        """Scroll by columns; the focus is taken along, as a cursor is in a list."""
        self._scroll_from(self._first + columns)
        at = self.all.index(self._current())
        column = self.all[min(max(at, self._first), self._first + self._shown - 1)]
        if self._current().cards.has_focus and column is not self._current():
            column.cards.scrolled_from = column.cards.cursor_key
            self.screen.set_focus(column.cards, scroll_visible=False)

    def _scroll_from(self, first: int) -> None:
        """Scroll a column to the left edge; kept by its number, as cells change with the width."""
        first = max(0, min(first, len(self.all) - self._shown))
        if first != self._first:
            self._first = first
            self._update_hidden_names()
        if self._starts[first] != self.scroll_x:
            self.scroll_to(x=self._starts[first], animate=False, immediate=True)

    def _show_current(self) -> None:
        self.scroll_to_column(self._current())

    def _update_hidden_names(self) -> None:
        """Name the hidden columns in the borders of the outermost visible ones."""
        last = self._first + self._shown - 1
        names = [each.status_name for each in self.all]
        for at, column in enumerate(self.all):
            left = names[:at] if at == self._first else []
            right = names[at + 1 :] if at == last else []
            cells = self._starts[at + 1] - self._starts[at] - 6
            column.show_hidden_names(hidden_columns_line(left, right, cells, self._signs), at_left=not right)


FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a card before the detail shows it."""

GONE = ((span("This task no longer exists.", Role.DIM),),)


class TaskDetail(Pane):
    """A task with its customer, its tags and its changes from here."""

    def __init__(self, app_context: AppContext):
        super().__init__(id="detail", title=trusted("Task"))
        self._app_context = app_context
        self._db = app_context.store.reading
        self.task_id: TaskId | None = None
        self.page = LinePage(self._lines)
        self._follow: Timer | None = None
        self.show_keys(is_beside=False)

    def compose(self) -> ComposeResult:
        yield self.page

    def show_keys(self, *, is_beside: bool) -> None:
        """Name the keys; beside the columns it isn't what keys scroll until it is focused."""
        scroll = (("tab", "scroll"),) if is_beside else ()
        enter, close = ("enter", "conversation"), ("esc", "close")
        self.set_subtitle(keys_line(*scroll, enter, ("i", "raw"), close), keys_line(*scroll, enter, close))

    def show_task(self, task_id: TaskId | None) -> None:
        is_other = task_id != self.task_id
        self.task_id = task_id
        self.page.redraw(from_the_top=is_other)

    def follow_soon(self, wanted: Callable[[], TaskId | None]) -> None:
        self.stop_following()
        self._follow = self.set_timer(FOLLOW_SECONDS, lambda: self.show_task(wanted()))

    def stop_following(self) -> None:
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

    def store_changed(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events or kinds & {
            change_feed.TASK,
            change_feed.CHANGE,
            change_feed.CONVERSATION,
            change_feed.SNOOZE,
        }:
            self.page.redraw()

    def _lines(self, width: int) -> tuple[Line, ...]:
        if self.task_id is None:
            return ()
        db = self._db
        task = record_lookup.task(db, self.task_id)
        if task is None:
            return GONE
        linked, view = task.conversation_id, self._app_context.view()
        facts = TaskFacts(
            task,
            None if linked is None else record_lookup.conversation(db, linked),
            outbox_queue.recent_of(db, task.task_id, MAX_CHANGES),
            () if linked is None else outbox_queue.added_tags(db, linked),
            history.of_task(db, task.task_id, MAX_CHANGES),
            history.since(db),
            snoozes.state_of(db, ChangeKind.SNOOZE_TASK, task.task_id, view.now),
            clock_store.shown_for_task(self._app_context.store, task),
        )
        return detail(facts, width, view)

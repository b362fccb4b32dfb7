"""The board: a column for each status, custom ones included, in configured order."""

import time
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Event, TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.filter_query import TaskFilter
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.board_filter import BoardFilter
from frontdesk.tasks.tui.card_moves import NO_STATUS, CardMoves
from frontdesk.tasks.tui.columns import Column, Columns
from frontdesk.tasks.tui.detail_pane import TaskDetail
from frontdesk.tasks.tui.selection import DISPLACED, Selection, loading_reason
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import Role, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.note_bar import NoteBar
from frontdesk.tui.widgets.row_list import RowList

WIDE, DETAIL_WIDTH = 140, 48
"""From so many cells on the detail is beside the columns, and how many it takes then."""

READ_AGAIN_SECONDS, READ_AGAIN_SHARE = 0.25, 20
"""The columns are read at most this often while events keep coming, and rest so many times as long as
that took."""

NO_STATUS_WORDS = "(no status)"


class BoardScreen(BaseScreen):
    """Mode 2."""

    key_context = "board"
    has_marks = True
    CSS = """
    BoardScreen #columns { height: 1fr; width: 1fr; }
    BoardScreen #detail { display: none; width: 1fr; }
    BoardScreen.-detail #columns { display: none; }
    BoardScreen.-detail #detail { display: block; }
    BoardScreen.-detail.-wide #columns { display: block; }
    BoardScreen.-detail.-wide #detail { width: 48; }
    """

    def __init__(self, app_context: AppContext, keymap: Keymap):
        super().__init__(app_context, keymap)
        kept = app_context.outbox.saved_view_state(self.key_context)
        self._kept: dict[str, object] = kept if isinstance(kept, dict) else {}
        self.board_filter = BoardFilter(app_context, self._kept.get("filter"))
        self._filter_bar = NoteBar(id="filter")
        self._filter_draft = ""
        self.detail = TaskDetail(app_context)
        self.task_actions = TaskActions(self, self._row_lists)
        self.card_moves = CardMoves(self, self.task_actions)
        self._last_column: Column | None = None
        self._rest: Timer | None = None
        self._is_stale = False

    def compose_body(self) -> ComposeResult:
        board = task_store.counts_by_status(self.app_context.store.reading)
        named = [(each.id, each.name) for each in self.app_context.store.catalogue.statuses(board)]
        if board.get(NO_STATUS):
            named.append((NO_STATUS, NO_STATUS_WORDS))
        columns = [Column(self.app_context, status, name, self.card_moves.pending) for status, name in named]
        self.columns = Columns(columns, lambda: self.column, self.app_context.glyphs)
        # Before the first layout, so that the column that was left last can be scrolled to after it.
        self._update_columns_width(self.app.size.width)
        yield self._filter_bar
        with Horizontal(classes="body"):
            yield self.columns
            yield self.detail

    def on_mount(self) -> None:
        self.read_again()
        self.columns.restore_places(self._kept.get("cards"))

    def on_resize(self, event: events.Resize) -> None:
        self._update_columns_width(event.size.width)
        if self.is_detail_open and not self._fits_detail:
            self.detail.page.focus()

    def on_descendant_focus(self) -> None:
        self._last_column = self.column
        self.columns.scroll_to_column(self.column)
        self._follow_soon()

    def on_screen_suspend(self) -> None:
        self.keep_place()

    def home(self) -> Widget:
        left = self._kept.get("status")
        return next((each.cards for each in self.columns.all if each.status == left), self.columns.all[0].cards)

    def keep_place(self) -> None:
        """Remember the filter, the column, and in each column the card and its line of the screen."""
        if not self._is_made:
            return
        place: dict[str, object] = {
            "filter": self.board_filter.kept,
            "status": self.column.status,
            "cards": self.columns.places(),
        }
        if place != self._kept:
            self._kept = place
            self.app_context.outbox.save_view_state(self.key_context, place)

    def marked(self) -> int:
        return sum(len(column.cards.marks) for column in self.columns.all)

    def doing(self) -> str:
        """Where no card is under the cursor the hints say what leads to one."""
        cards = self.column.cards
        if self.focused is not cards or cards.keys or self.marked():
            return super().doing()
        return "filtered" if self.board_filter.filter else "empty"

    def hidden_marks(self) -> int:
        return sum(len(column.cards.hidden_marks) for column in self.columns.all)

    def _row_lists(self) -> Sequence[RowList]:
        return [column.cards for column in self.columns.all]

    def selection(self) -> Selection:
        """The marked cards of all columns, else the card under the cursor or in the detail."""
        marked = [key for column in self.columns.all if column.cards.marks for key in column.cards.targets]
        here = self._key
        tasks = tuple(map(TaskId, marked)) or (() if here is None else (here,))
        known = task_store.among(self.app_context.store.reading, tasks)
        linked = [known[each].conversation_id for each in tasks if each in known]
        is_card = self.focused is not self.detail.page
        loading = loading_reason(self.app_context) if not tasks else ""
        return Selection(
            tasks,
            tuple(dict.fromkeys(each for each in linked if each is not None)),
            unlinked=linked.count(None),
            marks=frozenset(marked),
            is_elsewhere=bool(marked) and marked != [here],
            doubt=DISPLACED if is_card and self.task_actions.bulk.was_displaced(self.column.cards) else "",
            no_task=loading or "No task is selected.",
            no_conversation=loading or "No conversation is selected.",
        )

    def run_ended(self, batch: str) -> None:
        self.task_actions.bulk.report_run_end(batch)

    def raw_record(self) -> tuple[str, object] | None:
        return None if self._card is None else ("Task", self._card.raw)

    def copied_id(self) -> str | None:
        return self._key

    def looking(self) -> Focus:
        return Focus(screen=self.key_context, tasks_of=self.board_filter.filter.scope.key)

    def update_profile_label(self) -> None:
        """Say whose inbox this is, and which lines it shows."""
        name = show_line(self.app_context.store.profile.name, 40)
        separator = span(self.app_context.glyphs.separator, Role.DIM)
        self._title_bar.set_right((span(name, Role.DIM), separator, *self.board_filter.header()))

    def go_back(self) -> bool:
        if self.is_detail_open:
            self._close_detail()
            return True
        return False

    def drop_filter(self) -> bool:
        if self.board_filter.filter:
            self._apply_filter(TaskFilter())
            return True
        return False

    def show_changes(self, events: frozenset[Event]) -> None:
        self.detail.store_changed(events)
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING not in events and not kinds & {change_feed.TASK, change_feed.FILTER}:
            if change_feed.HEALTH in kinds:
                self.show_cards()  # why nothing is there yet
            return
        self._read_again_soon()
        touched = {event.id for event in events if event.kind == change_feed.TASK}
        for column in self.columns.all:
            if change_feed.EVERYTHING in events:
                column.cards.redraw()
            else:
                column.cards.refresh_keys(touched)

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.update_status()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Enter opens the card's detail; where it is open, its conversation in the inbox."""
        event.stop()
        if self.is_detail_open and self.detail.task_id == event.key:
            self._open_conversation()
        else:
            self._open_detail(TaskId(event.key))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.row_list is self.column.cards:
            self._follow_soon()

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        self._open_conversation()

    def action_find(self) -> None:
        from frontdesk.tasks.filter import parse
        from frontdesk.tui.dialogs.base import Answered, Closed

        names = self.board_filter.names()
        dialog = self.board_filter.dialog(names, self._card, self._filter_draft or self.board_filter.typed(names))

        def answered(result: Answered[str] | Closed | None) -> None:
            self._filter_draft = result.draft if isinstance(result, Closed) else ""
            if isinstance(result, Answered):
                self._apply_filter(parse(result.value, names))

        self.app.push_screen(dialog, answered)

    def action_task(self, name: str) -> None:
        self.task_actions.run(name, self.selection())

    def action_stop_run(self) -> None:
        self.task_actions.bulk.stop_run()

    def action_failures(self) -> None:
        self.task_actions.bulk.show_failures()

    def action_move_right(self) -> None:
        self.card_moves.move(self.selection(), 1)

    def action_move_left(self) -> None:
        self.card_moves.move(self.selection(), -1)

    def action_next_pane(self) -> None:
        self._step_column(1)

    def action_previous_pane(self) -> None:
        self._step_column(-1)

    def action_pane_right(self) -> None:
        self._step_column(1)

    def action_pane_left(self) -> None:
        self._step_column(-1)

    @property
    def column(self) -> Column:
        """The column with the focus, else the one that had it last."""
        focused = self.focused
        found = next((column for column in self.columns.all if column.cards is focused), None)
        return found or self._last_column or self.columns.all[0]

    def go_to(self, column: Column) -> None:
        """Work in this column."""
        self.set_focus(column.cards, scroll_visible=False)
        self.columns.scroll_to_column(column)
        self.update_hints()

    def follow_to(self, column: Column) -> None:
        """Work in the column to which the card has gone that a key works on."""
        if self.focused is self.detail.page:
            self._last_column = column
        else:
            self.go_to(column)

    def show_cards(self) -> None:
        """Every column with what it has now, the cards on their way among them."""
        board = task_store.counts_by_status(self.app_context.store.reading)
        unknown = set(board) - {column.status for column in self.columns.all}
        if unknown:
            self._add_columns(unknown)
        listed, empty = self.board_filter.listed, self.board_filter.why_empty()
        for column in self.columns.all:
            through = None if listed is None else listed.get(column.status, [])
            column.read(board.get(column.status, 0), through, empty)
        if hidden := self.columns.hidden_marks():
            statuses = task_store.statuses(self.app_context.store.reading, hidden)
            self.columns.move_marks(statuses | self.card_moves.pending)
        self.update_hints()

    def read_again(self) -> None:
        """Read what the store has now, and show it."""
        self._is_stale = False
        self.board_filter.read()
        self._update_filter_bar()
        self.show_cards()

    @property
    def _key(self) -> TaskId | None:
        """The task that a key works on."""
        if self.focused is self.detail.page:
            return self.detail.task_id
        key = self.column.cards.cursor_key
        return None if key is None else TaskId(key)

    @property
    def _card(self) -> TaskRecord | None:
        return None if self._key is None else record_lookup.task(self.app_context.store.reading, self._key)

    @property
    def is_detail_open(self) -> bool:
        return self.has_class("-detail")

    @property
    def _fits_detail(self) -> bool:
        return self.size.width >= WIDE

    def _open_detail(self, task_id: TaskId) -> None:
        self.add_class("-detail")
        self.detail.show_task(task_id)
        if self._fits_detail:
            self._update_columns_width(self.size.width)
        else:
            self.set_focus(self.detail.page)

    def _close_detail(self) -> None:
        self.detail.stop_following()
        self.remove_class("-detail")
        self._update_columns_width(self.size.width)
        self.go_to(self.column)

    def _follow_soon(self) -> None:
        if self.is_detail_open and self.focused is not self.detail.page:
            self.detail.follow_soon(lambda: self._key)

    def _open_conversation(self) -> None:
        task = self._card
        if task is None or task.conversation_id is None:
            notify(self.app, trusted("This task is linked to no conversation."))
        else:
            self.post_message(self.ConversationRequested(task.conversation_id))

    def _apply_filter(self, wanted: TaskFilter) -> None:
        """Filter by something else; the focus goes to a column with a card."""
        if self.is_detail_open and not self._fits_detail:
            self._close_detail()  # its task need not be among those that are listed now
        self.board_filter.apply(wanted)
        self.show_cards()
        self.task_actions.bulk.accept_cursors()
        self._update_filter_bar()
        if not self.column.cards.keys:
            self.go_to(next((each for each in self.columns.all if each.cards.keys), self.column))
        self.keep_place()
        self.post_message(self.FocusChanged())

    def _update_filter_bar(self) -> None:
        self._filter_bar.say(*self.board_filter.bar())
        self.update_profile_label()

    def _read_again_soon(self) -> None:
        """At once after a pause; while events keep coming, after a rest: a filter or who went far down a
        column has every task looked at."""
        self._is_stale = True
        if self._rest is None:
            began = time.monotonic()
            self.read_again()
            rest = READ_AGAIN_SHARE * (time.monotonic() - began)
            self._rest = self.set_timer(max(READ_AGAIN_SECONDS, rest), self._end_rest)

    def _end_rest(self) -> None:
        self._rest = None
        if self._is_stale:
            self._read_again_soon()

    def _add_columns(self, statuses: set[StatusId]) -> None:
        """A status that no task had before: its column goes to the right."""
        names = self.app_context.store.catalogue
        self.columns.add(
            Column(
                self.app_context, each, names.status(each) if each else NO_STATUS_WORDS, self.card_moves.pending
            )
            for each in sorted(statuses)
        )

    def _update_columns_width(self, width: int) -> None:
        """The columns have what the detail leaves, where it is open and there is room beside it."""
        has_detail = self.is_detail_open and width >= WIDE
        self.columns.set_width(width - DETAIL_WIDTH if has_detail else width)

    def _step_column(self, step: int) -> None:
        """To the next column; beside the last one is the detail, where it is open."""
        columns, page = self.columns.all, self.detail.page
        at = columns.index(self.column) + (step if self.focused is not page else min(step, 0) + 1)
        if at >= len(columns) and self.is_detail_open:
            self.set_focus(page)
        else:
            # At once: of keys in a burst each starts from the column that the one before it led to.
            self.go_to(columns[max(0, min(len(columns) - 1, at))])

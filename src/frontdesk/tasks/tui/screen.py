"""The board: a column for each status, custom ones included, in configured order."""

import time

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.outbox.changes import COMPLETED
from frontdesk.storage import change_feed
from frontdesk.storage.clients import Focus
from frontdesk.storage.coverage import tasks_precision
from frontdesk.storage.records import Event, RecordRef
from frontdesk.tasks import history
from frontdesk.tasks import store as task_store
from frontdesk.tasks.task_filter import TaskFilter
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.board_cursor import BoardCursor
from frontdesk.tasks.tui.board_filter import BoardFilter
from frontdesk.tasks.tui.card_moves import NO_STATUS, CardMoves
from frontdesk.tasks.tui.panes import Column, Columns, TaskDetail
from frontdesk.tui.base_screen import BackActions, BaseScreen, RecordActions, desk_words
from frontdesk.tui.context import AppContext
from frontdesk.tui.news_marks import NewsMarks
from frontdesk.tui.status_bar import ScreenState
from frontdesk_api.contract.ids import TaskId
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.widgets.line_bar import NoteBar
from frontdesk_lines.widgets.line_page import LinePage
from frontdesk_lines.widgets.row_list import RowList

READ_AGAIN_SECONDS, READ_AGAIN_SHARE = 0.25, 20
"""The columns are read at most this often while events keep coming, and rest so many times as long as
that took."""

READ_AGAIN_AFTER = {change_feed.TASK, change_feed.SNOOZE, change_feed.FILTER, change_feed.COVERAGE}


class BoardScreen(BaseScreen):
    """The board's screen, mode 2."""

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

    def __init__(self, app_context: AppContext):
        super().__init__(app_context)
        self.title_words = self._desk_and_lines
        self.board_filter = BoardFilter(app_context, self.saved_state.get("filter"))
        self._filter_bar = NoteBar(id="filter")
        self.detail = TaskDetail(app_context)
        self.cursor = BoardCursor(self, self.detail)
        self.task_actions = TaskActions(self, lambda: self.cursor.row_lists, self.cursor.show_next)
        self.card_moves = CardMoves(self, self.task_actions)
        self.news = NewsMarks(self, history.NEWS, change_feed.TASK, self._lists_from_here, self._show_news)
        self.record_actions = CardRecordActions(self)
        self.back_actions = BoardBackActions(self)
        self.status_bar.on_run_end = self.task_actions.bulk.runs.report_end
        self._rest: Timer | None = None
        self._is_stale = False

    def compose_body(self) -> ComposeResult:
        board = task_store.counts_by_status(self.app_context.store.reading)
        statuses = [each.id for each in self.app_context.store.catalogue.statuses(board)]
        if board.get(NO_STATUS):
            statuses.append(NO_STATUS)
        columns = [Column(self.app_context, each, self.card_moves.pending) for each in statuses]
        self.columns = Columns(columns, lambda: self.cursor.column, self.app_context.glyphs)
        # Before the first layout, so that the column that was left last can be scrolled to after it.
        self.cursor.update_columns_width(self.app.size.width)
        yield self._filter_bar
        with Horizontal(classes="body"):
            yield self.columns
            yield self.detail

    def on_mount(self) -> None:
        self.read_again()
        self.columns.restore_places(self.saved_state.get("cards"))
        self.news.start()

    def on_resize(self, event: events.Resize) -> None:
        self.cursor.update_columns_width(event.size.width)
        if self.cursor.is_detail_open and not self.cursor.fits_detail:
            self.set_focus(self.detail.page)

    def on_descendant_focus(self) -> None:
        self.cursor.note_focus()

    def home(self) -> Widget:
        left = self.saved_state.get("status")
        return next((each.cards for each in self.columns.all if each.status == left), self.columns.all[0].cards)

    def view_state(self) -> dict[str, object]:
        return {
            "filter": self.board_filter.kept,
            "status": self.cursor.column.status,
            "cards": self.columns.places(),
        }

    def state(self) -> ScreenState:
        cards = self.cursor.row_lists
        return ScreenState(
            "completed" if self.cursor.column.status == COMPLETED else "",
            rows=self.cursor.column.cards,
            is_filtered=bool(self.board_filter.filter),
            marked=sum(len(each.marks) for each in cards),
            hidden_marks=sum(len(each.hidden_marks) for each in cards),
        )

    def focus_report(self) -> Focus:
        return Focus(screen=self.key_context, tasks_of=self.board_filter.filter.scope.key)

    def show_changes(self, events: frozenset[Event]) -> None:
        self.detail.store_changed(events)
        self.news.apply_events(events)
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING not in events and not kinds & READ_AGAIN_AFTER:
            if change_feed.HEALTH in kinds:
                self.show_cards()  # why nothing is there yet
            return
        self._read_again_soon()
        touched = {event.id for event in events if event.kind in (change_feed.TASK, change_feed.SNOOZE)}
        for column in self.columns.all:
            if change_feed.EVERYTHING in events:
                column.cards.redraw()
            else:
                column.cards.refresh_keys(touched)

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.status_bar.update()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.cursor.open(TaskId(event.key))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.view is self.cursor.column.cards:
            self.cursor.follow_soon()

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        self.cursor.open_conversation()

    def action_find(self) -> None:
        from frontdesk.tasks.task_filter import parse
        from frontdesk.tui.dialogs.base import on_answer

        names = self.board_filter.names()
        in_use = self.board_filter.typed(names)
        draft = self.app_context.outbox.drafts.of("board filter", default=in_use)
        given_up = draft.text if draft.text != in_use else ""
        dialog = self.board_filter.dialog(names, self.cursor.task, given_up)
        dialog.keep_draft(draft.keep)

        def apply(typed: str) -> None:
            self.apply_filter(parse(typed, names))

        self.app.push_screen(dialog, on_answer(apply, draft))

    def action_task(self, name: str) -> None:
        if name == "mark_again":
            self.task_actions.bulk.mark_again(self.show_cards)
        else:
            self.task_actions.run(name, self.cursor.selection)

    def action_move_right(self) -> None:
        self.card_moves.move(self.cursor.selection(), 1)

    def action_move_left(self) -> None:
        self.card_moves.move(self.cursor.selection(), -1)

    def action_step_pane(self, step: int, around: bool = True) -> None:
        if not (around and self.cursor.switch_to_or_from_detail()):
            self.cursor.step(step)

    def show_cards(self) -> None:
        board = task_store.counts_by_status(self.app_context.store.reading)
        unknown = set(board) - {column.status for column in self.columns.all}
        if unknown:
            added = (Column(self.app_context, each, self.card_moves.pending) for each in sorted(unknown))
            self.columns.add(added)
        listed, empty = self.board_filter.listed, self.board_filter.why_empty()
        precision = tasks_precision(self.app_context.store.reading)
        for column in self.columns.all:
            through = None if listed is None else listed.get(column.status, [])
            asleep = self.board_filter.snoozed.get(column.status, ())
            column.read(board.get(column.status, 0), precision, through, empty, asleep)
        if self.news.unseen:
            self._show_news()
        if hidden := self.columns.hidden_marks():
            statuses = task_store.statuses(self.app_context.store.reading, hidden)
            self.columns.move_marks(statuses | self.card_moves.pending)
        self.status_bar.update_hints()

    def _lists_from_here(self) -> list[RowList]:
        at = self.columns.all.index(self.cursor.column)
        return [each.cards for each in (*self.columns.all[at:], *self.columns.all[:at])]

    def _show_news(self) -> None:
        new = self.news.keys
        statuses = task_store.statuses(self.app_context.store.reading, map(TaskId, new)) if new else {}
        for column in self.columns.all:
            column.show_new(frozenset(key for key, status in statuses.items() if status == column.status))

    def read_again(self) -> None:
        self._is_stale = False
        self.board_filter.read()
        self._update_filter_bar()
        self.show_cards()

    def apply_filter(self, wanted: TaskFilter) -> None:
        """Apply a filter; the focus goes to a column with a card."""
        if self.cursor.is_detail_open and not self.cursor.fits_detail:
            self.cursor.close_detail()  # its task need not be among those that are listed now
        self.board_filter.apply(wanted)
        self.show_cards()
        self.task_actions.bulk.accept_cursors()
        self._update_filter_bar()
        column = self.cursor.column
        if not column.cards.keys:
            self.cursor.go_to(next((each for each in self.columns.all if each.cards.keys), column))
        self.save_view_state()
        self.post_message(self.FocusChanged())

    def _update_filter_bar(self) -> None:
        self._filter_bar.set_lines(*self.board_filter.bar())
        self.title_bar.set_right(*self.title_words())

    def _desk_and_lines(self) -> tuple[Line, Line]:
        separator = span(self.app_context.glyphs.separator, Role.DIM)
        # Whose inbox this is, and which lines it shows; that it is all of them gives way to the screens' names.
        (name, more), lines = desk_words(self.app_context), (separator, *self.board_filter.header())
        if self.board_filter.has_lines:
            return (*name, *lines), more
        return name, (*more, *lines)

    def _read_again_soon(self) -> None:
        """Read again at once after a pause, else after a delay: a filter or a long column reads every task."""
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


class BoardBackActions(BackActions):
    """Closes the detail, and clears the filter of the board."""

    def __init__(self, screen: BoardScreen) -> None:
        self._board = screen

    def navigate_back(self) -> bool:
        if self._board.cursor.is_detail_open:
            self._board.cursor.close_detail()
            return True
        return False

    def clear_filter(self) -> bool:
        if self._board.board_filter.filter:
            self._board.apply_filter(TaskFilter())
            return True
        return False


class CardRecordActions(RecordActions):
    """Record actions on the card under the cursor, or on the task in the detail."""

    def __init__(self, screen: BoardScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._board = screen

    def show_record(self, record_id: str) -> bool:
        return self._board.cursor.show_card(record_id)

    def follow(self, record_id: str) -> None:
        if self._board.cursor.is_or_was_on(record_id):
            self._board.read_again()
            self._board.cursor.follow_card(record_id)

    def raw(self) -> tuple[str, object] | None:
        return None if (card := self._board.cursor.task) is None else ("Task", card.raw)

    def next_new(self) -> None:
        self._board.news.show_next()

    def copied_id(self) -> str | None:
        return self._board.cursor.task_id

    def selected(self) -> list[RecordRef]:
        return [RecordRef("task", each) for each in self._board.cursor.selection().tasks]

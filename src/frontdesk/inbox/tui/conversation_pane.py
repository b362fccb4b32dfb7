"""The list of known conversations, with views, an order and a filter."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer

from frontdesk.config.hosts import are_local
from frontdesk.inbox import filter_words
from frontdesk.inbox.filter_words import ALL, View
from frontdesk.inbox.saved_views import all_views, shown_name
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import notes
from frontdesk.inbox.store.conversation_query import OF_THREADS, UNREAD, QueryTerm, next_order, orders
from frontdesk.inbox.tui.list_window import FIRST_ROWS, ListWindow, ViewCounts
from frontdesk.inbox.tui.row_tasks import RowTasks
from frontdesk.inbox.view.conversation_row import RowFacts, compact_row, row
from frontdesk.inbox.view.list_words import ListWords, nothing_known
from frontdesk.inbox.view.thread import ReadingProgress
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox import snoozes
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage import change_feed, clients, record_lookup, team_state
from frontdesk.storage.records import ChangeKind, Connection, ConversationOrder, Event
from frontdesk.tui.context import AppContext
from frontdesk.tui.filtered_list_pane import TypeToFilterPane
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.lines import EMPTY, Line, Role, fit, span
from frontdesk_lines.widgets.line_bar import LineBar
from frontdesk_lines.widgets.row_list import RowList
from frontdesk_lines.widgets.view_bar import ViewBar, ViewTab

PAINT_SECONDS = 1.0
"""The count is painted at most this often: each time costs bytes."""


class ReadingNote(LineBar):
    """Says that the order may be wrong yet, then that rows are above the window, until they were seen."""

    DEFAULT_CSS = """
    ReadingNote { display: none; height: 2; background: $background; }
    ReadingNote.-shown { display: block; }
    """

    def __init__(self, app_context: AppContext, rows: RowList) -> None:
        super().__init__()
        self._app_context, self._rows = app_context, rows
        self._progress = ReadingProgress()
        self._of_threads = self._by_threads = self._has_unseen_above = False
        self._painted_at = 0.0
        self._later: Timer | None = None

    @property
    def is_reading(self) -> bool:
        return self._of_threads and self._progress.is_going

    def show(self, words: ListWords) -> None:
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
        if self.is_reading:
            room, now = max(0, width - 2), time.monotonic()
            words = self._progress.words(room, now, glyphs, above, by_threads=self._by_threads)
        else:
            words = f"{glyphs.up} {above:,} above", f"{self._app_context.key('move.first')} show the first"
        return [fit((span("  "), span(each, Role.WARN)), width) for each in words]

    def _paint(self) -> None:
        self._later = None
        self._painted_at = time.monotonic()
        self.sync()


READ_AGAIN_SECONDS = 0.25
"""The ids are read at most this often while events keep coming; rows are drawn again at once."""

READ_AGAIN_SHARE = 20
"""Reading a long list again rests so many times as long as it took."""

MIN_TWO_LINES_WIDTH = 100
"""Minimum cells of a terminal whose rows have a second line."""

_OF_ROWS = {change_feed.CONVERSATION, change_feed.NOTES, change_feed.SNOOZE}


class ConversationsPane(TypeToFilterPane):
    """Known conversations, with a line of views and a filter line that appears on `/`."""

    placeholder = "words  is:unread  waiting>1h  !not  ~fuzzy"

    @dataclass(repr=False, eq=False)
    class Highlighted(Message):
        """The cursor moved to another conversation, or to none."""

        conversation_id: ConversationId | None

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, ConversationsPane.Highlighted)

    @dataclass(repr=False, eq=False)
    class Opened(Message):
        """A conversation was opened with enter."""

        conversation_id: ConversationId

    @dataclass(repr=False, eq=False)
    class MarksChanged(Message):
        """The number of marked conversations changed."""

        count: int

    class ListChanged(Message):
        """The view, the order or the filter was changed, to be kept over a restart."""

    def __init__(
        self,
        app_context: AppContext,
        order: ConversationOrder = ConversationOrder.WAITING,
        view: str = ALL.name,
        filtered_by: str = "",
    ):
        query = filter_words.parse(filtered_by)
        super().__init__("conversations", str(query) if query.terms else "")
        self._app_context = app_context
        self._db = app_context.store.reading
        self._is_slow = not are_local(app_context.store.profile.hosts)
        self._listing = ListWindow(app_context.store.reading, order, is_slow=self._is_slow)
        self.views = all_views(app_context.store)
        self.view = next((each for each in self.views if each.name == view), ALL)
        self._query = query
        self._faults = self._faults_of(query)
        self.view_counts = ViewCounts(self, app_context, self._update_views)
        self._sorted_by = order
        self._held: ConversationId | None = None
        """What keeps its place in the list as long as the cursor is on it."""
        self._rest: Timer | None = None
        self._is_stale = False
        self._read_seconds = 0.0
        self._names_lines = False
        self._search_words: Line = EMPTY
        self._snoozed = 0
        self._bar = ViewBar()
        self.rows = RowList(
            self._draw,
            row_height=2,
            follows_first=True,
            empty=_lines(nothing_known(app_context.view())),
            more=self._read_more,
            keeps_marks=self._known_of,
            tasks_of=lambda keys: self.row_tasks.of_marks(keys),
        )
        self.row_tasks = RowTasks(app_context.store.reading, self.rows)
        self.list_changed: Callable[[], None] = lambda: None
        """Called at once when the person asked for another list, whose rows may be about other tasks."""
        self._reading_note = ReadingNote(app_context, self.rows)

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._reading_note
        yield from super().compose()

    def on_mount(self) -> None:
        self._fit_rows()
        self.read_again()

    def on_resize(self) -> None:
        self._fit_rows()

    @property
    def order(self) -> ConversationOrder:
        return self._listing.order

    @property
    def _has_sla(self) -> bool:
        return bool(self._app_context.store.settings.sla)

    @property
    def filtered_by(self) -> str:
        return str(self._query)

    @property
    def match(self) -> str:
        return " ".join(filter(None, (str(self.view.query), self.filtered_by)))

    @property
    def words(self) -> str:
        return " ".join(filter(None, (self.view.query.words, self._query.words)))

    @property
    def is_filtered(self) -> bool:
        return bool(self._query.terms) or self.view is not ALL

    @property
    def cursor(self) -> ConversationId | None:
        key = self.rows.cursor_key
        return None if key is None else ConversationId(key)

    @property
    def is_settling(self) -> bool:
        """Return whether another conversation is about to become the first row, on which nobody put the cursor.

        At the pace of a platform on this machine that takes seconds; at that of another one the cursor stays.
        """
        if not self.rows.follows_first or self._is_slow or not self._reading_note.is_reading:
            return False
        return clients.health(self._db).state is Connection.LIVE

    @property
    def targets(self) -> tuple[ConversationId, ...]:
        return tuple(ConversationId(key) for key in self.rows.targets)

    def read_again(self, *, also: Iterable[ConversationId] = (), anew: bool = False) -> None:
        """Read the ids; rows are read when they are drawn.

        Args:
            also: conversations listed whatever the view.
            anew: drop rows that don't match any more, as the person asked for another list.
        """
        self._is_stale = False
        if anew:
            self._held = None
        began, wanted = time.monotonic(), self._wanted()
        needed = () if anew else map(ConversationId, self.rows.needed)
        self.row_tasks.choose_by(wanted, anew=anew)
        self._listing.read(wanted, {*needed, *self._listed_marks(wanted, anew=anew), *also})
        self._read_seconds = time.monotonic() - began
        if self._sorted_by is not self._listing.sorted_by:
            self._sorted_by = self._listing.sorted_by
            self.rows.redraw()  # each row shows the time that the list is sorted by
        if self._names_lines != (names := len(record_lookup.lines_seen(self._db)) > 1):
            self._names_lines = names
            self.rows.redraw()
        self.rows.set_empty(_lines(self._list_words.why_empty(clients.health(self._db), self._app_context.view())))
        self.rows.set_keys(self._listed_keys(), self._listing.matching)
        self._snoozed = conversation_store.snoozed_count(self._db, self._app_context.clock())
        self._update_title()
        if not self._query.terms:
            self.view_counts.set(self.view, self._listing.matching, self._listing.coverage)
        self.view_counts.set(ALL, self._listing.known - self._snoozed, self._listing.coverage)
        self._update_views()

    def store_changed(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        if change_feed.VIEWS in kinds or change_feed.EVERYTHING in events:
            self.read_views()
        if change_feed.EVERYTHING in events:
            self.row_tasks.forget()
            self.read_again()
            self.rows.redraw()
            self.count_views()
        elif kinds & _OF_ROWS:
            changed = [event.id for event in events if event.kind in _OF_ROWS]
            self.row_tasks.forget(changed)
            self._read_again_soon()
            self.rows.refresh_keys(changed)
            self.count_views()
        elif change_feed.COVERAGE in kinds or (change_feed.HEALTH in kinds and not self.rows.keys):
            self.read_again()
            self.count_views()

    def read_views(self) -> None:
        """Read the views again; one that is open and isn't there any more is left."""
        before, self.views = self.views, all_views(self._app_context.store)
        if self.view not in self.views:
            self.open_view(next((each for each in self.views if each.name == self.view.name), ALL))
        elif before != self.views:
            self._update_views()

    def run(self, name: str) -> None:
        if name == "choose_view":
            self._bar.begin_choice()
            self._update_title()
        elif name == "sort":
            offered = orders(has_sla=self._has_sla)
            self.sort(next_order(self.order, offered))
        else:
            at = self.views.index(self.view) + (1 if name == "next_view" else -1)
            self.open_view(self.views[at % len(self.views)])

    def hold_place(self) -> None:
        """Keep the row under the cursor in its place until the cursor leaves it: the next key may be for it."""
        self.rows.hold_cursor()
        self._held = self.cursor

    def sort(self, order: ConversationOrder) -> None:
        """Sort by another order; the cursor stays on its conversation."""
        self._held = None
        self._listing.sort(order)
        self.read_again()
        self.rows.redraw()  # each row shows the time that the list is sorted by
        self.post_message(self.ListChanged())

    def open_view(self, view: View) -> None:
        """Show another view; the cursor stays on its conversation where that is listed.

        Marks of what isn't listed stay: the status line counts them, and a plan names them.
        """
        self.view, here = view, self.cursor
        self._listing.window = FIRST_ROWS
        self.read_again(anew=True)
        self.rows.redraw()  # each row shows what of it was found
        if self.cursor != here and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        self.rows.accept_cursor()
        self.list_changed()
        self.count_views()
        self.post_message(self.ListChanged())

    def show(self, conversation_id: ConversationId) -> bool:
        """Move the cursor to a conversation; a hidden one is listed until the cursor leaves it."""
        if self.rows.move_to(conversation_id):
            return True
        self.read_again(also=(conversation_id,))
        return self.rows.move_to(conversation_id)

    def next_unread(self) -> ConversationId | None:
        here = self.rows.cursor_index or 0
        near = [ConversationId(each) for each in self.rows.keys[here + 1 : here + 1 + FIRST_ROWS]]
        found = conversation_store.wanted_among(self._db, near, [UNREAD])
        unread = next((each for each in near if each in found), None)
        unread = unread or conversation_store.next_unread(
            self._db, self._listing.sorted_by, self.cursor, self._wanted()
        )
        return unread if unread is not None and self.show(unread) else None

    def show_search(self, words: Line) -> None:
        self._search_words = words
        self._update_title()

    def end_typing(self) -> bool:
        """Clear the filter; False where there was none."""
        if not super().end_typing():
            return False
        self.screen.set_focus(self.rows)
        return True

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.row_tasks.release_rows()
        if self._is_slow and self._reading_note.is_reading:
            self.rows.hold_cursor()  # for minutes, others become the first row
        if self._held is not None and self._held != event.key:
            self._held = None
            self._read_again_soon()
        self._reading_note.update()
        self.post_message(self.Highlighted(None if event.key is None else ConversationId(event.key)))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Opened(ConversationId(event.key)))

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.row_tasks.draw_marked()
        self._update_note()
        self.post_message(self.MarksChanged(len(event.keys)))

    def on_view_bar_choice_ended(self, event: ViewBar.ChoiceEnded) -> None:
        event.stop()
        self._update_title()

    def on_view_bar_chosen(self, event: ViewBar.Chosen) -> None:
        event.stop()
        self.open_view(self.views[event.index])
        self.screen.set_focus(self.rows)

    def _wanted(self) -> tuple[QueryTerm, ...]:
        """Return the conditions of the list, as of now: what is snoozed is left out, unless it is asked for."""
        store, now = self._app_context.store, self._app_context.clock()
        queries = (self.view.query, self._query)
        wanted = [term for each in queries for term in filter_words.wanted(each, store.profile, now)]
        return conversation_store.awake(store.reading, wanted, now)

    def apply_typed(self, typed: str) -> None:
        """Filter by what is typed, unless it is shown already."""
        query = filter_words.parse(typed)
        self.show_faults(self._faults_of(query))
        if query == self._query:
            return
        is_another = query.terms != self._query.terms
        self._query = query
        if not is_another:
            self._update_title()
            return
        self._listing.window = FIRST_ROWS
        stays = () if query.terms or self.cursor is None else (self.cursor,)
        self.read_again(also=stays, anew=True)
        self.rows.redraw()  # each row shows what of it was found
        if query.terms and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        self.rows.accept_cursor()
        self.list_changed()
        self.post_message(self.ListChanged())

    def _listed_marks(self, wanted: tuple[QueryTerm, ...], *, anew: bool) -> Collection[ConversationId]:
        marks = [ConversationId(each) for each in (self.rows.marks if anew else self.rows.hidden_marks)]
        return conversation_store.wanted_among(self._db, marks, wanted) if marks else ()

    def _known_of(self, keys: Collection[str]) -> Collection[str]:
        return conversation_store.wanted_among(self._db, map(ConversationId, keys), ())

    def _read_again_soon(self) -> None:
        """Read again at once after a pause, else once after each delay."""
        self._is_stale = True
        if self._rest is None:
            if (self.rows.cursor_index or 0) < FIRST_ROWS // 2 and not self.rows.marks:
                self._listing.window = self._listing.window or FIRST_ROWS  # who is back at the top reads less
            self.read_again()
            rest = max(READ_AGAIN_SECONDS, READ_AGAIN_SHARE * self._read_seconds)
            self._rest = self.set_timer(rest, self._end_rest)

    def _end_rest(self) -> None:
        self._rest = None
        if self._is_stale:
            self._read_again_soon()

    def _listed_keys(self) -> list[ConversationId]:
        """Return the keys as read, but with the held one behind the row that it was behind."""
        keys, held, at = self._listing.keys, self._held, self.rows.cursor_index
        if held is None or at is None or held != self.cursor or held not in keys:
            return keys
        others = [each for each in keys if each != held]
        if at and (before := self.rows.keys[at - 1]) in others:
            at = others.index(ConversationId(before)) + 1
        return [*others[:at], held, *others[at:]]

    def count_views(self) -> None:
        """Count the views whose rows aren't all in the list."""
        listed = [ALL] if self._query.terms else [ALL, self.view]
        self.view_counts.count(each for each in self.views if each not in listed and not each.off)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = record_lookup.conversation(self._db, ConversationId(key))
        if record is None:
            return ()
        db, here = self._db, record.conversation_id
        tags = tuple(dict.fromkeys(tag for tag, _, _ in outbox_queue.added_tags(db, here)))
        task = self.row_tasks.draw(here)
        is_about = task if self.row_tasks.are_chosen else None
        if is_about is not None:
            record = record.about(is_about)
        present = team_state.present(db).get(here, ())
        call = notes.calls_for(db, here, self._app_context.store.catalogue.me)
        view = self._app_context.view()
        snooze = snoozes.state_of(db, ChangeKind.SNOOZE_CONVERSATION, here, view.now)
        clock = clock_store.of_row(db, here, is_about) if self._has_sla else None
        status = None if task is None else task.status
        order = self._listing.sorted_by
        facts = RowFacts(order, status, tags, self._names_lines, self.words, present, call, snooze, clock)
        return (compact_row if self.rows.row_height == 1 else row)(record, width, view, facts)

    def _fit_rows(self) -> None:
        """Draw a conversation in one line where the terminal is narrow, in two where its columns fit."""
        self.rows.set_row_height(1 if self.app.size.width < MIN_TWO_LINES_WIDTH else 2)

    def _read_more(self, count: int | None) -> None:
        self._listing.window = None if count is None else max(count, 2 * len(self.rows.keys))
        self.read_again()

    @property
    def _list_words(self) -> ListWords:
        listing = self._listing
        return ListWords(
            self.view,
            self._query,
            self.order,
            listing.coverage,
            listing.matching,
            snoozed=self._snoozed,
            sorted_by=listing.sorted_by,
        )

    def _faults_of(self, query: filter_words.Query) -> tuple[str, ...]:
        store = self._app_context.store
        why = filter_words.off(query, store.profile, has_sla=self._has_sla)
        channels = record_lookup.line_channels(store.reading)
        unknown = filter_words.unknown_names(query, store.profile, channels)
        if channels.keys() - store.profile.lines.keys() and any(each.startswith("line:") for each in unknown):
            unknown += (f"{self._app_context.key('app.names')} names lines",)
        return (*query.faults, *([f"this filter {why}"] if why else ()), *unknown)

    def _update_title(self) -> None:
        words, note = self._list_words, self._reading_note
        was_settling = self.is_settling
        note.show(words)
        if was_settling and not self.is_settling:
            self.post_message(self.Highlighted(self.cursor))
        self.set_title(*words.title_forms())
        if self._bar.is_choosing:
            self.set_subtitle((span("a letter opens a view", Role.ACCENT),))
        elif self._search_words:
            self.set_subtitle(self._search_words)
        else:
            self.set_subtitle(*words.order_forms(with_share=not note.is_reading))

    def _update_views(self) -> None:
        words = self._list_words
        letters = {view.name: letter for letter, view in filter_words.letters(self.views).items()}
        tabs = [
            ViewTab(
                shown_name(each, self._app_context.view()),
                words.count_of(each, self.view_counts.of(each)),
                letters.get(each.name, ""),
                bool(each.off),
            )
            for each in self.views
        ]
        self._bar.show(tabs, self.views.index(self.view))


def _lines(words: Sequence[str]) -> tuple[Line, ...]:
    return tuple((span(each, Role.DIM),) for each in words) or (EMPTY,)

"""The thread of one conversation: a window of the stored messages that requests older ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message

from frontdesk.inbox.store import notes as note_store
from frontdesk.inbox.store import thread_pages
from frontdesk.inbox.store import threads as thread_store
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.store.thread_pages import STEP, ThreadWindow
from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.tui.thread_state import (
    ThreadPosition,
    ThreadPositions,
    ThreadRequests,
    missing_before,
    why_empty,
)
from frontdesk.inbox.view.conversation_row import title_of
from frontdesk.inbox.view.message import MessageEntry, MessageRenderer, answered_id, message_entry_key
from frontdesk.inbox.view.parties import parties_of
from frontdesk.inbox.view.thread import Entry, GapEntry, NoteEntry, ThreadContext, entries, entry_lines
from frontdesk.storage import change_feed, record_lookup, team_state
from frontdesk.storage.records import Event, Json, MessagePosition
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, fit, span
from frontdesk_lines.widgets.entry_stack import ReadingPosition
from frontdesk_lines.widgets.line_bar import LineBar
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.thread_view import ThreadView

MAX_COUNTED = 999
"""New messages that are counted; more are shown as "more than"."""

MAX_TEXT_CELLS = 90
"""Longer lines are hard to read, however wide the pane is."""


class TargetBar(LineBar):
    """The task that keys work on, above the thread; hidden without one."""

    DEFAULT_CSS = """
    TargetBar { display: none; }
    TargetBar.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="target")
        self._draw: Callable[[int], Line] | None = None

    def show(self, draw: Callable[[int], Line] | None) -> None:
        self._draw = draw
        self.set_class(draw is not None, "-shown")
        self.sync()

    def compose_line(self, width: int) -> Line:
        return fit((), width) if self._draw is None else self._draw(width)


class ThreadPane(Pane):
    """Messages of the open conversation, the newest at the bottom, below the task that keys work on."""

    @dataclass(repr=False, eq=False)
    class OlderRequested(Message):
        """Messages older than the stored ones are needed."""

        conversation_id: ConversationId
        before: MessagePosition

    @dataclass(repr=False, eq=False)
    class MessageChosen(Message):
        entry: MessageEntry | NoteEntry

    class EndReached(Message):
        """The newest message has come on the screen."""

    @dataclass(repr=False, eq=False)
    class OlderMissing(Message):
        """Whether messages are missing before the one under the cursor has changed."""

        lacks_older: bool

    def __init__(self, app_context: AppContext):
        super().__init__(id="thread", title=trusted("Thread"))
        self._is_beside_facts = False
        self._app_context = app_context
        self._db = app_context.store.reading
        self.conversation_id: ConversationId | None = None
        self._window = ThreadWindow(app_context.store.reading, ConversationId(""))
        self._entries: dict[str, Entry] = {}
        self._renderer = MessageRenderer()
        self._filter_words = ""
        self._new_from: MessagePosition | None = None
        self._seen: MessagePosition | None = None
        self._outside: tuple[int, int] | None = None
        self.requests = ThreadRequests()
        self._search_words: Line = EMPTY
        self._segments: Sequence[Segment] = ()
        self.lacks_older = False
        self.positions = ThreadPositions()
        empty = why_empty(app_context.store.reading, None)
        self.rows = ThreadView(self._draw, empty=empty, supply=self, at_bottom=True)

        self.target = TargetBar()

    def compose(self) -> ComposeResult:
        yield self.target
        yield self.rows

    @property
    def is_at_end(self) -> bool:
        return self.rows.is_at_end

    @property
    def new_below(self) -> int:
        """Return how many messages arrived since the end was visible."""
        if self.conversation_id is None or self._seen is None or self.rows.is_at_end:
            return 0
        return thread_pages.count_after(self._db, self.conversation_id, self._seen, MAX_COUNTED + 1)

    @property
    def message_at_cursor(self) -> Json | None:
        entry = self._entries.get(self.rows.cursor_key or "")
        return entry.record.raw if isinstance(entry, MessageEntry) else None

    @property
    def note_at_cursor(self) -> TeamNote | None:
        entry = self._entries.get(self.rows.cursor_key or "")
        return entry.note if isinstance(entry, NoteEntry) else None

    @property
    def renderer(self) -> MessageRenderer:
        return self._renderer

    def open(self, conversation_id: ConversationId | None) -> None:
        """Show a conversation where it was left, or its newest messages; a search's words no more."""
        if conversation_id == self.conversation_id:
            self._highlight(self._filter_words)
            return
        self._switch_to(conversation_id)
        position = self.positions.get(conversation_id)
        if position is None:
            self._window.to_newest()
            self._show(at=None)
        else:
            self._window.around(position.key)
            self._seen = position.seen
            self._show(at=position.reading)

    def open_at(self, conversation_id: ConversationId, key: MessagePosition, words: str) -> None:
        """Move the cursor to a message of a conversation, and highlight the words in it."""
        if conversation_id != self.conversation_id:
            self._switch_to(conversation_id)
        self._renderer = MessageRenderer(self._renderer.parties, words)
        self._window.around(key)
        ends = thread_pages.ends(self._db, conversation_id)
        self._seen = self._seen or (ends[1] if ends else None)
        entry = message_entry_key(key)
        self._show(at=ReadingPosition(entry, 0, entry))
        self.rows.move_to(entry, centre=True)

    def show_filter(self, words: str) -> None:
        """Highlight the words of the list's filter, unless those of a search are."""
        before, self._filter_words = self._filter_words, words
        if self._renderer.words == before:
            self._highlight(words)

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show new messages; the reading position stays."""
        if self.conversation_id is None:
            return
        mine = {event.kind for event in events if event.id == self.conversation_id}
        if change_feed.EVERYTHING in events or mine & {change_feed.THREAD, change_feed.NOTES}:
            self._read_again()
        elif change_feed.CONVERSATION in mine:
            self._update_title()

    def show_search(self, words: Line) -> None:
        """Show the state of a search in the border, unless that is in use."""
        self._search_words = words
        self.update_end()

    def load_ended(self, before: MessagePosition, failed: str = "") -> None:
        """End a request for older messages; a failed one can be repeated."""
        if self.requests.end(before, failed):
            self._rebuild_entries()
            self.update_end()

    def load_older(self) -> bool:
        """Load the gap above the message under the cursor; False where there is none."""
        here = self._message_at(self.rows.cursor_key or "")
        if self.conversation_id is None or here is None:
            return True
        missing = missing_before(thread_store.segments(self._db, self.conversation_id), here)
        if missing is not None:
            self.request_older(missing)
        return missing is not None

    def position(self) -> ThreadPosition | None:
        """Return the reading position, to be kept over a restart; None at the end."""
        reading = self.rows.reading
        if self.conversation_id is None or reading is None or self.rows.is_at_end:
            return None
        key = self._message_at(reading.top)
        return None if key is None else ThreadPosition(key, reading, self._seen)

    # What `ThreadView` asks for: keys beyond those at hand.

    def older(self, height: int) -> Sequence[str] | None:
        return self._slid(lambda: self._window.older(max(STEP, height)))

    def newer(self, height: int) -> Sequence[str] | None:
        return self._slid(lambda: self._window.newer(max(STEP, height)))

    def oldest(self) -> Sequence[str] | None:
        if not self._window.has_older:
            return None
        self._window.to_oldest()
        return self._make_entries()

    def newest(self) -> Sequence[str] | None:
        if not self._window.has_newer:
            return None
        self._window.to_newest()
        return self._make_entries()

    def has_newer(self) -> bool:
        return self._window.has_newer

    def outside(self) -> tuple[int, int]:
        if self._outside is None:
            self._outside = self._window.outside(len(self._entries))
        return self._outside

    def on_thread_view_near_top(self, event: ThreadView.NearTop) -> None:
        """Request older messages on scrolling, if the thread has the focus."""
        event.stop()
        if self.rows.has_focus:
            self._request_at_start()

    def on_thread_view_highlighted(self, event: ThreadView.Highlighted) -> None:
        event.stop()
        self._update_lacks_older()
        if self.rows.has_focus and self.rows.top is not None and self.rows.top[0] == next(iter(self._entries), ""):
            self._request_at_start()

    def on_thread_view_chosen(self, event: ThreadView.Chosen) -> None:
        event.stop()
        entry = self._entries.get(event.key)
        if isinstance(entry, GapEntry):
            self.request_older(entry.before)
        elif isinstance(entry, MessageEntry | NoteEntry):
            self.post_message(self.MessageChosen(entry))

    def on_thread_view_end_reached(self, event: ThreadView.EndReached) -> None:
        event.stop()
        self.update_end()
        self.post_message(self.EndReached())

    def _switch_to(self, conversation_id: ConversationId | None) -> None:
        if self.conversation_id is not None:
            self.positions.put(self.conversation_id, self.position())
        self.conversation_id = conversation_id
        self.requests.forget()
        self._window = ThreadWindow(self._db, conversation_id or ConversationId(""))
        self._new_from = None if conversation_id is None else thread_pages.first_unread(self._db, conversation_id)
        self._seen = None
        self._renderer = MessageRenderer(words=self._filter_words)
        self._renderer = self._make_renderer()

    def _show(self, at: ReadingPosition | None) -> None:
        self.rows.set_empty(why_empty(self._db, self.conversation_id))
        self._entries = {}
        self.rows.set_entries(self._make_entries(), at=at)
        self._update_title()
        self.update_end()

    def _read_again(self) -> None:
        if self.conversation_id is None:
            return
        reading = self.rows.reading
        follow = self.rows.is_at_end
        top = None if follow or reading is None else self._message_at(reading.top)
        self._renderer = self._make_renderer()
        if self._new_from is None and not follow:
            self._new_from = thread_pages.first_unread(self._db, self.conversation_id)
        self._window.read_again(top, max(STEP, self.rows.size.height))
        self._rebuild_entries(follow=follow)
        self.rows.set_empty(why_empty(self._db, self.conversation_id))
        self._update_title()
        self.update_end()

    def _rebuild_entries(self, *, follow: bool = False) -> None:
        before = self._entries
        keys = self._make_entries()
        changed = [key for key in keys if key in before and before[key] != self._entries[key]]
        self.rows.replace_entries(keys, changed, follow=follow or self.rows.is_at_end)

    def _slid(self, slide: Callable[[], bool]) -> Sequence[str] | None:
        return self._make_entries() if slide() else None

    def _make_entries(self) -> list[str]:
        conversation_id = self.conversation_id or ConversationId("")
        messages = self._window.messages
        known = {str(each.key.message_id): each for each in messages}
        wanted = {each for message in messages if (each := answered_id(message.raw))}
        answered = {each: known[each] for each in wanted & known.keys()}
        answered |= thread_pages.by_ids(self._db, conversation_id, wanted - known.keys())
        self._segments = thread_store.segments(self._db, conversation_id)
        self.requests.end_answered(self._segments)
        around = ThreadContext(
            before=self._window.before,
            segments=self._segments,
            new_from=self._new_from,
            answered=answered,
            loading=self.requests.loading,
            failed=self.requests.failed,
            notes=self._notes(),
        )
        found = entries(messages, around, self._app_context.view())
        self._entries = {entry.key: entry for entry in found}
        self._outside = None
        return list(self._entries)

    def _notes(self) -> Sequence[TeamNote]:
        """Return the notes between the window's messages; before the first and after the last stored one, too."""
        if self.conversation_id is None:
            return ()
        window, me = self._window, self._app_context.store.catalogue.me
        start = window.before.key.created_at / 1000 if window.before else float("-inf")
        end = window.messages[-1].key.created_at / 1000 if window.has_newer else float("inf")
        found = note_store.of_conversation(self._db, self.conversation_id, me)
        return [note for note in found if start <= note.at < end]

    def _message_at(self, entry_key: str) -> MessagePosition | None:
        """Return the message of an entry, or the next one below it."""
        keys = list(self._entries)
        if entry_key not in self._entries:
            return None
        following = (self._entries[key] for key in keys[keys.index(entry_key) :])
        return next((entry.record.key for entry in following if isinstance(entry, MessageEntry)), None)

    def _request_at_start(self) -> None:
        """Request what is older than everything stored, unless the thread is known to begin there."""
        if self.conversation_id is None or self._window.has_older or not self._window.messages:
            return
        first = self._window.messages[0].key
        segments = thread_store.segments(self._db, self.conversation_id)
        if first not in self.requests.failed and any(
            each.oldest == first and not each.complete for each in segments
        ):
            self.request_older(first)

    def request_older(self, before: MessagePosition) -> None:
        if self.conversation_id is None or not self.requests.begin(before):
            return
        self._rebuild_entries()
        self.update_end()
        self.post_message(self.OlderRequested(self.conversation_id, before))

    def _highlight(self, words: str) -> None:
        if words != self._renderer.words:
            self._renderer = MessageRenderer(self._renderer.parties, words)
            self.rows.redraw()

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        entry = self._entries.get(key)
        return (
            ()
            if entry is None
            else entry_lines(entry, min(width, MAX_TEXT_CELLS), self._app_context.view(), self._renderer)
        )

    def _make_renderer(self) -> MessageRenderer:
        if self.conversation_id is None:
            return MessageRenderer()
        parties = parties_of(record_lookup.conversation(self._db, self.conversation_id))
        return MessageRenderer(parties, self._renderer.words)

    def set_beside_facts(self, is_beside: bool) -> None:
        """Leave out of the title what the facts beside it say."""
        if is_beside != self._is_beside_facts:
            self._is_beside_facts = is_beside
            self._update_title()

    def _update_title(self) -> None:
        opened = self.conversation_id
        record = opened and record_lookup.conversation(self._db, opened)
        if record:
            present = team_state.present(self._db).get(record.conversation_id, ())
            self.set_title(title_of(record, self._app_context.view(), present, name_only=self._is_beside_facts))
        else:
            self.set_title((span(show_line(opened, 60) if opened else "Thread"),))

    def _update_lacks_older(self) -> None:
        here = self._message_at(self.rows.cursor_key or "")
        missing = None if here is None else missing_before(self._segments, here)
        lacks_older = missing is not None and missing not in self.requests.loading
        if lacks_older != self.lacks_older:
            self.lacks_older = lacks_older
            self.post_message(self.OlderMissing(lacks_older))

    def update_end(self) -> None:
        """Show how many messages arrived below; at the end all are seen."""
        self._update_lacks_older()
        if self.rows.is_at_end:
            messages = self._window.messages
            self._seen = messages[-1].key if messages else None
        count = self.new_below
        if not count:
            near = {entry.before for entry in self._entries.values() if isinstance(entry, GapEntry)}
            self.set_subtitle(self.requests.status_line(near) or self._search_words)
            return
        many = f"more than {MAX_COUNTED}" if count > MAX_COUNTED else str(count)
        word = "message" if count == 1 else "messages"
        self.set_subtitle(
            (span(f"{many} new {word} below · {self._app_context.key('move.last')} show", Role.ACCENT),)
        )

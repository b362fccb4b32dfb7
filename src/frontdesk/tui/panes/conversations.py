"""The list of known conversations: sorted, filtered as one types, keyed by id.

Held by the inbox; it says which conversation the cursor is on and which one was opened.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from frontdesk.contract.ids import ConversationId
from frontdesk.present import connection
from frontdesk.present.conversations import row
from frontdesk.present.lines import EMPTY, Line, Role, span
from frontdesk.store import feed
from frontdesk.store.records import Event, Order
from frontdesk.text import show_line
from frontdesk.tui.room import Room
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

ORDER_WORDS = {
    Order.WAITING: "longest waiting first",
    Order.ACTIVITY: "newest first",
    Order.DUE: "due first",
    Order.NAME: "by name",
}
NOTHING_KNOWN = (
    "No conversations known yet.",
    "The platform lists none: they come from",
    "tasks, and from those you open with {}.",
)
"""With the key that opens one."""

READ_AGAIN_SECONDS = 0.25
"""The ids are read at most this often while events keep coming; rows are drawn again at once."""

READ_AGAIN_SHARE = 20
"""Reading a long list again rests so many times as long as it took."""

FIRST_ROWS = 500
"""So many conversations are read at first; further ones when the cursor comes near them."""

FILTER_SECONDS = 0.12
"""How long typing rests before the filter looks at every conversation."""


class ConversationsPane(Pane):
    """Known conversations, with a filter line that appears on `/`."""

    DEFAULT_CSS = """
    ConversationsPane > Input {
        display: none;
        height: 1;
        border: none;
        padding: 0 1;
        background: $panel;
    }
    ConversationsPane.-filtering > Input { display: block; }
    """

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another conversation, or on none."""

        conversation_id: ConversationId | None

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a moving cursor matters."""
            return isinstance(message, ConversationsPane.Highlighted)

    @dataclass
    class Opened(Message):
        """A conversation was chosen with enter."""

        conversation_id: ConversationId

    @dataclass
    class MarksChanged(Message):
        """How many conversations are marked."""

        count: int

    def __init__(self, room: Room, order: Order = Order.WAITING):
        super().__init__(id="conversations")
        self._room = room
        self.order = order
        self._words = ""
        self._known = 0
        self._rest: Timer | None = None
        self._is_stale = False
        self._typing: Timer | None = None
        # Made when it is first used: most starts never filter.
        self._field: Input | None = None
        self._window: int | None = FIRST_ROWS
        self._read_seconds = 0.0
        self.rows = RowList(self._draw, row_height=2, empty=_lines(self._nothing_known), more=self._read_more)

    def compose(self) -> ComposeResult:
        yield self.rows

    def on_mount(self) -> None:
        self.read_again()

    @property
    def _nothing_known(self) -> tuple[str, ...]:
        return tuple(each.format(self._room.key("conversation.open")) for each in NOTHING_KNOWN)

    @property
    def cursor(self) -> ConversationId | None:
        """The conversation under the cursor."""
        key = self.rows.cursor_key
        return None if key is None else ConversationId(key)

    @property
    def targets(self) -> tuple[ConversationId, ...]:
        """What a command works on: the marked conversations, else the one under the cursor."""
        return tuple(ConversationId(key) for key in self.rows.targets)

    def read_again(self) -> None:
        """Read the ids anew; rows are read when they are drawn."""
        self._is_stale = False
        began = time.monotonic()
        reads = self._room.desk.reads
        self._known = reads.conversation_count()
        if self._words:
            keys = reads.conversation_ids_with(self.order, self._words)
        else:
            keys = reads.conversation_ids(self.order, -1 if self._window is None else self._window)
            if len(keys) < self._known and not self.rows.needed <= set(keys):
                # Sorted out of the window: the cursor and the marks stay on their conversations.
                self._window = None
                keys = reads.conversation_ids(self.order)
        self._read_seconds = time.monotonic() - began
        self.rows.set_empty(_lines(self._why_empty()))
        self.rows.set_keys(keys, None if self._words else self._known)
        self._say_title()

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show what differs, and nothing else."""
        kinds = {event.kind for event in events}
        if feed.EVERYTHING in events:
            self.read_again()
            self.rows.redraw()
        elif feed.HEALTH in kinds and not self.rows.keys:
            self.read_again()
        elif feed.CONVERSATION in kinds:
            self._read_again_soon()
            self.rows.refresh_keys(event.id for event in events if event.kind == feed.CONVERSATION)

    def sort(self, order: Order) -> None:
        """Sort by something else; the cursor stays on its conversation."""
        self.order = order
        self._window = FIRST_ROWS
        self.read_again()

    def show(self, conversation_id: ConversationId) -> bool:
        """Put the cursor on a conversation; a filter that hides it is taken off."""
        if self.rows.move_to(conversation_id):
            return True
        self._window = None
        if not self.end_filter():
            self.read_again()
        return self.rows.move_to(conversation_id)

    def next_unread(self) -> bool:
        """Go to the next conversation with something unread, from the cursor on and round."""
        reads, here = self._room.desk.reads, self.rows.cursor_index or 0
        near = [ConversationId(each) for each in self.rows.keys[here + 1 : here + 1 + FIRST_ROWS]]
        found = reads.unread_among(near)
        for each in near:
            if each in found:
                return self.show(each)
        # None is near, so there are few: all of them are looked through.
        unread = reads.unread_ids(self.order, self.cursor)
        at = unread.index(self.cursor) if self.cursor in unread else -1
        listed = set(self.rows.keys) if self._words else set(unread)
        for each in (*unread[at + 1 :], *unread[: max(0, at)]):
            if each in listed:
                return self.show(each)
        return False

    def begin_filter(self) -> None:
        """Show the filter line and type into it."""
        self.add_class("-filtering")
        if self._field is None:
            self._field = Input(placeholder="filter by name, number, words said", compact=True)
            self.mount(self._field, before=self.rows)
        self._field.focus()

    def end_filter(self) -> bool:
        """Take the filter off; False where there was none."""
        if not self.has_class("-filtering"):
            return False
        if self._field is not None:
            self._field.value = ""
        self._filter()
        self.remove_class("-filtering")
        self.rows.focus()
        return True

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(FILTER_SECONDS, self._filter)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._filter()
        if not event.value.strip():
            self.end_filter()
        self.rows.focus()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(None if event.key is None else ConversationId(event.key)))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Opened(ConversationId(event.key)))

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.post_message(self.MarksChanged(len(event.keys)))

    def _filter(self) -> None:
        """Show what matches the words in the filter line, unless it is shown already."""
        if self._typing is not None:
            self._typing.stop()
            self._typing = None
        words = "" if self._field is None else self._field.value.strip().casefold()
        if words != self._words:
            self._words = words
            self.read_again()
            if words and self.rows.keys:
                self.rows.move_to(self.rows.keys[0])

    def _read_again_soon(self) -> None:
        """At once after a pause; while events keep coming, once when each rest is over."""
        self._is_stale = True
        if self._rest is None:
            if self._window is None and (self.rows.cursor_index or 0) < FIRST_ROWS // 2:
                self._window = FIRST_ROWS  # who came back to the top reads no more than it takes
            self.read_again()
            rest = max(READ_AGAIN_SECONDS, READ_AGAIN_SHARE * self._read_seconds)
            self._rest = self.set_timer(rest, self._rested)

    def _rested(self) -> None:
        self._rest = None
        if self._is_stale:
            self._read_again_soon()

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._room.desk.reads.conversation(ConversationId(key))
        return () if record is None else row(record, width, self._room.view())

    def _read_more(self, count: int | None) -> None:
        self._window = None if count is None else max(count, 2 * len(self.rows.keys))
        self.read_again()

    def _why_empty(self) -> tuple[str, ...]:
        if self._words:
            return (f"Nothing known matches “{show_line(self._words, 40).text}”.", "esc shows all again")
        health = self._room.desk.reads.health()
        if health.fresh_at is None:
            return connection.before_first(health, self._room.key("view.refresh_all"))
        return self._nothing_known

    def _say_title(self) -> None:
        title = span("Conversations")
        count = f" · {self._known:,} known"
        if self._words:
            count = f" · {len(self.rows.keys):,} of {self._known:,} known"
        self.set_title((title, span(count, Role.DIM)))
        self.set_subtitle((span(ORDER_WORDS[self.order], Role.DIM),))


def _lines(words: Sequence[str]) -> tuple[Line, ...]:
    return tuple((span(each, Role.DIM),) for each in words) or (EMPTY,)

"""The thread of one conversation: read from the store in windows, older ones on demand.

Held by the inbox. It asks the engine for what the store doesn't have and says so while it waits.
"""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message

from frontdesk.contract.ids import ConversationId
from frontdesk.present.conversations import name_of
from frontdesk.present.lines import EMPTY, Line, Role, span
from frontdesk.present.thread import Entry, GapEntry, MessageEntry, entries, lay
from frontdesk.store import feed
from frontdesk.store.records import Event, Json, MessageKey, MessageRecord
from frontdesk.text import own, show_line
from frontdesk.tui.room import Room
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.thread_view import ThreadView

WINDOW = 60
"""Messages read from the store at a time."""


class ThreadPane(Pane):
    """Messages of the open conversation, the newest at the bottom."""

    @dataclass
    class OlderWanted(Message):
        """What lies before a message is not in the store: it has to be fetched."""

        conversation_id: ConversationId
        before: MessageKey

    def __init__(self, room: Room):
        super().__init__(id="thread", title=own("Thread"))
        self._room = room
        self.conversation_id: ConversationId | None = None
        self._oldest: MessageKey | None = None
        self._entries: dict[str, Entry] = {}
        self._names: dict[str, str] = {}
        self._asked: MessageKey | None = None
        self.rows = ThreadView(self._lay, empty="Choose a conversation on the left.")

    def compose(self) -> ComposeResult:
        yield self.rows

    def open(self, conversation_id: ConversationId | None) -> None:
        """Show this conversation's newest messages."""
        if conversation_id == self.conversation_id:
            return
        self.conversation_id, self._asked = conversation_id, None
        newest = self._read_before(None)
        self._oldest = newest[0].key if newest else None
        self._show(newest, fresh=True)

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show what came into this thread; what is read stays where it is."""
        if self.conversation_id is None:
            return
        mine = {event.kind for event in events if event.id == self.conversation_id}
        if feed.EVERYTHING in events or feed.THREAD in mine:
            self._read_again()
        elif feed.CONVERSATION in mine:
            self._say_title()

    def load_ended(self, before: MessageKey, failed: str = "") -> None:
        """An ask for what lies before a message is settled; where it failed the gap can be tried again."""
        if self._asked != before:
            return
        self._asked = None
        if failed:
            self.set_subtitle((span(own(f"not loaded: {show_line(failed, 80).text}"), Role.BAD),))
        else:
            self._say_below(self.rows.below)

    def load_older(self) -> None:
        """Show older messages: from the store, else from the platform; at a gap, what it lacks."""
        gap = self._gap_at_cursor()
        if gap is not None:
            self._ask(gap.before)
        else:
            self._older()

    @property
    def message_at_cursor(self) -> Json | None:
        """The message under the cursor as it came, for the raw view."""
        entry = self._entries.get(self.rows.cursor_key or "")
        return entry.record.raw if isinstance(entry, MessageEntry) else None

    def on_thread_view_near_top(self, event: ThreadView.NearTop) -> None:
        """A reader's scrolling fetches older ones; a thread that is only peeked at costs no request."""
        event.stop()
        if self.rows.has_focus or self._has_stored_older():
            self._older()

    def on_thread_view_highlighted(self, event: ThreadView.Highlighted) -> None:
        event.stop()
        if self.rows.has_focus and self.rows.top is not None and self.rows.top[0] == next(iter(self._entries), ""):
            self._older()

    def on_thread_view_chosen(self, event: ThreadView.Chosen) -> None:
        event.stop()
        if isinstance(self._entries.get(event.key), GapEntry):
            self.load_older()

    def on_thread_view_new_below(self, event: ThreadView.NewBelow) -> None:
        event.stop()
        self._say_below(event.count)

    def _older(self) -> None:
        """One window more from the store, or a page from the platform when the store has no more."""
        if self.conversation_id is None or self._oldest is None:
            return
        older = self._read_before(self._oldest)
        if older:
            self._oldest = older[0].key
            self._read_again()
            return
        segments = self._room.desk.reads.segments(self.conversation_id)
        if any(each.oldest == self._oldest and not each.complete for each in segments):
            self._ask(self._oldest)

    def _has_stored_older(self) -> bool:
        return self._oldest is not None and bool(
            self._room.desk.reads.messages_before(self.conversation_id or ConversationId(""), self._oldest, 1)
        )

    def _ask(self, before: MessageKey) -> None:
        if self.conversation_id is None or self._asked == before:
            return
        self._asked = before
        self.set_subtitle((span("loading older messages", Role.ACCENT),))
        self.post_message(self.OlderWanted(self.conversation_id, before))

    def _read_before(self, before: MessageKey | None) -> list[MessageRecord]:
        if self.conversation_id is None:
            return []
        return self._room.desk.reads.messages_before(self.conversation_id, before, WINDOW)

    def _read_again(self) -> None:
        if self.conversation_id is None:
            return
        if self._asked is not None and self._asked == self._oldest:
            # What was asked for has come: the window grows by it.
            came = self._read_before(self._oldest)
            self._oldest = came[0].key if came else self._oldest
        if self._oldest is None:
            newest = self._read_before(None)
            self._oldest = newest[0].key if newest else None
        messages = (
            self._room.desk.reads.messages_from(self.conversation_id, self._oldest)
            if self._oldest is not None
            else []
        )
        self._show(messages, fresh=False)

    def _show(self, messages: list[MessageRecord], *, fresh: bool) -> None:
        view = self._room.view()
        reads = self._room.desk.reads
        conversation_id = self.conversation_id or ConversationId("")
        whole = not messages or not reads.messages_before(conversation_id, messages[0].key, 1)
        found = entries(messages, reads.segments(conversation_id), view, whole=whole)
        before = self._entries
        self._entries = {entry.key: entry for entry in found}
        self._names = _quotes(messages)
        record = reads.conversation(conversation_id)
        self._names["customer"] = "" if record is None else record.name or record.number
        keys = list(self._entries)
        if fresh:
            self.rows.set_empty(self._why_empty())
            self.rows.set_entries(keys)
        else:
            self._bring(keys, before)
        if self._asked is not None and not self._still_missing():
            self._asked = None
        self._say_title()
        self._say_below(self.rows.below)

    def _bring(self, keys: list[str], before: dict[str, Entry]) -> None:
        """Change the shown entries to these without moving what is read."""
        shown = list(self.rows.keys)
        grown = len(keys) - len(shown)
        if keys[: len(shown)] == shown:
            self.rows.append(keys[len(shown) :]) if grown else None
        else:
            self.rows.set_entries(keys, at_end=self.rows.is_at_end)
        self.rows.refresh_keys(key for key in keys if key in before and before[key] != self._entries[key])

    def _still_missing(self) -> bool:
        return any(isinstance(entry, GapEntry) and entry.before == self._asked for entry in self._entries.values())

    def _gap_at_cursor(self) -> GapEntry | None:
        entry = self._entries.get(self.rows.cursor_key or "")
        return entry if isinstance(entry, GapEntry) else None

    def _lay(self, key: str, width: int) -> tuple[Line, ...]:
        entry = self._entries.get(key)
        return () if entry is None else lay(entry, width, self._room.view(), self._names)

    def _say_title(self) -> None:
        if self.conversation_id is None:
            self.set_title((span("Thread"),))
            return
        record = self._room.desk.reads.conversation(self.conversation_id)
        if record is None:
            self.set_title((span(show_line(self.conversation_id, 60)),))
            return
        parts = [
            name_of(record),
            show_line(record.number, 30),
            show_line(self._room.desk.catalogue.line(record.line_id), 30),
        ]
        words = [part for part in parts if part]
        self.set_title(
            tuple(
                span(own(part.text if place == 0 else f" · {part.text}"), Role.TEXT if place == 0 else Role.DIM)
                for place, part in enumerate(words)
            )
        )

    def _why_empty(self) -> str:
        if self.conversation_id is None:
            return "Choose a conversation on the left."
        record = self._room.desk.reads.conversation(self.conversation_id)
        if record is not None and record.line_id is None:
            return "Neither half of this conversation's id is a known line, so its thread can't be asked for."
        if record is not None and record.thread_known:
            return "No messages in this thread."
        return "Not loaded yet."

    def _say_below(self, count: int) -> None:
        if self._asked is not None:
            return
        if count:
            word = "message" if count == 1 else "messages"
            self.set_subtitle((span(f"{count} new {word} below · G shows them", Role.ACCENT),))
        else:
            self.set_subtitle(EMPTY)


def _quotes(messages: list[MessageRecord]) -> dict[str, str]:
    """The first words of each message, for those that answer it."""
    return {
        str(message.key.message_id): text
        for message in messages
        if isinstance(text := message.raw.get("message"), str) and text
    }

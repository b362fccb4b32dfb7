"""What all screens share: header, status line, and how they hear of what differs in the store.

A screen composes its body between the two and says what its keys work on.
"""

import json
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from frontdesk.contract.ids import ConversationId
from frontdesk.present import connection
from frontdesk.present.lines import EMPTY, Line, Role, span
from frontdesk.store import feed
from frontdesk.store.presence import Looking
from frontdesk.store.records import Event
from frontdesk.text import body_lines, own, show_line
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify
from frontdesk.tui.widgets.header import Header, Tab
from frontdesk.tui.widgets.status_line import StatusLine

TABS = (
    Tab("inbox", "1", "Inbox"),
    Tab("board", "2", "Board"),
    Tab("campaigns", "3", "Campaigns"),
    Tab("workflows", "4", "Workflows"),
    Tab("agents", "5", "AI agents"),
    Tab("activity", "6", "Activity"),
)


class DeskScreen(Screen[None]):
    """A screen of the desk; `context` is its name in the keymap and in what it looks at."""

    @dataclass
    class ConversationWanted(Message):
        """A conversation should be shown in the inbox."""

        conversation_id: ConversationId

    @dataclass
    class LookingChanged(Message):
        """The screen shows something else, which the engine should hear of."""

        def can_replace(self, message: Message) -> bool:
            """What is shown now is asked for when it is handled."""
            return isinstance(message, DeskScreen.LookingChanged)

    context: ClassVar[str] = ""
    focus_context: ClassVar[str] = "list"
    has_marks: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = []
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-middle"), (140, "-wide")]  # noqa: RUF012 - Textual's type
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    DeskScreen { layout: vertical; background: $background; }
    DeskScreen > .body { height: 1fr; layout: horizontal; }
    DeskScreen > #small { display: none; }
    """

    def __init__(self, room: Room, keymap: Keymap):
        super().__init__()
        self.room = room
        self.keymap = keymap
        # Held, not looked up: while the program ends a screen outlives what is on it.
        self._title_bar = Header(own("frontdesk"), TABS, self.context)
        self._status_line = StatusLine()
        self._missed: frozenset[Event] = frozenset()
        self._is_made = False

    def compose(self) -> ComposeResult:
        yield self._title_bar
        yield from self.compose_body()
        yield self._status_line

    @abstractmethod
    def compose_body(self) -> ComposeResult:
        """The widgets between header and status line."""

    @abstractmethod
    def show_changes(self, events: frozenset[Event]) -> None:
        """Redraw what these events touch."""

    @abstractmethod
    def home(self) -> Widget:
        """Where the focus is when the screen opens."""

    def looking(self) -> Looking:
        """What this screen shows, for the engine to spend requests on."""
        return Looking(screen=self.context)

    def marked(self) -> int:
        """How many things are marked."""
        return 0

    def go_back(self) -> bool:
        """Leave what was opened last; False at the root of the screen."""
        return False

    def raw_record(self) -> tuple[str, object] | None:
        """What the cursor is on, as it came: a title and the JSON."""
        return None

    def copied_id(self) -> str | None:
        """The id that `y` copies."""
        return None

    def refresh_target(self) -> str:
        """What `r` asks to be read again; empty for everything."""
        return ""

    def keep_place(self) -> None:
        """Remember where this screen was left."""

    def on_mount(self) -> None:
        self._status_line.set_right(*self.keymap.hints_for(*self._hint_contexts()))
        self.say_profile()
        self.say_status()
        self.home().focus(scroll_visible=False)
        # Textual calls this after the subclass' own: from here on there is something to redraw.
        self._is_made = True
        self._show_missed()

    def store_changed(self, events: frozenset[Event]) -> None:
        """Hear of events: shown at once where this screen is made and on top, else when it is."""
        if not self._is_made or not self.is_current:
            self._missed |= events
            return
        kinds = {event.kind for event in events}
        if feed.EVERYTHING in events or kinds & {feed.HEALTH, feed.CHANGE}:
            self.say_status()
        self.show_changes(events)

    def on_screen_resume(self, event: events.ScreenResume) -> None:  # noqa: ARG002
        self._show_missed()

    def _show_missed(self) -> None:
        if self._missed and self._is_made:
            missed, self._missed = self._missed, frozenset()
            self.say_status()
            self.show_changes(missed)

    def say_status(self) -> None:
        """Bring the status line up to date; it paints only the words that differ."""
        reads, view = self.room.desk.reads, self.room.view()
        now = (reads.health(), view.now, view.zone, view.glyphs)
        parts: list[Line] = [tuple(connection.words(*now))]
        unsent, undecided = reads.unsent(), reads.undecided()
        if unsent:
            parts.append((span(f"{view.glyphs.pending} {unsent} to send", Role.PENDING),))
        if undecided:
            parts.append((span(f"{view.glyphs.warning} {undecided} to decide · 6", Role.BAD),))
        marked = self.marked()
        parts.append((span(f"{marked} marked", Role.WARN),) if marked else EMPTY)
        self._status_line.set_left(
            *parts, shorter=[tuple(connection.short_words(*now)), tuple(connection.shortest_words(*now))]
        )

    def say_profile(self) -> None:
        """Say whose desk this is."""
        name = show_line(self.room.desk.profile.name, 40)
        self._title_bar.set_right((span(name, Role.DIM),))

    def action_raw(self) -> None:
        from frontdesk.tui.dialogs.record import RecordDialog

        record = self.raw_record()
        if record is None:
            notify(self.app, own("There is no record under the cursor."))
            return
        text = json.dumps(record[1], ensure_ascii=False, indent=2, default=str)
        lines = body_lines(text, limit=200_000, lines=5_000)
        self.app.push_screen(RecordDialog(own(record[0]), lines))

    def action_copy_id(self) -> None:
        self._copy(self.copied_id())

    def action_copy_json(self) -> None:
        record = self.raw_record()
        self._copy(None if record is None else json.dumps(record[1], ensure_ascii=False, default=str))

    def action_refresh_this(self) -> None:
        self.room.desk.ask_refresh(self.refresh_target())
        notify(self.app, own("Reading this again."), timeout_seconds=2)

    def _hint_contexts(self) -> tuple[str, ...]:
        """The keys of lists are hinted at only where rows are marked and opened."""
        return (self.context, self.focus_context) if self.has_marks else (self.context,)

    def _copy(self, text: str | None) -> None:
        """Copy what was asked for, free of control characters, and show what it was."""
        if not text:
            notify(self.app, own("There is nothing to copy here."))
            return
        clean = show_line(text, 100_000).text
        self.app.copy_to_clipboard(clean)
        notify(self.app, own(f"Copied {show_line(clean, 60).text}"), timeout_seconds=2)

    def on_header_tab_chosen(self, event: Header.TabChosen) -> None:
        event.stop()
        self.app.switch_mode(event.id)

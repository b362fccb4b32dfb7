"""What all screens share: header, status line, and how they hear of what differs in the store.

A screen composes its body between the two and says what its keys work on.
"""

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.api.contract.ids import ConversationId
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.view.alerts import status_words
from frontdesk.outbox import progress as outbox_progress
from frontdesk.storage import change_feed, clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Event
from frontdesk.sync import status_view
from frontdesk.sync.requests import SyncRequests
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.text.redaction import redact_json
from frontdesk.tui.clipboard import copy
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.hints import hints, welcome
from frontdesk.tui.keymap import Keymap, shown_key
from frontdesk.tui.run_tracker import RunTracker
from frontdesk.tui.textual_compat.compositor import NarrowScreen
from frontdesk.tui.widgets.header import Header, Tab
from frontdesk.tui.widgets.pane_tabs import PaneTabs
from frontdesk.tui.widgets.row_list import RowList
from frontdesk.tui.widgets.status_line import StatusLine
from frontdesk.tui.widgets.thread_view import ThreadView
from frontdesk.tui.widgets.too_small import TooSmall, is_too_small
from frontdesk.tui.widgets.welcome import Welcome

RAW_LETTERS, RAW_LINES = 200_000, 5_000
"""So many letters and lines of a raw record are shown: a workflow may have megabytes."""

TABS = (
    Tab("inbox", "1", "Inbox"),
    Tab("board", "2", "Board"),
    Tab("campaigns", "3", "Campaigns"),
    Tab("workflows", "4", "Workflows"),
    Tab("agents", "5", "AI agents"),
    Tab("activity", "6", "Activity"),
)


class BaseScreen(NarrowScreen):
    """A screen of the desk; `context` is its name in the keymap and in what it looks at."""

    @dataclass
    class ConversationRequested(Message):
        """A conversation should be shown in the inbox."""

        conversation_id: ConversationId

    @dataclass
    class FocusChanged(Message):
        """The screen shows something else, which the engine should hear of."""

        def can_replace(self, message: Message) -> bool:
            """What is shown now is asked for when it is handled."""
            return isinstance(message, BaseScreen.FocusChanged)

    @dataclass
    class ActionEnded(Message):
        """An action that was begun here opens no more dialogs: what was typed for one is dropped."""

    key_context: ClassVar[str] = ""
    has_marks: ClassVar[bool] = False
    pane_names: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The panes of which a narrow screen shows one: their ids and names."""
    BINDINGS: ClassVar[list[BindingType]] = []
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-middle"), (140, "-wide")]  # noqa: RUF012 - Textual's type
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 - Textual's type
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    BaseScreen { layout: vertical; layers: default small; background: $background; }
    BaseScreen > .body { height: 1fr; layout: horizontal; }
    BaseScreen > PaneTabs { display: none; }
    BaseScreen.-narrow.-high > PaneTabs, BaseScreen.-zoomed > PaneTabs { display: block; }
    BaseScreen.-too-small > TooSmall { display: block; }
    """

    def __init__(self, app_context: AppContext, keymap: Keymap):
        super().__init__(keymap.bindings_for(self.key_context))
        self.app_context = app_context
        self.keymap = keymap
        # Held, not looked up: while the program ends a screen outlives what is on it.
        self._title_bar = Header(trusted("frontdesk"), TABS, self.key_context)
        self._status_line = StatusLine()
        names = tuple((each, trusted(name)) for each, name in self.pane_names)
        self._pane_tabs = (
            PaneTabs(names, shown_key(keymap["pane.next"]), app_context.glyphs.here) if names else None
        )
        self._missed: frozenset[Event] = frozenset()
        stop = keymap["bulk.stop"]
        self.run_tracker = RunTracker(app_context, shown_key(stop) if self.key_context in stop.contexts else "")
        self._is_made = False
        self._was_resumed = False
        self.is_painted = False
        self.left_deeds: dict[str, Mapping[str, str]] = {}
        """What was decided in actions of several dialogs that were closed unanswered, by the action's name."""
        self.cancel_action: Callable[[], None] | None = None
        """Ends the action that was begun here and whose next dialog is on its way; keys wait for that."""
        self.lacks_dialog = False
        """An action ended without the dialog that usually opens: the keys typed right behind it were for that."""

    def fit_to(self, size: Size) -> None:
        """Take the classes of the size that the screen will have: laid out later it would be done twice."""
        for length, breakpoints in (
            (size.width, self.HORIZONTAL_BREAKPOINTS),
            (size.height, self.VERTICAL_BREAKPOINTS),
        ):
            names = [name for least, name in sorted(breakpoints or ()) if length >= least]
            self.add_class(*names[-1:], update=False)

    def compose(self) -> ComposeResult:
        yield self._title_bar
        if self._pane_tabs is not None:
            yield self._pane_tabs
        yield from self.compose_body()
        yield self._status_line
        yield TooSmall(shown_key(self.keymap["go.leave"]))

    @abstractmethod
    def compose_body(self) -> ComposeResult:
        """The widgets between header and status line."""

    @abstractmethod
    def show_changes(self, events: frozenset[Event]) -> None:
        """Redraw what these events touch."""

    @abstractmethod
    def home(self) -> Widget:
        """Where the focus is when the screen opens."""

    def looking(self) -> Focus:
        """What this screen shows, for the engine to spend requests on."""
        return Focus(screen=self.key_context)

    def reading(self) -> str:
        """The conversation whose thread can be read here now; empty for none."""
        return ""

    def marked(self) -> int:
        """How many things are marked."""
        return 0

    def hidden_marks(self) -> int:
        """How many of those a filter or a view leaves out."""
        return 0

    def name_target(self) -> SafeText:
        """The task that keys take, where the footer has to name it."""
        return NOTHING

    async def first_painted(self) -> None:
        """The screen is on the terminal for the first time: what can wait until then is done here."""

    def run_ended(self, batch: str) -> None:
        """Called when a bulk action is settled on all rows."""

    def go_back(self) -> bool:
        """Leave what was opened last; False at the root of the screen."""
        return False

    def drop_filter(self) -> bool:
        """Show all again; False where nothing is filtered. Quitting doesn't: the next run has the filter."""
        return False

    def raw_record(self) -> tuple[str, object] | None:
        """What the cursor is on, as it came: a title and the JSON."""
        return None

    def copied_id(self) -> str | None:
        """The id that `y` copies."""
        return None

    def refresh_target(self) -> str | None:
        """What `r` asks to be read again; empty for everything, None where nothing is selected."""
        return ""

    def was_read(self) -> bool:
        """Whether what is shown here was ever read: what wasn't has no age, however fresh the rest is."""
        return True

    def keep_place(self) -> None:
        """Remember where this screen was left."""

    def on_mount(self) -> None:
        self.update_profile_label()
        self.update_status()
        # At once, before anything is laid out: a focus that comes later paints the panes once more.
        self.set_focus(self.home(), scroll_visible=False)
        # Textual calls this after the subclass' own: from here on there is something to redraw.
        self._is_made = True
        self._show_missed()

    def store_changed(self, events: frozenset[Event]) -> None:
        """Hear of events: shown at once where this screen is made and on top, else when it is."""
        if not self._is_made or not self.is_current:
            self._missed |= events
            return
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events or kinds & {change_feed.HEALTH, change_feed.CHANGE}:
            self.update_status()
        self.show_changes(events)
        self.update_hints()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        if not self._was_resumed:
            event.refresh_styles = False  # they were found a moment ago, when the widgets were mounted
            self._was_resumed = True
        self._show_missed()

    def _show_missed(self) -> None:
        if self._missed and self._is_made:
            missed, self._missed = self._missed, frozenset()
            self.run_tracker.forget()  # one that ended meanwhile was reported where the person was
            self.update_status()
            self.show_changes(missed)

    def update_status(self) -> None:
        """Bring the status line up to date; it paints only the words that differ."""
        db, view = self.app_context.store.reading, self.app_context.view()
        health = clients.health(db)
        now = (health if self.was_read() else replace(health, fresh_at=None), view)
        parts: list[Line] = [tuple(status_view.words(*now)), _marked_words(self.marked(), self.hidden_marks())]
        parts.append(status_words(alert_store.unseen(db, view.now), view))
        ended, progress = self.run_tracker.update(), self.run_tracker.progress
        if ended:
            self.run_ended(ended)
        if progress:
            parts.append(progress)
        unsent, undecided = outbox_progress.unconfirmed_count(db), outbox_progress.undecided_count(db)
        if unsent and not progress:
            parts.append((span(f"{view.glyphs.pending} {unsent} to send", Role.PENDING),))
        if undecided:
            key = shown_key(self.keymap["go.activity"])
            parts.append((span(f"{view.glyphs.warning} {undecided} to decide ({key})", Role.BAD),))
        self.update_hints()
        self._status_line.set_left(
            *parts, shorter=[tuple(status_view.short_words(*now)), tuple(status_view.shortest_words(*now))]
        )

    def doing(self) -> str:
        """What a person is at here, for the hints: typing, with marks, or what has the focus."""
        if isinstance(self.focused, Input):
            return "typing"
        if self.marked():
            return "marks"
        home = self.home()
        if self.focused is home and isinstance(home, RowList) and not home.keys:
            return "empty"
        return self.focused_pane()

    def focused_pane(self) -> str:
        """What the pane with the focus is called in `hints`."""
        return self.live_widget

    @property
    def live_widget(self) -> str:
        """The context of the widget that has the focus, in the keymap's words."""
        return "thread" if isinstance(self.focused, ThreadView) else "list"

    def update_hints(self) -> None:
        """Bring the hints of the status line up to what is done now."""
        state = status_view.standing(
            clients.health(self.app_context.store.reading), self.app_context.clock()
        ).state
        found = hints(
            self.keymap, self.key_context, self.doing(), self._hint_contexts(), state, self.name_target()
        )
        self._status_line.set_right(*(each.line for each in found), ids=[each.id for each in found])

    def greet(self) -> None:
        """Say above the status line how to begin."""
        self.mount(Welcome(welcome(self.keymap)), before=self._status_line)

    def end_greeting(self) -> bool:
        """Take those words away; False where there are none."""
        found = self.query("Welcome")
        found.remove()
        return bool(found)

    def on_welcome_read(self) -> None:
        self.end_greeting()

    def show_pane(self, pane: str) -> None:
        """Go to one of `pane_names`."""

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(is_too_small(*event.size), "-too-small")

    def on_descendant_focus(self) -> None:
        if self._is_made:
            self.update_hints()

    async def on_status_line_hint_chosen(self, event: StatusLine.HintChosen) -> None:
        event.stop()
        from frontdesk.app.command_palette import run_key

        await run_key(self.app, event.id)

    def on_pane_tabs_chosen(self, event: PaneTabs.Chosen) -> None:
        event.stop()
        self.show_pane(event.id)

    def update_profile_label(self) -> None:
        """Say whose inbox this is."""
        name = show_line(self.app_context.store.profile.name, 40)
        self._title_bar.set_right((span(name, Role.DIM),))

    def action_raw(self) -> None:
        from frontdesk.text.lines import json_body
        from frontdesk.tui.dialogs.record import RecordDialog

        record = self.raw_record()
        if record is None:
            notify(self.app, trusted("There is no record under the cursor."))
            return
        self.app.push_screen(RecordDialog(trusted(record[0]), json_body(record[1], RAW_LETTERS, RAW_LINES)))

    def read_all(self, title: SafeText, draw: Callable[[int], Sequence[Line]]) -> None:
        """Show in full what a pane has no room for."""
        from frontdesk.tui.dialogs.record import RecordDialog

        self.app.push_screen(RecordDialog(title, draw))

    def action_copy_id(self) -> None:
        self._copy(self.copied_id(), trusted("The id or number"))

    def action_copy_json(self) -> None:
        record = self.raw_record()
        text = None if record is None else json.dumps(redact_json(record[1]), ensure_ascii=False, default=str)
        self._copy(text, trusted("The record as JSON"))

    def action_refresh_this(self) -> None:
        if (target := self.refresh_target()) is None:
            everything = self.app_context.key("view.refresh_all")
            notify(self.app, trusted(f"Nothing is selected; {everything} fetches everything."), severity="warning")
            return
        SyncRequests(self.app_context.store).request_refresh(target)
        notify(self.app, trusted("Reading this again."), timeout_seconds=2)

    def _hint_contexts(self) -> tuple[str, ...]:
        """The keys of lists are hinted at only where rows are marked and opened."""
        return (self.key_context, self.live_widget) if self.has_marks else (self.key_context,)

    def _copy(self, text: str | None, what: SafeText) -> None:
        """Copy what was asked for, or say that there is nothing."""
        if text:
            copy(self.app, text, what)
        else:
            notify(self.app, trusted("There is nothing to copy here."))

    async def on_header_tab_chosen(self, event: Header.TabChosen) -> None:
        event.stop()
        await self.app.run_action(f"go('{event.id}')")


def _marked_words(marked: int, hidden: int) -> Line:
    listed = f", {hidden:,} not listed" if hidden else ""
    return (span(f"{marked:,} marked{listed}", Role.WARN),) if marked else EMPTY

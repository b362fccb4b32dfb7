"""The base of all screens: header, status line, updates from the store, and actions on the current record."""

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from frontdesk.storage import change_feed
from frontdesk.storage.clients import Focus, SyncRequests
from frontdesk.storage.records import Event, RecordRef
from frontdesk.tui.clipboard import copy
from frontdesk.tui.context import AppContext
from frontdesk.tui.header import Header, Tab
from frontdesk.tui.overlays import TooSmall, is_too_small
from frontdesk.tui.status_bar import ScreenState, StatusBar
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.redaction import redact_json
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_label, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, json_body, span
from frontdesk_lines.privacy import is_private
from frontdesk_lines.textual_compat.key_queue import ActionScreen
from frontdesk_lines.widgets.line_bar import PaneTabs
from frontdesk_lines.widgets.row_list import RowList

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.review import RecordDialog

TABS = (
    Tab("inbox", "1", "Inbox"),
    Tab("board", "2", "Board"),
    Tab("campaigns", "3", "Campaigns"),
    Tab("workflows", "4", "Workflows"),
    Tab("agents", "5", "AI agents", "AI"),
    Tab("activity", "6", "Activity"),
    Tab("numbers", "7", "Numbers"),
)


_STATUS_KINDS = {change_feed.HEALTH, change_feed.CHANGE, change_feed.BROKEN}
"""Events that the status line shows."""


class BaseScreen(ActionScreen):
    """A screen of the app.

    Attributes:
        key_context: its name in the keymap; its view state is saved under it.
        tab: its tab in the header, where that differs from `key_context`.
        title_words: returns the right side of the header, and the end of it that a narrow one leaves out.
        pane_tabs: None on a screen without panes.
        saved_state: the last value of `view_state`.
        is_ready: whether its widgets are mounted.
        is_painted: whether its first frame was sent.
        unfinished_actions: drafts of actions whose dialogs were closed unanswered, by the action's name.
        is_returned_to: whether it is shown again because a person went back to it, not by its own key.
    """

    @dataclass(repr=False, eq=False)
    class ConversationRequested(Message):
        """A conversation should be shown in the inbox."""

        conversation_id: ConversationId

    @dataclass(repr=False, eq=False)
    class RecordRequested(Message):
        """A task, campaign or workflow should be shown on its screen."""

        about: str
        id: str

    class MacrosChanged(Message):
        """The config has other macros, which apply at once."""

    class FocusChanged(Message):
        """The screen shows something else, so the engine's focus report is out of date."""

        def can_replace(self, message: Message) -> bool:
            """Return whether it replaces another: the report is made when it is handled, so one is enough."""
            return isinstance(message, BaseScreen.FocusChanged)

    key_context: ClassVar[str] = ""
    tab: ClassVar[str] = ""
    has_marks: ClassVar[bool] = False
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

    def __init__(self, app_context: AppContext):
        super().__init__(app_context.keymap.bindings_for(self.key_context))
        self.app_context = app_context
        self.title_bar = Header(trusted("frontdesk"), TABS, self.tab or self.key_context)
        self.title_words: Callable[[], tuple[Line, Line]] = partial(desk_words, app_context)
        self.status_bar = StatusBar(
            app_context,
            self.key_context,
            self.state,
            lambda: self.focused,
            shown=self.focus_report,
            has_marks=self.has_marks,
        )
        self.pane_tabs: PaneTabs | None = None
        self.record_actions = RecordActions(self, app_context)
        self.back_actions = BackActions()
        saved = app_context.outbox.saved_view_state(self.key_context)
        self.saved_state: Mapping[str, object] = saved if isinstance(saved, dict) else {}
        self._missed: frozenset[Event] = frozenset()
        self._was_resumed = False
        self.is_ready = False
        self.is_painted = False
        self.unfinished_actions: dict[str, Mapping[str, str]] = {}
        self.is_returned_to = False

    def set_size_classes(self, size: Size) -> None:
        """Set the size classes in advance, which saves a second layout."""
        for length, breakpoints in (
            (size.width, self.HORIZONTAL_BREAKPOINTS),
            (size.height, self.VERTICAL_BREAKPOINTS),
        ):
            names = [name for least, name in sorted(breakpoints or ()) if length >= least]
            self.add_class(*names[-1:], update=False)

    def compose(self) -> ComposeResult:
        yield self.title_bar
        if self.pane_tabs is not None:
            yield self.pane_tabs
        yield from self.compose_body()
        yield self.status_bar.line
        yield TooSmall(self.app_context.key("go.leave"))

    @abstractmethod
    def compose_body(self) -> ComposeResult:
        """Compose the widgets between header and status line."""

    @abstractmethod
    def show_changes(self, events: frozenset[Event]) -> None:
        """Redraw what these events touch."""

    @abstractmethod
    def home(self) -> Widget:
        """Return the widget that has the focus when the screen opens."""

    def state(self) -> ScreenState:
        home = self.home()
        return ScreenState(rows=home if isinstance(home, RowList) else None)

    def focus_report(self) -> Focus:
        """Return what this screen shows, by which the engine spends its requests."""
        return Focus(screen=self.key_context)

    async def first_painted(self) -> None:
        """Run once after the first frame was sent."""

    def view_state(self) -> Mapping[str, object] | None:
        """Return the view as JSON for the next run; None where nothing is kept."""
        return None

    def save_view_state(self) -> None:
        state = self.view_state() if self.is_ready else None
        if state is not None and state != self.saved_state:
            self.saved_state = state
            self.app_context.outbox.save_view_state(self.key_context, state)

    def on_mount(self) -> None:
        self.title_bar.set_right(*self.title_words())
        self.status_bar.update()
        # Before the first layout: a later focus would paint the panes again.
        self.set_focus(self.home(), scroll_visible=False)
        # Textual calls this after the subclass' own: all widgets are mounted.
        self.is_ready = True
        self._show_missed()

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show events now, or when this screen is ready and on top."""
        if not self.is_ready or not self.is_current:
            self._missed |= events
            return
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events:
            self.title_bar.set_right(*self.title_words())
        if kinds & _STATUS_KINDS or change_feed.EVERYTHING in events:
            self.status_bar.update()
        self.show_changes(events)
        self.record_actions.redraw_lines()
        self.status_bar.update_hints()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        if not self._was_resumed:
            event.refresh_styles = False  # they were found a moment ago, when the widgets were mounted
            self._was_resumed = True
        self.status_bar.line.hide_hints(False)
        self._show_missed()

    def on_screen_suspend(self) -> None:
        stack = self.app.screen_stack  # empty while a mode is shown for the first time
        self.status_bar.line.hide_hints(bool(stack) and stack[-1].is_modal)
        self.save_view_state()

    def _show_missed(self) -> None:
        if self._missed and self.is_ready:
            missed, self._missed = self._missed, frozenset()
            self.status_bar.run.forget()  # its end was reported on the screen that was on top
            self.status_bar.update()
            self.show_changes(missed)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(is_too_small(*event.size), "-too-small")

    def on_descendant_focus(self) -> None:
        if self.is_ready:
            self.status_bar.update_hints()

    def action_record(self, name: str) -> None:
        getattr(self.record_actions, name)()


def desk_words(app_context: AppContext) -> tuple[Line, Line]:
    """Return whose desk this is and the open profile, for the header: a short form, and its end.

    Without a team the profile stays alone.
    """
    store, profile = app_context.store, span(show_label(app_context.store.profile.name, 40), Role.DIM)
    if store.profile.team is None or store.catalogue.me is None:
        return (profile,), EMPTY
    name = app_context.view().name(store.catalogue.me).text
    first, blank, rest = (name, "", "") if is_private() else name.partition(" ")
    return (span(first),), (span(f"{blank}{rest}"), span(" · ", Role.DIM), profile)


MAX_RAW_CHARACTERS, MAX_RAW_LINES = 200_000, 5_000
"""Limits of a raw record on the screen: a workflow may have megabytes."""


class BackActions:
    """The screen's part of the keys that go back; a screen holds those of its own."""

    def navigate_back(self) -> bool:
        """Leave what was opened last; False at the root of the screen."""
        return False

    @property
    def is_visit(self) -> bool:
        """Return whether it shows just what another screen opened, to which the way back leads."""
        return False

    def clear_filter(self) -> bool:
        """Clear the filter; False where there is none. Quitting keeps it for the next run."""
        return False


class RecordActions:
    """Actions on one record."""

    def __init__(self, screen: Screen[Any], app_context: AppContext) -> None:
        self._screen, self._app_context = screen, app_context
        self._record_dialog: RecordDialog | None = None

    def show_record(self, record_id: str) -> bool:  # noqa: ARG002
        """Move to a record of this screen; False where it isn't listed."""
        return False

    def follow(self, record_id: str) -> None:
        """Keep the cursor on this record, which an undo or redo may have moved, where it was on it."""

    def undo_selected(self) -> bool:
        """Undo what is under the cursor; False where undo applies to the last action."""
        return False

    def raw(self) -> tuple[str, object] | None:
        """Return a title and the JSON of the record; None where there is none."""
        return None

    def next_new(self) -> None:
        """Move to the next row that is new to the person, where the screen knows that."""

    def copied_id(self) -> str | None:
        return None

    def selected(self) -> Sequence[RecordRef]:
        """Return the marked records, else the one under the cursor, for a command of the person's own."""
        return ()

    def refresh_target(self) -> str | None:
        """Return the target to read again; empty for everything, None where nothing is selected."""
        return ""

    def show_raw(self) -> None:
        record = self.raw()
        if record is None:
            notify(self._screen.app, trusted("Nothing to show here."))
            return
        self.show_lines(trusted(record[0]), json_body(record[1], MAX_RAW_CHARACTERS, MAX_RAW_LINES))

    def show_lines(
        self, title: SafeText, lines: Sequence[SafeText] | Callable[[int], Sequence[Line]], *, whole: str = ""
    ) -> None:
        """Show a text in full that a pane has no room for; see `RecordDialog`."""
        from frontdesk.tui.dialogs.review import RecordDialog

        self._record_dialog = RecordDialog(title, lines, whole=whole)
        self._screen.app.push_screen(self._record_dialog)

    def redraw_lines(self) -> None:
        """Lay out what `show_lines` shows again: the record may have changed."""
        if self._record_dialog is not None and self._screen.app.screen is self._record_dialog:
            self._record_dialog.redraw()

    def copy_id(self) -> None:
        self.copy_text(self.copied_id(), trusted("Id or number"))

    def copy_json(self) -> None:
        record = self.raw()
        text = None if record is None else json.dumps(redact_json(record[1]), ensure_ascii=False, default=str)
        self.copy_text(text, trusted("Record as JSON"))

    def copy_text(self, text: str | None, name: SafeText) -> None:
        if text:
            copy(self._screen.app, text, name)
        else:
            notify(self._screen.app, trusted("Nothing to copy here."))

    def open_page(self) -> None:
        """Open the platform's own page of the record in the browser; over SSH copy its address instead."""
        from frontdesk.tui.web_page import open_web_page

        open_web_page(self._screen.app, self._app_context, self.selected())

    def refresh(self) -> None:
        if (target := self.refresh_target()) is None:
            everything = self._app_context.key("view.refresh_all")
            words = f"Nothing is selected; {everything} refreshes everything."
            notify(self._screen.app, trusted(words), severity="warning")
            return
        SyncRequests(self._app_context.store).request_refresh(target)
        notify(self._screen.app, trusted("Refreshing…"), timeout_seconds=2)

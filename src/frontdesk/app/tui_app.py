"""The app: modes, keys that work everywhere, and what the store says passed on to the screen.

Wiring only; what a screen shows is the screen's.
"""

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.actions import parse
from textual.app import App
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.screen import Screen

from frontdesk.api.contract.ids import ConversationId
from frontdesk.app.change_handlers import start_profile
from frontdesk.app.engine_supervisor import AttentionReporter, EngineSupervisor
from frontdesk.app.keymap import KEYMAP
from frontdesk.app.screens import FIRST, SCREEN, SCREENS, make_screen, mode_left
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.tui.alert_notifier import AlertNotifier
from frontdesk.campaigns.view.alerts import status_words
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.tui.notifier import READS_SECONDS, Notifier
from frontdesk.outbox import progress as outbox_progress
from frontdesk.storage import change_feed
from frontdesk.storage.change_feed import EVERYTHING
from frontdesk.storage.clients import Focus
from frontdesk.storage.damage import is_damage, mark_damaged
from frontdesk.storage.records import Event
from frontdesk.sync.requests import SyncRequests
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Line
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import EventMerger, hand_over
from frontdesk.tui.hints import welcome
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.textual_compat.key_queue import QueuedKeysApp
from frontdesk.tui.themes import apply_next_theme, apply_theme
from frontdesk.tui.widgets.header import Header
from frontdesk.tui.widgets.overlays import Welcome, is_too_small, remove_welcome
from frontdesk.tui.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from textual.actions import ActionParseResult

LOOK_AGAIN_SECONDS = 30.0
HEAR_SECONDS = 5.0
"""How often a screen looks whether the engine still says that it lives; it paints when the words differ."""
ACTIVITY = (events.Key, events.Paste, events.MouseDown, events.MouseScrollDown, events.MouseScrollUp)
WAYS_OUT = frozenset({"back_or_quit", "quit", "redraw", "suspend_process"})
"""What keys still do where the screen has no room to show anything."""

TICK_SECONDS = 60.0
"""How often rows look whether an hour has passed; nothing is painted when none has."""


class FrontdeskApp(QueuedKeysApp):
    """The terminal inbox.

    Args:
        context: the services and their surroundings.
        says: what a person should know as soon as the screen is there.
        keep_engine: starts the engine, or starts it again when it has died; called once the first
            screen is painted, and from time to time.
        profiles: the profiles that can be opened, each with where its account is.
        greets: on the first start of a profile a few words say how to begin.

    Attributes:
        has_copied: something was copied in this run, and what to do if nothing arrived was said.
        next_profile: it ended because the person wants to be in this profile instead.
        must_reopen: it ended because its store can't be used any more and another has to be opened.
    """

    TITLE = "frontdesk"
    ENABLE_COMMAND_PALETTE = False
    # Textual's own text selection ends the program when a click meets a widget that is just being taken away.
    # Text is copied with y, or selected by the terminal with shift held.
    ALLOW_SELECT = False
    DEFAULT_MODE = FIRST
    BINDINGS: ClassVar[list[BindingType]] = [*KEYMAP.bindings_for("app")]
    # Above: the newest messages and the fields of a dialog are below.
    CSS = "ToastRack { dock: top; align: right top; margin-top: 1; }"

    def __init__(
        self,
        app_context: AppContext,
        keymap: Keymap,
        keep_engine: Callable[[], None] | None = None,
        says: Sequence[SafeText] = (),
        profiles: Callable[[], Mapping[str, str]] = dict,
        greets: bool = False,
    ):
        self._mode_left = mode_left(app_context.outbox)
        # Textual reads it while it is made, and opens no other screen first.
        self.DEFAULT_MODE = self._mode_left  # type: ignore[misc]
        super().__init__(app_context.store.settings.bidi, ascii_only=app_context.store.settings.ascii)
        self._modes_opened: list[str] = []
        self._says = tuple(says)
        app_context = replace(app_context, keys=keymap, status_parts=(self._alert_words,))
        self.app_context = app_context
        self.keys = keymap
        self.animation_level = "none"
        self._keep_engine = keep_engine
        self._event_merger: EventMerger | None = None
        self.attention_reporter = AttentionReporter(app_context, self._focus_report)
        self._asked_to_quit = False
        self._came_from = ""
        self._profiles = profiles
        self._greets = greets
        self._alerts = AlertNotifier(self, app_context, self._is_focused, self._sees_campaigns, self._alerts_moved)
        self._attention = Notifier(
            self, app_context, self._is_focused, self._reading, lambda: self._alerts.in_title
        )
        self._is_painted = False
        self.has_copied = False
        self.must_reopen = False
        self.next_profile: str | None = None
        for mode in SCREENS:
            self.add_mode(mode, partial(self._make_screen, mode))
        apply_theme(self, app_context)

    def on_mount(self) -> None:
        if changed := self.keys.textual_keymap():
            self.set_keymap(changed)
        self._event_merger = EventMerger(self.app_context.store.folder, partial(hand_over, self), self._pass_on)
        self._event_merger.start()
        # After ctrl+z and fg the terminal shows the shell's lines, not what Textual painted last.
        self.app_resume_signal.subscribe(self, self._resumed)
        self.app_suspend_signal.subscribe(self, lambda _: self._attention.restore_title())
        self.set_interval(TICK_SECONDS, self._tick)
        self.set_interval(LOOK_AGAIN_SECONDS, self._look_again)
        self.set_interval(HEAR_SECONDS, self._listen)

    def on_unmount(self) -> None:
        self.app_context.store.on_refused = None
        self._attention.restore_title()
        if self._event_merger is not None:
            self._event_merger.stop()

    @property
    def _base_screens(self) -> list[BaseScreen]:
        """Those that are open, whatever mode is on top."""
        stacks = (self.get_screen_stack(mode) for mode in self._modes_opened)
        return [each for stack in stacks for each in stack if isinstance(each, BaseScreen)]

    @property
    def current_screen(self) -> BaseScreen | None:
        """The mode's own screen, below whatever dialog is open."""
        return next((each for each in reversed(self.screen_stack) if isinstance(each, BaseScreen)), None)

    def report_focus_soon(self) -> None:
        """Say what is on the screen, so that the engine spends its requests there."""
        self.attention_reporter.report()

    def _focus_report(self) -> Focus | None:
        return None if self.current_screen is None else self.current_screen.focus_report()

    def _look_again(self) -> None:
        self.report_focus_soon()
        # A line that breaks ends the program without a word: where it was read is known before.
        self._keep_places()

    async def on_event(self, event: events.Event) -> None:
        """Before a widget takes it: a key typed into an input is activity too."""
        if isinstance(event, ACTIVITY):
            self.attention_reporter.note_activity()
        await super().on_event(event)

    def on_app_focus(self) -> None:
        self.attention_reporter.set_focused(True)

    def on_app_blur(self) -> None:
        self.attention_reporter.set_focused(False)

    def action_go(self, mode: str) -> None:
        self._came_from = ""
        self._show_mode(mode)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key says, a list's or the app's own; where nothing can be seen only what leads out."""
        name = parse(action)[1] if isinstance(action, str) else action[1]
        if self._is_too_small and name not in WAYS_OUT:
            return False
        return await super().run_action(action, default_namespace, namespaces)

    @property
    def _is_too_small(self) -> bool:
        return isinstance(self.screen, BaseScreen) and is_too_small(*self.size)

    async def action_back(self) -> None:
        screen = self.current_screen
        if screen is None or not (remove_welcome(screen) or screen.drop_filter()):
            self._go_back()

    async def action_back_or_quit(self) -> None:
        # Where nothing can be seen there is nothing to go back from.
        if self._is_too_small or not self._go_back():
            await self.action_quit()

    def _show_mode(self, mode: str) -> None:
        self.switch_mode(mode)
        self.call_later(self.report_focus_soon)
        self.call_later(self._alerts.mark_seen)

    def _go_back(self) -> bool:
        """Leave what was opened last: in the screen, then the screen for the one that led to it. What is
        filtered stays: it is kept for the next run."""
        screen = self.current_screen
        if screen is not None and screen.go_back():
            return True
        came_from, self._came_from = self._came_from, ""
        if came_from:
            self._show_mode(came_from)
        return bool(came_from)

    async def action_quit(self) -> None:
        if not outbox_progress.unconfirmed_count(self.app_context.store.reading):
            self._leave()
            return
        from frontdesk.app.quit import ask_to_quit

        ask_to_quit(self, self.app_context, self._quit_answered)
        self._asked_to_quit = True

    def action_undo(self) -> None:
        from frontdesk.activity.tui.undo_action import undo

        undo(self, self.app_context)

    def action_redo(self) -> None:
        from frontdesk.activity.tui.undo_action import redo

        redo(self, self.app_context)

    def action_switch_profile(self) -> None:
        from frontdesk.app.quit import ask_where_to

        ask_where_to(self, self.app_context, self._profiles, self._leave_for)

    def action_help(self) -> None:
        if (screen := self.current_screen) is not None:
            from frontdesk.app.command_palette import show_keys

            show_keys(self, screen, self.keys)

    def action_refresh_all(self) -> None:
        SyncRequests(self.app_context.store).request_refresh()
        notify(self, trusted("Reading everything again."), timeout_seconds=2)

    def action_pause_polling(self) -> None:
        paused = self.attention_reporter.toggle_pause()
        resumes = self.app_context.key("sync.pause")
        words = f"Polling is paused; {resumes} resumes it." if paused else "Polling again."
        notify(self, trusted(words), timeout_seconds=2)

    def copy_to_clipboard(self, text: str) -> None:
        """What Textual copies from an input goes the same way as everything else."""
        from frontdesk.tui.clipboard import copy

        copy(self, text, trusted("What was selected"))

    async def on_status_line_hint_chosen(self, event: StatusLine.HintChosen) -> None:
        from frontdesk.app.command_palette import run_key

        await run_key(self, event.id)

    async def on_header_tab_chosen(self, event: Header.TabChosen) -> None:
        await self.run_action(f"go('{event.id}')")

    def action_next_theme(self) -> None:
        apply_next_theme(self, self.app_context)

    def action_command_palette(self) -> None:
        from frontdesk.app.command_palette import show_commands

        show_commands(self, self.keys, self.action_go)

    def _resumed(self, _: App[object]) -> None:
        self._attention.show_title()
        self.call_later(self.action_redraw)

    def on_base_screen_focus_changed(self, event: BaseScreen.FocusChanged) -> None:
        event.stop()
        self.report_focus_soon()

    def on_base_screen_conversation_requested(self, event: BaseScreen.ConversationRequested) -> None:
        self._came_from = "" if self.current_mode == "inbox" else self.current_mode
        self._show_mode("inbox")
        self.call_later(self._open_in_inbox, event.conversation_id)

    def _open_in_inbox(self, conversation_id: ConversationId) -> None:
        from frontdesk.inbox.tui.screen import InboxScreen

        if isinstance(screen := self.current_screen, InboxScreen):
            screen.navigation.open_conversation(conversation_id)

    def _quit_answered(self, sure: bool) -> None:
        self._asked_to_quit = False
        if sure:
            self._leave()

    def _leave_for(self, profile: str) -> None:
        self.next_profile = profile
        self._leave()

    def _make_screen(self, mode: str) -> BaseScreen:
        screen = make_screen(mode, self.app_context, self.keys)
        screen.fit_to(self.size)
        self._modes_opened.append(mode)
        return screen

    def _pass_on(self, changed: frozenset[Event]) -> None:
        if change_feed.REPLACED in changed:
            self.must_reopen = True
            self.exit()
            return
        self._attention.hear(changed)
        self._alerts.take_events(changed)
        for screen in self._base_screens:
            screen.store_changed(changed)
        if self._asked_to_quit and not outbox_progress.unconfirmed_count(self.app_context.store.reading):
            self._leave()

    def _is_focused(self) -> bool:
        return self.attention_reporter.is_focused

    @property
    def _is_somebody_here(self) -> bool:
        return self.app_context.clock() - self.attention_reporter.active_at < READS_SECONDS

    def _reading(self) -> str:
        """The conversation that somebody is looking at on this screen, or empty."""
        screen = self.current_screen
        is_seen = self._is_somebody_here and screen is not None and screen.is_current
        return screen.state().readable_thread if is_seen and screen is not None else ""

    def _sees_campaigns(self) -> bool:
        """Whether somebody is looking at the campaigns on this screen."""
        screen = self.current_screen
        is_there = screen is not None and screen.is_current and screen.key_context == "campaigns"
        return is_there and self._is_focused() and self._is_somebody_here

    def _alert_words(self, view: RenderContext) -> Line:
        return status_words(alert_store.unseen(self.app_context.store.reading, view.now), view)

    def _alerts_moved(self) -> None:
        self._attention.count_soon()
        self._listen()

    def _tick(self) -> None:
        self._pass_on(frozenset({EVERYTHING}))

    def _listen(self) -> None:
        self._alerts.mark_seen()
        if (screen := self.current_screen) is not None and screen.is_mounted:
            screen.status_bar.update()

    def screen_painted(self, screen: Screen[object]) -> None:
        """Tell a screen, and the app itself, that its first frame is sent: the rest of the start follows."""
        if not isinstance(screen, BaseScreen) or screen.is_painted:
            return
        screen.is_painted = True
        screen.call_later(self._screen_painted, screen)
        if not self._is_painted:
            self._is_painted = True
            self.call_later(self.first_painted)

    async def _screen_painted(self, screen: BaseScreen) -> None:
        if screen.is_attached:
            await screen.first_painted()

    def first_painted(self) -> None:
        """Start what can wait until the first screen is on the terminal."""
        if self.is_ending:
            return
        if self._keep_engine is not None:
            # Told to end, it leaves the terminal as it found it.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._leave)
            EngineSupervisor(self, self._keep_engine).start()
        self.app_context.store.on_refused = partial(hand_over, self, self._say_refused)
        start_profile(self.app_context.store, self.app_context.outbox)
        self._attention.start()
        self._alerts.start()
        if (
            (screen := self.current_screen) is not None
            and self._greets
            and self.app_context.outbox.claim_first_start()
        ):
            screen.mount(Welcome(welcome(self.keys)), before=screen.status_bar.line)
        self.report_focus_soon()
        for words in self._says:
            notify(self, words, severity="warning", timeout_seconds=30)

    def _say_refused(self, words: str) -> None:
        notify(
            self, trusted(f"Nothing can be written: {show_line(words).text}"), severity="error", timeout_seconds=30
        )

    def crash_report(self, error: BaseException) -> Text | None:
        """A short traceback as plain safe lines; nothing where a damaged store is opened again."""
        if is_damage(error):
            mark_damaged(self.app_context.store.folder)
            self.must_reopen = True
            return None
        from frontdesk.tui.textual_compat.crash import crash_lines

        return Text("\n".join(crash_lines(error)))  # nothing of it is markup

    def _keep_places(self) -> None:
        if self.current_mode != self._mode_left:
            self._mode_left = self.current_mode
            self.app_context.outbox.save_view_state(SCREEN, self.current_mode)
        for screen in self._base_screens:
            screen.save_view_state()

    def _leave(self) -> None:
        self._keep_places()
        SyncRequests(self.app_context.store).clear_focus()
        self.exit()

"""The app: modes, keys that work everywhere, and what the store says passed on to the screen.

Wiring only; what a screen shows is the screen's.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual._compositor import CompositorUpdate
from textual.actions import parse
from textual.app import App
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.filter import LineFilter
from textual.screen import Screen

from frontdesk.config import ConfigError
from frontdesk.contract.ids import ConversationId
from frontdesk.store import feed
from frontdesk.store.feed import EVERYTHING, FeedWatcher
from frontdesk.store.files import DAMAGE, doubt
from frontdesk.store.records import Event
from frontdesk.text import Shown, own, show_line
from frontdesk.tui.attention import READS_SECONDS, Attention
from frontdesk.tui.crash import crash_lines
from frontdesk.tui.driver import driver_class
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.plain import own_filters, without_colours
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.terminal_cells import Sequences, TerminalCells
from frontdesk.tui.themes import TERMINAL, THEME, THEMES, after, chosen_theme
from frontdesk.tui.turning import turn
from frontdesk.tui.widgets.too_small import is_too_small

if TYPE_CHECKING:
    from textual.actions import ActionParseResult

SCREENS = {
    "inbox": ("frontdesk.tui.screens.inbox", "InboxScreen"),
    "board": ("frontdesk.tui.screens.board", "BoardScreen"),
    "campaigns": ("frontdesk.tui.screens.campaigns", "CampaignsScreen"),
    "workflows": ("frontdesk.tui.screens.workflows", "WorkflowsScreen"),
    "agents": ("frontdesk.tui.screens.ai_agents", "AiAgentsScreen"),
    "activity": ("frontdesk.tui.screens.activity", "ActivityScreen"),
}
"""Each is imported when it is first opened: starting up is a feature."""

LOOK_AGAIN_SECONDS = 30.0
HEAR_SECONDS = 5.0
"""How often a screen looks whether the engine still says that it lives; it paints when the words differ."""
KEEP_ENGINE_SECONDS = 5.0
ACTIVITY = (events.Key, events.Paste, events.MouseDown, events.MouseScrollDown, events.MouseScrollUp)
IDLE_SECONDS = 600.0
"""After so long without a key the engine slows down; the next key is told at once."""

WAYS_OUT = frozenset({"back_or_quit", "quit", "redraw", "suspend_process"})
"""What keys still do where the screen has no room to show anything."""

TICK_SECONDS = 60.0
"""How often rows look whether an hour has passed; nothing is painted when none has."""


class FrontdeskApp(App[None]):
    """The terminal inbox.

    Args:
        room: the desk and its surroundings.
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
    # No screen below the modes: one less to style and to lay out before the first paint.
    DEFAULT_MODE = "inbox"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("app")]
    # Above: the newest messages and the fields of a dialog are below.
    CSS = "ToastRack { dock: top; align: right top; margin-top: 1; }"

    def __init__(
        self,
        room: Room,
        keymap: Keymap,
        keep_engine: Callable[[], None] | None = None,
        says: Sequence[Shown] = (),
        profiles: Callable[[], Mapping[str, str]] = dict,
        greets: bool = False,
    ):
        super().__init__()
        self._says = tuple(says)
        self.room = room
        settings = room.desk.settings
        self.driver_class = driver_class(self.driver_class, settings.bidi)
        self._own_filters = own_filters(ascii_only=settings.ascii)
        if self.no_color:
            # Textual would send greys; without colours it is looks alone that tell things apart.
            self._filters = [without_colours(each) for each in self._filters]
        self.keys = keymap
        self.animation_level = "none"
        self._keep_engine = keep_engine
        self._watcher: FeedWatcher | None = None
        self._focused = True
        self._paused = False
        self._active_at = room.clock()
        self._pending: set[Event] = set()
        self._pending_lock = threading.Lock()
        self._asked_to_quit = False
        self._engine_failed = False
        self._came_from = ""
        self._profiles = profiles
        self._greets = greets
        self._attention = Attention(self, room, lambda: self._focused, self._reading)
        self.has_copied = False
        self.must_reopen = False
        self.next_profile: str | None = None
        for mode in SCREENS:
            self.add_mode(mode, partial(self._make_screen, mode))
        self._cells = TerminalCells()
        self._is_painted = False
        self._put_theme_on()
        self._disable_tooltips = True  # nothing here has one, and each screen would hold a widget for them

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The last filters below all widgets (design.md, section 9)."""
        return [*super().get_line_filters(), *self._own_filters]

    def _display(self, screen: Screen[object], renderable: object) -> None:
        """Send what differs from what the terminal shows; where nothing does, not a byte."""
        if renderable is None or self._batch_count or not self._running:
            return
        if isinstance(screen, DeskScreen) and not screen.is_painted:
            screen.is_painted = True
            screen.call_later(screen.first_painted)
            if not self._is_painted:
                self._is_painted = True
                self.call_later(self._first_paint)
        if isinstance(renderable, CompositorUpdate) and not (self._closed or self.is_headless or self.is_inline):
            text = self._cells.difference(renderable, self.size, self.console)
            if text is not None:
                cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
                if not text and cursor == self._previous_cursor_position:
                    self.post_display_hook()
                    return
                renderable = Sequences(text)
        super()._display(screen, renderable)  # type: ignore[arg-type]

    def on_mount(self) -> None:
        if changed := self.keys.textual_keymap():
            self.set_keymap(changed)
        self._watcher = FeedWatcher(self.room.desk.folder, self._store_changed)
        self._watcher.start()
        # After ctrl+z and fg the terminal shows the shell's lines, not what Textual painted last.
        self.app_resume_signal.subscribe(self, self._resumed)
        self.app_suspend_signal.subscribe(self, lambda _: self._attention.take_title_off())
        self.set_interval(TICK_SECONDS, self._tick)
        self.set_interval(LOOK_AGAIN_SECONDS, self._look_again)
        self.set_interval(HEAR_SECONDS, self._listen)

    def on_unmount(self) -> None:
        self.room.desk.when_refused = None
        self._attention.take_title_off()
        if self._watcher is not None:
            self._watcher.stop()

    @property
    def desk_screen(self) -> DeskScreen | None:
        """The mode's own screen, below whatever dialog is open."""
        return next((each for each in reversed(self.screen_stack) if isinstance(each, DeskScreen)), None)

    def tell_looking(self) -> None:
        """Say what is on the screen, so that the engine spends its requests there."""
        screen = self.desk_screen
        if screen is not None:
            self.room.desk.look(
                replace(screen.looking(), focused=self._focused, paused=self._paused, active_at=self._active_at)
            )

    def _look_again(self) -> None:
        self.tell_looking()
        # A line that breaks ends the program without a word: where it was read is known before.
        self._keep_places()

    async def on_event(self, event: events.Event) -> None:
        """Before a widget takes it: a key typed into an input is activity too."""
        if isinstance(event, ACTIVITY):
            self._note_activity()
        elif isinstance(event, events.Resize):
            self._cells.forget()  # a terminal moves its lines about when it changes its size
        await super().on_event(event)

    def _note_activity(self) -> None:
        now = self.room.clock()
        was_idle = now - self._active_at > IDLE_SECONDS
        self._active_at = now
        if was_idle:
            self.tell_looking()

    def on_app_focus(self) -> None:
        self._focused = True
        self.tell_looking()

    def on_app_blur(self) -> None:
        self._focused = False
        self.tell_looking()

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
        return isinstance(self.screen, DeskScreen) and is_too_small(*self.size)

    async def action_back(self) -> None:
        if (screen := self.desk_screen) is None or not screen.end_greeting():
            self._go_back()

    async def action_back_or_quit(self) -> None:
        # Where nothing can be seen there is nothing to go back from.
        if self._is_too_small or not self._go_back():
            await self.action_quit()

    def _show_mode(self, mode: str) -> None:
        self.switch_mode(mode)
        self.call_later(self.tell_looking)

    def _go_back(self) -> bool:
        """Leave what was opened last: in the screen, then the screen for the one that led to it."""
        screen = self.desk_screen
        if screen is not None and screen.go_back():
            return True
        came_from, self._came_from = self._came_from, ""
        if came_from:
            self._show_mode(came_from)
        return bool(came_from)

    async def action_quit(self) -> None:
        unsent = self.room.desk.reads.unsent()
        if not unsent:
            self._leave()
            return
        from frontdesk.tui.dialogs.confirm import ConfirmDialog

        word = "change is" if unsent == 1 else "changes are"
        question = own(f"{unsent} {word} not confirmed yet. Quit all the same?")
        kept = own("Nothing is lost: it is sent in the background, or when frontdesk runs next.")
        self._asked_to_quit = True
        self.push_screen(ConfirmDialog(own("Quit"), question, yes=own("Quit"), says=kept), self._quit_answered)

    def action_undo(self) -> None:
        turn(self, self.room, back=True)

    def action_redo(self) -> None:
        turn(self, self.room, back=False)

    def action_switch_profile(self) -> None:
        here = self.room.desk.profile.name
        try:
            others = {name: host for name, host in self._profiles().items() if name != here}
        except ConfigError as error:
            notify(self, show_line(str(error)), severity="error")
            return
        if not others:
            notify(self, own("No other profile is configured; `frontdesk login NAME` adds one."))
            return
        from frontdesk.tui.dialogs.choice import ChoiceDialog, NamedChoice

        choices = [NamedChoice(name, show_line(name, 40), show_line(host, 60)) for name, host in others.items()]
        unsent = self.room.desk.reads.unsent()
        kept = own(f"{unsent} to send here: kept, and sent by the next run on it." if unsent else "")
        dialog = ChoiceDialog(own("Open another profile"), choices, says=kept, placeholder="Type its name")
        self.push_screen(dialog, self._profile_chosen)

    def action_help(self) -> None:
        from frontdesk.tui.dialogs.help import IN_DIALOGS, HelpDialog

        screen = self.desk_screen
        if screen is None:
            return
        groups = [*self.keys.help_for(screen.context, screen.live_widget), IN_DIALOGS]
        self.push_screen(
            HelpDialog(own(f"Keys · {screen.context}"), groups, here=self.room.glyphs.here), self._run_key
        )

    def action_refresh_all(self) -> None:
        self.room.desk.ask_refresh()
        notify(self, own("Reading everything again."), timeout_seconds=2)

    def action_pause_polling(self) -> None:
        self._paused = not self._paused
        self.tell_looking()
        resumes = self.room.key("sync.pause")
        words = f"Polling is paused; {resumes} resumes it." if self._paused else "Polling again."
        notify(self, own(words), timeout_seconds=2)

    def action_redraw(self) -> None:
        self._cells.forget()
        self.refresh(repaint=True, layout=True)

    def copy_to_clipboard(self, text: str) -> None:
        """What Textual copies from an input goes the same way as everything else."""
        from frontdesk.tui.clipboard import copy

        copy(self, text, own("What was selected"))

    def action_next_theme(self) -> None:
        """Another look, kept until the config says another one."""
        if self.no_color:
            notify(self, own("NO_COLOR is set: there are no colours to change."))
            return
        self.theme = after(self.theme)
        self.room.desk.keep_view(THEME, {"name": self.theme, "over": self.room.desk.settings.theme})
        notify(self, own(f"Theme: {self.theme.removeprefix('frontdesk-')}"), timeout_seconds=2)

    def action_command_palette(self) -> None:
        from frontdesk.tui.dialogs.commands import CommandsDialog

        live = {active.binding.id for active in self.screen.active_bindings.values() if active.binding.id}
        self.push_screen(CommandsDialog(self.keys, live), self._run_command)

    def _resumed(self, _: App[object]) -> None:
        self._attention.show_title()
        self.call_later(self.action_redraw)

    def on_desk_screen_looking_changed(self, event: DeskScreen.LookingChanged) -> None:
        event.stop()
        self.tell_looking()

    def on_desk_screen_conversation_wanted(self, event: DeskScreen.ConversationWanted) -> None:
        self._came_from = "" if self.current_mode == "inbox" else self.current_mode
        self._show_mode("inbox")
        self.call_later(self._open_in_inbox, event.conversation_id)

    def _open_in_inbox(self, conversation_id: ConversationId) -> None:
        from frontdesk.tui.screens.inbox import InboxScreen

        if isinstance(screen := self.desk_screen, InboxScreen):
            screen.open_conversation(conversation_id)

    def _quit_answered(self, answer: object) -> None:
        self._asked_to_quit = False
        if getattr(answer, "value", False):
            self._leave()

    def _profile_chosen(self, answer: object) -> None:
        self.next_profile = getattr(answer, "value", None)
        if self.next_profile is not None:
            self._leave()

    async def _run_key(self, answer: object) -> None:
        """Do what was picked in the help."""
        key_id = getattr(answer, "value", None)
        for active in self.screen.active_bindings.values():
            if active.binding.id == key_id:
                await self.run_action(active.binding.action, default_namespace=active.node)
                return

    async def _run_command(self, answer: object) -> None:
        """Do what was picked among all commands, or go to where it can be done."""
        from frontdesk.tui.dialogs.commands import screen_of

        if not isinstance(name := getattr(answer, "value", None), str):
            return
        if any(active.binding.id == name for active in self.screen.active_bindings.values()):
            await self._run_key(answer)
            return
        key = self.keys[name]
        if (mode := screen_of(key)) is not None:
            self.action_go(mode)
        notify(self, own(f"{key.help}: {key.shown_key}"))

    def _put_theme_on(self) -> None:
        """Before anything is styled: a theme that is set later has every rule parsed and applied again."""
        for theme in THEMES:
            self.register_theme(theme)
        desk = self.room.desk
        name = chosen_theme(desk.settings.theme, desk.kept_view(THEME))
        self.set_reactive(FrontdeskApp.theme, TERMINAL.name if self.no_color else name)
        theme = self.current_theme
        self.set_class(theme.dark, "-dark-mode")
        self.set_class(not theme.dark, "-light-mode")
        for each in tuple(self.classes):
            if each.startswith("-theme-"):
                self.remove_class(each)
        self.add_class(f"-theme-{theme.name}")
        self.stylesheet.set_variables(self.get_css_variables())
        self._refresh_truecolor_filter(self.ansi_theme)

    def _make_screen(self, mode: str) -> DeskScreen:
        module, name = SCREENS[mode]
        screen: DeskScreen = getattr(import_module(module), name)(self.room, self.keys)
        screen.fit_to(self.size)
        # Textual parses and applies every rule again for a screen that is new; these stand as they are.
        screen._css_update_count = self._css_update_count
        return screen

    def _store_changed(self, changed: frozenset[Event]) -> None:
        """From the watcher's thread: merged, and handed over to the screens' own."""
        with self._pending_lock:
            is_first = not self._pending
            self._pending |= changed
        if is_first:
            self.call_later(self._pass_pending_on)

    def _pass_pending_on(self) -> None:
        with self._pending_lock:
            changed, self._pending = frozenset(self._pending), set()
        self._pass_on(changed)
        if self._asked_to_quit and not self.room.desk.reads.unsent():
            self._leave()

    def _pass_on(self, changed: frozenset[Event]) -> None:
        if feed.REPLACED in changed:
            self.must_reopen = True
            self.exit()
            return
        self._attention.hear(changed)
        for stack in self._screen_stacks.values():
            for screen in stack:
                if isinstance(screen, DeskScreen):
                    screen.store_changed(changed)

    def _reading(self) -> str:
        """The conversation that somebody is looking at on this screen, or empty."""
        screen, is_here = self.desk_screen, self.room.clock() - self._active_at < READS_SECONDS
        return screen.reading() if is_here and screen is not None and screen.is_current else ""

    def _tick(self) -> None:
        self._pass_on(frozenset({EVERYTHING}))

    def _listen(self) -> None:
        if (screen := self.desk_screen) is not None and screen.is_mounted:
            screen.say_status()

    def _first_paint(self) -> None:
        if self._keep_engine is not None:
            # Told to end, it leaves the terminal as it found it.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._leave)
            self._see_to_engine()
            self.set_interval(KEEP_ENGINE_SECONDS, self._see_to_engine)
        self.room.desk.when_refused = self._write_was_refused
        self.room.desk.start()
        self._attention.start()
        if (screen := self.desk_screen) is not None and self._greets and self.room.desk.is_first_start():
            screen.greet()
        self.tell_looking()
        for words in self._says:
            notify(self, words, severity="warning", timeout_seconds=30)

    def _write_was_refused(self, words: str) -> None:
        self.call_later(self._say_refused, words)

    def _say_refused(self, words: str) -> None:
        notify(self, own(f"Nothing can be written: {show_line(words).text}"), severity="error", timeout_seconds=30)

    def _see_to_engine(self) -> None:
        """Start it, or start it again; what the machine refuses is said once and tried again."""
        if self._keep_engine is None:
            return
        try:
            self._keep_engine()
        except OSError as error:
            if not self._engine_failed:
                words = show_line(error.strerror or str(error), 120).text
                notify(self, own(f"Polling can't be started: {words}. It is tried again."), severity="error")
            self._engine_failed = True
        else:
            self._engine_failed = False

    def _fatal_error(self) -> None:
        """After a crash: a short traceback as plain safe lines, without what variables held."""
        from rich.text import Text

        if isinstance(self._exception, DAMAGE):
            doubt(self.room.desk.folder)
            self.must_reopen = True
        elif self._exception is not None and not self._exit_renderables:
            self._exit_renderables.append(Text("\n".join(crash_lines(self._exception))))
        self._close_messages_no_wait()

    def _keep_places(self) -> None:
        for stack in self._screen_stacks.values():
            for screen in stack:
                if isinstance(screen, DeskScreen):
                    screen.keep_place()

    def _leave(self) -> None:
        self._keep_places()
        self.room.desk.look_away()
        self.exit()

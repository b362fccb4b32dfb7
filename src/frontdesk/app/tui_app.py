"""The Textual app: modes, global keys, and changes of the store handed to the screens."""

import gc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.actions import ActionParseResult, parse
from textual.app import App
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from frontdesk.accounts.profile_switcher import StartTarget, start_profile
from frontdesk.app.last_place import LastPlace
from frontdesk.app.mode_navigation import ModeNavigation
from frontdesk.app.notices import Notices
from frontdesk.app.screens import FIRST, SCREENS, make_screen
from frontdesk.app.startup import show_warnings, show_welcome, start_engine
from frontdesk.config.program_files import UPDATED, ProgramFiles, is_own_import
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import IS_READ_ONLY, ConfigWatch
from frontdesk.engine.supervisor import MakeSupervisor
from frontdesk.inbox.view.note import NO_MENTION
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import change_feed
from frontdesk.storage.change_feed import EVERYTHING
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.records import Event
from frontdesk.storage.recovery import is_damage, mark_damaged
from frontdesk.tui.attention_reporter import AttentionReporter
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.context import AppContext, StatusPart
from frontdesk.tui.crash_report import crash_lines
from frontdesk.tui.futures import EventMerger, call_on_app_thread
from frontdesk.tui.header import Header
from frontdesk.tui.overlays import is_too_small, remove_welcome
from frontdesk.tui.themes import apply_first_theme
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import EMPTY
from frontdesk_lines.textual_compat.key_queue import QueuedKeysApp, TypedAhead
from frontdesk_lines.textual_compat.toasts import MAX_TOAST_PERCENT
from frontdesk_lines.widgets.line_bar import StatusLine

if TYPE_CHECKING:
    from frontdesk.app.dialogs import QuitDialog
    from frontdesk.automation.command_runs import CommandRuns
    from frontdesk.automation.macros import Macro

REPORT_SECONDS = 30.0
"""How often the screen reports to the engine what it shows."""
VIEW_SECONDS = 2.0
"""How often the view is saved if it changed: a lost connection or a kill ends the program at once."""
CONFIG_SECONDS = 1.0
"""How often config.toml is checked for changes."""
STATUS_SECONDS = 5.0
"""How often the status line checks the engine's heartbeat; it paints when the words differ."""
FREEZE_SECONDS = 2.0
"""How long after a screen's first frame it has loaded what it needs."""
REFRESH_SECONDS = 60.0
"""How often rows check whether their relative times changed; nothing is painted when none did."""
ACTIVITY = (events.Key, events.Paste, events.MouseDown, events.MouseScrollDown, events.MouseScrollUp)
WAYS_OUT = frozenset({"back_or_quit", "quit", "redraw", "suspend_process"})
"""Actions that still work where the screen has no room to show anything, or after an upgrade of the program."""
ANSWERS = frozenset({"choose", "submit"})
"""Actions of widgets after which a screen or dialog may open another one."""


class FrontdeskApp(QueuedKeysApp):
    """The terminal inbox.

    Args:
        supervise: makes what starts the engine, again when it has died or hangs, once the first screen is painted.
        warnings: warnings to show after the first paint.
        profiles: the profiles that can be opened, each with its account's address.
        greets: whether the first start of a profile shows the welcome.
        start_target: the record to open at.
        macros: of the config; their actions are in the keymap.
        engine_environ: the engine's environment, whose credentials beat saved ones.

    Attributes:
        has_copied: something was copied in this run, and what to do if nothing arrived was said.
        skips_copy_question: texts with line breaks are copied without a question in this run.
        must_reopen: the store can't be used any more and another has to be opened.
        account_draft: what was typed of an account that wasn't saved.
    """

    TITLE = "frontdesk"
    ENABLE_COMMAND_PALETTE = False
    DEFAULT_MODE = FIRST
    BINDINGS: ClassVar[list[BindingType]] = [*KEYMAP.bindings_for("app")]
    typed_ahead = TypedAhead(
        searches=frozenset({"find.filter", "find.search", "find.jump"}),
        asks=frozenset({"task.assign", "conversation.tag", "task.due", "task.status", "row.snooze"}),
        moves=("move.", "pane.", "go.", "view.next", "view.previous", "row.open", "numbers.", "compare."),
    )
    # On the lower border of the panes one line covers nothing; beside the inbox's list there is room for more.
    CSS = f"""
    ToastRack {{ margin: 0 0 1 0; overflow-y: hidden; }}
    Toast {{ width: auto; max-width: 100%; margin: 0; padding: 0 1; }}
    BaseScreen.-middle Toast, BaseScreen.-wide Toast {{ max-width: {MAX_TOAST_PERCENT}%; }}
    """

    def __init__(
        self,
        app_context: AppContext,
        supervise: MakeSupervisor | None = None,
        warnings: Sequence[SafeText] = (),
        profiles: Callable[[], Mapping[str, str]] = dict,
        greets: bool = False,
        start_target: StartTarget | None = None,
        macros: "Sequence[Macro]" = (),
        engine_environ: Mapping[str, str] = MappingProxyType({}),
    ):
        self._last_place = LastPlace(app_context.outbox)
        # `App.__init__` reads it to choose the first screen.
        self.DEFAULT_MODE = self._last_place.mode  # type: ignore[misc]
        settings = app_context.store.settings
        self.shows_cursor, self.uses_mouse = settings.cursor == "shown", settings.mouse
        super().__init__(settings.bidi, ascii_only=settings.ascii, environ=app_context.environ)
        self.animation_level = "none"
        self.key_actions = app_context.keymap.actions_of
        self._supervise, self._warnings = supervise, tuple(warnings)
        self._profiles, self._greets, self._start_target = profiles, greets, start_target
        self._engine_environ = engine_environ
        self._macros = {each.action.id: each for each in macros}
        self._event_merger: EventMerger | None = None
        self._modes_opened: list[str] = []
        self._is_painted = False
        self._quit_dialog: QuitDialog | None = None
        self._program: ProgramFiles | None = None
        self.has_copied = self.skips_copy_question = self.must_reopen = False
        self.next_profile: str | None = None
        self.account_draft = ""
        self.attention_reporter = attention = AttentionReporter(app_context, lambda: self.current_screen)
        self.notices = Notices(self, app_context, attention, self.update_status)
        parts = (self.notices.mention_part, self.notices.alert_part, self._command_part)
        self.app_context = app_context = app_context._replace(
            is_attended=attention.is_attended, status_parts=parts
        )
        self._mode_navigation = ModeNavigation(
            self, app_context, lambda: self.base_screens, lambda: self.current_screen, self._mode_shown
        )
        self._command_runs: CommandRuns | None = None
        for mode in SCREENS:
            self.add_mode(mode, partial(self._make_screen, mode))
        apply_first_theme(self, settings.theme)

    def get_css_variables(self) -> dict[str, str]:
        """Return none in Textual's `__init__`, before the first theme is chosen: they take a while."""
        return super().get_css_variables() if hasattr(self, "stylesheet") else {}

    def on_mount(self) -> None:
        if changed := self.app_context.keymap.textual_keymap():
            self.set_keymap(changed)
        folder = self.app_context.store.folder
        self._event_merger = EventMerger(folder, partial(call_on_app_thread, self), self.store_changed)
        self._event_merger.start()
        # After ctrl+z and fg the terminal shows the shell's lines, not what Textual painted last.
        self.app_resume_signal.subscribe(self, self._on_resume)
        self.app_suspend_signal.subscribe(self, lambda _: self.notices.messages.restore_title())
        self.set_interval(REFRESH_SECONDS, self.refresh_times)
        self.set_interval(REPORT_SECONDS, self.attention_reporter.report)
        self.set_interval(VIEW_SECONDS, self.save_view_state)
        self.set_interval(STATUS_SECONDS, self.update_status)

    def on_unmount(self) -> None:
        if self._command_runs is not None:
            self._command_runs.close()
        self.app_context.store.on_refused = None
        self.notices.messages.restore_title()
        if self._event_merger is not None:
            self._event_merger.stop()

    @property
    def base_screens(self) -> list[BaseScreen]:
        stacks = (self.get_screen_stack(mode) for mode in self._modes_opened)
        return [each for stack in stacks for each in stack if isinstance(each, BaseScreen)]

    @property
    def current_screen(self) -> BaseScreen | None:
        """The mode's own screen, below any open dialog."""
        return next((each for each in reversed(self.screen_stack) if isinstance(each, BaseScreen)), None)

    async def on_event(self, event: events.Event) -> None:
        # Before a widget handles it: a key typed into an input is activity too.
        if isinstance(event, ACTIVITY):
            self.attention_reporter.note_activity()
        if isinstance(event, events.MouseDown) and self._refuse_after_update():
            return
        await super().on_event(event)

    def on_app_focus(self) -> None:
        self.attention_reporter.set_focused(True)

    def on_app_blur(self) -> None:
        self.attention_reporter.set_focused(False)

    def action_go(self, mode: str) -> None:
        self._mode_navigation.show_mode(mode)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; on a terminal that is too small, or after an upgrade, only the ways out.

        After an upgrade whatever may load a module does nothing: those that run are of the version before. In a
        read-only run no action writes.
        """
        name = parse(action)[1] if isinstance(action, str) else action[1]
        if self._is_too_small and name not in WAYS_OUT:
            return False
        is_widgets = isinstance(default_namespace, Widget) and not isinstance(default_namespace, Screen)
        may_load = name not in WAYS_OUT | {"close"} and (not is_widgets or name in ANSWERS)
        if may_load and self._refuse_after_update():
            return True
        # A dialog's own action may have the name of a screen's.
        is_key_of_screen = isinstance(default_namespace, App | BaseScreen)
        if self.app_context.store.settings.read_only and is_key_of_screen and action in self._writing():
            notify(self, trusted(f"Nothing was done: {IS_READ_ONLY}."), severity="warning")
            if (screen := self.current_screen) is not None:
                screen.lacks_dialog = True
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def _writing(self) -> frozenset[str]:
        return frozenset(each.method for each in self.app_context.keymap if each.writes)

    def _refuse_after_update(self) -> bool:
        """Say that the program was updated, if it was; keys typed in one go for a dialog are dropped."""
        if self._program is None or not self._program.check():
            return False
        self.clear_toasts()
        notify(self, trusted(f"{UPDATED}. Your changes are kept."), severity="error", timeout_seconds=15)
        if (screen := self.current_screen) is not None:
            screen.lacks_dialog = True
        return True

    @property
    def _is_too_small(self) -> bool:
        return isinstance(self.screen, BaseScreen) and is_too_small(*self.size)

    async def action_back(self) -> None:
        screen, navigation = self.current_screen, self._mode_navigation
        if screen is not None and screen.selections:
            screen.clear_selection()
        elif (
            screen is None
            or navigation.is_visit
            or not (screen.back_actions.clear_filter() or remove_welcome(screen))
        ):
            navigation.navigate_back()

    async def action_back_or_quit(self) -> None:
        navigation = self._mode_navigation
        if self._is_too_small or not (navigation.navigate_back() or navigation.return_to_first(self.DEFAULT_MODE)):
            await self.action_quit()

    def _mode_shown(self) -> None:
        self.attention_reporter.report()
        self.notices.alerts.mark_seen()

    async def action_quit(self) -> None:
        store = self.app_context.store
        is_updated = self._program is not None and self._program.check()  # the question can't be asked
        if is_updated or store.settings.read_only or not outbox_bulk.unconfirmed_count(store.reading):
            self.save_and_exit()
            return
        from frontdesk.app.dialogs import ask_to_quit

        self._quit_dialog = ask_to_quit(self, self.app_context, self.save_and_exit)

    def action_help_quit(self) -> None:  # Textual binds it to ctrl+c
        copies, quits = (self.app_context.key(name) for name in ("copy.id", "app.quit"))
        notify(
            self, trusted(f"ctrl+c doesn't quit. Press {copies} to copy or {quits} to quit."), timeout_seconds=4
        )

    def hint_refused_paste(self) -> None:
        filters, searches = (self.app_context.key(name) for name in ("find.filter", "find.search"))
        words = f"Pasted text runs no keys. Press {filters} or {searches} first to look for it."
        notify(self, trusted(words), severity="warning", timeout_seconds=5)  # no report of a change replaces it

    def action_undo(self) -> None:
        screen = self.current_screen
        if screen is not None and screen.is_current and screen.record_actions.undo_selected():
            return
        from frontdesk.activity.tui.undo_action import undo

        undo(self, self.app_context)

    def action_redo(self) -> None:
        from frontdesk.activity.tui.undo_action import redo

        redo(self, self.app_context)

    def action_dismiss_alerts(self) -> None:
        """Hide the alerts of the status line and the notices above it."""
        self.notices.alerts.dismiss(had_notices=self.clear_toasts())

    def action_open_mention(self) -> None:
        """Open the conversation that has waited longest of those handed to this person, or with a mention."""
        waiting = self.notices.mentions.waiting
        if waiting:
            self._mode_navigation.show_conversation(waiting[0].conversation_id)
        else:
            notify(self, trusted(NO_MENTION), timeout_seconds=3)

    def action_macro(self, name: str) -> None:
        """Run a macro of the config on what is selected."""
        from frontdesk.automation.macro_actions import run_macro

        if (screen := self.current_screen) is not None:
            run_macro(screen, self._macros[name])

    def action_edit_config(self) -> None:
        from frontdesk.accounts.config_edits import edit_config

        notify(self, edit_config(self, self.app_context.store.profile), timeout_seconds=15)

    def action_switch_profile(self) -> None:
        from frontdesk.app.dialogs import ask_for_profile

        ask_for_profile(self, self.app_context, self._profiles, self._switch_to)

    def action_edit_names(self) -> None:
        from frontdesk.accounts.name_editor import edit_catalogues

        edit_catalogues(self, self.app_context, self.refresh_times)

    def action_add_profile(self) -> None:
        from frontdesk.app.dialogs import add_profile

        add_profile(self, self._switch_to)

    def action_sign_in(self) -> None:
        from frontdesk.app.dialogs import sign_in

        sign_in(self, self.app_context.store.profile, self._engine_environ)

    def action_help(self) -> None:
        if (screen := self.current_screen) is not None:
            from frontdesk.app.dialogs import show_keys

            show_keys(self, screen, self.app_context.keymap)

    def action_refresh_all(self) -> None:
        SyncRequests(self.app_context.store).request_refresh()
        notify(self, trusted("Refreshing everything."), timeout_seconds=2)

    def action_pause_polling(self) -> None:
        paused = self.attention_reporter.toggle_pause()
        resumes = self.app_context.key("sync.pause")
        words = f"Polling paused. Press {resumes} to resume." if paused else "Polling resumed."
        notify(self, trusted(words), timeout_seconds=2)

    @property
    def command_runs(self) -> "CommandRuns":
        """The commands of the person's own, which no first paint needs."""
        if self._command_runs is None:
            from frontdesk.automation.command_runs import CommandRuns

            self._command_runs = CommandRuns(self, self.app_context, self.update_status)
        return self._command_runs

    def action_custom_command(self, number: int) -> None:
        if (screen := self.current_screen) is not None and self.screen is screen:
            self.command_runs.start(number, screen)

    def action_toggle_privacy(self) -> None:
        from frontdesk.app.dialogs import toggle_privacy

        toggle_privacy(self, self.app_context)

    def copy_to_clipboard(self, text: str) -> None:
        # Textual calls it for text that was selected.
        copy(self, text, trusted("Selection"), is_selected=True)

    async def on_status_line_hint_chosen(self, event: StatusLine.HintChosen) -> None:
        from frontdesk.app.dialogs import run_key

        await run_key(self, event.id)

    async def on_header_tab_chosen(self, event: Header.TabChosen) -> None:
        await self.run_action(f"go('{event.id}')")

    def action_pick_theme(self) -> None:
        from frontdesk.tui.theme_dialog import pick_theme

        pick_theme(self, self.app_context)

    def action_save_picture(self) -> None:
        from frontdesk.tui.screenshot import save_screenshot

        save_screenshot(self, self.app_context)

    def action_command_palette(self) -> None:
        from frontdesk.app.dialogs import show_commands

        show_commands(self, self.app_context.keymap, self.action_go)

    def _on_resume(self, _: App[object]) -> None:
        self.notices.messages.show_title()
        self.call_later(self.action_redraw)

    def on_base_screen_focus_changed(self, event: BaseScreen.FocusChanged) -> None:
        event.stop()
        self.attention_reporter.report()

    def on_base_screen_conversation_requested(self, event: BaseScreen.ConversationRequested) -> None:
        self._mode_navigation.show_conversation(event.conversation_id)

    def on_base_screen_record_requested(self, event: BaseScreen.RecordRequested) -> None:
        self._mode_navigation.show_record(event.about, event.id)

    def _switch_to(self, profile: str) -> None:
        self.next_profile = profile
        self.save_and_exit()

    def _make_screen(self, mode: str) -> BaseScreen:
        screen = make_screen(mode, self.app_context)
        screen.set_size_classes(self.size)
        self._modes_opened.append(mode)
        return screen

    def store_changed(self, changed: frozenset[Event]) -> None:
        if change_feed.REPLACED in changed:
            self.must_reopen = True
            self.exit()
            return
        if change_feed.OWN_VIEWS in changed:
            from frontdesk.inbox.saved_views import load_views

            load_views(self.app_context.store)  # another screen or a command has changed them
        self.notices.apply_events(changed)
        if any(each.kind == change_feed.COVERAGE for each in changed):
            self._notify_unnamed()
        for screen in self.base_screens:
            screen.store_changed(changed)
        if self._quit_dialog is not None:
            self._quit_dialog.update_words()

    def _command_part(self, view: RenderContext) -> StatusPart:
        return StatusPart(EMPTY, EMPTY) if self._command_runs is None else self._command_runs.status_part(view)

    def refresh_times(self) -> None:
        self.store_changed(frozenset({EVERYTHING}))

    def update_status(self) -> None:
        self.notices.alerts.mark_seen()
        if (screen := self.current_screen) is not None and screen.is_mounted:
            screen.status_bar.update()

    def screen_painted(self, screen: Screen[object]) -> None:
        """Finish a screen's start, and the app's, once its first frame is sent."""
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
            if self._supervise is not None:
                self.set_timer(FREEZE_SECONDS, freeze_garbage_collector)

    def first_painted(self) -> None:
        """Start what can wait until the first screen is on the terminal."""
        if self.is_ending:
            return
        if self._supervise is not None:
            self._program = ProgramFiles()
            start_engine(self, self.app_context.store, self._supervise, self.save_and_exit)
        self.app_context.store.on_refused = partial(call_on_app_thread, self, self._notify_refused)
        start_profile(self.app_context.store, self.app_context.outbox)
        self.set_interval(CONFIG_SECONDS, partial(self._follow_config, ConfigWatch()))
        self.notices.start()
        screen = self.current_screen
        if screen is not None and self._greets and self.app_context.outbox.claim_first_start():
            show_welcome(screen, self.app_context.keymap)
        self.attention_reporter.report()
        show_warnings(self, self._warnings)
        self._notify_unnamed()
        if self._start_target is not None:
            self._open_start_target(self._start_target)

    def _follow_config(self, watch: ConfigWatch) -> None:
        if watch.has_changed() and not (self._program is not None and self._program.check()):
            from frontdesk.accounts.config_edits import follow_config

            if follow_config(self, self.app_context, lambda: self.base_screens, self.refresh_times):
                show_warnings(self, [show_line(f"{each}.", 400) for each in self._follow_macros()])

    def on_base_screen_macros_changed(self) -> None:
        self._follow_macros()

    def _follow_macros(self) -> Sequence[str]:
        """Use the macros of the config; return a sentence for each that can't be used, if any differs."""
        from frontdesk.automation.command_keys import follow_macros

        keymap = self.app_context.keymap
        macros, faults = follow_macros(keymap, self.app_context.store.profile)
        before, self._macros = self._macros, {each.action.id: each for each in macros}
        if self._macros == before:
            return ()
        for screen in self.base_screens:
            screen.set_bindings(keymap.bindings_for(screen.key_context))
        return faults

    def _open_start_target(self, target: StartTarget) -> None:
        if target.kind == "conversation":
            self._mode_navigation.show_conversation(ConversationId(target.id))
        else:
            self._mode_navigation.show_record(target.kind, target.id)
        if target.note:
            notify(self, trusted(target.note), timeout_seconds=8)

    def _notify_unnamed(self) -> None:
        if self._greets:
            from frontdesk.accounts.name_editor import notify_unnamed

            notify_unnamed(self, self.app_context)

    def _notify_refused(self, words: str) -> None:
        notify(self, trusted(f"Couldn't save: {show_line(words).text}"), severity="error", timeout_seconds=30)

    def crash_report(self, error: BaseException) -> Text | None:
        """Return a short traceback as safe text; None when a damaged store will be reopened."""
        if is_damage(error):
            mark_damaged(self.app_context.store.folder)
            self.must_reopen = True
            return None
        if self.survives(error):
            return Text(f"{UPDATED}. Your changes are saved.")
        return Text("\n".join(crash_lines(error)))  # nothing of it is markup

    def survives(self, error: BaseException) -> bool:
        """Return whether an error comes from an upgrade, which is said."""
        return is_own_import(error) and self._refuse_after_update()

    def save_view_state(self) -> None:
        if self.is_running:  # not by a timer or SIGTERM while the app closes, when its screens are gone
            self._last_place.save(self.current_mode, self.base_screens, self.screen_stack)

    def save_and_exit(self) -> None:
        self.save_view_state()
        SyncRequests(self.app_context.store).clear_focus()
        self.exit()


def freeze_garbage_collector() -> None:
    """Leave out of later collections what lives to the end: each took 10 to 40 ms, in which a key waited."""
    gc.collect(1)
    gc.freeze()

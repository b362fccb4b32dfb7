"""Dialogs of the app itself, imported when they open: keys, commands, privacy, quitting, profiles."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.widgets import Input

from frontdesk.config.actions import Group
from frontdesk.config.credentials import ENVIRONMENT, SecretError
from frontdesk.config.settings import ConfigError, Profile, load_config
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed, on_answer
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.help import CONTEXT_NAMES, IN_DIALOGS, CommandsDialog, HelpDialog, screen_of
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.keymap import Keymap, first_key_name
from frontdesk.tui.status_bar import widget_context
from frontdesk_lines.content import notify, prefill
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, IS_SHOWN, is_private
from frontdesk_lines.widgets.line_view import LineView
from frontdesk_lines.widgets.row_list import RowList

if TYPE_CHECKING:
    from frontdesk.app.tui_app import FrontdeskApp


def show_keys(app: App[Any], screen: BaseScreen, keymap: Keymap) -> None:
    """Show the keys that work on this screen and run the chosen one."""
    groups = [*keymap.help_for(screen.key_context, widget_context(screen.focused)), IN_DIALOGS]
    if isinstance(screen.focused, RowList) and not screen.focused.can_mark:
        groups = [each for each in groups if each[0] != Group.MARK]

    async def picked(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            await run_key(app, answer.value)

    title = trusted(f"Keys · {CONTEXT_NAMES[screen.key_context]}")
    app.push_screen(HelpDialog(title, groups, current_sign=screen.app_context.glyphs.current), picked)


def show_commands(app: App[Any], keymap: Keymap, go: Callable[[str], None]) -> None:
    """Show every command and run the chosen one; `go` shows its screen where it can't run here."""

    async def picked(answer: Answered[str] | Closed | None) -> None:
        if not isinstance(answer, Answered) or await run_key(app, answer.value):
            return
        key = keymap[answer.value]
        if (mode := screen_of(key)) is not None:
            go(mode)
        notify(app, trusted(f"{key.help}: {first_key_name(key)}"))

    app.push_screen(CommandsDialog(keymap, live_keys(app)), picked)


def live_keys(app: App[Any]) -> set[str]:
    """Return the ids of the keys that work now."""
    return {active.binding.id for active in app.screen.active_bindings.values() if active.binding.id}


async def run_key(app: App[Any], key_id: str) -> bool:
    """Run the action of a key id; returns False where it doesn't work now."""
    for active in app.screen.active_bindings.values():
        if active.binding.id == key_id:
            await app.run_action(active.binding.action, default_namespace=active.node)
            return True
    return False


class QuitDialog(ConfirmDialog):
    """Asks whether to quit with unconfirmed changes.

    It stays open when all are confirmed: an answer typed at that moment would go to the shell.
    """

    def __init__(self, app_context: AppContext) -> None:
        self._app_context = app_context
        question, note = self._words()
        super().__init__(trusted("Quit"), question, yes=trusted("Quit"), note=note)

    def on_mount(self) -> None:
        self.update_words()

    def update_words(self) -> None:
        """Show how many changes are unconfirmed now, unless it was closed."""
        if self.is_running:
            self.set_question(*self._words())

    def _words(self) -> tuple[SafeText, SafeText]:
        unsent = outbox_bulk.unconfirmed_count(self._app_context.store.reading)
        if not unsent:
            return trusted("All changes are confirmed. Quit?"), NOTHING
        question = f"{outbox_bulk.describe_unconfirmed(unsent)} Quit anyway?"
        return trusted(question), trusted(outbox_bulk.SENT_LATER)


def ask_to_quit(app: App[Any], app_context: AppContext, leave: Callable[[], None]) -> QuitDialog:
    """Ask whether to quit with unconfirmed changes; `leave` is called where the answer is yes."""
    dialog = QuitDialog(app_context)
    app.push_screen(dialog, on_answer(lambda _: leave()))
    return dialog


def ask_for_profile(
    app: App[Any],
    app_context: AppContext,
    profiles: Callable[[], Mapping[str, str]],
    switch_to: Callable[[str], None],
) -> None:
    """Ask for another profile to open and call `switch_to` with its name.

    Args:
        profiles: the profiles that can be opened, each with its account's address.
    """
    current = app_context.store.profile.name
    try:
        others = {name: host for name, host in profiles().items() if name != current}
    except ConfigError as error:
        notify(app, show_line(str(error)), severity="error")
        return
    if not others:
        notify(app, trusted(f"No other profiles. {app_context.key('profile.add')} sets up another account."))
        return
    choices = [NamedChoice(name, show_line(name, 40), show_line(host, 60)) for name, host in others.items()]
    unsent = outbox_bulk.unconfirmed_count(app_context.store.reading)
    later = "" if app_context.store.settings.read_only else ", to be sent when you reopen it"
    note = trusted(f"{counted(unsent, 'unsent change')} in this profile{later}." if unsent else "")

    def closed(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            switch_to(answer.value)

    app.push_screen(
        PickerDialog(trusted("Open another profile"), choices, note=note, placeholder="Type a name"), closed
    )


def add_profile(app: "FrontdeskApp", switch_to: Callable[[str], None]) -> None:
    """Set up another account and call `switch_to` with its profile; what was typed stays for the next time."""
    from frontdesk.accounts.account_dialog import AccountDialog, new_form
    from frontdesk.accounts.account_trial import start_trial

    try:
        config = load_config()
        form = new_form(app.account_draft)
    except ConfigError as error:
        notify(app, show_line(str(error), 300), severity="error")
        return

    def closed(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            switch_to(answer.value)
        elif answer is not None:
            app.account_draft = answer.draft

    try_account = partial(start_trial, config.settings)
    app.push_screen(AccountDialog(form, try_account, is_default=config.default_profile is None), closed)


def sign_in(app: "FrontdeskApp", profile: Profile, environ: Mapping[str, str]) -> None:
    """Ask for a new Cookie of the open profile; the engine finds it once it is saved.

    Args:
        environ: of the engine; its credentials beat saved ones.
    """
    from frontdesk.accounts.account_dialog import AccountDialog
    from frontdesk.accounts.account_form import renewal_form
    from frontdesk.accounts.account_trial import start_trial

    try:
        if elsewhere := kept_elsewhere(profile, environ):
            notify(app, show_line(elsewhere, 300), severity="warning", timeout_seconds=15)
            return
        config = load_config()
        form = renewal_form(config.profiles[profile.name], environ)
    except (ConfigError, SecretError, KeyError) as error:
        words = f"profile {profile.name} is no longer in config.toml" if isinstance(error, KeyError) else error
        notify(app, show_line(str(words), 300), severity="error")
        return
    try_account = partial(start_trial, config.settings, folder=app.app_context.store.folder)
    saved = trusted("Signed in again. Loading continues within seconds, and changes are sent.")
    app.push_screen(
        AccountDialog(form, try_account, is_default=False),
        on_answer(lambda _: notify(app, saved, timeout_seconds=6)),
    )


def kept_elsewhere(profile: Profile, environ: Mapping[str, str]) -> str:
    """Return where a profile's credentials are renewed if they aren't in the file; empty if they are."""
    again = "then open frontdesk again"
    if profile.folder is not None:
        return "The demo's credentials never expire."
    if profile.credentials_command:
        return (
            f"The credentials come from credentials_command of profile {profile.name}: renew them there, {again}."
        )
    if profile.keyring:
        return (
            f"The credentials are in the system's keyring: run `frontdesk login {profile.name} --rotate`, {again}."
        )
    if profile.hosts_from_environment:
        return (
            f"The platform's address comes from the environment, and so must the credentials: set them, {again}."
        )
    given = next((variable for variable in ENVIRONMENT.values() if environ.get(variable, "").strip()), "")
    return f"{given} is set and overrides what is saved: change it, {again}." if given else ""


def toggle_privacy(app: "FrontdeskApp", app_context: AppContext) -> None:
    """Hide or show names, numbers and texts; notices go, as they may name a customer."""
    app_context.outbox.keep_privacy(not is_private())
    app.clear_toasts()
    app.refresh_times()
    for screen in app.base_screens:
        for widget in screen.walk_children():
            if isinstance(widget, LineView):
                widget.redraw()
            elif isinstance(widget, Input):
                prefill(widget, widget.value)
    words = f"{IS_HIDDEN}. Press {app_context.key('app.privacy')} to show them." if is_private() else IS_SHOWN
    notify(app, trusted(words), timeout_seconds=3)

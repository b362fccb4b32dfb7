"""The screen of a first run, without a profile: it offers the demo, or sets an account up.

Started by `cli.main` where a terminal has room for it; else a menu of two lines is printed.
"""

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.accounts.account_dialog import AccountDialog, new_form
from frontdesk.accounts.account_trial import TryAccount, start_trial
from frontdesk.config import settings as config_settings
from frontdesk.tui.crash_report import crash_lines
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog
from frontdesk.tui.dialogs.confirm import AnswerButton
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.overlays import is_too_small
from frontdesk.tui.themes import apply_first_theme
from frontdesk_lines.display_text import set_terminal, trusted
from frontdesk_lines.lines import Role, span
from frontdesk_lines.terminal_abilities import has_own_driver, terminal_abilities
from frontdesk_lines.textual_compat.key_queue import QueuedKeysApp
from frontdesk_lines.widgets.note import Note

DEMO, ACCOUNT = "demo", "account"


class FirstRunDialog(Dialog[str]):
    """Answers with `DEMO` or `ACCOUNT`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "choose('demo')", "demo"),
        Binding("2", "choose('account')", "account"),
        Binding("down,j", "step(1)", "next"),
        Binding("up,k", "step(-1)", "previous"),
        Binding("q", "close", "quit"),
    ]
    DEFAULT_CSS = """
    FirstRunDialog {
        & > .dialog--box { width: 76; }
        & Note { height: auto; }
        & AnswerButton { margin: 1 2 0 2; }
    }
    """

    def __init__(self) -> None:
        keys = keys_line(("↑ ↓", "pick"), ("enter", "open"), ("esc", "quit"))
        super().__init__(trusted("Welcome to frontdesk"), keys=keys)

    def compose_body(self) -> Iterable[Widget]:
        yield Note((span("There is no profile yet. What do you want to do?", Role.DIM),))
        yield AnswerButton(trusted("1  Try the demo"), is_yes=True)
        words = "Sample customers and campaigns on this machine; no account needed."
        yield Note((span(words, Role.DIM),))
        yield AnswerButton(trusted("2  Set up your account"), is_yes=False)
        words = "Enter addresses and credentials; they are checked before they are saved."
        yield Note((span(words, Role.DIM),))

    def on_mount(self) -> None:
        self.query(AnswerButton).first().focus()

    def on_answer_button_pressed(self, event: AnswerButton.Pressed) -> None:
        event.stop()
        self.done(DEMO if event.is_yes else ACCOUNT)

    def action_choose(self, choice: str) -> None:
        self.done(choice)

    def action_step(self, steps: int) -> None:
        self.focus_next() if steps > 0 else self.focus_previous()


class SetupApp(QueuedKeysApp):
    """Asks what to do without a profile.

    Args:
        try_account: tries an account on another thread.

    Attributes:
        choice: `DEMO`, `ACCOUNT` once an account is saved, or None.
    """

    TITLE = "frontdesk"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", show=False, priority=True),
        Binding("ctrl+l", "redraw", "redraw", show=False),
    ]

    def __init__(self, settings: config_settings.Settings, try_account: TryAccount) -> None:
        super().__init__(settings.bidi, ascii_only=settings.ascii, environ=os.environ)
        self.animation_level, self.uses_mouse = "none", settings.mouse
        self._try_account = try_account
        self._draft = ""
        self.choice: str | None = None
        apply_first_theme(self, settings.theme)

    def on_mount(self) -> None:
        self._ask()

    def crash_report(self, error: BaseException) -> Text:
        return Text("\n".join(crash_lines(error)))

    def copy_to_clipboard(self, text: str) -> None:
        """Copy nothing: what is typed here may be a credential."""

    def _ask(self) -> None:
        self.push_screen(FirstRunDialog(), self._chosen)

    def _chosen(self, answer: Answered[str] | Closed | None) -> None:
        if not isinstance(answer, Answered):
            self.exit()
        elif answer.value == DEMO:
            self.choice = DEMO
            self.exit()
        else:
            dialog = AccountDialog(new_form(self._draft), self._try_account, is_default=True)
            self.push_screen(dialog, self._account_closed)

    def _account_closed(self, answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            self.choice = ACCOUNT
            self.exit()
        else:
            self._draft = answer.draft if answer is not None else ""
            self._ask()


def has_room() -> bool:
    """Return whether the screen can be shown: a terminal with a cursor and enough cells."""
    if has_own_driver(os.environ):
        return True
    is_terminal = all(each.isatty() for each in (sys.stdin, sys.stdout, sys.stderr))
    if not is_terminal or os.environ.get("TERM", "") in ("", "dumb"):
        return False
    return not is_too_small(*shutil.get_terminal_size())


def ask_for_setup() -> str | None:
    """Show the screen; return `DEMO`, `ACCOUNT` once an account is saved, or None."""
    settings = config_settings.load_config().settings
    shown = replace(settings, ascii=settings.ascii or not terminal_abilities(os.environ).has_signs)
    set_terminal(lays_out=settings.bidi == "frontdesk", emoji_as_text=shown.names_emoji)
    app = SetupApp(shown, partial(start_trial, settings))
    app.run()
    return app.choice

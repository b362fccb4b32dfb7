"""AccountDialog sets an account up: fields that are checked as they are typed, and tried against the hosts."""

import os
from collections.abc import Iterable
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from frontdesk.accounts.account_form import (
    BASE,
    FIRST_NAME,
    MIX_ACCOUNTS,
    OTHER_ACCOUNT,
    OTHER_ADDRESSES,
    AccountForm,
    AccountTrial,
    FieldStatus,
    TrialResult,
    Verdict,
    field_status,
    taken_names,
)
from frontdesk.accounts.account_trial import TryAccount
from frontdesk.config import settings as config_settings
from frontdesk.config.account_writer import save_account
from frontdesk.config.credentials import SecretError
from frontdesk.config.hosts import HOST_KEYS
from frontdesk.config.paths import data_root
from frontdesk.config.tables import ConfigError
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.confirm import AnswerButton, ConfirmDialog
from frontdesk.tui.dialogs.form import FormDialog, SecretField
from frontdesk.tui.futures import call_on_app_thread
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import content
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, span
from frontdesk_lines.widgets.note import Note

PAUSE_SECONDS = 1.0
"""How long to wait after the last key before trying what was typed."""


class OtherAddresses(Static, can_focus=True):
    """The line that folds the other addresses away, or shows them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", "press")]
    DEFAULT_CSS = """
    OtherAddresses {
        height: 1;
        padding: 0 2;
        color: $text-muted;
        &:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """

    class Pressed(Message):
        """Enter, space or a click."""

    def show(self, is_open: bool) -> None:
        words = "▾ Other addresses" if is_open else "▸ Other addresses: same for all (enter to edit)"
        self.update(content((span(words),)))

    def on_click(self) -> None:
        self.action_press()

    def action_press(self) -> None:
        self.post_message(self.Pressed())


class AccountDialog(FormDialog[str]):
    """Answers with the name of the profile that was saved.

    Args:
        form: what is filled in at first.
        try_account: tries it on another thread.
        is_default: whether it becomes the default profile.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "try_again", "try again")]
    DEFAULT_CSS = """
    AccountDialog {
        & > .dialog--box { width: 92; }
        & .form--label { width: 20; padding: 0 2; }
        & FormRow Note { padding: 0 0 0 20; }
        & VerticalScroll { height: auto; scrollbar-size-vertical: 1; }
        & #save { margin: 0 2; width: auto; }
        & #summary { height: auto; margin-top: 1; }
    }
    AccountDialog.-short #summary { margin-top: 0; }
    AccountDialog.-slim FormRow Note { padding: 0 1; }
    """

    def __init__(self, form: AccountForm, try_account: TryAccount, *, is_default: bool) -> None:
        renews = form.renews is not None
        title = show_line(f"Sign in · {form.value('name')}", 80) if renews else trusted("Set up an account")
        enter = "next" if renews else "next, confirm an address"
        form.typed.setdefault("name", "" if form.taken else FIRST_NAME)
        super().__init__(title, form, keys=keys_line(("enter", enter), ("f5", "try again"), ("esc", "discard")))
        self._form, self._try_account, self._is_default = form, try_account, is_default
        self._is_open = any(form.value(key) for key in OTHER_ADDRESSES)
        for key in ("name", *HOST_KEYS) if renews else ():
            self.form_rows[key].field.disabled = True
        self._fold = OtherAddresses()
        self._fold.display = self.form_rows["name"].note.display = not renews
        self._fields = VerticalScroll(can_focus=False)
        self._summary = Note(EMPTY, id="summary")
        self._save_button = AnswerButton(trusted("Save" if renews else "Save and open the inbox"), is_yes=True)
        self._save_button.id = "save"
        self._timer: Timer | None = None
        self._saves_after_trial = False

    def compose_body(self) -> Iterable[Widget]:
        with self._fields:
            for key, row in self.form_rows.items():
                if key == OTHER_ADDRESSES[0]:
                    yield self._fold
                yield row
            yield self._summary
            yield self._save_button

    def on_mount(self) -> None:
        self._show_statuses()
        first = "cookie" if self._form.renews is not None else BASE if self._form.value("name") else "name"
        self.focus_on(first)
        self._wait()

    def on_resize(self, event: events.Resize) -> None:
        self._fields.styles.max_height = max(3, event.size.height - 4)

    def _show_statuses(self) -> None:
        self._fold.show(self._is_open)
        for key, row in self.form_rows.items():
            self._show_status(key, self._form.status(key))
            row.display = self._is_open or key not in OTHER_ADDRESSES
        self._summary.set_line(self._summary_line())

    def _show_status(self, key: str, status: FieldStatus) -> None:
        sign, role = status.verdict.value
        self.form_rows[key].note.set_line((span(sign, role), Span(status.words, role)))

    def _summary_line(self) -> Line:
        form = self._form
        if (key := form.first_fault()) is not None:
            state = "wrong" if form.value(key) else "missing"
            return (span(f"Nothing is saved yet: {form.questions[key].label.strip()} is {state}.", Role.DIM),)
        if form.unconfirmed():
            return (span("Nothing is saved yet. To confirm the address, press enter on it.", Role.WARN),)
        if not form.is_tried():
            state = "trying…" if form.running is not None else "not everything was tried."
            return (span(f"Nothing is saved yet; {state}", Role.DIM),)
        if form.result.failure_words():
            return (span("Nothing is saved yet: the check failed.", Role.BAD),)
        return (span("✓ The platform accepted it. Nothing is saved yet.", Role.GOOD),)

    # Typing and moving

    def show_answers(self) -> None:
        self._saves_after_trial = False
        self._show_statuses()
        self._wait()

    @on(SecretField.PasteRefused)
    def _paste_refused(self, event: SecretField.PasteRefused) -> None:
        event.stop()
        row = next(each for each in self.form_rows.values() if each.field is event.field)
        self._show_status(row.key, field_status(Verdict.WRONG, event.words))

    def action_enter(self) -> None:
        """Go on to the next field, unless this one is required and empty; an address is confirmed."""
        focused = self.focused
        if isinstance(focused, AnswerButton | OtherAddresses):
            focused.action_press()
            return
        row = self.focused_row
        if row is None:
            return
        if self._form.is_missing(row.key):
            self._form.missed |= {row.key}
            self._show_statuses()
            return
        if row.key == BASE and not self._is_open:
            self.focus_on("cookie")
        else:
            self.focus_next()
        if row.key in HOST_KEYS:
            self._form.confirm(row.key)
            self._show_statuses()
            self._wait()

    @on(OtherAddresses.Pressed)
    def _fold_pressed(self) -> None:
        self._is_open = not self._is_open or any(self._form.value(key) for key in OTHER_ADDRESSES)
        self._show_statuses()

    # Trying

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE_SECONDS, self._try)

    def action_try_again(self) -> None:
        self._form.tried = None
        self._try()

    def _try(self) -> None:
        """Try what is typed, unless it was or is being tried; a result of what was typed before is dropped."""
        trial = self._form.trial()
        if trial is None or trial in (self._form.running, self._form.tried):
            return
        self._form.running = trial
        app = self.app
        self._try_account(trial, lambda trial, result: call_on_app_thread(app, self._tried, trial, result))
        self._show_statuses()

    def _tried(self, trial: AccountTrial, result: TrialResult) -> None:
        if trial != self._form.running or not self.is_attached:
            return
        self._form.running = None
        self._form.tried, self._form.result = trial, result
        self._show_statuses()
        if not self._form.is_tried():
            self._try()
        elif self._saves_after_trial:
            self._save_tried()

    # Saving

    @on(AnswerButton.Pressed)
    def _save_pressed(self, event: AnswerButton.Pressed) -> None:
        event.stop()
        key = self._form.first_fault() or next(iter(self._form.unconfirmed()), None)
        if key is not None:
            if key in OTHER_ADDRESSES:
                self._is_open = True
                self._show_statuses()
            self.focus_on(key)
        elif self._form.is_tried():
            self._save_tried()
        else:
            self._saves_after_trial = True
            self._try()
            self._summary.set_line((span("Trying it first…", Role.DIM),))

    def _save_tried(self) -> None:
        self._saves_after_trial = False
        failures = self._form.result.failure_words()
        if not failures:
            self._save()
            return
        is_mixed = failures == OTHER_ACCOUNT
        dialog = ConfirmDialog(
            trusted(MIX_ACCOUNTS if is_mixed else "Save an account that doesn't work yet?"),
            show_line(failures, 300),
            yes=trusted("Save it anyway"),
        )
        self.app.push_screen(dialog, on_answer(lambda _: self._save()))

    def _save(self) -> None:
        account, password = self._form.account(), self._form.team_password
        try:
            save_account(account.profile, account.credentials, password, make_default=self._is_default)
        except (ConfigError, SecretError) as error:
            self._show_failure(show_line(str(error), 300))
        except OSError as error:
            self._show_failure(show_line(f"Nothing was saved: {error.strerror or error}", 300))
        else:
            self.done(account.profile.name)

    def _show_failure(self, words: SafeText) -> None:
        self._summary.set_line((span("✗ ", Role.BAD), Span(words, Role.BAD)))


def new_form(draft: str = "") -> AccountForm:
    """Make a form that refuses the names in use.

    Raises:
        ConfigError: the config can't be read.
    """
    stores = data_root() / "profiles"
    names = [each.name for each in stores.iterdir() if each.is_dir()] if stores.is_dir() else []
    form = AccountForm(taken=taken_names(config_settings.load_config().profiles, names), environ=os.environ)
    form.read_draft(draft)
    return form

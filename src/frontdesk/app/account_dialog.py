"""AccountDialog sets an account up: fields that are checked as they are typed, and tried against the hosts."""

import re
from collections.abc import Iterable
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from frontdesk.app.account_form import (
    BASE,
    FIELDS,
    FIRST_NAME,
    OTHER_ADDRESSES,
    AccountForm,
    AccountTrial,
    FieldStatus,
    TrialResult,
    Verdict,
)
from frontdesk.app.account_trial import TryAccount
from frontdesk.config import settings as config_settings
from frontdesk.config.account_writer import save_account
from frontdesk.config.credentials import ENVIRONMENT, SecretError
from frontdesk.config.hosts import HOST_KEYS
from frontdesk.config.tables import ConfigError
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, span
from frontdesk.tui.content import content
from frontdesk.tui.dialogs.base import Dialog, on_answer, text_field
from frontdesk.tui.dialogs.confirm import AnswerButton, ConfirmDialog
from frontdesk.tui.futures import call_on_app_thread
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.textual_compat.text_input import Field
from frontdesk.tui.widgets.note import Note

OTHER_ACCOUNT = (
    "This looks like another account: it has none of the tasks that this profile has stored. "
    "To keep both, add it as a separate account."
)

PAUSE_SECONDS = 1.0
"""How long to wait after the last key before trying what was typed."""

LABELS = {
    "name": "Profile name",
    "base_url": "Platform address",
    "campaigns_url": "  for campaigns",
    "workflows_url": "  for workflows",
    "business_url": "  for tasks",
    "ai_url": "  for AI agents",
    "cookie": "Cookie",
    "api_key": "x-api-key",
    "bearer": "Bearer token",
    "agent_id": "Your agent id",
}
_SIGNS = {
    Verdict.EMPTY: ("  ", Role.DIM),
    Verdict.NOT_TRIED: ("○ ", Role.DIM),
    Verdict.TRYING: ("○ ", Role.DIM),
    Verdict.ANSWERED: ("○ ", Role.TEXT),
    Verdict.ACCEPTED: ("✓ ", Role.GOOD),
    Verdict.DOUBTFUL: ("! ", Role.WARN),
    Verdict.WRONG: ("✗ ", Role.BAD),
}
MAX_LETTERS = 8_300
"""The most characters in a field: a little more than a credential may have."""


class SecretField(Field):
    """An input that shows dots, copies nothing, and takes a pasted text whole or not at all."""

    # A credential has no line break: where a narrow window or a mail wrapped it, it goes on in the next line.
    PASTE_JOINER: ClassVar[str] = ""

    class PasteRefused(Message):
        """Sent when several headers or a very long text is pasted."""

        def __init__(self, field: "SecretField", words: str) -> None:
            self.field, self.words = field, words
            super().__init__()

    def __init__(self, placeholder: str = "", *, select_on_focus: bool = False) -> None:
        super().__init__(placeholder=placeholder, select_on_focus=select_on_focus, password=True)

    def on_paste(self, event: events.Paste) -> None:
        text = event.text.strip()
        has_headers = re.search(r"[\r\n]\s*[\w-]+:\s", text) is not None
        if has_headers or len(text) > MAX_LETTERS:
            event.stop()
            event.prevent_default()
            what = "has several headers" if has_headers else f"is longer than {MAX_LETTERS:,} characters"
            self.post_message(self.PasteRefused(self, f"the pasted text {what}; copy only the value"))

    def action_copy(self) -> None:
        """Copy nothing: a clipboard may be anybody's."""

    def action_cut(self) -> None:
        """Cut nothing, for the same reason."""


class AccountRow(Vertical):
    """One field with its label and its status."""

    DEFAULT_CSS = """
    AccountRow {
        height: auto;
        & Horizontal { height: 1; }
        & .account--label { width: 20; padding: 0 2; }
        & Input { width: 1fr; }
        & Note { height: auto; padding: 0 0 0 20; }
    }
    .-slim AccountRow { & .account--label { width: 17; padding: 0; } & Note { padding: 0; } }
    """

    def __init__(self, key: str, value: str) -> None:
        super().__init__(id=f"row-{key}")
        self.key = key
        self.field = text_field("", SecretField if key in ENVIRONMENT else Field)
        self.field.value = value
        self.field.max_length = MAX_LETTERS
        self.note = Note()

    def compose(self) -> Iterable[Widget]:
        with Horizontal():
            yield Static(content((span(LABELS[self.key]),)), classes="account--label")
            yield self.field
        yield self.note

    def show(self, status: FieldStatus) -> None:
        sign, role = _SIGNS[status.verdict]
        self.note.set_line((span(sign, role), Span(status.words, role)))


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


class AccountDialog(Dialog[str]):
    """Answers with the name of the profile that was saved.

    Args:
        form: what is filled in at first.
        try_account: tries it on another thread.
        is_default: whether it becomes the default profile.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "next", priority=True),
        Binding("tab,down", "step(1)", "next", priority=True),
        Binding("shift+tab,up", "step(-1)", "previous", priority=True),
        Binding("f5", "try_again", "try again"),
    ]
    DEFAULT_CSS = """
    AccountDialog {
        & > .dialog--box { width: 92; }
        & VerticalScroll { height: auto; scrollbar-size-vertical: 1; }
        & #save { margin: 0 2; width: auto; }
        & #summary { height: auto; margin-top: 1; }
    }
    AccountDialog.-short #summary { margin-top: 0; }
    """

    def __init__(self, form: AccountForm, try_account: TryAccount, *, is_default: bool) -> None:
        renews = form.renews is not None
        title = show_line(f"Sign in · {form.value('name')}", 80) if renews else trusted("Set up an account")
        enter = "next" if renews else "next, confirm an address"
        super().__init__(title, keys=keys_line(("enter", enter), ("f5", "try again"), ("esc", "discard")))
        self._form, self._try_account, self._is_default = form, try_account, is_default
        form.typed.setdefault("name", "" if form.taken else FIRST_NAME)
        self._rows = {key: AccountRow(key, form.typed.get(key, "")) for key in FIELDS}
        self._is_open = any(form.value(key) for key in OTHER_ADDRESSES)
        for key in ("name", *HOST_KEYS) if renews else ():
            self._rows[key].field.disabled = True
        self._fold = OtherAddresses()
        self._fold.display = self._rows["name"].note.display = not renews
        self._fields = VerticalScroll(can_focus=False)
        self._summary = Note(EMPTY, id="summary")
        self._save_button = AnswerButton(trusted("Save" if renews else "Save and open the inbox"), is_yes=True)
        self._save_button.id = "save"
        self._timer: Timer | None = None
        self._saves_after_trial = False

    @property
    def draft(self) -> str:
        return self._form.draft()

    def compose_body(self) -> Iterable[Widget]:
        with self._fields:
            for key, row in self._rows.items():
                if key == OTHER_ADDRESSES[0]:
                    yield self._fold
                yield row
            yield self._summary
            yield self._save_button

    def on_mount(self) -> None:
        self._show_fold()
        self.update_statuses()
        first = "cookie" if self._form.renews is not None else BASE if self._form.value("name") else "name"
        self._rows[first].field.focus()
        self._wait()

    def on_resize(self, event: events.Resize) -> None:
        self._fields.styles.max_height = max(3, event.size.height - 4)

    def update_statuses(self) -> None:
        for key, row in self._rows.items():
            row.show(self._form.status(key))
        self._summary.set_line(self._summary_line())

    def _summary_line(self) -> Line:
        form = self._form
        if (key := form.first_fault()) is not None:
            state = "wrong" if form.value(key) else "missing"
            return (span(f"Nothing is saved yet: {LABELS[key].strip()} is {state}.", Role.DIM),)
        if form.unconfirmed():
            return (span("Nothing is saved yet. To confirm the address, press enter on it.", Role.WARN),)
        if not form.is_tried():
            state = "trying…" if form.running is not None else "not everything was tried."
            return (span(f"Nothing is saved yet; {state}", Role.DIM),)
        if self._failures():
            return (span("Nothing is saved yet: the check failed.", Role.BAD),)
        return (span("✓ The platform accepted it. Nothing is saved yet.", Role.GOOD),)

    def _failures(self) -> str:
        """Return why the account, as it was tried, can't be used."""
        from frontdesk.app.host_checks import failed_checks, failure_words

        result = self._form.result
        return (
            result.failure
            or failure_words(failed_checks(result.checks))
            or (OTHER_ACCOUNT if result.is_other_account else "")
        )

    # Typing and moving

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        row = next(each for each in self._rows.values() if each.field is event.input)
        if self._form.typed.get(row.key, "") == event.value:
            return
        self._form.typed[row.key] = event.value
        self._saves_after_trial = False
        self.update_statuses()
        self._wait()

    @on(SecretField.PasteRefused)
    def _paste_refused(self, event: SecretField.PasteRefused) -> None:
        event.stop()
        row = next(each for each in self._rows.values() if each.field is event.field)
        row.show(FieldStatus(Verdict.WRONG, trusted(event.words)))

    def action_enter(self) -> None:
        """Go on to the next field, unless this one is required and empty; an address is confirmed."""
        focused = self.focused
        if isinstance(focused, AnswerButton | OtherAddresses):
            focused.action_press()
            return
        row = next((each for each in self._rows.values() if each.field is focused), None)
        if row is None:
            return
        if self._form.is_missing(row.key):
            self._form.missed |= {row.key}
            self.update_statuses()
            return
        if row.key == BASE and not self._is_open:
            self.set_focus(self._rows["cookie"].field)  # at once, unlike `focus`
        else:
            self.focus_next()
        if row.key in HOST_KEYS:
            self._form.confirm(row.key)
            self.update_statuses()
            self._wait()

    def action_step(self, steps: int) -> None:
        self.focus_next() if steps > 0 else self.focus_previous()

    @on(OtherAddresses.Pressed)
    def _fold_pressed(self) -> None:
        self._is_open = not self._is_open or any(self._form.value(key) for key in OTHER_ADDRESSES)
        self._show_fold()

    def _show_fold(self) -> None:
        self._fold.show(self._is_open)
        for key in OTHER_ADDRESSES:
            self._rows[key].display = self._is_open

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
        self.update_statuses()

    def _tried(self, trial: AccountTrial, result: TrialResult) -> None:
        if trial != self._form.running or not self.is_attached:
            return
        self._form.running = None
        self._form.tried, self._form.result = trial, result
        self.update_statuses()
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
                self._show_fold()
            self._rows[key].field.focus()
        elif self._form.is_tried():
            self._save_tried()
        else:
            self._saves_after_trial = True
            self._try()
            self._summary.set_line((span("Trying it first…", Role.DIM),))

    def _save_tried(self) -> None:
        self._saves_after_trial = False
        failures = self._failures()
        if not failures:
            self._save()
            return
        is_mixed = failures == OTHER_ACCOUNT
        dialog = ConfirmDialog(
            trusted("Mix both accounts in one store?" if is_mixed else "Save an account that doesn't work yet?"),
            show_line(failures, 300),
            yes=trusted("Save it anyway"),
        )
        self.app.push_screen(dialog, on_answer(lambda _: self._save()))

    def _save(self) -> None:
        profile, credentials = self._form.profile(), self._form.credentials()
        assert credentials is not None
        try:
            save_account(profile, credentials, self._form.team_password, make_default=self._is_default)
        except (ConfigError, SecretError) as error:
            self._show_failure(show_line(str(error), 300))
        except OSError as error:
            self._show_failure(show_line(f"Nothing was saved: {error.strerror or error}", 300))
        else:
            self.done(profile.name)

    def _show_failure(self, words: SafeText) -> None:
        self._summary.set_line((span("✗ ", Role.BAD), Span(words, Role.BAD)))


def new_form(draft: str = "") -> AccountForm:
    """Make a form that refuses the names in use.

    Raises:
        ConfigError: the config can't be read.
    """
    import os

    from frontdesk.app.account_form import taken_names
    from frontdesk.config.paths import data_root

    stores = data_root() / "profiles"
    names = [each.name for each in stores.iterdir() if each.is_dir()] if stores.is_dir() else []
    form = AccountForm(taken_names(config_settings.load_config().profiles, names), os.environ)
    form.read_draft(draft)
    return form

"""The first run: the demo or an account, tried and saved; nothing leaves before its address is confirmed."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
from textual import events
from textual.pilot import Pilot

from cli.sandbox_service import SandboxService
from frontdesk.accounts import account_dialog, setup_app
from frontdesk.accounts.account_dialog import AccountDialog
from frontdesk.accounts.account_form import AccountTrial, TrialResult
from frontdesk.accounts.account_trial import TryAccount, start_trial
from frontdesk.accounts.host_checks import HostCheck, HostFault
from frontdesk.accounts.setup_app import ACCOUNT, DEMO, SetupApp
from frontdesk.cli import main as cli_main
from frontdesk.config import account_writer
from frontdesk.config import credentials as config_credentials
from frontdesk.config.hosts import HOST_KEYS
from frontdesk.config.settings import Profile, Settings, config_path, load_config, parse_hosts
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.form import FormRow, SecretField
from tui.hosts import until

pytestmark = pytest.mark.anyio

URL = "https://api.acme.test"


class Hosts:
    """Hosts that answer at once, with one fault; what they were sent is in `trials`."""

    def __init__(self, fault: HostFault = HostFault.NONE) -> None:
        self.fault = fault
        self.trials: list[AccountTrial] = []

    def __call__(self, trial: AccountTrial, report: Callable[[AccountTrial, TrialResult], None]) -> None:
        self.trials.append(trial)
        fault = self.fault if trial.has_credentials else HostFault.CREDENTIALS
        checks = [
            HostCheck(key, url := getattr(trial.profile.hosts, key), fault, f"{url}: no") for key in HOST_KEYS
        ]
        report(trial, TrialResult(checks))


class SilentHosts(Hosts):
    """Hosts that never answer."""

    def __call__(self, trial: AccountTrial, _: Callable[[AccountTrial, TrialResult], None]) -> None:
        self.trials.append(trial)


@pytest.fixture(autouse=True)
def own_folders(at_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_dialog, "PAUSE_SECONDS", 0.001)


@asynccontextmanager
async def form_of(hosts: TryAccount) -> AsyncIterator[tuple[SetupApp, AccountDialog, Pilot[None]]]:
    app = SetupApp(Settings(), hosts)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        await until(lambda: isinstance(app.screen, AccountDialog) and not app.is_dialog_opening)
        dialog = app.screen
        assert isinstance(dialog, AccountDialog)
        yield app, dialog, pilot


async def fill(pilot: Pilot[None], *fields: str) -> None:
    """Paste into one field after the other, with enter behind each."""
    for words in fields:
        pilot.app.post_message(events.Paste(words))
        await pilot.press("enter")


def shown(dialog: AccountDialog) -> str:
    rows = dialog.query(FormRow)
    notes = [*(row.note.line for row in rows), dialog.query_one("#summary", account_dialog.Note).line]
    return "\n".join("".join(part.text.text for part in line) for line in notes)


async def test_the_demo_is_one_key_away() -> None:
    app = SetupApp(Settings(), Hosts())
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.press("enter")
        await until(lambda: app.choice == DEMO)


async def test_escape_leaves_without_a_choice() -> None:
    app = SetupApp(Settings(), Hosts())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await until(lambda: app.is_ending)
    assert app.choice is None


async def test_a_burst_of_keys_fills_one_field_after_the_other_and_enter_stays_where_one_is_required() -> None:
    async with form_of(Hosts()) as (_, dialog, pilot):
        assert "✗ required" not in shown(dialog)
        await pilot.press("enter")
        assert "✗ required: https://…" in shown(dialog)
        for key in [*URL, "enter", "enter", *"token=abc", "enter", *"key-1", "down", *"b"]:
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: dialog._form.value("bearer") == "b")
        assert [dialog._form.value(key) for key in ("base_url", "cookie", "api_key")] == [
            URL,
            "token=abc",
            "key-1",
        ]
        assert "✗ required: https" not in shown(dialog)
        await pilot.press("tab")
        assert dialog.focused is dialog.query_one("#row-agent_id Input"), "tab goes on"


async def test_credentials_go_nowhere_before_enter_on_the_address_and_then_the_account_is_tried_and_saved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    hosts = Hosts()
    async with form_of(hosts) as (app, dialog, pilot):
        pilot.app.post_message(events.Paste(URL))
        await pilot.press("tab", "tab")
        await fill(pilot, "token=abc", "key-1")
        await until(lambda: "responds and asks for credentials; press enter" in shown(dialog))
        assert "not tried yet: confirm the address first" in shown(dialog)
        dialog.query_one("#save", account_dialog.AnswerButton).action_press()
        await until(lambda: dialog.focused is dialog.query_one("#row-base_url Input"))
        assert not any(each.has_credentials for each in hosts.trials)
        assert not config_path().exists()
        await pilot.press("enter")
        await until(lambda: "✓ accepted" in shown(dialog))
        assert {each.profile.hosts.base_url for each in hosts.trials if each.has_credentials} == {URL}
        dialog.query_one("#row-agent_id Input").focus()
        await fill(pilot, "agent-1")
        await until(lambda: "✓ The platform accepted it" in shown(dialog))
        assert not config_path().exists()
        with monkeypatch.context() as patch:
            patch.setattr(account_writer, "save_profile", fail)
            await pilot.press("enter")
            await until(lambda: "Nothing was saved: No space left on device" in shown(dialog))
        assert app.choice is None
        assert not config_credentials.credentials_path().exists()
        await pilot.press("enter")
        await until(lambda: app.choice == ACCOUNT)
    profile = load_config().profiles["default"]
    assert (profile.hosts.base_url, profile.agent_id) == (URL, "agent-1")
    stored = config_credentials.read_stored("default")
    assert stored.origins == {URL}
    assert stored.secrets["cookie"].reveal() == "token=abc"


async def test_an_account_that_was_refused_is_tried_again_and_saved_only_when_asked() -> None:
    hosts = Hosts(HostFault.CREDENTIALS)
    async with form_of(hosts) as (app, dialog, pilot):
        await fill(pilot, URL, "token=abc", "key-1")
        await until(lambda: "the check failed" in shown(dialog))
        count = len(hosts.trials)
        await pilot.press("up", "down", "enter", "f5")
        await until(lambda: len(hosts.trials) > count)
        await pilot.press("enter", "enter")
        await until(lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("n")
        await until(lambda: app.screen is dialog)
        assert not config_path().exists()
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(lambda: app.choice == ACCOUNT)
        assert len(hosts.trials) == count + 1, "only f5 tries again what was tried"


async def test_hosts_that_do_not_answer_keep_nobody_waiting_and_other_addresses_are_folded_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FRONTDESK_API_KEY", "from-the-environment")
    hosts = SilentHosts()
    async with form_of(hosts) as (app, dialog, pilot):
        row = dialog.query_one("#row-ai_url")
        assert not row.display
        await pilot.press("tab", "enter")
        await until(lambda: row.display)
        assert "FRONTDESK_API_KEY is set" in shown(dialog)
        await pilot.press("up")
        await fill(pilot, URL)
        await until(lambda: hosts.trials and "trying" in shown(dialog))
        await pilot.press("escape")
        await until(lambda: app.screen is not dialog)
        await pilot.press("escape")
        await until(lambda: app.is_ending)


async def test_credentials_are_never_shown_or_copied_taken_whole_or_not_at_all_and_not_kept_on_the_way_back() -> (
    None
):
    async with form_of(Hosts()) as (app, dialog, pilot):
        await fill(pilot, URL, "token=abc\ndef;\r\n  lang=en\n", "key-1")
        assert dialog._form.value("cookie") == "token=abcdef;lang=en"
        copied: list[str] = []
        app.copy_to_clipboard = copied.append  # type: ignore[method-assign]
        for field in dialog.query(SecretField):
            field.focus()
            field.action_select_all()
            await pilot.press("ctrl+c", "ctrl+x")
        assert copied == []
        text = app.export_screenshot()
        assert "abc" not in text
        assert "key-1" not in text
        field = dialog.query_one("#row-cookie Input")
        field.post_message(events.Paste("token=abc\nx-api-key: key-1"))
        await until(lambda: "has several headers; copy only the value" in shown(dialog))
        field.post_message(events.Paste(f"Cookie: token=abc; {'x' * 9_000}\n"))
        await until(lambda: "longer than 8,300" in shown(dialog))
        assert dialog._form.value("cookie") == "token=abcdef;lang=en"
        await pilot.press("escape")
        await until(lambda: app.screen is not dialog and not app.is_dialog_opening)
        await pilot.press("2")
        await until(lambda: isinstance(app.screen, AccountDialog) and not app.is_dialog_opening)
        again = app.screen
        assert isinstance(again, AccountDialog)
        assert [again._form.value(key) for key in ("base_url", "cookie", "api_key")] == [URL, "", ""]
        assert again._form.unconfirmed() == ["base_url"]
    assert not config_path().exists()


async def test_an_account_of_the_sandbox(service: SandboxService) -> None:
    async with form_of(partial(start_trial, Settings())) as (_, dialog, pilot):
        await fill(pilot, "http://127.0.0.1:9")
        await until(lambda: "✗ can't connect to 127.0.0.1:9" in shown(dialog))
        await pilot.press("up", "up", "ctrl+u")
        await fill(pilot, service.url)
        await until(lambda: "responds and asks for credentials" in shown(dialog))
        await fill(pilot, "token=wrong", "sandbox-key")
        await until(lambda: "refused: Unknown token in the Cookie." in shown(dialog))
        await pilot.press("up", "up", "ctrl+u")
        await fill(pilot, "token=sandbox", "", "", "agent-noa")
        await until(lambda: "tasks are assigned to it" in shown(dialog))
        await until(lambda: "✓ The platform accepted it" in shown(dialog))


@pytest.mark.parametrize(("choice", "status"), [(None, 0), (DEMO, 7), (ACCOUNT, 8)])
async def test_what_was_chosen_is_opened(choice: str | None, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def choose() -> str | None:
        if choice == ACCOUNT:
            account_writer.save_account(
                Profile("new", parse_hosts({"base_url": URL})),
                config_credentials.CredentialSet(),
                make_default=True,
            )
        return choice

    monkeypatch.setattr(setup_app, "has_room", lambda: True)
    monkeypatch.setattr(setup_app, "ask_for_setup", choose)
    monkeypatch.setattr("frontdesk.app.run_demo.run_demo", lambda *_: 7)
    monkeypatch.setattr("frontdesk.app.run_tui.open_inbox", lambda *_, **__: 8)
    monkeypatch.setattr("frontdesk.app.run_tui.credentials.load_credentials", lambda *_: None)
    assert cli_main.run([]) == status


@pytest.mark.parametrize("arguments", [[], ["--linear"]])
async def test_without_room_for_a_screen_the_ways_are_printed(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if arguments:
        monkeypatch.setattr(setup_app, "has_room", lambda: True)
    assert cli_main.run(arguments) == 2
    assert "frontdesk has no profile yet." in capsys.readouterr().out


def test_small_or_dumb_terminals_have_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}", type("Terminal", (), {"isatty": lambda _: True})())
    monkeypatch.setenv("TERM", "xterm")
    sizes = {"shutil.get_terminal_size": (80, 24)}
    monkeypatch.setattr("shutil.get_terminal_size", lambda: sizes["shutil.get_terminal_size"])
    assert setup_app.has_room()
    sizes["shutil.get_terminal_size"] = (59, 24)
    assert not setup_app.has_room()
    sizes["shutil.get_terminal_size"] = (80, 24)
    monkeypatch.setenv("TERM", "dumb")
    assert not setup_app.has_room()

"""Signing in again on the screen: the Cookie alone is asked for, and everything else of the profile stays."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cli.sandbox_service import SandboxService
from frontdesk.accounts.account_dialog import AccountDialog
from frontdesk.accounts.account_form import OTHER_ACCOUNT, AccountForm, AccountTrial, renewal_form
from frontdesk.accounts.account_trial import TryAccount, start_trial
from frontdesk.accounts.setup_app import SetupApp
from frontdesk.app.dialogs import kept_elsewhere
from frontdesk.config.account_writer import save_account
from frontdesk.config.credentials import SecretError, read_stored
from frontdesk.config.settings import Profile, Settings, load_config, parse_hosts
from frontdesk.config.team import TeamSettings
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tasks import store as task_store
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk_api.contract.ids import AgentId, LineId
from frontdesk_api.credentials import CredentialSet, Secret
from kit import running
from sample_json import raw_task
from tui.hosts import text_of, until

from .test_setup_app import Hosts, fill, own_folders, shown

__all__ = ["own_folders"]

pytestmark = pytest.mark.anyio

URL = "https://api.acme.test"
TEAM = TeamSettings("postgresql://noa@db.acme.test/relay", "acme")


def save(url: str = URL, **more: object) -> Profile:
    """Save a profile of which more is known than the form asks for."""
    hosts = parse_hosts({"base_url": url})
    profile = replace(Profile("acme", hosts, AgentId("agent-1"), lines={LineId("1"): "Shop"}), **more)  # type: ignore[arg-type]
    secrets = CredentialSet(Secret("token=old"), Secret("sandbox-key"), Secret("bearer"))
    save_account(profile, secrets, Secret("relay-password"), make_default=True)
    return profile


@asynccontextmanager
async def signing_in(
    form: AccountForm, try_account: TryAccount
) -> AsyncIterator[tuple[AccountDialog, list[object], Pilot[None]]]:
    app, answers = SetupApp(Settings(), try_account), list[object]()
    async with app.run_test(size=(100, 30)) as pilot:
        dialog = AccountDialog(form, try_account, is_default=False)
        app.push_screen(dialog, answers.append)
        await until(lambda: app.screen is dialog and not app.is_dialog_opening)
        yield dialog, answers, pilot


async def test_a_new_cookie_is_typed_at_once_and_all_else_stays_and_cannot_be_changed() -> None:
    profile, hosts = save(team=TEAM), Hosts()
    async with signing_in(renewal_form(profile, {}), hosts) as (dialog, answers, pilot):
        assert "Sign in · acme" in "\n".join(text_of(pilot.app))
        assert dialog.focused is dialog.query_one("#row-cookie Input")
        for key in ("name", "base_url"):
            assert dialog.query_one(f"#row-{key} Input").disabled
        await pilot.press("shift+tab")
        assert dialog.focused is dialog.query_one("#save")
        await pilot.press("tab")
        await fill(pilot, "token=new", "", "", "")
        await until(lambda: "✓ The platform accepted it" in shown(dialog))
        await pilot.press("enter")
        await until(lambda: len(answers) == 1)
    stored = read_stored("acme")
    kinds = {kind: each.reveal() for kind, each in stored.secrets.items()}
    assert kinds == {"cookie": "token=new", "api_key": "sandbox-key", "bearer": "bearer"}
    assert stored.team_password == Secret("relay-password")
    assert load_config().profiles["acme"] == profile
    assert {each.profile.hosts for each in hosts.trials} == {profile.hosts}


async def test_another_accounts_cookie_is_saved_only_when_that_is_confirmed() -> None:
    class OtherAccount(Hosts):
        def __call__(self, trial: AccountTrial, report: object) -> None:
            super().__call__(trial, lambda t, result: report(t, replace(result, is_other_account=True)))  # type: ignore[operator]

    async with signing_in(renewal_form(save(), {}), OtherAccount()) as (dialog, answers, pilot):
        await fill(pilot, "token=new", "", "", "")
        await until(lambda: "the check failed" in shown(dialog))
        await pilot.press("enter")
        await until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        assert OTHER_ACCOUNT[:36] in "\n".join(text_of(pilot.app))
        assert "Mix both accounts in one store?" in "\n".join(text_of(pilot.app))
        await pilot.press("enter")
        await until(lambda: pilot.app.screen is dialog)
        assert answers == []
        await pilot.press("escape")
        await until(lambda: len(answers) == 1)
    assert read_stored("acme").secrets["cookie"] == Secret("token=old")


@pytest.fixture
def expired(service: SandboxService) -> Iterator[SandboxService]:
    service.control("settings", {"token": "fresh"}, "PUT")
    yield service
    service.control("settings", {"token": "sandbox"}, "PUT")


async def test_an_expired_token_is_replaced_at_the_sandbox(expired: SandboxService, tmp_path: Path) -> None:
    profile = save(expired.url)
    folder = tmp_path / "store"
    with Store(folder) as store:
        store.write(lambda db: task_store.put(db, [raw_task(1) | {"taskId": "of-another-account"}])).result()
    form = renewal_form(profile, {})
    async with signing_in(form, partial(start_trial, Settings(), folder=folder)) as (dialog, _, pilot):
        await fill(pilot, "token=sandbox")
        await until(lambda: "refused: Unknown token in the Cookie." in shown(dialog))
        await pilot.press("up", "ctrl+u")
        await fill(pilot, "token=fresh")
        await until(lambda: form.result.is_other_account)
        assert "accepted" in shown(dialog)


async def test_the_key_that_the_status_line_names_opens_the_form(store: Store) -> None:
    save("http://127.0.0.1:9", name="test")
    async with running(store, raw_task(1)) as at:
        refused = Health(Connection.REFUSED, heard_at=at.app.app_context.clock())
        at.store.write(lambda db: clients.write_health(db, refused)).result()
        at.app.update_status()
        await until(lambda: "credentials refused · sign in with ctrl+t" in text_of(at.app)[-1])
        await at.press("ctrl+t")
        await until(lambda: isinstance(at.app.screen, AccountDialog))
        await until(lambda: at.app.screen.focused is at.app.screen.query_one("#row-cookie Input"))


def test_credentials_for_other_addresses_are_not_filled_in() -> None:
    moved = replace(save(), hosts=parse_hosts({"base_url": "https://evil.test"}))
    with pytest.raises(SecretError, match="were entered for"):
        renewal_form(moved, {})


@pytest.mark.parametrize(
    ("more", "environ", "words"),
    [
        ({}, {}, ""),
        ({"folder": Path("demo")}, {}, "never expire"),
        ({"keyring": True}, {}, "frontdesk login acme --rotate"),
        ({"credentials_command": ("pass", "acme")}, {}, "credentials_command"),
        ({}, {"FRONTDESK_COOKIE": "token=env"}, "FRONTDESK_COOKIE is set"),
        ({"hosts_from_environment": True}, {}, "address comes from the environment"),
    ],
)
def test_where_the_file_does_not_have_them_it_says_where_they_are_renewed(
    more: dict[str, object], environ: dict[str, str], words: str
) -> None:
    profile = replace(Profile("acme", parse_hosts({"base_url": URL})), **more)  # type: ignore[arg-type]
    assert words in kept_elsewhere(profile, environ)
    assert bool(kept_elsewhere(profile, environ)) is bool(words)

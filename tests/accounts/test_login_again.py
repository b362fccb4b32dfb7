"""login asks again for exactly what was wrong, and leaves nothing half written."""

import getpass
import io
import json
import signal
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.sandbox_service import SandboxService
from frontdesk.accounts import login as login_module
from frontdesk.accounts.host_checks import secrets_in_doubt
from frontdesk.cli.errors import CommandFailed
from frontdesk.cli.main import run
from frontdesk.config import account_writer
from frontdesk.config.credentials import SecretError
from frontdesk.config.settings import ConfigError, data_dir, load_config
from frontdesk.config.team import RelayAddress
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from keyring_in_a_file import use_keyring
from postgres_server import PASSWORD, Team
from sample_json import raw_task

Answers = list[tuple[str, str | type[BaseException]]]
Login = Callable[..., int]
HOSTS = [(f"Address for {part}", "") for part in ("campaigns", "workflows", "tasks", "AI agents")]
NOBODY = "http://127.0.0.1:9"


class _Terminal:
    def isatty(self) -> bool:
        return True


@pytest.fixture
def log_in(at_home: None, monkeypatch: pytest.MonkeyPatch) -> Login:
    """Run login with these questions and answers; fails where another question is asked."""
    monkeypatch.setattr(sys, "stdin", _Terminal())

    def run(answers: Answers, **options: Any) -> int:
        left = list(answers)

        def answer(question: str, *_: object, default: Any = "", **__: object) -> Any:
            expected, typed = left.pop(0) if left else ("no question", "")
            assert question.startswith(expected), question
            if isinstance(typed, type):
                raise typed
            return typed or default

        monkeypatch.setattr(typer, "prompt", answer)
        monkeypatch.setattr(typer, "confirm", lambda question, **_: answer(question) == "y")
        monkeypatch.setattr(getpass, "getpass", answer)
        status = login_module.login(options.pop("profile", "acme"), **options)
        assert left == []
        return status

    return run


def stored(home: dict[str, str]) -> dict[str, str]:
    folder = Path(home["XDG_CONFIG_HOME"]) / "frontdesk"
    return {each.name: each.read_text() for each in folder.glob("*")} if folder.exists() else {}


def first(url: str, cookie: str = "token=sandbox", key: str = "sandbox-key") -> Answers:
    asked = [("Platform address", url), *HOSTS, ("Cookie header", cookie), ("x-api-key", key), ("Bearer", "")]
    return [*asked, ("Your agent id", ""), ("Lines", "")]


def test_a_refused_cookie_alone_is_asked_again(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    again: Answers = [("Cookie header (name=token) [keep the one just tried]: ", "token=sandbox")]
    assert log_in([*first(service.url, cookie="token=old"), *again]) == 0
    assert "token=sandbox" in stored(home)["credentials.toml"]
    assert "old" not in stored(home)["credentials.toml"]


def test_a_refused_key_alone_is_asked_again(log_in: Login, service: SandboxService, home: dict[str, str]) -> None:
    assert log_in([*first(service.url, key="wrong"), ("x-api-key", "worse"), ("x-api-key", "sandbox-key")]) == 0
    assert "sandbox-key" in stored(home)["credentials.toml"]


@pytest.mark.parametrize("word", ["me", " Me ", "none", "nobody", "unassigned"])
def test_a_word_that_is_no_agent_id_is_asked_again(
    log_in: Login, service: SandboxService, home: dict[str, str], capsys: pytest.CaptureFixture[str], word: str
) -> None:
    answers = first(service.url)
    answers[-2:] = [("Your agent id", word), ("Your agent id", "agent-noa"), ("Lines", "")]
    assert log_in(answers) == 0
    assert tomllib.loads(stored(home)["config.toml"])["profiles"]["acme"]["agent_id"] == "agent-noa"
    said = capsys.readouterr()
    assert f"{word.strip()!r} isn't an agent id" in said.err
    assert "assignedAgentIds in `frontdesk tasks list --json`" in said.out


def test_a_word_that_is_no_agent_id_is_refused_before_anything_is_asked(
    log_in: Login, home: dict[str, str]
) -> None:
    with pytest.raises(CommandFailed, match="'me' isn't an agent id"):
        log_in([], agent_id="me")
    assert stored(home) == {}


def test_words_that_name_neither_ask_for_both() -> None:
    assert secrets_in_doubt({"Unauthorized"}) == ("cookie", "api_key")
    assert secrets_in_doubt({"bad Cookie or key"}) == ("cookie", "api_key")
    assert secrets_in_doubt({"The x-api-key is wrong."}) == ("api_key",)
    assert secrets_in_doubt({"Cookie expired"}) == ("cookie",)


@pytest.mark.parametrize("typed", ["", "desk.example", "ftp://desk.example", "http://desk.example"])
def test_a_wrong_address_is_named_as_the_prompt_names_it(
    log_in: Login, service: SandboxService, capsys: pytest.CaptureFixture[str], typed: str
) -> None:
    answers = first(service.url)
    assert log_in([("Platform address", typed), *answers]) == 0
    said = capsys.readouterr().err
    assert "Platform address: " in said
    assert "base_url" not in said


def test_an_address_where_nobody_answers_alone_is_asked_again(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    answers = first(service.url)
    answers[4] = ("Address for AI agents", NOBODY)
    assert log_in([*answers, ("Address for AI agents", "nonsense"), ("Address for AI agents", service.url)]) == 0
    assert tomllib.loads(stored(home)["config.toml"])["profiles"]["acme"] == {"base_url": service.url}


def test_an_address_of_all_hosts_is_asked_once(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    assert log_in([*first(NOBODY), ("Platform address", service.url)]) == 0
    assert tomllib.loads(stored(home)["config.toml"])["profiles"]["acme"] == {"base_url": service.url}


def test_who_keeps_what_is_wrong_may_save_it_or_not(log_in: Login, home: dict[str, str]) -> None:
    kept: Answers = [*first(NOBODY), ("Platform address", "")]
    assert log_in([*kept, ("Save it anyway?", "")]) == 4
    assert stored(home) == {}
    assert log_in([*kept, ("Save it anyway?", "y")]) == 0
    assert set(stored(home)) == {"config.toml", "credentials.toml"}


def test_saved_credentials_are_offered_for_another_address_only_when_that_is_confirmed(
    log_in: Login, service: SandboxService, home: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert log_in([*first(NOBODY), ("Platform address", ""), ("Save it anyway?", "y")]) == 0
    asked = [(question, service.url) for question, _ in first("")[:5]]
    rest = first("")[6:]
    sent = f"Send them to {service.url}?"
    with_stop: Answers = [*asked, (sent, ""), ("Cookie header (name=token): ", KeyboardInterrupt)]
    assert log_in(with_stop) == 130
    assert f"The saved credentials were entered for {NOBODY}." in capsys.readouterr().out
    kept = [("Cookie header (name=token) [keep the saved one]", ""), *((each, "") for each, _ in rest)]
    assert log_in([*asked, (sent, "y"), *kept]) == 0
    assert tomllib.loads(stored(home)["credentials.toml"])["acme"]["origins"] == [service.url]


def test_what_a_command_prints_is_neither_asked_nor_stored(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    folder = Path(home["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    command = json.dumps([sys.executable, "-c", "print('cookie=token=sandbox\\napi_key=sandbox-key')"])
    config = f'[profiles.acme]\nbase_url = "{service.url}"\ncredentials_command = {command}\n'
    (folder / "config.toml").write_text(config)
    answers = [each for each in first("") if each[0] not in ("Cookie header", "x-api-key")]
    assert log_in(answers) == 0
    assert tomllib.loads(stored(home)["credentials.toml"]) == {"acme": {"origins": [service.url]}}
    assert tomllib.loads(stored(home)["config.toml"])["profiles"] == tomllib.loads(config)["profiles"]
    assert run(["tasks", "list", "--limit", "1"]) == 0


@pytest.mark.slow
def test_the_keyring_takes_the_credentials_and_gives_them_back(
    log_in: Login, service: SandboxService, home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = use_keyring(tmp_path, monkeypatch)
    assert log_in(first(service.url), keyring=True) == 0
    assert tomllib.loads(stored(home)["credentials.toml"]) == {"acme": {"origins": [service.url]}}
    assert "api_key=sandbox-key" in json.loads(entries.read_text())["frontdesk acme"]
    assert run(["tasks", "list", "--limit", "1"]) == 0
    kept: Answers = [
        ("Cookie header (name=token) [keep the saved one]", ""),
        ("x-api-key [keep", ""),
        ("Bearer", ""),
    ]
    assert log_in(kept, rotate=True) == 0
    asked = first("")
    assert log_in([*asked[:5], *kept, *asked[8:]], keyring=False) == 0
    assert json.loads(entries.read_text()) == {}
    assert tomllib.loads(stored(home)["credentials.toml"])["acme"]["api_key"] == "sandbox-key"
    assert "keyring" not in stored(home)["config.toml"]


def test_a_profile_with_a_command_takes_no_keyring(log_in: Login, home: dict[str, str]) -> None:
    folder = Path(home["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    config = '[profiles.acme]\nbase_url = "http://127.0.0.1:9"\ncredentials_command = ["pass"]\n'
    (folder / "config.toml").write_text(config)
    with pytest.raises(CommandFailed, match="acme has a credentials_command"):
        log_in([], keyring=True)
    assert stored(home) == {"config.toml": config}


def test_where_the_keyring_fails_nothing_is_saved(
    log_in: Login, service: SandboxService, home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_keyring(tmp_path, monkeypatch).write_text("not JSON")
    with pytest.raises(SecretError, match="the keyring didn't save the credentials of profile acme"):
        log_in(first(service.url), keyring=True)
    assert stored(home) == {}


def test_rotate_asks_for_credentials_alone_and_keeps_the_old_ones_until_the_new_are_accepted(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    answers = [*first(service.url)[:7], ("Bearer", "old-bearer"), *first(service.url)[8:]]
    assert log_in(answers) == 0
    before = stored(home)
    asked: Answers = [("Cookie header", "token=wrong"), ("x-api-key", ""), ("Bearer", "new-bearer")]
    assert log_in([*asked, ("Cookie header", "")], rotate=True) == 3
    assert stored(home) == before
    assert log_in([*asked, ("Cookie header", "token=sandbox")], rotate=True) == 0
    assert stored(home)["credentials.toml"] == before["credentials.toml"].replace("old-bearer", "new-bearer")
    assert stored(home)["config.toml"] == before["config.toml"]


def test_rotate_sends_nothing_to_another_address_and_makes_no_profile(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    with pytest.raises(CommandFailed, match="--rotate needs an existing profile"):
        log_in([], rotate=True)
    assert log_in(first(service.url)) == 0
    with pytest.raises(CommandFailed, match="changes only its credentials"):
        log_in([], rotate=True, base_url=NOBODY)
    config = Path(home["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml"
    config.write_text(config.read_text().replace(service.url, NOBODY))
    with pytest.raises(SecretError, match="were entered for"):
        log_in([], rotate=True)


def rotate_all() -> Answers:
    return [("Cookie header", ""), ("x-api-key", ""), ("Bearer", "")]


@pytest.mark.parametrize("named_by", ["the only one", "default_profile", "FRONTDESK_PROFILE"])
def test_without_a_name_it_is_the_profile_that_other_commands_use(
    log_in: Login,
    service: SandboxService,
    home: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    named_by: str,
) -> None:
    assert log_in(first(service.url)) == 0
    expected = "acme"
    if named_by != "the only one":
        assert log_in(first(service.url), profile="other") == 0
    if named_by == "FRONTDESK_PROFILE":
        monkeypatch.setenv("FRONTDESK_PROFILE", "other")
        expected = "other"
    capsys.readouterr()
    assert log_in(rotate_all(), profile=None, rotate=True) == 0
    assert f"Saved profile {expected} in" in capsys.readouterr().out
    assert "default" not in tomllib.loads(stored(home)["config.toml"])["profiles"]


def test_without_a_name_the_first_profile_is_default_and_several_need_a_name(
    log_in: Login, service: SandboxService, home: dict[str, str]
) -> None:
    assert log_in(first(service.url), profile=None) == 0
    assert list(tomllib.loads(stored(home)["config.toml"])["profiles"]) == ["default"]
    assert log_in(first(service.url), profile="other") == 0
    config = Path(home["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml"
    config.write_text(config.read_text().replace("default_profile", "unused"))
    with pytest.raises(CommandFailed, match=r"several profiles \(default, other\)"):
        log_in([], profile=None)


def test_without_a_name_no_profile_gets_another_address(log_in: Login, service: SandboxService) -> None:
    assert log_in(first(service.url)) == 0
    with pytest.raises(CommandFailed, match="profile acme has another address"):
        log_in([], profile=None, base_url=NOBODY)


@pytest.fixture
def stored_tasks(log_in: Login, service: SandboxService, home: dict[str, str]) -> Callable[[list[str]], None]:
    """Sign in to acme; the function puts tasks with these ids into its store."""
    assert log_in(first(service.url)) == 0

    def put(ids: list[str]) -> None:
        raws = [raw_task(at) | {"taskId": task_id} for at, task_id in enumerate(ids)]
        with Store(data_dir(load_config().profiles["acme"])) as store:
            store.write(lambda db: task_store.put(db, raws)).result()

    return put


@pytest.mark.parametrize(("answer", "is_saved"), [("", False), ("y", True)])
def test_credentials_of_another_account_are_saved_only_when_that_is_confirmed(
    log_in: Login,
    home: dict[str, str],
    stored_tasks: Callable[[list[str]], None],
    capsys: pytest.CaptureFixture[str],
    answer: str,
    is_saved: bool,
) -> None:
    stored_tasks(["of-another-account"])
    before = stored(home)
    answers: Answers = [*rotate_all()[:2], ("Bearer", "new-bearer"), ("Mix both accounts", answer)]
    if is_saved:
        assert log_in(answers, rotate=True) == 0
    else:
        with pytest.raises(CommandFailed, match="nothing was saved"):
            log_in(answers, rotate=True)
    assert (stored(home) != before) is is_saved
    shown = capsys.readouterr().out
    assert "This looks like another account" in shown
    assert "frontdesk login NEWNAME" in shown
    assert "frontdesk forget acme" in shown


def test_without_a_terminal_another_account_is_refused_unless_it_is_stored_anyway(
    log_in: Login, stored_tasks: Callable[[list[str]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_tasks(["of-another-account"])
    monkeypatch.setenv("FRONTDESK_COOKIE", "token=sandbox")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(CommandFailed, match="it looks like another account"):
        log_in([], rotate=True)
    assert log_in([], rotate=True, store_anyway=True) == 0


def test_one_known_task_is_the_same_account(
    log_in: Login, stored_tasks: Callable[[list[str]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """In the page, or found by its id: whatever else the store has may have been deleted on the platform."""
    capsys.readouterr()
    assert run(["tasks", "list", "--json", "--limit", "1"]) == 0
    stored_tasks([json.loads(capsys.readouterr().out)["taskId"], "deleted-since"])
    assert log_in(rotate_all(), rotate=True) == 0


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, EOFError, typer.Abort])
@pytest.mark.parametrize("at", range(11))
def test_leaving_at_any_question_saves_nothing(
    log_in: Login,
    service: SandboxService,
    home: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    leaving: type[BaseException],
    at: int,
) -> None:
    answers: Answers = [*first(service.url, cookie="token=old"), ("Cookie", "")]
    answers[at] = (answers[at][0], leaving)
    assert log_in(answers[: at + 1]) == 130
    assert capsys.readouterr().err.endswith("\nNothing was saved.\n")
    assert stored(home) == {}


def test_a_variable_that_beats_the_profile_is_named_and_not_asked(
    log_in: Login, service: SandboxService, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FRONTDESK_COOKIE", "token=old")
    answers = [each for each in first(service.url) if each[0] != "Cookie header"]
    assert log_in([*answers, ("Save it anyway?", "")]) == 3
    assert "FRONTDESK_COOKIE is set and beats the profile" in capsys.readouterr().err


def test_both_files_are_written_or_neither(
    log_in: Login, service: SandboxService, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert log_in(first(service.url)) == 0
    before = stored(home)
    handled: list[object] = []

    def fail(*_: object, **__: object) -> Path:
        handled.append(signal.getsignal(signal.SIGINT))
        raise ConfigError("no room")

    monkeypatch.setattr(account_writer, "save_profile", fail)
    with pytest.raises(ConfigError):
        log_in([*first(service.url)[:6], ("x-api-key", "sandbox-key"), *first(service.url)[7:]])
    assert stored(home) == before
    assert handled == [signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.mark.parametrize(
    "options",
    [{"base_url": " "}, {"ai_url": "ftp://x"}, {"line": ["972"]}, {"profile": "a/b"}, {"profile": ""}],
    ids=str,
)
def test_wrong_options_are_refused_before_the_first_question(log_in: Login, options: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"empty|expected|id=label|profile|https"):
        log_in([], **options)


@pytest.mark.parametrize("name", ["FRONTDESK_BASE_URL", "FRONTDESK_AI_URL", "FRONTDESK_COOKIE"])
def test_wrong_variables_are_refused_before_the_first_question(
    log_in: Login, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "ftp://x\ny")
    with pytest.raises(Exception, match=name if name.endswith("URL") else "Cookie"):
        log_in([])


def add_team(home: dict[str, str], address: RelayAddress, account: str = "acme") -> None:
    """Paste the lines that `frontdesk team add` prints."""
    url = f"postgresql://{address.user}@/{address.database}?host={address.host}"
    with (Path(home["XDG_CONFIG_HOME"]) / "frontdesk/config.toml").open("a") as config:
        config.write(f'\n[profiles.acme.team]\nurl = "{url}"\naccount = "{account}"\n')


KEPT: Answers = [("Cookie header", ""), ("x-api-key", ""), ("Bearer", "")]


class TestTeam:
    @pytest.fixture
    def noa(self, log_in: Login, service: SandboxService, home: dict[str, str], team: Team) -> RelayAddress:
        """Somebody of a team, who has logged in to the platform and pasted the team's lines."""
        address = team.add("login_noa")
        assert log_in(first(service.url)) == 0
        add_team(home, address)
        return address

    def team_table(self, home: dict[str, str]) -> dict[str, str]:
        table = tomllib.loads(stored(home)["credentials.toml"])["acme"]
        return {key: value for key, value in table.items() if key.startswith("team_")}

    def test_a_refused_password_is_asked_again_and_then_saved(
        self, log_in: Login, home: dict[str, str], noa: RelayAddress, capsys: pytest.CaptureFixture[str]
    ) -> None:
        server = f"login_noa@{noa.host}:5432"
        asked: Answers = [
            (f"Team password of {server} (enter for none): ", "canary-wrong-1"),
            (f"Team password of {server} [keep the one just tried]: ", PASSWORD),
        ]
        assert log_in([*KEPT, *asked], rotate=True) == 0
        assert self.team_table(home) == {"team_password": PASSWORD, "team_server": server}
        shown = capsys.readouterr()
        assert f"{server} refused the team password" in shown.err
        assert f"Joined the team acme at {server}." in shown.out
        assert PASSWORD not in shown.out + shown.err
        assert PASSWORD not in stored(home)["config.toml"]
        assert "[profiles.acme.team]" in stored(home)["config.toml"]
        kept: Answers = [(f"Team password of {server} [keep the saved one]: ", "")]
        assert log_in([*KEPT, *kept], rotate=True) == 0
        assert self.team_table(home)["team_password"] == PASSWORD

    def test_none_is_needed_where_the_team_cannot_be_tried(
        self, log_in: Login, service: SandboxService, home: dict[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert log_in(first(service.url)) == 0
        add_team(home, RelayAddress("/nowhere", 5432, "noa", "x", is_local=True))
        assert log_in([*KEPT, ("Team password of noa@/nowhere:5432", "")], rotate=True) == 0
        assert "couldn't try the team: /nowhere can't be reached" in capsys.readouterr().err
        assert self.team_table(home) == {"team_server": "noa@/nowhere:5432"}

    def test_a_saved_one_is_not_offered_to_another_server(
        self, log_in: Login, service: SandboxService, home: dict[str, str]
    ) -> None:
        assert log_in(first(service.url)) == 0
        add_team(home, RelayAddress("/nowhere", 5432, "noa", "x", is_local=True))
        assert log_in([*KEPT, ("Team password", "canary-password-1")], rotate=True) == 0
        config = Path(home["XDG_CONFIG_HOME"]) / "frontdesk/config.toml"
        config.write_text(config.read_text().replace("/nowhere", "/elsewhere"))
        asked: Answers = [("Team password of noa@/elsewhere:5432 (enter for none): ", "")]
        assert log_in([*KEPT, *asked], rotate=True) == 0
        assert self.team_table(home) == {"team_server": "noa@/elsewhere:5432"}

    def test_the_environment_has_it_and_it_is_not_asked_for(
        self, log_in: Login, home: dict[str, str], noa: RelayAddress, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        assert log_in(KEPT, rotate=True) == 0
        assert self.team_table(home)["team_password"] == PASSWORD
        assert run(["logout", "acme"]) == 0
        assert PASSWORD not in stored(home)["credentials.toml"]

    @pytest.mark.slow
    def test_the_keyring_takes_it_and_gives_it_back(
        self,
        log_in: Login,
        home: dict[str, str],
        noa: RelayAddress,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        entries = use_keyring(tmp_path, monkeypatch)
        assert log_in([*KEPT, ("Team password", PASSWORD)], rotate=True, keyring=True) == 0
        assert f"team_password={PASSWORD}" in json.loads(entries.read_text())["frontdesk acme"]
        assert self.team_table(home) == {"team_server": f"login_noa@{noa.host}:5432"}
        assert run(["team", "status"]) == 0
        kept: Answers = [(f"Team password of login_noa@{noa.host}:5432 [keep the saved one]", "")]
        assert log_in([*KEPT, *kept], rotate=True, keyring=False) == 0
        assert self.team_table(home)["team_password"] == PASSWORD

    def test_a_command_prints_it_and_it_is_not_stored(
        self, log_in: Login, home: dict[str, str], noa: RelayAddress, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code = f"print('cookie=token=sandbox'); print('api_key=sandbox-key'); print('team_password={PASSWORD}')"
        config = Path(home["XDG_CONFIG_HOME"]) / "frontdesk/config.toml"
        command = f"[profiles.acme]\ncredentials_command = {json.dumps([sys.executable, '-c', code])}\n"
        config.write_text(config.read_text().replace("[profiles.acme]\n", command))
        assert log_in([("Bearer", "")], rotate=True) == 0
        assert f"Joined the team acme at login_noa@{noa.host}:5432." in capsys.readouterr().out
        assert self.team_table(home) == {"team_server": f"login_noa@{noa.host}:5432"}
        assert run(["team", "status"]) == 0

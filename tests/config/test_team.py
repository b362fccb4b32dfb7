"""A profile's team: what is read and refused, what the environment replaces, and where its password comes from."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from frontdesk.config.account_writer import save_profile
from frontdesk.config.credential_sources import add_outside_credentials, save_in_keyring
from frontdesk.config.credentials import (
    TEAM_PASSWORD_VARIABLES,
    CredentialsWatch,
    SecretError,
    load_credentials,
    load_team_password,
    save_credentials,
)
from frontdesk.config.processes import child_environment
from frontdesk.config.settings import ConfigError, Profile, load_config, parse_hosts, resolve_profile
from frontdesk.config.team import TeamSettings
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.redaction import KNOWN
from keyring_in_a_file import use_keyring

URL = "postgresql://noa@db/frontdesk"
TEAM = TeamSettings(URL, "acme")
PLAIN = Profile("acme", parse_hosts({"base_url": "https://acme.test"}))
ACME = replace(PLAIN, team=TEAM)
SET = CredentialSet(Secret("token=canary"), Secret("canary-key-0001"))
PASSWORD = Secret("canary-password-1")


def written(folder: Path, team: str) -> Path:
    path = folder / "config.toml"
    path.write_text(f'[profiles.acme]\nbase_url = "https://acme.test"\n\n{team}\n')
    return path


def table(more: str, url: str = URL, account: str = "acme") -> str:
    return f'[profiles.acme.team]\nurl = "{url}"\naccount = "{account}"\n{more}'


class TestSettings:
    def test_a_team_is_read_and_one_is_not_needed(self, tmp_path: Path) -> None:
        profile = load_config(written(tmp_path, table('poll = "never"'))).profiles["acme"]
        assert profile == replace(PLAIN, team=TeamSettings(URL, "acme", "never"))
        assert profile.team is not None
        assert not profile.team.may_poll
        assert load_config(written(tmp_path, table(""))).profiles["acme"] == ACME
        assert TEAM.may_poll
        assert load_config(written(tmp_path, "")).profiles["acme"].team is None

    @pytest.mark.parametrize(
        ("team", "words"),
        [
            ("team = 1", ": expected a table"),
            ("[profiles.acme.team]", ".url: missing; set it to the team's address, such as postgresql://noa@db"),
            (f'[profiles.acme.team]\nurl = "{URL}"', ".account: missing; set it to the name given to `frontdesk"),
            ('[profiles.acme.team]\nurl = 3\naccount = "a"', ".url: expected text"),
            (table("", url="https://db/frontdesk"), ".url: not a database's address; write it as postgresql://"),
            (table("", url="postgresql://db/frontdesk"), ".url: not a database's address"),
            (table("", url="postgresql://noa@db"), ".url: not a database's address"),
            (table("", url="postgresql://noa@db:no/frontdesk"), ".url: not a URL"),
            (table("", url="postgresql://noa@[db/frontdesk"), ".url: not a URL"),
            (table("", url="postgresql://noa@d\\u0000b/frontdesk"), ".url: not a database's address"),
            (table("", url="postgresql://noa:canary@db/frontdesk"), ".url: remove the password from it"),
            (table("", account="a b"), ".account: use only letters"),
            (table("", account=""), ".account: use only letters"),
            (table("", account="a" * 41), ".account: use only letters"),
            (table("poll = true"), '.poll: expected "if nobody else" or "never"'),
            (table('poll = "always"'), '.poll: expected "if nobody else" or "never"'),
        ],
    )
    def test_an_error_names_the_key_and_never_a_password(self, tmp_path: Path, team: str, words: str) -> None:
        with pytest.raises(ConfigError) as refused:
            load_config(written(tmp_path, team))
        assert str(refused.value).startswith(f"profiles.acme.team{words}")
        assert "canary" not in str(refused.value)

    def test_an_unknown_key_is_noted(self, tmp_path: Path) -> None:
        assert load_config(written(tmp_path, table("pol = 1"))).unknown == ("profiles.acme.team.pol",)

    @pytest.mark.parametrize("team", [TEAM, replace(TEAM, poll="never"), None])
    def test_a_login_keeps_it(self, tmp_path: Path, team: TeamSettings | None) -> None:
        path = written(tmp_path, "# my words\n[settings]\nbell = true")
        for _ in range(2):
            save_profile(replace(PLAIN, team=team), path=path)
        assert load_config(path).profiles["acme"] == replace(PLAIN, team=team)
        assert load_config(path).settings.bell

    @pytest.mark.parametrize(
        ("url", "server"),
        [
            (URL, "noa@db:5432"),
            ("postgres://noa@DB:6432/frontdesk?sslmode=verify-full", "noa@db:6432"),
            ("postgresql://noa@/frontdesk?host=%2Frun%2Fpg&port=5433", "noa@/run/pg:5433"),
        ],
    )
    def test_a_password_belongs_to_a_role_of_a_server(self, url: str, server: str) -> None:
        assert TeamSettings(url, "acme").server == server


class TestEnvironment:
    def resolved(self, tmp_path: Path, team: str, **environ: str) -> TeamSettings | None:
        names = {f"FRONTDESK_{name}": value for name, value in environ.items()}
        return resolve_profile(load_config(written(tmp_path, team)), names).team

    def test_its_variables_beat_the_profile(self, tmp_path: Path) -> None:
        never = table('poll = "never"')
        other = "postgresql://dan@other/frontdesk"
        assert self.resolved(tmp_path, never, TEAM_URL=other) == TeamSettings(other, "acme", "never")
        assert self.resolved(tmp_path, never, TEAM_ACCOUNT="b") == TeamSettings(URL, "b", "never")
        assert self.resolved(tmp_path, "", TEAM_URL=URL, TEAM_ACCOUNT="acme") == TEAM
        assert self.resolved(tmp_path, never, TEAM_URL="", TEAM_ACCOUNT="") == TeamSettings(URL, "acme", "never")
        assert self.resolved(tmp_path, "") is None

    @pytest.mark.parametrize(
        ("environ", "words"),
        [
            ({"TEAM_URL": URL}, "FRONTDESK_TEAM_ACCOUNT: missing"),
            ({"TEAM_ACCOUNT": "acme"}, "FRONTDESK_TEAM_URL: missing"),
            ({"TEAM_URL": "db", "TEAM_ACCOUNT": "acme"}, "FRONTDESK_TEAM_URL: not a database's address"),
            ({"TEAM_URL": URL, "TEAM_ACCOUNT": "a b"}, "FRONTDESK_TEAM_ACCOUNT: use only letters"),
        ],
    )
    def test_an_error_names_the_variable(self, tmp_path: Path, environ: dict[str, str], words: str) -> None:
        with pytest.raises(ConfigError, match=words):
            self.resolved(tmp_path, "", **environ)

    def test_a_profile_that_is_sent_elsewhere_leaves_its_team(self, tmp_path: Path) -> None:
        """What another platform says is nothing for this team."""
        elsewhere = {"PROFILE": "acme", "BASE_URL": "https://other.test"}
        assert self.resolved(tmp_path, table(""), **elsewhere) is None
        assert self.resolved(tmp_path, table(""), BASE_URL="https://other.test") is None
        assert self.resolved(tmp_path, table(""), **elsewhere, TEAM_URL=URL, TEAM_ACCOUNT="acme") == TEAM
        assert self.resolved(tmp_path, table(""), PROFILE="acme", BASE_URL="https://acme.test") == TEAM


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "credentials.toml"


class TestPassword:
    def test_it_is_stored_in_the_file_and_is_no_credential_for_hosts(self, path: Path) -> None:
        save_credentials(ACME, SET, path, PASSWORD)
        assert path.stat().st_mode & 0o777 == 0o600
        assert 'team_password = "canary-password-1"' in path.read_text()
        assert 'team_server = "noa@db:5432"' in path.read_text()
        assert load_team_password(ACME, {}, path) == PASSWORD
        assert load_credentials(ACME, {}, path) == SET
        assert load_credentials(PLAIN, {}, path) == SET

    def test_without_a_team_there_is_none_and_a_file_is_as_before(self, path: Path) -> None:
        assert load_team_password(PLAIN, {"PGPASSWORD": "x"}, path) is None
        save_credentials(PLAIN, SET, path)
        assert "team" not in path.read_text()
        assert load_team_password(ACME, {}, path) is None
        save_credentials(PLAIN, SET, path, PASSWORD)
        assert "team" not in path.read_text()

    def test_the_environment_beats_the_file(self, path: Path) -> None:
        save_credentials(ACME, SET, path, PASSWORD)
        environ = {"PGPASSWORD": " pg \n", "FRONTDESK_TEAM_PASSWORD": " "}
        assert load_team_password(ACME, environ, path) == Secret("pg")
        assert load_team_password(ACME, environ | {"FRONTDESK_TEAM_PASSWORD": "own"}, path) == Secret("own")
        path.write_text("[broken")
        assert load_team_password(ACME, environ, path) == Secret("pg")

    @pytest.mark.parametrize(
        "url",
        ["postgresql://noa@evil/frontdesk", "postgresql://dan@db/frontdesk", "postgresql://noa@db:1/frontdesk"],
    )
    def test_it_is_not_used_for_another_server(self, path: Path, url: str) -> None:
        save_credentials(ACME, SET, path, PASSWORD)
        elsewhere = replace(ACME, team=TeamSettings(url, "acme"))
        with pytest.raises(SecretError, match=r"was entered for noa@db:5432, .* `frontdesk login acme --rotate`"):
            load_team_password(elsewhere, {}, path)
        assert load_team_password(elsewhere, {"PGPASSWORD": "pg"}, path) == Secret("pg")
        assert load_credentials(elsewhere, {}, path) == SET
        other_database = replace(ACME, team=TeamSettings("postgresql://noa@db/other?sslmode=verify-full", "b"))
        assert load_team_password(other_database, {}, path) == PASSWORD

    def test_one_without_its_server_waits_for_a_login(self, path: Path) -> None:
        path.parent.mkdir()
        path.write_text('[acme]\nteam_password = "canary"\n')
        path.chmod(0o600)
        with pytest.raises(SecretError, match=r"doesn't say which server it is for, .* `frontdesk login acme"):
            load_team_password(ACME, {}, path)

    @pytest.mark.parametrize("text", ['""', '" "', '"can\\u0000ary"', '"can\\nary"', "5", f'"{"canary" * 2000}"'])
    def test_one_that_cannot_be_used_is_refused_without_showing_it(self, path: Path, text: str) -> None:
        path.parent.mkdir()
        path.write_text(f"[acme]\nteam_password = {text}\n")
        path.chmod(0o600)
        with pytest.raises(SecretError) as refused:
            load_team_password(ACME, {}, path)
        assert "ary" not in str(refused.value)

    def test_it_is_redacted_from_then_on(self, path: Path) -> None:
        save_credentials(ACME, SET, path, PASSWORD)
        load_team_password(ACME, {}, path)
        assert KNOWN.redact("no canary-password-1 here") == "no [credential hidden] here"
        load_team_password(ACME, {"PGPASSWORD": "סיסמה ארוכה מאוד"}, path)
        assert KNOWN.redact_refusal("no סיסמה ארוכה מאוד here") == "no [credential hidden] here"

    def test_one_that_is_stored_meanwhile_is_redacted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        watch = CredentialsWatch(ACME, {})
        watch.notice()
        save_credentials(ACME, SET, team_password=PASSWORD)
        watch.notice()
        assert KNOWN.redact("canary-password-1") == "[credential hidden]"

    def test_programs_that_are_started_do_not_get_it(self) -> None:
        assert child_environment(dict.fromkeys(TEAM_PASSWORD_VARIABLES, "x") | {"PGPASSFILE": "y"}) == {
            "PGPASSFILE": "y"
        }


class TestOutsidePassword:
    @pytest.fixture(autouse=True)
    def entries(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A keyring in a file, and a login whose credentials are elsewhere."""
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        for name in ("PGPASSWORD", "FRONTDESK_TEAM_PASSWORD"):
            monkeypatch.delenv(name, raising=False)
        use_keyring(tmp_path, monkeypatch)
        save_credentials(ACME, CredentialSet())

    def found(self, profile: Profile, environ: dict[str, str]) -> Secret | None:
        return load_team_password(profile, add_outside_credentials(profile, {**os.environ, **environ}))

    def test_a_keyring_has_it_after_the_environment(self) -> None:
        profile = replace(ACME, keyring=True)
        save_in_keyring("acme", {"cookie": Secret("a=b"), "team_password": PASSWORD})
        assert self.found(profile, {}) == PASSWORD
        complete = {"FRONTDESK_COOKIE": "a=b", "FRONTDESK_API_KEY": "b", "FRONTDESK_BEARER": "c"}
        assert self.found(profile, complete) == PASSWORD
        assert self.found(profile, {"PGPASSWORD": "pg"}) == Secret("pg")
        assert self.found(replace(profile, team=None), {}) is None
        assert self.found(replace(profile, team=TeamSettings("postgresql://noa@evil/x", "acme")), {}) is None

    def test_a_command_prints_it_before_the_environment(self) -> None:
        code = "print('cookie=a=b'); print('team_password=canary-password-1')"
        profile = replace(ACME, credentials_command=(sys.executable, "-c", code))
        assert self.found(profile, {"PGPASSWORD": "pg"}) == PASSWORD
        alone = replace(profile, team=None)
        assert "FRONTDESK_TEAM_PASSWORD" not in add_outside_credentials(alone, os.environ)
        assert load_credentials(alone, add_outside_credentials(alone, os.environ)).cookie == Secret("a=b")

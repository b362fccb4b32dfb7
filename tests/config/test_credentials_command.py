"""A profile's command: run without a shell and without our variables, bounded, its output never shown."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from frontdesk.config import program_output
from frontdesk.config.credential_sources import add_outside_credentials, run_command
from frontdesk.config.credentials import SecretError, load_credentials, save_credentials
from frontdesk.config.settings import ConfigError, Profile, load_config, parse_hosts
from frontdesk_api.credentials import CredentialSet, Secret

ACME = Profile("acme", parse_hosts({"base_url": "https://acme.test"}))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def python(code: str) -> Profile:
    return replace(ACME, credentials_command=(sys.executable, "-c", code))


def test_what_it_prints_comes_before_the_environment_and_the_file() -> None:
    profile = python("print('cookie=token=canary; a=b\\n\\napi_key=from-command')")
    save_credentials(profile, CredentialSet(Secret("token=file"), Secret("file"), Secret("file-bearer")))
    environ = {"FRONTDESK_API_KEY": "environment", "PATH": ""}
    found = load_credentials(profile, add_outside_credentials(profile, environ))
    assert found == CredentialSet(Secret("token=canary; a=b"), Secret("from-command"), Secret("file-bearer"))
    assert add_outside_credentials(ACME, environ) == environ
    assert add_outside_credentials(replace(profile, hosts_from_environment=True), environ) == environ


def test_it_is_not_run_for_another_origin_than_that_of_the_last_login(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    profile = python(f"open({str(ran)!r}, 'w'); print('cookie=a')")
    with pytest.raises(SecretError, match="frontdesk login acme"):
        add_outside_credentials(profile, {})
    save_credentials(profile, CredentialSet())
    with pytest.raises(SecretError, match=r"entered for https://acme\.test, not for https://evil\.test"):
        add_outside_credentials(replace(profile, hosts=parse_hosts({"base_url": "https://evil.test"})), {})
    assert not ran.exists()
    add_outside_credentials(profile, {})
    assert ran.exists()


def test_it_gets_none_of_our_variables_no_input_and_no_shell() -> None:
    code = "import os, sys; print('cookie=' + sys.stdin.read() + ','.join(os.environ) + sys.argv[1])"
    profile = replace(ACME, credentials_command=(sys.executable, "-c", code, "$HOME;ls"))
    found = run_command(profile, {"FRONTDESK_COOKIE": "x", "OTHER": "y"})["cookie"].reveal()
    assert "FRONTDESK" not in found
    assert "OTHER" in found
    assert found.endswith("$HOME;ls")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('canary')", "line 1 of its output isn't cookie="),
        ("print('cookie=a\\ncookie=canary')", "line 2 of its output"),
        ("print('api_key=can ary')", "not allowed in a header"),
        ("pass", "printed nothing"),
        ("print('canary'); raise SystemExit(3)", "ended with status 3; run it in a terminal"),
        ("print('canary' * 20_000)", "more than 65536 bytes"),
    ],
)
def test_what_goes_wrong_is_said_without_what_it_printed(code: str, words: str) -> None:
    with pytest.raises(SecretError, match=words) as caught:
        run_command(python(code), {})
    assert "canary" not in str(caught.value)


def test_one_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_output, "PROGRAM_SECONDS", 0.0)
    with pytest.raises(SecretError, match="no answer in 0 seconds"):
        run_command(python("__import__('signal').pause()"), {})


def test_a_missing_program_is_named() -> None:
    with pytest.raises(SecretError, match="can't run no-such-program"):
        run_command(replace(ACME, credentials_command=("no-such-program",)), {})


@pytest.mark.parametrize("value", ['"pass show x"', "[1]", '[""]', '["a\\u0000"]'])
def test_it_is_a_list_of_arguments(tmp_path: Path, value: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[profiles.acme]\nbase_url = "https://acme.test"\ncredentials_command = {value}\n')
    with pytest.raises(ConfigError, match=r"profiles\.acme\.credentials_command: "):
        load_config(config)

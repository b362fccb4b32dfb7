"""The system's keyring: one entry a profile, read by a process of its own, and never waited for without an end."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from frontdesk.config import program_output
from frontdesk.config.credential_sources import (
    add_outside_credentials,
    read_keyring,
    remove_from_keyring,
    save_in_keyring,
)
from frontdesk.config.credentials import SecretError, load_credentials, save_credentials
from frontdesk.config.settings import ConfigError, Profile, load_config, parse_hosts
from frontdesk_api.credentials import CredentialSet, Secret
from keyring_in_a_file import use_keyring

ACME = Profile("acme", parse_hosts({"base_url": "https://acme.test"}), keyring=True)
SECRETS = {"cookie": Secret("token=canary; a=b"), "api_key": Secret("from-keyring")}
KEPT = {"frontdesk acme": "cookie=token=canary; a=b\napi_key=from-keyring"}
"""What a keyring holds then; each use of one is a process."""


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A keyring that keeps its entries in this file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return use_keyring(tmp_path, monkeypatch)


def test_its_credentials_come_after_the_environment_and_before_the_file(
    entries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No keyring.py of the current folder is run."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("keyring.py").write_text("open('ran', 'w')")
    save_in_keyring("acme", SECRETS)
    assert json.loads(entries.read_text()) == KEPT
    save_credentials(ACME, CredentialSet(Secret("token=file"), Secret("file"), Secret("file-bearer")))
    environ = {**os.environ, "FRONTDESK_API_KEY": "environment"}
    found = load_credentials(ACME, add_outside_credentials(ACME, environ))
    assert found == CredentialSet(Secret("token=canary; a=b"), Secret("environment"), Secret("file-bearer"))
    assert not Path("ran").exists()


def test_it_is_not_read_for_other_hosts_nor_where_the_environment_has_all(entries: Path) -> None:
    with pytest.raises(SecretError, match="doesn't say which addresses"):
        add_outside_credentials(ACME, os.environ)
    save_credentials(ACME, CredentialSet())
    entries.write_text("not read")
    complete = {**os.environ, "FRONTDESK_COOKIE": "a", "FRONTDESK_API_KEY": "b", "FRONTDESK_BEARER": "c"}
    assert add_outside_credentials(ACME, complete) == complete
    elsewhere = replace(ACME, hosts_from_environment=True)
    assert add_outside_credentials(elsewhere, os.environ) == os.environ


def test_an_entry_can_be_removed_and_is_then_missed(entries: Path) -> None:
    entries.write_text(json.dumps(KEPT))
    assert remove_from_keyring("acme")
    assert json.loads(entries.read_text()) == {}
    assert not remove_from_keyring("acme")
    with pytest.raises(SecretError, match="the keyring has no credentials of profile acme"):
        read_keyring("acme", os.environ)


def test_an_entry_of_another_form_is_refused_without_showing_it(entries: Path) -> None:
    entries.write_text(json.dumps({"frontdesk acme": "canary"}))
    with pytest.raises(SecretError, match="isn't what frontdesk saved") as refused:
        read_keyring("acme", os.environ)
    assert "canary" not in str(refused.value)


def test_a_locked_keyring_that_never_answers_is_not_waited_for(
    entries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries.write_text("locked")
    monkeypatch.setattr(program_output, "PROGRAM_SECONDS", 0.0)
    with pytest.raises(SecretError, match="can't be used, or is locked"):
        read_keyring("acme", os.environ)


def test_without_a_keyring_it_is_not_said_to_have_no_entry(entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for use in (remove_from_keyring, lambda name: read_keyring(name, os.environ)):
        with pytest.raises(SecretError, match="can't be used, or is locked"):
            use("acme")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('keyring = "yes"', "keyring: expected true or false"),
        ('keyring = true\ncredentials_command = ["pass"]', "keyring: not together with credentials_command"),
    ],
)
def test_the_setting_is_checked(tmp_path: Path, line: str, words: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[profiles.acme]\nbase_url = "https://acme.test"\n{line}\n')
    config.chmod(0o600)
    with pytest.raises(ConfigError, match=rf"profiles\.acme\.{words}"):
        load_config(config)

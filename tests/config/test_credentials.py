"""Credentials: never shown, never readable by others, never sent to hosts they don't belong to."""

import copy
import pickle
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.config.credentials import SecretError, check_secret, load_credentials, save_credentials
from frontdesk.config.settings import Profile, parse_hosts
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.redaction import KNOWN

PROFILE = Profile("acme", parse_hosts({"base_url": "https://acme.test"}))
SET = CredentialSet(Secret("token=canary"), Secret("canary-key-0001"), None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "credentials.toml"


def test_a_secret_is_shown_by_nothing_but_reveal() -> None:
    secret = Secret("canary")
    shown = [str(secret), repr(secret), f"{secret}", f"{SET}", str(asdict(SET)), "%s" % secret]  # noqa: UP031
    assert all("canary" not in text for text in shown)
    assert secret.reveal() == "canary"
    assert not hasattr(secret, "__dict__")


def test_a_secret_is_not_pickled_and_a_copy_is_itself() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("canary"))
    secret = Secret("canary")
    assert copy.deepcopy(secret) is secret
    assert secret == Secret("canary") != Secret("other")


def test_what_is_saved_is_loaded_from_a_file_for_its_owner_alone(path: Path) -> None:
    save_credentials(PROFILE, SET, path)
    save_credentials(replace(PROFILE, name="other"), CredentialSet(bearer=Secret("b")), path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert load_credentials(PROFILE, {}, path) == SET


def test_no_file_is_no_credentials(path: Path) -> None:
    assert load_credentials(PROFILE, {}, path) == CredentialSet()


def test_each_variable_beats_the_stored_value(path: Path) -> None:
    save_credentials(PROFILE, SET, path)
    found = load_credentials(PROFILE, {"FRONTDESK_COOKIE": " x=y\n", "FRONTDESK_API_KEY": " "}, path)
    assert found == CredentialSet(Secret("x=y"), Secret("canary-key-0001"), None)


def test_stored_credentials_are_not_used_for_hosts_of_the_environment(path: Path) -> None:
    save_credentials(PROFILE, SET, path)
    elsewhere = Profile("acme", PROFILE.hosts, hosts_from_environment=True)
    assert load_credentials(elsewhere, {"FRONTDESK_COOKIE": "x=y"}, path) == CredentialSet(Secret("x=y"))


@pytest.mark.parametrize(
    "changed",
    [
        {"base_url": "https://evil.test"},
        {"base_url": "https://acme.test", "ai_url": "https://evil.test"},
        {"base_url": "https://acme.test:8443"},
        {"base_url": "https://acme.test.evil.test"},
    ],
)
def test_stored_credentials_are_not_used_for_another_origin(path: Path, changed: dict[str, str]) -> None:
    save_credentials(PROFILE, SET, path)
    elsewhere = replace(PROFILE, hosts=parse_hosts(changed))
    words = (
        "entered for https://acme.test, not for https://.*; if you changed the address, run `frontdesk login acme`"
    )
    for environ in ({}, {"FRONTDESK_COOKIE": "x=y"}):
        with pytest.raises(SecretError, match=words) as caught:
            load_credentials(elsewhere, environ, path)
        assert "canary" not in str(caught.value)
    assert KNOWN.redact("canary-key-0001") == "[credential hidden]", "known, though not used"
    environ = {"FRONTDESK_COOKIE": "a", "FRONTDESK_API_KEY": "b"}
    assert load_credentials(elsewhere, environ, path) == CredentialSet(Secret("a"), Secret("b"))


@pytest.mark.parametrize("url", ["https://ACME.test", "https://acme.test:443/v1/"])
def test_another_spelling_or_path_is_the_same_origin(path: Path, url: str) -> None:
    save_credentials(PROFILE, SET, path)
    assert load_credentials(replace(PROFILE, hosts=parse_hosts({"base_url": url})), {}, path) == SET


@pytest.mark.parametrize("origins", ["", "origins = []", 'origins = "https://acme.test"'])
def test_credentials_of_an_older_version_wait_for_a_login(path: Path, origins: str) -> None:
    path.parent.mkdir()
    path.write_text(f'[acme]\ncookie = "token=canary"\n{origins}\n')
    path.chmod(0o600)
    with pytest.raises(SecretError, match="to confirm them, run `frontdesk login acme`"):
        load_credentials(PROFILE, {}, path)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_file_that_others_can_read_is_refused_with_the_command_to_run(path: Path, mode: int) -> None:
    save_credentials(PROFILE, SET, path)
    path.chmod(mode)
    with pytest.raises(SecretError, match=f"chmod 600 {path}"):
        load_credentials(PROFILE, {}, path)


def test_a_folder_that_others_can_change_is_refused_with_the_command_to_run(path: Path) -> None:
    save_credentials(PROFILE, SET, path)
    path.parent.chmod(0o770)
    with pytest.raises(SecretError, match=f"chmod go-w {path.parent}"):
        load_credentials(PROFILE, {}, path)


def test_with_all_of_them_in_the_environment_the_file_is_not_read(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("[broken")
    environ = {"FRONTDESK_COOKIE": "a", "FRONTDESK_API_KEY": "b", "FRONTDESK_BEARER": "c"}
    assert load_credentials(PROFILE, environ, path).bearer == Secret("c")


@pytest.mark.parametrize("text", ['[acme]\ncookie = "canary', '[acme]\ncookie = 5\nx = "canary"', "\xff"])
def test_a_broken_file_is_told_without_its_content(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    path.chmod(0o600)
    with pytest.raises(SecretError) as caught:
        load_credentials(PROFILE, {}, path)
    assert "canary" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("cookie", " a=b; c=d \n", "a=b; c=d"),
        ("cookie", "Cookie: a=b", "a=b"),
        ("api_key", "x-api-key: k", "k"),
        ("bearer", "Bearer t", "t"),
        ("bearer", "t\r\n", "t"),
    ],
)
def test_a_pasted_value_is_stripped(kind: str, text: str, value: str) -> None:
    assert check_secret(kind, text) == Secret(value)


@given(st.sampled_from(["cookie", "api_key", "bearer"]), st.text(min_size=1))
def test_only_what_a_header_can_carry_passes_and_the_error_never_shows_it(kind: str, text: str) -> None:
    canary = "CANARY" + text
    could_pass = canary.strip().isascii() and canary.strip().isprintable()
    if could_pass and (kind == "cookie" or " " not in canary.strip()):
        assert check_secret(kind, canary) == Secret(canary.strip())
    else:
        with pytest.raises(SecretError) as caught:
            check_secret(kind, canary)
        assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\0b", "é", "a" * 9000])
def test_what_no_header_carries_is_refused(text: str) -> None:
    with pytest.raises(SecretError):
        check_secret("bearer", text)

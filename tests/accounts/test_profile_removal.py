"""logout and forget: what goes is named first, and nothing else goes."""

import fcntl
import os
import tomllib
from pathlib import Path

import pytest
from filelock import FileLock

from cli.commandline import Frontdesk
from frontdesk.config.account_writer import save_profile
from frontdesk.config.credential_sources import save_in_keyring
from frontdesk.config.credentials import save_credentials
from frontdesk.config.settings import Profile, parse_hosts
from frontdesk.storage.database_files import LEADER_LOCK
from frontdesk_api.credentials import CredentialSet, Secret
from keyring_in_a_file import KEYRING_VARIABLES, use_keyring
from new_store import open_store


@pytest.fixture
def places(nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two accounts with credentials and stores; answers the folder of the stores."""
    for name, value in nowhere.environ.items():
        monkeypatch.setenv(name, value)
    for name in ("acme", "beta"):
        profile = Profile(name, parse_hosts({"base_url": f"https://{name}.test"}))
        save_profile(profile)
        save_credentials(profile, CredentialSet(Secret("token=canary"), Secret("canary")))
    stores = Path(nowhere.environ["XDG_DATA_HOME"]) / "frontdesk" / "profiles"
    for name in ("acme", "acme@env-127.0.0.1-80-12345678", "beta", "acme2"):
        with open_store(stores / name):
            pass
    return stores


def credentials_of(nowhere: Frontdesk) -> set[str]:
    file = Path(nowhere.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "credentials.toml"
    assert file.stat().st_mode & 0o777 == 0o600
    return set(tomllib.loads(file.read_text()))


def test_logout_removes_the_credentials_of_one_profile_and_nothing_else(nowhere: Frontdesk, places: Path) -> None:
    assert "Removed the credentials of profile acme" in nowhere("logout").out
    assert credentials_of(nowhere) == {"beta"}
    assert "No credentials of profile acme" in nowhere("logout", "acme").out
    assert "not configured: Cookie" in nowhere.fails(3, "tasks", "list")
    assert (places / "acme" / "store.db").exists()
    nowhere("--profile", "beta", "logout")
    assert credentials_of(nowhere) == set()
    nowhere.fails(2, "logout", "../acme")


@pytest.mark.slow
def test_both_remove_the_entry_of_the_keyring(
    nowhere: Frontdesk, places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = use_keyring(tmp_path, monkeypatch)
    nowhere.environ.update({name: os.environ[name] for name in KEYRING_VARIABLES})
    for command in (("logout", "acme"), ("forget", "acme", "--yes")):
        save_profile(Profile("acme", parse_hosts({"base_url": "https://acme.test"}), keyring=True))
        save_in_keyring("acme", {"api_key": Secret("canary")})
        assert nowhere(*command).status == 0
        assert entries.read_text() == "{}", command
        assert "No credentials of profile acme are stored." in nowhere("logout", "acme").out
    assert places.exists()


def test_an_entry_stays_nowhere_after_keyring_was_removed_from_the_config_by_hand(
    nowhere: Frontdesk, places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = use_keyring(tmp_path, monkeypatch)
    nowhere.environ.update({name: os.environ[name] for name in KEYRING_VARIABLES})
    # Of a login with --keyring the file has the addresses alone; the config no longer has `keyring = true`.
    profile = Profile("acme", parse_hosts({"base_url": "https://acme.test"}))
    save_credentials(profile, CredentialSet())
    save_in_keyring("acme", {"api_key": Secret("canary")})
    saved = entries.read_text()
    entries.write_text("broken")
    assert "run `frontdesk logout acme` to remove its entry" in nowhere.fails(3, "logout", "acme")
    assert credentials_of(nowhere) == {"acme", "beta"}, "so that the second logout knows of the entry"
    entries.write_text(saved)
    assert "Removed the credentials of profile acme." in nowhere("logout", "acme").out
    assert entries.read_text() == "{}"
    assert credentials_of(nowhere) == {"beta"}


def test_forget_names_what_goes_and_deletes_it_only_when_told_to(
    nowhere: Frontdesk, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = nowhere("forget", "acme")
    assert asked.status == 2
    assert "add --yes" in asked.err
    assert str(places / "acme") in asked.out
    assert (places / "acme" / "outbox.db").exists()
    with FileLock(places / "acme" / LEADER_LOCK):
        assert "open in another window" in nowhere.fails(2, "forget", "acme", "--yes")
    lock = places / "acme" / LEADER_LOCK
    lock.unlink()
    lock.symlink_to("elsewhere")
    assert f"nothing was deleted: {lock} isn't a regular file" in nowhere.fails(2, "forget", "acme", "--yes")
    lock.unlink()
    assert (places / "acme" / "outbox.db").exists()
    assert credentials_of(nowhere) == {"acme", "beta"}
    config = Path(nowhere.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml"
    config.write_text("# mine\n" + config.read_text())
    config.with_name("config.toml.bak").write_text("# of before")
    logs = Path(nowhere.environ["XDG_STATE_HOME"]) / "frontdesk"
    logs.mkdir(parents=True)
    for name in ("frontdesk.log", "frontdesk.log.1", "crash.log", "workflow-before-1.json"):
        (logs / name).write_text("conversation 972501234567")
    done = nowhere("forget", "acme", "--yes")
    assert done.status == 0
    assert "Copies of workflows from before updates" in done.out
    assert [each.name for each in logs.iterdir()] == ["workflow-before-1.json"]
    assert [each.name for each in config.parent.iterdir() if "config" in each.name] == ["config.toml"]
    assert config.read_text().startswith("# mine\n")
    left = tomllib.loads(config.read_text())
    assert set(left["profiles"]) == {"beta"}
    assert "default_profile" not in left
    assert {each.name for each in places.iterdir()} == {"beta", "acme2"}
    assert credentials_of(nowhere) == {"beta"}
    nowhere.fails(2, "forget", "..", "--yes")


def test_a_name_that_nothing_is_stored_for_is_refused_with_those_that_exist(
    nowhere: Frontdesk, places: Path
) -> None:
    logs = Path(nowhere.environ["XDG_STATE_HOME"]) / "frontdesk"
    logs.mkdir(parents=True)
    (logs / "frontdesk.log").write_text("of all profiles")
    refused = nowhere.fails(2, "forget", "amce", "--yes")
    assert "there is no profile amce; profiles: acme, beta" in refused
    assert (logs / "frontdesk.log").exists()


def test_nothing_on_the_disk_names_a_forgotten_profile(nowhere: Frontdesk, places: Path) -> None:
    for name in ("beta", "acme"):
        assert nowhere("forget", name, "--yes").status == 0
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        for path in Path(nowhere.environ[variable]).rglob("*"):
            assert "acme" not in path.name.replace("acme2", "")
            assert not path.is_file() or b"acme.test" not in path.read_bytes(), path


def test_forget_demo_deletes_the_demo_while_no_terminal_has_it(nowhere: Frontdesk, places: Path) -> None:
    demo = places.parent / "demo"
    assert "The demo has no data" in nowhere("forget", "demo", "--yes").out
    (demo / "store").mkdir(parents=True)
    assert "add --yes" in nowhere("forget", "demo").err
    with (places.parent / "demo-sandbox.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "open in another terminal" in nowhere.fails(2, "forget", "demo", "--yes")
    assert demo.exists()
    assert nowhere("forget", "demo", "--yes").status == 0
    assert not demo.exists()
    assert (places / "acme").exists()


def test_forget_demo_deletes_a_profile_of_this_name(nowhere: Frontdesk, places: Path) -> None:
    save_profile(Profile("demo", parse_hosts({"base_url": "https://demo.test"})))
    (places.parent / "demo").mkdir()
    assert nowhere("forget", "demo", "--yes").status == 0
    assert (places.parent / "demo").exists()
    assert "demo.test" not in (Path(nowhere.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml").read_text()

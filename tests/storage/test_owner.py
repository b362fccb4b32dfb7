"""A store that another user could change is refused before it is opened, with the command to run."""

import asyncio
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from frontdesk.cli.record_names import query_store
from frontdesk.config.file_access import OpenToOthers
from frontdesk.config.settings import Profile, parse_hosts
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import (
    LEADER_LOCK,
    LOCK_FILE,
    OUTBOX_FILE,
    STORE_FILE,
    StoreUnusable,
    check_places,
    prepare,
    unsent_elsewhere,
)
from frontdesk.storage.lease import try_acquire
from frontdesk.storage.recovery import DAMAGE_MARK
from lab.faults.replaced_files import BESIDE, DATABASES, LOCKS
from new_store import open_store


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A closed store in the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / ".local" / "share" / "frontdesk" / "profiles" / "acme"
    open_store(folder).close()
    return folder


def refusal(folder: Path, opened: Callable[[Path], object] = prepare) -> str:
    with pytest.raises((StoreUnusable, OpenToOthers)) as caught:
        opened(folder)
    return str(caught.value)


def changed_by_others(path: Path) -> str:
    return f"{path} can be changed by others; run: chmod go-w {shlex.quote(str(path))}"


def give(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the path to another user, or be another one; returns what is said of it."""
    if os.geteuid() == 0:
        os.chown(path, 4242, -1, follow_symlinks=False)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
    return f'{path} belongs to another user, who can change it; run: sudo chown -h "$(id -un)" {path}'


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_each_folder_up_to_home_is_checked(folder: Path, tmp_path: Path, mode: int) -> None:
    for at in (folder, *folder.parents[:4], tmp_path / "home"):
        before = at.stat().st_mode
        at.chmod(mode)
        assert refusal(folder) == changed_by_others(at)
        assert refusal(folder / "new") == changed_by_others(at), "before anything is made in it"
        at.chmod(before)
    prepare(folder)


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o1666])
def test_each_file_is_checked(folder: Path, mode: int) -> None:
    for name in (*DATABASES, *BESIDE, DAMAGE_MARK, f"{OUTBOX_FILE}.damaged-1"):
        (folder / name).touch()
        (folder / name).chmod(mode)
        assert refusal(folder) == changed_by_others(folder / name)
        (folder / name).chmod(0o600)


@pytest.mark.parametrize("name", [".", "..", *DATABASES, *BESIDE, *LOCKS])
def test_what_belongs_to_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = (folder / name).resolve()
    if not path.is_dir():
        path.touch()
    words = give(path, monkeypatch)
    assert refusal(folder) == words or os.geteuid() != 0
    assert "belongs to another user" in refusal(folder)


def test_locks_that_a_lax_umask_gave_to_the_group_are_tightened(folder: Path) -> None:
    for name in LOCKS:
        (folder / name).touch()
        (folder / name).chmod(0o664)
    prepare(folder)
    assert {(folder / name).stat().st_mode & 0o777 for name in LOCKS} == {0o600}


def test_nothing_is_changed_in_a_folder_that_is_refused(folder: Path) -> None:
    (folder / LEADER_LOCK).touch()
    (folder / LEADER_LOCK).chmod(0o664)
    folder.chmod(0o777)
    assert refusal(folder) == changed_by_others(folder)
    assert (folder / LEADER_LOCK).stat().st_mode & 0o777 == 0o664


@pytest.mark.parametrize("mask", [0o022, 0o002, 0o000])
def test_what_frontdesk_makes_under_any_umask_is_its_users_alone(folder: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with Store(folder / "new") as store:
            lease = asyncio.run(try_acquire(store))
            assert lease is not None
            lease.unlock_file()
    finally:
        os.umask(before)
    assert {each.name for each in (folder / "new").iterdir()} >= {STORE_FILE, OUTBOX_FILE, LOCK_FILE, LEADER_LOCK}
    assert not [each for each in (folder / "new").iterdir() if each.stat().st_mode & 0o077]


def test_a_link_is_checked_where_it_leads(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "shared" / "acme"
    elsewhere.parent.mkdir()
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    prepare(folder)
    elsewhere.parent.chmod(0o777)
    assert refusal(folder) == changed_by_others(elsewhere.parent)
    elsewhere.parent.chmod(0o1777)  # as /tmp: what others own there can't be renamed
    prepare(folder)
    words = give(elsewhere, monkeypatch)
    assert refusal(folder) == words or os.geteuid() != 0


def test_a_database_elsewhere_is_checked_with_what_is_beside_it(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "home" / "kept"
    kept.mkdir()
    (folder / OUTBOX_FILE).rename(kept / "my.db")
    (folder / OUTBOX_FILE).symlink_to(kept / "my.db")
    prepare(folder)
    for path in (kept / "my.db", kept / "my.db-wal", kept):
        before = path.stat().st_mode if path.exists() else 0o600
        path.touch()
        path.chmod(0o777)
        assert refusal(folder) == changed_by_others(path)
        path.chmod(before)


def test_links_in_a_circle_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "acme").symlink_to(tmp_path / "acme")
    with pytest.raises(StoreUnusable, match="Too many levels of symbolic links"):
        prepare(tmp_path / "acme")


def test_names_are_not_read_from_it_and_its_changes_are_not_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    profile = Profile("acme", parse_hosts({"base_url": "https://acme.test"}), folder=folder)
    assert query_store(profile, lambda _: "read") == "read"
    with apsw.Connection(str(folder / OUTBOX_FILE)) as db:
        db.execute(
            "INSERT INTO changes (batch, kind, target, fields, base, label, state, made_at, send_after)"
            " VALUES ('b', 'task', 't', '{}', '{}', '', 'queued', 0, 0)"
        )
    assert unsent_elsewhere(folder.parent / "-") == [("acme", 1)]
    folder.chmod(0o777)
    assert refusal(folder, lambda _: query_store(profile, lambda _: "read")) == changed_by_others(folder)
    assert unsent_elsewhere(folder.parent / "-") == []


def test_a_store_that_is_opened_to_others_while_it_runs_takes_no_more_writes(folder: Path) -> None:
    with open_store(folder) as store:
        folder.chmod(0o777)
        with pytest.raises(StoreUnusable, match="run: chmod go-w"):
            store.write(lambda db: db.execute("SELECT 1")).result()
        folder.chmod(0o700)
        store.write(lambda db: db.execute("SELECT 1")).result()
    check_places(folder)

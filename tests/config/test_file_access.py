"""A file that decides where credentials go is read only where nobody else can have changed it."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk.config.credentials import SecretError, read_stored
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.settings import ConfigError, load_config


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config in the home folder, as login writes it."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = tmp_path / "home" / ".config" / "frontdesk" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("")
    return path


def refused(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return str(caught.value)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o444])
def test_others_may_read_a_config(path: Path, mode: int) -> None:
    path.chmod(mode)
    load_config(path)


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_config_that_others_can_change_is_refused_with_the_command_to_run(path: Path, mode: int) -> None:
    path.chmod(mode)
    assert refused(path) == f"{path} can be changed by others; run: chmod go-w {path}"
    path.chmod(mode & ~0o022)
    load_config(path)


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_each_folder_up_to_home_is_checked_and_none_above(path: Path, mode: int) -> None:
    folder = path.parent
    for _ in range(3):
        folder.chmod(mode)
        assert refused(path) == f"{folder} can be changed by others; run: chmod go-w {folder}"
        folder.chmod(0o700)
        folder = folder.parent
    folder.chmod(mode)
    load_config(path)


def test_outside_home_every_folder_is_checked_but_others_own_nothing_in_a_sticky_one(
    path: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "shared" / "frontdesk" / "config.toml"
    outside.parent.mkdir(parents=True)
    outside.write_text("")
    outside.parent.parent.chmod(0o777)
    assert f"run: chmod go-w {outside.parent.parent}" in refused(outside)
    outside.parent.parent.chmod(0o1777)
    load_config(outside)


def test_a_link_is_checked_where_it_leads(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "home" / "my dotfiles" / "frontdesk.toml"
    kept.parent.mkdir()
    path.rename(kept)
    middle = tmp_path / "home" / "links" / "config.toml"
    middle.parent.mkdir()
    middle.symlink_to("../my dotfiles/frontdesk.toml")
    path.symlink_to(middle)
    load_config(path)
    kept.chmod(0o666)
    assert "can be changed by others" in refused(path)
    kept.chmod(0o600)
    for folder in (kept.parent, middle.parent):
        folder.chmod(0o770)
        assert str(folder) in refused(path)
        folder.chmod(0o700)
    kept.parent.chmod(0o777)
    assert refused(path).endswith(f"run: chmod go-w '{kept.parent}'")


def test_a_config_folder_may_be_a_link(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "home" / "dotfiles"
    path.parent.rename(kept)
    path.parent.symlink_to(kept)
    load_config(path)
    kept.chmod(0o777)
    assert str(kept) in refused(path)


def test_what_belongs_to_another_user_is_refused_with_the_command_to_run(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:
        os.chown(path, 4242, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
    words = f'{path} belongs to another user, who can change it; run: sudo chown -h "$(id -un)" {path}'
    assert refused(path) == words


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_folder_or_link_of_another_user_is_refused_too(path: Path) -> None:
    os.chown(path.parent, 4242, -1)
    assert refused(path).startswith(f"{path.parent} belongs to another user")
    os.chown(path.parent, 0, -1)
    path.rename(path.with_name("kept"))
    path.symlink_to("kept")
    os.chown(path, 4242, -1, follow_symlinks=False)
    assert refused(path).startswith(f"{path} belongs to another user")


def test_a_pipe_is_refused_at_once(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert refused(path) == f"{path} isn't a regular file; replace it with one"


@pytest.mark.parametrize(
    "how", [Path.mkdir, lambda path: path.symlink_to("nothing"), lambda path: path.symlink_to(path)]
)
def test_a_folder_and_a_link_that_leads_nowhere_are_refused_like_a_pipe(
    path: Path, how: Callable[[Path], None]
) -> None:
    path.unlink()
    how(path)
    assert refused(path) == f"{path} isn't a regular file; replace it with one"
    with pytest.raises(SecretError, match="isn't a regular file; replace it with one"):
        read_stored("acme", path)


def test_a_byte_that_is_not_utf_8_is_named_by_its_place(path: Path) -> None:
    path.write_bytes(b"# caf\xe9\n")
    assert refused(path) == f"{path}: not valid TOML: byte 6 isn't UTF-8; save the file as UTF-8"


def test_a_secret_is_for_its_owners_eyes(path: Path) -> None:
    path.chmod(0o640)
    with pytest.raises(OpenToOthers, match="chmod 600"):
        read_own_file(path, is_secret=True)
    path.chmod(0o600)
    assert read_own_file(path, is_secret=True) == ""

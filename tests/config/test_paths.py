"""Names of files that are to be written: whatever is typed, it is told in words whether it will do."""

import os
import stat
from pathlib import Path

import pytest

from frontdesk.config.paths import expand_path, make_private, path_problem, replace_file, write_new_file
from frontdesk.storage.database_files import prepare


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Enter a file name."),
        ("{}", "Enter a file name."),
        ("{}/there.md", "That file already exists. Choose another name."),
        ("{}/dangling", "That file already exists. Choose another name."),
        ("{}/none/new.md", "That folder doesn't exist."),
        ("{}/there.md/new.md", "That folder doesn't exist."),
        ("~nobody-of-that-name/new.md", "That folder doesn't exist."),
        ("/" + 300 * "long/" + "new.md", "That folder doesn't exist."),
        ("{}/" + 5_000 * "x" + "/new.md", "That folder doesn't exist."),
        ("{}/\0/new.md", "That folder doesn't exist."),
        ("{}/new.md", ""),
        ("~/new-file-that-is-not-there.md", ""),
    ],
)
def test_a_name_will_do_or_it_is_said_why_not(tmp_path: Path, typed: str, words: str) -> None:
    (tmp_path / "there.md").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    assert path_problem(typed.replace("{}", str(tmp_path))) == words
    expand_path(typed)


def test_no_file_is_written_over_and_a_private_one_is_its_owners(tmp_path: Path) -> None:
    write_new_file(tmp_path / "list.csv", "a\r\n", is_private=True)
    assert stat.S_IMODE((tmp_path / "list.csv").stat().st_mode) == 0o600
    assert (tmp_path / "list.csv").read_bytes() == b"a\r\n"
    with pytest.raises(FileExistsError):
        write_new_file(tmp_path / "list.csv", "b")


def test_every_folder_that_is_made_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private(tmp_path / "a" / "b" / "c")
        replace_file(tmp_path / "config" / "frontdesk" / "config.toml", "")
        prepare(tmp_path / "data" / "frontdesk" / "profiles" / "acme")
    finally:
        os.umask(before)
    modes = {each: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.rglob("*") if each.is_dir()}
    assert len(modes) == 9
    assert set(modes.values()) == {0o700}


def test_a_folder_that_is_there_keeps_its_mode_and_a_file_is_no_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_private(tmp_path / "file")

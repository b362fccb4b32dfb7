"""Names of files that are to be written: whatever is typed, it is told in words whether it will do."""

import stat
from pathlib import Path

import pytest

from frontdesk.config.paths import expand_path, path_problem, write_new_file


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
    found = path_problem(typed.replace("{}", str(tmp_path)))
    assert (found.text if found else "") == words
    expand_path(typed)


def test_no_file_is_written_over_and_a_private_one_is_its_owners(tmp_path: Path) -> None:
    write_new_file(tmp_path / "list.csv", "a\r\n", is_private=True)
    assert stat.S_IMODE((tmp_path / "list.csv").stat().st_mode) == 0o600
    assert (tmp_path / "list.csv").read_bytes() == b"a\r\n"
    with pytest.raises(FileExistsError):
        write_new_file(tmp_path / "list.csv", "b")

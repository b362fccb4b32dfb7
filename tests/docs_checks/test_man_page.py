"""`man frontdesk` can be read: by man's own formatter, without a warning, with what it has to have."""

import shutil
import subprocess
from pathlib import Path

import pytest
from page_sources import REFERENCE
from page_sources.man_page import escape

PAGE = REFERENCE / "frontdesk.1"

needs_groff = pytest.mark.skipif(shutil.which("groff") is None, reason="groff formats man pages")
needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="man finds pages")


@pytest.mark.slow
@needs_groff
def test_groff_has_no_warning_and_shows_every_option_as_it_is_typed() -> None:
    command = ["groff", "-man", "-Tascii", "-P-cbou", "-ww", "-rLL=100n", str(PAGE)]
    run = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    )
    assert run.stderr == ""
    for words in (
        "--over-theirs",
        "workflows reset-analytics",
        "EXIT STATUS",
        "FRONTDESK_COOKIE",
        "~/.config/frontdesk",
    ):
        assert words in run.stdout


@pytest.mark.slow
@needs_man
def test_man_finds_the_page_beside_the_folder_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    folder = tmp_path / "share" / "man" / "man1"
    folder.mkdir(parents=True)
    shutil.copy(PAGE, folder)
    environ = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    run = subprocess.run(["man", "-w", "frontdesk"], capture_output=True, text=True, env=environ, check=True)
    assert run.stdout.strip() == str(folder / PAGE.name)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("--limit N", "\\-\\-limit N"),
        (".hidden", "\\&.hidden"),
        ("it's `code`", "it\\(aqs \\fBcode\\fP"),
        ("C:\\x", "C:\\ex"),
        ("a … b", "a \\[u2026] b"),
    ],
)
def test_signs_of_roff_are_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped

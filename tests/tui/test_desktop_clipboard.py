"""A desktop's own clipboard gets the text, and nothing else of this process."""

import os
import select
import sys
from pathlib import Path

import pytest

from frontdesk.tui.desktop import copy_on_desktop

TEXT = "שלום\n12514 ' $(x)"


def desktop(folder: Path, script: str) -> dict[str, str]:
    """An environment with an `xclip`, which keeps what it gets in a file, and no other program for a clipboard."""
    program = folder / "xclip"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    (folder / "cat").symlink_to("/bin/cat")
    (folder / "env").symlink_to("/usr/bin/env")
    return {"PATH": str(folder), "DISPLAY": ":9", "KEPT": str(folder / "kept"), "LC_ALL": "C.UTF-8"}


KEEPS = 'if [ "$3" = -o ]; then cat "$KEPT"; else env > "$KEPT.env"; cat > "$KEPT"; fi'


def test_the_text_is_copied_by_a_program_that_gets_no_variable_of_frontdesk(tmp_path: Path) -> None:
    environ = {**desktop(tmp_path, KEEPS), "FRONTDESK_COOKIE": "token=secret", "OF_MINE": "1"}
    assert copy_on_desktop(TEXT, environ).result(60)
    assert (tmp_path / "kept").read_text() == TEXT
    given = (tmp_path / "kept.env").read_text()
    assert "OF_MINE=1" in given
    assert "FRONTDESK_" not in given


@pytest.mark.parametrize("script", ["exit 1", "cat > /dev/null"])
def test_a_program_that_fails_is_noticed(tmp_path: Path, script: str) -> None:
    assert not copy_on_desktop(TEXT, desktop(tmp_path, script)).result(60)


def test_without_a_desktop_nothing_is_copied(tmp_path: Path) -> None:
    environ = desktop(tmp_path, KEEPS)
    del environ["DISPLAY"]
    assert not copy_on_desktop(TEXT, environ).result(60)
    assert not (tmp_path / "kept").exists()


def test_a_process_that_cannot_be_started_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert not copy_on_desktop(TEXT, os.environ).result(60)


def test_a_program_that_hangs_is_given_up_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontdesk.tui.desktop.TIMEOUT_SECONDS", 1.0)
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    # It has the pipe open for as long as it lives, and writes nothing.
    assert not copy_on_desktop(TEXT, desktop(tmp_path, f"exec 9> {tmp_path / 'held'}; exec /bin/sleep 60")).result(
        60
    )
    assert select.select([held], [], [], 20)[0]
    assert os.read(held, 1) == b"", "nobody has it open any more"
    os.close(held)

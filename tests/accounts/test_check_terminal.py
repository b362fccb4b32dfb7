"""The inbox refuses to start where its screen can't be seen, with a sentence that can."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from frontdesk.app import run_tui


def start(home: dict[str, str], redirection: str) -> tuple[int, str]:
    """Start the inbox in a terminal through a shell; returns its status and what the terminal got."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        ["sh", "-c", f"exec timeout --foreground 30 {sys.executable} -m frontdesk {redirection}"],
        env=home
        | {"TERM": "xterm", "FRONTDESK_BASE_URL": "http://127.0.0.1:9"}
        | {"FRONTDESK_COOKIE": "token=sandbox", "FRONTDESK_API_KEY": "sandbox-key"},
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
    )
    os.close(side)
    seen = b""
    try:
        while more := os.read(main, 4096):
            seen += more
    except OSError:  # Linux's way to say that the other side is closed
        pass
    os.close(main)
    return process.wait(20), seen.decode()


@pytest.mark.parametrize("redirection", ["2>{file}", "2>&-"])
def test_a_redirected_standard_error_is_refused_where_a_person_sees_it(
    home: dict[str, str], tmp_path: Path, redirection: str
) -> None:
    file = tmp_path / "errors"
    status, seen = start(home, redirection.format(file=file))
    assert status == 2
    assert "the inbox draws on standard error (2>)" in seen
    assert seen.count("\n") == 1
    assert not file.exists() or file.read_text() == ""


@pytest.mark.parametrize("kind", ["", "dumb", "xterm"])
def test_an_empty_type_of_terminal_is_refused_like_a_missing_one(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("TERM", kind)
    assert run_tui._check_terminal() == (0 if kind == "xterm" else 2)
    assert ("TERM is dumb or not set" in capsys.readouterr().err) is (kind != "xterm")

"""A run whose standard streams are closed: it works, prints nowhere, and leaves no report of a fault."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frontdesk.cli import main as cli_main

MAIN = "from frontdesk.cli.main import main; main()"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "closed", "status"),
    [
        ("search hello", ">&- 2>&-", 1),
        ("--help", ">&-", 1),
        ("outbox drop", ">&-", 2),
        ("", ">&-", 2),
        ("--linear", "<&-", 0),
    ],
)
def test_a_closed_stream_is_no_fault(tmp_path: Path, arguments: str, closed: str, status: int) -> None:
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    environ |= {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    environ |= {f"FRONTDESK_{name}": "http://127.0.0.1:9" for name in ("BASE_URL", "COOKIE", "API_KEY")}
    command = f'exec "$0" -c "$1" {arguments} {closed}'
    ended = subprocess.run(
        ["sh", "-c", command, sys.executable, MAIN], env=environ, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == status, ended.stderr
    assert "something went wrong" not in ended.stderr
    assert not (tmp_path / "state" / "frontdesk" / "crash.log").exists()


def test_output_that_nobody_gets_is_reported(tmp_path: Path) -> None:
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    ended = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" --version >&-', sys.executable, MAIN],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (
        1,
        "frontdesk: couldn't write the output: standard output is closed\n",
    )


@pytest.mark.parametrize(
    ("arguments", "is_announced"),
    [
        (["demo"], True),
        (["--privacy", "demo", "--fresh"], True),
        (["demo", "--help"], False),
        (["tasks", "list"], False),
        (["--profile", "demo", "tasks", "list"], False),
        ([], False),
    ],
)
def test_the_demo_says_at_once_that_it_starts(
    arguments: list[str],
    is_announced: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cli_main, "_dispatch", lambda _: 0)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli_main.run(arguments) == 0
    assert capsys.readouterr().out == ("Starting the demo…\n" if is_announced else "")


def test_nothing_is_announced_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli_main, "_dispatch", lambda _: 0)
    assert cli_main.run(["demo", "--linear"]) == 0
    assert capsys.readouterr().out == ""

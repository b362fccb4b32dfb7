"""`frontdesk demo`: its lock outlives `--fresh`, and its sandbox is told no secret."""

import re
import socket
from pathlib import Path

import pytest

from frontdesk.app import run_demo
from frontdesk.app.cli_main import run


def test_a_running_demo_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_demo, "data_root", lambda: tmp_path)
    kept = tmp_path / "demo" / "store" / "store.db"
    kept.parent.mkdir(parents=True)
    kept.write_text("rows")
    running = run_demo.take_lock(tmp_path / "demo.lock")
    assert running is not None
    assert run_demo.run_demo(["--fresh"]) == 2
    assert "open in another terminal" in capsys.readouterr().err
    assert kept.read_text() == "rows"
    running.close()


def test_the_sandbox_inherits_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COOKIE", "API_KEY", "BEARER"):
        monkeypatch.setenv(f"FRONTDESK_{name}", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    environment = run_demo.sandbox_environment()
    assert "secret" not in environment.values()
    assert environment["LANG"] == "C.UTF-8"


def test_a_sandbox_that_was_killed_comes_back_at_the_same_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_demo, "RESTART_SECONDS", 0.0)
    sandbox = run_demo.SandboxProcess(tmp_path)
    try:
        first = sandbox._process
        sandbox.keep()
        assert sandbox._process is first
        first.kill()
        first.wait()
        sandbox.keep()  # sees it dead
        sandbox.keep()
        assert sandbox._process is not first
        port = int(sandbox.address.rpartition(":")[2])
        socket.create_connection(("127.0.0.1", port), timeout=10).close()
    finally:
        sandbox.stop()


def test_a_folder_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(run_demo, "data_root", lambda: tmp_path / "file" / "frontdesk")
    assert run_demo.run_demo([]) == 2
    assert "set XDG_DATA_HOME" in capsys.readouterr().err


def test_the_help_lists_every_option_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--help"]) == 0
    told = set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_demo, "find_spec", lambda _name: None)
        assert run_demo.run_demo(["--help"]) == 0
    assert told == set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    assert {"--fresh", "--linear", "--width"} <= told


@pytest.mark.parametrize("width", ["ten", "19", "-30"])
def test_an_unusable_width_is_refused_in_words(width: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_demo.run_demo([f"--width={width}"]) == 2
    assert "must be a whole number, at least 20" in capsys.readouterr().err

"""`frontdesk demo`: terminals share one sandbox, `--fresh` spares theirs, and it is told no secret."""

import re
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from frontdesk.app import run_demo
from frontdesk.cli.main import run
from frontdesk.config.credentials import load_credentials
from frontdesk.config.demo import demo_folder
from frontdesk.config.settings import Config, NoProfile, Profile, data_dir, parse_hosts, resolve_profile
from frontdesk.demo import sandbox_process as demo_sandbox
from frontdesk.demo.sandbox_process import DemoSandbox


def test_a_running_demo_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_demo, "data_root", lambda: tmp_path)
    running = DemoSandbox(tmp_path)
    kept = tmp_path / "demo" / "store" / "store.db"
    kept.parent.mkdir()
    kept.write_text("rows")
    try:
        assert run_demo.run_demo(["--fresh"], len) == 2
        assert "open in another terminal; close it there to start over" in capsys.readouterr().err
        assert kept.read_text() == "rows"
    finally:
        running.leave()
    DemoSandbox(tmp_path, is_fresh=True).leave()
    assert not kept.exists()


def test_names_that_were_edited_are_there_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    demo_folder().mkdir(parents=True)
    demo = demo_sandbox.demo_profile("http://127.0.0.1:5000")
    assert run_demo.with_saved_names(demo) == demo
    line = next(iter(demo.lines))
    run_demo.write_profile(replace(demo, lines={**demo.lines, line: "Front door"}, statuses=demo.statuses[::-1]))
    moved = demo_sandbox.demo_profile("http://127.0.0.1:5001")
    again = run_demo.with_saved_names(moved)
    assert again.lines[line] == "Front door"
    assert [each.id for each in again.statuses] == [each.id for each in demo.statuses[::-1]]
    assert again.hosts == moved.hosts


def test_commands_find_the_open_demo_unless_a_profile_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    environ = {"FRONTDESK_PROFILE": "demo"}
    with pytest.raises(NoProfile, match="run `frontdesk demo`"):
        resolve_profile(Config(), environ)
    demo = demo_sandbox.demo_profile("http://127.0.0.1:5000")
    demo_folder().mkdir(parents=True, mode=0o700)
    run_demo.write_profile(demo)
    found = resolve_profile(Config(), environ)
    assert (found.hosts, found.agents, found.statuses) == (demo.hosts, demo.agents, demo.statuses)
    assert data_dir(found) == demo_folder() / "store"
    credentials = load_credentials(found, environ)
    assert credentials.cookie is not None
    assert credentials.cookie.reveal() == "token=sandbox"
    elsewhere = resolve_profile(Config(), {**environ, "FRONTDESK_BASE_URL": "https://desk.example"})
    assert elsewhere.folder is None, "what another service has doesn't go into the demo's store"
    given = {"FRONTDESK_COOKIE": "a=bcdefgh", "FRONTDESK_API_KEY": "k" * 12}
    assert load_credentials(elsewhere, given).cookie != credentials.cookie
    own = Profile("demo", parse_hosts({"base_url": "https://desk.example"}))
    assert resolve_profile(Config(profiles={"demo": own}), environ) == own


def test_a_second_terminal_joins_and_the_sandbox_ends_with_the_last(tmp_path: Path) -> None:
    first = DemoSandbox(tmp_path)
    second = DemoSandbox(tmp_path)
    assert second.address == first.address
    first.leave()
    assert is_answering(second)
    second.leave()
    assert not is_answering(second)
    assert not (tmp_path / "demo.pipe").exists()


def test_a_terminal_that_is_killed_leaves_the_sandbox_to_the_others(tmp_path: Path) -> None:
    first, address = other_terminal(tmp_path)
    second = DemoSandbox(tmp_path)
    assert second.address == address
    first.kill()
    first.communicate()
    second.keep()
    assert is_answering(second)
    second.leave()
    assert not is_answering(second)


def test_when_the_only_terminal_is_killed_the_next_start_waits_for_its_sandbox(tmp_path: Path) -> None:
    first, _ = other_terminal(tmp_path)
    first.kill()
    first.communicate()
    assert (tmp_path / "demo.pipe").exists()
    second = DemoSandbox(tmp_path)
    try:
        assert second._process is not None
        assert is_answering(second)
    finally:
        second.leave()


def test_a_file_in_the_place_of_the_pipe_is_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "demo.pipe"
    pipe.write_text("")
    sandbox = DemoSandbox(tmp_path)
    try:
        assert pipe.is_fifo()
        assert is_answering(sandbox)
    finally:
        sandbox.leave()


def is_answering(sandbox: DemoSandbox) -> bool:
    try:
        socket.create_connection(("127.0.0.1", int(sandbox.address.rpartition(":")[2])), timeout=10).close()
    except ConnectionRefusedError:
        return False
    return True


def other_terminal(root: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a process that has the demo open; return it with the address of its sandbox."""
    code = (
        "import sys; from pathlib import Path; from frontdesk.demo.sandbox_process import DemoSandbox; "
        f"print(DemoSandbox(Path({str(root)!r})).address, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.mark.parametrize("restarts_by", ["the terminal that started it", "another terminal", "a third terminal"])
def test_a_sandbox_that_was_killed_comes_back_at_the_same_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarts_by: str
) -> None:
    monkeypatch.setattr(demo_sandbox, "RESTART_SECONDS", 0.0)
    first, second = DemoSandbox(tmp_path), DemoSandbox(tmp_path)
    third = None
    try:
        killed = first._process
        assert killed is not None
        first.keep()
        second.keep()
        assert first._process is killed
        assert second._process is None
        killed.kill()
        killed.wait()
        if restarts_by == "a third terminal":
            third = DemoSandbox(tmp_path)
            assert third.address == first.address
        else:
            (second if restarts_by == "another terminal" else first).keep()
        first.keep()
        second.keep()
        started = [
            each._process for each in (first, second, third) if each and each._process not in (None, killed)
        ]
        assert len(started) == 1
        assert is_answering(first)
    finally:
        for each in (first, second, third):
            if each is not None:
                each.leave()


def test_a_folder_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(run_demo, "data_root", lambda: tmp_path / "file" / "frontdesk")
    assert run_demo.run_demo([], len) == 2
    assert "set XDG_DATA_HOME" in capsys.readouterr().err


def test_the_help_lists_every_option_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--help"]) == 0
    told = set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    assert run_demo.run_demo(["--help"], len) == 0
    assert told == set(re.findall(r"--[a-z]+", capsys.readouterr().out))
    assert {"--fresh", "--linear", "--width"} <= told


@pytest.mark.parametrize("width", ["ten", "19", "-30"])
def test_an_unusable_width_is_refused_in_words(width: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_demo.run_demo([f"--width={width}"], len) == 2
    assert "must be a whole number, at least 20" in capsys.readouterr().err

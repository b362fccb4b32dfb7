"""No way to start frontdesk opens a data folder that another user could change."""

import os
from pathlib import Path
from urllib.request import urlopen

import pytest

from cli.commandline import Frontdesk
from frontdesk.app import run_tui
from frontdesk.app import run_web as web_command
from frontdesk.cli import errors
from frontdesk.demo import sandbox_process as demo_sandbox
from frontdesk.engine import main as engine_main

STARTS: dict[str, tuple[str, ...]] = {
    "screens": (),
    "linear mode": ("--linear",),
    "web": ("web",),
    "sync": ("sync",),
    "outbox": ("outbox", "list"),
    "undo": ("undo",),
    "open": ("open", "t1"),
    "tags": ("tags", "assign", "L#C", "vip"),
    "search": ("search", "refund"),
}


@pytest.fixture
def opened(frontdesk: Frontdesk) -> Path:
    """The folder of a store that others can change."""
    with frontdesk.store() as store:
        folder = store.folder
    folder.chmod(0o777)
    return folder


@pytest.mark.parametrize("words", STARTS.values(), ids=STARTS)
def test_each_start_refuses_it(
    frontdesk: Frontdesk, opened: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(run_tui, "_check_terminal", lambda: 0)
    monkeypatch.setattr(web_command, "_serve", lambda *_: pytest.fail("a tab could be opened"))
    typed = frontdesk(*words)
    assert (typed.status, typed.out) == (2, "")
    words_of_it = f"frontdesk: {opened} can be changed by others; run: chmod go-w {opened}"
    assert typed.err.splitlines()[-1].partition("; nothing was sent")[0] == words_of_it


def test_doctor_lists_all_that_is_open(frontdesk: Frontdesk, opened: Path) -> None:
    (opened / "store.db").chmod(0o666)
    logs = Path(frontdesk.environ["XDG_STATE_HOME"]) / "frontdesk"
    logs.mkdir(parents=True)
    logs.chmod(0o770)
    (logs / "crash.log").touch(0o666)
    (logs / "crash.log").chmod(0o666)
    typed = frontdesk("doctor")
    assert typed.status == 2
    said = [line for line in typed.out.splitlines() if " store " in line]
    assert said == [
        f"FAIL  store       {each} can be changed by others; run: chmod go-w {each}"
        for each in (opened, opened / "store.db", logs, logs / "crash.log")
    ]


@pytest.mark.parametrize("words", [("demo",), ("web", "--demo"), ("forget", "demo", "--yes")])
@pytest.mark.parametrize("name", ["demo", "demo.lock", "demo.pipe", "demo/sandbox", "demo/sandbox/sandbox.db"])
def test_the_demo_refuses_its_own(
    nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    monkeypatch.setattr(demo_sandbox, "_make_pipe", lambda _: pytest.fail("it was started"))
    monkeypatch.setattr(web_command, "_serve", lambda *_: pytest.fail("a tab could be opened"))
    path = Path(nowhere.environ["XDG_DATA_HOME"]) / "frontdesk" / name
    path.parent.mkdir(parents=True)
    (path.parents[0 if name.count("/") == 0 else name.count("/")] / "demo").mkdir(exist_ok=True)
    path.mkdir(exist_ok=True)
    path.chmod(0o777)
    assert f"{path} can be changed by others; run: chmod go-w {path}" in nowhere.fails(2, *words)


def test_forget_deletes_none_that_others_could_change(frontdesk: Frontdesk, opened: Path) -> None:
    assert "nothing was deleted" in frontdesk.fails(2, "forget", opened.name, "--yes")
    assert (opened / "outbox.db").exists()


def test_nothing_is_kept_where_others_could_change_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    logs.chmod(0o777)
    monkeypatch.setattr(errors, "state_dir", lambda: logs)
    engine_main._log_to_file(logs)
    errors.report(ZeroDivisionError())
    said = capsys.readouterr().err
    assert f"keeping no log: {logs} can be changed by others; run: chmod go-w {logs}" in said
    assert "(ZeroDivisionError); the log couldn't be written" in said
    assert not list(logs.iterdir())


@pytest.mark.slow
def test_a_demo_made_under_a_lax_umask_opens_again(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        sandbox = demo_sandbox.DemoSandbox(tmp_path)
        urlopen(f"{sandbox.address}/sandbox/requests", timeout=30).close()
        sandbox.leave()
    finally:
        os.umask(before)
    demo_sandbox.check_demo(tmp_path)
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert {each.name for each in files} >= {"sandbox.db", "sandbox.log", "demo.lock"}
    assert not [each for each in files if each.stat().st_mode & 0o077]

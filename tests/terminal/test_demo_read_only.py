"""`frontdesk demo --read-only`: the keys that write reach the sandbox with nothing, and without it they do."""

import json
import os
import signal
from pathlib import Path
from urllib.request import urlopen

import pytest

from app.test_read_only import writes
from frontdesk.demo.sandbox_process import DemoSandbox
from terminal.service import FRONTDESK, Home
from terminal.terminal import ENTER, ESCAPE, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.slow, pytest.mark.xdist_group("pty")]

WRITING_KEYS = ("u", ">", "s", ENTER, ESCAPE, "t", ENTER, ESCAPE, "a", ENTER, ESCAPE, "d", "1", ESCAPE)
"""Undo, the next status, then status, tag, assign and due by their dialogs."""


def written(sandbox: DemoSandbox) -> list[tuple[str, str]]:
    """The writes of the interface that the sandbox has got."""
    with urlopen(f"{sandbox.address}/sandbox/requests", timeout=20) as answer:
        asked = [(each["method"], each["path"]) for each in json.loads(answer.read())]
    assert ("POST", "/tasks/list") in asked, "its own reads are in the list"
    return writes([each for each in asked if not each[1].startswith("/sandbox")])


def end(terminal: Terminal) -> None:
    """End a program whatever dialog is open, and wait until its engine has ended, too."""
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.wait_for_end()


def test_the_keys_that_write_send_nothing_to_the_sandbox(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    root = home.folder / "data" / "frontdesk"
    root.mkdir(parents=True, mode=0o700)
    sandbox = DemoSandbox(root)  # outlasts both runs
    try:
        with Terminal([FRONTDESK, "demo", "--read-only"], home.environment(None)) as terminal:
            terminal.wait_for("● live")
            terminal.wait_for("read-only")
            terminal.press("c")
            terminal.wait_for(r"frontdesk is\W+read-only")
            for key in WRITING_KEYS:
                terminal.press(key)
                terminal.wait_for_quiet(0.2)
            end(terminal)  # its engine would have sent what was queued
            assert written(sandbox) == []
        with Terminal([FRONTDESK, "demo"], home.environment(None)) as terminal:
            terminal.wait_for("● live")
            terminal.press("c")
            terminal.wait_for(lambda: [method for method, _ in written(sandbox)] == ["PATCH"])
            end(terminal)
    finally:
        sandbox.leave()

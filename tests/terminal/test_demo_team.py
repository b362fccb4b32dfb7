"""`frontdesk demo --team`: a desk a terminal, one of which reads for both."""

import os
import sys
from pathlib import Path

import pytest

from terminal.service import FRONTDESK, Home
from terminal.terminal import ENTER, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.slow, pytest.mark.xdist_group("pty")]

CTRL_Q = "\x11"
AS_ROOT = """\
import pytest
from postgres_server import find_binaries, replace_for_root

replace_for_root(pytest.MonkeyPatch().setattr, find_binaries())
import frontdesk.__main__
"""
"""The command as root, with the server of another user: PostgreSQL refuses root."""

START = [FRONTDESK] if os.geteuid() != 0 else [sys.executable, "-c", AS_ROOT]
COMMAND = [*START, "demo", "--team", "2"]
IN_THE_TEAM = r"live · (for the team|by \w+)"


def test_two_terminals_are_two_desks_and_see_each_other(tmp_path: Path) -> None:
    environment = Home(tmp_path / "home").environment(None) | {"PYTHONPATH": str(Path(__file__).parents[1])}
    with Terminal(COMMAND, environment) as one:
        one.wait_for(IN_THE_TEAM, seconds=90)
        with Terminal(COMMAND, environment) as two:
            two.wait_for(IN_THE_TEAM, seconds=90)
            two.wait_for("esc hide")
            two.press(ENTER)
            one.wait_for(r"\w+ here", seconds=60)
            with Terminal(COMMAND, environment) as three:
                three.wait_for("all 2 inboxes are open in other terminals")
            two.press(CTRL_Q)
            two.wait_for_end()
        one.press(CTRL_Q)
        one.wait_for_end()

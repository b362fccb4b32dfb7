"""`frontdesk demo --team`: a desk a terminal, one of which reads for both."""

from pathlib import Path

import pytest

from terminal.service import FRONTDESK, Home
from terminal.terminal import ENTER, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.slow, pytest.mark.xdist_group("pty")]

CTRL_Q = "\x11"
COMMAND = [FRONTDESK, "demo", "--team", "2"]
IN_THE_TEAM = r"live · (for the team|by \w+)"


def test_two_terminals_are_two_desks_and_see_each_other(tmp_path: Path) -> None:
    environment = Home(tmp_path / "home").environment(None)
    with Terminal(COMMAND, environment) as one:
        one.wait_for(IN_THE_TEAM, seconds=90)
        with Terminal(COMMAND, environment) as two:
            two.wait_for(IN_THE_TEAM, seconds=90)
            two.wait_for("esc hides this")
            two.press(ENTER)
            one.wait_for(r"\w+ here", seconds=60)
            with Terminal(COMMAND, environment) as three:
                three.wait_for("all 2 desks are open in other terminals")
            two.press(CTRL_Q)
            two.wait_for_end()
        one.press(CTRL_Q)
        one.wait_for_end()

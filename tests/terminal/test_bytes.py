"""What goes over the line: nothing while idle, and little for a key (design.md, section 11)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

FRAME = re.compile(rb"\x1b\[\?2026h.*?\x1b\[\?2026l", re.DOTALL)
BUDGET = 600


@pytest.fixture(scope="module")
def settled(
    service: Service, business: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Terminal]:
    """One program for all of these tests, live and with nothing left to read."""
    home = Home(tmp_path_factory.mktemp("settled"))
    home.fill(service, business[1])
    with Terminal([FRONTDESK], home.environment(service)) as terminal:
        terminal.wait_for("● live")
        terminal.wait_for_quiet(1.0)
        yield terminal
    end_all(home)


def first_frame(terminal: Terminal, key: str) -> bytes:
    """The first frame that the program sends for a key; those after it follow the cursor."""
    before = len(terminal.raw)
    terminal.press(key)
    terminal.wait_for(lambda: FRAME.search(terminal.raw, before))
    terminal.wait_for_quiet(0.5)
    return FRAME.findall(bytes(terminal.raw[before:]))[0]


def test_an_idle_screen_sends_nothing(settled: Terminal) -> None:
    """The engine polls, at its usual pace, and finds that nothing differs."""
    assert settled.count_for(3.0) == 0, bytes(settled.raw[-400:])


def test_a_cursor_move_in_the_inbox_sends_two_rows(settled: Terminal) -> None:
    settled.press("S", "S", "S")
    settled.wait_for("by name")  # names in Latin letters first: others take two bytes a letter
    settled.press("g")
    settled.wait_for_quiet(0.5)
    for key in "jjk":
        frame = first_frame(settled, key)
        assert len(frame) < BUDGET, frame


@pytest.mark.xfail(strict=True, reason="tui/screens/board.py: a card is four lines, a move paints eight")
def test_a_cursor_move_on_the_board_sends_two_cards(settled: Terminal) -> None:
    settled.resize(200, 40)
    settled.press("2")
    settled.wait_for(r"Open \d+")
    settled.wait_for_quiet(0.5)
    frame = first_frame(settled, "j")
    assert len(frame) < BUDGET, frame

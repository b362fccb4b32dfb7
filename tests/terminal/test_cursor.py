"""Where the terminal's own cursor is, by the bytes that were sent: screen readers follow it."""

import random

import pytest

from frontdesk_lines.widgets.line_view import BAR
from terminal.conftest import Open
from terminal.service import Home, Service
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

KEYS = 60
CTRL_D, CTRL_U, DOWN = "\x04", "\x15", "\x1b[B"
WITH_ROWS = {"1": "Conversations", "2": "Open", "4": "Workflows", "5": "AI agents"}
"""Screens that open on a list with rows, and a word on each."""


def under_cursor(terminal: Terminal) -> str:
    cursor = terminal.screen.cursor
    return str(terminal.screen.buffer[cursor.y][cursor.x].data)


def until_on_row(terminal: Terminal, seconds: float = 10.0) -> None:
    """Wait until the cursor is on a row's bar, with no bar of the same row above it.

    Raises:
        TimeoutError: it isn't.
    """
    cursor, buffer = terminal.screen.cursor, terminal.screen.buffer

    def is_on_row() -> bool:
        return under_cursor(terminal) == BAR and buffer[cursor.y - 1][cursor.x].data != BAR

    terminal.wait_for(is_on_row, seconds)


def test_the_cursor_is_on_the_focused_row_and_at_the_caret(
    filled_home: Home, opened: Open, service: Service, business: object
) -> None:
    filled_home.settle(requests_per_second=1000, requests_per_minute=6000, hints=False, cursor="shown")
    terminal = opened()
    terminal.wait_for("● live")
    terminal.wait_for(r"waiting > 1h +\d")
    chance = random.Random(22)
    for number in range(KEYS):
        key = chance.choice([*"jjkgG", CTRL_D, CTRL_U]) if number % 12 else chance.choice([*WITH_ROWS])
        terminal.press(key)
        if key in WITH_ROWS:
            terminal.wait_for(WITH_ROWS[key])
        terminal.wait_for_quiet(0.15)
        until_on_row(terminal)
    assert not terminal.screen.cursor.hidden

    terminal.press(":")
    terminal.wait_for("Type what you want to do")
    terminal.press(*"sort")
    terminal.wait_for(" sort ")
    terminal.wait_for_quiet(0.3)
    line, column = terminal.screen.cursor.y, terminal.screen.cursor.x
    assert terminal.text.split("\n")[line][:column].endswith("sort")
    terminal.press(DOWN)
    until_on_row(terminal)
    assert terminal.screen.cursor.y > line

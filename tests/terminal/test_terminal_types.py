"""Old terminals and locales get what they can show: bytes, colors and sequences of each."""

import re
from pathlib import Path

import pytest

from terminal.service import FRONTDESK, Home, Service
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.slow, pytest.mark.xdist_group("pty")]

CTRL_Q = "\x11"
XTERM_ONLY = re.compile(rb"\x1b\]|\x1b\[[<>]|\x1b\[\?[0-9;]*\$p|\x1b\[[0-9]*G")
"""Titles, kitty's keys, questions and columns: what a VT100 can't or would print."""


def run(home: Home, service: Service, *keys: str, **variables: str) -> Terminal:
    """Walk through screens and dialogs on a terminal, and quit."""
    environment = {**home.environment(service), **variables}
    del environment["COLORTERM"]
    with Terminal([FRONTDESK], environment) as terminal:
        terminal.wait_for(" live")
        assert "Conversations" in terminal.text
        for key in keys:
            terminal.press_and_settle(key)
        terminal.press(CTRL_Q)
        assert terminal.wait_for_end() == 0
    return terminal


def codes(terminal: Terminal) -> set[int]:
    """The numbers of all changes of the style."""
    found = re.findall(rb"\x1b\[([0-9;]*)m", bytes(terminal.raw))
    return {int(each) for row in found for each in row.split(b";") if each}


def test_a_vt100_without_utf8_gets_ascii_and_no_colors(
    home: Home, service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(service, business[1])
    terminal = run(home, service, "?", "\x1b", "2", TERM="vt100", LANG="C")
    assert bytes(terminal.raw).isascii()
    assert codes(terminal) - {0} <= {1, 2, 3, 4, 5, 7, 9, 22, 23, 24, 25, 27, 29}
    assert 7 in codes(terminal), "what is selected is seen without colors"
    assert not XTERM_ONLY.search(terminal.raw)
    assert b"Only ASCII is shown: the locale isn't UTF-8" in terminal.raw
    assert not terminal.text.strip(), "there is no second screen, so the last frame is cleared"


def test_the_linux_console_gets_its_colors_letters_and_ascii_signs(
    home: Home, service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(service, business[1])
    terminal = run(home, service, "?", "\x1b", "4", TERM="linux")
    letters = bytes(terminal.raw).decode()
    assert re.search("[\u0590-\u05ff]", letters), "Hebrew names"
    assert not re.search("[\u2190-\u2bff]", letters), "arrows, lines, blocks and signs"
    assert not codes(terminal) & {38, 48}
    assert codes(terminal) & set(range(30, 38))
    assert not XTERM_ONLY.search(terminal.raw)
    assert b"Only ASCII" not in terminal.raw


def test_an_xterm_without_utf8_gets_ascii_in_its_title_too(
    home: Home, service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(service, business[1])
    terminal = run(home, service, TERM="xterm", LC_ALL="C")
    assert bytes(terminal.raw).isascii()
    assert re.search(rb"\x1b\]2;(\(\d+\) )?frontdesk - env-", terminal.raw)

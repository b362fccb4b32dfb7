"""What goes to the terminal itself, byte for byte: title, bell, notification, copy; from inside tmux."""

import os
import re
import signal
from pathlib import Path

import pytest

from terminal.conftest import LINE
from terminal.service import FRONTDESK, Home, Service
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

HELLO = "Hello; is \x1b]0;OWNED\x07 anybody there?"
TOLD = (
    b"\x1bPtmux;\x1b\x1b]777;notify;Uma Quickhand;"
    b"Hello, is \xe2\x90\x9b]0,OWNED\xe2\x90\x87 anybody there?\x07\x1b\\"
)


def ask_for(service: Service, title: str) -> None:
    """A customer's task comes, of nobody's."""
    person = {"phoneNumberId": "C-Uma", "customerName": "Uma Quickhand"}
    task = {"title": title, "phoneNumberId": LINE, "participantsIdentifiers": f"{LINE}#C-Uma", "customer": person}
    service.ask("POST", "/sandbox/tasks", task)


def test_what_comes_is_told_once_and_the_title_comes_back(
    home: Home, own_service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(own_service, business[1])
    home.settle(notify="osc777", bell=True, hints=False, requests_per_second=1000, requests_per_minute=6000)
    environment = {**home.environment(own_service), "TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"}
    with Terminal([FRONTDESK], environment) as terminal:
        terminal.wait_for("● live")
        terminal.wait_for(lambda: b"\x1b]2;" in terminal.raw)
        assert re.findall(rb"\x1b\[22;2t\x1b\]2;((?:\(\d+\) )?frontdesk \xc2\xb7 env-[\w.-]+)\x07", terminal.raw)
        ask_for(own_service, HELLO)
        terminal.wait_for(lambda: b"\x07" + TOLD in terminal.raw)  # the bell before it
        ask_for(own_service, "And again")
        terminal.wait_for(lambda: b"Uma Quickhand;And again\x07" in terminal.raw)
        assert terminal.raw.count(TOLD) == 1
        terminal.press("y")
        terminal.wait_for("Copied(.|\n)*set-clipboard on")
        (itself, outside) = re.findall(rb"(\x1b\]52;c;\S+?\x07)(\x1bPtmux;\S+?\x07\x1b\\)", terminal.raw)[0]
        assert outside == b"\x1bPtmux;\x1b" + itself + b"\x1b\\"
        os.kill(terminal.pid, signal.SIGTERM)
        terminal.wait_for_end()
        assert terminal.raw.count(b"\x1b[22;2t") == terminal.raw.count(b"\x1b[23;2t") == 1


def test_where_the_terminal_takes_no_copy_the_text_is_shown(
    home: Home, service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(service, business[1])
    with Terminal([FRONTDESK], {**home.environment(service), "TERM": "linux"}) as terminal:
        terminal.wait_for(r"\* live")
        terminal.press("y")
        terminal.wait_for("Id or number(.|\n)*select it with the mouse")
        terminal.wait_for(lambda: b"\x1b[?1000l" in terminal.raw)
        assert b"\x1b]52;" not in terminal.raw
        terminal.press("q")
        terminal.wait_for("Conversations")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def test_a_mouse_that_is_left_to_the_terminal_is_never_asked_for(
    home: Home, service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(service, business[1])
    home.settle(mouse=False)
    with Terminal([FRONTDESK], home.environment(service)) as terminal:
        terminal.wait_for("● live")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert not re.search(rb"\x1b\[\?10(?:00|03|06|15)h", terminal.raw)

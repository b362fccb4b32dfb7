"""What goes to the terminal itself, byte for byte: title, bell, notification, copy; from inside tmux."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from terminal.conftest import LINE
from terminal.service import FRONTDESK, Home, Service
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

UMA = f"{LINE}#C-Uma"


def write(service: Service, conversation: str, text: str) -> None:
    """A customer writes now."""
    message = {
        "messageId": f"now-{time.time_ns()}",
        "participantsIdentifiers": conversation,
        "message": text,
        "createdAt": int(time.time() * 1000),
        "messageDirection": "incoming",
    }
    service.ask("POST", "/sandbox/messages", [message])


def test_a_message_is_told_once_and_the_title_comes_back(
    home: Home, own_service: Service, business: tuple[Path, Path]
) -> None:
    home.fill(own_service, business[1])
    home.settle(notify="osc777", bell=True, hints=False, requests_per_second=1000, requests_per_minute=6000)
    environment = {**home.environment(own_service), "TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"}
    with Terminal([FRONTDESK], environment) as terminal:
        terminal.wait_for("● live")
        terminal.wait_for(lambda: b"\x1b]2;" in terminal.raw)
        assert re.findall(rb"\x1b\[22;2t\x1b\]2;((?:\(\d+\) )?frontdesk \xc2\xb7 env-[\w.-]+)\x07", terminal.raw)
        write(own_service, UMA, "Hello; is \x1b]0;OWNED\x07 anybody there?")
        expected = b"\x1bPtmux;\x1b\x1b]777;notify;Uma Quickhand;Hello, is \xe2\x90\x9b]0,OWNED\xe2\x90\x87 anybody there?\x07\x1b\\"
        terminal.wait_for(lambda: expected in terminal.raw)
        assert b"\x07" + expected in terminal.raw, "the bell before it"
        write(own_service, UMA, "And again")
        terminal.wait_for(lambda: b"Uma Quickhand;And again\x07" in terminal.raw)
        assert terminal.raw.count(expected) == 1
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
        terminal.wait_for("● live")
        terminal.press("y")
        terminal.wait_for("The id or number(.|\n)*select it with the mouse")
        terminal.wait_for(lambda: b"\x1b[?1000l" in terminal.raw)
        assert b"\x1b]52;" not in terminal.raw
        terminal.press("q")
        terminal.wait_for("Conversations")
        terminal.press("q")
        assert terminal.wait_for_end() == 0

"""What a terminal sends that isn't a key changes nothing, and a terminal that goes away ends the program."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from itertools import cycle

import pytest

from lab.hostile.terminal_input import sequences
from terminal.conftest import Open
from terminal.service import FRONTDESK, Home, Service, wait_until_nothing_runs
from terminal.terminal import Terminal
from terminal.test_stories import LIVE, LOADED, find

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

SCREENS = {"2": "Open ", "3": "Campaigns", "4": "Workflows", "5": "AI agents", "1": "Conversations"}
READS = ("/tasks/list", "/getMessages")


def writes(service: Service) -> list[str]:
    """What was asked of the platform that isn't a read."""
    asked = service.ask("GET", "/sandbox/requests")
    return [
        f"{each['method']} {each['path']}"
        for each in asked
        if each["method"] in ("PATCH", "PUT", "DELETE") or (each["method"] == "POST" and each["path"] not in READS)
        if not each["path"].startswith(("/sandbox/", "/workflows"))
    ]


def test_no_reply_or_report_of_a_terminal_acts_on_any_screen_whole_or_in_pieces(
    opened: Open, service: Service, filled_home: Home
) -> None:
    terminal = opened(columns=160)
    terminal.wait_for(LIVE)
    terminal.wait_for(LOADED)
    tasks, sent = service.tasks(), writes(service)
    for key, title in SCREENS.items():
        terminal.press(key)
        terminal.wait_for(title)
        terminal.wait_for_quiet(0.3)
        for sequence, share in zip(sequences(), cycle((1, 2, 3, 5, 7)), strict=False):
            cut = max(1, len(sequence) * share // 8)
            for piece in (sequence, sequence[:cut], sequence[cut:]):
                terminal.send(piece)
            terminal.read(0)
        for sequence in (
            b"\x1b[A",
            b"\x1bOA",
            b"\x1b[<0;8;9M",
            b"\x1b[<0;8;9m",
            b"\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\",
        ):
            for at in (1, 2):
                terminal.send(sequence[:at])
                terminal.count_for(0.25)
                terminal.send(sequence[at:])
        terminal.wait_for_quiet(0.3)
        assert re.search(title, terminal.text)
    assert service.tasks() == tasks
    assert writes(service) == sent
    assert "to send" not in terminal.text


def test_pastes_run_no_keys_and_the_keyboard_works_after_them(
    opened: Open, service: Service, filled_home: Home
) -> None:
    terminal = opened(columns=160)
    find(terminal, "Tess Statusstory")
    before = service.task("task-C-tess")
    for paste in ("\x1b[200~cAdM\x1b[c\x1b[201~", "call Ada, Dan\rcomplete it\r", "\x1b[200~cAdM"):
        terminal.press(paste)
        terminal.wait_for("Pasted text runs no keys")  # after two seconds where its end is lost
        terminal.press("U")
        terminal.wait_for(lambda: "Pasted text" not in terminal.text)
    terminal.press("/")
    terminal.wait_for("enter keep")
    terminal.press("\x1b[200~ \x1b[201~", "xq")
    terminal.wait_for("“xq”")
    assert service.task("task-C-tess") == before


def test_a_byte_of_another_encoding_is_a_replacement_sign(opened: Open, filled_home: Home) -> None:
    terminal = opened()
    terminal.wait_for(LOADED)
    terminal.press("/")
    terminal.wait_for("enter keep")
    terminal.send(b"caf\xe9")
    terminal.wait_for("caf\ufffd")
    terminal.press("x")
    terminal.wait_for("caf\ufffdx")


def test_a_terminal_that_goes_away_without_a_signal_ends_program_and_engine(
    filled_home: Home, service: Service
) -> None:
    """As in a container, or under a program that isn't the terminal's session leader: nobody sends SIGHUP."""
    ours, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    program = subprocess.Popen([FRONTDESK], env=filled_home.environment(service), start_new_session=True, **ends)
    os.close(theirs)
    shown = b""
    while b"live" not in shown:
        shown += os.read(ours, 65536)
    os.close(ours)
    program.wait(30)
    wait_until_nothing_runs(filled_home)


def test_a_terminal_that_takes_nothing_does_not_keep_it_from_ending(opened: Open, filled_home: Home) -> None:
    """Flow control (ctrl+s), or a connection that is stuck: the app waits for its terminal in the event loop."""
    terminal = opened(columns=160)
    terminal.wait_for(LIVE)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        terminal.press(*"jk2j1")
        time.sleep(0.02)
    os.kill(terminal.pid, signal.SIGTERM)
    while os.waitid(os.P_PID, terminal.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        assert time.monotonic() < end + 30, "SIGTERM does nothing"
        time.sleep(0.05)


CRASH = """
import sys
from frontdesk_lines.textual_compat import input_reader

def feed(self, data, now):
    raise ValueError("no such key")

input_reader.InputReader.feed = feed
from frontdesk.cli.main import run
sys.exit(run([]))
"""


def test_a_crash_of_the_thread_that_reads_keys_is_reported_as_every_crash(
    filled_home: Home, service: Service
) -> None:
    with Terminal([sys.executable, "-c", CRASH], filled_home.environment(service)) as terminal:
        terminal.wait_for(LOADED)
        terminal.press("j")
        assert terminal.wait_for_end() == 1
        assert "frontdesk crashed. Your changes are saved" in terminal.text
        assert "no such key" in terminal.text

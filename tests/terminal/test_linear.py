"""`frontdesk --linear` as it is installed: from a pipe, and at a prompt in a real terminal."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from frontdesk_sandbox import fixtures
from terminal.conftest import LINE, Open
from terminal.service import FRONTDESK, Home, Service, processes_of, wait_until_nothing_runs
from terminal.terminal import Ended

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

CTRL_C, CTRL_D = "\x03", "\x04"


def test_a_script_reads_a_list_opens_a_thread_and_has_a_deed_confirmed(
    service: Service, filled_home: Home
) -> None:
    script = "find zelda\nopen 1\nme\nwait 60\nnonsense\n"
    run = subprocess.run(
        [FRONTDESK, "--linear"],
        input=script.encode() + b"find \xff\xfe\nquit\n",
        env=filled_home.environment(service),
        capture_output=True,
        timeout=90,
        check=False,
    )
    assert (run.returncode, run.stderr) == (1, b""), "a command failed: nonsense"
    said = run.stdout.decode()
    assert "Conversations with zelda, 1, longest waiting first:" in said
    assert "The newest 10 messages, oldest first:" in said
    assert "Zelda Longthread: number 119" in said
    assert "Assigned to you: Numbered thread (Zelda Longthread). To undo, type undo." in said
    assert "Everything is loaded, sent and confirmed." in said
    assert "Unknown command nonsense." in said
    assert not any(ord(each) < 32 for each in said.replace("\n", ""))
    assert service.task("task-C-zelda")["assignedAgentIds"] == [fixtures.ME.id]
    wait_until_nothing_runs(filled_home)


def test_at_a_prompt_news_comes_without_destroying_what_is_typed(
    opened: Open, service: Service, filled_home: Home
) -> None:
    terminal = opened("--linear", columns=200)
    terminal.wait_for("frontdesk>")
    terminal.press("announce now\r")
    terminal.wait_for("Notifications are shown immediately")
    terminal.wait_for(lambda: "Connection: live" in terminal.text)
    terminal.press("find tess\r", "open 1\r")
    terminal.wait_for("No messages in this thread|The newest")
    terminal.press("ne")
    terminal.wait_for(r"> ne\s")
    message = {
        "messageId": "linear-1",
        "participantsIdentifiers": f"{LINE}#C-tess",
        "message": "are you there?",
        "createdAt": time.time() * 1000,
        "messageDirection": "incoming",
    }
    service.ask("POST", "/sandbox/messages", [message])
    terminal.wait_for(r"New message from Tess Statusstory, in the open conversation: are you there\?.*\n.*> ne\s")
    terminal.press("wer\r")
    terminal.wait_for(r"\d\d:\d\d, Tess Statusstory: are you there\?\s+frontdesk>")
    assert b"\x1b" not in terminal.raw
    assert terminal.raw.count(b"\r") == terminal.raw.count(b"\r\n")
    terminal.press("half a line")
    # Echoed, it is being read: readline misses a ctrl+c that comes with the prompt until the next key.
    terminal.wait_for("> half a line")
    terminal.press(CTRL_C)
    terminal.wait_for("Line canceled")
    terminal.press(CTRL_D)
    assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(filled_home)
    history = filled_home.store(service) / "linear_history"
    assert history.read_text().splitlines() == ["announce now", "find tess", "open 1", "newer"]
    assert history.stat().st_mode & 0o777 == 0o600


def test_a_signal_that_comes_with_the_prompt_waits_for_no_key(opened: Open, filled_home: Home) -> None:
    terminal = opened("--linear")
    for count in range(1, 26):
        terminal.wait_for(lambda: terminal.raw.endswith(b"frontdesk> "))
        terminal.press(CTRL_C)
        terminal.wait_for(lambda count=count: terminal.raw.count(b"Line canceled") == count)
    terminal.wait_for(lambda: terminal.raw.endswith(b"frontdesk> "))
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(filled_home)


@pytest.mark.parametrize(("end", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_ends_while_the_engine_starts(
    opened: Open, filled_home: Home, end: signal.Signals, status: int
) -> None:
    terminal = opened("--linear")
    terminal.wait_for("linear mode")
    os.kill(terminal.pid, end)
    with suppress(Ended):
        terminal.wait_for(lambda: terminal.status is not None or "Line canceled" in terminal.text)
    if "Line canceled" in terminal.text:  # the engine was quicker, on a busy machine
        terminal.press("quit", "\r")
        status = 0
    assert terminal.wait_for_end() == status
    wait_until_nothing_runs(filled_home)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP])
def test_it_goes_when_it_is_told_to_or_its_terminal_does(
    opened: Open, filled_home: Home, end: signal.Signals
) -> None:
    terminal = opened("--linear")
    terminal.wait_for("frontdesk>")
    terminal.wait_for(lambda: any("frontdesk.engine.main" in line for line in processes_of(filled_home).values()))
    if end is signal.SIGHUP:
        terminal.hang_up()
        terminal.wait_for_death()
    else:
        os.kill(terminal.pid, end)
        assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(filled_home)

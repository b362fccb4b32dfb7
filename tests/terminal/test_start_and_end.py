"""Starting without anything, starting fast, and leaving nothing behind."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from frontdesk.storage.database_files import LEADER_LOCK
from source_tree import SOURCE
from terminal.conftest import Open
from terminal.service import FRONTDESK, Home, Service, processes_of, wait_until_nothing_runs
from terminal.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

# Runs the inbox, and says what was imported when the first paint is done: the engine would start then.
FIRST_PAINT = """
import sys
import time
from pathlib import Path
from frontdesk.engine.supervisor import EngineProcess

def started(self):
    Path(sys.argv[1]).write_text("\\n".join(sorted(sys.modules)))

EngineProcess.start = started
sys.argv[1:], paths = [], sys.argv[1:]
sys.argv += paths
from frontdesk.cli.main import run
sys.exit(run([]))
"""
LATER = {
    *("httpx", "httpcore", "h11", "anyio", "truststore", "certifi", "requests", "urllib3", "aiohttp"),
    *(
        "http.client",
        "urllib.request",
        "pydantic",
        "pydantic_core",
        "typer",
        "click",
        "dateparser",
        "phonenumbers",
    ),
    *("fastapi", "starlette", "uvicorn", "faker"),
    *("frontdesk_api.client", "frontdesk.engine.engine", "frontdesk_sandbox", "frontdesk_api.contract.endpoints"),
    # Kinds of changes: their handlers are loaded on the writer thread, after the first paint.
    *("frontdesk.registry.changes", "frontdesk.campaigns.changes", "frontdesk.workflows.changes"),
    *("frontdesk.campaigns.models", "frontdesk.campaigns.view.change"),
    # What a person opens later.
    *("frontdesk.linear", "frontdesk.tui.dialogs", "frontdesk.text.due_parser", "frontdesk.text.questions"),
    *("frontdesk.inbox.search", "frontdesk.inbox.customer_lookup", "textual.widgets._text_area"),
    # What an engine polls by; a screen asks it when data is late.
    *("frontdesk.sync.scheduler", "frontdesk.sync.freshness", "frontdesk.sync.team_role"),
    *("frontdesk.tasks.tui.screen", "frontdesk.campaigns.tui.screen", "frontdesk.activity.tui.screen"),
}


def engines(home: Home) -> list[int]:
    return [pid for pid, line in processes_of(home).items() if "frontdesk.engine.main" in line]


def test_without_a_profile_it_offers_the_demo_and_an_account(opened: Open, home: Home) -> None:
    terminal = opened(at=None)
    terminal.wait_for("Welcome to frontdesk")
    assert "Try the demo" in terminal.text
    assert "Set up your account" in terminal.text
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(home)


def test_the_demo_opens_from_there_and_takes_its_sandbox_with_it(opened: Open, home: Home) -> None:
    terminal = opened(at=None)
    terminal.wait_for("Try the demo")
    terminal.press("1")
    terminal.wait_for("● live")
    terminal.wait_for(r"Conversations · [1-9]")
    assert any("frontdesk_sandbox" in line for line in processes_of(home).values())
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    wait_until_nothing_runs(home)


def test_nothing_that_talks_to_a_network_is_imported_before_the_first_paint(
    filled_home: Home, service: Service, tmp_path: Path
) -> None:
    said = tmp_path / "modules"
    argv = [sys.executable, "-c", FIRST_PAINT, str(said)]
    with Terminal(argv, filled_home.environment(service)) as terminal:
        terminal.wait_for(r"Conversations · [1-9]")
        terminal.wait_for(said.exists)
        loaded = set(said.read_text().split())
    assert "textual" in loaded
    assert "frontdesk.inbox.tui.screen" in loaded
    assert not sorted(loaded & LATER)


def test_an_upgrade_under_an_open_inbox_is_said_at_the_next_key_and_the_screen_stays(
    filled_home: Home, service: Service, tmp_path: Path
) -> None:
    copy = tmp_path / "copy" / "frontdesk"
    shutil.copytree(SOURCE, copy.parent)
    environment = filled_home.environment(service) | {"PYTHONPATH": str(copy.parent)}
    with Terminal([FRONTDESK], environment) as terminal:
        terminal.wait_for("● live")
        copy.rename(copy.parent / "gone")
        terminal.press("d")
        terminal.wait_for("frontdesk was updated; quit and start it again")
        assert re.search(r"Conversations · [1-9]", terminal.text)
        terminal.wait_for_quiet(1.0)  # keys typed in one go with the refused one are for its dialog
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert "Traceback" not in terminal.text


def test_a_terminal_that_goes_away_takes_program_and_engine_with_it(opened: Open, filled_home: Home) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    assert len(engines(filled_home)) == 1
    terminal.hang_up()
    terminal.wait_for_death()
    wait_until_nothing_runs(filled_home)


def test_a_program_that_is_killed_leaves_no_engine(opened: Open, filled_home: Home) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    assert len(engines(filled_home)) == 1
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.wait_for_end()
    wait_until_nothing_runs(filled_home)


def assert_left_as_it_was_found(terminal: Terminal) -> None:
    """Every mode that was switched on is off again, and the cursor is there."""
    sent = bytes(terminal.raw)
    for mode in (b"1049", b"1000", b"1003", b"1004", b"1006", b"2004"):
        assert sent.rfind(b"\x1b[?%sh" % mode) <= sent.rfind(b"\x1b[?%sl" % mode), mode
    assert sent.rfind(b"\x1b[?25l") < sent.rfind(b"\x1b[?25h")
    # Whether the terminal reorders right-to-left text (ECMA-48, BDSM), which it does unless told not to.
    assert 0 < sent.rfind(b"\x1b[8l") < sent.rfind(b"\x1b[8h")


def test_the_terminal_is_left_as_it_was_found(opened: Open, filled_home: Home) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert_left_as_it_was_found(terminal)


def test_the_terminal_is_left_as_it_was_found_by_a_program_that_is_told_to_end(
    opened: Open, filled_home: Home
) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.wait_for_end()
    assert_left_as_it_was_found(terminal)


def test_an_engine_without_a_screen_ends_with_its_command(filled_home: Home, service: Service) -> None:
    command = subprocess.Popen([FRONTDESK, "sync"], env=filled_home.environment(service), stderr=subprocess.PIPE)
    assert command.stderr is not None
    assert b"keeping the store up to date" in command.stderr.readline()
    assert command.stderr.readline() == b"frontdesk: live\n"
    command.stderr.close()
    lock = filled_home.store(service) / LEADER_LOCK
    while not lock.exists():
        assert command.poll() is None
        time.sleep(0.05)
    command.terminate()
    assert command.wait(timeout=30) == 0
    wait_until_nothing_runs(filled_home)


def state_of(pid: int) -> str:
    """What the kernel says that a process does: R, S, T for stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def without_counts(text: str) -> str:
    """The screen without how many are in each view: others' changes may still be on their way."""
    return re.sub(r"(mine|unassigned|overdue|waiting > 1h) \d+ *", r"\1 ", text)


def test_after_a_stop_and_a_return_the_screen_is_painted_whole(opened: Open, filled_home: Home) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    terminal.wait_for_quiet(0.5)
    shown = terminal.text
    os.kill(terminal.pid, signal.SIGTSTP)
    while state_of(terminal.pid) != "T":
        terminal.read(0.05)
    terminal.wait_for_quiet(0.3)
    assert terminal.raw.rfind(b"\x1b[8h") > terminal.raw.rfind(b"\x1b[8l"), "the shell's lines are reordered again"
    terminal.screen.reset()
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.wait_for("● live")
    terminal.wait_for_quiet(0.5)
    assert without_counts(terminal.text) == without_counts(shown)
    assert terminal.raw.rfind(b"\x1b[8l") > terminal.raw.rfind(b"\x1b[8h")


def test_a_store_that_is_damaged_under_an_open_inbox_is_set_aside_and_read_again(
    opened: Open, filled_home: Home, service: Service
) -> None:
    terminal = opened()
    terminal.wait_for("● live")
    store = filled_home.store(service) / "store.db"
    with store.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (store.stat().st_size - 4096))
    store.with_name("store.db-wal").write_bytes(b"")
    terminal.press(*"jjjSSjj")
    terminal.wait_for("was damaged and set aside")
    terminal.wait_for("● live")
    terminal.wait_for(r"Conversations · [1-9]")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert [path.name for path in store.parent.glob("store.db.damaged-*")]


def test_a_key_given_twice_refuses_to_start_and_names_both(opened: Open, home: Home) -> None:
    path = home.folder / "config" / "frontdesk" / "config.toml"
    path.write_text('[settings.keymap]\n"task.assign" = "t"\n')
    terminal = opened()
    assert terminal.wait_for_end() == 2
    assert "t is assigned to both 'task.assign' and 'conversation.tag'" in " ".join(terminal.text.split())

"""A tab's terminal with a real frontdesk in it."""

import os
import signal

import pytest

from frontdesk.web.terminal import (
    MAX_COLUMNS,
    MAX_ROWS,
    TabTerminal,
    set_size,
    start_terminal,
    tab_environment,
)

pytestmark = [pytest.mark.anyio, pytest.mark.pty]


async def read_until(terminal: TabTerminal, wanted: bytes) -> bytes:
    found = b""
    while wanted not in found and (data := await terminal.read()):
        found += data
    return found


async def test_the_program_writes_to_a_terminal_and_its_end_is_noticed(home: dict[str, str]) -> None:
    terminal = await start_terminal(["--version"], home, 80, 24)
    assert (await read_until(terminal, b"nothing has this")).startswith(b"frontdesk ")
    await terminal.close()
    await terminal.write(b"too late")
    terminal.resize(1, 1)
    assert await terminal.read() == b""


async def test_closing_it_hangs_up_on_the_program(home: dict[str, str]) -> None:
    terminal = await start_terminal(["sandbox", "--port", "0", "--no-crowd"], home, 80, 24)
    assert b"sandbox ready at" in await read_until(terminal, b"ready at")
    await terminal.close()
    assert terminal._process.returncode == -signal.SIGHUP


@pytest.mark.parametrize(
    ("asked", "size"),
    [((100, 30), (100, 30)), ((0, -5), (1, 1)), ((10**9, 10**9), (MAX_COLUMNS, MAX_ROWS))],
)
def test_a_size_stays_within_limits(asked: tuple[int, int], size: tuple[int, int]) -> None:
    master, slave = os.openpty()
    set_size(master, *asked)
    assert os.get_terminal_size(slave) == size
    os.close(master)
    os.close(slave)


def test_the_environment_describes_the_tab_and_keeps_the_rest() -> None:
    environ = {
        "TMUX": "x",
        "SSH_TTY": "x",
        "TERM": "dumb",
        "VTE_VERSION": "1",
        "FRONTDESK_PROFILE": "work",
        "A": "b",
    }
    assert tab_environment(environ) == {
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TERM_PROGRAM": "frontdesk-web",
        "FRONTDESK_PROFILE": "work",
        "A": "b",
    }

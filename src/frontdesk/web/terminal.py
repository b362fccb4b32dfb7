"""A pseudo-terminal with a frontdesk in it, for one tab of the browser; `server.py` carries its bytes.

A real terminal rather than Textual's web driver: the screens write what `frontdesk_lines`' own driver makes for
any terminal, an editor can take over, and when this process dies, the kernel hangs up on the program.
"""

import asyncio
import contextlib
import fcntl
import os
import signal
import struct
import sys
import termios
from collections.abc import Callable, Mapping, Sequence

from frontdesk.tui.desktop import WEB_TAB

MAX_COLUMNS, MAX_ROWS = 500, 200
"""The most cells that a tab may ask for; browsers zoomed out to a third have fewer."""

END_SECONDS = 5.0
"""How long a program may take to end once its terminal is closed."""

_READ_BYTES = 1 << 16

_OF_ANOTHER_TERMINAL = (
    *("TMUX", "STY", "LINES", "COLUMNS", "VTE_VERSION", "KONSOLE_VERSION"),
    *("SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"),
)
"""Variables that describe the terminal in which `frontdesk web` was started."""


class TabTerminal:
    """A pseudo-terminal, of which this process has the non-blocking `master`, and the program in it."""

    def __init__(self, master: int, process: asyncio.subprocess.Process) -> None:
        self._master, self._process = master, process
        self._loop = asyncio.get_running_loop()
        self._is_closed = False

    async def read(self) -> bytes:
        """Return what the program has written since; nothing once it has ended or the terminal is closed."""
        while not self._is_closed:
            try:
                return os.read(self._master, _READ_BYTES)
            except BlockingIOError:
                await self._ready(self._loop.add_reader, self._loop.remove_reader)
            except OSError:  # Linux's EIO: no process has the other end open
                break
        return b""

    async def write(self, data: bytes) -> None:
        """Type bytes; waits while the program doesn't read them."""
        while data and not self._is_closed:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                await self._ready(self._loop.add_writer, self._loop.remove_writer)
            except OSError:
                return

    def resize(self, columns: int, rows: int) -> None:
        """Change the size in cells, within limits; the kernel tells the program."""
        if not self._is_closed:
            set_size(self._master, columns, rows)

    async def close(self) -> None:
        """Hang up and wait until the program has ended; a program that doesn't is killed."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._master)
            self._loop.remove_writer(self._master)
            os.close(self._master)
        try:
            await asyncio.wait_for(self._process.wait(), END_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    async def _ready(self, add: Callable[..., object], remove: Callable[[int], object]) -> None:
        ready: asyncio.Future[None] = self._loop.create_future()

        def set_ready() -> None:
            if not ready.done():
                ready.set_result(None)

        add(self._master, set_ready)
        try:
            await ready
        finally:
            if not self._is_closed:
                remove(self._master)


async def start_terminal(
    arguments: Sequence[str], environ: Mapping[str, str], columns: int, rows: int
) -> TabTerminal:
    """Start `frontdesk ARGUMENTS` in a terminal of its own; raise OSError if there is none to be had."""
    master, slave = os.openpty()
    try:
        set_size(master, columns, rows)
        os.set_blocking(master, False)
        command = [sys.executable, "-P", "-m", "frontdesk.app.web_child", *arguments]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=slave, stdout=slave, stderr=slave, env=tab_environment(environ), start_new_session=True
        )
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    return TabTerminal(master, process)


def tab_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program in a tab: it describes the tab, not where the server was started."""
    kept = {name: value for name, value in environ.items() if name not in _OF_ANOTHER_TERMINAL}
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": WEB_TAB}


def set_size(terminal: int, columns: int, rows: int) -> None:
    """Set a terminal's size in cells, at least 1 and at most the limits of this module."""
    width, height = min(max(columns, 1), MAX_COLUMNS), min(max(rows, 1), MAX_ROWS)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

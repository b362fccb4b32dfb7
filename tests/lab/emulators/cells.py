"""What terminal emulators have in each cell after a program wrote to them.

pyte, and tmux and GNU screen where they are there.
"""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte

Cells = dict[tuple[int, int], str]
"""By column and row, from 0; a blank or the second half of a wide sign is not in it."""


class Pyte:
    """A pyte that is written to step by step."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)

    def cells(self, written: str) -> Cells:
        """The cells after this was written too."""
        self._stream.feed(written)
        rows = self._screen.buffer
        return {(x, y): cell.data for y, row in rows.items() for x, cell in row.items() if cell.data.strip()}


def has_tmux() -> bool:
    """Whether there is a tmux to ask."""
    return shutil.which("tmux") is not None


class Tmux:
    """A tmux server of our own with one pane, in which written bytes can be looked at cell by cell."""

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        self._socket, self._file = folder / "tmux", folder / "written"
        self.columns, self.rows = columns, rows
        self._asked = 0
        self._call("new-session", "-d", "-x", str(columns), "-y", str(rows), "exec sleep 1000")
        self._call("set", "-g", "status", "off")
        self._call("set", "-g", "remain-on-exit", "on")

    def _call(self, *words: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    def cells(self, written: str) -> Cells:
        """The cells after this was written to an empty pane.

        A rectangle of one column is selected and copied for each column: tmux says in no other way
        which cell a character is in. The first line has to be plain, since the columns are counted there.
        """
        plain = "".join(chr(65 + x % 26) for x in range(self.columns))
        self._asked += 1
        painted = f"painted {self._asked}"
        self._file.write_text(f"\x1b[2J\x1b[?25l{written}\x1b[1;1H\x1b[0m{plain}\x1b[1;1H\x1b]2;{painted}\x07")
        self._call("respawn-pane", "-k", f"cat '{self._file}'; exec sleep 1000")
        end = time.monotonic() + 30
        while self._call("display-message", "-p", "#{pane_title}").strip() != painted:
            assert time.monotonic() < end, "tmux never had it all"
        cells: Cells = {}
        for x in range(self.columns):
            column = self._copied(x).split("\n")
            cells |= {(x, y): char for y, char in enumerate(column) if y > 0 and char.strip()}
        return cells

    def _copied(self, x: int) -> str:
        moves = ["top-line", "start-of-line", *([f"-N {x} cursor-right"] if x else [])]
        moves += ["begin-selection", "rectangle-toggle", f"-N {self.rows - 1} cursor-down"]
        steps = ["copy-mode", ";"]
        for move in (*moves, "copy-selection-and-cancel"):
            *times, name = move.split()
            steps += ["send-keys", *times, "-X", name, ";"]
        return self._call(*steps, "show-buffer")

    def close(self) -> None:
        """End the server."""
        subprocess.run(["tmux", "-S", str(self._socket), "kill-server"], check=False, capture_output=True)


@contextmanager
def tmux(folder: Path, columns: int, rows: int) -> Iterator[Tmux]:
    """A tmux that is gone afterwards."""
    opened = Tmux(folder, columns, rows)
    try:
        yield opened
    finally:
        opened.close()


def has_screen() -> bool:
    """Whether there is a GNU screen to ask."""
    return shutil.which("screen") is not None


class GnuScreen:
    """A session of GNU screen of our own, whose hardcopy has one byte for each column."""

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        self._written, self._copy = folder / "piped", folder / "hardcopy"
        self.columns, self.rows = columns, rows
        self._asked = 0
        # A socket's path has to be short, and pytest's folders are not.
        self._sockets = tempfile.TemporaryDirectory(prefix="screen")
        os.mkfifo(self._written)
        self._environment = {
            "PATH": "/usr/bin:/bin",
            "SCREENDIR": self._sockets.name,
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        db = f"stty -opost; while :; do cat '{self._written}'; done"
        argv = ["screen", "-U", "-c", "/dev/null", "-S", "cells", "sh", "-c", db]
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execvpe(argv[0], argv, self._environment)
            finally:
                os._exit(127)
        self._drain = threading.Thread(target=self._forget_what_it_paints, daemon=True)
        self._drain.start()

    def cells(self, written: str) -> Cells:
        """The cells after this was written too: of each character the low byte, as a character.

        The first row is not in it: it says when all was drawn. All others but the last have to reach
        the right edge, as rows within a border do.
        """
        self._asked += 1
        painted = f"painted {self._asked}."
        end = time.monotonic() + 30
        self._write(f"{written}\x1b[1;1H\x1b[0m{painted.ljust(self.columns)}".encode(), end)
        while not (rows := self._hardcopy()) or not rows[0].startswith(painted.encode()):
            assert time.monotonic() < end, "screen never had it all"
        return {
            (x, y): chr(byte)
            for y, row in enumerate(rows)
            for x, byte in enumerate(row)
            if y > 0 and byte not in b" \xff"
        }

    def close(self) -> None:
        """End the session."""
        self._call("quit")
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._drain.join()
        os.close(self._terminal)
        self._sockets.cleanup()

    def _write(self, data: bytes, end: float) -> None:
        """Into the pipe, which nobody reads where the session did not start."""
        while True:
            try:
                pipe = os.open(self._written, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:
                assert time.monotonic() < end, "screen does not read"
        os.set_blocking(pipe, True)
        with os.fdopen(pipe, "wb") as opened:
            opened.write(data)

    def _hardcopy(self) -> list[bytes]:
        self._copy.unlink(missing_ok=True)
        self._call("hardcopy", str(self._copy))
        end = time.monotonic() + 1
        while not self._copy.exists() or (had := self._copy.read_bytes()).count(b"\n") < self.rows:
            if time.monotonic() > end:  # it is written bit by bit
                return []
        lines = had.split(b"\n")
        rows, line = lines[:1], b""
        for each in lines[1:]:
            # A letter with marks gets a number in screen, and its low byte may be that of a line feed.
            line = line + b"\n" + each if line else each
            if len(line) >= self.columns or len(rows) == self.rows - 1:
                rows.append(line)
                line = b""
        return rows[: self.rows]

    def _call(self, *words: str) -> None:
        command = ["screen", "-S", "cells", "-X", *words]
        subprocess.run(command, check=False, capture_output=True, env=self._environment, timeout=60)

    def _forget_what_it_paints(self) -> None:
        while True:
            if select.select([self._terminal], [], [], 0.1)[0]:
                try:
                    if not os.read(self._terminal, 1 << 16):
                        return
                except OSError:
                    return


@contextmanager
def gnu_screen(folder: Path, columns: int, rows: int) -> Iterator[GnuScreen]:
    """A GNU screen that is gone afterwards."""
    opened = GnuScreen(folder, columns, rows)
    try:
        yield opened
    finally:
        opened.close()

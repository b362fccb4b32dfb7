"""What terminal emulators have in each cell after a program wrote to them: pyte, and tmux where it is there."""

import shutil
import subprocess
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

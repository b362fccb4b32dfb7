"""Hostile text as terminal emulators paint it: pyte, and xterm.js where node has `@xterm/headless`.

What an emulator does beyond painting is a fault: it answers, rings, changes its title or its modes.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyte

from lab.hostile.terminal_bytes import unsafe_letters
from lab.hostile.walk import COLUMNS, ROWS

PROGRAM = Path(__file__).with_name("xterm_faults.js")
Written = tuple[str, str]
"""A place, and what was written there."""


_OSC = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Titles and copies, which pyte would paint; `terminal_bytes` has judged them."""


class _WatchedScreen(pyte.Screen):
    """A screen that notes what no program of ours asks a terminal for."""

    def __init__(self, columns: int, rows: int) -> None:
        self.noted: list[str] = []
        super().__init__(columns, rows)
        self.noted.clear()

    def bell(self, *_: Any) -> None:
        self.noted.append("bell")

    def reset(self) -> None:
        self.noted.append("reset")
        super().reset()

    def write_process_input(self, data: str) -> None:
        self.noted.append(f"answer {data!r}")

    def set_icon_name(self, param: str) -> None:
        self.noted.append(f"icon {param!r}")

    def define_charset(self, code: str, mode: str) -> None:
        self.noted.append(f"letters {code!r}")
        super().define_charset(code, mode)

    def alignment_display(self) -> None:
        self.noted.append("alignment")

    def set_margins(self, *args: Any, **named: Any) -> None:
        self.noted.append(f"margins {args}")
        super().set_margins(*args, **named)


def pyte_faults(written: Sequence[Written]) -> list[str]:
    """What pyte did besides painting, and what it has in its cells that isn't for a screen."""
    screen = _WatchedScreen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    found: list[str] = []
    for place, text in written:
        stream.feed(_OSC.sub("", text))
        cells = "".join(cell.data for row in screen.buffer.values() for cell in row.values())
        found += [f"pyte, {place}: {each}" for each in (*screen.noted, *unsafe_letters(cells))]
        screen.noted.clear()
    return found


def has_xterm() -> bool:
    """Whether node can load xterm.js; NODE_PATH says where it is."""
    node = shutil.which("node")
    if node is None:
        return False
    return (
        subprocess.run([node, "-e", "require('@xterm/headless')"], capture_output=True, check=False).returncode
        == 0
    )


def xterm_faults(written: Sequence[Written]) -> list[str]:
    """The same of xterm.js."""
    told = json.dumps({"columns": COLUMNS, "rows": ROWS, "written": written}).encode("utf-8", "replace")
    ran = subprocess.run(["node", str(PROGRAM)], input=told, capture_output=True, check=True, env=dict(os.environ))
    found: list[str] = []
    for place, noted, cells in json.loads(ran.stdout):
        found += [f"xterm.js, {place}: {each}" for each in (*noted, *unsafe_letters(cells))]
    return found


def emulator_faults(*runs: Sequence[Written]) -> list[str]:
    """The faults of all emulators that are here; each run begins on an empty screen."""
    found: list[str] = []
    for written in runs:
        found += pyte_faults(written)
        if has_xterm():
            found += xterm_faults(written)
    return found

"""Write each frame in one piece, with every character in its cell, and turn mouse reports on or off.

Leans on `textual._ansi_sequences.SYNC_START` and `SYNC_END`, with which `App._begin_update` and `_end_update`
frame what they write, on `App._driver`, and on `LinuxDriver._enable_mouse_support` and `_disable_mouse_support`
(8.2.8). Textual hands a frame to its writer's thread in three pieces, each of which wakes that thread up, and
has no public way to leave the mouse to the terminal for a while.

Guarantees the same bytes in the same order, but for `position_cells` and the terminal's order of right-to-left
text (`ExplicitOrderDriver`). Another driver than Linux's is left alone.
"""

import os
from typing import Any

from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

from frontdesk.tui.textual_compat.cell_positioning import position_cells

# ECMA-48, BDSM: in explicit mode each character stays in the cell that it was written to. The default
# is implicit mode (terminal-wg.pages.freedesktop.org/bidi), so that is what is left behind.
EXPLICIT = "\x1b[8l"
IMPLICIT = "\x1b[8h"


class CellDriver(LinuxDriver):
    """Puts what is written into its cells, in whatever order the terminal likes, and a frame in one piece.

    Textual hands a frame to the thread that writes in three, and each wakes that thread up: the first cells
    would wait until the two threads had taken turns.
    """

    _frame: str | None = None
    """What there is of a frame that has begun."""

    def write(self, data: str) -> None:
        if data == SYNC_START:
            self._frame = data
        elif self._frame is None:
            super().write(position_cells(data))
        elif data == SYNC_END:
            frame, self._frame = self._frame, None
            super().write(frame + data)
        else:
            self._frame += position_cells(data)


class ExplicitOrderDriver(CellDriver):
    """Keeps the terminal from reordering what comes in order; for as long as the screen is ours."""

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.write(for_terminal(EXPLICIT))
        self.flush()

    def stop_application_mode(self) -> None:
        self.write(for_terminal(IMPLICIT))
        super().stop_application_mode()


def for_terminal(sequence: str) -> str:
    """A sequence for the terminal itself: tmux hands it on where its `allow-passthrough` is on."""
    if "TMUX" not in os.environ:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"{sequence}\x1bPtmux;{doubled}\x1b\\"


def driver_class(usual: type[Driver], bidi: str) -> type[Driver]:
    """The driver for a setting of `bidi`; another than Linux's is left alone."""
    if usual is not LinuxDriver:
        return usual
    return CellDriver if bidi == "terminal" else ExplicitOrderDriver


def report_mouse(app: App[Any], reports: bool) -> None:
    """Ask the terminal for the mouse, or leave it to the terminal to select with."""
    name = "_enable_mouse_support" if reports else "_disable_mouse_support"
    change = getattr(app._driver, name, None)  # a driver without a terminal has none
    if change is not None:
        change()

"""Write each frame in one piece, with every character in its cell, and turn mouse reports on or off.

Leans on `textual._ansi_sequences.SYNC_START` and `SYNC_END`, with which `App._begin_update` and `_end_update`
frame what they write, on `App._driver`, `Driver._app` and `LinuxDriver._file`, and on
`LinuxDriver._run_input_thread`, `_enable_mouse_support` and `_disable_mouse_support` (8.2.8). Textual hands a
frame to its writer's thread in three pieces, each of which wakes that thread up, and has no public way to leave
the mouse to the terminal for a while. Terminals disagree on how wide emoji and some scripts are, and Textual
counts on Rich's widths: the text after such words would be shifted. At the terminal's first error Textual's
threads end: the reading one with a traceback of its own, the writing one in silence, and 30 frames later the app
waits for it.

Guarantees that what follows disputed words is in its own cells, and else the same bytes in the same order, but for
the terminal's order of right-to-left text (`ExplicitOrderDriver`), and that a terminal that is gone ends the
program as SIGTERM does. Another driver than Linux's is left alone.
"""

import os
import re
import select
import signal
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

from frontdesk_lines.textual_compat.ansi_writer import erases_in_colour
from frontdesk_lines.textual_compat.escape_sequences import Multiplexer, wrap_for_multiplexer
from frontdesk_lines.textual_compat.input_reader import InputReader
from frontdesk_lines.wide_cells import position_cells

# ECMA-48, BDSM: in explicit mode each character stays in the cell that it was written to. The default
# is implicit mode (terminal-wg.pages.freedesktop.org/bidi), so that is what is restored.
EXPLICIT = "\x1b[8l"
IMPLICIT = "\x1b[8h"


class _LastingOutput:
    """The terminal as a file that survives its terminal: once that is gone, what is written is dropped."""

    def __init__(self, file: Any, hang_up: Callable[[], None]) -> None:
        self._file, self._hang_up = file, hang_up
        self._texts: list[str] = []
        self._is_gone = False

    def fileno(self) -> int:
        return int(self._file.fileno())

    def write(self, text: str) -> None:
        self._texts.append(text)

    def flush(self) -> None:
        data = "".join(self._texts).encode(self._file.encoding, self._file.errors or "replace")
        self._texts.clear()
        while data and not self._is_gone:
            try:
                data = data[os.write(self.fileno(), data) :]
            except BlockingIOError:  # another program on this terminal has made it non-blocking
                select.select([], [self.fileno()], [])
            except OSError:
                self._is_gone = True
                self._hang_up()


class CellDriver(LinuxDriver):
    """Writes every word into its cells, a frame in one piece, and reads nothing but keys, the mouse and pastes."""

    _frame: str | None = None

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **{**options, "mouse": options["mouse"] and getattr(app, "uses_mouse", True)})
        self._file: Any = _LastingOutput(self._file, end_process)
        self._woken, self._waker = os.pipe()

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if getattr(self._app, "shows_cursor", False):
            self.write("\x1b[?25h")

    def _run_input_thread(self) -> None:
        # Textual would show a traceback of its own for an exception here; `crash` reports those of all threads.
        self.run_input_thread()

    def run_input_thread(self) -> None:
        """Pass on what the terminal sends until the app stops reading, or the terminal is gone."""
        reader = InputReader()
        while not self.exit_event.is_set():
            seconds = READ_SECONDS if reader.is_within_input else None
            if self.fileno not in select.select([self.fileno, self._woken], [], [], seconds)[0]:
                messages = reader.expire(time.monotonic())
            elif data := self._read_input():
                messages = reader.feed(data, time.monotonic())
            else:
                end_process()
                return
            for message in messages:
                self.process_message(message)

    def disable_input(self) -> None:
        """End the thread that reads, which rests until the terminal sends anything."""
        os.write(self._waker, b"\0")
        super().disable_input()
        os.read(self._woken, 1)

    def _read_input(self) -> bytes:
        """Return what the terminal sends, which is nothing once it is gone."""
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def write(self, data: str) -> None:
        if data == SYNC_START:
            self._frame = data
        elif self._frame is None:
            super().write(position_cells(data, erases=erases_in_colour()))
        elif data == SYNC_END:
            frame, self._frame = self._frame, None
            super().write(frame + data)
        else:
            self._frame += position_cells(data, erases=erases_in_colour())


class ExplicitOrderDriver(CellDriver):
    """Keeps the terminal from reordering right-to-left text while the app runs."""

    def start_application_mode(self) -> None:
        super().start_application_mode()
        self.write(wrap_for_tmux(EXPLICIT))
        self.flush()

    def stop_application_mode(self) -> None:
        self.write(wrap_for_tmux(IMPLICIT))
        super().stop_application_mode()


class BasicDriver(CellDriver):
    """Writes nothing that a terminal older than xterm prints as text, and clears the screen at the end.

    Such a terminal has no second screen, so the last frame would stay under the shell's prompt.
    """

    def write(self, data: str) -> None:
        super().write(re.sub(_COLUMN, _column_by_moves, re.sub(_BEYOND_BASIC, "", data)))

    def stop_application_mode(self) -> None:
        self.write("\x1b[m\x1b[2J\x1b[H")
        super().stop_application_mode()


# Titles, colours and pointer shapes (OSC), kitty's keyboard protocol, and questions about modes.
_BEYOND_BASIC = r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|\[[<>=][0-9;]*[a-zA-Z]|\[\?[0-9;]*\$p|\[[0-9;]*t)"


_COLUMN = r"\x1b\[(\d*)G"
"""Sets the column, which a VT100 can't."""


def _column_by_moves(found: re.Match[str]) -> str:
    cells = int(found[1] or 1) - 1
    return f"\r\x1b[{cells}C" if cells else "\r"


READ_SECONDS = 0.1
"""Maximum time until the thread sees that a key isn't the beginning of a sequence."""


def end_process() -> None:
    """End this process as `kill` does: what is unsent is kept, and the engine ends, too."""
    os.kill(os.getpid(), signal.SIGTERM)


def end_hung_process(app: App[Any]) -> None:
    """End this process at once if its app still runs; the terminal is the shell's again if it takes that."""
    if not app.is_running:
        return
    driver = app._driver
    with suppress(OSError, termios.error):
        if isinstance(driver, LinuxDriver) and driver.attrs_before is not None:
            termios.tcsetattr(driver.fileno, termios.TCSANOW, driver.attrs_before)
            # Opened again, since the shell's own descriptor must go on blocking.
            again = os.open(os.ttyname(driver.fileno), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
            os.write(again, _LEAVE)
    os._exit(128 + signal.SIGTERM)


_LEAVE = (
    b"\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[8h"
)
"""The sequences that `stop_application_mode` writes."""


def wrap_for_tmux(sequence: str) -> str:
    """Add a sequence for the terminal outside tmux, which passes it on if its `allow-passthrough` is on."""
    if "TMUX" not in os.environ:
        return sequence
    return sequence + wrap_for_multiplexer(sequence, Multiplexer.TMUX)


def driver_class(usual: type[Driver], bidi: str, *, is_xterm_like: bool = True) -> type[Driver]:
    """Return the driver for a setting of `bidi`; any but Linux's is left alone."""
    if usual is not LinuxDriver:
        return usual
    if not is_xterm_like:
        return BasicDriver
    return CellDriver if bidi == "terminal" else ExplicitOrderDriver


def report_mouse(app: App[Any], reports: bool) -> None:
    """Turn mouse reports on, or off for the terminal's own selection."""
    name = "_enable_mouse_support" if reports else "_disable_mouse_support"
    change = getattr(app._driver, name, None)  # a driver without a terminal has none
    if change is not None:
        change()

"""A program in a real pseudo-terminal, with a screen that is read and never drawn.

Driven by the stories of this folder; every wait is for a condition, with a limit that a busy
machine does not reach.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

PATIENCE = 30.0

ENTER, ESCAPE = "\r", "\x1b"
PAGE_UP = "\x1b[5~"

_PTY_NUMBER = 0x80045430
"""Linux's TIOCGPTN, which Python doesn't name."""

# What pyte would draw as text: private keyboard modes, mode questions, titles and clipboards.
_UNKNOWN_TO_PYTE = re.compile(
    rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*(?:\$[a-z]|u)|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?)?\Z")
_MODE_QUESTION = re.compile(rb"\x1b\[\?(\d+)\$p")
_ATTRIBUTES_QUESTION = b"\x1b[c"


class Ended(Exception):
    """The program is gone; the text is its last screen."""


class Screen(pyte.Screen):
    """pyte's screen, but a saved cursor can be restored more than once, as terminals do it."""

    def restore_cursor(self) -> None:
        saved = self.savepoints[-1:]
        super().restore_cursor()
        self.savepoints[:] = saved


class Terminal:
    """A running program, the screen it painted and every byte it sent.

    Args:
        environment: all of it; nothing is inherited.
    """

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], columns: int = 120, rows: int = 36
    ) -> None:
        self.screen = Screen(columns, rows)
        self.raw = bytearray()
        self.status: int | None = None
        self._stream = pyte.ByteStream(self.screen)
        self._held = b""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, size)
                os.execve(argv[0], list(argv), dict(environment))
            finally:
                os._exit(127)
        os.set_blocking(self._fd, False)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def text(self) -> str:
        """The screen, without blanks at the ends of its lines."""
        buffer, columns = self.screen.buffer, range(self.screen.columns)
        # What pyte's own `display` says, without measuring every letter once more.
        lines = ("".join([buffer[row][column].data for column in columns]) for row in range(self.screen.lines))
        return "\n".join(line.rstrip() for line in lines)

    def read(self, seconds: float) -> int:
        """Take in what comes within this time, at most once; answers how many bytes.

        Raises:
            Ended: nothing will ever come again.
        """
        if not select.select([self._fd], [], [], max(0.0, seconds))[0]:
            return 0
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self._reap()
            raise Ended(f"status {self.status}\n{self.text}")
        self.raw += data
        self._answer(data)
        self._paint(data)
        return len(data)

    def wait_for(self, wanted: str | Callable[[], object], seconds: float = PATIENCE) -> None:
        """Read until a pattern is on the screen or a condition holds.

        Raises:
            TimeoutError: it never did; the text is the screen as it is.
        """
        is_there = (lambda: re.search(wanted, self.text)) if isinstance(wanted, str) else wanted
        end = time.monotonic() + seconds
        while not is_there():
            if time.monotonic() > end:
                raise TimeoutError(f"{wanted!r} is not there after {seconds} s:\n{self.text}")
            self.read(0.1)

    def wait_for_quiet(self, quiet: float = 0.4, seconds: float = PATIENCE) -> int:
        """Read until nothing has come for `quiet` seconds; answers how many bytes came."""
        end, total = time.monotonic() + seconds, 0
        while count := self.read(quiet):
            total += count
            if time.monotonic() > end:
                raise TimeoutError(f"never quiet for {quiet} s:\n{self.text}")
        return total

    def count_for(self, seconds: float) -> int:
        """How many bytes come within this time."""
        end, total = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0:
            total += self.read(left)
        return total

    def press(self, *keys: str) -> None:
        """Type keys, or the sequences that keys send."""
        for key in keys:
            self.send(key.encode())

    def send(self, data: bytes) -> None:
        """Send bytes as they are, as soon as the program has read those before."""
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                self.read(0.01)

    def press_escape(self) -> None:
        """Type esc, and wait until the program takes it as that: with a key behind it, it would be Alt."""
        self.press(ESCAPE)
        self.wait_for(lambda: not self._unread_bytes())
        self.wait_for_quiet(0.3)

    def press_and_settle(self, key: str, quiet: float = 0.25) -> None:
        """Type a key that is answered with something, and wait until all of the answer has come."""
        before = len(self.raw)
        self.press(key)
        self.wait_for(lambda: len(self.raw) > before)
        self.wait_for_quiet(quiet)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size; the kernel tells the program with SIGWINCH."""
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for_end(self, seconds: float = PATIENCE) -> int:
        """Read until the program has ended; answers its exit status."""
        end = time.monotonic() + seconds
        while self.status is None:
            if time.monotonic() > end:
                raise TimeoutError(f"still running after {seconds} s:\n{self.text}")
            try:
                self.read(0.1)
            except Ended:
                break
        assert self.status is not None
        return self.status

    def hang_up(self) -> None:
        """Close the terminal's end, as a window or a connection that goes away does."""
        os.close(self._fd)
        self._fd = -1

    def close(self) -> None:
        """End the program, however it stands, and let go of the terminal."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._reap()
        if self._fd >= 0:
            self.hang_up()

    def wait_for_death(self, seconds: float = PATIENCE) -> None:
        """Wait until the process is gone, the terminal being closed already."""
        end = time.monotonic() + seconds
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                raise TimeoutError(f"process {self.pid} still lives after {seconds} s")
            time.sleep(0.02)
        self.status = -1

    def _unread_bytes(self) -> int:
        """How many typed bytes the program hasn't read."""
        (number,) = struct.unpack("I", fcntl.ioctl(self._fd, _PTY_NUMBER, bytes(4)))
        descriptor = os.open(f"/dev/pts/{number}", os.O_RDONLY | os.O_NOCTTY)
        try:
            return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0])
        finally:
            os.close(descriptor)

    def _reap(self) -> None:
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _answer(self, data: bytes) -> None:
        """Answer what programs ask a terminal for when they start."""
        for mode in _MODE_QUESTION.findall(data):
            os.write(self._fd, b"\x1b[?%s;%d$y" % (mode, 2 if mode == b"2026" else 0))
        for _ in range(data.count(_ATTRIBUTES_QUESTION)):
            os.write(self._fd, b"\x1b[?62;22c")

    def _paint(self, data: bytes) -> None:
        data = self._held + data
        unfinished = _UNFINISHED.search(data)
        end = unfinished.start() if unfinished else len(data)
        self._held = data[end:]
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data[:end]))


def children(pid: int) -> dict[int, str]:
    """The living children of a process, with their command lines."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _parent(entry) == pid:
            found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not yet reaped does not."""
    return _parent(Path(f"/proc/{pid}")) is not None


def _parent(entry: Path) -> int | None:
    try:
        state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return None
    return None if state in "ZX" else int(parent)

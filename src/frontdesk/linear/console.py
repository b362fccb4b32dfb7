"""The console of the linear mode, alone in touching standard input and output: no cursor movement, no colour.

Signal handlers that run at once even at a prompt.

readline runs handlers only if a signal interrupts its wait for a key. For a signal that comes between the prompt
and that wait, they would run at the next key: ctrl+c and SIGTERM would seem to hang. So a thread interrupts the
main thread until the handler has run.
"""

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType, ModuleType
from typing import TextIO

from frontdesk_lines.display_text import SafeText, show_label, wrap

INTERRUPTION = signal.SIGUSR1
EVERY_SECONDS = 0.05
MAX_INTERRUPTIONS = 200
"""So often at most: of two signals at once, it may wait for a handler that has run already."""

SignalHandler = Callable[[int, FrameType | None], object]


def install_handlers(handlers: Mapping[signal.Signals, SignalHandler]) -> None:
    """Install handlers in the main thread, which calls this, and the thread that makes it run them."""
    has_run = threading.Event()

    def marked(handler: SignalHandler) -> SignalHandler:
        def handle(number: int, frame: FrameType | None) -> None:
            has_run.set()
            handler(number, frame)

        return handle

    for each, handler in handlers.items():
        signal.signal(each, marked(handler))
    signal.signal(INTERRUPTION, lambda _number, _frame: None)
    arrivals, arrived = os.pipe()
    os.set_blocking(arrived, False)
    signal.set_wakeup_fd(arrived, warn_on_full_buffer=False)
    interrupt = threading.Thread(
        target=_interrupt, args=(arrivals, has_run, threading.get_ident()), name="frontdesk-signals", daemon=True
    )
    interrupt.start()


def _interrupt(arrivals: int, has_run: threading.Event, main_thread: int) -> None:
    while numbers := os.read(arrivals, 64):
        if set(numbers) == {INTERRUPTION}:
            continue
        for _ in range(MAX_INTERRUPTIONS):
            if has_run.wait(EVERY_SECONDS):
                break
            signal.pthread_kill(main_thread, INTERRUPTION)
        has_run.clear()


PROMPT = "frontdesk> "
HISTORY_LINES = 1_000
_READLINE_SETTINGS = (
    "set enable-bracketed-paste off",  # it writes escape sequences around every prompt
    "set bell-style none",
    "set show-all-if-ambiguous on",
    "tab: complete",
)


class Console:
    """Standard input and output, line by line.

    Args:
        width: columns to wrap at; None leaves that to whatever reads the lines.

    Attributes:
        is_typed: whether a person types the lines.
        is_script: whether the lines come from a pipe or a file.
        has_failed: whether a command failed, in any of the run's profiles.
    """

    def __init__(self, lines_in: TextIO | None = None, lines_out: TextIO | None = None, width: int | None = None):
        self._in, self._out = lines_in or sys.stdin, lines_out or sys.stdout
        if lines_in is None and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a byte that is no text must not end the run
        self._width = width
        self._pushed_back: list[str] = []
        self._writing = threading.RLock()
        self._prompt: str | None = None
        self._history: Path | None = None
        self.is_typed = self._in is sys.stdin and self._in.isatty() and self._out.isatty()
        self.is_script = not self._in.isatty()
        self.has_failed = False
        self._readline: ModuleType | None = None
        if self.is_typed:
            import readline  # only here: it writes to some terminals

            self._readline = readline
            for each in _READLINE_SETTINGS:
                readline.parse_and_bind(each)
            readline.set_history_length(HISTORY_LINES)

    def write(self, *lines: SafeText) -> None:
        """Write lines; nothing but `SafeText` text gets out."""
        with self._writing:
            for line in lines:
                for part in wrap(line, self._width) if self._width else [line]:
                    self._out.write(f"{show_label(part.text, len(part.text)).text}\n")
            self._out.flush()

    def write_above_prompt(self, lines: Sequence[SafeText]) -> bool:
        """Write lines while a person may be typing, and what was typed again behind them; False: nobody is."""
        with self._writing:
            if self._prompt is None or self._readline is None:
                return False
            self._out.write("\n")
            self.write(*lines)
            self._out.write(f"{self._prompt}{self._readline.get_line_buffer()}")
            self._out.flush()
            return True

    def read(self, prompt: str = PROMPT, prefill: str = "") -> str:
        """Return the next line that is typed or piped in.

        Raises:
            EOFError: there are no more.
            KeyboardInterrupt: the line was given up.
        """
        if self._pushed_back:
            return self._pushed_back.pop()
        readline = self._readline
        if readline is None:
            line = self._in.readline()
            if not line:
                raise EOFError
            return line.rstrip("\r\n")
        readline.set_startup_hook((lambda: readline.insert_text(prefill)) if prefill else None)
        with self._writing:
            self._prompt = prompt
        try:
            line = input(prompt)
        except (EOFError, KeyboardInterrupt):
            self.write(SafeText(""))  # what is said next begins a line
            raise
        else:
            if prompt != PROMPT and line.strip():
                readline.remove_history_item(readline.get_current_history_length() - 1)  # an answer is no command
            return line
        finally:
            self._prompt = None
            readline.set_startup_hook(None)

    def push_back(self, line: str) -> None:
        """Return a line to the input; the next `read` gets it."""
        self._pushed_back.append(line)

    def complete_with(self, words: Callable[[str], Iterable[str]]) -> None:
        """Set the completions of the tab key."""
        if self._readline is None:
            return

        def found(typed: str, at: int) -> str | None:
            offers = sorted(set(words(typed)))
            return offers[at] if at < len(offers) else None

        self._readline.set_completer(found)

    def open_history(self, path: Path) -> None:
        """Load the lines typed before on this profile."""
        if self._readline is None:
            return
        self._readline.clear_history()
        self._history = path
        with contextlib.suppress(OSError):
            self._readline.read_history_file(path)

    def keep_history(self) -> None:
        """Save the typed lines in a file of mode 600."""
        if self._readline is None or self._history is None:
            return
        with contextlib.suppress(OSError):
            self._history.touch(mode=0o600)
            self._readline.write_history_file(self._history)

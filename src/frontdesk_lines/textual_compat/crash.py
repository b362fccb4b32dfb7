"""Print a crash in safe words: its place in the code and the log's path, without the values of variables.

Leans on `App._fatal_error`, `_exception`, `_exit_renderables`, `_close_messages_no_wait` and `_handle_exception`
(8.2.8): `App._fatal_error` prints Rich's traceback with `show_locals=True`, so with whatever customers wrote, and
strangers' escape sequences among it. Its threads ("textual-input" and "textual-output") have no such report.

Guarantees that only what `crash_report` returns is printed, once the terminal is the shell's again, that an
exception in one of Textual's threads ends the program, too, and that the app goes on after what it `survives`.
"""

import threading
import traceback
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text
from textual.app import App
from textual.worker import WorkerFailed

from frontdesk_lines.display_text import LINE_LIMIT, SafeText, show_label, show_line

FRAMES = 8
"""Innermost calls in the report; the others are Textual's."""

PATH_LIMIT = 5000
"""Characters of a line that names a file: the longest path of Linux (4096) and the function's name fit."""


def crash_lines(error: BaseException, first: str, log_file: Path) -> list[str]:
    """Format a short traceback, one safe line each.

    Args:
        first: the first line, which says what a person has to know.
    """
    report = traceback.TracebackException.from_exception(error, limit=-FRAMES, capture_locals=False)
    lines = [line for part in report.format() for line in part.rstrip("\n").split("\n")]
    return [
        first,
        "",
        *(_show(line).text for line in lines),
        "",
        f"Background process log: {show_label(str(log_file)).text}",
    ]


def _show(line: str) -> SafeText:
    """Sanitize a line of a traceback; of one that may quote a customer, privacy leaves dots."""
    return show_label(line, PATH_LIMIT) if line.startswith('  File "') else show_line(line, LINE_LIMIT)


class CrashReportingApp(App[None]):
    """An app that prints its own report of an unhandled exception."""

    def crash_report(self, error: BaseException) -> RenderableType | None:
        """Return the report to print; None for nothing."""
        return Text(f"Crashed: {type(error).__name__}")

    def run(self, *arguments: Any, **options: Any) -> None:
        """Run the app until it exits."""
        before = threading.excepthook

        def report(crash: threading.ExceptHookArgs) -> None:
            if isinstance(crash.exc_value, Exception) and "textual-" in str(crash.thread):
                self.call_later(self._handle_exception, crash.exc_value)
            else:
                before(crash)

        threading.excepthook = report
        try:
            super().run(*arguments, **options)
        finally:
            threading.excepthook = before

    def survives(self, error: BaseException) -> bool:  # noqa: ARG002
        """Return whether the app goes on after an error that ended a worker."""
        return False

    def _fatal_error(self) -> None:
        if isinstance(self._exception, WorkerFailed) and self.survives(self._exception.error):
            self._exception = None
            return
        report = None if self._exception is None else self.crash_report(self._exception)
        if report is not None and not self._exit_renderables:
            # Unwrapped, so that a long path breaks no line: tracebacks are searched and pasted.
            self.error_console.soft_wrap = True
            self._exit_renderables.append(report)
        self._close_messages_no_wait()

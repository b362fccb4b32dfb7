"""Print a crash as its app words it, without the values of variables.

Leans on `App._fatal_error`, `_exception`, `_exit_renderables` and `_close_messages_no_wait` (8.2.8):
`App._fatal_error` prints Rich's traceback with `show_locals=True`, so with whatever customers wrote, and
strangers' escape sequences among it.

Guarantees that only what `crash_report` returns is printed, once the terminal is the shell's again.
"""

from rich.console import RenderableType
from rich.text import Text
from textual.app import App


class CrashReportingApp(App[None]):
    """An app that says itself what is printed after an unhandled exception."""

    def crash_report(self, error: BaseException) -> RenderableType | None:
        """What is printed, None for nothing; an app words it better than by the error's type."""
        return Text(f"Crashed: {type(error).__name__}")

    def _fatal_error(self) -> None:
        """End the app and leave its report to be printed."""
        report = None if self._exception is None else self.crash_report(self._exception)
        if report is not None and not self._exit_renderables:
            # Unwrapped, so that a long path breaks no line: tracebacks are searched and pasted.
            self.error_console.soft_wrap = True
            self._exit_renderables.append(report)
        self._close_messages_no_wait()

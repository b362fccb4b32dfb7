"""Start the engine after the first paint, and again when it has died."""

from collections.abc import Callable
from typing import Any

from textual.app import App

from frontdesk.text.display_text import show_line, trusted
from frontdesk.tui.content import notify

CHECK_SECONDS = 5.0


class EngineSupervisor:
    """Keeps the engine of one run alive.

    Args:
        start_engine: starts the engine unless it runs; raises OSError if the machine refuses.
    """

    def __init__(self, app: App[Any], start_engine: Callable[[], None]):
        self._app, self._start_engine = app, start_engine
        self._has_failed = False

    def start(self) -> None:
        self.check()
        self._app.set_interval(CHECK_SECONDS, self.check)

    def check(self) -> None:
        """Start the engine unless it runs; a failure is reported once and tried again."""
        try:
            self._start_engine()
        except OSError as error:
            if not self._has_failed:
                words = show_line(error.strerror or str(error), 120).text
                said = trusted(f"Polling can't be started: {words}. It is tried again.")
                notify(self._app, said, severity="error")
            self._has_failed = True
        else:
            self._has_failed = False

"""Keeps the engine running beside the screens: started after the first paint, and again when it has died.

Used by the app once the first screen is painted.
"""

from collections.abc import Callable
from typing import Any

from textual.app import App

from frontdesk.text.display_text import show_line, trusted
from frontdesk.tui.content import notify

KEEP_SECONDS = 5.0
"""How often it is looked whether the engine still runs."""


class EngineKeeper:
    """Sees to the engine of one run.

    Args:
        keep: starts the engine, or starts it again when it has died; raises OSError where the machine refuses.
    """

    def __init__(self, app: App[Any], keep: Callable[[], None]):
        self._app, self._keep = app, keep
        self._has_failed = False

    def start(self) -> None:
        """See to it now, and from time to time."""
        self.see_to_it()
        self._app.set_interval(KEEP_SECONDS, self.see_to_it)

    def see_to_it(self) -> None:
        """Start it, or start it again; what the machine refuses is said once and tried again."""
        try:
            self._keep()
        except OSError as error:
            if not self._has_failed:
                words = show_line(error.strerror or str(error), 120).text
                said = trusted(f"Polling can't be started: {words}. It is tried again.")
                notify(self._app, said, severity="error")
            self._has_failed = True
        else:
            self._has_failed = False

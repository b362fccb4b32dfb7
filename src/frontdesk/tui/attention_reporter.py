"""Report to the engine what is on the screen and when a person last did something.

Held by the app: the engine spends its requests where somebody looks.
"""

from collections.abc import Callable
from dataclasses import replace

from frontdesk.storage.clients import Focus
from frontdesk.sync.requests import SyncRequests
from frontdesk.tui.context import AppContext

IDLE_SECONDS = 600.0
"""After so long without a key the engine slows down; the next key is reported at once."""


class AttentionReporter:
    """The attention of the person at this screen.

    Args:
        focus_report: what the screen shows; None while there is none.

    Attributes:
        is_focused: whether the terminal has the focus, as far as it says so.
        is_paused: whether the person wants no polls.
        active_at: when something was last pressed, Unix seconds.
    """

    def __init__(self, app_context: AppContext, focus_report: Callable[[], Focus | None]):
        self._app_context, self._focus_report = app_context, focus_report
        self.is_focused = True
        self.is_paused = False
        self.active_at = app_context.clock()

    def report(self) -> None:
        focus_report = self._focus_report()
        if focus_report is not None:
            SyncRequests(self._app_context.store).report_focus(
                replace(focus_report, focused=self.is_focused, paused=self.is_paused, active_at=self.active_at)
            )

    def note_activity(self) -> None:
        """Note that something was pressed; after a long time without, report it at once."""
        now = self._app_context.clock()
        was_idle = now - self.active_at > IDLE_SECONDS
        self.active_at = now
        if was_idle:
            self.report()

    def set_focused(self, focused: bool) -> None:
        self.is_focused = focused
        self.report()

    def toggle_pause(self) -> bool:
        """Pause or resume polling; returns whether it is paused now."""
        self.is_paused = not self.is_paused
        self.report()
        return self.is_paused

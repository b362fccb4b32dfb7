"""Report to the engine what is on the screen and whether anybody looks at it, held by the app."""

from collections.abc import Callable
from dataclasses import replace

from frontdesk.storage.clients import Focus
from frontdesk.sync.requests import SyncRequests
from frontdesk.tui.context import AppContext

IDLE_SECONDS = 600.0
"""Without a key for so long the engine slows down."""


class AttentionReporter:
    """The attention of the person at this screen; the engine spends its requests by it.

    Args:
        focus_report: what the screen shows; None while there is none.

    Attributes:
        active_at: time of the last key, Unix seconds.
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
        """Note a key; the first one after a long idle time is reported at once."""
        now = self._app_context.clock()
        was_idle = now - self.active_at > IDLE_SECONDS
        self.active_at = now
        if was_idle:
            self.report()

    def set_focused(self, focused: bool) -> None:
        self.is_focused = focused
        self.report()

    def toggle_pause(self) -> bool:
        """Pause or resume polling, and return whether it is paused."""
        self.is_paused = not self.is_paused
        self.report()
        return self.is_paused

"""Reports to the engine what is on the screen and whether a person is there."""

from collections.abc import Callable

from frontdesk.storage.clients import SyncRequests
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext

IDLE_SECONDS = 600.0
"""Without a key for so long the engine slows down."""

READS_SECONDS = 300.0
"""After so long without a key nobody is reading what is open."""


class AttentionReporter:
    """The attention of the person at this screen; the engine spends its requests by it.

    Attributes:
        active_at: time of the last key, Unix seconds.
    """

    def __init__(self, app_context: AppContext, current_screen: Callable[[], BaseScreen | None]):
        self._app_context, self._current_screen = app_context, current_screen
        self.is_focused = True
        self.is_paused = False
        self.active_at = app_context.clock()

    def report(self) -> None:
        screen = self._current_screen()
        if screen is not None:
            focus = screen.focus_report()._replace(
                focused=self.is_focused, paused=self.is_paused, active_at=self.active_at
            )
            SyncRequests(self._app_context.store).report_focus(focus)

    @property
    def seen_screen(self) -> BaseScreen | None:
        """The current screen while it is on top and a person has pressed a key lately."""
        screen = self._current_screen()
        return screen if self._is_active and screen is not None and screen.is_current else None

    @property
    def _is_active(self) -> bool:
        return self._app_context.clock() - self.active_at < READS_SECONDS

    def is_attended(self) -> bool:
        """Return whether the terminal has the focus, and a person has pressed a key lately."""
        return self.is_focused and self._is_active

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
        self.is_paused = not self.is_paused
        self.report()
        return self.is_paused

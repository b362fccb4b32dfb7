"""What a person looks at and when they last did something, told to the engine.

Held by the app: the engine spends its requests where somebody looks.
"""

from collections.abc import Callable
from dataclasses import replace

from frontdesk.storage.clients import Focus
from frontdesk.sync.requests import SyncRequests
from frontdesk.tui.context import AppContext

IDLE_SECONDS = 600.0
"""After so long without a key the engine slows down; the next key is told at once."""


class AttentionReporter:
    """How a person is at this screen.

    Args:
        looking: what the screen shows; None while there is none.

    Attributes:
        is_focused: whether the terminal has the focus, as far as it says so.
        is_paused: whether the person wants no polls.
        active_at: when something was last pressed, Unix seconds.
    """

    def __init__(self, app_context: AppContext, looking: Callable[[], Focus | None]):
        self._app_context, self._looking = app_context, looking
        self.is_focused = True
        self.is_paused = False
        self.active_at = app_context.clock()

    def tell(self) -> None:
        """Say it as it is now."""
        looking = self._looking()
        if looking is not None:
            SyncRequests(self._app_context.store).report_focus(
                replace(looking, focused=self.is_focused, paused=self.is_paused, active_at=self.active_at)
            )

    def note_activity(self) -> None:
        """Something was pressed; after a long time without, that is told at once."""
        now = self._app_context.clock()
        was_idle = now - self.active_at > IDLE_SECONDS
        self.active_at = now
        if was_idle:
            self.tell()

    def has_focus(self, focused: bool) -> None:
        """The terminal has got or lost the focus."""
        self.is_focused = focused
        self.tell()

    def turn_pause(self) -> bool:
        """Pause or go on; answers whether it is paused now."""
        self.is_paused = not self.is_paused
        self.tell()
        return self.is_paused

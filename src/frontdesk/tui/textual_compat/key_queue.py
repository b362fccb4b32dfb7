"""KeyedApp: what is typed while a dialog opens is the dialog's, never the screen's behind it.

The app is built on it. Keys wait here in their order, from the key that an action begins with until its dialog
can be typed in; where an action ends without a dialog they are dropped. An action that decides at once whether a
dialog opens holds no keys: those typed right behind one that opens none are dropped, too.
"""

from collections import deque
from typing import Any

from textual import events
from textual.screen import Screen

from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.textual_compat.diffing_app import DiffingApp
from frontdesk.tui.widgets.line_view import LineView

MAX_HELD = 1_000
"""So many keys wait at most."""


BURST_SECONDS = 0.5
"""Keys typed so soon behind the key of an action are meant for the dialog that it usually opens."""


class QueuedKeysApp(DiffingApp):
    """An app in which keys have their effect in the order and at the place that they were typed for."""

    def __init__(self, bidi: str, *, ascii_only: bool):
        super().__init__(bidi, ascii_only=ascii_only)
        self._opens: Screen[Any] | None = None
        """What was put on top last, as long as it can't be typed in."""
        self._typed_at = 0.0
        """When the last key was typed that was not dropped."""
        self._drop_until = 0.0
        self._held: deque[events.Key | events.Paste] = deque(maxlen=MAX_HELD)

    def push_screen(self, screen: Any, *args: Any, **more: Any) -> Any:
        """Keys wait until it stands: it is asked once it is mounted, and asks us back behind its focus."""
        pushed = super().push_screen(screen, *args, **more)
        self._opens = self.screen
        self._opens.call_later(self.call_later, self._stands, self._opens)
        return pushed

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._is_for_missing_dialog(event):
            pass
        elif self._must_wait(event):
            self._held.append(event)
        else:
            self._held.clear()  # what they were typed for never came
            await self._take(event)

    def _is_for_missing_dialog(self, event: events.Key | events.Paste) -> bool:
        """Whether it was typed behind an action that opened no dialog, in one burst with its key."""
        screen = self.screen
        if not isinstance(screen, BaseScreen):
            self._typed_at = event.time
            return False
        if screen.lacks_dialog:
            screen.lacks_dialog = False
            self._drop_until = self._typed_at + BURST_SECONDS
        if event.time < self._drop_until and getattr(event, "key", "") != "escape":
            return True
        self._typed_at = event.time
        return False

    def on_base_screen_action_ended(self, event: BaseScreen.ActionEnded) -> None:
        event.stop()
        if self._opens is None:
            self._held.clear()

    def _must_wait(self, event: events.Key | events.Paste) -> bool:
        screen = self.screen
        if screen is self._opens:
            return True
        if not isinstance(screen, BaseScreen) or screen.cancel_action is None:
            return False
        if isinstance(event, events.Key) and event.key == "escape":
            self._held.clear()
            screen.cancel_action()
        return True

    async def _take(self, event: events.Key | events.Paste) -> None:
        """A list's keys have their effect here: on their way through the widgets the next one would pass too,
        before a dialog is there that it is meant for."""
        is_lists = isinstance(self.screen, BaseScreen) and isinstance(self.focused, LineView)
        if not is_lists or not isinstance(event, events.Key):
            await super().on_event(event)
            return
        self.app_focus = True
        if not await self._check_bindings(event.key, priority=True):
            await self._check_bindings(event.key)

    async def _stands(self, screen: Screen[Any]) -> None:
        """It can be typed in: it is given what was typed."""
        if screen is not self._opens:
            return
        self._opens = None
        if not getattr(screen, "takes_typed_ahead", True):
            self._held.clear()
        while self._held and screen is self.screen and self._opens is None:
            await self._take(self._held.popleft())

"""Deliver what is typed while a dialog or a screen opens to that one, in the order typed.

Leans on `App._check_bindings` (8.2.8), which looks a key up and runs its action at once. By `App.on_event` a
key goes through the queues of screen and widget first, and the next one would pass before a dialog is there to
take it.

Guarantees the order in which keys were typed. From the key that begins an action until its dialog can be typed
in they wait; they are dropped where the action ends without a dialog.
"""

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from textual import events
from textual.screen import Screen
from textual.widget import AwaitMount

from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.textual_compat.diffing_app import DiffingApp
from frontdesk.tui.widgets.line_view import LineView

MAX_HELD = 1_000

BURST_SECONDS = 0.5
"""Keys typed so soon after an action's key are meant for the dialog that it usually opens."""


class QueuedKeysApp(DiffingApp):
    """An app that handles keys in the order typed, on the screen they were typed for."""

    def __init__(self, bidi: str, *, ascii_only: bool, environ: Mapping[str, str] = MappingProxyType({})):
        super().__init__(bidi, ascii_only=ascii_only, environ=environ)
        self._opening: Screen[Any] | None = None
        """The screen that was opened last, until it can be typed in."""
        self._typed_at = 0.0
        """Time of the last key that was not dropped."""
        self._drop_until = 0.0
        self._held: deque[events.Key | events.Paste] = deque(maxlen=MAX_HELD)

    @property
    def is_dialog_opening(self) -> bool:
        """Whether a dialog or a screen is opening that can't be typed in yet."""
        return self._opening is not None

    def push_screen(self, screen: Any, *args: Any, **more: Any) -> Any:
        """Push a screen and hold the keys until it is mounted and has its focus."""
        pushed = super().push_screen(screen, *args, **more)
        self._hold_keys()
        return pushed

    def switch_mode(self, mode: str) -> AwaitMount:
        """Show a mode, and hold the keys until it has its focus: those behind would overtake the first ones."""
        switched = super().switch_mode(mode)
        if self.focused is None:
            self._hold_keys()
        return switched

    def _hold_keys(self) -> None:
        self._opening = self.screen
        self._opening.call_later(self.call_later, self._release_keys, self._opening)

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        else:
            await self._handle_typed(event)

    async def _handle_typed(self, event: events.Key | events.Paste) -> None:
        if self._is_for_missing_dialog(event):
            pass
        elif self._waits_for_dialog(event):
            self._held.append(event)
        else:
            self._held.clear()  # their dialog never opened
            await self._dispatch(event)

    def _is_for_missing_dialog(self, event: events.Key | events.Paste) -> bool:
        """Whether it was typed in one burst after the key of an action that opened no dialog."""
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
        if self._opening is None:
            self._held.clear()

    def _waits_for_dialog(self, event: events.Key | events.Paste) -> bool:
        screen = self.screen
        if screen is self._opening:
            return True
        if not isinstance(screen, BaseScreen) or screen.cancel_action is None:
            return False
        if isinstance(event, events.Key) and event.key == "escape":
            self._held.clear()
            screen.cancel_action()
        return True

    async def _dispatch(self, event: events.Key | events.Paste) -> None:
        """Run a list's key at once: on its way through the widgets the next key would overtake its dialog."""
        is_lists = isinstance(self.screen, BaseScreen) and isinstance(self.focused, LineView)
        if not is_lists or not isinstance(event, events.Key):
            await super().on_event(event)
            return
        self.app_focus = True
        if not await self._check_bindings(event.key, priority=True):
            await self._check_bindings(event.key)

    async def _release_keys(self, screen: Screen[Any]) -> None:
        """Handle the held keys, on a screen that can be typed in now; another one that opens holds the rest."""
        if screen is not self._opening:
            return
        self._opening = None
        held, self._held = self._held, deque(maxlen=MAX_HELD)
        if not getattr(screen, "accepts_queued_keys", True):
            return
        for event in held:
            # What was typed for a dialog doesn't go to the screen behind it.
            if screen is self.screen or isinstance(screen, BaseScreen):
                await self._handle_typed(event)
            else:
                return

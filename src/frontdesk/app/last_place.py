"""Where a person was when the program ended: the open screen, its view, and what was typed into dialogs."""

from collections.abc import Iterable

from textual.screen import Screen

from frontdesk.app.screens import FIRST, SCREENS
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.tui.base_screen import BaseScreen

SCREEN = "screen"
"""The key of the last screen in the saved view state."""


class LastPlace:
    """Saves where a person is.

    Attributes:
        mode: the screen that is open; at first the one that was when the program ended.
    """

    def __init__(self, outbox: OutboxCommands) -> None:
        self._outbox, kept = outbox, outbox.saved_view_state(SCREEN)
        self.mode = kept if isinstance(kept, str) and kept in SCREENS else FIRST

    def save(self, mode: str, screens: Iterable[BaseScreen], opened: Iterable[Screen[object]]) -> None:
        """Save the open screen, each screen's view, and what was typed into dialogs above them."""
        if mode != self.mode:
            self.mode = mode
            self._outbox.save_view_state(SCREEN, mode)
        for screen in screens:
            screen.save_view_state()
        dialogs = [each for each in opened if not isinstance(each, BaseScreen)]
        if not dialogs:
            return
        from frontdesk.tui.dialogs.base import Dialog  # loaded already: one is open

        for dialog in dialogs:
            if isinstance(dialog, Dialog):
                dialog.save_draft()

"""What tests of a running app reach for, whatever is below it."""

from textual.pilot import Pilot

from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.tasks.tui.screen import BoardScreen


class Running:
    """A running app."""

    def __init__(self, app: FrontdeskApp, pilot: Pilot[None]):
        self.app, self.pilot = app, pilot

    @property
    def inbox(self) -> InboxScreen:
        screen = self.app.current_screen
        assert isinstance(screen, InboxScreen)
        return screen

    @property
    def board(self) -> BoardScreen:
        screen = self.app.current_screen
        assert isinstance(screen, BoardScreen)
        return screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

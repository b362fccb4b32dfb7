"""The six screens by their names, each imported and made when it is first opened: starting up is a feature.

Used by the app.
"""

from importlib import import_module

from frontdesk.desk.desk import Desk
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.room import Room
from frontdesk.tui.screens.desk_screen import DeskScreen

SCREENS = {
    "inbox": ("frontdesk.tui.screens.inbox", "InboxScreen"),
    "board": ("frontdesk.tui.screens.board", "BoardScreen"),
    "campaigns": ("frontdesk.tui.screens.campaigns", "CampaignsScreen"),
    "workflows": ("frontdesk.tui.screens.workflows", "WorkflowsScreen"),
    "agents": ("frontdesk.tui.screens.ai_agents", "AiAgentsScreen"),
    "activity": ("frontdesk.tui.screens.activity", "ActivityScreen"),
}

FIRST = "inbox"
SCREEN = "screen"
"""What the screen that was left is kept under."""


def make_screen(mode: str, room: Room, keymap: Keymap) -> DeskScreen:
    """The screen of this name."""
    module, name = SCREENS[mode]
    screen: DeskScreen = getattr(import_module(module), name)(room, keymap)
    return screen


def mode_left(desk: Desk) -> str:
    """The screen that was on top when the program was left."""
    kept = desk.kept_view(SCREEN)
    return kept if isinstance(kept, str) and kept in SCREENS else FIRST

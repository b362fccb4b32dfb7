"""The keymap of all actions. The engine imports nothing of it, as it imports Textual."""

from frontdesk.config.actions import merge_actions
from frontdesk.registry.actions import ACTIONS
from frontdesk.tui.keymap import NAVIGATION, SCREEN_ACTIONS, Keymap

KEYMAP = Keymap(merge_actions(NAVIGATION, ACTIONS, SCREEN_ACTIONS))

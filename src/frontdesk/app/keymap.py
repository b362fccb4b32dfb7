"""The keymap of all actions; a person's own keys come over it."""

from frontdesk.app.actions import ACTIONS
from frontdesk.config.actions import merge_actions
from frontdesk.tui.keymap import NAVIGATION, SCREEN_ACTIONS, Keymap

KEYMAP = Keymap(merge_actions(NAVIGATION, ACTIONS, SCREEN_ACTIONS))

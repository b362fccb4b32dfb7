"""Actions on AI agents."""

from frontdesk.config.actions import Group, key_action

_SORT = "Sort by name, tokens, change or state"
ACTIONS = (key_action(Group.FIND, ("agents",), "agents.sort", "S", "sort", "sort", _SORT),)

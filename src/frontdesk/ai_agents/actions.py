"""Actions on AI agents."""

from frontdesk.config.actions import Group, Heading, key_action, line_action

ACTIONS = (
    line_action("list.agents", "agents", "", "The AI agents", Heading.LISTS),
    key_action(
        "agents.sort",
        "S",
        "sort",
        "sort",
        "Sort by name, tokens used, last change or active first",
        Group.FIND,
        ["agents"],
    ),
)

"""Each action of a screen has its commands on the command line, or a reason why it has none."""

from cli.command_tree import LEAVES
from frontdesk.app.screens import KEYMAP
from frontdesk.config.actions import Action, Group

MOVES = "moves the cursor, or changes what a screen shows of it"
LISTED = "lists print every row; jq or sort order them"

WITHOUT_COMMAND = {
    "go.back": MOVES,
    "go.leave": MOVES,
    "row.open": MOVES,
    "list.sort": LISTED,
    "campaign.sort": LISTED,
    "workflow.sort": LISTED,
    "agents.sort": LISTED,
    "find.back": MOVES,
    "view.next": MOVES,
    "view.previous": MOVES,
    "tree.next": MOVES,
    "tree.previous": MOVES,
    "tree.back": MOVES,
    "conversation.reply": "copies a text for a person to paste, or runs a workflow, as `campaigns create` does",
    "copy.id": "lists print the ids",
    "page.open": "opens a browser on this machine, by an address of the config",
    "link.open": "opens a browser on this machine",
    "pane.preview": MOVES,
    "pane.zoom": MOVES,
    "campaign.compact": MOVES,
    "workflow.detail": MOVES,
    "change.record": "asks for a key; a macro's steps are text in config.toml",
    "view.refresh": "commands ask the platform anew each time",
    "app.help": "--help after any command",
    "app.privacy": "what a command prints isn't hidden",
    "sync.pause": "`sync` polls until it is stopped",
    "app.palette": "the shell completes commands",
    "app.redraw": MOVES,
    "app.suspend": "the shell does that",
    "app.quit": "a command ends by itself",
    "app.names": "names are rows of config.toml",
    "app.theme": "has no colours to choose",
    "view.screenshot": "a command prints text",
}
"""By the action's id, why a command makes no sense."""


def needs_reason(action: Action) -> bool:
    """Return whether it does more than move: moves and marks are a screen's own."""
    return action.group not in (Group.MOVE, Group.MARK)


def test_its_commands_exist_or_a_reason_says_why_there_is_none() -> None:
    assert {command for action in KEYMAP for command in action.commands} <= LEAVES.keys()
    without = {action.id for action in KEYMAP if needs_reason(action) and not action.commands}
    assert without == WITHOUT_COMMAND.keys()

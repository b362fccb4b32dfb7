"""Where each action of the screens is done without a screen: in the linear mode, by a command, by a macro's step.

An action names its own commands, and a command of the linear mode has its id. Here is what else does it, and why a
surface hasn't got it. docs/reference/keys.md shows all of it; `tests/cli/test_actions.py` finds what is missing.
"""

from collections.abc import Mapping

from frontdesk.automation.macros import VERBS
from frontdesk.config.actions import Action, Group


def _by_action(table: Mapping[str, str]) -> dict[str, str]:
    """Return what the ids of a table's rows stand for, by id."""
    return {name: key for key, names in table.items() for name in names.split()}


TYPED = _by_action(
    {
        "list": "go.inbox view.choose",
        "board": "go.board news.next",
        "campaigns": "go.campaigns campaign.sort",
        "workflows": "go.workflows workflow.sort",
        "agents": "go.agents agents.sort",
        "activity": "go.activity change.next",
        "stats": "go.numbers numbers.days numbers.earlier numbers.later numbers.by",
        "open": "row.open workflow.detail change.details",
        "find": "find.filter",
        "older": "find.back",
        "mark": "mark.toggle mark.range mark.all mark.again",
        "unmark": "mark.clear",
        "views": "view.next view.previous",
        "views add": "view.save",
        "status": "card.left card.right",
        "undo": "bulk.stop",
        "retry": "bulk.failures",
        "compare": "compare.measure compare.share",
        "workflows create": "workflow.create",
        "worst": "workflow.period",
        "webhooks delete": "webhook.delete",
        "help": "app.palette",
        "quit": "app.quit",
    }
)
"""What to type in the linear mode where no command of it has the action's id."""

NOT_TYPED = _by_action(
    {
        "lists are printed with row numbers, which commands accept": "move.down move.up move.first move.last"
        " move.half_down move.half_up move.page_down move.page_up",
        "there are no panes; each list and record has its own command": "pane.next pane.previous pane.right"
        " pane.left pane.preview pane.zoom",
        "nothing opens over anything else, so there is nothing to close": "go.back",
        "tree prints the whole tree; search it with your terminal": "tree.next tree.previous tree.back",
        "every row of a list is printed in the same form": "campaign.compact",
        "compare prints the numbers at each time, instead of a cursor on curves": "compare.back compare.on"
        " compare.far_back compare.far_on compare.newest",
        "recording gives the macro a key; here, write it in config.toml and run it with macro": "change.record",
        "to copy an id or number, type customer, task or raw and select it": "copy.id",
        "raw prints the record": "copy.json",
        "frontdesk login in the shell asks for the same, line by line": "profile.add",
        "frontdesk login --rotate in the shell asks for new credentials": "profile.sign_in",
        "to list them, type names; to change them, edit config.toml": "app.names",
        "nothing is drawn": "app.redraw",
        "the shell's own key does it": "app.suspend",
        "activity prints both versions; use drop to keep theirs, or edit": "change.merge",
        "config.toml is a file that you can open in any editor": "app.config",
        "nothing has a color": "app.theme",
        "the output is already text": "view.screenshot",
    }
)
"""Why the linear mode has no command."""

NO_COMMAND = _by_action(
    {
        "moves the cursor, or changes what a screen shows of it": "go.back go.leave row.open find.back view.next"
        " view.previous news.next tree.next tree.previous tree.back pane.preview pane.zoom campaign.compact"
        " workflow.detail app.redraw",
        "outbox list prints both versions; use outbox drop to keep theirs, or tasks update": "change.merge",
        "lists print every row; jq or sort order them": "list.sort campaign.sort workflow.sort agents.sort",
        "copies a text to paste, or runs a workflow, as `campaigns create` does": "conversation.reply",
        "lists print the ids": "copy.id",
        "opens a browser on this machine": "page.open link.open",
        "asks for a key; a macro's steps are text in config.toml": "change.record",
        "commands ask the platform anew each time": "view.refresh",
        "--help after any command": "app.help",
        "what a command prints isn't hidden": "app.privacy",
        "`sync` polls until it is stopped": "sync.pause",
        "the shell completes commands": "app.palette",
        "the shell does that": "app.suspend",
        "a command ends by itself": "app.quit",
        "names are rows of config.toml": "app.names",
        "a command has no colors to choose": "app.theme",
        "a command prints text": "view.screenshot",
    }
)
"""Why the command line has no command; moves and marks need no reason."""

STEPS = _by_action(
    {
        "status": "task.complete task.complete_next card.left card.right",
        "assign": "task.assign_me",
    }
) | {verb.id: verb.word for verb in VERBS.values()}
"""The first word of a macro's step that does it."""

NO_STEP = _by_action(
    {
        "it is about one record, and a macro does the same to any": "task.edit conversation.no_answer note.write"
        " note.hand_over note.take_back",
        "it is checked and confirmed each time": "view.share campaign.one campaign.create campaign.clone"
        " workflow.create workflow.update workflow.switch workflow.reset webhook.delete",
        "it is about changes that were made, not about records": "bulk.stop change.retry change.drop"
        " change.merge change.undo change.redo",
    }
)
"""Why no step of a macro does what changes something."""


def missing(action: Action, linear_ids: frozenset[str]) -> list[str]:
    """Return the surfaces on which an action is neither done nor has a reason, or has both."""
    is_move = action.group in (Group.MOVE, Group.MARK)
    is_typed = action.id in linear_ids or action.id in TYPED
    owes = {
        "linear": (not is_typed, NOT_TYPED),
        "command": (not (action.commands or is_move), NO_COMMAND),
        "macro": (action.writes and action.id not in STEPS, NO_STEP),
    }
    return [surface for surface, (is_owed, reasons) in owes.items() if is_owed is not (action.id in reasons)]

"""What to type in the linear mode for actions of the screens that have no command of the same id, or why none.

`tests/app/test_linear_actions.py` walks all actions; the page of the linear mode's commands shows these tables.
"""

_ROWS = "a list is printed with numbers, and each command takes them"
_LISTS = "there are no panes; each list and record is printed by a command of its own"
_TREE = "tree prints the whole tree, in which the terminal's own search finds words"
_CURVES = "compare prints the numbers at each time, instead of a cursor on curves"

SAME_AS = {
    "go.inbox": "list",
    "go.board": "board",
    "go.campaigns": "campaigns",
    "go.workflows": "workflows",
    "go.agents": "agents",
    "go.activity": "activity",
    "go.numbers": "stats",
    "row.open": "open",
    "find.filter": "find",
    "find.back": "older",
    "mark.toggle": "mark",
    "mark.range": "mark",
    "mark.all": "mark",
    "mark.again": "mark",
    "mark.clear": "unmark",
    "view.choose": "list",
    "view.next": "views",
    "view.previous": "views",
    "card.left": "status",
    "card.right": "status",
    "bulk.stop": "undo",
    "bulk.failures": "retry",
    "campaign.sort": "campaigns",
    "compare.measure": "compare",
    "compare.share": "compare",
    "workflow.sort": "workflows",
    "workflow.create": "workflows create",
    "workflow.period": "worst",
    "workflow.detail": "open",
    "webhook.delete": "webhooks delete",
    "agents.sort": "agents",
    "change.next": "activity",
    "change.details": "open",
    "numbers.days": "stats",
    "numbers.earlier": "stats",
    "numbers.later": "stats",
    "numbers.by": "stats",
    "app.palette": "help",
    "app.quit": "quit",
}
"""Names of commands, or of the command line, by the id of the action."""

NOT_NEEDED = {
    "move.down": _ROWS,
    "move.up": _ROWS,
    "move.first": _ROWS,
    "move.last": _ROWS,
    "move.half_down": _ROWS,
    "move.half_up": _ROWS,
    "move.page_down": _ROWS,
    "move.page_up": _ROWS,
    "pane.next": _LISTS,
    "pane.previous": _LISTS,
    "pane.right": _LISTS,
    "pane.left": _LISTS,
    "pane.preview": _LISTS,
    "pane.zoom": _LISTS,
    "go.back": "nothing covers anything, so there is nothing to go back from",
    "tree.next": _TREE,
    "tree.previous": _TREE,
    "tree.back": _TREE,
    "campaign.compact": "every row of a list is printed in the same form",
    "compare.back": _CURVES,
    "compare.on": _CURVES,
    "compare.far_back": _CURVES,
    "compare.far_on": _CURVES,
    "compare.newest": _CURVES,
    "change.record": "recording gives the macro a key; here, write it in config.toml and run it with macro",
    "copy.id": "customer, task and raw print ids and numbers on lines of their own, which the terminal copies",
    "copy.json": "raw prints the record",
    "profile.add": "frontdesk login in the shell asks for the same, line by line",
    "app.names": "names lists them; to change them, edit config.toml",
    "app.redraw": "nothing is drawn",
    "app.suspend": "the shell's own key does it",
    "app.config": "config.toml is a file that you can open in any editor",
    "app.theme": "nothing has a color",
}
"""Why the linear mode has no command, by the id of the action."""

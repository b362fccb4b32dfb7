"""Actions on workflows: their list and tree, dry runs, updates and analytics."""

from functools import partial

from frontdesk.config.actions import Group, key_action

_do = partial(key_action, Group.DO, ("workflows",))
_webhook = partial(key_action, Group.DO, ("agents",), writes=True)
_find = partial(key_action, Group.FIND, ("workflows",))
_view = partial(key_action, Group.VIEW, ("workflows",))

ACTIONS = (
    _find("tree.next", "n", "step_hit(1)", "next", "Next match"),
    _find("tree.previous", "N", "step_hit(-1)", "previous", "Previous match"),
    _find("tree.back", "b", "jump_back", "back", "Back to where you jumped from"),
    _find("workflow.sort", "S", "sort", "sort", "Sort by name, runs, change or findings"),
    _find(
        "workflow.worst",
        "E",
        "workflow('worst_exits')",
        "drop-offs",
        "Where most customers drop off",
        "workflows show",
    ),
    _find("workflow.findings", "F", "workflow('findings')", "findings", "What the check found", "workflows check"),
    _do(
        "workflow.try",
        "D",
        "workflow('simulate')",
        "dry run",
        "Dry-run a workflow without a customer",
        "workflows try",
    ),
    _do(
        "workflow.create",
        "c",
        "workflow('create')",
        "create",
        "Create a workflow from a file",
        "workflows create",
        rank=1,
        writes=True,
    ),
    _do(
        "workflow.update",
        "e",
        "workflow('update')",
        "update",
        "Update a workflow from a file",
        "workflows update",
        rank=2,
        writes=True,
    ),
    _do(
        "workflow.switch",
        "a",
        "workflow('switch')",
        "on or off",
        "Switch a workflow on or off",
        "workflows activate",
        "workflows deactivate",
        rank=3,
        writes=True,
    ),
    _do(
        "workflow.export",
        "W",
        "workflow('export')",
        "export",
        "Export a workflow to a file",
        "workflows export",
        rank=4,
    ),
    _do(
        "workflow.snapshots",
        "=",
        "workflow('snapshots')",
        "compare",
        "Save or compare analytics snapshots",
        "workflows snapshots",
    ),
    _do(
        "workflow.versions",
        "d",
        "workflow('versions')",
        "versions",
        "Compare or restore earlier versions",
        "workflows versions",
        "workflows restore",
    ),
    _do(
        "workflow.reset",
        "X",
        "workflow('reset')",
        "reset",
        "Reset analytics (saves a snapshot first)",
        "workflows reset-analytics",
        writes=True,
    ),
    _view(
        "workflow.period",
        "t",
        "next_period",
        "period",
        "Count since a reset, yesterday, an update",
        "workflows show",
    ),
    _view("workflow.detail", "p", "toggle_detail", "detail", "Show or hide the detail below the tree"),
    _webhook(
        "webhook.delete", "w", "delete_webhook", "webhook", "Delete a webhook by id…", "webhooks delete", rank=1
    ),
)

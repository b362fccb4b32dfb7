"""Actions on workflows: their list and tree, dry runs, updates and analytics."""

from functools import partial

from frontdesk.config.actions import Action, Group, key_action

_find = partial(key_action, Group.FIND, ("workflows",))
_view = partial(key_action, Group.VIEW, ("workflows",))


def _on_one(
    name: str,
    key: str,
    label: str,
    does: str,
    *commands: str,
    group: Group = Group.DO,
    rank: int = 0,
    writes: bool = False,
) -> Action:
    """Make an action on the workflow under the cursor; `WorkflowsScreen.action_workflow` knows it by this name."""
    method = f"workflow('{name}')"
    of, action_id = ("workflows",), f"workflow.{name}"
    return key_action(group, of, action_id, key, method, label, does, *commands, rank=rank, writes=writes)


_on_one_find = partial(_on_one, group=Group.FIND)
_write = partial(_on_one, writes=True)

ACTIONS = (
    _find("tree.next", "n", "step_hit(1)", "next", "Next match"),
    _find("tree.previous", "N", "step_hit(-1)", "previous", "Previous match"),
    _find("tree.back", "b", "jump_back", "back", "Back to where you jumped from"),
    _find("workflow.sort", "S", "sort", "sort", "Sort by name, loss, runs, change, findings"),
    _on_one_find("worst", "E", "drop-offs", "Where most customers drop off", "workflows show"),
    _on_one_find("findings", "F", "findings", "What the check found", "workflows check"),
    _on_one("try", "D", "dry run", "Dry-run a workflow without a customer", "workflows try"),
    _write("create", "c", "create", "Create a workflow from a file", "workflows create", rank=1),
    _write("update", "e", "update", "Update a workflow from a file", "workflows update", rank=2),
    _write(
        *("switch", "a", "on or off", "Switch a workflow on or off", "workflows activate", "workflows deactivate"),
        rank=3,
    ),
    _on_one("export", "W", "export", "Export a workflow to a file", "workflows export", rank=4),
    _on_one("snapshots", "=", "compare", "Save or compare analytics snapshots", "workflows snapshots"),
    _on_one(
        "versions",
        "d",
        "versions",
        "Compare or restore earlier versions",
        "workflows versions",
        "workflows restore",
    ),
    _write("reset", "X", "reset", "Reset analytics (saves a snapshot first)", "workflows reset-analytics"),
    _view(
        "workflow.period",
        "t",
        "next_period",
        "period",
        "Count since a reset, yesterday, an update",
        "workflows show",
    ),
    _view("workflow.detail", "p", "toggle_detail", "detail", "Show or hide the detail below the tree"),
    key_action(
        *(Group.DO, ("agents",), "webhook.delete", "w", "delete_webhook", "webhook", "Delete a webhook by id…"),
        *("webhooks delete",),
        rank=1,
        writes=True,
    ),
)

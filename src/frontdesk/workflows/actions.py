"""Actions on workflows: their list and tree, dry runs, updates and analytics."""

from functools import partial

from frontdesk.config.actions import Group, key_action

_do = partial(key_action, Group.DO, ("workflows",))
_webhook = partial(key_action, Group.DO, ("agents",))
_find = partial(key_action, Group.FIND, ("workflows",))

ACTIONS = (
    _find("tree.next", "n", "step_hit(1)", "next", "Next place that was searched for"),
    _find("tree.previous", "N", "step_hit(-1)", "previous", "The place before"),
    _find("tree.back", "b", "jump_back", "back", "Back to where a jump in a tree began"),
    _find("workflow.sort", "S", "sort", "sort", "Sort by name, executions, last run, last change or problems"),
    _find("workflow.worst", "E", "workflow('worst_exits')", "worst exits", "Where most customers are lost"),
    _find("workflow.findings", "F", "workflow('findings')", "problems", "What the check found"),
    _do("workflow.try", "D", "workflow('simulate')", "dry run", "Try a workflow without a customer"),
    _do(
        "workflow.create",
        "c",
        "workflow('create')",
        "create",
        "Create a workflow from a file",
        1,
        "workflows create",
    ),
    _do(
        "workflow.update",
        "e",
        "workflow('update')",
        "update",
        "Update a workflow from a file",
        2,
        "workflows update",
    ),
    _do(
        "workflow.switch",
        "a",
        "workflow('switch')",
        "on or off",
        "Switch a workflow on or off",
        3,
        "workflows activate",
        "workflows deactivate",
    ),
    _do(
        "workflow.export",
        "W",
        "workflow('export')",
        "export",
        "Write a workflow into a file",
        4,
        "workflows export",
    ),
    _do(
        "workflow.snapshots",
        "=",
        "workflow('snapshots')",
        "compare",
        "Compare a workflow's analytics with what was kept of them",
        0,
        "workflows snapshots",
    ),
    _do(
        "workflow.reset",
        "X",
        "workflow('reset')",
        "reset",
        "Reset a workflow's analytics; what they were is kept here",
        0,
        "workflows reset-analytics",
    ),
    _webhook(
        "webhook.delete", "w", "delete_webhook", "webhook", "Delete a webhook by its id…", 1, "webhooks delete"
    ),
)

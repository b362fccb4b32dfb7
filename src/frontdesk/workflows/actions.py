"""Actions on workflows: their list and tree, dry runs, updates and analytics."""

from frontdesk.config.actions import Group, key_action

DO, FIND = Group.DO, Group.FIND
WORKFLOWS = ("workflows",)

ACTIONS = (
    key_action("tree.next", "n", "step_hit(1)", "next", "Next place that was searched for", FIND, WORKFLOWS),
    key_action("tree.previous", "N", "step_hit(-1)", "previous", "The place before", FIND, WORKFLOWS),
    key_action("tree.back", "b", "jump_back", "back", "Back to where a jump in a tree began", FIND, WORKFLOWS),
    key_action(
        "workflow.sort",
        "S",
        "sort",
        "sort",
        "Sort by name, executions, last run, last change or problems",
        FIND,
        WORKFLOWS,
    ),
    key_action(
        "workflow.worst",
        "E",
        "workflow('worst_exits')",
        "worst exits",
        "Where most customers are lost",
        FIND,
        WORKFLOWS,
    ),
    key_action(
        "workflow.findings", "F", "workflow('findings')", "problems", "What the check found", FIND, WORKFLOWS
    ),
    key_action(
        "workflow.try", "D", "workflow('simulate')", "dry run", "Try a workflow without a customer", DO, WORKFLOWS
    ),
    key_action(
        "workflow.create",
        "c",
        "workflow('create')",
        "create",
        "Create a workflow from a file",
        DO,
        WORKFLOWS,
        1,
        commands=("workflows create",),
    ),
    key_action(
        "workflow.update",
        "e",
        "workflow('update')",
        "update",
        "Update a workflow from a file",
        DO,
        WORKFLOWS,
        2,
        commands=("workflows update",),
    ),
    key_action(
        "workflow.switch",
        "a",
        "workflow('switch')",
        "on or off",
        "Switch a workflow on or off",
        DO,
        WORKFLOWS,
        3,
        commands=("workflows activate", "workflows deactivate"),
    ),
    key_action(
        "workflow.export",
        "W",
        "workflow('export')",
        "export",
        "Write a workflow into a file",
        DO,
        WORKFLOWS,
        4,
        commands=("workflows export",),
    ),
    key_action(
        "workflow.snapshots",
        "=",
        "workflow('snapshots')",
        "compare",
        "Compare a workflow's analytics with what was kept of them",
        DO,
        WORKFLOWS,
        commands=("workflows snapshots",),
    ),
    key_action(
        "workflow.reset",
        "X",
        "workflow('reset')",
        "reset",
        "Reset a workflow's analytics; what they were is kept here",
        DO,
        WORKFLOWS,
        commands=("workflows reset-analytics",),
    ),
    key_action(
        "webhook.delete",
        "w",
        "delete_webhook",
        "webhook",
        "Delete a webhook by its id…",
        DO,
        ["agents"],
        1,
        commands=("webhooks delete",),
    ),
)

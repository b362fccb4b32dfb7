"""Actions on tasks: the board, status, people, due, texts, and bulk actions."""

from functools import partial

from frontdesk.config.actions import Group, Undo, key_action

UPDATE = "tasks update"
_do = partial(key_action, Group.DO, ("inbox", "board"), undo=Undo.ALWAYS)
_move = partial(key_action, Group.DO, ("board",), undo=Undo.ALWAYS)
_bulk = partial(key_action, Group.DO, ("inbox", "board"))

ACTIONS = (
    _do("task.assign", "a", "task('assign')", "assign", "Assign or unassign people", 1, UPDATE),
    _do("task.assign_me", "A", "task('assign_me')", "to me", "Assign to me", 0, UPDATE),
    _do("task.due", "d", "task('due')", "due", "Set or clear the due date", 3, UPDATE),
    _do("task.status", "s", "task('status')", "status", "Set the status", 4, UPDATE),
    _do("task.complete", "c", "task('complete')", "complete", "Complete tasks", 5, "tasks complete"),
    _do(
        "task.complete_next",
        "M",
        "task('complete_next')",
        "done, next",
        "Complete tasks, go to the next row",
        0,
        "tasks complete",
    ),
    _do(
        "row.snooze",
        "Q",
        "task('snooze')",
        "snooze",
        "Snooze until a time or until they write",
        0,
        "conversations snooze",
        "tasks snooze",
    ),
    _do("task.edit", "e", "task('edit')", "edit", "Edit title and text", 0, UPDATE),
    _move("card.left", "<", "move_left", "left", "Move the card one column left", 6, UPDATE),
    _move("card.right", ">", "move_right", "right", "Move the card one column right", 6, UPDATE),
    _bulk(
        "bulk.stop",
        "x",
        "task('stop')",
        "stop",
        "Stop the bulk change; undo what's unsent",
        0,
        "undo",
        writes=True,
    ),
    _bulk(
        "bulk.failures",
        "X",
        "task('failures')",
        "failed",
        "Review and resend failed changes",
        0,
        "outbox list",
    ),
)

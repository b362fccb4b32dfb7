"""Actions on tasks: the board, status, people, due, texts, and bulk actions."""

from functools import partial

from frontdesk.config.actions import Group, Undo, key_action

UPDATE = "tasks update"
_do = partial(key_action, Group.DO, ("inbox", "board"), undo=Undo.ALWAYS)
_move = partial(key_action, Group.DO, ("board",), undo=Undo.ALWAYS)
_bulk = partial(key_action, Group.DO, ("inbox", "board"))

ACTIONS = (
    _do("task.assign", "a", "task('assign')", "assign", "Assign or unassign people", UPDATE, rank=1),
    _do("task.assign_me", "A", "task('assign_me')", "to me", "Assign to me", UPDATE),
    _do("task.due", "d", "task('due')", "due", "Set or clear the due date", UPDATE, rank=3),
    _do("task.status", "s", "task('status')", "status", "Set the status", UPDATE, rank=4),
    _do("task.complete", "c", "task('complete')", "complete", "Complete tasks", "tasks complete", rank=5),
    _do(
        "task.complete_next",
        "M",
        "task('complete_next')",
        "done, next",
        "Complete tasks, go to the next row",
        "tasks complete",
    ),
    _do(
        "row.snooze",
        "Q",
        "task('snooze')",
        "snooze",
        "Snooze until a time or until they write",
        "conversations snooze",
        "tasks snooze",
    ),
    _do("task.edit", "e", "task('edit')", "edit", "Edit title and text", UPDATE),
    _move("card.left", "<", "move_left", "left", "Move the card one column left", UPDATE, rank=6),
    _move("card.right", ">", "move_right", "right", "Move the card one column right", UPDATE, rank=6),
    _bulk(
        "bulk.stop", "x", "task('stop')", "stop", "Stop the bulk change; undo what's unsent", "undo", writes=True
    ),
    _bulk("bulk.failures", "X", "task('failures')", "failed", "Review and resend failed changes", "outbox list"),
)

"""Actions on tasks: the board, status, people, due, texts, and bulk actions."""

from frontdesk.config.actions import Group, Undo, key_action

DO = Group.DO
ROWS = ("inbox", "board")
UPDATE = ("tasks update",)

ACTIONS = (
    key_action(
        "task.assign",
        "a",
        "task('assign')",
        "assign",
        "Assign people, and take people off",
        DO,
        ROWS,
        1,
        commands=UPDATE,
        undo=Undo.ALWAYS,
    ),
    key_action("task.assign_me", "A", "task('assign_me')", "to me", "Assign to me", DO, ROWS, undo=Undo.ALWAYS),
    key_action(
        "task.due",
        "d",
        "task('due')",
        "due",
        "Set the due time in words, or none",
        DO,
        ROWS,
        3,
        commands=UPDATE,
        undo=Undo.ALWAYS,
    ),
    key_action(
        "task.status",
        "s",
        "task('status')",
        "status",
        "Set the status",
        DO,
        ROWS,
        4,
        commands=UPDATE,
        undo=Undo.ALWAYS,
    ),
    key_action(
        "task.complete", "c", "task('complete')", "complete", "Complete tasks", DO, ROWS, 5, undo=Undo.ALWAYS
    ),
    key_action(
        "task.edit",
        "e",
        "task('edit')",
        "edit",
        "Edit title and body",
        DO,
        ROWS,
        commands=UPDATE,
        undo=Undo.ALWAYS,
    ),
    key_action(
        "card.left", "<", "move_left", "left", "Card one status to the left", DO, ["board"], 6, undo=Undo.ALWAYS
    ),
    key_action(
        "card.right",
        ">",
        "move_right",
        "right",
        "Card one status to the right",
        DO,
        ["board"],
        6,
        undo=Undo.ALWAYS,
    ),
    key_action(
        "bulk.stop", "x", "stop_run", "stop", "Stop what runs on many; what is not sent is taken back", DO, ROWS
    ),
    key_action(
        "bulk.failures", "X", "failures", "failed", "What the platform did not take, to send it again", DO, ROWS
    ),
)

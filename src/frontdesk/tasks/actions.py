"""Actions on tasks: the board, status, people, due, texts, and bulk actions."""

from frontdesk.config.actions import Group, Heading, Undo, key_action, line_action, typed

DO, DOING, LISTS = Group.DO, Heading.DOING, Heading.LISTS
ROWS = ("inbox", "board")
UPDATE = ("tasks update",)

ACTIONS = (
    line_action(
        "list.board", "board", "[STATUS]", "How many tasks are in each status, or the tasks in one", LISTS
    ),
    line_action("list.tasks", "tasks", "[N]", "The tasks of the open conversation, or of one of the list", LISTS),
    line_action(
        "list.names", "names", "[people|statuses|tags]", "What people, statuses and tags are called", LISTS
    ),
    line_action(
        "task.show", "task", "[N]", "All of a task; of a conversation its most urgent one", Heading.READING
    ),
    key_action(
        "task.assign",
        "a",
        "task('assign')",
        "assign",
        "Assign people, and take people off",
        DO,
        ROWS,
        1,
        typed("assign a", "[N] NAME, -NAME", DOING, "People with a minus in front are taken off."),
        commands=UPDATE,
        targets="tasks",
        undo=Undo.ALWAYS,
    ),
    line_action(
        "task.unassign",
        "unassign",
        "[N] [NAME]",
        "Take people off tasks; without a name everybody",
        DOING,
        targets="tasks",
        undo=Undo.ALWAYS,
    ),
    key_action(
        "task.assign_me",
        "A",
        "task('assign_me')",
        "to me",
        "Assign to me",
        DO,
        ROWS,
        typed=typed("me A", "[N]", DOING),
        targets="tasks",
        undo=Undo.ALWAYS,
    ),
    key_action(
        "task.due",
        "d",
        "task('due')",
        "due",
        "Set the due time in words, or none",
        DO,
        ROWS,
        3,
        typed("due d", "[N] WHEN", DOING, "WHEN is as in: tomorrow 9am; fri; +3d; in 2h; 2026-12-24; none."),
        commands=UPDATE,
        targets="tasks",
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
        typed(
            "status s",
            "[N] STATUS",
            DOING,
            "STATUS is a name, its beginning, or its place on the board: status 3 done.",
        ),
        commands=UPDATE,
        targets="tasks",
        undo=Undo.ALWAYS,
    ),
    key_action(
        "task.complete",
        "c",
        "task('complete')",
        "complete",
        "Complete tasks",
        DO,
        ROWS,
        5,
        typed("complete c", "[N]", DOING),
        targets="tasks",
        undo=Undo.ALWAYS,
    ),
    key_action(
        "task.edit",
        "e",
        "task('edit')",
        "edit",
        "Edit title and body",
        DO,
        ROWS,
        typed=typed(
            "edit e",
            "[N] title|text [WORDS]",
            DOING,
            "It is done on one task; without words the old ones are edited.",
            "What someone else wrote meanwhile is not lost: both wait in activity.",
        ),
        commands=UPDATE,
        undo=Undo.ALWAYS,
    ),
    key_action(
        "card.left",
        "<",
        "move_left",
        "left",
        "Card one status to the left",
        DO,
        ["board"],
        6,
        targets="tasks",
        undo=Undo.ALWAYS,
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
        targets="tasks",
        undo=Undo.ALWAYS,
    ),
    key_action(
        "bulk.stop", "x", "stop_run", "stop", "Stop what runs on many; what is not sent is taken back", DO, ROWS
    ),
    key_action(
        "bulk.failures", "X", "failures", "failed", "What the platform did not take, to send it again", DO, ROWS
    ),
)

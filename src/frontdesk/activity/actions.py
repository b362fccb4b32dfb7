"""Actions on changes: undo and redo, retry and drop."""

from frontdesk.config.actions import Group, Heading, Undo, key_action, line_action, typed

WITHOUT_NUMBER = "Without a number, the one that waits for a decision."

ACTIONS = (
    line_action("list.changes", "activity", "", "Every change, and how far it came", Heading.DONE),
    key_action(
        "change.retry",
        "r",
        "retry",
        "send again",
        "Send a refused or conflicting change again",
        Group.DO,
        ["activity"],
        1,
        typed("retry", "[N]", Heading.DONE, WITHOUT_NUMBER),
        commands=("outbox retry",),
    ),
    key_action(
        "change.drop",
        "x",
        "drop",
        "drop",
        "Give a change up; of a conflict theirs stays",
        Group.DO,
        ["activity"],
        2,
        typed("drop", "[N]", Heading.DONE, WITHOUT_NUMBER),
        commands=("outbox drop",),
    ),
    key_action(
        "change.undo",
        "u",
        "undo",
        "undo",
        "Undo what was done last",
        Group.DO,
        ["app"],
        typed=typed("undo u", "", Heading.DOING),
        undo=Undo.ALWAYS,
    ),
    key_action(
        "change.redo",
        "U",
        "redo",
        "redo",
        "Redo what was undone last",
        Group.DO,
        ["app"],
        typed=typed("redo U", "", Heading.DOING),
        undo=Undo.ALWAYS,
    ),
)

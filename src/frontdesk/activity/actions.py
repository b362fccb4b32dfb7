"""Actions on changes: undo and redo, retry and drop."""

from frontdesk.config.actions import Group, Undo, key_action

ACTIONS = (
    key_action(
        "change.retry",
        "r",
        "retry",
        "send again",
        "Send a refused or conflicting change again",
        Group.DO,
        ["activity"],
        1,
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
        commands=("outbox drop",),
    ),
    key_action("change.undo", "u", "undo", "undo", "Undo what was done last", Group.DO, ["app"], undo=Undo.ALWAYS),
    key_action(
        "change.redo", "U", "redo", "redo", "Redo what was undone last", Group.DO, ["app"], undo=Undo.ALWAYS
    ),
)

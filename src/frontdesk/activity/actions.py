"""Actions on changes: undo and redo, retry and drop; and the texts of undo and redo."""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class UndoTexts:
    """The wording of undo or redo.

    Attributes:
        sends: the result while it is being sent.
        back: the way back, after the key with the id `back_key`; `spoken_back` is a sentence by itself.
    """

    verb: str
    did: str
    sends: str
    nothing: str
    back: str
    back_key: str
    spoken_back: str

    def result(self, *, is_to_send: bool) -> str:
        """What was done, in front of the action's label."""
        return self.sends if is_to_send else self.did


UNDO = UndoTexts(
    "Undo", "Undone", "Being sent back", "Nothing to undo.", "redoes it", "change.redo", "redo does it again"
)
REDO = UndoTexts(
    "Redo", "Done again", "Being sent again", "Nothing to redo.", "undoes it", "change.undo", "undo takes it back"
)

"""Actions on changes: undo and redo, retry and drop; and the texts of undo and redo."""

from dataclasses import dataclass
from functools import partial

from frontdesk.config.actions import APP, Group, Undo, key_action

_do = partial(key_action, Group.DO, ("activity",))
_revert = partial(key_action, Group.DO, APP, undo=Undo.ALWAYS)

ACTIONS = (
    _do(
        "change.retry", "r", "retry", "send again", "Send a refused or conflicting change again", 1, "outbox retry"
    ),
    _do("change.drop", "x", "drop", "drop", "Give a change up; of a conflict theirs stays", 2, "outbox drop"),
    _revert("change.undo", "u", "undo", "undo", "Undo what was done last"),
    _revert("change.redo", "U", "redo", "redo", "Redo what was undone last"),
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

"""Texts of undo and redo, for the screens and the linear mode."""

from dataclasses import dataclass


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

"""Actions on changes: undo and redo, retry and drop; and the texts of undo and redo."""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.config.actions import APP, Group, Undo, key_action
from frontdesk.outbox.labels import inline_label
from frontdesk_lines.display_text import show_line

if TYPE_CHECKING:
    from frontdesk.outbox.batches import ActionResult

_do = partial(key_action, Group.DO, ("activity",))
_revert = partial(key_action, Group.DO, APP, undo=Undo.ALWAYS)

ACTIONS = (
    _do(
        "change.retry",
        "r",
        "retry",
        "resend",
        "Resend a rejected or conflicting change",
        "outbox retry",
        rank=1,
        writes=True,
    ),
    _do(
        "change.merge",
        "e",
        "record('merge_texts')",
        "edit both",
        "Merge their text and yours into one",
        writes=True,
    ),
    _do(
        "change.drop",
        "x",
        "drop",
        "discard",
        "Discard a change (conflict: keep theirs)",
        "outbox drop",
        rank=2,
        writes=True,
    ),
    _do(
        "change.next",
        "n",
        "next_undecided",
        "next to decide",
        "Next change that needs your decision",
        "outbox list",
        rank=3,
    ),
    _do("change.record", "m", "record_macro", "macro", "Record the action as a macro"),
    _do("change.details", "d", "details", "details", "Show all details of a change", "outbox list"),
    _revert("change.undo", "u", "undo", "undo", "Undo the last action, or this entry", "undo"),
    _revert("change.redo", "U", "redo", "redo", "Redo the last undone action", "redo"),
)


class UndoTexts(NamedTuple):
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

    def result(self, label: str, *, is_to_send: bool) -> str:
        """Return what was done, with the label of the action: "Undone: Status Completed"."""
        return f"{self.sends if is_to_send else self.did}: {inline_label(label)}"


UNDO = UndoTexts("Undo", "Undone", "Undoing", "Nothing to undo.", "redoes it", "change.redo", "To redo, type redo")
REDO = UndoTexts("Redo", "Redone", "Redoing", "Nothing to redo.", "undoes it", "change.undo", "To undo, type undo")


def describe_problem(done: "ActionResult", problem: str, named: str, texts: UndoTexts) -> str:
    """Return why it wasn't undone or redone: "Can't undo Status Completed on Dana: it was undone already".

    A bulk action's text has the count: "Can't undo Status Completed on any of the 3 tasks: …", or, if it was
    undone on the others, "Not undone on 1 of the 2 tasks: …".

    Args:
        named: the name of the record, for an action on one record.
    """
    label = show_line(done.label, 80).text
    if not label or not problem.startswith(label):
        return problem
    rest = problem.removeprefix(label)
    if done.count:
        return f"Not {texts.did.lower()}{rest}"
    is_named = rest.startswith(" on ") or label.endswith(f": {named}")
    on = f" on {named}" if named and not is_named else ""
    return f"Can't {texts.verb.lower()} {inline_label(label)}{on}{rest}"

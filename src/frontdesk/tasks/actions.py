"""Actions on tasks: the board, status, people, due, texts, and bulk actions; and the texts of their results."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from frontdesk.config.actions import Group, Undo, key_action

UPDATE = "tasks update"
_do = partial(key_action, Group.DO, ("inbox", "board"), undo=Undo.ALWAYS)
_move = partial(key_action, Group.DO, ("board",), undo=Undo.ALWAYS)
_bulk = partial(key_action, Group.DO, ("inbox", "board"))

ACTIONS = (
    _do("task.assign", "a", "task('assign')", "assign", "Assign people, and take people off", 1, UPDATE),
    _do("task.assign_me", "A", "task('assign_me')", "to me", "Assign to me"),
    _do("task.due", "d", "task('due')", "due", "Set the due time in words, or none", 3, UPDATE),
    _do("task.status", "s", "task('status')", "status", "Set the status", 4, UPDATE),
    _do("task.complete", "c", "task('complete')", "complete", "Complete tasks", 5),
    _do("task.edit", "e", "task('edit')", "edit", "Edit title and body", 0, UPDATE),
    _move("card.left", "<", "move_left", "left", "Card one status to the left", 6),
    _move("card.right", ">", "move_right", "right", "Card one status to the right", 6),
    _bulk("bulk.stop", "x", "stop_run", "stop", "Stop what runs on many; what is not sent is taken back"),
    _bulk("bulk.failures", "X", "failures", "failed", "What the platform did not take, to send it again"),
)


@dataclass(frozen=True, slots=True)
class ActionTexts:
    """The wording of an action; the names of the tasks follow, where nothing else is stated.

    Attributes:
        label: the name of its changes in Activity, whole.
        title: the title of its dialog or plan.
        did: the result on a screen.
        state: how the tasks are afterwards, as "completed"; it stands behind their names.
        question: the linear mode's question before it is done on many.
        result: the linear mode's result.
    """

    label: str
    title: str
    did: str
    state: str
    question: str
    result: str


def status_texts(name: str, *, is_completed: bool) -> ActionTexts:
    """Texts of setting the status with this name."""
    return ActionTexts(
        f"Status: {name}",
        "Complete" if is_completed else f"Status → {name}",
        name if is_completed else f"→ {name}:",
        "completed" if is_completed else f"in {name}",
        f"Set the status {name} on",
        f"Status {name} set on",
    )


def people_texts(add: Sequence[str], remove: Sequence[str]) -> ActionTexts:
    """Texts of assigning and unassigning the people with these names."""
    on, off = ", ".join(add), ", ".join(remove)
    did = ", ".join(filter(None, (f"assigned to {on}" if on else "", f"took off {off}" if off else "")))
    state = " and ".join(
        filter(None, (f"assigned to {on}" if on else "", f"not assigned to {off}" if off else ""))
    )
    result = " and ".join(filter(None, (f"put {on} on" if on else "", f"took {off} off" if off else "")))
    label = " ".join((*(f"+{each}" for each in add), *(f"-{each}" for each in remove)))
    return ActionTexts(
        f"Assign: {label}", "Assign", f"{_capital(did)}:", state, "Change who is on", f"{_capital(result)}:"
    )


def due_texts(when: str, note: str = "") -> ActionTexts:
    """Texts of setting when tasks are due, or of clearing it.

    Args:
        when: the moment in words; empty for none.
        note: how the words that were typed were taken.
    """
    if not when:
        clears = "Clear the due date of"
        return ActionTexts(
            "Due: none", "No due date", "No due date:", "without a due date", clears, "No due date on"
        )
    at = f"{when}, {note}," if note else when
    question, result = f"Set the due date to {at} on", f"Due {at} set on"
    return ActionTexts(f"Due: {when}", f"Due {when}", f"Due {when}:", f"due {when}", question, result)


def edit_texts(fields: Collection[str]) -> ActionTexts:
    """Texts of editing these fields of one task."""
    names = " and ".join(fields)
    return ActionTexts(
        f"Edit {names}", "Edit", f"Edited {names} of", "worded like this", "Edit", f"Edited {names} of"
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

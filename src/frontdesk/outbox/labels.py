"""Words for people: labels of actions, such as "Status: Completed", and a few words for the state of a change."""

from frontdesk.storage.records import ChangeState

UNDO = "Undo: "
"""The beginning of the label of changes that undo an action."""

SOMEONE_ELSE = "someone else"
"""The beginning of the reason of a conflict with another person's change."""


def undo_label(label: str) -> str:
    """Return the label of an action's undo: "Undo: Status Completed"."""
    return f"{UNDO}{inline_label(label)}"


def inline_label(label: str) -> str:
    """Return a label for a place after a colon: "Status: Completed" as "Status Completed"."""
    is_undo = label.startswith(UNDO)
    rest = label.removeprefix(UNDO).replace(": ", " ", 1)
    return f"Undo {rest}" if is_undo else rest


def shown_label(label: str) -> str:
    """Return a label for display; older stores have undo labels with two colons."""
    return undo_label(label.removeprefix(UNDO)) if label.startswith(UNDO) else label


_STATES = {
    ChangeState.HELD: "waiting to send",
    ChangeState.QUEUED: "waiting to send",
    ChangeState.SENDING: "being sent",
    ChangeState.UNKNOWN: "being checked",
    ChangeState.CONFLICT: "in conflict",
    ChangeState.REFUSED: "rejected",
    ChangeState.CONFIRMED: "confirmed",
    ChangeState.UNDONE: "undone before sending",
    ChangeState.DROPPED: "discarded",
}


def describe_state(state: ChangeState) -> str:
    """Return the state of a change after "it is", or after a number of changes."""
    return _STATES[state]

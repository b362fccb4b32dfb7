"""What must hold on every desk, and the states that may follow each other."""

from collections.abc import Mapping
from enum import StrEnum

from frontdesk.storage.records import ChangeState


class Invariant(StrEnum):
    """What must hold after each step and at rest; simulation.md describes them in these words."""

    LOST = "nothing is lost"
    DOUBLED = "nothing is doubled"
    ORDER = "changes of a target arrive in order"
    OVERWRITE = "nothing is overwritten unseen"
    CONVERGENCE = "every store becomes the platform's"
    SHOWN = "what is shown is what the store has"
    OUTCOME = "what a person is told of a change is true"
    STATES = "a change never goes back"
    HOLD = "nothing leaves before its time"
    BUDGET = "the budget is kept"
    LEASE = "one engine of a desk polls and sends"
    PROGRESS = "everything goes on"


_WAITING = (ChangeState.HELD, ChangeState.QUEUED)
_SENT = (ChangeState.SENDING, ChangeState.UNKNOWN)
_ENDED = (ChangeState.CONFIRMED, ChangeState.UNDONE, ChangeState.DROPPED)

NEXT_STATES: Mapping[ChangeState, frozenset[ChangeState]] = {
    **dict.fromkeys(_WAITING, frozenset(ChangeState) - {ChangeState.UNKNOWN}),
    ChangeState.SENDING: frozenset(ChangeState) - {ChangeState.HELD, ChangeState.UNDONE},
    ChangeState.UNKNOWN: frozenset(ChangeState) - {ChangeState.HELD},
    **dict.fromkeys((ChangeState.REFUSED, ChangeState.CONFLICT), frozenset({ChangeState.DROPPED})),
    **dict.fromkeys(_ENDED, frozenset()),
}
"""The states that may follow each state."""

"""Observations of the platform's data, for a team's other machines (`team/publisher.py`).

Features report fetched data, whether or not it differed, and apply data that another machine has fetched.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.storage.records import Json


class ObservedKind(StrEnum):
    """Kinds of observations; machines that don't know a kind skip it."""

    TASK = "task"
    GONE = "gone"
    """A task that doesn't exist any more."""
    MESSAGE = "message"
    PAGE = "page"
    """Messages of a thread that follow each other without a gap; their own observations come before it."""
    CAMPAIGN = "campaign"
    """A campaign without its list of recipients."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One fetched record.

    Attributes:
        line_id: empty if the record belongs to no line.
        asked_at: when the record was requested, Unix seconds of this machine.
    """

    kind: ObservedKind
    id: str
    line_id: str
    asked_at: float
    body: Json


Observe = Callable[[Sequence[Observed]], None]
"""Takes fetched records; called on the engine's loop once they are stored, and returns at once."""


def observe_nothing(_observed: Sequence[Observed]) -> None:
    """Pass nothing on, since there is no team."""

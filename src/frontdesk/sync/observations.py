"""What the platform said, for whoever passes it on: a team's other desks (`app/team_publisher.py`).

Features say what their reads brought, whether or not it differed, and apply what another desk has read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.storage.records import Json


class ObservedKind(StrEnum):
    """What was read; desks that don't know a kind skip it."""

    TASK = "task"
    GONE = "gone"
    """A task that doesn't exist any more."""
    MESSAGE = "message"
    PAGE = "page"
    """Which messages of a thread follow each other without a gap; their own observations come before it."""
    CAMPAIGN = "campaign"
    """Without its list of recipients."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One thing that a read has brought.

    Attributes:
        line_id: empty for what belongs to no line.
        asked_at: when it was requested, Unix seconds of this machine.
    """

    kind: ObservedKind
    id: str
    line_id: str
    asked_at: float
    body: Json


Observe = Callable[[Sequence[Observed]], None]
"""Takes what a read brought; called on the engine's loop once it is stored, and returns at once."""


def observe_nothing(_observed: Sequence[Observed]) -> None:
    """Pass nothing on: there is no team."""

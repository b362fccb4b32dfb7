"""What a dry run tells: each thing that happened, in order, and how it stands after the last one.

`simulation.run` makes it, `workflows.view.simulation` puts it into words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from frontdesk.workflow_runtime.graph import Exit, RuntimeNode


class EventKind(StrEnum):
    """Kinds of happenings."""

    ASSUMED = "assumed"
    SAID = "said"
    PRESSED = "pressed"
    PASSED = "passed"
    UNHEARD = "unheard"
    BEGAN = "began"
    NOT_BEGUN = "notBegun"
    ENTERED = "entered"
    AGAIN = "again"
    SENT = "sent"
    DID = "did"
    TOOK = "took"
    WAITS = "waits"
    RUNS = "runs"
    RETURNED = "returned"


class Reason(StrEnum):
    """What made a way be taken."""

    TITLE = "title"
    PAYLOAD = "payload"
    NOTHING_FITS = "nothing fits"
    SILENCE = "silence"
    CONDITION = "condition"
    CHOSEN = "chosen"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class SimulationEvent:
    """One line of a dry run.

    Attributes:
        step: the step of the script that it came of.
        depth: how many workflows that point to each other deep, from 0.
        text: what was said or sent, with placeholders filled; what was assumed; a trigger's keyword; what
            a condition looked at.
        kind: the effect's kind, for what was sent and done; "answer" or "time" for a wait.
        data: the node's data with placeholders filled, for what was sent and done.
        seconds: how much time passed, or how long a wait is.
        elapsed: seconds since the beginning.
    """

    what: EventKind
    step: int
    workflow_id: str
    depth: int = 0
    node: RuntimeNode | None = None
    exit: Exit | None = None
    why: Reason | None = None
    text: str = ""
    kind: str = ""
    choices: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    elapsed: float = 0.0


class SimulationState(StrEnum):
    """How a dry run stands."""

    TO_BEGIN = "to begin"
    ANSWER = "waits for an answer"
    TIME = "waits for time"
    CHOICE = "asks which way"
    UNKNOWN = "stops at what is not known"
    COMPLETED = "completed"
    DROPPED = "dropped"
    CANNOT_RUN = "can't run"

    @property
    def is_over(self) -> bool:
        """Whether no step can change it any more."""
        return self in (
            SimulationState.UNKNOWN,
            SimulationState.COMPLETED,
            SimulationState.DROPPED,
            SimulationState.CANNOT_RUN,
        )


@dataclass(frozen=True, slots=True)
class Misfit:
    """A step that can't be done where the run stands; neither it nor what comes after it was done."""

    step: int
    words: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """What happened, and how it stands.

    Attributes:
        state: after the last step that could be done.
        reason: why it was dropped, can't run or stops; empty else.
        at_workflow: where it stands; after the end, where it ended.
        at: the node there; None before it begins.
        ways: the answers that are offered, or the ways of which one has to be chosen.
        condition: what would decide between them, as it is written, with what is known of it.
        seconds_left: how long it still waits.
        not_known: names of placeholders in what was sent that nobody gave.
        begins_by: what begins the workflow: its trigger's event, its keywords.
        needs_words: whether it begins by what the customer writes.
        misfit: the step at which the script was left, if it was.
    """

    workflow_id: str
    name: str
    happened: tuple[SimulationEvent, ...]
    state: SimulationState
    reason: str = ""
    at_workflow: str = ""
    at: RuntimeNode | None = None
    ways: tuple[Exit, ...] = ()
    condition: str = ""
    seconds_left: float = 0.0
    elapsed: float = 0.0
    not_known: tuple[str, ...] = ()
    event: str = ""
    keywords: tuple[str, ...] = ()
    needs_words: bool = False
    misfit: Misfit | None = None

"""The events of a dry run and its state.

The counts of the runtime's `ExecutionStep` are in the order in which they happened; a `Trace` makes events of
them, and stops when a way has to be chosen.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from frontdesk_flows.execution import Count, Execution, ExecutionStep
from frontdesk_flows.graph import Effect, Exit, Graph, RuntimeNode, fill_all, fill_placeholders


class EventKind(StrEnum):
    """Kinds of events."""

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
    """Reasons for taking an exit."""

    TITLE = "title"
    PAYLOAD = "payload"
    NOTHING_FITS = "nothing fits"
    SILENCE = "silence"
    CONDITION = "condition"
    CHOSEN = "chosen"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class SimulationEvent:
    """An event of a dry run.

    Attributes:
        step: the step of the script that caused it.
        depth: nesting of workflows that point to each other, from 0.
        text: what was said or sent, with placeholders filled; what was assumed; a trigger's keyword; what a
            condition tested.
        kind: the effect's kind, for what was sent and done; "answer" or "time" for a wait.
        data: the node's data with placeholders filled, for what was sent and done.
        seconds: how much time passed, or how long a wait is.
        elapsed: seconds since the beginning.
    """

    event: EventKind
    step: int
    workflow_id: str
    depth: int = 0
    node: RuntimeNode | None = None
    exit: Exit | None = None
    reason: Reason | None = None
    text: str = ""
    kind: str = ""
    choices: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    elapsed: float = 0.0


class SimulationState(StrEnum):
    """States of a dry run."""

    TO_BEGIN = "not started"
    ANSWER = "waiting for an answer"
    TIME = "waiting"
    CHOICE = "undecided"
    UNKNOWN = "stopped"
    COMPLETED = "completed"
    DROPPED = "dropped"
    CANNOT_RUN = "can't run"

    @property
    def is_over(self) -> bool:
        return self in (
            SimulationState.UNKNOWN,
            SimulationState.COMPLETED,
            SimulationState.DROPPED,
            SimulationState.CANNOT_RUN,
        )


@dataclass(frozen=True, slots=True)
class Misfit:
    """A step that can't be done at this point; neither it nor the steps after it were done."""

    step: int
    words: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """The events of a dry run and its state.

    Attributes:
        state: after the last step that could be done.
        reason: why it was dropped, can't run or stops; empty else.
        at_workflow: the current workflow; after the end, the last one.
        at: the current node; None before it begins.
        ways: the answers that are offered, or the ways to choose from.
        condition: what would decide between them, with known values.
        seconds_left: how long it still waits.
        not_known: placeholders without a value in what was sent.
        needs_words: whether it begins by what the customer writes.
        misfit: the step at which the script was left, if it was.
        is_at_limit: whether it was dropped because it entered as many nodes as one run may, not in a loop.
    """

    workflow_id: str
    name: str
    events: tuple[SimulationEvent, ...]
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
    is_at_limit: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """The nodes at which nothing decides, and the steps of the choices made; for others the first is assumed."""

    undecided: Sequence[str]
    made_in: Sequence[int]
    assumes: bool


class Trace:
    """Makes the events of one move, up to the node `at` which a way may have to be chosen."""

    def __init__(
        self,
        graph_of: Callable[[str], Graph | None],
        variables: Mapping[str, Any],
        choices: Choices,
        step: int,
        last_message: str,
        elapsed: float,
    ) -> None:
        self._graph_of, self._variables, self._choices = graph_of, variables, choices
        self._step, self._last_message, self._elapsed = step, last_message, elapsed
        self._choice_count = 0
        self._was_entered = False
        self._depth = 0
        self.at: tuple[str, RuntimeNode | None] = ("", None)
        self.needs_choice = False

    def events(self, move: ExecutionStep, before: Execution | None) -> Iterator[SimulationEvent]:
        """Make the events of a move; without `before` the workflow begins."""
        # Each effect is of a node that was entered; one that is left over is a question asked again.
        effects = deque(move.effects)
        begins = before is None
        if before is not None:
            self._depth = len(before.frames) - 1
            self._move_to(before.frames[-1].workflow_id, before.frames[-1].node_id)
        for count in move.counts:
            if count.kind == "entered":
                yield self._entered(count)
                if effects and (effects[0].workflow_id, effects[0].node_id) == (count.workflow_id, count.about):
                    yield self._effect_event(effects.popleft())
            elif count.kind == "clicked":
                took = self._taken_exit(count)
                if took is None:
                    self.needs_choice = True
                    return
                yield took
            elif count.kind == "started" and not begins:
                self._depth += 1
                yield self._event(EventKind.RUNS, count.workflow_id)
            elif count.kind == "completed" and self._depth:
                yield self._event(EventKind.RETURNED, count.workflow_id)
                self._depth -= 1
            begins = False
        if effects:
            yield self._event(EventKind.AGAIN, node=self.at[1])
            yield self._effect_event(effects.popleft())
        after = move.execution
        if after.outcome is None:
            yield self._event(EventKind.WAITS, node=self.at[1], kind=after.waits_for, seconds=after.wait_seconds)

    def _entered(self, count: Count) -> SimulationEvent:
        self._move_to(count.workflow_id, count.about)
        self._was_entered = True
        return self._event(EventKind.ENTERED, node=self.at[1])

    def _taken_exit(self, count: Count) -> SimulationEvent | None:
        """Return the exit that was taken; None if a person has to choose it first."""
        node = self.at[1]
        chosen = None if node is None else next((each for each in node.exits if each.id == count.about), None)
        condition = condition_of(node, self._variables) if self._was_entered else ""
        reason = self._reason(node, chosen)
        undecided = self._choices.undecided
        if (
            self._was_entered
            and node is not None
            and undecided[self._choice_count : self._choice_count + 1] == [node.id]
        ):
            if self._choice_count < len(self._choices.made_in):
                self._step, reason = self._choices.made_in[self._choice_count], Reason.CHOSEN
            elif self._choices.assumes:
                reason = Reason.ASSUMED
            else:
                return None
            self._choice_count += 1
        self._was_entered = False
        return self._event(EventKind.TOOK, node=node, exit=chosen, reason=reason, text=condition)

    def _reason(self, node: RuntimeNode | None, chosen: Exit | None) -> Reason:
        if self._was_entered or node is None or chosen is None:
            return Reason.CONDITION
        if chosen is node.fallback:
            return Reason.NOTHING_FITS
        if chosen is node.timeout:
            return Reason.SILENCE
        last_message = self._last_message.strip().casefold()
        return Reason.TITLE if chosen.title.strip().casefold() == last_message else Reason.PAYLOAD

    def _effect_event(self, effect: Effect) -> SimulationEvent:
        return self._event(
            EventKind.SENT if effect.kind in ("message", "ai") else EventKind.DID,
            node=self.at[1],
            text=effect.text,
            kind=effect.kind,
            choices=effect.choices,
            data=fill_all(dict(effect.data), self._variables),
        )

    def _move_to(self, workflow_id: str, node_id: str) -> None:
        graph = self._graph_of(workflow_id)
        self.at = workflow_id, None if graph is None else graph.nodes.get(node_id)

    def _event(self, event: EventKind, workflow_id: str | None = None, **more: Any) -> SimulationEvent:
        workflow = self.at[0] if workflow_id is None else workflow_id
        return SimulationEvent(event, self._step, workflow, depth=self._depth, elapsed=self._elapsed, **more)


def condition_of(node: RuntimeNode | None, variables: Mapping[str, Any]) -> str:
    """Return the condition of an `if` or a `switch`, with known values filled in: `{{now.hour}} is 9`."""
    if node is None:
        return ""
    names = ("value",) if node.type == "switch" else ("left", "operator", "right")
    parts = [str(each) for each in map(node.data.get, names) if isinstance(each, str | int | float)]
    known = " ".join(fill_placeholders(each, variables) for each in parts)
    return f"{parts[0]} is {known}" if node.type == "switch" and parts and parts[0] != known else known

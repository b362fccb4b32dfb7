"""A dry run: the nodes that run, what they would send and how long they wait, when a customer follows a script.

It uses the sandbox's runtime. Nothing is guessed: an undecided run waits until the script chooses a way, unless
the caller assumes the first. A script is always played from its beginning; a step back is one without its last
entry.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from frontdesk_flows.execution import DOES_NOT_RUN, Execution, ExecutionStep, Runner
from frontdesk_flows.execution_limits import STEP_BUDGET, limit_reason
from frontdesk_flows.graph import INBOUND, ON_MESSAGE, ON_TAG, Exit, Graph, RuntimeNode, placeholders
from frontdesk_flows.simulation.script import ScriptAction, ScriptStep
from frontdesk_flows.simulation.trace import (
    Choices,
    DryRun,
    EventKind,
    Misfit,
    SimulationEvent,
    SimulationState,
    Trace,
    condition_of,
)

_ANY_WORDS = "hello"
_MAX_NAMES = 20


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The assumptions of a dry run.

    Attributes:
        begins_at: in the zone of `now.hour`.
        variables: `message`, `now.hour` and `now.day` come from the run itself unless given.
        assumes: whether the first way is taken if nothing decides.
        knows_all: whether a workflow that isn't among the graphs doesn't exist.
    """

    begins_at: datetime
    variables: Mapping[str, Any]
    assumes: bool = False
    knows_all: bool = False
    max_nodes: int = STEP_BUDGET


def dry_run(
    graphs: Mapping[str, Graph], workflow_id: str, steps: Sequence[ScriptStep], given: Circumstances
) -> DryRun:
    return _Simulation(graphs, workflow_id, given).play(steps)


class _Misfit(Exception):
    """Raised when a step can't be done; the text says why."""


class _Simulation:
    def __init__(self, graphs: Mapping[str, Graph], workflow_id: str, given: Circumstances) -> None:
        own = graphs[workflow_id]
        self._own = own
        # What isn't active is tried so as well: that is what one does before it is switched on.
        self._graphs = {**graphs, workflow_id: replace(own, is_active=True)}
        self._given = given
        self._events: list[SimulationEvent] = []
        self._step = 0
        self._elapsed = 0.0
        self._left = 0.0
        self._last_message = ""
        self._state = SimulationState.TO_BEGIN
        self._reason = ""
        self._execution: Execution | None = None
        self._at: tuple[str, RuntimeNode | None] = ("", None)
        self._condition = ""
        self._not_known: dict[str, None] = {}
        # The move that is being made, for when it has to be made again with one more choice.
        self._current_move: Callable[[Runner], ExecutionStep | None] = lambda _: None
        self._move_step = 0
        self._choices: list[tuple[int, int]] = []
        self._move_start = 0
        self._seconds_over = 0.0
        self._did_not_match = False

    def play(self, steps: Sequence[ScriptStep]) -> DryRun:
        misfit = None
        if not self._own.runs:
            self._state = SimulationState.CANNOT_RUN
            self._reason = (
                "trigger.connections.out has no node: nothing to run"
                if self._own.start is None
                else f'trigger.connections.out[0] is "{self._own.start}", which isn\'t a node in parsedData'
            )
        for self._step, step in enumerate(steps):
            try:
                self._apply_step(step)
            except _Misfit as error:
                misfit = Misfit(self._step, str(error))
                break
        return self._result(misfit)

    def _result(self, misfit: Misfit | None) -> DryRun:
        at_workflow, node = self._at
        own = self._own
        return DryRun(
            own.workflow_id,
            own.name,
            tuple(self._events),
            self._state,
            self._reason,
            at_workflow,
            node,
            self._ways(),
            self._condition if self._state is SimulationState.CHOICE else "",
            self._left if self._is_waiting else 0.0,
            self._elapsed,
            tuple(self._not_known),
            own.event_type,
            own.keywords,
            own.event_type in INBOUND,
            misfit,
            self._reason == limit_reason(self._given.max_nodes),
        )

    def _ways(self) -> tuple[Exit, ...]:
        node = self._at[1]
        if node is None:
            return ()
        if self._state is SimulationState.ANSWER:
            return node.answers
        return node.ways if self._state is SimulationState.CHOICE else ()

    def _apply_step(self, step: ScriptStep) -> None:
        if self._state is SimulationState.CANNOT_RUN:
            raise _Misfit("the workflow can't run")
        if self._state is SimulationState.TO_BEGIN:
            is_said = step.action is ScriptAction.SAY and self._own.event_type in INBOUND
            if self._did_not_match and not is_said and step.action is not ScriptAction.BEGIN:
                raise _Misfit("it hasn't started")
            self._begin(step.words if is_said else None)
            if is_said or step.action is ScriptAction.BEGIN:
                return
        if self._state.is_over:
            raise _Misfit("it has ended")
        if self._state is SimulationState.CHOICE and step.action is not ScriptAction.CHOOSE:
            raise _Misfit("choose an exit first")
        match step.action:
            case ScriptAction.BEGIN:
                raise _Misfit("it has already started")
            case ScriptAction.SAY:
                self._answer(step.words)
            case ScriptAction.PRESS:
                self._press_answer(step.words)
            case ScriptAction.WAIT:
                self._pass_time(step.seconds)
            case ScriptAction.SILENCE:
                self._pass_time(self._left)
            case ScriptAction.CHOOSE:
                self._choose_way(step.words)

    def _begin(self, words: str | None) -> None:
        """Begin as the trigger needs it; without words those that begin it are assumed and reported."""
        own = self._own
        if not own.is_active and not self._events:
            self._record(EventKind.ASSUMED, text="it is active, though not marked active")
        if own.event_type in INBOUND:
            if words is None:
                words = own.keywords[0] if own.keywords else _ANY_WORDS
                self._record(EventKind.ASSUMED, text=f'the customer writes "{words}" to start it')
            self._record(EventKind.SAID, text=words)
            keyword = own.keyword_in(words)
            if own.event_type == ON_MESSAGE and own.keywords and keyword is None:
                self._did_not_match = True
                self._record(EventKind.NOT_BEGUN)
                return
            self._last_message = words
            self._record(EventKind.BEGAN, text=keyword or "")
        else:
            is_by_tag = own.event_type == ON_TAG and own.keywords
            self._record(EventKind.BEGAN, text=own.keywords[0] if is_by_tag else "")
        self._start_move(lambda runner: runner.start(own.workflow_id))

    def _answer(self, words: str) -> None:
        execution = self._require_execution()
        self._record(EventKind.SAID, text=words)
        if self._state is SimulationState.TIME:
            self._record(EventKind.UNHEARD)
            return
        self._last_message = words
        self._start_move(lambda runner: runner.answer(execution, words))

    def _press_answer(self, words: str) -> None:
        execution = self._require_execution()
        if self._state is not SimulationState.ANSWER or not self._ways():
            raise _Misfit("there are no answers to press")
        pressed = _find_exit(self._ways(), words)
        payload = pressed.data.get("payload")
        self._record(EventKind.PRESSED, text=pressed.title, exit=pressed)
        self._last_message = pressed.title
        payload_text = payload if isinstance(payload, str) else ""
        self._start_move(lambda runner: runner.answer(execution, pressed.title, payload_text))

    def _pass_time(self, seconds: float) -> None:
        """Let time pass: all waits end that fit into it, and a run continues after a choice."""
        self._require_execution()
        while self._is_waiting and seconds >= self._left:
            seconds -= self._left
            self._end_wait(self._require_execution())
            if seconds <= 0:
                return
        if self._is_waiting:
            self._elapsed += seconds
            self._left -= seconds
            self._record(EventKind.PASSED, seconds=seconds)
        elif self._state is SimulationState.CHOICE:
            self._seconds_over = seconds

    def _end_wait(self, execution: Execution) -> None:
        self._elapsed += self._left
        self._record(EventKind.PASSED, seconds=self._left)
        self._start_move(lambda runner: runner.end_wait(execution))

    def _choose_way(self, words: str) -> None:
        if self._state is not SimulationState.CHOICE:
            raise _Misfit(
                "there's no exit to choose here: one was already taken, or the choice hasn't been reached yet"
            )
        ways = self._ways()
        self._choices.append((self._step, ways.index(_find_exit(ways, words))))
        self._run_move()
        seconds, self._seconds_over = self._seconds_over, 0.0
        if seconds and self._is_waiting:
            self._pass_time(seconds)
        elif self._state is SimulationState.CHOICE:
            self._seconds_over = seconds

    @property
    def _is_waiting(self) -> bool:
        return self._state in (SimulationState.ANSWER, SimulationState.TIME)

    def _require_execution(self) -> Execution:
        if self._execution is None:
            raise _Misfit("it hasn't started" if self._state is SimulationState.TO_BEGIN else "it isn't waiting")
        return self._execution

    def _start_move(self, make: Callable[[Runner], ExecutionStep | None]) -> None:
        self._current_move, self._choices, self._move_start = make, [], len(self._events)
        self._move_step = self._step
        self._run_move()

    def _run_move(self) -> None:
        """Make the move with the choices so far, and record its events again."""
        del self._events[self._move_start :]
        undecided: list[str] = []

        def chance(node_id: str, ways: int) -> int:
            position = len(undecided)
            undecided.append(node_id)
            return self._choices[position][1] % ways if position < len(self._choices) else 0

        variables = self._variables()
        move = self._current_move(Runner(self._graphs.get, chance, variables, self._given.max_nodes))
        if move is None:  # what runs was made active
            raise RuntimeError("the runtime doesn't start a workflow that can run")
        choices = Choices(undecided, [step for step, _ in self._choices], assumes=self._given.assumes)
        trace = Trace(self._graphs.get, variables, choices, self._move_step, self._last_message, self._elapsed)
        for each in trace.events(move, self._execution):
            self._add(each)
        self._at = trace.at
        if trace.needs_choice:
            # `_execution` stays as it is: the move is made once more when a way was chosen.
            self._state, self._condition, self._left = (
                SimulationState.CHOICE,
                condition_of(trace.at[1], variables),
                0.0,
            )
        else:
            self._set_outcome(move.execution)

    def _set_outcome(self, execution: Execution) -> None:
        self._reason, self._left = execution.reason, execution.wait_seconds
        self._execution = execution if execution.outcome is None else None
        if execution.outcome == "completed":
            self._state = SimulationState.COMPLETED
        elif execution.outcome == "dropped":
            self._state = SimulationState.DROPPED
            why_not = self._reason_not_run(self._at[1]) if execution.reason == DOES_NOT_RUN else None
            if why_not is not None:
                self._state, self._reason = why_not
        else:
            self._state = SimulationState.ANSWER if execution.waits_for == "answer" else SimulationState.TIME

    def _reason_not_run(self, node: RuntimeNode | None) -> tuple[SimulationState, str] | None:
        if node is None or node.type != "workflowPointer":
            return None
        identity = node.data.get("workflowId")
        if not isinstance(identity, str) or not identity:
            return SimulationState.DROPPED, "it doesn't point to a workflow"
        graph = self._graphs.get(identity)
        if graph is None:
            if self._given.knows_all:
                return SimulationState.DROPPED, f'it points to "{identity}", which doesn\'t exist'
            return SimulationState.UNKNOWN, f'it points to "{identity}", which isn\'t loaded here'
        if not graph.is_active:
            return SimulationState.DROPPED, f'it points to "{identity}", which isn\'t active'
        if not graph.runs:
            return SimulationState.DROPPED, f'it points to "{identity}", which has nothing to run'
        return None

    def _variables(self) -> dict[str, Any]:
        known: dict[str, Any] = {"message": self._last_message} if self._last_message else {}
        try:
            at = self._given.begins_at + timedelta(seconds=self._elapsed)
        except OverflowError:
            return known | dict(self._given.variables)
        return known | {"now.hour": at.hour, "now.day": f"{at:%A}"} | dict(self._given.variables)

    def _record(self, event: EventKind, **more: Any) -> None:
        self._add(SimulationEvent(event, self._step, self._own.workflow_id, elapsed=self._elapsed, **more))

    def _add(self, event: SimulationEvent) -> None:
        self._events.append(event)
        if event.event in (EventKind.SENT, EventKind.DID):
            for name in _find_placeholders((event.text, event.data)):
                if len(self._not_known) < _MAX_NAMES:
                    self._not_known[name] = None


def _find_exit(ways: Sequence[Exit], words: str) -> Exit:
    """Find the exit that a title, a payload, an id, or a number from 1 names, or raise _Misfit."""
    wanted = words.strip().casefold()
    by_name: list[list[object]] = [
        [each.title for each in ways],
        [each.data.get("payload") for each in ways],
        [each.id for each in ways],
    ]
    for names in by_name:
        for each, name in zip(ways, names, strict=True):
            if wanted and isinstance(name, str) and name.strip().casefold() == wanted:
                return each
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 and 0 < int(wanted) <= len(ways):
        return ways[int(wanted) - 1]
    raise _Misfit("that isn't one of the choices")


def _find_placeholders(value: Any, depth: int = 20) -> Iterator[str]:
    if isinstance(value, str):
        yield from placeholders(value)
    elif depth and isinstance(value, dict):
        for each in value.values():
            yield from _find_placeholders(each, depth - 1)
    elif depth and isinstance(value, list | tuple):
        for each in value:
            yield from _find_placeholders(each, depth - 1)

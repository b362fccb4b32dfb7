"""An execution of a workflow for one customer, moved on by answers and by time, until it ends.

A caller holds an `Execution`, requests the next move and carries out its effects. Each move returns counts that
keep analytics consistent (docs/interface.md, Workflow runtime): entered = completed + exited + still there;
completed + dropped <= started; a node's edges are never taken more often than it was entered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from frontdesk_flows.execution_limits import DEPTH_LIMIT, STEP_BUDGET, depth_reason, limit_reason, loop_reason
from frontdesk_flows.graph import (
    Effect,
    Exit,
    Graph,
    RuntimeNode,
    choose_exit,
    duration_seconds,
    effect_of,
    find_answer,
)

ANSWER_WITHIN_MINUTES = 24 * 60.0
"""The default time for an answer."""

TRIES = 1
"""Wrong answers before the fallback is taken, without `afterTries`."""

DOES_NOT_RUN = "the workflow it points to can't run"
"""The reason of an execution that is dropped at a pointer."""

Outcome = Literal["completed", "dropped"]
GraphOf = Callable[[str], Graph | None]
Chance = Callable[[str, int], int]
"""Chooses one of so many exits of a node id."""


@dataclass(frozen=True, slots=True)
class Count:
    """An increment of a workflow's analytics.

    Attributes:
        kind: started, completed, dropped (of the workflow), entered, left, exited (of a node; left
            is its `completedCount`), traversed (of an edge) or clicked (of a sub-node).
        about: the node, or the source of the edge; empty for the workflow.
        target: the node at the edge's other end.
    """

    kind: str
    workflow_id: str
    about: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """A running workflow and its current node."""

    workflow_id: str
    node_id: str


@dataclass(frozen=True, slots=True)
class Execution:
    """The state of an execution.

    Attributes:
        frames: the workflows that point to each other, the innermost last.
        waits_for: "answer" or "time"; empty once it has ended.
        wait_seconds: from the move that returned it.
        entered: the number of nodes so far.
        misses: wrong answers in a row.
    """

    frames: tuple[Frame, ...]
    waits_for: str = ""
    wait_seconds: float = 0.0
    entered: int = 0
    misses: int = 0
    outcome: Outcome | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "frames": [[frame.workflow_id, frame.node_id] for frame in self.frames],
            "waitsFor": self.waits_for,
            "waitSeconds": self.wait_seconds,
            "entered": self.entered,
            "misses": self.misses,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Execution":
        return cls(
            tuple(Frame(*frame) for frame in stored["frames"]),
            stored["waitsFor"],
            stored["waitSeconds"],
            stored["entered"],
            stored["misses"],
        )


@dataclass(frozen=True, slots=True)
class ExecutionStep:
    """One move: the execution after it, effects in order, and analytics."""

    execution: Execution
    effects: tuple[Effect, ...] = ()
    counts: tuple[Count, ...] = ()


@dataclass(slots=True)
class Runner:
    """Moves executions on.

    Args:
        graph_of: the graph of a workflow id, or None.
        chance: decides what the graph leaves open; without one the first exit is taken.
        variables: values of placeholders such as `customer.name` or `now.hour`.
        step_budget: nodes that one execution may enter.
    """

    graph_of: GraphOf
    chance: Chance = field(default=lambda _node, _ways: 0)
    variables: Mapping[str, Any] = field(default_factory=dict)
    step_budget: int = STEP_BUDGET

    def start(self, workflow_id: str) -> ExecutionStep | None:
        """Begin at `trigger.connections.out[0]`; None if the workflow is inactive or has nothing to run."""
        graph = self.runnable(workflow_id)
        if graph is None:
            return None
        walk = _Walk(self, ())
        walk.enter_workflow(graph)
        return walk.run()

    def answer(self, execution: Execution, text: str, payload: str = "") -> ExecutionStep:
        """Move on by the customer's answer, matched by title first, then by payload."""
        node = self.find_node(execution.frames)
        walk = _Walk(self, execution.frames, execution.entered)
        if node is None:
            return walk.end_dropped("the node is no longer in the graph")
        chosen = find_answer(node.answers, text, payload)
        if chosen is not None:
            return walk.leave_by_exit(node, chosen)
        if not node.answers:
            return walk.leave(node)
        fallback = node.fallback
        if fallback is None:
            return walk.end_dropped("the answer matches none of the choices")
        tries = fallback.data.get("afterTries")
        allowed = tries if isinstance(tries, int) and not isinstance(tries, bool) and tries > 0 else TRIES
        if execution.misses + 1 < allowed:
            return walk.repeat_question(node, execution)
        return walk.leave_by_exit(node, fallback)

    def end_wait(self, execution: Execution) -> ExecutionStep:
        """Move on when a wait is over, for an answer or for time."""
        node = self.find_node(execution.frames)
        walk = _Walk(self, execution.frames, execution.entered)
        if node is None:
            return walk.end_dropped("the node is no longer in the graph")
        if execution.waits_for == "time":
            return walk.leave(node)
        if node.timeout is not None:
            return walk.leave_by_exit(node, node.timeout)
        return walk.end_dropped("no answer")

    def abandon(self, execution: Execution) -> ExecutionStep:
        """Drop the execution because another one begins for this customer."""
        return _Walk(self, execution.frames, execution.entered).end_dropped("another workflow started")

    def find_node(self, frames: Sequence[Frame]) -> RuntimeNode | None:
        """Return the current node of the innermost frame, if it is still in its graph."""
        graph = self.graph_of(frames[-1].workflow_id) if frames else None
        return None if graph is None else graph.nodes.get(frames[-1].node_id)

    def runnable(self, workflow_id: str) -> Graph | None:
        graph = self.graph_of(workflow_id)
        return graph if graph is not None and graph.is_active and graph.runs else None


class _Walk:
    """One move in progress, from node to node until a wait or the end."""

    def __init__(self, runner: Runner, frames: Sequence[Frame], entered: int = 0):
        self._runner = runner
        self._frames = list(frames)
        self._entered = entered
        self._effects: list[Effect] = []
        self._counts: list[Count] = []
        self._next: str | None = None
        self._path: list[tuple[Frame, ...]] = []

    def enter_workflow(self, graph: Graph) -> None:
        self._counts.append(Count("started", graph.workflow_id))
        self._frames.append(Frame(graph.workflow_id, graph.trigger_id))
        self._next = graph.start

    def leave(self, node: RuntimeNode) -> ExecutionStep:
        self._leave_node(node)
        return self.run()

    def leave_by_exit(self, node: RuntimeNode, chosen: Exit) -> ExecutionStep:
        self._take_exit(node, chosen)
        return self.run()

    def repeat_question(self, node: RuntimeNode, execution: Execution) -> ExecutionStep:
        """Ask the same question once more; nothing is counted twice."""
        self._add_effect(node)
        return self._wait("answer", execution.wait_seconds, misses=execution.misses + 1)

    def end_dropped(self, reason: str) -> ExecutionStep:
        for frame in reversed(self._frames):
            self._counts.append(Count("exited", frame.workflow_id, frame.node_id))
            self._counts.append(Count("dropped", frame.workflow_id))
        return self._end("dropped", reason)

    def run(self) -> ExecutionStep:
        while True:
            if self._next is None:
                if not self._return_to_caller():
                    return self._end("completed")
                continue
            graph = self._runner.graph_of(self._frames[-1].workflow_id)
            node = None if graph is None else graph.nodes.get(self._next)
            if node is None:
                return self._drop_between(f'there\'s no node "{self._next}"')
            if self._entered >= self._runner.step_budget:
                return self._drop_between(self._budget_reason(node))
            waiting = self._enter(node, graph)
            if waiting is not None:
                return waiting

    def _enter(self, node: RuntimeNode, graph: Graph | None) -> ExecutionStep | None:
        """Execute a node, and return a move if it waits or ends the execution."""
        self._frames[-1] = Frame(self._frames[-1].workflow_id, node.id)
        self._path.append(tuple(self._frames))
        self._entered += 1
        self._next = None
        self._count("entered", node.id)
        if node.type == "wait":
            return self._wait("time", duration_seconds(node.data))
        if node.type in ("if", "switch") or (node.exits and not node.waits_for_answer):
            self._add_effect(node)
            return self._branch(node)
        if node.type == "workflowPointer":
            return self._enter_pointed_workflow(node)
        self._add_effect(node)
        if node.waits_for_answer:
            return self._wait("answer", self._answer_seconds(node, graph))
        self._leave_node(node)
        return None

    def _branch(self, node: RuntimeNode) -> ExecutionStep | None:
        chosen = choose_exit(node, self._runner.variables)
        if chosen is None and node.ways:
            chosen = node.ways[self._runner.chance(node.id, len(node.ways)) % len(node.ways)]
        if chosen is None:
            return self.end_dropped("no exit to take")
        self._take_exit(node, chosen)
        return None

    def _enter_pointed_workflow(self, node: RuntimeNode) -> ExecutionStep | None:
        """Run another workflow, and return here when it has completed."""
        identity = node.data.get("workflowId")
        graph = self._runner.runnable(identity) if isinstance(identity, str) else None
        if graph is None:
            return self.end_dropped(DOES_NOT_RUN)
        if len(self._frames) >= DEPTH_LIMIT:
            return self.end_dropped(
                depth_reason([*(each.workflow_id for each in self._frames), graph.workflow_id])
            )
        self.enter_workflow(graph)
        return None

    def _return_to_caller(self) -> bool:
        """Complete a workflow that has no next node, and return whether another one waits for it."""
        frame = self._frames.pop()
        self._counts.append(Count("completed", frame.workflow_id))
        if not self._frames:
            self._frames.append(frame)
            return False
        node = self._runner.find_node(self._frames)
        if node is not None:
            self._leave_node(node)
        return True

    def _drop_between(self, reason: str) -> ExecutionStep:
        """Drop between nodes: the one before is completed, those that point here are not."""
        for index, frame in enumerate(self._frames):
            if index < len(self._frames) - 1:
                self._counts.append(Count("exited", frame.workflow_id, frame.node_id))
            self._counts.append(Count("dropped", frame.workflow_id))
        return self._end("dropped", reason)

    def _take_exit(self, node: RuntimeNode, chosen: Exit) -> None:
        self._count("clicked", chosen.id)
        self._count("left", node.id)
        self._follow(chosen.id, chosen.target)

    def _leave_node(self, node: RuntimeNode) -> None:
        self._count("left", node.id)
        self._follow(node.id, node.target)

    def _follow(self, source: str, target: str | None) -> None:
        self._next = target
        graph = self._runner.graph_of(self._frames[-1].workflow_id)
        if (
            target is not None
            and graph is not None
            and target in graph.nodes
            and self._entered < self._runner.step_budget
        ):
            self._count("traversed", source, target)

    def _budget_reason(self, following: RuntimeNode) -> str:
        """Name the loop of this move, if it is one: its nodes were entered with nothing waiting in between."""
        end = (*self._frames[:-1], Frame(self._frames[-1].workflow_id, following.id))
        path = [*self._path, end]
        last_at: dict[tuple[Frame, ...], int] = {}
        loop: list[tuple[Frame, ...]] = []
        for at, frames in enumerate(path):
            if frames in last_at:
                loop = path[last_at[frames] : at]
            last_at[frames] = at
        if not loop:
            return limit_reason(self._runner.step_budget)
        return loop_reason([self._title_of(each[-1]) for each in loop])

    def _title_of(self, frame: Frame) -> str:
        node = self._runner.find_node((frame,))
        return frame.node_id if node is None else node.title.strip() or frame.node_id

    def _add_effect(self, node: RuntimeNode) -> None:
        effect = effect_of(self._frames[-1].workflow_id, node, self._runner.variables)
        if effect is not None:
            self._effects.append(effect)

    def _count(self, kind: str, about: str, target: str = "") -> None:
        self._counts.append(Count(kind, self._frames[-1].workflow_id, about, target))

    def _answer_seconds(self, node: RuntimeNode, graph: Graph | None) -> float:
        if node.timeout is not None:
            seconds = duration_seconds(node.timeout.data)
            if seconds:
                return seconds
        minutes = None if graph is None else graph.settings.get("timeoutMinutes")
        if isinstance(minutes, int | float) and not isinstance(minutes, bool) and minutes > 0:
            return minutes * 60.0
        return ANSWER_WITHIN_MINUTES * 60.0

    def _wait(self, what: str, seconds: float, misses: int = 0) -> ExecutionStep:
        execution = Execution(tuple(self._frames), what, seconds, self._entered, misses)
        return ExecutionStep(execution, tuple(self._effects), tuple(self._counts))

    def _end(self, outcome: Outcome, reason: str = "") -> ExecutionStep:
        execution = Execution(tuple(self._frames), "", 0.0, self._entered, 0, outcome, reason)
        return ExecutionStep(execution, tuple(self._effects), tuple(self._counts))

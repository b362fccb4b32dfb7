"""One customer's way through a workflow: begun, moved on by answers and by time, until it ends.

A caller holds an `Execution`, asks for the next move and carries out its effects; counts come with
each move, so that a workflow's analytics add up (docs/interface.md, Workflow runtime):
entered = completed + exited + those who are still there; completed + dropped <= started; what
leaves a node over its edges is never more than what entered it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from frontdesk.workflow_runtime.graph import Exit, Graph, RuntimeNode
from frontdesk.workflow_runtime.values import decided, filled

STEP_BUDGET = 200
"""Nodes that one execution may enter before it is taken for a loop and dropped."""

DEPTH_LIMIT = 8
"""Workflows that may point to each other in one execution."""

ANSWER_WITHIN_MINUTES = 24 * 60.0
"""How long an answer is waited for where neither the node nor the workflow's settings say."""

TRIES = 1
"""Answers that fit nothing before the fallback is taken, where it doesn't say `afterTries`."""

DOES_NOT_RUN = "the workflow it points to does not run"
"""The reason of an execution that is dropped there."""

Outcome = Literal["completed", "dropped"]
GraphOf = Callable[[str], Graph | None]
Chance = Callable[[str, int], int]
"""Chooses one of so many ways out of the node of that id, where nothing decides it."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a node does outside the graph; the caller carries it out or shows it.

    Attributes:
        kind: message, ai, assignTags, assignAgent, task, updateCustomer, updateConversation, httpRequest.
        text: what is sent, with placeholders filled.
        choices: the answers that are offered with a message, as their titles.
    """

    kind: str
    workflow_id: str
    node_id: str
    data: Mapping[str, Any]
    text: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """One more of something in a workflow's analytics.

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
    """A workflow that is being run, and the node it stands at."""

    workflow_id: str
    node_id: str


@dataclass(frozen=True, slots=True)
class Execution:
    """Where one customer is.

    Attributes:
        frames: the workflows that point to each other, the innermost last.
        waits_for: "answer" or "time"; empty once it has ended.
        wait_seconds: how long, from the move that came here.
        entered: how many nodes so far.
        misses: answers in a row that fitted nothing here.
        outcome: how it ended, or None while it goes on.
        reason: why it was dropped.
    """

    frames: tuple[Frame, ...]
    waits_for: str = ""
    wait_seconds: float = 0.0
    entered: int = 0
    misses: int = 0
    outcome: Outcome | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """To be stored while it waits."""
        return {
            "frames": [[frame.workflow_id, frame.node_id] for frame in self.frames],
            "waitsFor": self.waits_for,
            "waitSeconds": self.wait_seconds,
            "entered": self.entered,
            "misses": self.misses,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Execution":
        """What `as_json` made."""
        return cls(
            tuple(Frame(*frame) for frame in stored["frames"]),
            stored["waitsFor"],
            stored["waitSeconds"],
            stored["entered"],
            stored["misses"],
        )


@dataclass(frozen=True, slots=True)
class ExecutionStep:
    """What one move did: the execution after it, effects in order, and what it adds to analytics."""

    execution: Execution
    effects: tuple[Effect, ...] = ()
    counts: tuple[Count, ...] = ()


@dataclass(slots=True)
class Runner:
    """Moves executions on.

    Args:
        graph_of: the graph of a workflow id; None where there is none.
        chance: decides what the graph leaves open; the first way without one.
        variables: what placeholders stand for, as `customer.name` or `now.hour`.
    """

    graph_of: GraphOf
    chance: Chance = field(default=lambda _node, _ways: 0)
    variables: Mapping[str, Any] = field(default_factory=dict)

    def start(self, workflow_id: str) -> ExecutionStep | None:
        """Begin at `trigger.connections.out[0]`; None where the workflow is inactive or has nothing to run."""
        graph = self.runnable(workflow_id)
        if graph is None:
            return None
        walk = _Walk(self, ())
        walk.enter_workflow(graph)
        return walk.run()

    def answer(self, execution: Execution, text: str, payload: str = "") -> ExecutionStep:
        """The customer said something where it waits for an answer: by title first, then by payload."""
        node = self._node(execution)
        walk = _Walk(self, execution.frames, execution.entered)
        if node is None:
            return walk.end_dropped("the node is no longer in the graph")
        chosen = _matching(node.answers, text, payload)
        if chosen is not None:
            return walk.leave_by(node, chosen)
        if not node.answers:
            return walk.leave(node)
        fallback = node.fallback
        if fallback is None:
            return walk.end_dropped("the answer fits none of the choices")
        tries = fallback.data.get("afterTries")
        allowed = tries if isinstance(tries, int) and not isinstance(tries, bool) and tries > 0 else TRIES
        if execution.misses + 1 < allowed:
            return walk.ask_again(node, execution)
        return walk.leave_by(node, fallback)

    def time_is_up(self, execution: Execution) -> ExecutionStep:
        """What it waited for has not come, or the time of a `wait` is over."""
        node = self._node(execution)
        walk = _Walk(self, execution.frames, execution.entered)
        if node is None:
            return walk.end_dropped("the node is no longer in the graph")
        if execution.waits_for == "time":
            return walk.leave(node)
        if node.timeout is not None:
            return walk.leave_by(node, node.timeout)
        return walk.end_dropped("no answer came")

    def abandon(self, execution: Execution) -> ExecutionStep:
        """Something else begins for this customer: what they were in is dropped."""
        return _Walk(self, execution.frames, execution.entered).end_dropped("something else began")

    def _node(self, execution: Execution) -> RuntimeNode | None:
        if not execution.frames:
            return None
        frame = execution.frames[-1]
        graph = self.graph_of(frame.workflow_id)
        return None if graph is None else graph.nodes.get(frame.node_id)

    def runnable(self, workflow_id: str) -> Graph | None:
        """The graph of a workflow that may be run, or None."""
        graph = self.graph_of(workflow_id)
        return graph if graph is not None and graph.is_active and graph.runs else None


class _Walk:
    """One move in the making: goes from node to node until something has to be waited for, or the end."""

    def __init__(self, runner: Runner, frames: Sequence[Frame], entered: int = 0):
        self._runner = runner
        self._frames = list(frames)
        self._entered = entered
        self._effects: list[Effect] = []
        self._counts: list[Count] = []
        self._next: str | None = None

    def enter_workflow(self, graph: Graph) -> None:
        """Count a start and stand before its first node."""
        self._counts.append(Count("started", graph.workflow_id))
        self._frames.append(Frame(graph.workflow_id, graph.trigger_id))
        self._next = graph.start

    def leave(self, node: RuntimeNode) -> ExecutionStep:
        """Complete a node and go on over its own edge."""
        self._complete(node)
        self._follow(node.id, node.target)
        return self.run()

    def leave_by(self, node: RuntimeNode, chosen: Exit) -> ExecutionStep:
        """Complete a node by one of its exits."""
        self._take(node, chosen)
        return self.run()

    def ask_again(self, node: RuntimeNode, execution: Execution) -> ExecutionStep:
        """The same question once more; nothing is counted twice."""
        self._say(node)
        return self._waiting("answer", execution.wait_seconds, misses=execution.misses + 1)

    def end_dropped(self, reason: str) -> ExecutionStep:
        """Drop the execution here, in every workflow that led here."""
        for frame in reversed(self._frames):
            self._counts.append(Count("exited", frame.workflow_id, frame.node_id))
            self._counts.append(Count("dropped", frame.workflow_id))
        return self._ended("dropped", reason)

    def run(self) -> ExecutionStep:
        """Enter one node after the other."""
        while True:
            if self._next is None:
                if not self._return():
                    return self._ended("completed")
                continue
            graph = self._runner.graph_of(self._frames[-1].workflow_id)
            node = None if graph is None else graph.nodes.get(self._next)
            if node is None:
                return self._drop_between(f"there is no node {self._next!r}")
            if self._entered >= STEP_BUDGET:
                return self._drop_between(f"more than {STEP_BUDGET} nodes: a loop")
            waiting = self._enter(node, graph)
            if waiting is not None:
                return waiting

    def _enter(self, node: RuntimeNode, graph: Graph | None) -> ExecutionStep | None:
        """Do what a node does; a move where it has to wait or ends the execution."""
        self._frames[-1] = Frame(self._frames[-1].workflow_id, node.id)
        self._entered += 1
        self._next = None
        self._count("entered", node.id)
        if node.type == "wait":
            return self._waiting("time", _seconds(node.data, 0.0))
        if node.type in ("if", "switch") or (node.exits and not node.waits_for_answer):
            self._say(node)
            return self._branch(node)
        if node.type == "workflowPointer":
            return self._point(node)
        self._say(node)
        if node.waits_for_answer:
            return self._waiting("answer", self._patience(node, graph))
        self._complete(node)
        self._follow(node.id, node.target)
        return None

    def _branch(self, node: RuntimeNode) -> ExecutionStep | None:
        chosen = decided(node, self._runner.variables)
        if chosen is None and node.ways:
            chosen = node.ways[self._runner.chance(node.id, len(node.ways)) % len(node.ways)]
        if chosen is None:
            return self.end_dropped("nothing decides which way to go")
        self._take(node, chosen)
        return None

    def _point(self, node: RuntimeNode) -> ExecutionStep | None:
        """Run another workflow, and come back here when it has completed."""
        identity = node.data.get("workflowId")
        graph = self._runner.runnable(identity) if isinstance(identity, str) else None
        if graph is None:
            return self.end_dropped(DOES_NOT_RUN)
        if len(self._frames) >= DEPTH_LIMIT:
            return self.end_dropped(f"more than {DEPTH_LIMIT} workflows deep")
        self.enter_workflow(graph)
        return None

    def _return(self) -> bool:
        """A workflow has no next node: it completed. Whether another one waits for it to."""
        frame = self._frames.pop()
        self._counts.append(Count("completed", frame.workflow_id))
        if not self._frames:
            self._frames.append(frame)
            return False
        outer = self._frames[-1]
        graph = self._runner.graph_of(outer.workflow_id)
        node = None if graph is None else graph.nodes.get(outer.node_id)
        if node is not None:
            self._complete(node)
            self._follow(node.id, node.target)
        return True

    def _drop_between(self, reason: str) -> ExecutionStep:
        """Drop on the way to a node: the one before it is completed, those that point here are not."""
        for place, frame in enumerate(self._frames):
            if place < len(self._frames) - 1:
                self._counts.append(Count("exited", frame.workflow_id, frame.node_id))
            self._counts.append(Count("dropped", frame.workflow_id))
        return self._ended("dropped", reason)

    def _take(self, node: RuntimeNode, chosen: Exit) -> None:
        self._count("clicked", chosen.id)
        self._complete(node)
        self._follow(chosen.id, chosen.target)

    def _complete(self, node: RuntimeNode) -> None:
        self._count("left", node.id)

    def _follow(self, source: str, target: str | None) -> None:
        """Go over an edge, where it leads to a node."""
        self._next = target
        graph = self._runner.graph_of(self._frames[-1].workflow_id)
        if target is not None and graph is not None and target in graph.nodes and self._entered < STEP_BUDGET:
            self._count("traversed", source, target)

    def _say(self, node: RuntimeNode) -> None:
        effect = _effect(self._frames[-1].workflow_id, node, self._runner.variables)
        if effect is not None:
            self._effects.append(effect)

    def _count(self, kind: str, about: str, target: str = "") -> None:
        self._counts.append(Count(kind, self._frames[-1].workflow_id, about, target))

    def _patience(self, node: RuntimeNode, graph: Graph | None) -> float:
        if node.timeout is not None:
            own = _seconds(node.timeout.data, 0.0)
            if own:
                return own
        minutes = None if graph is None else graph.settings.get("timeoutMinutes")
        if isinstance(minutes, int | float) and not isinstance(minutes, bool) and minutes > 0:
            return minutes * 60.0
        return ANSWER_WITHIN_MINUTES * 60.0

    def _waiting(self, what: str, seconds: float, misses: int = 0) -> ExecutionStep:
        execution = Execution(tuple(self._frames), what, seconds, self._entered, misses)
        return ExecutionStep(execution, tuple(self._effects), tuple(self._counts))

    def _ended(self, outcome: Outcome, reason: str = "") -> ExecutionStep:
        execution = Execution(tuple(self._frames), "", 0.0, self._entered, 0, outcome, reason)
        return ExecutionStep(execution, tuple(self._effects), tuple(self._counts))


_DOING = frozenset({"assignTags", "assignAgent", "task", "updateCustomer", "updateConversation", "httpRequest"})


def _effect(workflow_id: str, node: RuntimeNode, variables: Mapping[str, Any]) -> Effect | None:
    if node.type in ("if", "switch"):
        return None
    text = node.data.get("message")
    said = filled(text, variables) if isinstance(text, str) else ""
    choices = tuple(each.title for each in node.answers if each.title)
    if node.type == "ai" or node.data.get("messageType") == "ai":
        return Effect("ai", workflow_id, node.id, node.data, said)
    if node.says is not None:
        return Effect("message", workflow_id, node.id, node.data, filled(node.says, variables), choices)
    if node.type in _DOING:
        title = node.data.get("title")
        told = filled(title, variables) if isinstance(title, str) else ""
        return Effect(node.type, workflow_id, node.id, node.data, told)
    return None


def _matching(answers: Sequence[Exit], text: str, payload: str) -> Exit | None:
    said = text.strip().casefold()
    for each in answers:
        if said and each.title.strip().casefold() == said:
            return each
    for wanted in (payload.casefold(), said):
        for each in answers:
            own = each.data.get("payload")
            if wanted and isinstance(own, str) and own.casefold() == wanted:
                return each
    return None


def _seconds(data: Mapping[str, Any], default: float) -> float:
    """A duration of a node's data, in whatever unit it is given."""
    total = 0.0
    for name, size in (("seconds", 1), ("minutes", 60), ("hours", 3_600), ("days", 86_400)):
        value = data.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e9:
            total += value * size
    return total or default

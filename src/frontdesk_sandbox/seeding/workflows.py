"""The business's workflows: documents with canvas and analytics, made of the outlines in `data/workflows.toml`.

Executions flow from the trigger on, so that the analytics add up (docs/interface.md, Workflow runtime).
"""

from dataclasses import dataclass, field
from typing import Any

from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.fixtures import ACCOUNT
from frontdesk_sandbox.graphs import arrange_nodes, empty_analytics


@dataclass(frozen=True, slots=True)
class ExitSpec:
    """A sub-node: one labelled way out, and the share of executions that take it."""

    id: str
    title: str
    to: str | None = None
    share: float = 0.0
    type: str = "answer"
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def category(self) -> str:
        return "Answer" if self.type == "answer" else "Condition"


@dataclass(frozen=True, slots=True)
class StepSpec:
    """A parent node; with exits it branches, else it goes on to `to`."""

    id: str
    type: str
    category: str
    title: str
    data: dict[str, Any] = field(default_factory=dict)
    to: str | None = None
    exits: tuple[ExitSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkflowSpec:
    """The outline of a workflow."""

    id: str
    name: str
    folder: str
    line: str
    platform: str
    trigger: StepSpec
    steps: tuple[StepSpec, ...]
    started: int = 0
    active: bool = True
    notes: str = ""
    age_days: int = 100
    variables: dict[str, str] = field(default_factory=dict)


def make_workflows(now: int) -> list[dict[str, Any]]:
    """All documents, in order of creation; `now` in Unix seconds."""
    return [_build_workflow(_read_outline(table), now) for table in read_table("workflows")["workflows"]]


def _read_outline(table: dict[str, Any]) -> WorkflowSpec:
    steps = tuple(_read_step(step) for step in table["steps"])
    return WorkflowSpec(**table | {"trigger": _read_step(table["trigger"]), "steps": steps})


def _read_step(table: dict[str, Any]) -> StepSpec:
    return StepSpec(**table | {"exits": tuple(ExitSpec(**way) for way in table.get("exits", ()))})


def _build_workflow(outline: WorkflowSpec, now: int) -> dict[str, Any]:
    trigger = _execution_node(outline.trigger)
    created = now - outline.age_days * 86_400
    workflow: dict[str, Any] = {
        "id": outline.id,
        "name": outline.name,
        "folderId": outline.folder,
        "associatedTo": ACCOUNT,
        "associatedToBusinessId": outline.line,
        "associatedToPlatformId": outline.line,
        "platformType": outline.platform,
        "isActive": outline.active,
        "created": created,
        "lastModified": created + outline.age_days * 43_200,
        "triggerType": outline.trigger.data.get("eventType", ""),
        "trigger": trigger,
        "variables": outline.variables,
        "data": arrange_nodes(_canvas(outline), trigger),
        "parsedData": [_execution_node(step) for step in outline.steps],
        "settings": {"timeoutMinutes": 60},
        "notes": outline.notes,
        "executionCount": outline.started,
        "analytics": _analytics(outline, now),
    }
    if outline.started:
        workflow["lastExecution"] = now - 240
    return workflow


def _execution_node(step: StepSpec) -> dict[str, Any]:
    subs = [_node(way) | {"parentId": step.id, "data": way.data or {"payload": way.id}} for way in step.exits]
    return _node(step) | {"data": step.data, "subNodes": subs}


def _node(spec: StepSpec | ExitSpec) -> dict[str, Any]:
    connections = {"out": [spec.to] if spec.to else []}
    return _typed(spec) | {"title": spec.title, "connections": connections, "subNodes": []}


def _canvas(outline: WorkflowSpec) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for step in (outline.trigger, *outline.steps):
        nodes.append(_canvas_node(step) | {"draggable": True})
        nodes += [_canvas_node(way) | {"parentId": step.id} for way in step.exits]
        ways: tuple[StepSpec | ExitSpec, ...] = (step, *step.exits)
        edges += [_edge(way.id, way.to) for way in ways if way.to]
    return {"nodes": nodes, "edges": edges}


def _canvas_node(spec: StepSpec | ExitSpec) -> dict[str, Any]:
    shown = {"position": {"x": 0, "y": 0}, "selected": False, "data": {"title": spec.title}}
    return _typed(spec) | shown


def _typed(spec: StepSpec | ExitSpec) -> dict[str, Any]:
    return {"id": spec.id, "type": spec.type, "category": spec.category}


def _edge(source: str, target: str) -> dict[str, Any]:
    return {
        "id": f"{source}->{target}",
        "source": source,
        "target": target,
        "sourceHandle": "out",
        "targetHandle": "in",
        "type": "default",
    }


def _analytics(outline: WorkflowSpec, now: int) -> dict[str, Any]:
    """Let `started` executions flow through the steps, listed in the order of the flow."""
    found = empty_analytics(now)
    if not outline.started:
        return found
    entered: dict[str, int] = {outline.trigger.to or "": outline.started}
    completed = dropped = 0
    for step in outline.steps:
        here = entered.get(step.id, 0)
        if not here:
            continue
        passed = 0
        for way in step.exits:
            count = int(here * way.share)
            passed += count
            found["buttonStats"][way.id] = {
                "subNodeId": way.id,
                "parentNodeId": step.id,
                "label": way.title,
                "clickCount": count,
                "payload": way.id,
            }
            if way.to:
                _flow(found, entered, way.id, way.to, count)
            else:
                completed += count
        if not step.exits:
            passed = here
            if step.to:
                _flow(found, entered, step.id, step.to, here)
            else:
                completed += here
        lost = (here - passed) * 4 // 5
        dropped += lost
        found["nodeStats"][step.id] = {"enteredCount": here, "completedCount": passed, "exitedCount": lost}
    return found | {"totalStarted": outline.started, "totalCompleted": completed, "totalDropped": dropped}


def _flow(found: dict[str, Any], entered: dict[str, int], source: str, target: str, count: int) -> None:
    entered[target] = entered.get(target, 0) + count
    found["edgeStats"][f"{source}->{target}"] = {
        "sourceNodeId": source,
        "targetNodeId": target,
        "sourceHandle": "out",
        "traversalCount": count,
    }

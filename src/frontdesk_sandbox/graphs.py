"""Workflow graphs: the layout of the canvas, and the ids that statistics may belong to."""

from collections import deque
from typing import Any

COLUMN_WIDTH = 380
ROOT_Y = 120
SUB_NODE_X = 24
SUB_NODE_TOP = 96
SUB_NODE_HEIGHT = 64


def empty_analytics(now_seconds: int) -> dict[str, Any]:
    """Make the analytics of a workflow that hasn't run (rules 133, 134)."""
    return {
        "totalStarted": 0,
        "totalCompleted": 0,
        "totalDropped": 0,
        "lastUpdated": now_seconds,
        "nodeStats": {},
        "edgeStats": {},
        "buttonStats": {},
    }


def arrange_nodes(data: Any, trigger: Any) -> Any:
    """Arrange root nodes from left to right and snap sub-nodes to their parents (114, 115)."""
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list):
        return data
    nodes = [dict(node) if isinstance(node, dict) else node for node in data["nodes"]]
    drawn = _objects(nodes)
    ids = {_id(node) for node in drawn} - {None}
    roots = [node for node in drawn if _id(node, "parentId") not in ids]
    order = _reading_order(roots, drawn, data.get("edges") or [], trigger)
    for column, root in enumerate(order):
        root["position"] = {"x": column * COLUMN_WIDTH, "y": ROOT_Y}
    below: dict[str | None, int] = {}
    for node in drawn:
        parent = _id(node, "parentId")
        if parent not in ids:
            continue
        row = below.get(parent, 0)
        below[parent] = row + 1
        node["draggable"] = False
        node["extent"] = "parent"
        node["position"] = {"x": SUB_NODE_X, "y": SUB_NODE_TOP + row * SUB_NODE_HEIGHT}
    return {**data, "nodes": nodes}


def graph_ids(workflow: dict[str, Any]) -> set[str]:
    """Collect every node id of a workflow: trigger, parents, sub-nodes, canvas."""
    found: set[str] = set()
    todo: list[Any] = [workflow.get("trigger"), *_objects(workflow.get("parsedData"))]
    todo += _objects((workflow.get("data") or {}).get("nodes"))
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(node.get("id"), str):
                found.add(node["id"])
            todo += _objects(node.get("subNodes"))
    return found


def _reading_order(
    roots: list[dict[str, Any]], nodes: list[dict[str, Any]], edges: list[Any], trigger: Any
) -> list[dict[str, Any]]:
    """Roots as execution meets them from the trigger on, then the ones it never meets."""
    by_id = {identity: root for root in roots if (identity := _id(root)) is not None}
    root_of = {_id(node): _id(node, "parentId") or _id(node) for node in nodes}
    onward: dict[str | None, list[str | None]] = {}
    for edge in _objects(edges):
        source = _id(edge, "source")
        onward.setdefault(root_of.get(source, source), []).append(_id(edge, "target"))
    start = _id(trigger) if isinstance(trigger, dict) else None
    seen: dict[str | None, None] = {}
    todo = deque([start] if start in by_id else [_id(root) for root in roots[:1]])
    while todo:
        identity = todo.popleft()
        if identity in by_id and identity not in seen:
            seen[identity] = None
            todo += onward.get(identity, [])
    reached = [by_id[identity] for identity in seen if identity is not None]
    placed = {id(root) for root in reached}
    return reached + [root for root in roots if id(root) not in placed]


def _id(node: dict[str, Any], name: str = "id") -> str | None:
    found = node.get(name)
    return found if isinstance(found, str) and found else None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

"""Workflow graphs: where nodes stand on the canvas, and which statistics still belong to them.

Called by the workflow handlers and the seed. Pure: values in, new values out.
"""

from collections.abc import Iterable
from typing import Any

COLUMN_WIDTH = 380
ROOT_Y = 120
SUB_NODE_X = 24
SUB_NODE_TOP = 96
SUB_NODE_HEIGHT = 64


def empty_analytics(now_seconds: int) -> dict[str, Any]:
    """Analytics of a workflow that hasn't run (rules.md 133, 134)."""
    return {
        "totalStarted": 0,
        "totalCompleted": 0,
        "totalDropped": 0,
        "lastUpdated": now_seconds,
        "nodeStats": {},
        "edgeStats": {},
        "buttonStats": {},
    }


def laid_out(data: Any, trigger: Any) -> Any:
    """The canvas with root nodes from left to right and sub-nodes snapped to their parents (114, 115)."""
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list):
        return data
    placed = [dict(node) if isinstance(node, dict) else node for node in data["nodes"]]
    nodes = [node for node in placed if isinstance(node, dict)]
    ids = {_text(node, "id") for node in nodes}
    roots = [node for node in nodes if not _text(node, "parentId") or _text(node, "parentId") not in ids]
    order = _reading_order(roots, nodes, data.get("edges") or [], trigger)
    for column, root in enumerate(order):
        root["position"] = {"x": column * COLUMN_WIDTH, "y": ROOT_Y}
    below: dict[Any, int] = {}
    for node in nodes:
        parent = _text(node, "parentId")
        if any(node is root for root in roots):
            continue
        row = below.get(parent, 0)
        below[parent] = row + 1
        node["draggable"] = False
        node["extent"] = "parent"
        node["position"] = {"x": SUB_NODE_X, "y": SUB_NODE_TOP + row * SUB_NODE_HEIGHT}
    return {**data, "nodes": placed}


def graph_ids(workflow: dict[str, Any]) -> set[str]:
    """Every node id of a workflow: trigger, parents, sub-nodes, canvas."""
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
    by_id = {_text(root, "id"): root for root in roots}
    root_of = {_text(node, "id"): _text(node, "parentId") or _text(node, "id") for node in nodes}
    onward: dict[Any, list[Any]] = {}
    for edge in _objects(edges):
        source = root_of.get(_text(edge, "source"), _text(edge, "source"))
        onward.setdefault(source, []).append(_text(edge, "target"))
    start = _text(trigger, "id") if isinstance(trigger, dict) else None
    first = [start] if start in by_id else [_text(root, "id") for root in roots[:1]]
    seen: dict[Any, None] = {}
    todo = list(first)
    while todo:
        identity = todo.pop(0)
        if identity in by_id and identity not in seen:
            seen[identity] = None
            todo += onward.get(identity, [])
    met = [by_id[identity] for identity in seen]
    return met + [root for root in roots if not any(root is other for other in met)]


def _objects(value: Any) -> Iterable[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(node: dict[str, Any], name: str) -> str | None:
    """An id of a node or an edge; one that is no text stands for none."""
    value = node.get(name)
    return value if isinstance(value, str) else None

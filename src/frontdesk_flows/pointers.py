"""Workflows that point to each other: the graphs that one reaches, and loops of pointers. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from frontdesk_api.json_access import text
from frontdesk_flows.document import Node
from frontdesk_flows.execution_limits import DEPTH_LIMIT
from frontdesk_flows.graph import Graph, RuntimeNode, read_graph

POINTER = "workflowPointer"

MAX_GRAPHS = 50

GraphOf = Callable[[str], Graph | None]


def reachable_graphs(workflow_id: str, graph_of: GraphOf) -> dict[str, Graph]:
    """Return the graphs that can be reached, by id, as deep as the runtime goes, without unknown ones."""
    found: dict[str, Graph] = {}
    visited: set[str] = set()
    row = [workflow_id]
    for _ in range(DEPTH_LIMIT):
        onward: list[str] = []
        for identity in row:
            if identity in visited or len(found) >= MAX_GRAPHS:
                continue
            visited.add(identity)
            graph = graph_of(identity)
            if graph is not None:
                found[identity] = graph
                onward += [target for node in graph.nodes.values() if (target := points_to(node))]
        row = onward
    return found


def graphs_among(raws: Iterable[Mapping[str, Any]]) -> GraphOf:
    """Return the graphs of these workflows by id, each made when it is asked for; of duplicates the first."""
    by_id = {each["id"]: each for each in reversed(list(raws)) if isinstance(each.get("id"), str)}
    return cache(lambda identity: read_graph(by_id[identity]) if identity in by_id else None)


def points_to(node: Node | RuntimeNode) -> str:
    """Return the workflow that a node points to; empty if it isn't a pointer, or names none."""
    return text(node.data.get("workflowId")) if node.type == POINTER else ""


def find_passing(graphs: Mapping[str, Graph]) -> frozenset[str]:
    """Return the workflows that can run to their end without a wait; of unknown ones that isn't assumed."""
    passing: frozenset[str] = frozenset()
    while True:
        found = frozenset(each for each, graph in graphs.items() if None in _entered_at_once(graph, passing))
        if found == passing:
            return found
        passing = found


def find_loops(workflow_id: str, graphs: Mapping[str, Graph]) -> Iterator[tuple[RuntimeNode, list[str]]]:
    """Yield the pointers of a workflow at which a run comes back to it with nothing waiting in between.

    Each has the workflows that it comes back through, in order; none if the pointer names the workflow itself.
    """
    passing = find_passing(graphs)
    pointers = {each: list(_pointers_at_once(graph, passing)) for each, graph in graphs.items()}
    leads_to = _led_back(workflow_id, {each: [*map(points_to, nodes)] for each, nodes in pointers.items()})
    for node in pointers.get(workflow_id, ()):
        at = points_to(node)
        if at not in leads_to:
            continue
        way = []
        while at != workflow_id:
            way.append(at)
            at = leads_to[at]
        yield node, way


def _led_back(workflow_id: str, targets: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the next workflow on the shortest way to `workflow_id`, for each that has one and for itself."""
    sources: dict[str, list[str]] = {}
    for source, each_target in targets.items():
        for target in each_target:
            sources.setdefault(target, []).append(source)
    onward, todo = {workflow_id: workflow_id}, [workflow_id]
    for each in todo:
        for source in sources.get(each, ()):
            if source not in onward:
                onward[source] = each
                todo.append(source)
    return onward


def _pointers_at_once(graph: Graph, passing: frozenset[str]) -> Iterator[RuntimeNode]:
    """Yield the pointers that a run can enter before anything waits, in the graph's order."""
    entered = _entered_at_once(graph, passing)
    return (node for node in graph.nodes.values() if node.id in entered and points_to(node))


def _entered_at_once(graph: Graph, passing: frozenset[str]) -> set[str | None]:
    """Return the ids of the nodes that can be entered before anything waits, and None if the end can."""
    entered: set[str | None] = set()
    todo: list[str | None] = [graph.start] if graph.runs else []
    while todo:
        identity = todo.pop()
        if identity in entered:
            continue
        node = None if identity is None else graph.nodes.get(identity)
        if identity is not None and node is None:
            continue
        entered.add(identity)
        if node is not None:
            todo += _next_at_once(node, passing)
    return entered


def _next_at_once(node: RuntimeNode, passing: frozenset[str]) -> Iterator[str | None]:
    """Yield where a node leads without a wait, as the runtime goes; None for the end."""
    if node.type == "wait":
        return
    if node.type in ("if", "switch") or (node.exits and not node.waits_for_answer):
        yield from (each.target for each in node.ways)
    elif node.type == POINTER:
        if points_to(node) in passing:
            yield node.target
    elif not node.waits_for_answer:
        yield node.target

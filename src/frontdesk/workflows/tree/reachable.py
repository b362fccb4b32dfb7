"""The graphs that a dry run can reach: a workflow's own, and those of the workflows that it points to.

Reading large documents takes long: screens call this on a thread.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from frontdesk.workflow_runtime.execution import DEPTH_LIMIT
from frontdesk.workflow_runtime.graph import Graph

MAX_GRAPHS = 50
"""More workflows than that aren't read for one dry run."""

MAX_LETTERS = 10_000
"""So many letters of one node's data are kept where they are to be shown on a screen."""


def followed(workflow_id: str, graph_of: Callable[[str], Graph | None]) -> dict[str, Graph]:
    """The graphs that can be reached, by id, as deep as the runtime goes; unknown ones are left out."""
    found: dict[str, Graph] = {}
    asked: set[str] = set()
    row = [workflow_id]
    for _ in range(DEPTH_LIMIT):
        onward: list[str] = []
        for identity in row:
            if identity in asked or len(found) >= MAX_GRAPHS:
                continue
            asked.add(identity)
            graph = graph_of(identity)
            if graph is not None:
                found[identity] = graph
                onward += _pointed_to(graph)
        row = onward
    return found


def bounded(graph: Graph) -> Graph:
    """Cut the data of a graph's nodes to a length that can be shown.

    A document may be megabytes, and a screen plays it from its beginning with every key.
    """
    nodes = {each: replace(node, data=_Budget().cut(node.data)) for each, node in graph.nodes.items()}
    return replace(graph, nodes=nodes)


class _Budget:
    """The remaining size of one node's data."""

    def __init__(self) -> None:
        self._left = MAX_LETTERS

    def cut(self, value: Any, depth: int = 20) -> Any:
        """The value, or as much of it as fits."""
        self._left -= 1
        if isinstance(value, str):
            kept = value[: max(0, self._left)]
            self._left -= len(kept)
            return kept
        if isinstance(value, dict):
            items = value.items() if depth else ()
            return {name: self.cut(each, depth - 1) for name, each in items if self._left > 0}
        if isinstance(value, list):
            return [self.cut(each, depth - 1) for each in (value if depth else ()) if self._left > 0]
        return value


def _pointed_to(graph: Graph) -> list[str]:
    ids = (node.data.get("workflowId") for node in graph.nodes.values() if node.type == "workflowPointer")
    return [each for each in ids if isinstance(each, str)]

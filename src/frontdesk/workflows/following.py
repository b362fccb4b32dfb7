"""The graphs that a dry run may come to: a workflow's own, and those of the workflows it points to.

Reading a document costs time that grows with it, so callers with a screen do this on a thread.
"""

from collections.abc import Callable

from frontdesk.runtime.execution import DEPTH_LIMIT
from frontdesk.runtime.graph import Graph

MOST_GRAPHS = 50
"""More workflows than that aren't read for one dry run."""


def followed(workflow_id: str, graph_of: Callable[[str], Graph | None]) -> dict[str, Graph]:
    """The graphs by id, as deep as the runtime goes; what `graph_of` doesn't know is not among them."""
    found: dict[str, Graph] = {}
    asked: set[str] = set()
    row = [workflow_id]
    for _ in range(DEPTH_LIMIT):
        onward: list[str] = []
        for identity in row:
            if identity in asked or len(found) >= MOST_GRAPHS:
                continue
            asked.add(identity)
            graph = graph_of(identity)
            if graph is not None:
                found[identity] = graph
                onward += _pointed_to(graph)
        row = onward
    return found


def _pointed_to(graph: Graph) -> list[str]:
    ids = (node.data.get("workflowId") for node in graph.nodes.values() if node.type == "workflowPointer")
    return [each for each in ids if isinstance(each, str)]

"""The graphs that a dry run can reach: a workflow's own, and those of the workflows that it points to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import apsw

from frontdesk.workflow_runtime.graph import Graph, read_graph
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.pointers import reachable_graphs
from frontdesk.workflows.update_plan import load_current

MAX_LETTERS = 10_000
"""Letters kept of one node's data for a screen."""


def shorten_data(graph: Graph) -> Graph:
    """Shorten the data of nodes: a screen replays megabytes from the beginning with every key."""
    nodes = {each: replace(node, data=_Budget().cut(node.data)) for each, node in graph.nodes.items()}
    return replace(graph, nodes=nodes)


class _Budget:
    def __init__(self) -> None:
        self._left = MAX_LETTERS

    def cut(self, value: Any, depth: int = 20) -> Any:
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


@dataclass(frozen=True, slots=True)
class StoredGraphs:
    """Graphs by workflow id.

    Attributes:
        knows_all: whether a workflow that isn't among them doesn't exist; else it may not be stored here.
    """

    graphs: Mapping[str, Graph]
    knows_all: bool


def load_graphs(db: apsw.Connection, workflow_id: str) -> StoredGraphs:
    """Read the graphs that a dry run of a stored workflow can reach; raise NotReadYet without its own."""
    own = load_current(db, workflow_id)

    def graph_of(identity: str) -> Graph | None:
        if identity == workflow_id:
            return shorten_data(read_graph(own))
        text = workflow_store.text(db, identity)
        raw = None if text is None else json.loads(text)
        return shorten_data(read_graph(raw)) if isinstance(raw, dict) else None

    listing = workflow_store.listing(db)
    are_all_read = not listing.has_more and all(each.read_at is not None for each in listing.records)
    return StoredGraphs(reachable_graphs(workflow_id, graph_of), are_all_read)

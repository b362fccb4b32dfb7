"""The graphs of a stored workflow and of those it points to, for a dry run.

Read on a thread that only reads: a document may be megabytes. `ProfileStore.read_in_background` runs it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import apsw

from frontdesk.workflow_runtime.graph import Graph, read_graph
from frontdesk.workflows.prepare import stored_whole
from frontdesk.workflows.store import workflows as workflow_store
from frontdesk.workflows.tree.reachable import bounded, followed


@dataclass(frozen=True, slots=True)
class StoredGraphs:
    """Graphs by their workflow's id.

    Attributes:
        knows_all: whether a workflow that isn't among them doesn't exist; else it may be one that isn't read here.
    """

    graphs: Mapping[str, Graph]
    knows_all: bool


def graphs_from(db: apsw.Connection, workflow_id: str) -> StoredGraphs:
    """The graphs that trying this workflow may come to.

    Raises:
        NotReadYet: its own isn't stored, or was changed since.
    """
    own = stored_whole(db, workflow_id)

    def graph_of(identity: str) -> Graph | None:
        if identity == workflow_id:
            return bounded(read_graph(own))
        text = workflow_store.text(db, identity)
        raw = None if text is None else json.loads(text)
        return bounded(read_graph(raw)) if isinstance(raw, dict) else None

    listing = workflow_store.listing(db)
    are_all_read = not listing.has_more and all(each.read_at is not None for each in listing.records)
    return StoredGraphs(followed(workflow_id, graph_of), are_all_read)

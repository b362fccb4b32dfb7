"""Rules about a workflow among others: line, channel, pointers, campaigns, counters and templates."""

from collections.abc import Iterator

from frontdesk_api.json_access import text
from frontdesk_flows.checks.models import Problem, References, problem
from frontdesk_flows.document import Document, Node, edge_ends, key_path
from frontdesk_flows.graph import INBOUND, Graph, read_graph
from frontdesk_flows.pointers import POINTER, find_loops, find_passing, points_to, reachable_graphs

MAX_NAMED = 5
"""Workflows that a loop of pointers is told with."""


def no_line(document: Document, _known: References) -> Iterator[Problem]:
    """Find a WhatsApp workflow without a line (docs/interface.md, Workflow)."""
    if document.text("associatedToBusinessId").strip():
        return
    sending = next((each for each in document.parents if _sends_on_whatsapp(document, each)), None)
    if sending is not None:
        words = "{} sends on WhatsApp, but the workflow has no line"
        yield problem("$.associatedToBusinessId", sending.id, words, sending.id)


def template_on_inbound(document: Document, _known: References) -> Iterator[Problem]:
    """Find templates that answer a customer who wrote first (rule 233)."""
    if _event(document) not in INBOUND:
        return
    for parent in document.parents:
        if parent.data.get("messageType") == "template":
            words = "{} sends a template to a customer who wrote first"
            yield problem(f"{parent.path}.data.messageType", parent.id, words, parent.id)


def pointer_names_none(document: Document, _known: References) -> Iterator[Problem]:
    for parent in document.parents:
        if parent.type == POINTER and not points_to(parent):
            yield problem(f"{parent.path}.data.workflowId", parent.id, "{} doesn't point to a workflow", parent.id)


def pointer_unknown(document: Document, known: References) -> Iterator[Problem]:
    known_ids = (known.workflow_ids or frozenset()) | {document.text("id")}
    for parent in document.parents:
        target = points_to(parent)
        if target and target not in known_ids:
            words = "{} points to the workflow {}, which isn't listed"
            yield problem(f"{parent.path}.data.workflowId", parent.id, words, parent.id, target)


def pointer_loops(document: Document, known: References) -> Iterator[Problem]:
    """Find pointers at which a run comes back to this workflow with nothing waiting in between."""
    for node, way in find_loops(document.text("id"), _graphs_around(document, known)):
        path = f"{document.steps[node.id].path}.data.workflowId"
        if not way:
            yield problem(path, node.id, "{} runs this workflow again without a wait in between", node.id)
        else:
            through = ", ".join(["{}"] * len(way[:MAX_NAMED])) + ("" if len(way) <= MAX_NAMED else ", …")
            words = f"{{}} leads back to this workflow through {through} without a wait in between"
            yield problem(path, node.id, words, node.id, *way[:MAX_NAMED])


def find_waiting(document: Document, known: References) -> frozenset[str]:
    """Return the workflows that this one points to and that are known to wait before they end."""
    graphs = _graphs_around(document, known)
    return frozenset(graphs) - find_passing(graphs)


def _graphs_around(document: Document, known: References) -> dict[str, Graph]:
    """Return the graph of a document that has pointers, and those that it can reach as far as they are known."""
    if not any(each.type == POINTER for each in document.parents):
        return {}
    own, others = document.text("id"), known.graph_of
    graph = read_graph(document.raw)

    def graph_of(identity: str) -> Graph | None:
        return graph if identity == own else None if others is None else others(identity)

    return reachable_graphs(own, graph_of)


def channel_differs(document: Document, known: References) -> Iterator[Problem]:
    line = document.text("associatedToBusinessId") or document.text("associatedToPlatformId")
    own, of_line = document.text("platformType"), (known.channels or {}).get(line, "")
    if own and of_line and _channel(own) != _channel(of_line):
        yield problem("$.platformType", "", "the workflow is for {}, but its line is on {}", own, of_line)


def inactive_but_scheduled(document: Document, known: References) -> Iterator[Problem]:
    if document.raw.get("isActive") is True:
        return
    for name in (known.scheduled or {}).get(document.text("id"), ()):
        yield problem("$.isActive", "", "the workflow is off, but the campaign {} is scheduled to start it", name)


def stale_stats(document: Document, _known: References) -> Iterator[Problem]:
    known_ids = {node.id for node in document.nodes} | document.drawn_ids
    for key in document.stats("nodeStats"):
        if key not in known_ids:
            yield problem(key_path("$.analytics.nodeStats", key), key, "{} has counts but isn't in the graph", key)
    for key, value in document.stats("edgeStats").items():
        ends = edge_ends(key, value, known_ids)
        if ends is None or not known_ids.issuperset(ends):
            path = key_path("$.analytics.edgeStats", key)
            yield problem(path, "", "the edge {} has counts but isn't in the graph", key)
    for key, value in document.stats("buttonStats").items():
        identity = value.get("subNodeId") if isinstance(value, dict) else None
        if (identity if isinstance(identity, str) else key) not in known_ids:
            path = key_path("$.analytics.buttonStats", key)
            yield problem(path, key, "{} has counts but isn't in the graph", key)


def _event(document: Document) -> str:
    event = "" if document.trigger is None else text(document.trigger.data.get("eventType"))
    return event or document.text("triggerType")


def _sends_on_whatsapp(document: Document, node: Node) -> bool:
    if node.type == "whatsapp":
        return True
    return document.text("platformType") == "whatsapp" and (node.type == "ai" or "messageType" in node.data)


def _channel(name: str) -> str:
    return "web" if name == "webchat" else name

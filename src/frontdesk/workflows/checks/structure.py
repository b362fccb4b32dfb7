"""Rules about the parts of a document and their consistency: trigger, graph, canvas, ids, parents."""

from collections.abc import Iterator

from frontdesk.workflows.checks.finding import Problem, References, problem
from frontdesk.workflows.document import Document, Node
from frontdesk.workflows.node_types import EXIT_TYPES, is_trigger


def no_trigger(document: Document, _known: References) -> Iterator[Problem]:
    """Find a workflow that nothing can start."""
    if document.trigger is None:
        yield problem("$.trigger", "", "the workflow has no trigger")


def trigger_leads_nowhere(document: Document, _known: References) -> Iterator[Problem]:
    """Find a trigger without a target: runs begin at its first one (rule 231)."""
    trigger = document.trigger
    if trigger is not None and not trigger.targets:
        yield problem(f"{trigger.path}.connections.out", trigger.id, "the trigger leads to no node")


def misfits(document: Document, _known: References) -> Iterator[Problem]:
    """Find values of another type than the interface gives them."""
    yield from document.misfits


def nameless(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes without an id, to which nothing can lead."""
    yield from document.nameless


def no_graph(document: Document, _known: References) -> Iterator[Problem]:
    """Find a canvas without a graph, which opens and doesn't run."""
    if document.drawn and not document.parents:
        yield problem("$.parsedData", "", f"the canvas has {_nodes(len(document.drawn))}, the graph none")


def no_canvas(document: Document, _known: References) -> Iterator[Problem]:
    """Find a graph without a canvas, which runs and doesn't open."""
    if document.parents and not document.drawn:
        yield problem("$.data", "", f"the graph has {_nodes(len(document.parents))}, the canvas none")


def duplicate_ids(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes that share an id, of which only the first runs; other rules find triggers and exits."""
    seen: dict[str, tuple[str, str]] = {}
    for kind, node in _kinds(document):
        if not node.id:
            continue
        kind_before, before = seen.setdefault(node.id, (kind, node.path))
        if before != node.path and (kind == kind_before or "parent" not in (kind, kind_before)):
            yield problem(node.path, node.id, f"{{}} is also the id of {before}", node.id)
    places: dict[str, str] = {}
    for each in document.drawn:
        before = places.setdefault(each.id, each.path)
        if before != each.path:
            yield problem(each.path, each.id, f"{{}} is also the id of {before}", each.id)


def trigger_among_parents(document: Document, _known: References) -> Iterator[Problem]:
    """Find triggers within `parsedData`."""
    own = document.trigger.id if document.trigger is not None else ""
    for parent in document.parents:
        if (own and parent.id == own) or is_trigger(parent):
            yield problem(parent.path, parent.id, "{} is a trigger, and stands among the nodes", parent.id)


def exit_among_parents(document: Document, _known: References) -> Iterator[Problem]:
    """Find sub-nodes among the parents."""
    for parent in document.parents:
        above = parent.parent_id
        belongs = bool(above) and above != parent.id and above in document.steps
        if parent.id in document.sub_ids or parent.type in EXIT_TYPES or belongs:
            yield problem(parent.path, parent.id, "{} is an exit, and stands among the nodes", parent.id)


def wrong_parent(document: Document, _known: References) -> Iterator[Problem]:
    """Find sub-nodes that name another parent, in the graph and on the canvas."""
    parent_of: dict[str, str] = {}
    for parent in document.parents:
        for sub in parent.subs:
            parent_of.setdefault(sub.id, parent.id)
            if sub.parent_id is not None and sub.parent_id != parent.id:
                words = "{} names {} as its parent, and hangs off {}"
                yield problem(f"{sub.path}.parentId", sub.id, words, sub.id, sub.parent_id, parent.id)
    for each in document.drawn:
        wanted = parent_of.get(each.id)
        if wanted is not None and each.id not in document.steps and each.parent_id != wanted:
            words = "on the canvas {} is not in its parent {}"
            yield problem(f"{each.path}.parentId", each.id, words, each.id, wanted)


def ids_differ(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes that only the graph or only the canvas has."""
    if not document.parents or not document.drawn:
        return
    running: set[str] = set()
    for node in document.nodes:
        if node.id and node.id not in document.drawn_ids and node.id not in running and not node.is_note:
            yield problem(node.path, node.id, "{} is in the graph and not on the canvas", node.id)
        running.add(node.id)
    for each in document.drawn:
        is_note = each.type == "stickyNote" or each.category == "Note"
        if each.id not in running and not is_note:
            yield problem(each.path, each.id, "{} is on the canvas and not in the graph", each.id)


def _kinds(document: Document) -> Iterator[tuple[str, Node]]:
    if document.trigger is not None:
        yield "trigger", document.trigger
    for parent in document.parents:
        yield "parent", parent
    for parent in document.parents:
        for sub in parent.subs:
            yield "exit", sub


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count:,} nodes"

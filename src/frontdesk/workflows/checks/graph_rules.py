"""Rules about a document: trigger, graph, canvas and ids; ways, reach, loops, answers and silence."""

from collections.abc import Container, Iterator

from frontdesk.text.display_text import counted
from frontdesk.workflow_runtime.graph import FALLBACK, TIMEOUT
from frontdesk.workflows.checks.models import Problem, References, problem
from frontdesk.workflows.checks.references import find_waiting
from frontdesk.workflows.document import Document, Node
from frontdesk.workflows.node_types import EXIT_TYPES, STEP_TYPES, is_answer, is_trigger
from frontdesk.workflows.pointers import POINTER

MAX_NODES = 100
"""Larger workflows are easier to follow as several that point to each other."""


def missing_targets(document: Document, _known: References) -> Iterator[Problem]:
    """Find ways to nodes that don't exist, which end the run, and canvas lines without an end."""
    known_ids = document.sub_ids | document.steps.keys()
    trigger = document.trigger.id if document.trigger is not None else ""
    # Without a graph all of them are missing, and its own rule says so.
    for node in document.nodes if document.parents or not document.drawn else ():
        for target in node.targets:
            if target.id not in known_ids and target.id != trigger:
                yield problem(target.path, node.id, "{} leads to {}, which doesn't exist", node.id, target.id)
    if not document.drawn:
        return
    for edge in document.edges:
        for name, end in (("source", edge.source), ("target", edge.target)):
            if not end:
                yield problem(f"{edge.path}.{name}", "", f"a canvas edge has no {name}")
            elif end not in document.drawn_ids:
                words = f"a canvas edge has the {name} {{}}, which doesn't exist"
                yield problem(f"{edge.path}.{name}", end, words, end)


def wrong_targets(document: Document, _known: References) -> Iterator[Problem]:
    """Find ways to the trigger or to an exit of another node: only parents are entered."""
    trigger = document.trigger.id if document.trigger is not None else ""
    for node in document.nodes:
        for target in node.targets:
            if target.id in document.steps:
                continue
            if target.id in document.sub_ids:
                words = "{} leads to {}, which is another node's exit"
                yield problem(target.path, node.id, words, node.id, target.id)
            elif target.id == trigger:
                yield problem(target.path, node.id, "{} leads back to the trigger", node.id)


def unreachable(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes to which no way leads from the trigger's first target."""
    visited: set[str] = set()
    todo = [each.id for each in document.trigger.targets[:1]] if document.trigger is not None else []
    while todo:
        identity = todo.pop()
        step = document.steps.get(identity)
        if step is not None and identity not in visited:
            visited.add(identity)
            todo += [each.id for each in step.ways]
    for identity, step in document.steps.items():
        if identity not in visited and not step.is_note:
            yield problem(step.path, identity, "{} can't be reached from the trigger", identity)


def waits_for_nothing(document: Document, _known: References) -> Iterator[Problem]:
    """Find questions after whose answer nothing follows."""
    for parent in document.parents:
        if parent.waits_for_answer and not any(parent.ways):
            yield problem(parent.path, parent.id, "{} waits for an answer, but nothing follows", parent.id)


def loops(document: Document, known: References) -> Iterator[Problem]:
    """Find loops in which nothing waits, one for each place where they close."""
    waiting = find_waiting(document, known)
    done: set[str] = set()
    reported: set[str] = set()
    for start in document.steps:
        if start in done:
            continue
        on_way, todo = {start}, [(start, _next_steps(document, start, waiting))]
        while todo:
            at, ways = todo[-1]
            following = next(ways, None)
            if following is None:
                todo.pop()
                on_way.remove(at)
                done.add(at)
            elif following in on_way:
                if following not in reported:
                    words = "{} leads back to {} without a wait in between"
                    yield problem(document.steps[following].path, following, words, at, following)
                reported.add(following)
            elif following not in done:
                on_way.add(following)
                todo.append((following, _next_steps(document, following, waiting)))


def equal_answers(document: Document, _known: References) -> Iterator[Problem]:
    """Find answers of one question with equal titles, of which only the first is ever chosen."""
    for parent in document.parents:
        seen: dict[str, str] = {}
        for sub in parent.subs:
            title = sub.title.strip().casefold()
            if sub.type == "answer" and title and seen.setdefault(title, sub.path) != sub.path:
                words = "{} has several answers titled {}"
                yield problem(sub.path, sub.id, words, parent.id, sub.title)


def no_fallback(document: Document, _known: References) -> Iterator[Problem]:
    """Find questions without a way for an answer that fits none."""
    for parent in document.parents:
        has_answers = any(is_answer(each) for each in parent.subs)
        if parent.waits_for_answer and has_answers and not _has_exit(parent, FALLBACK):
            yield problem(parent.path, parent.id, "{} has no fallback for unrecognized answers", parent.id)


def no_timeout(document: Document, _known: References) -> Iterator[Problem]:
    """Find questions without a way for silence."""
    for parent in document.parents:
        if parent.waits_for_answer and not _has_exit(parent, TIMEOUT):
            yield problem(parent.path, parent.id, "{} has no timeout for customers who don't answer", parent.id)


def several_targets(document: Document, _known: References) -> Iterator[Problem]:
    """Find lists of targets of which only the first is followed."""
    for node in document.nodes:
        if len(node.targets) > 1:
            words = f"{{}} leads to {len(node.targets)} nodes, but only {{}} is followed"
            path = f"{node.path}.connections.out"
            yield problem(path, node.id, words, node.id or "the trigger", node.targets[0].id)


def no_title(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes without a title; such an answer can't be chosen."""
    for node in document.nodes:
        if not node.title.strip() and not node.is_note:
            yield problem(f"{node.path}.title", node.id, "{} has no title", node.id or "the trigger")


def unknown_types(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes of types that aren't known here."""
    for node in document.nodes:
        if node is document.trigger:
            is_known = is_trigger(node)
        elif node.path.rpartition(".")[2].startswith("subNodes["):
            is_known = node.type in EXIT_TYPES
        else:
            is_known = node.type in STEP_TYPES or node.type in EXIT_TYPES or is_trigger(node)
        if is_known:
            continue
        if node.type:
            yield problem(f"{node.path}.type", node.id, "{} has an unknown type, {}", node.id, node.type)
        else:
            yield problem(f"{node.path}.type", node.id, "{} has no type", node.id or "the trigger")


def too_many(document: Document, _known: References) -> Iterator[Problem]:
    """Find graphs that are too large to be followed."""
    count = len(document.parents)
    if count > MAX_NODES:
        yield problem("$.parsedData", "", f"the graph has {count:,} nodes")


def _next_steps(document: Document, identity: str, waiting: Container[str]) -> Iterator[str]:
    step = document.steps[identity]
    is_waiting_pointer = step.type == POINTER and step.data.get("workflowId") in waiting
    if step.waits_for_answer or step.type == "wait" or is_waiting_pointer:
        return iter(())
    return iter([each.id for each in step.ways if each.id in document.steps])


def _has_exit(parent: Node, kind: str) -> bool:
    return any(each.type == kind for each in parent.subs)


def no_trigger(document: Document, _known: References) -> Iterator[Problem]:
    """Find a workflow that nothing can start."""
    if document.trigger is None:
        yield problem("$.trigger", "", "the workflow has no trigger")


def trigger_leads_nowhere(document: Document, _known: References) -> Iterator[Problem]:
    """Find a trigger without a target: runs begin at its first one (rule 231)."""
    trigger = document.trigger
    if trigger is not None and not trigger.targets:
        yield problem(f"{trigger.path}.connections.out", trigger.id, "the trigger isn't connected to a node")


def misfits(document: Document, _known: References) -> Iterator[Problem]:
    """Find values of another type than the interface gives them."""
    yield from document.misfits


def nameless(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes without an id, to which nothing can lead."""
    yield from document.nameless


def no_graph(document: Document, _known: References) -> Iterator[Problem]:
    """Find a canvas without a graph, which opens and doesn't run."""
    if document.drawn and not document.parents:
        yield problem(
            "$.parsedData", "", f"the canvas has {counted(len(document.drawn), 'node')}, but the graph has none"
        )


def no_canvas(document: Document, _known: References) -> Iterator[Problem]:
    """Find a graph without a canvas, which runs and doesn't open."""
    if document.parents and not document.drawn:
        yield problem(
            "$.data", "", f"the graph has {counted(len(document.parents), 'node')}, but the canvas has none"
        )


def duplicate_ids(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes that share an id, of which only the first runs; other rules find triggers and exits."""
    seen: dict[str, tuple[str, str]] = {}
    for kind, node in _nodes_by_kind(document):
        if not node.id:
            continue
        kind_before, before = seen.setdefault(node.id, (kind, node.path))
        if before != node.path and (kind == kind_before or "parent" not in (kind, kind_before)):
            yield problem(node.path, node.id, f"{{}} is also the id of {before}", node.id)
    drawn_paths: dict[str, str] = {}
    for each in document.drawn:
        before = drawn_paths.setdefault(each.id, each.path)
        if before != each.path:
            yield problem(each.path, each.id, f"{{}} is also the id of {before}", each.id)


def trigger_among_parents(document: Document, _known: References) -> Iterator[Problem]:
    """Find triggers within `parsedData`."""
    own = document.trigger.id if document.trigger is not None else ""
    for parent in document.parents:
        if (own and parent.id == own) or is_trigger(parent):
            yield problem(parent.path, parent.id, "{} is a trigger, but it's listed among the nodes", parent.id)


def exit_among_parents(document: Document, _known: References) -> Iterator[Problem]:
    """Find sub-nodes among the parents."""
    for parent in document.parents:
        above = parent.parent_id
        belongs = bool(above) and above != parent.id and above in document.steps
        if parent.id in document.sub_ids or parent.type in EXIT_TYPES or belongs:
            yield problem(parent.path, parent.id, "{} is an exit, but it's listed among the nodes", parent.id)


def wrong_parent(document: Document, _known: References) -> Iterator[Problem]:
    """Find sub-nodes that name another parent, in the graph and on the canvas."""
    parent_of: dict[str, str] = {}
    for parent in document.parents:
        for sub in parent.subs:
            parent_of.setdefault(sub.id, parent.id)
            if sub.parent_id is not None and sub.parent_id != parent.id:
                words = "{} names {} as its parent, but belongs to {}"
                yield problem(f"{sub.path}.parentId", sub.id, words, sub.id, sub.parent_id, parent.id)
    for each in document.drawn:
        wanted = parent_of.get(each.id)
        if wanted is not None and each.id not in document.steps and each.parent_id != wanted:
            words = "on the canvas, {} isn't inside its parent {}"
            yield problem(f"{each.path}.parentId", each.id, words, each.id, wanted)


def ids_differ(document: Document, _known: References) -> Iterator[Problem]:
    """Find nodes that only the graph or only the canvas has."""
    if not document.parents or not document.drawn:
        return
    running: set[str] = set()
    for node in document.nodes:
        if node.id and node.id not in document.drawn_ids and node.id not in running and not node.is_note:
            yield problem(node.path, node.id, "{} is in the graph but not on the canvas", node.id)
        running.add(node.id)
    for each in document.drawn:
        is_note = each.type == "stickyNote" or each.category == "Note"
        if each.id not in running and not is_note:
            yield problem(each.path, each.id, "{} is on the canvas but not in the graph", each.id)


def _nodes_by_kind(document: Document) -> Iterator[tuple[str, Node]]:
    if document.trigger is not None:
        yield "trigger", document.trigger
    for parent in document.parents:
        yield "parent", parent
    for parent in document.parents:
        for sub in parent.subs:
            yield "exit", sub

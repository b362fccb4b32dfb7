"""The rules, and their catalogue, errors first. Scripts name the ids, so they are stable."""

from collections.abc import Container, Iterator
from functools import partial

from frontdesk_api.json_access import text
from frontdesk_flows.checks.models import Problem, References, Rule, Severity, problem
from frontdesk_flows.checks.node_contents import no_text, no_url, unset_placeholders
from frontdesk_flows.document import (
    EXIT_TYPES,
    STEP_TYPES,
    Document,
    Node,
    edge_ends,
    is_answer,
    is_trigger,
    key_path,
)
from frontdesk_flows.graph import FALLBACK, INBOUND, ON_BEGINNING, ON_MESSAGE, ON_TAG, TIMEOUT, Graph, read_graph
from frontdesk_flows.pointers import POINTER, find_loops, find_passing, points_to, reachable_graphs
from frontdesk_lines.display_text import counted

SAME_TRIGGER = "same-trigger"

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
    reached = document.reached
    for identity, step in document.steps.items():
        if identity not in reached and not step.is_note:
            yield problem(step.path, identity, "{} can't be reached from the trigger", identity)


def waits_for_nothing(document: Document, _known: References) -> Iterator[Problem]:
    for parent in document.parents:
        if parent.waits_for_answer and not any(parent.ways):
            yield problem(parent.path, parent.id, "{} waits for an answer, but nothing follows", parent.id)


def loops(document: Document, known: References) -> Iterator[Problem]:
    """Find loops in which nothing waits, one for each edge that closes one."""
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
    for parent in document.parents:
        seen: dict[str, str] = {}
        for sub in parent.subs:
            title = sub.title.strip().casefold()
            if sub.type == "answer" and title and seen.setdefault(title, sub.path) != sub.path:
                words = "{} has several answers titled {}"
                yield problem(sub.path, sub.id, words, parent.id, sub.title)


def no_fallback(document: Document, _known: References) -> Iterator[Problem]:
    for parent in document.parents:
        has_answers = any(is_answer(each) for each in parent.subs)
        if parent.waits_for_answer and has_answers and not _has_exit(parent, FALLBACK):
            yield problem(parent.path, parent.id, "{} has no fallback for unrecognized answers", parent.id)


def no_timeout(document: Document, _known: References) -> Iterator[Problem]:
    for parent in document.parents:
        if parent.waits_for_answer and not _has_exit(parent, TIMEOUT):
            yield problem(parent.path, parent.id, "{} has no timeout for customers who don't answer", parent.id)


def several_targets(document: Document, _known: References) -> Iterator[Problem]:
    for node in document.nodes:
        if len(node.targets) > 1:
            words = f"{{}} leads to {len(node.targets)} nodes, but only {{}} is followed"
            path = f"{node.path}.connections.out"
            yield problem(path, node.id, words, node.id or "the trigger", node.targets[0].id)


def no_title(document: Document, _known: References) -> Iterator[Problem]:
    for node in document.nodes:
        if not node.title.strip() and not node.is_note:
            yield problem(f"{node.path}.title", node.id, "{} has no title", node.id or "the trigger")


def unknown_types(document: Document, _known: References) -> Iterator[Problem]:
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
    if document.trigger is None:
        yield problem("$.trigger", "", "the workflow has no trigger")


def trigger_leads_nowhere(document: Document, _known: References) -> Iterator[Problem]:
    """Find a trigger without a target: runs begin at its first one (rule 231)."""
    trigger = document.trigger
    if trigger is not None and not trigger.targets:
        yield problem(f"{trigger.path}.connections.out", trigger.id, "the trigger isn't connected to a node")


def misfits(document: Document, _known: References) -> Iterator[Problem]:
    yield from document.misfits


def nameless(document: Document, _known: References) -> Iterator[Problem]:
    yield from document.nameless


def no_graph(document: Document, _known: References) -> Iterator[Problem]:
    if document.drawn and not document.parents:
        yield problem(
            "$.parsedData", "", f"the canvas has {counted(len(document.drawn), 'node')}, but the graph has none"
        )


def no_canvas(document: Document, _known: References) -> Iterator[Problem]:
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
    own = document.trigger.id if document.trigger is not None else ""
    for parent in document.parents:
        if (own and parent.id == own) or is_trigger(parent):
            yield problem(parent.path, parent.id, "{} is a trigger, but it's listed among the nodes", parent.id)


def exit_among_parents(document: Document, _known: References) -> Iterator[Problem]:
    for parent in document.parents:
        above = parent.parent_id
        belongs = bool(above) and above != parent.id and above in document.steps
        if parent.id in document.sub_ids or parent.type in EXIT_TYPES or belongs:
            yield problem(parent.path, parent.id, "{} is an exit, but it's listed among the nodes", parent.id)


def wrong_parent(document: Document, _known: References) -> Iterator[Problem]:
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


def not_drawn(document: Document, _known: References) -> Iterator[Problem]:
    """Find ways without an edge on the canvas; one from a node is as good as one from its exit."""
    parent_of = {sub.id: parent.id for parent in document.parents for sub in parent.subs}
    edges = {(each.handle if each.handle in parent_of else each.source, each.target) for each in document.edges}
    for node in document.nodes:
        for target in node.targets:
            if target.id not in document.steps or not {node.id, target.id} <= document.drawn_ids:
                continue
            if not document.edges:
                yield problem("$.data.edges", "", "the canvas has no edges, so nothing is connected there")
                return
            if not {(node.id, target.id), (parent_of.get(node.id), target.id)} & edges:
                words = "the connection from {} to {} isn't on the canvas"
                yield problem(target.path, node.id, words, node.id, target.id)


def _nodes_by_kind(document: Document) -> Iterator[tuple[str, Node]]:
    if document.trigger is not None:
        yield "trigger", document.trigger
    for parent in document.parents:
        yield "parent", parent
    for parent in document.parents:
        for sub in parent.subs:
            yield "exit", sub


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


def same_trigger(document: Document, known: References) -> Iterator[Problem]:
    """Find active workflows on the same line that the same message or tag starts: only one of them starts."""
    line = document.text("associatedToBusinessId")
    if document.raw.get("isActive") is not True or not line or known.active_on is None:
        return
    own = read_graph(document.raw)
    for other in known.active_on(line) if own.runs else ():
        word = shared_trigger(own, other)
        if word is None or other.start is None or other.workflow_id == own.workflow_id:
            continue
        name = other.name.strip() or other.workflow_id
        if word:
            yield problem("$.trigger.data.keywords", "", "{} also starts {}, on the same line", word, name)
        else:
            yield problem("$.trigger", "", "{} has the same trigger, on the same line", name)


def shared_trigger(one: Graph, other: Graph) -> str | None:
    """Return a keyword or tag that starts both; empty if both start without one; None if nothing starts both.

    Other events than these aren't known to start only one workflow.
    """
    if one.event_type != other.event_type:
        return None
    if not one.keywords and not other.keywords:
        return "" if one.event_type in (*INBOUND, ON_TAG) else None
    if one.event_type == ON_BEGINNING or one.event_type not in (ON_MESSAGE, ON_TAG):
        return None
    theirs = {each.casefold() for each in other.keywords}
    return next((each for each in one.keywords if each.casefold() in theirs), None)


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


_error, _warning = (partial(Rule, severity=each) for each in (Severity.ERROR, Severity.WARNING))

RULES: tuple[Rule, ...] = (
    _error(
        "no-trigger",
        "no trigger",
        "Add a trigger node. If the file comes from a list without `--full`, it has no graph: use"
        " `frontdesk workflows list --full --json`.",
        no_trigger,
    ),
    _error(
        "trigger-leads-nowhere",
        "`trigger.connections.out` is empty",
        "Put the id of the first node in `trigger.connections.out`: runs start there.",
        trigger_leads_nowhere,
    ),
    _error(
        "wrong-shape", "a field has the wrong type", "Change the field to the type shown, or remove it.", misfits
    ),
    _error("no-id", "a node has no id", "Give the node a unique id.", nameless),
    _error(
        "missing-target",
        "a target that doesn't exist",
        "Point it at an existing node, or remove the target.",
        missing_targets,
    ),
    _error(
        "wrong-target",
        "a target that can't be entered: the trigger, or another node's exit",
        "Point it at a node in `parsedData`; no other target works.",
        wrong_targets,
    ),
    _error(
        "duplicate-id",
        "several nodes with the same id",
        "Give each of them a unique id, in both the graph and the canvas.",
        duplicate_ids,
    ),
    _error(
        "trigger-in-graph",
        "the trigger is repeated inside `parsedData`",
        "Remove it from `parsedData`: the trigger belongs in `trigger` only.",
        trigger_among_parents,
    ),
    _error(
        "exit-as-node",
        "an exit is listed among the nodes",
        "Remove it from `parsedData` and keep it in its parent's `subNodes`.",
        exit_among_parents,
    ),
    _error(
        "wrong-parent",
        "an exit's `parentId` doesn't match its node",
        "Set `parentId` to the id of the node the exit belongs to, in both the graph and the canvas.",
        wrong_parent,
    ),
    _error(
        "no-graph",
        "`data` without `parsedData`: doesn't run",
        "Send the whole graph: `trigger`, `parsedData` and `data` together.",
        no_graph,
    ),
    _error(
        "no-canvas",
        "`parsedData` without `data`: doesn't open in the editor",
        "Send the whole graph: `trigger`, `parsedData` and `data` together.",
        no_canvas,
    ),
    _error(
        "ids-differ",
        "canvas and graph have different ids",
        "Add the node to both `data.nodes` and `parsedData`, or remove it from both.",
        ids_differ,
    ),
    _error(
        "no-line",
        "sends on WhatsApp without `associatedToBusinessId`",
        "Set `associatedToBusinessId` to the id of the line it sends from.",
        no_line,
    ),
    _error(
        "template-inbound",
        "a template, but the customer writes first",
        "Set `messageType` to `custom`: templates are for workflows that open the conversation.",
        template_on_inbound,
    ),
    _error(
        "pointer-empty",
        "a pointer without a workflow",
        "Put the workflow's id in `data.workflowId`.",
        pointer_names_none,
    ),
    _error(
        "pointer-unknown",
        "a pointer to an unknown workflow",
        "Point it at an existing workflow; `frontdesk workflows list` shows their ids.",
        pointer_unknown,
        needs="workflow_ids",
    ),
    _error(
        "no-url",
        "an HTTP request without a URL",
        "Set `data.url`, or remove the node: without a URL, no request can be sent.",
        no_url,
    ),
    _warning(
        "no-text",
        "a message without a text",
        "Write what it says in `data.message`. Without a text, customers get the node's title.",
        no_text,
    ),
    _warning(
        "unset-placeholder",
        "a placeholder that nothing sets",
        "Check its spelling: without a value, customers see it as it stands, and conditions can't be decided. If"
        " the platform or another workflow sets it, declare it in `variables`.",
        unset_placeholders,
    ),
    _warning(
        "unreachable",
        "a node that can't be reached",
        "Connect it, or remove it. If a node has several targets, only the first is followed.",
        unreachable,
    ),
    _warning(
        "waits-for-nothing",
        "waits for an answer but leads nowhere",
        "Add what happens next, or set `waitForUserResponse` to `false`.",
        waits_for_nothing,
    ),
    _warning(
        "loop-without-wait",
        "a loop without a wait",
        "Make the loop wait for an answer or for some time; otherwise it repeats until the platform stops it.",
        loops,
    ),
    _warning(
        "pointer-loop",
        "a pointer that leads back to its own workflow without a wait",
        "Put a question or a wait on the way, or point to another workflow; otherwise the workflow runs itself"
        " until the platform stops it.",
        pointer_loops,
    ),
    _warning(
        "equal-answers",
        "answers with the same title",
        "Give each answer a unique title. If two match, only the first can be chosen.",
        equal_answers,
    ),
    _warning(
        "no-fallback",
        "no fallback",
        "Add a `noSelectionFallback`. Without one, an unrecognized answer ends the run, unless the"
        " workflow's settings in the editor have a shared fallback.",
        no_fallback,
    ),
    _warning(
        "no-timeout",
        "no timeout",
        "Add an `awaitResponseTimeout`. Without one, silence ends the run, unless the workflow's settings"
        " in the editor have a shared timeout.",
        no_timeout,
    ),
    _warning(
        "several-targets",
        "several targets in one `out`",
        "Keep the one you want: only the first is followed.",
        several_targets,
    ),
    _warning(
        "not-drawn",
        "a connection that isn't on the canvas",
        "Add an edge between the two to `data.edges`: the connection works, but the editor doesn't show it.",
        not_drawn,
    ),
    _warning("no-title", "an empty title", "Give it a title.", no_title),
    _warning(
        "channel-differs",
        "`platformType` isn't the line's channel",
        "Set `platformType` to the line's channel, or choose a line on that channel.",
        channel_differs,
        needs="channels",
    ),
    _warning(
        "inactive-scheduled",
        "off although a scheduled campaign uses it",
        "Switch it on before the campaign starts.",
        inactive_but_scheduled,
        needs="scheduled",
    ),
    _warning(
        SAME_TRIGGER,
        "two active workflows with the same trigger on one line",
        "Change the keywords of one of them, or switch it off: only one of them starts.",
        same_trigger,
        needs="active_on",
    ),
    _warning(
        "unknown-type",
        "an unknown node type",
        "Compare the spelling with the editor's. The check can't tell what this node does.",
        unknown_types,
    ),
    _warning(
        "too-many-nodes", "more than 100 nodes", "Split it into workflows that point to each other.", too_many
    ),
    _warning(
        "stale-stats",
        "counters for ids that aren't in the graph",
        "If you removed the nodes on purpose, do nothing: the next update of the graph removes the counters.",
        stale_stats,
    ),
)

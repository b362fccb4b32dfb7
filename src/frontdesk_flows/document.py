"""A loose reader of a workflow's document, with the path of each part, and the known types of nodes.

Unlike the runtime's `read_graph` it keeps values of a wrong type as `misfits`, and duplicates. Nothing is said
about what isn't understood.
"""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from frontdesk_api.json_access import elements, mapping, text
from frontdesk_flows.checks.models import Problem, problem
from frontdesk_flows.graph import CHANNELS, FALLBACK, TIMEOUT
from frontdesk_lines.display_text import NOTHING, SafeText, show_line
from frontdesk_lines.lines import json_text


class JsonKind(NamedTuple):
    """A JSON type of the interface, with its Python types and its name."""

    types: tuple[type, ...]
    called: str


TEXT = JsonKind((str,), "text")
OBJECT = JsonKind((dict,), "an object")
LIST = JsonKind((list,), "a list")
FLAG = JsonKind((bool,), "true or false")
NUMBER = JsonKind((int, float), "a number")

Fields = Mapping[str, JsonKind]

NODE: Fields = {
    "id": TEXT,
    "type": TEXT,
    "category": TEXT,
    "title": TEXT,
    "parentId": TEXT,
    "data": OBJECT,
    "connections": OBJECT,
    "subNodes": LIST,
}
CANVAS_NODE: Fields = {
    "id": TEXT,
    "type": TEXT,
    "category": TEXT,
    "parentId": TEXT,
    "position": OBJECT,
    "draggable": FLAG,
    "selected": FLAG,
    "data": OBJECT,
}
POSITION: Fields = {"x": NUMBER, "y": NUMBER}
EDGE: Fields = dict.fromkeys(("id", "source", "target", "sourceHandle", "targetHandle", "type"), TEXT)
CANVAS: Fields = {"nodes": LIST, "edges": LIST}
ANALYTICS: Fields = {
    "totalStarted": NUMBER,
    "totalCompleted": NUMBER,
    "totalDropped": NUMBER,
    "lastUpdated": NUMBER,
    "nodeStats": OBJECT,
    "edgeStats": OBJECT,
    "buttonStats": OBJECT,
}
WORKFLOW: Fields = {
    "id": TEXT,
    "name": TEXT,
    "folderId": TEXT,
    "associatedTo": TEXT,
    "associatedToBusinessId": TEXT,
    "associatedToPlatformId": TEXT,
    "platformType": TEXT,
    "isActive": FLAG,
    "created": NUMBER,
    "lastModified": NUMBER,
    "triggerType": TEXT,
    "trigger": OBJECT,
    "variables": OBJECT,
    "data": OBJECT,
    "parsedData": LIST,
    "settings": OBJECT,
    "notes": TEXT,
    "executionCount": NUMBER,
    "lastExecution": NUMBER,
    "analytics": OBJECT,
    "selected": FLAG,
}
"""The fields of docs/interface.md, Resources and their types; all may be missing, and others may be there."""

_KEY_LIMIT = 80
_MAX_EDGE_KEY = 1_000


class Target(NamedTuple):
    """An entry of a `connections.out`."""

    path: str
    id: str


@dataclass(frozen=True, slots=True)
class Node:
    """The trigger, a parent node or a sub-node.

    Attributes:
        id: empty if it has none.
        parent_id: None if missing.
        targets: the ids in `connections.out`. Only the first is ever followed.
    """

    path: str
    id: str
    type: str
    category: str
    title: str
    parent_id: str | None
    data: Mapping[str, Any]
    targets: tuple[Target, ...]
    subs: "tuple[Node, ...]" = ()

    @property
    def waits_for_answer(self) -> bool:
        return self.data.get("waitForUserResponse") is True

    @property
    def is_note(self) -> bool:
        """True for a note for editors, which never runs."""
        return self.type == "stickyNote" or self.category == "Note"

    @property
    def ways(self) -> Iterator[Target]:
        """The targets that can follow: the first of its own, and of each sub-node."""
        for each in (self, *self.subs):
            yield from each.targets[:1]


class Drawn(NamedTuple):
    """A node of the canvas."""

    path: str
    id: str
    type: str
    category: str
    parent_id: str | None


class Edge(NamedTuple):
    """A line of the canvas; a missing end is None."""

    path: str
    source: str | None
    target: str | None
    handle: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A workflow as the rules read it.

    Attributes:
        trigger: None if missing or no object.
        parents: the entries of `parsedData` with an id.
        drawn: the entries of `data.nodes` with an id.
        misfits: values of another type than the interface's.
        nameless: nodes without an id.
        steps: the parents by id; of several with one id the first.
        sub_ids: the ids of all sub-nodes.
        drawn_ids: the ids of all nodes on the canvas.
    """

    raw: Mapping[str, Any]
    trigger: Node | None
    parents: tuple[Node, ...]
    drawn: tuple[Drawn, ...]
    edges: tuple[Edge, ...]
    misfits: tuple[Problem, ...]
    nameless: tuple[Problem, ...]
    steps: Mapping[str, Node]
    sub_ids: frozenset[str]
    drawn_ids: frozenset[str]

    @property
    def nodes(self) -> Iterator[Node]:
        if self.trigger is not None:
            yield self.trigger
        for parent in self.parents:
            yield parent
            yield from parent.subs

    @property
    def reached(self) -> Mapping[str, None]:
        """The ids of the nodes to which a way leads from the trigger's first target."""
        return self.follow(() if self.trigger is None else self.trigger.targets[:1])

    def follow(self, ways: Iterable[Target]) -> Mapping[str, None]:
        """Return the ids of the nodes to which these ways lead, on and on."""
        found: dict[str, None] = {}
        todo = [each.id for each in ways]
        while todo:
            identity = todo.pop()
            step = self.steps.get(identity)
            if step is not None and identity not in found:
                found[identity] = None
                todo += [each.id for each in step.ways]
        return found

    def text(self, name: str) -> str:
        """Return a text field of the workflow; empty if it isn't text."""
        return text(self.raw.get(name))

    def stats(self, name: str) -> Mapping[str, Any]:
        """One of the three objects of counters in `analytics`."""
        return mapping(mapping(self.raw.get("analytics")).get(name))


def read_document(raw: Mapping[str, Any]) -> Document:
    return _DocumentReader(raw).document()


def key_path(path: str, key: str) -> str:
    """Return the path of an entry whose key comes from outside."""
    short = key if len(key) <= _KEY_LIMIT else key[:_KEY_LIMIT] + "…"
    return f"{path}[{json.dumps(short, ensure_ascii=False)}]"


def edge_ends(key: str, value: object, known_ids: Container[str]) -> tuple[str, str] | None:
    """Return the ends of an edge in `edgeStats`; a key alone is `src->dst` or `src->dst:handle`, of known ids."""
    source, target = (mapping(value).get(name) for name in ("sourceNodeId", "targetNodeId"))
    if isinstance(source, str) and isinstance(target, str):
        return source, target
    parts = key.split("->") if len(key) <= _MAX_EDGE_KEY else ()
    for at in range(1, len(parts)):
        source, target = "->".join(parts[:at]), "->".join(parts[at:])
        if source in known_ids:
            for end in (target, target.rpartition(":")[0], target.partition(":")[0]):
                if end in known_ids:
                    return source, end
    return None


class _DocumentReader:
    def __init__(self, raw: Mapping[str, Any]):
        self._raw = raw
        self._misfits: list[Problem] = []
        self._nameless: list[Problem] = []

    def document(self) -> Document:
        self._check_types(self._raw, WORKFLOW, "$")
        raw_trigger = self._raw.get("trigger")
        trigger = self._node(raw_trigger, "$.trigger") if isinstance(raw_trigger, dict) else None
        parents = tuple(
            self._node(each, path, subs=True)
            for path, each in self._objects(self._raw.get("parsedData"), "$.parsedData")
        )
        parents = tuple(each for each in parents if each.id)
        canvas = mapping(self._raw.get("data"))
        self._check_types(canvas, CANVAS, "$.data")
        drawn = tuple(self._drawn(canvas))
        edges = tuple(self._edges(canvas))
        analytics = mapping(self._raw.get("analytics"))
        self._check_types(analytics, ANALYTICS, "$.analytics")
        steps: dict[str, Node] = {}
        for parent in parents:
            steps.setdefault(parent.id, parent)
        return Document(
            raw=self._raw,
            trigger=trigger,
            parents=parents,
            drawn=drawn,
            edges=edges,
            misfits=tuple(self._misfits),
            nameless=tuple(self._nameless),
            steps=steps,
            sub_ids=frozenset(sub.id for parent in parents for sub in parent.subs),
            drawn_ids=frozenset(each.id for each in drawn),
        )

    def _node(self, raw: Mapping[str, Any], path: str, *, subs: bool = False) -> Node:
        identity = self._identity(raw, path)
        self._check_types(raw, NODE, path, identity)
        parent_id = raw.get("parentId")
        found = Node(
            path=path,
            id=identity,
            type=text(raw.get("type")),
            category=text(raw.get("category")),
            title=text(raw.get("title")),
            parent_id=parent_id if isinstance(parent_id, str) else None,
            data=mapping(raw.get("data")),
            targets=tuple(self._targets(raw, path, identity)),
            subs=tuple(self._subs(raw, path, identity)) if subs else (),
        )
        if not subs and raw.get("subNodes"):
            what = "the trigger has exits" if path == "$.trigger" else "an exit has exits of its own"
            self._misfits.append(problem(f"{path}.subNodes", identity, f"{what}, which never run"))
        return found

    def _subs(self, raw: Mapping[str, Any], path: str, identity: str) -> Iterator[Node]:
        for sub_path, each in self._objects(raw.get("subNodes"), f"{path}.subNodes", identity):
            sub = self._node(each, sub_path)
            if sub.id:
                yield sub

    def _targets(self, raw: Mapping[str, Any], path: str, identity: str) -> Iterator[Target]:
        out = mapping(raw.get("connections")).get("out")
        path += ".connections.out"
        if out is not None and not isinstance(out, list):
            self._misfits.append(problem(path, identity, "must be a list of node ids"))
        for number, each in enumerate(elements(out)):
            if isinstance(each, str) and each:
                yield Target(f"{path}[{number}]", each)
            else:
                self._misfits.append(problem(f"{path}[{number}]", identity, "must be a node id"))

    def _drawn(self, canvas: Mapping[str, Any]) -> Iterator[Drawn]:
        for path, raw in self._objects(canvas.get("nodes"), "$.data.nodes"):
            identity = self._identity(raw, path)
            self._check_types(raw, CANVAS_NODE, path, identity)
            self._check_types(mapping(raw.get("position")), POSITION, f"{path}.position", identity)
            parent_id = raw.get("parentId")
            if identity:
                yield Drawn(
                    path,
                    identity,
                    text(raw.get("type")),
                    text(raw.get("category")),
                    parent_id if isinstance(parent_id, str) else None,
                )

    def _edges(self, canvas: Mapping[str, Any]) -> Iterator[Edge]:
        for path, raw in self._objects(canvas.get("edges"), "$.data.edges"):
            self._check_types(raw, EDGE, path)
            source, target = raw.get("source"), raw.get("target")
            yield Edge(
                path,
                source if isinstance(source, str) else None,
                target if isinstance(target, str) else None,
                text(raw.get("sourceHandle")),
            )

    def _identity(self, raw: Mapping[str, Any], path: str) -> str:
        identity = raw.get("id")
        if identity is None or identity == "":
            self._nameless.append(problem(path, "", "has no id"))
        return text(identity)

    def _objects(self, value: object, path: str, identity: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
        for number, each in enumerate(elements(value)):
            if isinstance(each, dict):
                yield f"{path}[{number}]", each
            else:
                self._misfits.append(problem(f"{path}[{number}]", identity, "must be an object"))

    def _check_types(self, raw: Mapping[str, Any], fields: Fields, path: str, identity: str = "") -> None:
        """Note fields of another type; null is as good as missing."""
        for name, kind in fields.items():
            value = raw.get(name)
            if value is not None and type(value) not in kind.types:
                self._misfits.append(problem(f"{path}.{name}", identity, f"must be {kind.called}"))


MAX_LISTED = 12

_SUMMARY_LIMIT = 120
_UNITS = (("days", "day"), ("hours", "hour"), ("minutes", "minute"), ("seconds", "second"))

Data = Mapping[str, Any]
Fact = tuple[str, str, str]
"""A label, the field that it describes (empty: those of a condition or a time), and the words; ids as they are."""


@dataclass(frozen=True, slots=True)
class NodeType:
    """A type of nodes.

    Attributes:
        is_exit: whether its nodes are exits of another node.
        description: for types that don't explain themselves.
        run_label: the label of its events in a dry run.
    """

    id: str
    is_exit: bool = False
    description: str = ""
    summary: Callable[[Data], str] | None = None
    facts: Callable[[Data], list[Fact]] | None = None
    run_label: str = ""


def is_trigger(node: Node) -> bool:
    """Return whether a node calls itself a trigger: there is one type for each channel."""
    return node.category == "Trigger" or node.type.endswith("Trigger")


def is_answer(sub: Node) -> bool:
    """Return whether a customer's answer can choose this exit."""
    return sub.type not in (FALLBACK, TIMEOUT)


def node_summary(node: Node) -> SafeText:
    """Return what a node does in one line, without its title; empty if unknown."""
    known = NODE_TYPES.get(node.type)
    summary = _trigger if is_trigger(node) else None if known is None else known.summary
    return NOTHING if summary is None else show_line(summary(node.data), _SUMMARY_LIMIT)


def duration(data: Data) -> str:
    """Return a time in the units of a node's data: `1 day 2 hours`; empty without one."""
    parts = []
    for name, unit in _UNITS:
        value = data.get(name)
        if type(value) in (int, float) and value:
            parts.append(f"{value:g} {unit}{'' if value == 1 else 's'}")
    return " ".join(parts)


def plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json_text(value, _SUMMARY_LIMIT * 4, None)[0]


def listed(value: object) -> str:
    """Return a list of words; anything else formatted as it is."""
    if isinstance(value, list):
        return ", ".join(plain(each) for each in value[:20]) + (", …" if len(value) > 20 else "")
    return plain(value)


def _trigger(data: Data) -> str:
    keywords = listed(data.get("keywords") or "")
    parts = [plain(data.get("eventType")), f"keywords: {keywords}" if keywords else ""]
    return " · ".join(each for each in parts if each)


def _message(data: Data) -> str:
    if data.get("messageType") == "ai":
        return f"AI agent {plain(data.get('aiAgentId'))}".rstrip() + " replies"
    text = plain(data.get("message"))
    if data.get("messageType") == "template":
        name = plain(data.get("templateName"))
        return f"template {name}: {text}" if name else f"template: {text}"
    return text


def _condition(data: Data) -> str:
    """`{{lookup.status}} equals 200`."""
    return " ".join(plain(data.get(name)) for name in ("left", "operator", "right")).strip()


def _update(data: Data) -> str:
    field = plain(data.get("field"))
    return f"{field} = {plain(data.get('value'))}" if field else ""


def _due(data: Data) -> str:
    hours = data.get("dueInHours")
    return f"in {plain(hours)} hour{'' if hours == 1 else 's'}" if hours is not None else ""


def _fallback_facts(data: Data) -> list[Fact]:
    tries = data.get("afterTries")
    return [("after", "afterTries", f"{tries} unrecognized answer{'' if tries == 1 else 's'}" if tries else "")]


def _wait_facts(data: Data) -> list[Fact]:
    return [("waits", "", duration(data) or "no time set")]


def _field_facts(*labels: tuple[str, str]) -> Callable[[Data], list[Fact]]:
    return lambda data: [(label, name, plain(data.get(name))) for label, name in labels]


_ROWS = (
    *(NodeType(each, summary=_message) for each in sorted(CHANNELS)),
    NodeType("if", summary=_condition, facts=lambda data: [("tests", "", _condition(data))]),
    NodeType("switch", summary=lambda data: plain(data.get("value")), facts=_field_facts(("checks", "value"))),
    NodeType("wait", summary=duration, facts=_wait_facts),
    NodeType(
        "workflowPointer",
        summary=lambda data: f"runs {plain(data.get('workflowId')) or 'no workflow'}",
        facts=lambda data: [("runs", "workflowId", plain(data.get("workflowId")) or "no workflow set")],
    ),
    NodeType(
        "httpRequest",
        summary=lambda data: f"{plain(data.get('method'))} {plain(data.get('url'))}".strip(),
        facts=_field_facts(("method", "method"), ("address", "url")),
        run_label="request",
    ),
    NodeType(
        "ai", summary=lambda data: plain(data.get("aiAgentId")), facts=_field_facts(("AI agent", "aiAgentId"))
    ),
    NodeType(
        "assignTags",
        summary=lambda data: listed(data.get("tagIds")),
        facts=lambda data: [("tags", "tagIds", listed(data.get("tagIds")))],
        run_label="tags",
    ),
    NodeType(
        "assignAgent",
        summary=lambda data: plain(data.get("team") or data.get("agentId")),
        facts=lambda data: [
            ("person", "agentId", plain(data.get("agentId"))),
            ("team", "team", plain(data.get("team"))),
        ],
        run_label="assigns",
    ),
    NodeType("updateCustomer", summary=_update, run_label="customer"),
    NodeType("updateConversation", summary=_update, run_label="sets"),
    NodeType(
        "task",
        summary=lambda data: plain(data.get("title")),
        facts=lambda data: [("title", "title", plain(data.get("title"))), ("due", "dueInHours", _due(data))],
        run_label="task",
    ),
    NodeType("stickyNote", description="a note for workflow editors"),
    NodeType("answer", is_exit=True, description="an answer the customer can choose"),
    NodeType("conditionEvaluation", is_exit=True, description="a result of a condition"),
    NodeType(
        "switchCaseEvaluation",
        is_exit=True,
        description="a case of a switch",
        facts=_field_facts(("from", "from"), ("to", "to")),
    ),
    NodeType(FALLBACK, is_exit=True, description="the exit for unrecognized answers", facts=_fallback_facts),
    NodeType(
        TIMEOUT,
        is_exit=True,
        description="the exit for customers who don't answer",
        summary=duration,
        facts=_wait_facts,
    ),
)
NODE_TYPES: Mapping[str, NodeType] = {each.id: each for each in _ROWS}
"""The types by id, without triggers, of which each channel has its own."""

STEP_TYPES = frozenset(each.id for each in _ROWS if not each.is_exit)
EXIT_TYPES = frozenset(each.id for each in _ROWS if each.is_exit)

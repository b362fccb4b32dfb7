"""Structural comparison of two documents of a workflow, and of JSON values.

Nodes are matched by id. Nodes that are only drawn elsewhere are counted, and their order doesn't matter. The
canvas repeats the graph: a difference of the graph isn't repeated for the canvas. In JSON values null is as good
as missing, and 1 is 1.0 but not true.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from frontdesk_api.json_access import JsonObject, elements, mapping, text, texts

GRAPH = ("trigger", "parsedData", "data")
"""The parts of a graph, which are sent together (docs/interface.md, Create workflow)."""

SERVER_MANAGED = ("associatedTo", "created", "lastModified", "executionCount", "lastExecution", "analytics")
"""Fields that the platform decides; `lastModified` is echoed, the others are never sent."""

REQUEST_ONLY = ("autoLayout", "autoClean")
"""Options of a request, which no document holds."""

EDITOR_FLAG = "selected"

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*").fullmatch
_KEY_LIMIT = 80

DRAWN = frozenset(
    ("position", "positionAbsolute", "draggable", "dragging", "extent", "selected", "width", "height", "measured")
)
"""Canvas fields that only say how a node is drawn; the platform lays out the canvas by itself."""


class DifferenceKind(StrEnum):
    """Kinds of differences."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"
    REWIRED = "rewired"
    REORDERED = "reordered"


class DifferencePart(StrEnum):
    """The parts of a document that can differ."""

    WORKFLOW = "workflow"
    TRIGGER = "trigger"
    NODE = "node"
    EXIT = "exit"
    DRAWN_NODE = "node on the canvas"
    LINE = "line on the canvas"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference.

    Attributes:
        node_id: of a line `source->target`; empty for the workflow.
        field: as `data.message`; empty if it is about the whole.
        before: the value, or the whole part without its sub-nodes; of what was moved its parent's id (empty: no
            exit of any), of what was rewired or reordered a list of ids. None if there was nothing.
        after: the same, afterwards.
    """

    kind: DifferenceKind
    part: DifferencePart
    node_id: str
    title: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Differences:
    """All differences, and how many nodes differ only in how they are drawn; false for the same structure."""

    changes: tuple[Difference, ...]
    drawn_elsewhere: int = 0

    def __bool__(self) -> bool:
        return bool(self.changes)


class Leaf(NamedTuple):
    """A path at which two values differ; None if one has nothing there."""

    path: str
    before: Any
    after: Any


def export_document(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Make a file's content from a stored workflow; sent back with `update_body`, it changes nothing."""
    left = {*SERVER_MANAGED, *REQUEST_ONLY, EDITOR_FLAG} - {"lastModified"}
    return {name: value for name, value in stored.items() if name not in left}


def leaves(before: Any, after: Any, path: str = "") -> Iterator[Leaf]:
    """Find where two values differ, as deep as they are alike; lists of different length differ as a whole."""
    todo = [(path, before, after)]
    while todo:
        at, one, other = todo.pop()
        if one is other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            names = [*one, *(name for name in other if name not in one)]
            todo += [(join_path(at, name), one.get(name), other.get(name)) for name in reversed(names)]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            todo += [(f"{at}[{index}]", one[index], other[index]) for index in reversed(range(len(one)))]
        elif not _is_same_scalar(one, other):
            yield Leaf(at, one, other)


def are_equal(one: Any, other: Any) -> bool:
    return next(leaves(one, other), None) is None


def join_path(path: str, name: str) -> str:
    """Return the path of an object's field; names that need it are quoted."""
    short = name if len(name) <= _KEY_LIMIT else name[:_KEY_LIMIT] + "…"
    if not _PLAIN_KEY(short):
        return f"{path}[{json.dumps(short, ensure_ascii=False)}]"
    return f"{path}.{short}" if path else short


def _is_same_scalar(one: Any, other: Any) -> bool:
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return False
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


_Keyed = dict[tuple[Any, int], Any]

_DRAWING = ("nodes", "edges", "viewport")
_ENDS = ("source", "target", "sourceHandle", "targetHandle")
_NO_FIELDS = frozenset(("id", *SERVER_MANAGED, *REQUEST_ONLY, EDITOR_FLAG, *GRAPH))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
    """Compare two whole documents, without counters, editor flags and fields that the platform manages."""
    graph = list(graph_differences(before, after))
    canvas, drawn_elsewhere = _canvas_differences(before, after, graph)
    return Differences((*_field_differences(before, after), *graph, *canvas), drawn_elsewhere)


def _field_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *after)):
        if name in _NO_FIELDS:
            continue
        for leaf in leaves(before.get(name), after.get(name), join_path("", name)):
            yield Difference(DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "", *leaf)


def _canvas_differences(
    before: Mapping[str, Any], after: Mapping[str, Any], graph: Iterable[Difference]
) -> tuple[list[Difference], int]:
    """Find what differs on the canvas and not in the graph, and count the nodes that are only drawn elsewhere."""
    old, new = before.get("data"), after.get("data")
    found = list(type_differences(old, new, "data", dict))
    old, new = mapping(old), mapping(new)
    known = _GraphDifferences(before, after, graph)
    old_fields, new_fields = ({name: part[name] for name in part if name not in _DRAWING} for part in (old, new))
    found += [
        Difference(DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "", *leaf)
        for leaf in leaves(old_fields, new_fields, "data")
    ]
    for name in ("nodes", "edges"):
        found += type_differences(old.get(name), new.get(name), f"data.{name}", list)
    old_nodes, new_nodes = (_by_key(each.get("nodes"), identity_of) for each in (old, new))
    found += _drawn_differences(DifferencePart.DRAWN_NODE, old_nodes, new_nodes, known)
    old_lines, new_lines = (_by_key(each.get("edges"), _ends) for each in (old, new))
    found += _drawn_differences(DifferencePart.LINE, old_lines, new_lines, known)
    in_both = new_nodes.keys() & old_nodes.keys()
    drawn_elsewhere = sum(not are_equal(_drawing(old_nodes[key]), _drawing(new_nodes[key])) for key in in_both)
    return found, drawn_elsewhere


class _GraphDifferences:
    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any], graph: Iterable[Difference]):
        self._known: dict[str, list[Difference]] = {}
        for each in graph:
            self._known.setdefault(each.node_id, []).append(each)
        self._documents = before, after

    @cached_property
    def _ways(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        before, after = self._documents
        return connections_of(before), connections_of(after)

    def has(self, kind: DifferenceKind, identity: str) -> bool:
        return any(each.kind is kind for each in self._known.get(identity, ()))

    def has_leaf(self, identity: str, leaf: Leaf) -> bool:
        """Return whether a field of the graph's node changed between the same two values."""
        return any(
            each.kind in (DifferenceKind.CHANGED, DifferenceKind.MOVED)
            and are_equal(each.before or None, leaf.before or None)
            and are_equal(each.after or None, leaf.after or None)
            for each in self._known.get(identity, ())
        )

    def has_line(self, kind: DifferenceKind, edge: Any) -> bool:
        """Return whether a line belongs to a way that was added to the graph or removed from it."""
        if not isinstance(edge, dict):
            return False
        without, having = self._ways if kind is DifferenceKind.ADDED else reversed(self._ways)
        source, target, handle, _ = _ends(edge)
        ways = ((source, target), (handle, target))
        return any(way in having for way in ways) and not any(way in without for way in ways)


def _drawn_differences(
    part: DifferencePart, old: _Keyed, new: _Keyed, known: _GraphDifferences
) -> Iterator[Difference]:
    """Compare the nodes or the lines of two canvases, and leave out what the graph's differences cause."""
    is_node = part is DifferencePart.DRAWN_NODE

    def difference(kind: DifferenceKind, key: Any, raw: Any, leaf: Leaf) -> Difference:
        identity, title = (key[0], _drawn_title(raw)) if is_node else (_line_name(raw), "")
        return Difference(kind, part, identity, title, *leaf)

    def is_known(kind: DifferenceKind, key: Any, raw: Any) -> bool:
        return known.has(kind, key[0]) if is_node else known.has_line(kind, raw)

    for key, raw in new.items():
        if key in old:
            for leaf in leaves(_content(old[key]), _content(raw)):
                if not (is_node and known.has_leaf(key[0], leaf)):
                    yield difference(DifferenceKind.CHANGED, key, raw, leaf)
        elif not is_known(DifferenceKind.ADDED, key, raw):
            yield difference(DifferenceKind.ADDED, key, raw, Leaf("", None, raw))
    for key, raw in old.items():
        if key not in new and not is_known(DifferenceKind.REMOVED, key, raw):
            yield difference(DifferenceKind.REMOVED, key, raw, Leaf("", raw, None))


def _content(raw: Any) -> JsonObject:
    if not isinstance(raw, dict):
        return {"": raw}
    return {name: value for name, value in raw.items() if name not in DRAWN}


def _drawing(raw: Any) -> JsonObject:
    return {name: value for name, value in mapping(raw).items() if name in DRAWN}


def _by_key(value: Any, key_of: Callable[[Any], Any]) -> _Keyed:
    """Return the parts of a list by their keys, each with its number among those with the same key."""
    found: _Keyed = {}
    nth: dict[Any, int] = {}
    for each in elements(value):
        key = key_of(each)
        found[(key, nth.get(key, 0))] = each
        nth[key] = nth.get(key, 0) + 1
    return found


def _ends(raw: Any) -> tuple[str, ...]:
    """Return the ends of a line, which identify it: editors change its id at will."""
    return tuple(text(mapping(raw).get(name)) for name in _ENDS)


def _line_name(raw: Any) -> str:
    source, target, *_ = _ends(raw)
    return f"{source}->{target}" if source or target else ""


def _drawn_title(raw: Any) -> str:
    return text(mapping(mapping(raw).get("data")).get("title"))


class _Key(NamedTuple):
    """The id of a node, and its number among the nodes with the same id."""

    id: str
    nth: int


_TRIGGER = _Key("", -1)
_ROOT = _Key("", -2)


@dataclass(frozen=True, slots=True)
class _Node:
    part: DifferencePart
    parent: _Key
    fields: Mapping[str, Any]

    @property
    def title(self) -> str:
        return text(self.fields.get("title"))


_Nodes = dict[_Key, _Node]


def graph_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare trigger, nodes and exits of two documents, in the order of the later one."""
    old, new = _read_nodes(before), _read_nodes(after)
    for name in ("trigger", "parsedData"):
        yield from type_differences(before.get(name), after.get(name), name, dict if name == "trigger" else list)
    for key, node in new.items():
        if key in old:
            yield from _compare_nodes(key, old[key], node)
        else:
            yield Difference(
                DifferenceKind.ADDED, node.part, _id_of(key, node), node.title, "", None, _without_exits(node)
            )
    for key, node in old.items():
        if key not in new:
            yield Difference(
                DifferenceKind.REMOVED, node.part, _id_of(key, node), node.title, "", _without_exits(node), None
            )
    yield from _compare_order(old, new)


def _read_nodes(document: Mapping[str, Any]) -> _Nodes:
    found: _Nodes = {}
    nth: dict[str, int] = {}
    todo: list[tuple[DifferencePart, _Key, Any]] = [
        (DifferencePart.NODE, _ROOT, each) for each in reversed(elements(document.get("parsedData")))
    ]
    trigger = document.get("trigger")
    if isinstance(trigger, dict):
        todo.append((DifferencePart.TRIGGER, _ROOT, trigger))
    while todo:
        part, parent, raw = todo.pop()
        if part is DifferencePart.TRIGGER:
            key = _TRIGGER
        else:
            identity = identity_of(raw)
            key = _Key(identity, nth.get(identity, 0))
            nth[identity] = key.nth + 1
        found[key] = _Node(part, parent, raw if isinstance(raw, dict) else {"": raw})
        if isinstance(raw, dict):
            todo += [(DifferencePart.EXIT, key, each) for each in reversed(elements(raw.get("subNodes")))]
    return found


def _compare_nodes(key: _Key, old: _Node, new: _Node) -> Iterator[Difference]:
    identity = _id_of(key, new)
    if old.parent != new.parent:
        yield Difference(
            DifferenceKind.MOVED,
            new.part,
            identity,
            new.title,
            "",
            _parent_name(old.parent),
            _parent_name(new.parent),
        )
    for leaf in leaves(_own_fields(key, old), _own_fields(key, new)):
        follows = leaf.path == "parentId" and old.parent != new.parent
        if not follows or (leaf.before or "", leaf.after or "") != (
            _parent_name(old.parent),
            _parent_name(new.parent),
        ):
            yield Difference(DifferenceKind.CHANGED, new.part, identity, new.title, *leaf)
    yield from type_differences(
        old.fields.get("subNodes"), new.fields.get("subNodes"), "subNodes", list, new.part, identity, new.title
    )
    for leaf in _compare_targets(old.fields.get("connections"), new.fields.get("connections")):
        yield Difference(DifferenceKind.REWIRED, new.part, identity, new.title, *leaf)


def connections_of(document: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return the ways between nodes, as pairs of ids."""
    found: set[tuple[str, str]] = set()
    for key, node in _read_nodes(document).items():
        for targets in mapping(node.fields.get("connections")).values():
            found |= {(_id_of(key, node), each) for each in texts(targets)}
    return found


def _compare_targets(old: Any, new: Any) -> Iterator[Leaf]:
    """Compare the targets of a node; a missing list is as good as an empty one."""
    if not all(each is None or isinstance(each, dict) for each in (old, new)):
        yield from leaves(old, new, "connections")
        return
    old, new = old or {}, new or {}
    for name in dict.fromkeys((*old, *new)):
        one, other = (None if each.get(name) == [] else each.get(name) for each in (old, new))
        if not are_equal(one, other):
            yield Leaf(join_path("connections", name), one, other)


def type_differences(
    old: Any,
    new: Any,
    name: str,
    wanted: type,
    part: DifferencePart = DifferencePart.WORKFLOW,
    identity: str = "",
    title: str = "",
) -> Iterator[Difference]:
    """Compare values of another type than `wanted`, as plain values."""
    one, other = (None if each is None or isinstance(each, wanted) else each for each in (old, new))
    if not are_equal(one, other):
        yield Difference(DifferenceKind.CHANGED, part, identity, title, name, one, other)


def _compare_order(old: _Nodes, new: _Nodes) -> Iterator[Difference]:
    before, after = _children(old, new), _children(new, old)
    for parent, after_keys in after.items():
        before_keys = before.get(parent, [])
        if before_keys == after_keys:
            continue
        part, identity, title = DifferencePart.WORKFLOW, "", ""
        if parent != _ROOT:
            node = new[parent]
            part, identity, title = node.part, _id_of(parent, node), node.title
        field = "parsedData" if parent == _ROOT else "subNodes"
        yield Difference(
            DifferenceKind.REORDERED,
            part,
            identity,
            title,
            field,
            [each.id for each in before_keys],
            [each.id for each in after_keys],
        )


def _children(nodes: _Nodes, others: _Nodes) -> dict[_Key, list[_Key]]:
    """Return the nodes with the same parent in both documents, in their order, by that parent."""
    found: dict[_Key, list[_Key]] = {}
    for key, node in nodes.items():
        other = others.get(key)
        if key != _TRIGGER and other is not None and other.parent == node.parent:
            found.setdefault(node.parent, []).append(key)
    return found


def _own_fields(key: _Key, node: _Node) -> JsonObject:
    left_out = {"subNodes", "connections"} | ({"id"} if key.id else set())
    return {name: value for name, value in node.fields.items() if name not in left_out}


def _without_exits(node: _Node) -> JsonObject:
    return {name: value for name, value in node.fields.items() if name != "subNodes"}


def _id_of(key: _Key, node: _Node) -> str:
    return key.id or identity_of(node.fields)


def _parent_name(parent: _Key) -> str:
    return "trigger" if parent == _TRIGGER else parent.id


def identity_of(raw: Any) -> str:
    return text(mapping(raw).get("id"))

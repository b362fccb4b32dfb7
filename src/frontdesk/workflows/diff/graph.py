"""Comparison of the graphs of two workflows as they run: trigger, nodes and exits, by id."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from frontdesk.api.contract.base import JsonObject
from frontdesk.workflows.diff.models import Difference, DifferenceKind, DifferencePart, Leaf, leaves, same, step


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
        title = self.fields.get("title")
        return title if isinstance(title, str) else ""


_Nodes = dict[_Key, _Node]


def graph_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare trigger, nodes and exits of two documents, in the order of the later one."""
    old, new = _read(before), _read(after)
    for name in ("trigger", "parsedData"):
        yield from misfit(before.get(name), after.get(name), name, dict if name == "trigger" else list)
    for key, node in new.items():
        if key in old:
            yield from _changed(key, old[key], node)
        else:
            yield Difference(
                DifferenceKind.ADDED, node.part, _id_of(key, node), node.title, "", None, _whole(node)
            )
    for key, node in old.items():
        if key not in new:
            yield Difference(
                DifferenceKind.REMOVED, node.part, _id_of(key, node), node.title, "", _whole(node), None
            )
    yield from _reordered(old, new)


def _read(document: Mapping[str, Any]) -> _Nodes:
    found: _Nodes = {}
    nth: dict[str, int] = {}
    todo: list[tuple[DifferencePart, _Key, Any]] = [
        (DifferencePart.NODE, _ROOT, each) for each in reversed(list_of(document.get("parsedData")))
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
            todo += [(DifferencePart.EXIT, key, each) for each in reversed(list_of(raw.get("subNodes")))]
    return found


def _changed(key: _Key, old: _Node, new: _Node) -> Iterator[Difference]:
    identity = _id_of(key, new)
    if old.parent != new.parent:
        yield Difference(
            DifferenceKind.MOVED, new.part, identity, new.title, "", _name(old.parent), _name(new.parent)
        )
    for leaf in leaves(_own_fields(key, old), _own_fields(key, new)):
        follows = leaf.path == "parentId" and old.parent != new.parent
        if not follows or (leaf.before or "", leaf.after or "") != (_name(old.parent), _name(new.parent)):
            yield Difference(DifferenceKind.CHANGED, new.part, identity, new.title, *leaf)
    yield from misfit(
        old.fields.get("subNodes"), new.fields.get("subNodes"), "subNodes", list, new.part, identity, new.title
    )
    for leaf in _rewired(old.fields.get("connections"), new.fields.get("connections")):
        yield Difference(DifferenceKind.REWIRED, new.part, identity, new.title, *leaf)


def ways_of(document: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The ways between nodes, as pairs of ids."""
    found: set[tuple[str, str]] = set()
    for key, node in _read(document).items():
        connections = node.fields.get("connections")
        if isinstance(connections, dict):
            for targets in connections.values():
                found |= {(_id_of(key, node), each) for each in list_of(targets) if isinstance(each, str)}
    return found


def _rewired(old: Any, new: Any) -> Iterator[Leaf]:
    """Compare the targets of a node; a missing list is as good as an empty one."""
    if not all(each is None or isinstance(each, dict) for each in (old, new)):
        yield from leaves(old, new, "connections")
        return
    old, new = old or {}, new or {}
    for name in dict.fromkeys((*old, *new)):
        one, other = (None if each.get(name) == [] else each.get(name) for each in (old, new))
        if not same(one, other):
            yield Leaf(step("connections", name), one, other)


def misfit(
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
    if not same(one, other):
        yield Difference(DifferenceKind.CHANGED, part, identity, title, name, one, other)


def _reordered(old: _Nodes, new: _Nodes) -> Iterator[Difference]:
    before, after = _children(old, new), _children(new, old)
    for parent, there in after.items():
        was = before.get(parent, [])
        if was == there:
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
            [each.id for each in was],
            [each.id for each in there],
        )


def _children(nodes: _Nodes, others: _Nodes) -> dict[_Key, list[_Key]]:
    """The nodes with the same parent in both documents, in their order, by that parent."""
    found: dict[_Key, list[_Key]] = {}
    for key, node in nodes.items():
        other = others.get(key)
        if key != _TRIGGER and other is not None and other.parent == node.parent:
            found.setdefault(node.parent, []).append(key)
    return found


def _own_fields(key: _Key, node: _Node) -> JsonObject:
    left_out = {"subNodes", "connections"} | ({"id"} if key.id else set())
    return {name: value for name, value in node.fields.items() if name not in left_out}


def _whole(node: _Node) -> JsonObject:
    return {name: value for name, value in node.fields.items() if name != "subNodes"}


def _id_of(key: _Key, node: _Node) -> str:
    return key.id or identity_of(node.fields)


def _name(parent: _Key) -> str:
    return "trigger" if parent == _TRIGGER else parent.id


def identity_of(raw: Any) -> str:
    """The id of a node, or an empty string."""
    identity = raw.get("id") if isinstance(raw, Mapping) else None
    return identity if isinstance(identity, str) else ""


def list_of(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []

"""Three-way merge of a workflow: yours and theirs against the version that both were made from. Pure.

Nodes, exits, and nodes and lines of the canvas are matched by id, everything else by its place. What only one side
changed is taken; what both changed differently is a conflict. Where nodes are drawn never is one: the platform
lays them out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from frontdesk_api.json_access import JsonObject, elements, mapping, text, texts
from frontdesk_flows.diff import DRAWN, EDITOR_FLAG, REQUEST_ONLY, SERVER_MANAGED, are_equal, join_path

_NOT_MERGED = frozenset(("id", *SERVER_MANAGED, *REQUEST_ONLY, EDITOR_FLAG))
_BY_ID = {"parsedData": "id", "subNodes": "id", "data.nodes": "id", "data.edges": "ends"}
_ENDS = ("source", "target", "sourceHandle", "targetHandle")
_ORDER = "order"


class MergeConflict(NamedTuple):
    """A place that both sides changed differently.

    Attributes:
        node_id: the node or exit it is in; empty for the workflow itself.
        field: as in a difference; empty for a whole node.
        base, mine, theirs: the values; None for nothing.
    """

    node_id: str
    title: str
    field: str
    base: Any
    mine: Any
    theirs: Any


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge; `document` is whole only without conflicts."""

    document: JsonObject
    conflicts: tuple[MergeConflict, ...]


def merge(base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Merged:
    """Merge two documents made from the same base.

    Fields that the platform manages are skipped; one that `mine` lacks at the top stays as it was.
    """
    sides = [
        {name: value for name, value in each.items() if name not in _NOT_MERGED} for each in (base, mine, theirs)
    ]
    old, own, other = sides
    own = {**old, **own}
    merger = _Merger()
    document = merger.objects(old, own, other, "")
    conflicts = list(merger.conflicts)
    if not (are_equal(own, old) or are_equal(other, old) or are_equal(own, other)):
        # A way to nowhere in the document of one side alone is as that side has it.
        conflicts += _lost_targets(document, own, other)
    in_graph = {each.node_id for each in conflicts if not each.field.startswith("data.nodes")}
    return Merged(
        document,
        tuple(
            each for each in conflicts if not (each.field.startswith("data.nodes") and each.node_id in in_graph)
        ),
    )


class _Merger:
    def __init__(self) -> None:
        self.conflicts: list[MergeConflict] = []
        self._within: list[tuple[str, str]] = [("", "")]

    def objects(
        self, base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any], path: str
    ) -> JsonObject:
        found: JsonObject = {}
        for name in dict.fromkeys((*mine, *theirs)):
            at = join_path(path, name)
            was, own, other = (each.get(name) for each in (base, mine, theirs))
            is_drawing = at == "data.viewport"
            value = _chosen((was, own, other)) if is_drawing else self._value(was, own, other, at)
            if value is not None or (name in mine and name in theirs):
                found[name] = value
        return found

    def _value(self, base: Any, mine: Any, theirs: Any, path: str) -> Any:
        if are_equal(mine, theirs) or are_equal(theirs, base):
            return mine
        if are_equal(mine, base):
            return theirs
        if isinstance(mine, dict) and isinstance(theirs, dict) and isinstance(base, dict | None):
            return self.objects(base or {}, mine, theirs, path)
        key = _BY_ID.get(path if path.startswith("data.") else path.rpartition(".")[2])
        if key is not None:
            old, own, other = (_by_key(each, key) for each in (base, mine, theirs))
            if old is not None and own is not None and other is not None:
                return self._lists(old, own, other, path)
        self._conflict(path, base, mine, theirs)
        return mine

    def _lists(self, base: "_Keyed", mine: "_Keyed", theirs: "_Keyed", path: str) -> list[JsonObject]:
        found: _Keyed = {}
        for key in dict.fromkeys((*mine, *theirs)):
            part = self._part(base.get(key), mine.get(key), theirs.get(key), path)
            if part is not None:
                found[key] = part
        orders = [[key for key in each if key in found] for each in (base, mine, theirs)]
        order = _merge_order(*orders)
        if order is None:
            if not path.startswith("data."):  # of the canvas it means nothing
                self._conflict(f"{path} {_ORDER}", *(list(map(str, each)) for each in orders))
            order = list(found)
        return [found[key] for key in order]

    def _part(
        self, base: JsonObject | None, mine: JsonObject | None, theirs: JsonObject | None, path: str
    ) -> JsonObject | None:
        """Merge a node, an exit, or a part of the canvas; None if it is gone."""
        if mine is not None and theirs is not None:
            some = mine or theirs
            self._within.append((text(some.get("id")), text(some.get("title"))))
            found = self._fields(base or {}, mine, theirs, path)
            self._within.pop()
            return found
        kept = mine if mine is not None else theirs
        if base is None:
            return kept
        if kept is None or are_equal(_content(kept), _content(base)):
            return None
        self._within.append((text(kept.get("id")), text(kept.get("title"))))
        self._conflict(path if path.startswith("data.") else "", base, mine, theirs)
        self._within.pop()
        return kept

    def _fields(self, base: JsonObject, mine: JsonObject, theirs: JsonObject, path: str) -> JsonObject:
        if not path.startswith("data."):
            return self.objects(base, mine, theirs, "")
        drawn = {
            name: _chosen([each.get(name) for each in (base, mine, theirs)])
            for name in dict.fromkeys((*mine, *theirs))
            if name in DRAWN or (name == "id" and path == "data.edges")
        }
        before = len(self.conflicts)
        own = self.objects(_content(base), _content(mine), _content(theirs), "")
        self.conflicts[before:] = [each._replace(field=f"{path}.{each.field}") for each in self.conflicts[before:]]
        names = dict.fromkeys((*mine, *theirs))
        return {
            name: drawn[name] if name in drawn else own[name] for name in names if name in drawn or name in own
        }

    def _conflict(self, field: str, base: Any, mine: Any, theirs: Any) -> None:
        self.conflicts.append(MergeConflict(*self._within[-1], field, base, mine, theirs))


_Keyed = dict[Any, JsonObject]


def _by_key(value: Any, key: str) -> _Keyed | None:
    """Return the parts of a list by their key, in order; None if they have none of their own."""
    if value is None:
        return {}
    parts = value if isinstance(value, list) else None
    if parts is None or not all(isinstance(each, dict) for each in parts):
        return None
    ids = [
        text(each.get("id")) if key == "id" else tuple(text(each.get(name)) for name in _ENDS) for each in parts
    ]
    if len(set(ids)) != len(ids) or "" in ids:
        return None
    return dict(zip(ids, parts, strict=True))


def _content(part: JsonObject) -> JsonObject:
    return {name: value for name, value in part.items() if name not in DRAWN}


def _chosen(sides: Sequence[Any]) -> Any:
    """Choose a value that may be either side's: the changed one, else the same one for both sides."""
    base, mine, theirs = sides
    if are_equal(mine, theirs) or are_equal(theirs, base):
        return mine
    return (
        theirs if are_equal(mine, base) else min(mine, theirs, key=lambda each: json.dumps(each, sort_keys=True))
    )


def _merge_order(base: list[Any], mine: list[Any], theirs: list[Any]) -> list[Any] | None:
    """Merge the orders of the parts that are kept; None if both sides sorted them differently."""
    known = set(base)
    kept = [[key for key in each if key in known] for each in (mine, theirs)]
    in_both = set(kept[0]) & set(kept[1])
    before, own, other = ([key for key in each if key in in_both] for each in (base, *kept))
    if own == other or other == before:
        skeleton = own
    elif own == before:
        skeleton = other
    else:
        return None
    # What one side removed and the other changed is a conflict, and comes last.
    skeleton += [key for key in base if key not in in_both]
    added: dict[Any, list[list[Any]]] = {}
    places = set(skeleton)
    for side in (mine, theirs):
        anchor: Any = None
        for key in side:
            if key in places:
                anchor = key
            elif key not in known:
                groups = added.setdefault(anchor, [])
                if not groups or groups[-1][0] is not side:
                    groups.append([side])
                groups[-1].append(key)
    order: list[Any] = []
    for anchor in (None, *skeleton):
        if anchor is not None:
            order.append(anchor)
        groups = sorted(
            (group[1:] for group in added.get(anchor, ())), key=lambda group: [str(each) for each in group]
        )
        for group in groups:
            order += group
    return list(dict.fromkeys(order))


def _lost_targets(
    document: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]
) -> Iterator[MergeConflict]:
    """Find ways to a node that one side removed and the other leads to."""
    ids = {text(each.get("id")) for each in _nodes(document)}
    sides = [(each, {text(node.get("id")) for node in _nodes(each)}) for each in (mine, theirs)]
    for node in _nodes(document):
        for target in texts(mapping(node.get("connections")).get("out")):
            if target in ids or not any(target in known for _, known in sides):
                continue
            ways = [_out_of(each, text(node.get("id"))) for each, _ in sides]
            yield MergeConflict(text(node.get("id")), text(node.get("title")), "connections.out", None, *ways)


def _out_of(document: Mapping[str, Any], node_id: str) -> Any:
    return next(
        (mapping(each.get("connections")).get("out") for each in _nodes(document) if each.get("id") == node_id),
        None,
    )


def _nodes(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    trigger = document.get("trigger")
    todo: list[Any] = [trigger, *elements(document.get("parsedData"))]
    for each in todo:
        if isinstance(each, dict):
            yield each
            yield from (sub for sub in elements(each.get("subNodes")) if isinstance(sub, dict))

"""Structural comparison of two documents of a workflow.

Nodes are matched by id. Nodes that are only drawn elsewhere are counted, and their order doesn't matter. The
canvas repeats the graph: a difference of the graph isn't repeated for the canvas.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from frontdesk.api.contract.base import JsonObject
from frontdesk.workflows.diff.graph import graph_differences, identity_of, list_of, misfit, ways_of
from frontdesk.workflows.diff.models import (
    DRAWN,
    EDITOR_FLAG,
    GRAPH,
    REQUEST_ONLY,
    SERVER_MANAGED,
    Difference,
    DifferenceKind,
    DifferencePart,
    Differences,
    Leaf,
    leaves,
    same,
    step,
)

__all__ = ["Difference", "DifferenceKind", "DifferencePart", "Differences", "differences"]

_Keyed = dict[tuple[Any, int], Any]

_DRAWING = ("nodes", "edges", "viewport")
_ENDS = ("source", "target", "sourceHandle", "targetHandle")
_NO_FIELDS = frozenset(("id", *SERVER_MANAGED, *REQUEST_ONLY, EDITOR_FLAG, *GRAPH))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
    """Compare two whole documents, without counters, editor flags and fields that the platform manages."""
    graph = list(graph_differences(before, after))
    canvas, drawn_elsewhere = _canvas_differences(before, after, graph)
    return Differences((*_fields(before, after), *graph, *canvas), drawn_elsewhere)


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *after)):
        if name in _NO_FIELDS:
            continue
        for leaf in leaves(before.get(name), after.get(name), step("", name)):
            yield Difference(DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "", *leaf)


def _canvas_differences(
    before: Mapping[str, Any], after: Mapping[str, Any], graph: Iterable[Difference]
) -> tuple[list[Difference], int]:
    """Find what differs on the canvas and not in the graph, and count the nodes that are only drawn elsewhere."""
    old, new = before.get("data"), after.get("data")
    found = list(misfit(old, new, "data", dict))
    old, new = (each if isinstance(each, dict) else {} for each in (old, new))
    known = _GraphDifferences(before, after, graph)
    was, is_ = ({name: part[name] for name in part if name not in _DRAWING} for part in (old, new))
    found += [
        Difference(DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "", *leaf)
        for leaf in leaves(was, is_, "data")
    ]
    for name in ("nodes", "edges"):
        found += misfit(old.get(name), new.get(name), f"data.{name}", list)
    old_nodes, new_nodes = (_keyed(each.get("nodes"), identity_of) for each in (old, new))
    found += _drawn_differences(old_nodes, new_nodes, known)
    old_lines, new_lines = (_keyed(each.get("edges"), _ends) for each in (old, new))
    found += _line_differences(old_lines, new_lines, known)
    in_both = new_nodes.keys() & old_nodes.keys()
    drawn_elsewhere = sum(not same(_drawing(old_nodes[key]), _drawing(new_nodes[key])) for key in in_both)
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
        return ways_of(before), ways_of(after)

    def has(self, kind: DifferenceKind, identity: str) -> bool:
        return any(each.kind is kind for each in self._known.get(identity, ()))

    def has_leaf(self, identity: str, leaf: Leaf) -> bool:
        """Whether a field of the graph's node changed between the same two values."""
        return any(
            each.kind in (DifferenceKind.CHANGED, DifferenceKind.MOVED)
            and same(each.before or None, leaf.before or None)
            and same(each.after or None, leaf.after or None)
            for each in self._known.get(identity, ())
        )

    def has_line(self, kind: DifferenceKind, edge: Any) -> bool:
        """Whether a line belongs to a way that was added to the graph or removed from it."""
        if not isinstance(edge, dict):
            return False
        without, having = self._ways if kind is DifferenceKind.ADDED else reversed(self._ways)
        source, target, handle, _ = _ends(edge)
        ways = ((source, target), (handle, target))
        return any(way in having for way in ways) and not any(way in without for way in ways)


def _drawn_differences(old: _Keyed, new: _Keyed, known: _GraphDifferences) -> Iterator[Difference]:
    part = DifferencePart.DRAWN_NODE
    for key, raw in new.items():
        if key in old:
            for leaf in leaves(_content(old[key]), _content(raw)):
                if not known.has_leaf(key[0], leaf):
                    yield Difference(DifferenceKind.CHANGED, part, key[0], _drawn_title(raw), *leaf)
        elif not known.has(DifferenceKind.ADDED, key[0]):
            yield Difference(DifferenceKind.ADDED, part, key[0], _drawn_title(raw), "", None, raw)
    for key, raw in old.items():
        if key not in new and not known.has(DifferenceKind.REMOVED, key[0]):
            yield Difference(DifferenceKind.REMOVED, part, key[0], _drawn_title(raw), "", raw, None)


def _line_differences(old: _Keyed, new: _Keyed, known: _GraphDifferences) -> Iterator[Difference]:
    part = DifferencePart.LINE
    for key, raw in new.items():
        if key in old:
            for leaf in leaves(_content(old[key]), _content(raw)):
                yield Difference(DifferenceKind.CHANGED, part, _line_name(raw), "", *leaf)
        elif not known.has_line(DifferenceKind.ADDED, raw):
            yield Difference(DifferenceKind.ADDED, part, _line_name(raw), "", "", None, raw)
    for key, raw in old.items():
        if key not in new and not known.has_line(DifferenceKind.REMOVED, raw):
            yield Difference(DifferenceKind.REMOVED, part, _line_name(raw), "", "", raw, None)


def _content(raw: Any) -> JsonObject:
    if not isinstance(raw, dict):
        return {"": raw}
    return {name: value for name, value in raw.items() if name not in DRAWN}


def _drawing(raw: Any) -> JsonObject:
    return {name: value for name, value in raw.items() if name in DRAWN} if isinstance(raw, dict) else {}


def _keyed(value: Any, key_of: Callable[[Any], Any]) -> _Keyed:
    """The parts of a list by their keys, each with its number among those with the same key."""
    found: _Keyed = {}
    nth: dict[Any, int] = {}
    for each in list_of(value):
        key = key_of(each)
        found[(key, nth.get(key, 0))] = each
        nth[key] = nth.get(key, 0) + 1
    return found


def _ends(raw: Any) -> tuple[str, ...]:
    """The ends of a line, which identify it: editors change its id at will."""
    parts = [raw.get(name) if isinstance(raw, dict) else None for name in _ENDS]
    return tuple(each if isinstance(each, str) else "" for each in parts)


def _line_name(raw: Any) -> str:
    source, target, *_ = _ends(raw)
    return f"{source}->{target}" if source or target else ""


def _drawn_title(raw: Any) -> str:
    data = raw.get("data") if isinstance(raw, dict) else None
    title = data.get("title") if isinstance(data, dict) else None
    return title if isinstance(title, str) else ""

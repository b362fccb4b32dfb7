"""What differs between the canvases of two workflows, and isn't told of their graphs already.

`diff.diff` calls it.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from frontdesk.api.contract.base import JsonObject
from frontdesk.workflows.diff.graph import identity_of, list_of, misfit, ways_of
from frontdesk.workflows.diff.json_values import Leaf, leaves, same
from frontdesk.workflows.diff.models import DRAWN, Difference, DifferenceKind, DifferencePart

_DRAWING = ("nodes", "edges", "viewport")


def canvas_differences(
    before: Mapping[str, Any], after: Mapping[str, Any], graph: Iterable[Difference]
) -> tuple[list[Difference], int]:
    """What differs there and isn't told of the graph, and how many nodes are only drawn otherwise."""
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
    nodes, drawn_elsewhere = _drawn(
        _keyed(old.get("nodes"), identity_of), _keyed(new.get("nodes"), identity_of), known
    )
    found += nodes
    found += _lines(_keyed(old.get("edges"), _ends), _keyed(new.get("edges"), _ends), known)
    return found, drawn_elsewhere


class _GraphDifferences:
    """What is known of the graph's differences already."""

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any], graph: Iterable[Difference]):
        self._known: dict[str, list[Difference]] = {}
        for each in graph:
            self._known.setdefault(each.node_id, []).append(each)
        self._documents = before, after

    @cached_property
    def _ways(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """Of both documents, which are walked for it only where a line came or went."""
        before, after = self._documents
        return ways_of(before), ways_of(after)

    def has(self, deed: DifferenceKind, identity: str) -> bool:
        return any(each.deed is deed for each in self._known.get(identity, ()))

    def has_leaf(self, identity: str, leaf: Leaf) -> bool:
        """Whether a field of the graph's node went from the same value to the same value."""
        return any(
            each.deed in (DifferenceKind.CHANGED, DifferenceKind.MOVED)
            and same(each.before or None, leaf.before or None)
            and same(each.after or None, leaf.after or None)
            for each in self._known.get(identity, ())
        )

    def has_line(self, deed: DifferenceKind, edge: Mapping[str, Any]) -> bool:
        """Whether a line is drawn for a way that the graph got, or lost."""
        without, having = self._ways if deed is DifferenceKind.ADDED else reversed(self._ways)
        source, target, handle, _ = _ends(edge)
        ways = ((source, target), (handle, target))
        return any(way in having for way in ways) and not any(way in without for way in ways)


def _drawn(
    old: Mapping[tuple[Any, int], Any], new: Mapping[tuple[Any, int], Any], known: _GraphDifferences
) -> tuple[list[Difference], int]:
    found: list[Difference] = []
    drawn_elsewhere = 0
    for key, each in new.items():
        identity = key[0]
        if key not in old:
            if not known.has(DifferenceKind.ADDED, identity):
                found.append(
                    Difference(
                        DifferenceKind.ADDED,
                        DifferencePart.DRAWN_NODE,
                        identity,
                        _drawn_title(each),
                        "",
                        None,
                        each,
                    )
                )
            continue
        (was, was_drawn), (is_, is_drawn) = _apart(old[key]), _apart(each)
        drawn_elsewhere += not same(was_drawn, is_drawn)
        found += [
            Difference(DifferenceKind.CHANGED, DifferencePart.DRAWN_NODE, identity, _drawn_title(each), *leaf)
            for leaf in leaves(was, is_)
            if not known.has_leaf(identity, leaf)
        ]
    for key, each in old.items():
        if key not in new and not known.has(DifferenceKind.REMOVED, key[0]):
            found.append(
                Difference(
                    DifferenceKind.REMOVED, DifferencePart.DRAWN_NODE, key[0], _drawn_title(each), "", each, None
                )
            )
    return found, drawn_elsewhere


def _lines(
    old: Mapping[tuple[Any, int], Any], new: Mapping[tuple[Any, int], Any], known: _GraphDifferences
) -> list[Difference]:
    found: list[Difference] = []
    for key, each in new.items():
        if key in old:
            (was, _), (is_, _) = _apart(old[key]), _apart(each)
            found += [
                Difference(DifferenceKind.CHANGED, DifferencePart.LINE, _line_name(each), "", *leaf)
                for leaf in leaves(was, is_)
            ]
        elif not (isinstance(each, dict) and known.has_line(DifferenceKind.ADDED, each)):
            found.append(
                Difference(DifferenceKind.ADDED, DifferencePart.LINE, _line_name(each), "", "", None, each)
            )
    for key, each in old.items():
        if key not in new and not (isinstance(each, dict) and known.has_line(DifferenceKind.REMOVED, each)):
            found.append(
                Difference(DifferenceKind.REMOVED, DifferencePart.LINE, _line_name(each), "", "", each, None)
            )
    return found


def _apart(raw: Any) -> tuple[JsonObject, JsonObject]:
    """What a thing on the canvas is, and how it is drawn."""
    if not isinstance(raw, dict):
        return {"": raw}, {}
    is_ = {name: value for name, value in raw.items() if name not in DRAWN}
    return is_, {name: value for name, value in raw.items() if name in DRAWN}


def _keyed(value: Any, key_of: Any) -> dict[tuple[Any, int], Any]:
    found: dict[tuple[Any, int], Any] = {}
    nth: dict[Any, int] = {}
    for each in list_of(value):
        key = key_of(each)
        found[(key, nth.get(key, 0))] = each
        nth[key] = nth.get(key, 0) + 1
    return found


def _ends(raw: Any) -> tuple[str, ...]:
    """A line is known by what it joins: editors give it a new id whenever they like."""
    parts = [raw.get(name) if isinstance(raw, dict) else None for name in _ENDS]
    return tuple(each if isinstance(each, str) else "" for each in parts)


_ENDS = ("source", "target", "sourceHandle", "targetHandle")


def _line_name(raw: Any) -> str:
    source, target, *_ = _ends(raw)
    return f"{source}->{target}" if source or target else ""


def _drawn_title(raw: Any) -> str:
    data = raw.get("data") if isinstance(raw, dict) else None
    title = data.get("title") if isinstance(data, dict) else None
    return title if isinstance(title, str) else ""

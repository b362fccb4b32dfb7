"""Differences between two documents of a workflow, and comparison of JSON values.

In JSON values null is as good as missing, and 1 is 1.0 but not true.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

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

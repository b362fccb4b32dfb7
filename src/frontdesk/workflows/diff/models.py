"""What a difference between two documents of a workflow is made of; and which of their fields are whose.

The modules that look for differences and those that send share it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

GRAPH = ("trigger", "parsedData", "data")
"""The parts of a graph, which are sent together (docs/interface.md, Create workflow)."""

SERVER_MANAGED = ("associatedTo", "created", "lastModified", "executionCount", "lastExecution", "analytics")
"""What the platform decides; `lastModified` is echoed, the others are never sent."""

REQUEST_ONLY = ("autoLayout", "autoClean")
"""What a body asks for and no document holds."""

EDITOR_FLAG = "selected"

DRAWN = frozenset(
    ("position", "positionAbsolute", "draggable", "dragging", "extent", "selected", "width", "height", "measured")
)
"""Of a node on the canvas: how it is drawn, which the platform lays out by itself."""


class DifferenceKind(StrEnum):
    """What happened to a part."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"
    REWIRED = "rewired"
    REORDERED = "reordered"


class DifferencePart(StrEnum):
    """What a difference is about."""

    WORKFLOW = "workflow"
    TRIGGER = "trigger"
    NODE = "node"
    EXIT = "exit"
    DRAWN_NODE = "node on the canvas"
    LINE = "line on the canvas"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        node_id: the node it is about, as it came; of a line `source->target`; empty for the workflow.
        title: the node's, as it came.
        field: what of it was changed, as `data.message`; empty where it is about the whole.
        before: the value, or the whole part without its sub-nodes; of what was moved its parent's id (empty:
            no exit of any), of what was rewired or reordered a list of ids. None where there was nothing.
        after: the same, afterwards.
    """

    deed: DifferenceKind
    part: DifferencePart
    node_id: str
    title: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Differences:
    """All that differs; false where the structure is the same.

    Attributes:
        changes: the workflow's own fields, then the trigger, the nodes in the order of the later document, those
            that were removed, and at last the canvas.
        drawn_elsewhere: how many nodes differ only in how they are drawn.
    """

    changes: tuple[Difference, ...]
    drawn_elsewhere: int = 0

    def __bool__(self) -> bool:
        return bool(self.changes)

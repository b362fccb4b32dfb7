"""Where customers are lost in a workflow, the worst first: those dropped, silent, not understood, and ways unused.

The workflows screen and `frontdesk workflows show --heat` list them.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from frontdesk.workflow_runtime.graph import FALLBACK, TIMEOUT
from frontdesk.workflows.document import Node
from frontdesk.workflows.tree.layout import Outline
from frontdesk.workflows.tree.traffic import ExitTraffic, NodeTraffic, WorkflowTraffic, share

ENOUGH = 20
"""An exit that nobody took tells something only after so many entered its node."""


class DropOff(StrEnum):
    """How customers are lost at a place."""

    DROPPED = "dropped"
    """They left the workflow at this node."""
    SILENT = "silence"
    """They didn't answer; the way for it was taken."""
    NOT_UNDERSTOOD = "fits none"
    """What they answered fitted no choice; the way for it was taken."""
    UNUSED = "never taken"
    """Nobody took this exit, though enough could have."""


class DropOffRow(NamedTuple):
    """One place where customers are lost.

    Attributes:
        node: where; `exit` is the way out of it, None where they were dropped.
        lost: how many; 0 for an exit that nobody took.
        entered: how many came to the node, None where that isn't counted.
        ends: whoever takes this exit has come to the end.
        row: where the node or the exit is drawn.
    """

    drop_off: DropOff
    node: Node
    exit: Node | None
    lost: int
    entered: int | None
    ends: bool
    row: int

    @property
    def share(self) -> float | None:
        """Of those who entered the node."""
        return share(self.lost, self.entered)


def find_drop_offs(outline: Outline, traffic: WorkflowTraffic) -> tuple[DropOffRow, ...]:
    """All places where customers are lost, the most first, exits that nobody takes last; none without traffic."""
    found = [each for node in outline.document.steps.values() for each in _of_node(outline, traffic, node)]
    found.sort(key=lambda each: (-each.lost, -(each.entered or 0), each.row))
    return tuple(found)


def _of_node(outline: Outline, traffic: WorkflowTraffic, node: Node) -> Iterator[DropOffRow]:
    counted = traffic.nodes.get(node.id, NodeTraffic())
    entered, own = counted.entered, outline.row_of[node.id]
    if counted.dropped:
        yield DropOffRow(DropOff.DROPPED, node, None, counted.dropped, entered, True, own)
    for each in node.subs:
        taken = traffic.exits.get(each.id, ExitTraffic()).taken
        drop_off = {TIMEOUT: DropOff.SILENT, FALLBACK: DropOff.NOT_UNDERSTOOD}.get(each.type)
        row, ends = outline.row_of.get(each.id, own), not each.targets
        if drop_off is not None and taken:
            yield DropOffRow(drop_off, node, each, taken, entered, ends, row)
        elif drop_off is None and not taken and (entered or 0) >= ENOUGH:
            # Of an exit that isn't counted at all nothing is known only where none of the node's is.
            known = taken is not None or any(traffic.exits.get(sub.id, ExitTraffic()).taken for sub in node.subs)
            if known:
                yield DropOffRow(DropOff.UNUSED, node, each, 0, entered, ends, row)

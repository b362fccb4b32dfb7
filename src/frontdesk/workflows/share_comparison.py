"""Comparison of a workflow's analytics at two moments, as shares: counters start at zero after a reset."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from frontdesk_flows.document import Document, Node, read_document
from frontdesk_flows.traffic import ExitTraffic, NodeTraffic, TrafficState, WorkflowTraffic, measure_traffic, share

MIN_CUSTOMERS = 30
"""Shares of fewer customers may differ by chance alone."""


class ShareMeasure(StrEnum):
    """Measures that are compared as shares."""

    COMPLETED = "completed"
    DROPPED = "dropped"
    """Of all that started."""
    REACHED = "reached"
    """Those who entered a node, of all that started."""
    LEFT = "dropped here"
    """Of those who entered a node."""
    TAKEN = "taken"
    """Those who took an exit, of those who entered its node."""


class Share(NamedTuple):
    """A count and its whole; None if unknown."""

    number: int | None
    of: int | None

    @property
    def share(self) -> float | None:
        return share(self.number, self.of)

    @property
    def is_few(self) -> bool:
        return (self.of or 0) < MIN_CUSTOMERS


class ShareChange(NamedTuple):
    """A share of a workflow, a node or an exit before and after; None if it isn't in that graph."""

    measure: ShareMeasure
    node: Node | None
    exit: Node | None
    before: Share | None
    after: Share | None

    @property
    def points(self) -> float | None:
        """The growth of the share, as a part of 1; None if one of both isn't known."""
        if self.before is None or self.after is None:
            return None
        before, after = self.before.share, self.after.share
        return None if before is None or after is None else after - before

    @property
    def is_few(self) -> bool:
        return any(each is not None and each.is_few for each in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The analytics of a workflow at two moments.

    Attributes:
        changes: of nodes and exits, those that differ most first.
        same: how many known shares didn't differ.
    """

    before: WorkflowTraffic
    after: WorkflowTraffic
    totals: tuple[ShareChange, ...]
    changes: tuple[ShareChange, ...]
    same: int
    has_counts: bool

    @property
    def is_comparable(self) -> bool:
        return self.before.state is TrafficState.SHOWN and self.after.state is TrafficState.SHOWN


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Compare two documents of a workflow with their analytics; a canvas isn't needed."""
    documents = read_document(before), read_document(after)
    traffics = measure_traffic(documents[0]), measure_traffic(documents[1])
    totals = (
        _change(ShareMeasure.COMPLETED, *(Share(each.completed, each.started) for each in traffics)),
        _change(ShareMeasure.DROPPED, *(Share(each.dropped, each.started) for each in traffics)),
    )
    parts = [dict(_shares(document, traffic)) for document, traffic in zip(documents, traffics, strict=True)]
    found: list[ShareChange] = []
    same = 0
    for key in parts[1] | parts[0]:
        shares = [each.get(key) for each in parts]
        node, own = next((node, own) for each in reversed(shares) if each is not None for node, own, _ in [each])
        change = ShareChange(key[0], node, own, *(None if each is None else each[2] for each in shares))
        if change.points == 0:
            same += 1
        elif any(each.share for each in (change.before, change.after) if each is not None):
            found.append(change)
    # The order of the document stays among equals, so that a node's exits stand together.
    found.sort(key=lambda each: (each.points is None, -abs(each.points or 0.0)))
    counts = [traffics[1].started, *(part.number for each in totals if (part := each.after) is not None)]
    has_counts = any(counts) or any(part.number for _, _, part in parts[1].values())
    return Comparison(traffics[0], traffics[1], totals, tuple(found), same, has_counts)


_Key = tuple[ShareMeasure, str, str]
_CountedPart = tuple[Node, Node | None, Share]


def _shares(document: Document, traffic: WorkflowTraffic) -> Iterator[tuple[_Key, _CountedPart]]:
    for node in document.steps.values():
        counted = traffic.nodes.get(node.id, NodeTraffic())
        yield (ShareMeasure.REACHED, node.id, ""), (node, None, Share(counted.entered, traffic.started))
        yield (ShareMeasure.LEFT, node.id, ""), (node, None, Share(counted.dropped, counted.entered))
        for each in node.subs:
            taken = traffic.exits.get(each.id, ExitTraffic()).taken
            yield (ShareMeasure.TAKEN, node.id, each.id), (node, each, Share(taken, counted.entered))


def _change(measure: ShareMeasure, before: Share, after: Share) -> ShareChange:
    return ShareChange(measure, None, None, before, after)

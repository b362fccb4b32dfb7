"""The traffic of a workflow on its nodes and exits, from `analytics` (docs/interface.md, Analytics).

What isn't counted is None, never zero. Invalid and contradictory counters are kept as anomalies.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from frontdesk_api.json_access import mapping
from frontdesk_api.json_access import number as json_number
from frontdesk_flows.checks.models import problem
from frontdesk_flows.document import Document, Node, edge_ends
from frontdesk_flows.graph import FALLBACK, TIMEOUT
from frontdesk_flows.tree_layout import Outline, follows_own_target
from frontdesk_lines.display_text import SafeText

MAX_ANOMALIES = 100
"""Anomalies beyond these are only counted."""

MAX_COUNT = 10**15
"""A larger counter is invalid."""


class TrafficPeriod(StrEnum):
    """Periods for which a workflow's traffic is counted."""

    RESET = "since the last reset"
    YESTERDAY = "since yesterday"
    UPDATE = "since the update"
    EVER = "ever"


@dataclass(frozen=True, slots=True)
class CountedPeriod:
    """The counters of a period.

    Attributes:
        since: the sample it begins with; None for the platform's own counters, which begin with the last reset.
        reaches_back: False if the samples begin later than the period.
        resets: how many resets were seen in it; what was counted before them is in it.
    """

    period: TrafficPeriod
    analytics: Mapping[str, Any] | None
    since: float | None = None
    reaches_back: bool = True
    resets: int = 0


class TrafficState(StrEnum):
    """States of a workflow's traffic: known, or why not."""

    SHOWN = "shown"
    NOT_ON_PLAN = "not on this plan"
    """A whole document without analytics: the plan lacks them (docs/interface.md, Workflow)."""
    NOT_LOADED = "not loaded"
    NOT_SAMPLED = "no counters kept here for this period yet"


class NodeTraffic(NamedTuple):
    """The counters of a node; None if not counted.

    Attributes:
        participation: entered as a share of all that were started.
        dropped: `exitedCount`.
        still_here: entered less completed and dropped, as counted now, whatever the period.
        onward: over its own way, if that counts.
    """

    entered: int | None = None
    completed: int | None = None
    dropped: int | None = None
    still_here: int | None = None
    participation: float | None = None
    dropped_share: float | None = None
    onward: int | None = None


class ExitTraffic(NamedTuple):
    """The times an exit was taken, by `buttonStats` and `edgeStats`, also as a share of its node's customers."""

    taken: int | None = None
    share: float | None = None
    clicks: int | None = None
    traversals: int | None = None


class TrafficAnomaly(NamedTuple):
    """An invalid or impossible counter; `node_id` is empty if it is the workflow's."""

    node_id: str
    words: SafeText


@dataclass(frozen=True, slots=True)
class WorkflowTraffic:
    """The traffic of a workflow; None for what isn't counted.

    Attributes:
        updated_at: when the platform counted last, in a unit that the interface doesn't state.
        anomalies: the first of them; `anomaly_count` counts all.
        is_period: counted of a period, in which customers who had started before it end as well.
    """

    state: TrafficState
    started: int | None = None
    completed: int | None = None
    dropped: int | None = None
    updated_at: float | None = None
    nodes: Mapping[str, NodeTraffic] = field(default_factory=dict)
    exits: Mapping[str, ExitTraffic] = field(default_factory=dict)
    anomalies: tuple[TrafficAnomaly, ...] = ()
    anomaly_count: int = 0
    is_period: bool = False

    @property
    def in_progress(self) -> int | None:
        """Started less completed and dropped, never below zero; None for a period, which doesn't tell."""
        if self.is_period or self.started is None or self.completed is None or self.dropped is None:
            return None
        return max(0, self.started - self.completed - self.dropped)

    @property
    def conversion(self) -> float | None:
        """Completed as a share of started; None also if nobody started."""
        return share(self.completed, self.started)


NOT_LOADED = WorkflowTraffic(TrafficState.NOT_LOADED)


def measure_traffic(document: Document) -> WorkflowTraffic:
    """Return the traffic of a whole document; one of a minimal list has `NOT_LOADED`."""
    analytics = document.raw.get("analytics")
    if analytics is None:
        return WorkflowTraffic(TrafficState.NOT_ON_PLAN)
    return _TrafficReader(document, analytics).traffic()


def measure_period(document: Document, counted: CountedPeriod) -> WorkflowTraffic:
    if document.raw.get("analytics") is not None and counted.analytics is None:
        return WorkflowTraffic(TrafficState.NOT_SAMPLED)
    found = measure_traffic(replace(document, raw={**document.raw, "analytics": counted.analytics}))
    if counted.period is TrafficPeriod.RESET:
        return found
    now = measure_traffic(document).nodes
    nodes = {
        identity: each._replace(still_here=now[identity].still_here) for identity, each in found.nodes.items()
    }
    return replace(found, nodes=nodes, is_period=True)


def share(part: float | None, whole: float | None) -> float | None:
    """Return a part of a whole; None if one isn't known, or the whole is zero."""
    return None if part is None or not whole else part / whole


class _Edges(NamedTuple):
    """Counted ways between two nodes: under the plain key, and by handle."""

    plain: list[int]
    by_handle: dict[str, int]

    @property
    def total(self) -> int:
        return max(sum(self.plain), sum(self.by_handle.values()))


Edges = Mapping[tuple[str, str], _Edges]
"""By the ids of source and target."""


class _TrafficReader:
    def __init__(self, document: Document, analytics: object):
        self._document = document
        self._analytics = mapping(analytics)
        self._anomalies: list[TrafficAnomaly] = []
        self._anomaly_count = 0
        if not isinstance(analytics, dict):
            self._note_anomaly("", "the analytics aren't an object")
        self._known_ids = document.steps.keys() | document.sub_ids
        if document.trigger is not None:
            self._known_ids.add(document.trigger.id)

    def traffic(self) -> WorkflowTraffic:
        started, completed, dropped = (
            self._count(self._analytics, name, "") for name in ("totalStarted", "totalCompleted", "totalDropped")
        )
        if started is not None and (completed or 0) + (dropped or 0) > started:
            words = f"{completed or 0:,} completed and {dropped or 0:,} dropped, but only {started:,} started"
            self._note_anomaly("", words)
        entries = {name: self._entries(name) for name in ("nodeStats", "edgeStats", "buttonStats")}
        clicks = dict(self._clicks(entries["buttonStats"]))
        edges = self._edges(entries["edgeStats"])
        nodes: dict[str, NodeTraffic] = {}
        exits: dict[str, ExitTraffic] = {}
        for node in self._document.steps.values():
            traffic = self._node(node, entries["nodeStats"].get(node.id), started, edges)
            nodes[node.id] = traffic
            for identity, found in self._exits(node, traffic, clicks, edges):
                exits.setdefault(identity, found)
        for key in entries["nodeStats"]:
            if key not in self._known_ids:
                self._note_anomaly(key, "{} has counts but isn't in the graph", key)
        updated = self._analytics.get("lastUpdated")
        return WorkflowTraffic(
            TrafficState.SHOWN,
            started,
            completed,
            dropped,
            updated if isinstance(updated, int | float) and 0 < updated < MAX_COUNT else None,
            nodes,
            exits,
            tuple(self._anomalies),
            self._anomaly_count,
        )

    def _entries(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        found = self._analytics.get(name)
        if found is not None and not isinstance(found, dict):
            self._note_anomaly("", f"{name} isn't an object")
        kept = {}
        for key, value in mapping(found).items():
            if isinstance(value, dict):
                kept[key] = value
            else:
                self._note_anomaly(key if key in self._known_ids else "", f"{name} of {{}} isn't an object", key)
        return kept

    def _node(self, node: Node, stats: Mapping[str, Any] | None, started: int | None, edges: Edges) -> NodeTraffic:
        counted = stats or {}
        entered, completed, dropped = (
            self._count(counted, name, node.id) for name in ("enteredCount", "completedCount", "exitedCount")
        )
        still = None
        if entered is not None:
            left = entered - (completed or 0) - (dropped or 0)
            if left < 0:
                lost = f"{completed or 0:,} completed and {dropped or 0:,} dropped"
                self._note_anomaly(node.id, f"{{}}: {lost}, but only {entered:,} entered", node.id)
            if completed is not None and dropped is not None:
                still = max(0, left)
        onward = None
        if follows_own_target(node) and node.targets:
            found = edges.get((node.id, node.targets[0].id))
            onward = None if found is None else found.total
            if onward is not None and entered is not None and onward > entered:
                self._note_anomaly(node.id, f"{{}}: {onward:,} continued, but only {entered:,} entered", node.id)
        return NodeTraffic(
            entered, completed, dropped, still, share(entered, started), share(dropped, entered), onward
        )

    def _exits(
        self, node: Node, traffic: NodeTraffic, clicks: Mapping[str, int], edges: Edges
    ) -> Iterator[tuple[str, ExitTraffic]]:
        """Count the exits of a node; an edge of the node alone counts for the only exit that leads there."""
        leading = Counter(each.id for sub in node.subs for each in sub.targets[:1])
        through = 0
        for own in node.subs:
            clicked = clicks.get(own.id)
            traversed = None
            for target in own.targets[:1]:
                is_only = leading[target.id] == 1 and not follows_own_target(node)
                traversed = _count_traversals(
                    own.id, edges.get((own.id, target.id)), edges.get((node.id, target.id)), is_only
                )
            if clicked is not None and traversed is not None and traversed > clicked:
                words = f"{{}}: {traversed:,} continued, but only {clicked:,} took this exit"
                self._note_anomaly(own.id, words, own.id)
            taken = clicked if clicked is not None else traversed
            through += taken or 0
            yield own.id, ExitTraffic(taken, share(taken, traffic.entered), clicked, traversed)
        if traffic.entered is not None and through > traffic.entered:
            self._note_anomaly(
                node.id, f"{{}}: {through:,} took an exit, but only {traffic.entered:,} entered", node.id
            )

    def _clicks(self, stats: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
        for key, value in stats.items():
            named = value.get("subNodeId")
            identity = named if isinstance(named, str) else key
            if identity not in self._known_ids:
                self._note_anomaly("", "{} has counts but isn't in the graph", identity)
            count = self._count(value, "clickCount", identity)
            if count is not None:
                yield identity, count

    def _edges(self, stats: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, str], _Edges]:
        found: dict[tuple[str, str], _Edges] = {}
        for key, value in stats.items():
            ends = edge_ends(key, value, self._known_ids)
            if ends is None or ends[0] not in self._known_ids or ends[1] not in self._known_ids:
                self._note_anomaly("", "the edge {} has counts but isn't in the graph", key)
                continue
            count = self._count(value, "traversalCount", ends[0])
            if count is None:
                continue
            edges = found.setdefault(ends, _Edges([], {}))
            handle = key[len(ends[0]) + len(ends[1]) + 3 :] if key.startswith(f"{ends[0]}->{ends[1]}:") else ""
            named = value.get("sourceHandle")
            if not handle and isinstance(named, str) and named in self._document.sub_ids:
                handle = named
            if handle:
                edges.by_handle[handle] = edges.by_handle.get(handle, 0) + count
            else:
                edges.plain.append(count)
        return found

    def _count(self, stats: Mapping[str, Any], name: str, about: str) -> int | None:
        """Return a counter; None if missing or invalid, which is noted."""
        value = stats.get(name)
        if value is None:
            return None
        if type(value) is int and 0 <= value <= MAX_COUNT:
            return value
        if type(value) is float and 0 <= value <= MAX_COUNT and value.is_integer():
            return int(value)
        words = f"{name}{' of {}' if about else ''} isn't a valid count"
        self._note_anomaly(about, words, *([about] if about else []))
        return None

    def _note_anomaly(self, about: str, sentence: str, *outside: str) -> None:
        self._anomaly_count += 1
        if len(self._anomalies) >= MAX_ANOMALIES:
            return
        self._anomalies.append(TrafficAnomaly(about, problem("", about, sentence, *outside).words))


def _count_traversals(exit_id: str, own: _Edges | None, of_node: _Edges | None, is_only: bool) -> int | None:
    if own is not None or of_node is None:
        return None if own is None else own.total
    return of_node.by_handle.get(exit_id, of_node.total if is_only else None)


class Loss(NamedTuple):
    """The customers that a workflow has dropped, and the node at which most of them were.

    Attributes:
        started: None if not counted.
        node: None if none was counted at a node.
        is_least: the samples don't reach back to the beginning of the period.
    """

    customers: int
    started: int | None = None
    node: Node | None = None
    at_node: int = 0
    is_least: bool = False

    @property
    def share(self) -> float | None:
        return share(self.customers, self.started)


def find_loss(document: Document, traffic: WorkflowTraffic, counted: CountedPeriod | None = None) -> Loss | None:
    """Return what a workflow has lost; None if that isn't known, as when nothing was counted since a reset."""
    if traffic.dropped is None:
        return None
    ran = json_number(document.raw.get("executionCount"))
    if not traffic.is_period and not traffic.started and ran:
        return None
    most = max(traffic.nodes.items(), key=lambda each: each[1].dropped or 0, default=None)
    at_node = 0 if most is None else most[1].dropped or 0
    node = None if most is None or not at_node else document.steps[most[0]]
    is_least = counted is not None and not counted.reaches_back
    return Loss(traffic.dropped, traffic.started, node, at_node, is_least)


MIN_ENTERED = 20


class DropOff(StrEnum):
    """Kinds of drop-offs."""

    DROPPED = "dropped"
    """Customers left the workflow at this node, without completing it."""
    SILENT = "no answer"
    """Customers didn't answer; the way for it was taken, so that they go on or have completed."""
    NOT_UNDERSTOOD = "no match"
    """An answer fitted no choice; the way for it was taken."""
    UNUSED = "never taken"
    """Nobody took this exit, though enough could have."""


class DropOffRow(NamedTuple):
    """A node that customers dropped out at, or an exit that they took without an answer that fits, or never.

    Attributes:
        exit: None if they were dropped at the node.
        customers: 0 for an exit that nobody took.
        entered: None if not counted.
        ends: whether the exit leads nowhere: who takes it has completed the workflow.
        row: where the node or the exit is drawn.
    """

    drop_off: DropOff
    node: Node
    exit: Node | None
    customers: int
    entered: int | None
    ends: bool
    row: int

    @property
    def share(self) -> float | None:
        return share(self.customers, self.entered)


def find_drop_offs(outline: Outline, traffic: WorkflowTraffic) -> tuple[DropOffRow, ...]:
    """Find all drop-offs, the largest first, then the exits that others took, unused ones last.

    None without traffic.
    """
    found = [each for node in outline.document.steps.values() for each in _drop_offs_of(outline, traffic, node)]
    found.sort(key=lambda each: (-each.customers, -(each.entered or 0), each.row))
    found.sort(key=lambda each: each.drop_off is not DropOff.DROPPED)
    return tuple(found)


def _drop_offs_of(outline: Outline, traffic: WorkflowTraffic, node: Node) -> Iterator[DropOffRow]:
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
        elif drop_off is None and not taken and (entered or 0) >= MIN_ENTERED:
            # An exit without a counter is unknown only if none of the node's exits has one.
            known = taken is not None or any(traffic.exits.get(sub.id, ExitTraffic()).taken for sub in node.subs)
            if known:
                yield DropOffRow(DropOff.UNUSED, node, each, 0, entered, ends, row)

"""Stored workflows analyzed: rows, traffic and findings, with the references that a check needs.

Documents may be megabytes: `ProfileStore.read_in_background` runs this on a reading thread.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import apsw

from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.storage import record_lookup
from frontdesk.storage.records import Json
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.counter_samples import TOTALS, count_period
from frontdesk_api import json_access
from frontdesk_api.contract.ids import LineId, WorkflowId
from frontdesk_flows.checks.models import Finding, References, Rule
from frontdesk_flows.checks.run import check, find_skipped_rules
from frontdesk_flows.document import read_document
from frontdesk_flows.graph import Graph, read_graph
from frontdesk_flows.traffic import (
    CountedPeriod,
    Loss,
    TrafficPeriod,
    WorkflowTraffic,
    find_loss,
    measure_period,
    measure_traffic,
)
from frontdesk_flows.tree_layout import Outline, TreeRow, outline_of, raw_at


@dataclass(frozen=True, slots=True)
class WorkflowAnalysis:
    """A workflow as a screen shows it.

    Attributes:
        keys: one per row, the same for the same row when the document is read again.
        position_of: the number of each row by its key.
        found_at: findings by row.
        skipped_rules: rules that need more than is known of the account.
        counted: the period of the traffic; None: as the platform counts.
    """

    workflow_id: WorkflowId
    raw: Json
    outline: Outline
    traffic: WorkflowTraffic
    findings: tuple[Finding, ...]
    keys: tuple[str, ...]
    position_of: Mapping[str, int]
    found_at: Mapping[int, tuple[Finding, ...]]
    skipped_rules: tuple[Rule, ...] = ()
    counted: CountedPeriod | None = None

    @property
    def loss(self) -> Loss | None:
        return find_loss(self.outline.document, self.traffic, self.counted)

    def row(self, key: str) -> TreeRow:
        return self.outline.rows[self.position_of[key]]

    def raw_at(self, key: str) -> object:
        """Return the part of the document at this row; None if there is none."""
        path = self.row(key).path
        return raw_at(self.raw, path) if path else None

    def key_of(self, finding: Finding) -> str | None:
        """Return the row of a finding; None if it is about the whole workflow."""
        position = find_position(self.outline, finding)
        return None if position is None else self.keys[position]


def analyze_workflow(
    db: apsw.Connection, workflow_id: WorkflowId, period: TrafficPeriod = TrafficPeriod.RESET, now: float = 0.0
) -> WorkflowAnalysis | None:
    """Analyze a stored workflow with its traffic of a period; None if its whole document isn't stored."""
    raw = _whole(db, workflow_id)
    if raw is None:
        return None
    known = load_references(raw, db)
    found = build_analysis(workflow_id, raw, check(raw, known=known), find_skipped_rules(known))
    counted = count_period(db, workflow_id, raw, period, now)
    if period is TrafficPeriod.RESET:
        return replace(found, counted=counted)
    return replace(found, counted=counted, traffic=measure_period(found.outline.document, counted))


def build_analysis(
    workflow_id: WorkflowId, raw: Json, findings: Sequence[Finding], skipped_rules: Sequence[Rule] = ()
) -> WorkflowAnalysis:
    outline = outline_of(raw)
    found_at: dict[int, tuple[Finding, ...]] = {}
    for each in findings:
        if (position := find_position(outline, each)) is not None:
            found_at[position] = (*found_at.get(position, ()), each)
    keys = row_keys(outline.rows)
    return WorkflowAnalysis(
        workflow_id=workflow_id,
        raw=raw,
        outline=outline,
        traffic=measure_traffic(outline.document),
        findings=tuple(findings),
        keys=keys,
        position_of={key: position for position, key in enumerate(keys)},
        found_at=found_at,
        skipped_rules=tuple(skipped_rules),
    )


class WorkflowCheck(NamedTuple):
    """What the check of a stored workflow finds, and what it has lost in a period, if that is known."""

    findings: tuple[Finding, ...]
    loss: Loss | None


def check_stored(
    db: apsw.Connection, workflow_id: WorkflowId, period: TrafficPeriod = TrafficPeriod.RESET, now: float = 0.0
) -> WorkflowCheck | None:
    """Check a stored workflow; None if its whole document isn't stored."""
    raw = _whole(db, workflow_id)
    if raw is None:
        return None
    document, counted = read_document(raw), count_period(db, workflow_id, raw, period, now)
    loss = find_loss(document, measure_period(document, counted), counted)
    return WorkflowCheck(check(raw, known=load_references(raw, db)), loss)


def row_keys(rows: Sequence[TreeRow]) -> tuple[str, ...]:
    """Return a key for each row: its content and parent, numbered if it occurs more than once."""
    seen: dict[str, int] = {}
    keys = []
    for row in rows:
        what = row.id or row.target or row.title.partition(" (")[0]
        key = "\n".join((row.kind, row.parent_id, what))
        nth = seen[key] = seen.get(key, 0) + 1
        keys.append(f"{key}\n{nth}")
    return tuple(keys)


def find_position(outline: Outline, finding: Finding) -> int | None:
    """Return the number of the row of a finding, by its node id, else by its path."""
    position = outline.row_of.get(finding.node_id) if finding.node_id else None
    return outline.row_at(finding.path) if position is None else position


def _whole(db: apsw.Connection, workflow_id: str) -> Json | None:
    text = workflow_store.text(db, workflow_id)
    raw = None if text is None else json.loads(text)
    return raw if isinstance(raw, dict) else None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A workflow's whole document from the store.

    Attributes:
        raw: None if missing or damaged.
        problem: why it isn't the workflow as the platform has it now; empty if it is, as far as the list says.
        is_stale: the list says that the workflow has changed since.
    """

    raw: Mapping[str, Any] | None
    problem: str = ""
    is_stale: bool = False


def load_references(
    raw: Mapping[str, Any],
    db: apsw.Connection,
    *,
    workflow_ids: Iterable[str] | None = None,
    more_exist: bool | None = None,
) -> References:
    """Load the facts that a check needs and a workflow's document doesn't have.

    Args:
        workflow_ids: the listed workflows; None: as the store says.
        more_exist: whether that list is incomplete, so that no pointer is known to lead nowhere; None: likewise.
    """
    if workflow_ids is None:
        workflow_ids = [each.document_id for each in record_lookup.all_of(db, record_lookup.WORKFLOW)]
    line = json_access.text(raw.get("associatedToBusinessId")) or json_access.text(
        raw.get("associatedToPlatformId")
    )
    platform = record_lookup.platform_of_line(db, LineId(line)) if line else ""
    scheduled: dict[str, tuple[str, ...]] = {}
    for campaign in campaign_store.watched(db):
        workflow_id = json_access.text(campaign.raw.get("workflowId"))
        if campaign.status == "scheduled" and workflow_id:
            name = campaign.name or campaign.campaign_id
            scheduled[workflow_id] = (*scheduled.get(workflow_id, ()), name)
    is_complete = not (workflow_store.has_more(db) if more_exist is None else more_exist)
    # Without a platform nothing is known of the line's channel, which is not the same as a channel that fits.
    channels = {line: platform} if platform else None if line else {}
    ids = frozenset(workflow_ids) if is_complete else None
    return References(
        ids,
        channels,
        scheduled,
        partial(_stored_graph, db),
        partial(_active_on, db),
        partial(workflow_store.is_pointed_to, db),
    )


def _stored_graph(db: apsw.Connection, workflow_id: str) -> Graph | None:
    raw = _whole(db, workflow_id)
    return None if raw is None else read_graph(raw)


def _active_on(db: apsw.Connection, line: str) -> Iterator[Graph]:
    """Yield the active workflows of a line with their triggers alone; one that was never read whole has none."""
    for each in workflow_store.listing(db).records:
        if each.is_active and each.line_id == line:
            trigger = workflow_store.trigger(db, each.workflow_id)
            yield read_graph({**each.raw, "id": each.workflow_id, "name": each.label, "trigger": trigger})


@dataclass(frozen=True, slots=True)
class Dependents:
    """Who depends on a workflow that is on, as far as it is known here.

    Attributes:
        running, scheduled: names of the followed campaigns that start it now, or will.
        followed: how many campaigns are followed; None without a store.
        campaigns_at: when the one of the running ones that was read first was read.
        customers: started and not at an end; None if not counted.
        is_least: counters were reset since, so that those who started before aren't among the customers.
        counted_at: when these were read; None for just now.
    """

    running: tuple[str, ...] = ()
    scheduled: tuple[str, ...] = ()
    followed: int | None = None
    campaigns_at: float | None = None
    customers: int | None = None
    is_least: bool = False
    counted_at: float | None = None


def find_dependents(
    stored: Mapping[str, Any], db: apsw.Connection | None, counted_at: float | None = None
) -> Dependents:
    analytics = json_access.mapping(stored.get("analytics"))
    started, completed, dropped = (json_access.number(analytics.get(name)) for name in TOTALS)
    customers = None
    if started is not None and completed is not None and dropped is not None:
        customers = max(0, int(started - completed - dropped))
    is_least = started is not None and (json_access.number(stored.get("executionCount")) or 0) > started
    counted = Dependents(customers=customers, is_least=is_least, counted_at=counted_at)
    if db is None:
        return counted
    campaigns = campaign_store.watched(db)
    starting = [each for each in campaigns if each.raw.get("workflowId") == stored.get("id")]
    running = [each for each in starting if each.status in ("pending", "inProgress")]
    scheduled = tuple(each.name or each.campaign_id for each in starting if each.status == "scheduled")
    return replace(
        counted,
        running=tuple(each.name or each.campaign_id for each in running),
        scheduled=scheduled,
        followed=len(campaigns),
        campaigns_at=min((each.read_at for each in running if each.read_at is not None), default=None),
    )


def stored_document(workflow_id: str, db: apsw.Connection) -> StoredDocument:
    """Return a workflow's whole document as it was read last. Megabytes: never on a screen's loop."""
    record = next((each for each in workflow_store.listing(db).records if each.workflow_id == workflow_id), None)
    text = workflow_store.text(db, workflow_id)
    if record is None:
        return StoredDocument(None, "it isn't in the workflow list")
    if text is None:
        read_problem = workflow_store.read_problem(db)
        return StoredDocument(None, read_problem or "it hasn't been loaded yet")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = None
    if not isinstance(raw, dict):
        return StoredDocument(None, "its stored copy can't be read")
    problem = "its stored copy is out of date" if record.is_stale else ""
    return StoredDocument(raw, problem, record.is_stale)

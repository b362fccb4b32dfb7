"""A stored workflow prepared for a screen: rows, traffic and findings.

Documents may be megabytes: `ProfileStore.read_in_background` runs this on a reading thread.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import apsw

from frontdesk.api.contract.ids import WorkflowId
from frontdesk.storage.records import Json
from frontdesk.workflows.checks.finding import Finding, References, Rule
from frontdesk.workflows.checks.known_references import load_references
from frontdesk.workflows.checks.run import check, not_applied
from frontdesk.workflows.store import workflows as workflow_store
from frontdesk.workflows.tree.layout import Outline, TreeRow, outline_of, raw_at
from frontdesk.workflows.tree.traffic import WorkflowTraffic, measure_traffic


@dataclass(frozen=True, slots=True)
class WorkflowAnalysis:
    """A workflow as a screen shows it.

    Attributes:
        keys: one per row, the same for the same row when the document is read again.
        place_of: rows by key.
        found_at: findings by row.
        elsewhere: findings about no row.
        not_looked_for: rules that need more than is known of the account.
    """

    workflow_id: WorkflowId
    raw: Json
    outline: Outline
    traffic: WorkflowTraffic
    findings: tuple[Finding, ...]
    keys: tuple[str, ...]
    place_of: Mapping[str, int]
    found_at: Mapping[int, tuple[Finding, ...]]
    elsewhere: tuple[Finding, ...]
    not_looked_for: tuple[Rule, ...] = ()

    def row(self, key: str) -> TreeRow:
        return self.outline.rows[self.place_of[key]]

    def raw_at(self, key: str) -> object:
        """The part of the document at this row; None if there is none."""
        path = self.row(key).path
        return raw_at(self.raw, path) if path else None

    def key_of(self, finding: Finding) -> str | None:
        """The row of a finding; None if it is about the whole workflow."""
        place = place_of(self.outline, finding)
        return None if place is None else self.keys[place]


def analyze_workflow(db: apsw.Connection, workflow_id: WorkflowId) -> WorkflowAnalysis | None:
    """Analyze a stored workflow; None if its whole document isn't stored."""
    raw = _whole(db, workflow_id)
    if raw is None:
        return None
    known = _known(db, raw)
    return build_analysis(workflow_id, raw, check(raw, known=known), not_applied(known))


def build_analysis(
    workflow_id: WorkflowId, raw: Json, findings: Sequence[Finding], not_looked_for: Sequence[Rule] = ()
) -> WorkflowAnalysis:
    """Combine a document with its findings."""
    outline = outline_of(raw)
    found_at: dict[int, tuple[Finding, ...]] = {}
    elsewhere = []
    for each in findings:
        place = place_of(outline, each)
        if place is None:
            elsewhere.append(each)
        else:
            found_at[place] = (*found_at.get(place, ()), each)
    keys = row_keys(outline.rows)
    return WorkflowAnalysis(
        workflow_id=workflow_id,
        raw=raw,
        outline=outline,
        traffic=measure_traffic(outline.document),
        findings=tuple(findings),
        keys=keys,
        place_of={key: place for place, key in enumerate(keys)},
        found_at=found_at,
        elsewhere=tuple(elsewhere),
        not_looked_for=tuple(not_looked_for),
    )


def findings_in(db: apsw.Connection, workflow_id: WorkflowId) -> tuple[Finding, ...] | None:
    """Check a stored workflow; None if its whole document isn't stored."""
    raw = _whole(db, workflow_id)
    return None if raw is None else check(raw, known=_known(db, raw))


def row_keys(rows: Sequence[TreeRow]) -> tuple[str, ...]:
    """A key for each row: its content and parent, numbered if it occurs more than once."""
    seen: dict[str, int] = {}
    keys = []
    for row in rows:
        what = row.id or row.target or row.title.partition(" (")[0]
        key = "\n".join((row.kind, row.parent_id, what))
        nth = seen[key] = seen.get(key, 0) + 1
        keys.append(f"{key}\n{nth}")
    return tuple(keys)


def place_of(outline: Outline, finding: Finding) -> int | None:
    """The row of a finding, by its node id, else by its path."""
    place = outline.row_of.get(finding.node_id) if finding.node_id else None
    return outline.row_at(finding.path) if place is None else place


def _whole(db: apsw.Connection, workflow_id: WorkflowId) -> Json | None:
    text = workflow_store.text(db, workflow_id)
    raw = None if text is None else json.loads(text)
    return raw if isinstance(raw, dict) else None


def _known(db: apsw.Connection, raw: Json) -> References:
    listed = [each.workflow_id for each in workflow_store.listing(db).records]
    return load_references(raw, listed, db)

"""A stored workflow made ready to be looked at: its rows, its traffic, what the check found, and where.

Done on a thread that only reads: a document may be megabytes. `ProfileStore.read_in_background` runs it.
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
        keys: one for each row of the outline, the same for the same row when the document comes again.
        place_of: the row of each key.
        found_at: what the check found, by the row that it is about.
        elsewhere: what it found that is about no row.
        not_looked_for: the rules of the check for which too little is known of the account.
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
        """The row of this key, which is one of `keys`."""
        return self.outline.rows[self.place_of[key]]

    def raw_at(self, key: str) -> object:
        """What the document has where this row's node is; None where nothing is."""
        path = self.row(key).path
        return raw_at(self.raw, path) if path else None

    def key_of(self, finding: Finding) -> str | None:
        """The row that a finding is about; None where it is about the workflow."""
        place = place_of(self.outline, finding)
        return None if place is None else self.keys[place]


def analyze_workflow(db: apsw.Connection, workflow_id: WorkflowId) -> WorkflowAnalysis | None:
    """What there is to see of a workflow; None where its whole document isn't stored."""
    raw = _whole(db, workflow_id)
    if raw is None:
        return None
    known = _known(db, raw)
    return build_analysis(workflow_id, raw, check(raw, known=known), not_applied(known))


def build_analysis(
    workflow_id: WorkflowId, raw: Json, findings: Sequence[Finding], not_looked_for: Sequence[Rule] = ()
) -> WorkflowAnalysis:
    """A document, whatever it holds, with what the check found in it."""
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
    """What the check finds in a workflow; None where its whole document isn't stored."""
    raw = _whole(db, workflow_id)
    return None if raw is None else check(raw, known=_known(db, raw))


def row_keys(rows: Sequence[TreeRow]) -> tuple[str, ...]:
    """A key for each row: what it shows and where it hangs, counted where that comes more than once."""
    seen: dict[str, int] = {}
    keys = []
    for row in rows:
        what = row.id or row.target or row.title.partition(" (")[0]
        key = "\n".join((row.kind, row.parent_id, what))
        nth = seen[key] = seen.get(key, 0) + 1
        keys.append(f"{key}\n{nth}")
    return tuple(keys)


def place_of(outline: Outline, finding: Finding) -> int | None:
    """The row that a finding is about, by the id that it names, else by its path."""
    place = outline.row_of.get(finding.node_id) if finding.node_id else None
    return outline.row_at(finding.path) if place is None else place


def _whole(db: apsw.Connection, workflow_id: WorkflowId) -> Json | None:
    text = workflow_store.text(db, workflow_id)
    raw = None if text is None else json.loads(text)
    return raw if isinstance(raw, dict) else None


def _known(db: apsw.Connection, raw: Json) -> References:
    listed = [each.workflow_id for each in workflow_store.listing(db).records]
    return load_references(raw, listed, db)

"""The workflow checks and details that the campaigns feature shows."""

from collections.abc import Sequence
from dataclasses import replace

import apsw

from frontdesk.campaigns.preflight_facts import (
    PreflightFinding,
    PreflightSeverity,
    WorkflowFacts,
    note,
    unchecked,
)
from frontdesk.config.facts import lines
from frontdesk.config.render_context import RenderContext
from frontdesk.storage import record_lookup
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import load_references, stored_document
from frontdesk.workflows.view.row import LABEL_CELLS, listed_facts
from frontdesk_api import json_access
from frontdesk_flows.checks.run import check, find_skipped_rules
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Line

POINTER_UNKNOWN = "pointer-unknown"
"""The rule that needs all workflows of the account."""


class CampaignWorkflows:
    """The `WorkflowSource` of campaigns."""

    def listed(self, db: apsw.Connection, workflow_id: str, listing: WorkflowFacts) -> WorkflowFacts:
        records = listing.records or ()
        raw = next((each.raw for each in records if each.document_id == workflow_id), None)
        if raw is None:
            return listing
        ids = [each.document_id for each in records]
        return replace(listing, findings=_checked(raw, ids, db, more_exist=listing.more_exist))

    def stored(self, db: apsw.Connection, workflow_id: str, not_read: str) -> WorkflowFacts:
        # An outdated document is checked too: its errors hold until a read shows them fixed.
        listing, records = workflow_store.listing(db), record_lookup.all_of(db, record_lookup.WORKFLOW)
        if not records and listing.read_at is None:
            return WorkflowFacts(None, listing.has_more, problem=not_read or "the workflows aren't loaded yet")
        if not workflow_id:
            return WorkflowFacts(records, listing.has_more)
        document = stored_document(workflow_id, db)
        problem = not_read or document.problem
        if document.raw is None:
            return WorkflowFacts(records, listing.has_more, problem=problem)
        ids = [each.document_id for each in records]
        found = _checked(document.raw, ids, db, more_exist=listing.has_more)
        if problem:
            found = tuple(_in_older_document(each, is_changed=document.is_stale) for each in found)
        if not document.is_stale:
            now = DocumentRecord(workflow_id, json_access.text(document.raw.get("name")), document.raw)
            records = [now if each.document_id == workflow_id else each for each in records]
        return WorkflowFacts(records, listing.has_more, found, problem)

    def was_listed(self, db: apsw.Connection) -> bool:
        return workflow_store.listing(db).read_at is not None

    def is_up_to_date(self, db: apsw.Connection) -> bool:
        listing = workflow_store.listing(db)
        return listing.read_at is not None and not any(
            each.read_at is None or each.is_stale for each in listing.records
        )

    def details(self, record: DocumentRecord, width: int, view: RenderContext) -> tuple[Line, ...]:
        return lines(listed_facts(record, view), width, view, LABEL_CELLS)


def _checked(
    raw: Json, ids: Sequence[str], db: apsw.Connection, *, more_exist: bool
) -> tuple[PreflightFinding, ...]:
    known = load_references(raw, db, workflow_ids=ids, more_exist=more_exist)
    found = [
        PreflightFinding(
            PreflightSeverity(each.severity), "workflow_id", trusted(f"workflow check: {each.words.text}")
        )
        for each in check(raw, known=known)
    ]
    if known.workflow_ids is None:
        # A pointer to one that is listed is fine whatever else exists.
        of_listed = replace(known, workflow_ids=frozenset(ids))
        found += [
            unchecked("workflow_id", f"not checked: {each.words.text} ({len(ids):,} listed; more exist)")
            for each in check(raw, known=of_listed)
            if each.rule_id == POINTER_UNKNOWN
        ]
    found += [
        note("workflow_id", f"workflow check skipped: {each.title}")
        for each in find_skipped_rules(known)
        if each.id != POINTER_UNKNOWN
    ]
    return tuple(found)


def _in_older_document(found: PreflightFinding, *, is_changed: bool) -> PreflightFinding:
    # An error may be fixed only if the workflow has changed.
    is_outdated = is_changed and found.severity is PreflightSeverity.ERROR and not found.is_unchecked
    return replace(found, words=trusted(f"when last loaded: {found.words.text}"), is_outdated=is_outdated)

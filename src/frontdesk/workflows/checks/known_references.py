"""Facts from the store for the workflow check: other workflows, a line's channel, scheduled campaigns."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import apsw

from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.storage import documents, json_access, record_lookup
from frontdesk.workflows.checks.finding import References
from frontdesk.workflows.checks.run import ListedChecks
from frontdesk.workflows.store import workflows as workflow_store


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
    raw: Mapping[str, Any], workflow_ids: Iterable[str], db: apsw.Connection, *, more_exist: bool | None = None
) -> References:
    """Load the facts that a check needs beside a workflow's document.

    Args:
        workflow_ids: the listed workflows; with more than those, no pointer is known to lead nowhere.
        more_exist: whether that list is incomplete; None: as the store says.
    """
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
    return References(frozenset(workflow_ids) if is_complete else None, channels, scheduled)


def listed_checks(db: apsw.Connection) -> ListedChecks:
    """The checks of listed workflows, for a screen that shows them."""

    def references(raw: Mapping[str, Any]) -> References:
        return load_references(raw, [each.document_id for each in documents.all_of(db, documents.WORKFLOW)], db)

    return ListedChecks(references)


def current_document(workflow_id: str, db: apsw.Connection) -> Mapping[str, Any] | None:
    """A workflow's whole document if it is current. Megabytes: never on a screen's loop."""
    found = stored_document(workflow_id, db)
    return None if found.problem else found.raw


def stored_document(workflow_id: str, db: apsw.Connection) -> StoredDocument:
    """A workflow's whole document as it was read last. Megabytes: never on a screen's loop."""
    record = next((each for each in workflow_store.listing(db).records if each.workflow_id == workflow_id), None)
    text = workflow_store.text(db, workflow_id)
    if record is None:
        return StoredDocument(None, "it isn't among the workflows listed")
    if text is None:
        lack = workflow_store.lack(db)
        return StoredDocument(None, lack or "its document was never read")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = None
    if not isinstance(raw, dict):
        return StoredDocument(None, "its stored document can't be read")
    problem = "its document is older than the list of workflows says" if record.is_stale else ""
    return StoredDocument(raw, problem, record.is_stale)

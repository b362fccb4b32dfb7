"""What the store tells the workflow check: other workflows, the channel of a line, campaigns to come.

The workflows screen hands it to `checking`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from frontdesk.checking.findings import Known
from frontdesk.contract.ids import LineId
from frontdesk.store import loose
from frontdesk.store.reader import Reader


def known_beside(raw: Mapping[str, Any], workflow_ids: Iterable[str], reads: Reader) -> Known:
    """What is known beside a workflow's document.

    Args:
        workflow_ids: the listed workflows. Where more exist than are listed, no pointer is known to lead nowhere.
    """
    line = loose.text(raw.get("associatedToBusinessId")) or loose.text(raw.get("associatedToPlatformId"))
    platform = reads.platform_of_line(LineId(line)) if line else ""
    scheduled: dict[str, tuple[str, ...]] = {}
    for campaign in reads.campaigns():
        workflow_id = loose.text(campaign.raw.get("workflowId"))
        if campaign.status == "scheduled" and workflow_id:
            name = campaign.name or campaign.campaign_id
            scheduled[workflow_id] = (*scheduled.get(workflow_id, ()), name)
    listed = None if reads.has_more_workflows() else frozenset(workflow_ids)
    return Known(listed, {line: platform} if platform else {}, scheduled)


def current_document(workflow_id: str, reads: Reader) -> Mapping[str, Any] | None:
    """A workflow's whole document, where it was read since it was changed last. Megabytes: never on a screen's
    loop."""
    record = next((each for each in reads.workflow_list().records if each.workflow_id == workflow_id), None)
    text = None if record is None or record.is_stale else reads.workflow_text(workflow_id)
    return None if text is None else loose.mapping(json.loads(text))

"""What the store tells the workflow check: other workflows, the channel of a line, campaigns to come.

The workflows screen hands it to `checking`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from frontdesk.checking.findings import Known
from frontdesk.contract.ids import LineId
from frontdesk.store import loose
from frontdesk.store.reader import Reader


def known_beside(raw: Mapping[str, Any], workflow_ids: Iterable[str], reads: Reader) -> Known:
    """What is known beside a workflow's document.

    Args:
        workflow_ids: the listed workflows.
    """
    line = loose.text(raw.get("associatedToBusinessId")) or loose.text(raw.get("associatedToPlatformId"))
    platform = reads.platform_of_line(LineId(line)) if line else ""
    scheduled: dict[str, tuple[str, ...]] = {}
    for campaign in reads.campaigns():
        workflow_id = loose.text(campaign.raw.get("workflowId"))
        if campaign.status == "scheduled" and workflow_id:
            name = campaign.name or campaign.campaign_id
            scheduled[workflow_id] = (*scheduled.get(workflow_id, ()), name)
    return Known(frozenset(workflow_ids), {line: platform} if platform else {}, scheduled)

"""Campaigns whose workflow has a name that another workflow has too: beside such a name its id is shown."""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from frontdesk.campaigns.models import CampaignRecord
from frontdesk.storage import record_lookup
from frontdesk.text.fuzzy import fold_name, shared_names, shorten_id
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId


class SharedWorkflow(NamedTuple):
    """A workflow whose name doesn't say which one is meant, by its whole id and a short one."""

    id: str
    short_id: str


def shared_workflows(db: apsw.Connection, records: Iterable[CampaignRecord]) -> dict[CampaignId, SharedWorkflow]:
    """Return the workflow of each of these campaigns whose workflow's name another one has, or had then."""
    used = {
        each.campaign_id: (workflow_id, each.workflow_name)
        for each in records
        if (workflow_id := json_access.text(each.raw.get("workflowId")))
    }
    named = {*record_lookup.names_of(db, record_lookup.WORKFLOW).items(), *used.values()}
    shared = shared_names(name for _, name in {(each, fold_name(name)) for each, name in named})
    ids = {each for each, _ in named}
    return {
        campaign_id: SharedWorkflow(workflow_id, shorten_id(workflow_id, ids))
        for campaign_id, (workflow_id, name) in used.items()
        if fold_name(name) in shared
    }

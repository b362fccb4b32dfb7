"""Campaigns that were read, for a team's other desks, and those that another desk has read.

The list of recipients, which may be megabytes, isn't passed on, only its digest: each desk reads a campaign once
itself, and once more when its list has changed.
"""

import json
from collections.abc import Mapping
from math import inf

import apsw

from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.campaigns import READ_AGAIN_SECONDS, PreparedCampaign, StoredAudience
from frontdesk.storage.sql import rows
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId

CAMPAIGN, LIST_DIGEST = "campaign", "list"
"""The parts of an observation's body; the digest is empty for a campaign without a list."""


def observed_campaign(campaign_id: CampaignId, prepared: PreparedCampaign, asked_at: float) -> Observed:
    raw = json.loads(prepared.text)
    line_id = json_access.text(raw.get("associatedToBusinessId"))
    body = {CAMPAIGN: raw, LIST_DIGEST: "" if prepared.audience is None else prepared.audience.digest}
    return Observed(ObservedKind.CAMPAIGN, campaign_id, line_id, asked_at, body)


def apply(
    db: apsw.Connection, observed: Observed, confirmed_at: Mapping[str, float], same_at: Mapping[str, float]
) -> bool:
    """Store a watched campaign that another desk has read; returns False where this desk must read it itself.

    Args:
        confirmed_at: when this desk itself has asked for what it knows, by id.
        same_at: when another desk has last read what is stored here, by id.
    """
    campaign_id = CampaignId(observed.id)
    if observed.asked_at < confirmed_at.get(campaign_id, 0.0):
        return True
    if campaigns.watched_record(db, campaign_id) is None:
        return False  # watched again, it has missed this
    raw, digest = observed.body[CAMPAIGN], str(observed.body[LIST_DIGEST])
    audience = StoredAudience("", digest) if digest else None
    if not campaigns.has_audience(db, campaign_id, digest):
        return False
    prepared = campaigns.prepare(raw)._replace(audience=audience)
    before = same_at.get(campaign_id, observed.asked_at)
    campaigns.put(db, campaign_id, prepared, observed.asked_at, before if before < observed.asked_at else None)
    return True


def reads_to_note(
    db: apsw.Connection, read_at: Mapping[str, float], read_by: Mapping[str, float]
) -> dict[CampaignId, float]:
    """Return those reads by another desk without news that are stored: one a minute, and those that alerts need.

    Args:
        read_at: when each campaign was read last, by id.
        read_by: when an alert needs a read, by id.
    """
    found = rows(
        db,
        "SELECT campaign_id, read_at FROM campaigns WHERE campaign_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(read_at)),),
    )
    return {
        CampaignId(each): read_at[each]
        for each, stored_at in found
        if stored_at is not None
        and (
            read_at[each] >= stored_at + READ_AGAIN_SECONDS or stored_at < read_by.get(each, inf) <= read_at[each]
        )
    }

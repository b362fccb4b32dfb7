"""Create and get campaigns (docs/interface.md, Create campaign, Get campaign; rules, chapters 2, 3)."""

import json
from typing import Any

import apsw

from frontdesk_api.contract.campaigns import CampaignCreate
from frontdesk_sandbox.campaign_delivery import note_unfinished
from frontdesk_sandbox.campaign_engine import insert_campaign, resolution_ms
from frontdesk_sandbox.request import Call
from frontdesk_sandbox.responses import Refusal, Response, json_response, not_found, text_response
from frontdesk_sandbox.world import World

COUNTER_COLUMNS = {
    "totalRecipients": "total",
    "pendingCount": "pending",
    "sentCount": "sent",
    "deliveredCount": "delivered",
    "readCount": "read",
    "failedCount": "failed",
    "optOutCount": "opted_out",
    "duplicateMessageCount": "duplicate",
    "tooManyRequestsCount": "throttled",
}

MAX_DUE_AT = 2**62
"""Later than this never comes, and storage holds no more; the campaign keeps what was sent."""

_UNFINISHED = ("pending", "scheduled", "inProgress")

_READ = (
    "SELECT number, json, status, created, modified, started_at, ended_at, failure_reason, "
    + ", ".join(COUNTER_COLUMNS.values())
    + " FROM campaigns JOIN campaign_documents USING (number) WHERE account=? AND id=?"
)


def create_campaign(world: World, call: Call) -> Response:
    """Answer 201 and a message that names the id; 500 for a name missing or empty (rules 27, 28)."""
    if call.raw.get("name", "") == "":
        raise Refusal(500, "cannot_be_saved", "The campaign has no name.")
    campaign = call.body(CampaignCreate).root
    storage = world.storage
    if storage.exists("campaigns", account=call.account, id=campaign.id):
        raise Refusal(500, "cannot_be_saved", f"Campaign {campaign.id!r} already exists.")
    now = world.clock.now_ms()
    waits = campaign.whenToSendMessage == "future"
    try:
        with storage.writing():
            insert_campaign(
                storage, call.account, call.raw, "scheduled" if waits else "pending", now, _due_at(call.raw, now)
            )
    except apsw.Error as error:
        raise Refusal(500, "cannot_be_saved", "The campaign couldn't be saved.") from error
    return json_response({"message": f"Campaign {campaign.id} was created."}, 201)


def get_campaign(world: World, call: Call) -> Response:
    """Answer the campaign as it was sent, with status, times and counters (rules 71-79)."""
    row = world.storage.row(_READ, call.account, call.ids["id"])
    if row is None:
        raise not_found("campaign", call.ids["id"])
    number, stored, status, created, modified, started_at, ended_at, failure_reason, *counts = row
    added: dict[str, object] = {
        "status": status,
        "created": created,
        "lastModified": modified,
        "associatedTo": call.account,
    }
    if status in _UNFINISHED:
        note_unfinished(world.storage, number, world.clock.now_ms())
    if started_at is not None:
        added["startedAt"] = started_at
    if status == "completed":
        added["completedAt"] = ended_at
    if status == "failed":
        added |= {"failedAt": ended_at, "failureReason": failure_reason}
    if started_at is not None or not world.settings.absent_counters:
        added |= dict(zip(COUNTER_COLUMNS, counts, strict=True))
    # A list of 50,000 recipients is text already: it is put in front, not read and written again.
    return text_response(f"{stored[:-1]},{json.dumps(added)[1:]}")


def _due_at(campaign: dict[str, Any], now: int) -> int | None:
    """Return the time at which the engine looks at it, or None if it isn't active (docs/interface.md, Choices)."""
    if not campaign["isActive"]:
        return None
    if campaign["whenToSendMessage"] == "now":
        return now + resolution_ms(campaign)
    return int(min(max(campaign["scheduledAt"], 0), MAX_DUE_AT))

"""Delivery results of single recipients, and the requests for them: the engine writes, screens read.

Only the result is stored, never the conversation. What a screen shows is one summary row, written with them.
"""

import json
from collections.abc import Sequence
from typing import Any

import apsw

from frontdesk.campaigns.delivery_results import DeliveryResultGroup, DeliveryResultsRecord
from frontdesk.storage import change_feed, clients
from frontdesk.storage.clients import EngineRequest
from frontdesk.storage.records import Json
from frontdesk.storage.sql import first, rows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId, CustomerId

_SUMMARY = "outcomes of "

Row = tuple[CustomerId, str, str, str, float]
"""A recipient, its status, the error's code, the reason, and when it was read (Unix seconds)."""


def begin(db: apsw.Connection, campaign_id: CampaignId, wanted: int, now: float) -> None:
    """Request results until `wanted` recipients are checked, in place of an earlier request."""
    _cancel_request(db, campaign_id)
    clients.add_request(db, clients.OUTCOMES, campaign_id, now)
    begun = {"wanted": wanted, "begun_at": now, "begun_with": record(db, campaign_id).checked}
    _change_summary(db, campaign_id, {**begun, "state": "asked", "problem": ""})


def stop(db: apsw.Connection, campaign_id: CampaignId) -> None:
    """Cancel the request; what was read stays."""
    if _cancel_request(db, campaign_id):
        _change_summary(db, campaign_id, {"state": "stopped"})


def settle(db: apsw.Connection, ask: EngineRequest, *, failed: str = "") -> None:
    """Mark a request as done, or as failed; not if it was cancelled."""
    still = clients.request_by_id(db, ask.request_id)
    if still is not None and still.state == "asked":
        clients.resolve_request(db, ask.request_id, failed=failed)
        state = {"state": "failed" if failed else "done", "problem": failed}
        _change_summary(db, CampaignId(ask.target), state)


def put(
    db: apsw.Connection,
    campaign_id: CampaignId,
    found: Sequence[Row],
    groups: Sequence[DeliveryResultGroup],
    total: int,
    checked: int,
) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO outcomes (campaign_id, customer_id, status, code, reason, read_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(campaign_id, *each) for each in found],
    )
    summary: dict[str, object] = {
        "total": total,
        "checked": checked,
        "groups": [[each.status, each.code, each.title, each.count, each.examples] for each in groups],
    }
    if found:
        summary["read_at"] = max(each[4] for each in found)
    _change_summary(db, campaign_id, summary)


def of_campaign(db: apsw.Connection, campaign_id: CampaignId) -> list[Row]:
    found = rows(
        db, "SELECT customer_id, status, code, reason, read_at FROM outcomes WHERE campaign_id = ?", (campaign_id,)
    )
    return [(CustomerId(row[0]), *row[1:]) for row in found]


def record(db: apsw.Connection, campaign_id: CampaignId) -> DeliveryResultsRecord:
    """Return the summary of a campaign's results; one look-up."""
    summary = _summary(db, campaign_id)
    groups = tuple(
        DeliveryResultGroup(status, code, title, count, tuple(examples))
        for status, code, title, count, examples in summary.pop("groups", ())
    )
    return DeliveryResultsRecord(groups=groups, **summary)


def next_ask(db: apsw.Connection) -> EngineRequest | None:
    """Return the oldest open request."""
    row = first(
        db,
        "SELECT ask_id, kind, target, asked_at, state, reason FROM asks WHERE kind = ? AND state = 'asked'"
        " ORDER BY ask_id LIMIT 1",
        (clients.OUTCOMES,),
    )
    return None if row is None else EngineRequest(*row)


def recipients(db: apsw.Connection, campaign_id: CampaignId) -> list[Json]:
    """Return the list of recipients as it came; parses megabytes, so never for a screen."""
    row = first(db, "SELECT recipients FROM audiences WHERE campaign_id = ?", (campaign_id,))
    found = [] if row is None else json.loads(row[0])
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def raw_campaign(db: apsw.Connection, campaign_id: CampaignId) -> Json:
    """Return the campaign as it came, without its list; empty where it isn't known."""
    row = first(db, "SELECT raw FROM campaigns WHERE campaign_id = ?", (campaign_id,))
    return {} if row is None else json_access.mapping(json.loads(row[0]))


def _cancel_request(db: apsw.Connection, campaign_id: CampaignId) -> bool:
    asked = rows(
        db,
        "SELECT ask_id FROM asks WHERE kind = ? AND target = ? AND state = 'asked'",
        (clients.OUTCOMES, campaign_id),
    )
    for (ask_id,) in asked:
        clients.resolve_request(db, ask_id, failed="canceled")
    return bool(asked)


def _summary(db: apsw.Connection, campaign_id: CampaignId) -> dict[str, Any]:
    row = first(db, "SELECT value FROM meta WHERE key = ?", (_SUMMARY + campaign_id,))
    return {} if row is None else json.loads(row[0])


def _change_summary(db: apsw.Connection, campaign_id: CampaignId, summary: Json) -> None:
    changed = json.dumps({**_summary(db, campaign_id), **summary})
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SUMMARY + campaign_id, changed))
    change_feed.append(db, change_feed.CAMPAIGN, [campaign_id])

"""Drafts of campaigns, the bodies that are to be sent, and receipts, in `outbox.db`.

A body may be megabytes, so a change has only what a row on the screen shows.
"""

import json
from typing import Any

import apsw

from frontdesk.campaigns.store import campaigns
from frontdesk.outbox import queue
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeKind, ChangeState, Json
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.ids import CampaignId

DRAFT = "campaign draft"
"""Kept: what a person has decided of a campaign that isn't created yet, by the draft's id."""

RECEIPT = "campaign receipt"
"""Kept: what was sent of a campaign that is stored on the platform, and what it answered, by the campaign's id."""

IN_DOUBT = "campaign in doubt"
"""Kept by earlier versions: the id of a campaign of the command line with an unknown outcome, by its action."""


def keep_body(db: apsw.Connection, campaign_id: str, text: str, now: float) -> None:
    db.execute(
        "INSERT OR REPLACE INTO outbox.bodies (campaign_id, body, at) VALUES (?, ?, ?)", (campaign_id, text, now)
    )


def body(db: apsw.Connection, campaign_id: str) -> dict[str, Any] | None:
    """Return the body to send; None where nothing valid is kept."""
    row = first(db, "SELECT body FROM outbox.bodies WHERE campaign_id = ?", (campaign_id,))
    try:
        kept = None if row is None else json.loads(row[0])
    except ValueError:
        return None
    return kept if isinstance(kept, dict) else None


def sent(db: apsw.Connection, campaign_id: str) -> dict[str, Any] | None:
    """Return what is to be sent, or the receipt of what was sent, with only the first recipients.

    SQLite takes the list out, so megabytes are never parsed here.
    """
    row = first(
        db,
        "SELECT json_remove(body, '$.customerList'), json_array_length(body, '$.customerList'),"
        " json_extract(body, '$.customerList[0]', '$.customerList[1]', '$.customerList[2]')"
        " FROM outbox.bodies WHERE campaign_id = ?",
        (campaign_id,),
    )
    if row is None:
        receipt = queue.kept(db, RECEIPT, campaign_id)
        return receipt if isinstance(receipt, dict) else None
    shown: dict[str, Any] = json.loads(row[0])
    if row[1] is not None:
        listed = [each for each in json.loads(row[2]) if each is not None]
        more = int(row[1]) - len(listed)
        shown["customerList"] = [*listed, f"… {more:,} more …"] if more else listed
    return shown


def has_body(db: apsw.Connection, campaign_id: str) -> bool:
    return first(db, "SELECT 1 FROM outbox.bodies WHERE campaign_id = ?", (campaign_id,)) is not None


def forget_body(db: apsw.Connection, campaign_id: str) -> None:
    db.execute("DELETE FROM outbox.bodies WHERE campaign_id = ?", (campaign_id,))


def other_ids(db: apsw.Connection, draft_id: str, campaign_id: str) -> list[str]:
    """Return the other ids of this draft's changes; another name gives it another id."""
    found = rows(
        db,
        "SELECT DISTINCT target FROM outbox.changes"
        " WHERE kind = ? AND target != ? AND json_extract(fields, '$.draftId') = ?",
        (str(ChangeKind.CAMPAIGN), campaign_id, draft_id),
    )
    return [str(row[0]) for row in found]


def latest_test(db: apsw.Connection, draft_id: str) -> Change | None:
    row = first(
        db,
        "SELECT max(change_id) FROM outbox.changes WHERE kind = ? AND json_extract(fields, '$.testOf') = ?",
        (str(ChangeKind.CAMPAIGN), draft_id),
    )
    return None if row is None or row[0] is None else queue.change(db, row[0])


def created(db: apsw.Connection, campaign_id: CampaignId, receipt: Json, draft_id: str, now: float) -> None:
    """Keep the receipt of a stored campaign, watch it, and delete its draft and body."""
    queue.keep(db, RECEIPT, campaign_id, receipt, now)
    forget_body(db, campaign_id)
    queue.forget(db, DRAFT, draft_id)
    campaigns.watch(db, [campaign_id], now)


def confirm(
    db: apsw.Connection, change: Change, receipt: Json, reason: str, now: float, answer: Json | None = None
) -> bool:
    """Confirm a change whose campaign is stored; returns whether it was still open."""
    done = ChangeState.CONFIRMED
    moved = queue.move(db, change.change_id, done, expected=UNCONFIRMED, now=now, reason=reason, theirs=answer)
    if moved:
        created(db, CampaignId(change.target), receipt, str(change.fields.get("draftId", "")), now)
    return moved

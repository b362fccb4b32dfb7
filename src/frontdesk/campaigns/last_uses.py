"""Which lines and folders campaigns used, as far as frontdesk watches or created them; for choosing one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import apsw

from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.outbox import queue
from frontdesk.storage.records import Json
from frontdesk_api import json_access

LINE, FOLDER = "associatedToBusinessId", "folderId"
"""The fields of a campaign that name its line and its folder."""


@dataclass(slots=True)
class LastUse:
    """The campaigns of a line or folder.

    Attributes:
        running: how many of the watched ones are in progress.
        used_at: when the latest one began or was created here, Unix seconds; None where that isn't known.
        names: of the campaigns, the latest first.
    """

    running: int = 0
    used_at: float | None = None
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LastUses:
    """The uses by line or folder, and how many watched campaigns were never read, so that theirs isn't known."""

    by_id: Mapping[str, LastUse]
    unread: int


def read_last_uses(db: apsw.Connection, name: str) -> LastUses:
    """Read the uses of each line (`LINE`) or folder (`FOLDER`) out of the store."""
    receipts = {each: json_access.mapping(kept) for each, kept in queue.all_kept(db, draft_store.RECEIPT).items()}
    return last_uses(campaign_store.watched(db), receipts, name)


def last_uses(records: Iterable[CampaignRecord], receipts: Mapping[str, Json], name: str) -> LastUses:
    """Return the uses of each line or folder, by `LINE` or `FOLDER`; the receipts are by their campaigns' ids."""
    campaigns: dict[str, CampaignRecord] = {each.campaign_id: each for each in records}
    found: list[tuple[float | None, str, str, bool]] = []
    unread = 0
    for campaign_id in dict.fromkeys([*campaigns, *receipts]):
        record, receipt = campaigns.get(campaign_id), receipts.get(campaign_id, {})
        body = json_access.mapping(receipt.get("body"))
        raw = {} if record is None else record.raw
        used_id = json_access.text(raw.get(name)) or json_access.text(body.get(name))
        unread += record is not None and record.read_at is None and not used_id
        if used_id:
            sent_at = json_access.number(receipt.get("sentAt"))
            used_at = sent_at if record is None else record.started_at or sent_at
            title = (record.name if record is not None else "") or json_access.text(receipt.get("name"))
            is_running = record is not None and record.status == "inProgress"
            found.append((used_at, used_id, title or campaign_id, is_running))
    by_id: dict[str, LastUse] = {}
    for used_at, used_id, title, is_running in sorted(found, key=lambda each: each[0] or 0.0, reverse=True):
        use = by_id.setdefault(used_id, LastUse())
        use.running += is_running
        use.used_at = use.used_at if use.used_at is not None else used_at
        use.names.append(title)
    return LastUses(by_id, unread)

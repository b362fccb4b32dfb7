"""What was watched of the sandbox's campaigns: curves need a past."""

import json
from collections.abc import Callable
from math import exp, sin

import apsw

from frontdesk.campaigns.delivery_results import DeliveryResultGroup
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.storage.database import Store
from frontdesk.storage.records import Json
from frontdesk.storage.sql import first
from frontdesk_api.contract.ids import CampaignId, CustomerId
from frontdesk_sandbox.fixtures import RUNNING_CAMPAIGN

EARLIER, SURVEY = CampaignId("cmp-loyalty"), CampaignId("cmp-delivery-survey")
STEP_SECONDS = 10.0
MINUTE = 60.0
UNWATCHED = (7 * MINUTE, 9 * MINUTE)
"""Of the running one, in seconds since its start: a line was down."""

_FINAL = ("sentCount", "deliveredCount", "readCount", "failedCount", "optOutCount", "tooManyRequestsCount")
_CHECKED = (
    ("read", "", "", 84),
    ("delivered", "", "", 31),
    ("failed", "131049", "Per-user marketing message limit reached", 6),
    ("failed", "131026", "Message undeliverable", 3),
)


def add(store: Store, now: float) -> None:
    """Put a past behind the running campaign and the one a day before it, and outcomes behind the survey."""

    def put(db: apsw.Connection) -> None:
        _replay(db, CampaignId(RUNNING_CAMPAIGN), now, 1.0, UNWATCHED)
        _replay(db, EARLIER, now, 0.8)
        asked = json.loads(_row(db, "SELECT recipients FROM audiences WHERE campaign_id = ?", SURVEY))
        numbers = iter(CustomerId(each["phoneNumberId"]) for each in asked)
        groups = []
        for status, code, title, count in _CHECKED:
            these = [next(numbers) for _ in range(count)]
            rows = [(each, status, code, title, now) for each in these]
            groups.append(DeliveryResultGroup(status, code, title, count, tuple(these[:3])))
            checked = sum(each.count for each in groups)
            delivery_results.put(
                db, SURVEY, rows, sorted(groups, key=lambda each: each.status), len(asked), checked
            )

    store.write(put).result()


def _replay(
    db: apsw.Connection, campaign_id: CampaignId, now: float, swing: float, hole: tuple[float, float] = (0, 0)
) -> None:
    """All reads of a campaign from its start up to what is stored of it."""
    raw: Json = json.loads(_row(db, "SELECT raw FROM campaigns WHERE campaign_id = ?", campaign_id))
    began, is_running = raw["startedAt"] / 1000, raw["status"] == "inProgress"
    ends = now if is_running else began + 5 * MINUTE
    db.execute("DELETE FROM samples WHERE campaign_id = ?", (campaign_id,))
    db.execute("DELETE FROM watch_stretches WHERE campaign_id = ?", (campaign_id,))
    at = began
    while at < ends - 1:
        if not hole[0] <= at - began < hole[1]:
            _read(
                db, campaign_id, raw | {"status": "inProgress"}, at, _share((at - began) / (ends - began), swing)
            )
        at += STEP_SECONDS
    _read(db, campaign_id, raw, ends, lambda _: 1.0)
    if not is_running:
        campaigns.put(db, campaign_id, raw, now)


def _share(run: float, swing: float) -> Callable[[int], float]:
    """How much of its final count each counter has, by how late it moves."""
    even = max(0.0, run + swing * 0.03 * sin(14 * run) * run * (1 - run))
    return lambda late: even * (1 - exp(-8 * even / late)) if late else even


def _read(
    db: apsw.Connection, campaign_id: CampaignId, raw: Json, at: float, share: Callable[[int], float]
) -> None:
    counts = {name: int((raw.get(name) or 0) * share(max(0, late))) for late, name in enumerate(_FINAL)}
    settled = sum(counts[name] for name in _FINAL if name not in ("deliveredCount", "readCount"))
    settled += int(raw.get("duplicateMessageCount") or 0)
    counts["pendingCount"] = max(
        0, int(raw["totalRecipients"]) - settled - (40 if raw["status"] == "inProgress" else 0)
    )
    came = campaigns.PreparedCampaign(
        campaigns.canonical(raw | counts), campaigns.counters_of(raw | counts), _list(db, campaign_id)
    )
    campaigns.put(db, campaign_id, came, at)


def _list(db: apsw.Connection, campaign_id: CampaignId) -> campaigns.StoredAudience | None:
    row = first(db, "SELECT digest, recipients FROM audiences WHERE campaign_id = ?", (campaign_id,))
    return None if row is None else campaigns.StoredAudience(text=row[1], digest=row[0])


def _row(db: apsw.Connection, sql: str, campaign_id: CampaignId) -> str:
    row = first(db, sql, (campaign_id,))
    assert row is not None
    return str(row[0])

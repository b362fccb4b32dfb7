"""The tables of campaigns, and the migrations that made them (see `storage.schema`)."""

import hashlib
import json

import apsw

from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import rows
from frontdesk_api.json_access import canonical

_HOLE_SECONDS = 90.0

_STORE_1 = """
CREATE TABLE campaigns (
    campaign_id TEXT PRIMARY KEY, raw TEXT NOT NULL, read_at REAL, problem TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE samples (campaign_id TEXT NOT NULL, at REAL NOT NULL, counters TEXT NOT NULL,
    PRIMARY KEY (campaign_id, at)) WITHOUT ROWID;
"""

_STORE_4 = """
CREATE TABLE watch_stretches (campaign_id TEXT NOT NULL, since REAL NOT NULL, until REAL NOT NULL,
    PRIMARY KEY (campaign_id, since)) WITHOUT ROWID;
CREATE TABLE audiences (campaign_id TEXT PRIMARY KEY, digest TEXT NOT NULL, recipients TEXT NOT NULL);
CREATE TABLE outcomes (campaign_id TEXT NOT NULL, customer_id TEXT NOT NULL, status TEXT NOT NULL,
    code TEXT NOT NULL, reason TEXT NOT NULL, read_at REAL NOT NULL,
    PRIMARY KEY (campaign_id, customer_id)) WITHOUT ROWID;
"""
"""Watch intervals without a hole; recipient lists apart from the counters; delivery results of recipients."""

_OUTBOX_3 = """
CREATE TABLE bodies (campaign_id TEXT PRIMARY KEY, body TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
"""
"""The request body of a campaign that is created here, apart from its change: it may be megabytes."""


def _move_recipient_lists(db: apsw.Connection) -> None:
    for campaign_id, text in rows(db, "SELECT campaign_id, raw FROM campaigns"):
        raw = json.loads(text)
        if "customerList" not in raw:
            continue
        recipients = json.dumps(raw.pop("customerList"), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        digest = hashlib.sha256(recipients.encode()).hexdigest()
        db.execute("UPDATE campaigns SET raw = ? WHERE campaign_id = ?", (canonical(raw), campaign_id))
        db.execute("INSERT OR REPLACE INTO audiences VALUES (?, ?, ?)", (campaign_id, digest, recipients))


def _fill_watch_intervals(db: apsw.Connection) -> None:
    found = rows(
        db,
        "SELECT campaign_id, at FROM samples UNION SELECT campaign_id, read_at FROM campaigns"
        " WHERE read_at IS NOT NULL ORDER BY 1, 2",
    )
    intervals: list[tuple[str, float, float]] = []
    for campaign_id, at in found:
        if intervals and intervals[-1][0] == campaign_id and at - intervals[-1][2] <= _HOLE_SECONDS:
            intervals[-1] = (*intervals[-1][:2], at)
        else:
            intervals.append((campaign_id, at, at))
    db.executemany("INSERT INTO watch_stretches VALUES (?, ?, ?)", intervals)


SCHEMA = SchemaPart(
    store={1: [_STORE_1], 4: [_STORE_4, _move_recipient_lists, _fill_watch_intervals]},
    outbox={3: [_OUTBOX_3]},
    salvaged={"bodies": "campaign_id"},
)

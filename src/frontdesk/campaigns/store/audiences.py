"""The lists of recipients of campaigns, apart from what changes with each read of one.

Each read of a campaign brings its whole list along, megabytes of it; it is written once, and nothing that
draws a screen comes by it. Called by `campaigns` and `Reader`.
"""

import hashlib
import json
from typing import Any, NamedTuple

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.storage.records import Json
from frontdesk.storage.sql import first, rows

FIELD = "customerList"
_WORDS = {"true": True, "false": False, "null": None}


class StoredAudience(NamedTuple):
    """A list of recipients as JSON, and what tells it from another one."""

    text: str
    digest: str


def taken_out(raw: Json) -> tuple[Json, StoredAudience | None]:
    """A campaign without its list, and the list if it has one."""
    if FIELD not in raw:
        return raw, None
    text = json.dumps(raw[FIELD], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {name: value for name, value in raw.items() if name != FIELD}, StoredAudience(text, digest)


def is_known(db: apsw.Connection, campaign_id: CampaignId, audience: StoredAudience | None) -> bool:
    """Whether this is the list that is stored."""
    row = first(db, "SELECT digest FROM audiences WHERE campaign_id = ?", (campaign_id,))
    return row is None if audience is None else row == (audience.digest,)


def put(db: apsw.Connection, campaign_id: CampaignId, audience: StoredAudience | None) -> None:
    """Store a list, or that there is none."""
    if audience is None:
        db.execute("DELETE FROM audiences WHERE campaign_id = ?", (campaign_id,))
    else:
        db.execute(
            "INSERT OR REPLACE INTO audiences VALUES (?, ?, ?)", (campaign_id, audience.digest, audience.text)
        )


def whole(db: apsw.Connection, campaign_id: CampaignId) -> str | None:
    """A campaign as JSON with its list at the end; None where it was never read."""
    row = first(
        db,
        "SELECT raw, recipients FROM campaigns LEFT JOIN audiences USING (campaign_id) WHERE campaign_id = ?",
        (campaign_id,),
    )
    if row is None or row[1] is None:
        return None if row is None else str(row[0])
    comma = "" if row[0] == "{}" else ","
    return f'{row[0][:-1]}{comma}"{FIELD}":{row[1]}}}'


def some(db: apsw.Connection, campaign_id: CampaignId, most: int) -> list[Any] | None:
    """At most so many of a list, as they came; None where there is none. No more of them become objects."""
    if first(db, "SELECT 1 FROM audiences WHERE campaign_id = ?", (campaign_id,)) is None:
        return None
    found = rows(
        db,
        "SELECT type, value FROM json_each((SELECT recipients FROM audiences WHERE campaign_id = ?)) LIMIT ?",
        (campaign_id, most),
    )
    return [json.loads(value) if kind in ("object", "array") else _WORDS.get(kind, value) for kind, value in found]

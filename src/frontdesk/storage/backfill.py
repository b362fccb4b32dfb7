"""What migrations fill in from rows that older versions have stored. Called by `schema`.

Frozen: a migration does for ever what it did when it was written, whatever features do today.
"""

import hashlib
import json

import apsw

from frontdesk.storage.canonical_json import canonical
from frontdesk.storage.records import Json
from frontdesk.storage.sql import rows
from frontdesk.text.normalize import folded_name

_SILENT_TYPES = ("note", "informative", "deleted")
_HOLE_SECONDS = 90.0


def fill_directions(db: apsw.Connection) -> None:
    """Keep whether stored messages came in, answer, or neither."""
    found = [
        (said, number)
        for number, raw in db.execute("SELECT rowid, raw FROM messages")
        if (said := _direction(json.loads(raw)))
    ]
    db.executemany("UPDATE messages SET says = ? WHERE rowid = ?", found)


def fill_names(db: apsw.Connection) -> None:
    """Keep by what stored customers are found."""
    found = rows(db, "SELECT rowid, name, number, conversation_id FROM conversations")
    db.executemany(
        "INSERT INTO customer_names VALUES (?, ?)",
        ((number, folded_name(*map(str, names))) for number, *names in found),
    )


def take_out_lists(db: apsw.Connection) -> None:
    """Take the lists of recipients out of the campaigns that were stored with them."""
    for campaign_id, text in rows(db, "SELECT campaign_id, raw FROM campaigns"):
        raw = json.loads(text)
        if "customerList" not in raw:
            continue
        recipients = json.dumps(raw.pop("customerList"), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        digest = hashlib.sha256(recipients.encode()).hexdigest()
        db.execute("UPDATE campaigns SET raw = ? WHERE campaign_id = ?", (canonical(raw), campaign_id))
        db.execute("INSERT OR REPLACE INTO audiences VALUES (?, ?, ?)", (campaign_id, digest, recipients))


def fill_watch_stretches(db: apsw.Connection) -> None:
    """Make watch intervals of stored samples: those close together make one."""
    found = rows(
        db,
        "SELECT campaign_id, at FROM samples UNION SELECT campaign_id, read_at FROM campaigns"
        " WHERE read_at IS NOT NULL ORDER BY 1, 2",
    )
    stretches: list[tuple[str, float, float]] = []
    for campaign_id, at in found:
        if stretches and stretches[-1][0] == campaign_id and at - stretches[-1][2] <= _HOLE_SECONDS:
            stretches[-1] = (*stretches[-1][:2], at)
        else:
            stretches.append((campaign_id, at, at))
    db.executemany("INSERT INTO watch_stretches VALUES (?, ?, ?)", stretches)


def _direction(raw: Json) -> str:
    direction = raw.get("messageDirection")
    if raw.get("type") in _SILENT_TYPES:
        return ""
    if direction == "incoming":
        return "in"
    return "answer" if direction == "outgoing" and raw.get("initiator") == "person" else ""

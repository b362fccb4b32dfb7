"""Workflows and AI agents as they came, for the screens that list them.

Called by `sync.pull` and `Reader`.
"""

import json
from collections.abc import Sequence

import apsw

from frontdesk.store import feed
from frontdesk.store.query import rows
from frontdesk.store.records import DocumentRecord, Json

WORKFLOW = "workflow"
AI_AGENT = "ai_agent"


def replace_all(db: apsw.Connection, kind: str, documents: Sequence[Json]) -> bool:
    """Store a whole listing; True where it differs from the one before."""
    found = [
        (
            kind,
            str(raw["id"]),
            name if isinstance(name := raw.get("name"), str) else "",
            json.dumps(raw, ensure_ascii=False, separators=(",", ":"), sort_keys=True),
            place,
        )
        for place, raw in enumerate(documents)
    ]
    before = rows(
        db, "SELECT kind, document_id, name, raw, place FROM documents WHERE kind = ? ORDER BY place", (kind,)
    )
    if before == found:
        return False
    db.execute("DELETE FROM documents WHERE kind = ?", (kind,))
    db.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", found)
    feed.append(db, feed.DOCUMENT, [kind])
    return True


def all_of(db: apsw.Connection, kind: str) -> list[DocumentRecord]:
    """A kind's documents in the order in which they were listed."""
    found = rows(db, "SELECT document_id, name, raw FROM documents WHERE kind = ? ORDER BY place", (kind,))
    return [DocumentRecord(row[0], row[1], json.loads(row[2])) for row in found]

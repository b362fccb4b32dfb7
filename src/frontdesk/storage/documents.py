"""Raw workflows and AI agents, for the screens that list them."""

import json
from collections.abc import Sequence

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.json_access import canonical
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.storage.sql import first, rows

WORKFLOW = "workflow"
AI_AGENT = "ai_agent"


def replace_all(db: apsw.Connection, kind: str, documents: Sequence[Json]) -> bool:
    """Store a whole listing; True where it changed."""
    if are_known(db, kind, documents):
        return False
    db.execute("DELETE FROM documents WHERE kind = ?", (kind,))
    db.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", _as_rows(kind, documents))
    change_feed.append(db, change_feed.DOCUMENT, [kind])
    return True


def are_known(db: apsw.Connection, kind: str, documents: Sequence[Json]) -> bool:
    """Whether a listing equals the stored one."""
    before = rows(
        db, "SELECT kind, document_id, name, raw, place FROM documents WHERE kind = ? ORDER BY place", (kind,)
    )
    return before == _as_rows(kind, documents)


def all_of(db: apsw.Connection, kind: str) -> list[DocumentRecord]:
    """A kind's documents in listed order."""
    found = rows(db, "SELECT document_id, name, raw FROM documents WHERE kind = ? ORDER BY place", (kind,))
    return [DocumentRecord(row[0], row[1], json.loads(row[2])) for row in found]


def name_of(db: apsw.Connection, kind: str, document_id: str) -> str | None:
    """The name of a listed document; None for an unknown id."""
    row = first(db, "SELECT name FROM documents WHERE kind = ? AND document_id = ?", (kind, document_id))
    return None if row is None else str(row[0])


def _as_rows(kind: str, documents: Sequence[Json]) -> list[tuple[str, str, str, str, int]]:
    """The rows of a listing; of a duplicate, since lists shift, the first counts."""
    by_id = {str(raw["id"]): raw for raw in reversed(documents)}
    return [
        (kind, each, name if isinstance(name := raw.get("name"), str) else "", canonical(raw), place)
        for place, (each, raw) in enumerate(reversed(by_id.items()))
    ]

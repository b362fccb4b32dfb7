"""Store AI agents.

The list is read with the files of vector stores while a screen shows it, else without: known files stay.
"""

from collections.abc import Iterable, Sequence

import apsw

from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.record_lookup import AI_AGENT
from frontdesk.storage.records import AiAgentListing, Json
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import first

READ_AGAIN_SECONDS = 20.0
"""An unchanged list is written again only after this time."""

_STORE_5 = """
CREATE TABLE token_samples (agent_id TEXT NOT NULL, at REAL NOT NULL, tokens REAL NOT NULL,
    PRIMARY KEY (agent_id, at)) WITHOUT ROWID;
"""
_STORE_23 = "DROP TABLE token_samples"
SCHEMA = SchemaPart(store={5: [_STORE_5], 23: [_STORE_23]})


def put(
    db: apsw.Connection, raws: Sequence[Json], now: float, *, lacks: str, keeps_unlisted: bool = False
) -> bool:
    """Store a list; True if it differs.

    Args:
        lacks: why it has no files; empty if it has them.
        keeps_unlisted: whether agents that the list lacks stay.
    """
    row = first(db, "SELECT read_at, lacks FROM listings WHERE kind = ?", (AI_AGENT,))
    db.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, 0, ?)", (AI_AGENT, now, lacks))
    differs = record_lookup.replace_all(db, AI_AGENT, _listed(db, raws, lacks, keeps_unlisted))
    if not differs and (row is None or row[1] != lacks):
        change_feed.append(db, change_feed.DOCUMENT, [AI_AGENT])
        differs = True
    return differs


def are_known(
    db: apsw.Connection, raws: Sequence[Json], now: float, *, lacks: str, keeps_unlisted: bool = False
) -> bool:
    """Whether storing this list would write nothing."""
    row = first(db, "SELECT read_at, lacks FROM listings WHERE kind = ?", (AI_AGENT,))
    if row is None or row[1] != lacks or not row[0] <= now < row[0] + READ_AGAIN_SECONDS:
        return False
    return record_lookup.are_known(db, AI_AGENT, _listed(db, raws, lacks, keeps_unlisted))


def listing(db: apsw.Connection) -> AiAgentListing:
    """Return the list, when it was read, and why it lacks files."""
    return last_read(db)._replace(records=tuple(record_lookup.all_of(db, AI_AGENT)))


def last_read(db: apsw.Connection) -> AiAgentListing:
    """Return the same without the AI agents."""
    row = first(db, "SELECT read_at, lacks FROM listings WHERE kind = ?", (AI_AGENT,))
    return AiAgentListing() if row is None else AiAgentListing((), row[0], row[1])


def _listed(db: apsw.Connection, raws: Sequence[Json], lacks: str, keeps_unlisted: bool) -> Sequence[Json]:
    documents = _add_known_files(db, raws) if lacks else raws
    return record_lookup.add_unlisted(db, AI_AGENT, documents) if keeps_unlisted else documents


def _add_known_files(db: apsw.Connection, raws: Iterable[Json]) -> list[Json]:
    known = {each.document_id: each.raw.get("vectorStore") for each in record_lookup.all_of(db, AI_AGENT)}
    return [_keep_known_files(known.get(str(raw["id"])), raw) for raw in raws]


def _keep_known_files(known: object, raw: Json) -> Json:
    store = raw.get("vectorStore")
    if not isinstance(store, dict) or "files" in store or not isinstance(known, dict) or "files" not in known:
        return raw
    if known.get("id") != store.get("id"):
        return raw
    return {**raw, "vectorStore": {**store, "files": known["files"]}}

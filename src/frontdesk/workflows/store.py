"""Stored workflows: the list, and whole documents apart from the fields of a row.

A document may be megabytes: it is written only if it differs, and no list reads it.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import apsw

from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.record_lookup import WORKFLOW
from frontdesk.storage.records import Json
from frontdesk.storage.schema import FromFolder, SchemaPart
from frontdesk.storage.sql import first, rows
from frontdesk.text.fuzzy import fold_name, shared_names
from frontdesk.workflows.counter_samples import PARTS, SCHEMA_7, keep_sample
from frontdesk.workflows.models import WorkflowCounters, WorkflowListing, WorkflowRecord
from frontdesk.workflows.versions import OUTBOX_7, OUTBOX_8, keep_version, list_versions, move_to_outbox_8
from frontdesk_api import json_access
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_api.contract.values import UnixUnstated, unstated_to_seconds
from frontdesk_api.json_access import canonical
from frontdesk_lines.display_text import visible_name

GRAPH = ("trigger", "parsedData", "data", "variables")
"""Fields that a row doesn't need."""

WHOLE = "whole workflows"

READ_AGAIN_SECONDS = 20.0
"""An unchanged document or list is written again only after this time."""


class Whole(NamedTuple):
    """A whole document in the form of its row."""

    workflow_id: WorkflowId
    facts: str
    text: str
    digest: str


class OutdatedDocument(NamedTuple):
    """A listed workflow whose whole document is missing or older, and the lastModified of the list."""

    workflow_id: WorkflowId
    last_modified: float | None


def split_document(raw: Json) -> Whole:
    """Make the row of a whole document. Walks all of it: never on a screen's loop."""
    text = canonical(raw)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Whole(WorkflowId(str(raw["id"])), canonical(row_fields(raw)), text, digest)


def row_fields(raw: Json) -> Json:
    """Return the fields of a document that a row shows."""
    facts = {name: value for name, value in raw.items() if name not in GRAPH}
    analytics = facts.get("analytics")
    if isinstance(analytics, dict):
        facts["analytics"] = {name: value for name, value in analytics.items() if name not in PARTS}
    return facts


def put_whole(db: apsw.Connection, raw: Json, now: float) -> bool:
    """Store a document that was read whole just now, and list it; True if it differs."""
    whole = split_document(raw)
    differs = _put_document(db, whole, now)
    _update_listing(db, whole.workflow_id, row_fields(raw))
    return differs


def put_all_whole(db: apsw.Connection, wholes: Sequence[Whole], requested_at: float, now: float) -> bool:
    """Store the documents of an answer; True if any differs.

    Those that were stored since the request may be newer than the answer's, and stay.
    """
    known = _stored_workflows(db, [each.workflow_id for each in wholes])
    found = put_read_problem(db, "", now)
    for each in wholes:
        before = known.get(each.workflow_id)
        if before is None or before.read_at <= requested_at or before.read_at > now:
            found = _put_document(db, each, now) or found
    return found


def put_read_problem(db: apsw.Connection, why: str, now: float) -> bool:
    """Store why the whole documents can't be read, or an empty string; True if that is new."""
    if why == read_problem(db):
        return False
    db.execute(
        "INSERT INTO listings VALUES (?1, ?2, 0, ?3) ON CONFLICT (kind) DO UPDATE SET lacks = ?3",
        (WHOLE, now, why),
    )
    change_feed.append(db, change_feed.DOCUMENT, [WORKFLOW])
    return True


def read_problem(db: apsw.Connection) -> str:
    row = first(db, "SELECT lacks FROM listings WHERE kind = ?", (WHOLE,))
    return "" if row is None else str(row[0])


def are_known(db: apsw.Connection, wholes: Sequence[Whole], now: float) -> bool:
    """Whether storing these would write nothing."""
    if read_problem(db):
        return False
    known = _stored_workflows(db, [each.workflow_id for each in wholes])
    for each in wholes:
        before = known.get(each.workflow_id)
        if before is None or before.digest != each.digest or not _is_fresh(before.read_at, now):
            return False
    return True


def put_listing(
    db: apsw.Connection,
    raws: Sequence[Json],
    *,
    has_more: bool,
    requested_at: float,
    now: float,
    broken_ids: Collection[str] = (),
    keeps_unlisted: bool = False,
) -> bool:
    """Store a list, and delete documents of workflows that aren't listed any more; True if it differs.

    Args:
        has_more: the answer was incomplete, so unlisted workflows stay.
        requested_at: what was stored since may be newer than the answer, and stays.
        broken_ids: ids of workflows that couldn't be read.
        keeps_unlisted: whether workflows that the list lacks stay as they are.
    """
    known = _stored_workflows(db)
    documents = _documents(db, raws, keeps_unlisted)
    listed = {str(each["id"]) for each in documents}
    kept_ids = {
        each for each, what in known.items() if has_more or what.read_at > requested_at or each in broken_ids
    }
    kept = [json.loads(known[each].facts) for each in sorted(kept_ids - listed - set(broken_ids))]
    removed_ids = sorted(set(known) - listed - kept_ids)
    before = first(db, "SELECT has_more FROM listings WHERE kind = ?", (WORKFLOW,))
    db.execute(
        "INSERT INTO listings (kind, read_at, has_more) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (kind) DO UPDATE SET read_at = ?2, has_more = ?3",
        (WORKFLOW, now, has_more),
    )
    for table in ("workflow_documents", "workflow_texts", "workflow_samples"):
        db.executemany(f"DELETE FROM {table} WHERE workflow_id = ?", [(each,) for each in removed_ids])
    change_feed.append(db, change_feed.WORKFLOW, removed_ids)
    differs = record_lookup.replace_all(db, WORKFLOW, [*documents, *kept])
    if not differs and (before is None or bool(before[0]) is not has_more):
        change_feed.append(db, change_feed.DOCUMENT, [WORKFLOW])
        differs = True
    return differs or bool(removed_ids)


def is_listing_known(
    db: apsw.Connection, raws: Sequence[Json], *, has_more: bool, now: float, keeps_unlisted: bool = False
) -> bool:
    """Whether storing this list would write nothing."""
    row = first(db, "SELECT read_at, has_more FROM listings WHERE kind = ?", (WORKFLOW,))
    if row is None or not _is_fresh(row[0], now) or bool(row[1]) is not has_more:
        return False
    return record_lookup.are_known(db, WORKFLOW, _documents(db, raws, keeps_unlisted))


def _documents(db: apsw.Connection, raws: Sequence[Json], keeps_unlisted: bool) -> Sequence[Json]:
    documents = [row_fields(raw) for raw in raws]
    return record_lookup.add_unlisted(db, WORKFLOW, documents) if keeps_unlisted else documents


def find_outdated(db: apsw.Connection) -> frozenset[OutdatedDocument]:
    """Return the listed workflows whose whole document was never read, or has changed since."""
    return frozenset(
        OutdatedDocument(each.workflow_id, each.last_modified)
        for each in listing(db).records
        if each.read_at is None or each.is_stale
    )


def listing(db: apsw.Connection) -> WorkflowListing:
    known = _stored_workflows(db)
    records = [_record(each.document_id, each.raw, known.get(each.document_id)) for each in _listed(db)]
    shared = shared_names(each.name for each in records)
    records = [replace(each, has_namesake=True) if fold_name(each.name) in shared else each for each in records]
    row = first(db, "SELECT read_at, has_more FROM listings WHERE kind = ?", (WORKFLOW,))
    return WorkflowListing(tuple(records), *((None,) if row is None else (row[0], bool(row[1]))))


def last_read_at(db: apsw.Connection, workflow_id: str) -> float | None:
    row = first(db, "SELECT read_at FROM workflow_documents WHERE workflow_id = ?", (workflow_id,))
    return None if row is None else float(row[0])


def has_more(db: apsw.Connection) -> bool:
    """Whether the platform has workflows that it didn't list."""
    row = first(db, "SELECT has_more FROM listings WHERE kind = ?", (WORKFLOW,))
    return row is not None and bool(row[0])


def text(db: apsw.Connection, workflow_id: str) -> str | None:
    """Return a whole document as JSON; None where it was never read."""
    row = first(db, "SELECT raw FROM workflow_texts WHERE workflow_id = ?", (workflow_id,))
    return None if row is None else str(row[0])


_MAX_TRIGGERS = 1_000
_triggers: dict[str, Json] = {}
"""By the digest of their documents: to find one takes milliseconds, and a check asks for many."""


def trigger(db: apsw.Connection, workflow_id: str) -> Json | None:
    """Return the trigger of a workflow, without the rest of its document; None where it was never read."""
    row = first(db, "SELECT digest FROM workflow_documents WHERE workflow_id = ?", (workflow_id,))
    if row is not None and row[0] not in _triggers:
        sql = "SELECT raw -> '$.trigger' FROM workflow_texts WHERE workflow_id = ? AND json_valid(raw)"
        found = first(db, sql, (workflow_id,))
        if len(_triggers) >= _MAX_TRIGGERS:
            _triggers.clear()
        _triggers[row[0]] = json_access.mapping(json.loads((found and found[0]) or "null"))
    return None if row is None else _triggers[row[0]]


def is_pointed_to(db: apsw.Connection, workflow_id: str) -> bool:
    """Return whether the document of another workflow names this one as a pointer does."""
    words = canonical({"workflowId": workflow_id})[1:-1]
    found = first(
        db, "SELECT 1 FROM workflow_texts WHERE workflow_id <> ? AND instr(raw, ?)", (workflow_id, words)
    )
    return found is not None


class _StoredWorkflow(NamedTuple):
    facts: str
    digest: str
    read_at: float


def _stored_workflows(db: apsw.Connection, ids: Sequence[str] | None = None) -> dict[str, _StoredWorkflow]:
    """Return the stored workflows, or those of them with these ids."""
    only = "" if ids is None else "WHERE workflow_id IN (SELECT value FROM json_each(?))"
    found = rows(
        db,
        f"SELECT workflow_id, facts, digest, read_at FROM workflow_documents {only}",
        () if ids is None else (json.dumps(ids),),
    )
    return {each: _StoredWorkflow(*rest) for each, *rest in found}


def _put_document(db: apsw.Connection, whole: Whole, now: float) -> bool:
    row = first(db, "SELECT digest FROM workflow_documents WHERE workflow_id = ?", (whole.workflow_id,))
    read_at = first(db, "SELECT read_at FROM workflow_documents WHERE workflow_id = ?", (whole.workflow_id,))
    db.execute(
        "INSERT OR REPLACE INTO workflow_documents (workflow_id, facts, digest, read_at) VALUES (?, ?, ?, ?)",
        (whole.workflow_id, whole.facts, whole.digest, now),
    )
    if row == (whole.digest,):
        if not list_versions(db, whole.workflow_id):  # it was stored before versions were kept
            keep_version(db, whole.workflow_id, json.loads(whole.text), now)
        return False
    before, document = text(db, whole.workflow_id), json.loads(whole.text)
    keep_version(db, whole.workflow_id, document, now)
    keep_sample(db, whole.workflow_id, document, before, 0.0 if read_at is None else read_at[0], now)
    db.execute("INSERT OR REPLACE INTO workflow_texts VALUES (?, ?)", (whole.workflow_id, whole.text))
    change_feed.append(db, change_feed.WORKFLOW, [whole.workflow_id])
    return True


def _update_listing(db: apsw.Connection, workflow_id: WorkflowId, facts: Json) -> None:
    listed = _listed(db)
    now_listed = [
        _merge_fields(each.raw, facts) if each.document_id == workflow_id else each.raw for each in listed
    ]
    if all(each.document_id != workflow_id for each in listed):
        now_listed.append(facts)
    record_lookup.replace_all(db, WORKFLOW, now_listed)


def _merge_fields(listed: Json, facts: Json) -> Json:
    return {name: facts.get(name, value) for name, value in listed.items()}


def _listed(db: apsw.Connection) -> list[Any]:
    return list(record_lookup.all_of(db, WORKFLOW))


def _is_fresh(read_at: float, now: float) -> bool:
    return read_at <= now < read_at + READ_AGAIN_SECONDS


def _record(workflow_id: str, listed: Json, stored: _StoredWorkflow | None) -> WorkflowRecord:
    facts: Mapping[str, Any] = {} if stored is None else json.loads(stored.facts)
    listed_at, whole_at = (
        json_access.number(listed.get("lastModified")),
        json_access.number(facts.get("lastModified")),
    )
    is_stale = listed_at is not None and whole_at is not None and whole_at < listed_at
    raw = {**facts, **listed} if is_stale else {**listed, **facts}
    analytics = json_access.mapping(raw.get("analytics"))
    is_active = raw.get("isActive")
    return WorkflowRecord(
        workflow_id=WorkflowId(workflow_id),
        name=visible_name(json_access.text(raw.get("name"))),
        is_active=is_active if isinstance(is_active, bool) else None,
        platform=json_access.text(raw.get("platformType")),
        line_id=json_access.text(raw.get("associatedToBusinessId")),
        trigger_type=json_access.text(raw.get("triggerType")),
        folder_id=json_access.text(raw.get("folderId")),
        executions=json_access.number(raw.get("executionCount")),
        last_execution=_parse_time(raw.get("lastExecution")),
        started=json_access.number(analytics.get("totalStarted")),
        completed=json_access.number(analytics.get("totalCompleted")),
        dropped=json_access.number(analytics.get("totalDropped")),
        analytics=_analytics(raw, is_read=stored is not None),
        created=json_access.number(raw.get("created")),
        last_modified=json_access.number(raw.get("lastModified")),
        read_at=None if stored is None else stored.read_at,
        is_stale=is_stale,
        raw=raw,
    )


def _analytics(raw: Json, *, is_read: bool) -> WorkflowCounters:
    if raw.get("analytics") is not None:
        return WorkflowCounters.SHOWN
    return WorkflowCounters.NOT_ON_PLAN if is_read else WorkflowCounters.NOT_LOADED


def _parse_time(value: object) -> float | None:
    """Unix seconds of a time whose unit isn't stated; 0 is none."""
    at = json_access.number(value)
    return unstated_to_seconds(UnixUnstated(at)) if at else None


_STORE_5 = """
CREATE TABLE workflow_documents (workflow_id TEXT PRIMARY KEY, facts TEXT NOT NULL, digest TEXT NOT NULL,
    read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE workflow_texts (workflow_id TEXT PRIMARY KEY, raw TEXT NOT NULL);
"""

_OUTBOX_4 = """
CREATE TABLE workflow_bodies (
    change_id INTEGER PRIMARY KEY, body TEXT NOT NULL DEFAULT '', base TEXT, theirs TEXT
);
CREATE TABLE analytics_snapshots (
    snapshot_id INTEGER PRIMARY KEY AUTOINCREMENT, workflow_id TEXT NOT NULL, at REAL NOT NULL,
    cause TEXT NOT NULL, document TEXT NOT NULL, change_id INTEGER
);
CREATE INDEX snapshots_by_workflow ON analytics_snapshots (workflow_id, snapshot_id);
"""

SCHEMA = SchemaPart(
    store={5: [_STORE_5], 7: [SCHEMA_7]},
    outbox={4: [_OUTBOX_4], 7: [OUTBOX_7], 8: [OUTBOX_8, FromFolder(move_to_outbox_8)]},
    salvaged={
        "workflow_bodies": "change_id",
        "analytics_snapshots": "snapshot_id",
        "workflow_versions": "version_id",
    },
)

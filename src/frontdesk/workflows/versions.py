"""Whole documents of workflows that are kept in `outbox.db`, numbered for each workflow and kind.

- `LOADED`: each content that was loaded whole, as a file for an update has it: without counters, which move
  lastModified but make no version. The platform tells only the current one, so a version that came and went
  between two loads isn't known.
- `EXPORTED`: what a file was exported from, found by the workflow's id and lastModified, which every export has in
  it, wherever it was moved to. Losing one costs a merge and no work.
- `SENT`: what a file stands for after an update with it, found by its path, workflow and lastModified: by then the
  platform has a newer one, which is nobody else's doing. Losing it makes the next update of that file a conflict.
- `SNAPSHOT`: the counters, with the graph and without its canvas.

The oldest go first (`MOST`, `MAX_BYTES`).
"""

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ChangeState, JsonObject
from frontdesk.storage.sql import first, rows
from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.pending_payloads import encode, parse_document
from frontdesk_api import json_access
from frontdesk_api.redaction import redact_json
from frontdesk_flows.diff import differences, export_document

LOADED, EXPORTED, SENT, SNAPSHOT = "loaded", "exported", "sent", "snapshot"

MOST = {LOADED: 50, EXPORTED: 50, SENT: 50, SNAPSHOT: 100}
"""Of each workflow."""

MAX_BYTES = 50_000_000
"""Compressed, of a profile without its snapshots; the newest of each workflow and kind stays whatever its size."""

BEFORE_RESET, BY_HAND = "before a reset", "kept by hand"
"""Causes of snapshots, as they are stored and printed as JSON."""

NOT_RESTORED = ("isActive", "folderId")
"""A version is restored for what it does: the workflow stays on or off, and in its folder."""

OUTBOX_7 = """
CREATE TABLE workflow_versions (
    version_id INTEGER PRIMARY KEY AUTOINCREMENT, workflow_id TEXT NOT NULL, number INTEGER NOT NULL,
    last_modified REAL NOT NULL, loaded_at REAL NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
    document BLOB NOT NULL,
    UNIQUE (workflow_id, number)
);
"""

OUTBOX_8 = """
ALTER TABLE workflow_versions RENAME TO loaded_versions;
CREATE TABLE workflow_versions (
    version_id INTEGER PRIMARY KEY AUTOINCREMENT, workflow_id TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'loaded',
    number INTEGER NOT NULL, loaded_at REAL NOT NULL, label TEXT NOT NULL DEFAULT '', last_modified REAL,
    change_id INTEGER, document BLOB NOT NULL,
    UNIQUE (workflow_id, kind, number)
);
CREATE INDEX versions_by_size ON workflow_versions (kind, length(document));
INSERT INTO workflow_versions (workflow_id, number, loaded_at, label, last_modified, document)
    SELECT workflow_id, number, loaded_at, digest, last_modified, document FROM loaded_versions
    ORDER BY version_id;
DROP TABLE loaded_versions;
"""
"""`label` is the cause of a snapshot, the digest of what was loaded, and the place of a file that was sent."""


def move_to_outbox_8(db: apsw.Connection, folder: Path) -> None:
    """Take over snapshots, with their numbers, and files of versions that files were made from."""
    sql = "INSERT INTO workflow_versions (workflow_id, kind, number, loaded_at, label, last_modified, change_id,"
    sql += " document) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    snapshots = "SELECT workflow_id, 'snapshot', snapshot_id, at, cause, NULL, change_id, document"
    for *row, document in db.execute(f"{snapshots} FROM analytics_snapshots ORDER BY snapshot_id"):
        db.execute(sql, (*row, zlib.compress(document.encode())))
    db.execute("DROP TABLE analytics_snapshots")
    files = [*folder.glob("exported-workflows/*.json"), *folder.glob("sent-workflows/*.json")]
    dated = sorted((path.stat().st_mtime, path) for path in files if path.is_file())
    for number, (at, path) in enumerate(dated):
        try:
            found = json.loads(path.read_bytes())
            for place, each in enumerate(reversed(found.get("updates") or [{"document": found}])):
                document = each["document"]
                kind, label, version = "sent", path.stem, None if each.get("isMerged") else each.get("version")
                if found is document:
                    kind, label, version = "exported", "", document["lastModified"]
                packed = zlib.compress(json.dumps(document, separators=(",", ":")).encode())
                row = document["id"], kind, 3 * number + place + 1, at, label, version, each.get("change"), packed
                db.execute(sql, row)
        except (OSError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            continue  # a damaged file was of no use before
        except apsw.ConstraintError:
            continue


def keep(
    db: apsw.Connection,
    workflow_id: str,
    kind: str,
    document: Mapping[str, Any],
    label: str,
    now: float,
    *,
    version: float | None = None,
    change_id: int | None = None,
) -> int:
    """Keep a document, found by its number or a given lastModified; deletes the oldest, returns its number."""
    of_kind = "FROM outbox.workflow_versions WHERE workflow_id = ?1 AND kind = ?2"
    db.execute(
        "INSERT INTO outbox.workflow_versions"
        " (workflow_id, kind, number, loaded_at, label, last_modified, change_id, document)"
        f" SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7 {of_kind}",
        (workflow_id, kind, now, label, version, change_id, zlib.compress(encode(document).encode())),
    )
    db.execute(
        "DELETE FROM outbox.workflow_versions WHERE version_id IN"
        f" (SELECT version_id {of_kind} ORDER BY number DESC LIMIT -1 OFFSET ?3)",
        (workflow_id, kind, MOST[kind]),
    )
    of_size = "FROM outbox.workflow_versions WHERE kind <> ?"
    if (first(db, f"SELECT total(length(document)) {of_size}", (SNAPSHOT,)) or (0,))[0] > MAX_BYTES:
        db.execute(
            "DELETE FROM outbox.workflow_versions WHERE version_id IN (SELECT version_id FROM (SELECT version_id,"
            " sum(length(document)) OVER (ORDER BY version_id DESC) AS bytes,"
            f" max(version_id) OVER (PARTITION BY workflow_id, kind) AS newest {of_size})"
            " WHERE bytes > ? AND version_id < newest)",
            (SNAPSHOT, MAX_BYTES * 0.9),  # so that not every one pays for it
        )
    return list_versions(db, workflow_id, kind)[0].number


def keep_snapshot(
    db: apsw.Connection,
    workflow_id: str,
    document: Mapping[str, Any],
    cause: str,
    now: float,
    change_id: int | None = None,
) -> int:
    """Keep a workflow's analytics and graph, without its canvas; returns the snapshot's number."""
    kept = {name: value for name, value in document.items() if name != "data"}
    return keep(db, workflow_id, SNAPSHOT, kept, cause, now, change_id=change_id)


def save_snapshot(store: ProfileStore, workflow_id: str, document: Mapping[str, Any]) -> "Future[int]":
    """Keep a snapshot on a user's wish."""
    now = store.clock()
    return store.write(lambda db: keep_snapshot(db, workflow_id, document, BY_HAND, now))


def delete_snapshot_of(db: apsw.Connection, change_id: int) -> None:
    db.execute("DELETE FROM outbox.workflow_versions WHERE kind = ? AND change_id = ?", (SNAPSHOT, change_id))


def keep_version(db: apsw.Connection, workflow_id: str, document: Mapping[str, Any], now: float) -> bool:
    """Keep a document that was loaded whole; False if it has no lastModified, or is the newest kept."""
    modified = json_access.number(document.get("lastModified"))
    if modified is None:
        return False
    content = export_document(document)
    content.pop("lastModified", None)
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
    if any(each.label == digest for each in list_versions(db, workflow_id)[:1]):
        return False
    keep(db, workflow_id, LOADED, {**content, "lastModified": modified}, digest, now, version=modified)
    return True


def list_versions(db: apsw.Connection, workflow_id: str, kind: str = LOADED) -> list[VersionRecord]:
    found = rows(
        db,
        "SELECT number, coalesce(last_modified, 0.0), loaded_at, length(document), label"
        " FROM outbox.workflow_versions WHERE workflow_id = ? AND kind = ? ORDER BY number DESC",
        (workflow_id, kind),
    )
    return [VersionRecord(*row) for row in found]


def find(
    db: apsw.Connection, workflow_id: str, kind: str, *, number: int | None = None, version: float | None = None
) -> dict[str, Any] | None:
    """Return the document with a number or lastModified; None if it isn't kept, or is damaged."""
    row = first(
        db,
        "SELECT document FROM outbox.workflow_versions WHERE workflow_id = ? AND kind = ?"
        " AND (number = ? OR last_modified = ?) ORDER BY number DESC",
        (workflow_id, kind, number, version),
    )
    return None if row is None else unpack(row[0])


def unpack(packed: bytes) -> dict[str, Any] | None:
    """Return a stored document; None for a damaged one."""
    try:
        return parse_document(zlib.decompress(packed).decode())
    except (zlib.error, ValueError):
        return None


def version_document(db: apsw.Connection, workflow_id: str, number: int) -> dict[str, Any]:
    """Return a version as a file for an update; raise NotPossible if it isn't kept, or is damaged."""
    kept = [each.number for each in list_versions(db, workflow_id)]
    if number not in kept:
        which = f"; the kept ones are {kept[-1]} to {kept[0]}" if kept else "; none is kept on this machine"
        raise NotPossible(f"version {number} isn't kept{which}")
    found = find(db, workflow_id, LOADED, number=number)
    if found is None:
        raise NotPossible(f"version {number} is damaged and can't be read")
    return found


def restore_file(version: dict[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Make the file that restores a version over what is stored, as an edit of that."""
    kept = {name: value for name, value in version.items() if name not in NOT_RESTORED}
    return kept | {"lastModified": stored.get("lastModified")}


def unrestored_fields(version: Mapping[str, Any], stored: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that a version lacks, which an update leaves as they are stored."""
    return tuple(
        name
        for name, value in export_document(stored).items()
        if value is not None and version.get(name) is None and name not in ("id", "lastModified", *NOT_RESTORED)
    )


def compare_each(
    db: apsw.Connection, workflow_id: str, summarize: Callable[[dict[str, Any], dict[str, Any]], str]
) -> list[tuple[VersionRecord, str]]:
    """Return the versions, newest first, each with a summary of its changes to the kept one before it.

    Of the oldest it is empty: what came before isn't known. Reads all documents: never on a screen's loop.
    """
    found: list[tuple[VersionRecord, str]] = []
    before: dict[str, Any] | None = None
    for each in reversed(list_versions(db, workflow_id)):
        try:
            document = version_document(db, workflow_id, each.number)
        except NotPossible as error:
            found.append((each, str(error)))
            before = None
            continue
        found.append((each, "" if before is None else summarize(before, document)))
        before = document
    return found[::-1]


class FileOrigin(NamedTuple):
    """A file with the lastModified of the version that it stands for now, and that version if it is kept."""

    file: JsonObject
    base: JsonObject | None = None


def keep_base(db: apsw.Connection, stored: Mapping[str, Any], now: float) -> None:
    """Keep a version that is being exported, if it has an id and a lastModified."""
    workflow_id, version = json_access.text(stored.get("id")), json_access.number(stored.get("lastModified"))
    if workflow_id and version is not None:
        sql = "DELETE FROM outbox.workflow_versions WHERE workflow_id = ? AND kind = ? AND last_modified = ?"
        db.execute(sql, (workflow_id, EXPORTED, version))
        keep(db, workflow_id, EXPORTED, redact_json(export_document(stored)), "", now, version=version)


def find_base(db: apsw.Connection, file: Mapping[str, Any], workflow_id: str) -> JsonObject | None:
    """Return the version that a file was exported from; None if it isn't kept here."""
    return find(db, workflow_id, EXPORTED, version=json_access.number(file.get("lastModified")))


def keep_sent(
    db: apsw.Connection,
    path: str | Path,
    file: Mapping[str, Any],
    base: Mapping[str, Any],
    now: float,
    *,
    version: float | None = None,
    change_id: int | None = None,
) -> None:
    """Keep what a file stands for after an update with it.

    Args:
        file: as it was read, with its own lastModified.
        base: the whole workflow that the file's changes were made to, with its id.
        version: the lastModified that it was stored with; None if that isn't known yet, or if changes of others
            were sent with it, which the file lacks.
        change_id: the change in the outbox, if it isn't confirmed yet.
    """
    workflow_id = json_access.text(base.get("id"))
    if place := _place(path, file, workflow_id):
        document = redact_json({**base, **file, "id": workflow_id})
        keep(db, workflow_id, SENT, document, place, now, version=version, change_id=change_id)


def find_origin(db: apsw.Connection, path: str | Path, file: JsonObject, stored: Mapping[str, Any]) -> FileOrigin:
    """Find what a file was made from: its export, or the user's own last update of this very file."""
    workflow_id, now = json_access.text(stored.get("id")), json_access.number(stored.get("lastModified"))
    place = _place(path, file, workflow_id)
    sent = rows(
        db,
        "SELECT last_modified, change_id, document FROM outbox.workflow_versions"
        " WHERE workflow_id = ? AND kind = ? AND label = ? ORDER BY number DESC",
        (workflow_id, SENT, place),
    )
    for version, change_id, packed in sent if place and now not in (None, file.get("lastModified")) else ():
        document = unpack(packed)
        if document is None:
            continue
        if version is None and not differences(stored, document):
            version = now  # nothing but what was sent is stored
        if version is not None:
            same = stored["lastModified"] if version == now else version
            return FileOrigin({**file, "lastModified": same}, document)
        change = None if change_id is None else queue.change(db, change_id)
        if change_id is None or (change is not None and change.state is ChangeState.CONFIRMED):
            return FileOrigin(file, document)  # others have changed it, and the file lacks that
    return FileOrigin(file, find_base(db, file, workflow_id))


def _place(path: str | Path, file: Mapping[str, Any], workflow_id: str) -> str:
    """Return what a file's updates are found by; empty for what is no file of a version."""
    made_from = json_access.number(file.get("lastModified"))
    if made_from is None or not workflow_id or str(path) == "-":
        return ""
    words = f"{os.path.realpath(path)}\n{workflow_id}\n{float(made_from)!r}"
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]

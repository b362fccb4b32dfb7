"""Versions of workflows in `outbox.db`: each whole document that was loaded with another lastModified and content.

The platform tells only the current version, so a version that came and went between two loads isn't known. Each is
kept as a file for an update has it, compressed and without counters, which move lastModified but make no version.
The oldest go first (`MAX_VERSIONS`, `MAX_BYTES`).
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import apsw

from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.sql import first, rows
from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.pending_payloads import encode, parse_document
from frontdesk_api import json_access
from frontdesk_flows.diff_models import export_document

MAX_VERSIONS = 50
"""Of each workflow."""

MAX_BYTES = 50_000_000
"""Compressed bytes of all versions of a profile; the newest version of each workflow stays whatever its size."""

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


def has_any(db: apsw.Connection, workflow_id: str) -> bool:
    """Whether a version of this workflow is kept."""
    return first(db, "SELECT 1 FROM outbox.workflow_versions WHERE workflow_id = ?", (workflow_id,)) is not None


def keep_version(db: apsw.Connection, workflow_id: str, document: Mapping[str, Any], now: float) -> bool:
    """Keep a document that was loaded whole; False if it has no lastModified, or is the newest kept."""
    modified = json_access.number(document.get("lastModified"))
    if modified is None:
        return False
    content = export_document(document)
    content.pop("lastModified", None)
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
    newest = first(
        db,
        "SELECT number, digest FROM outbox.workflow_versions WHERE workflow_id = ? ORDER BY number DESC",
        (workflow_id,),
    )
    if newest is not None and newest[1] == digest:
        return False
    number = 1 if newest is None else int(newest[0]) + 1
    packed = zlib.compress(encode({**content, "lastModified": modified}).encode())
    db.execute(
        "INSERT INTO outbox.workflow_versions"
        " (workflow_id, number, last_modified, loaded_at, digest, size, document) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (workflow_id, number, modified, now, digest, len(packed), packed),
    )
    db.execute(
        "DELETE FROM outbox.workflow_versions WHERE workflow_id = ? AND number <= ?",
        (workflow_id, number - MAX_VERSIONS),
    )
    _delete_over_size(db)
    return True


def _delete_over_size(db: apsw.Connection) -> None:
    """Delete the oldest versions of all workflows until the rest is small enough."""
    (total,) = first(db, "SELECT total(size) FROM outbox.workflow_versions") or (0,)
    over = float(total) - MAX_BYTES
    if over <= 0:
        return
    spare = rows(
        db,
        "SELECT version_id, size FROM outbox.workflow_versions AS each WHERE number <"
        " (SELECT max(number) FROM outbox.workflow_versions WHERE workflow_id = each.workflow_id)"
        " ORDER BY version_id",
    )
    # Numbers have no holes: the oldest versions of all workflows are the first of each.
    for version_id, size in spare:
        if over <= 0:
            return
        db.execute("DELETE FROM outbox.workflow_versions WHERE version_id = ?", (version_id,))
        over -= size


def list_versions(db: apsw.Connection, workflow_id: str) -> list[VersionRecord]:
    """Return the versions of a workflow, newest first."""
    found = rows(
        db,
        "SELECT number, last_modified, loaded_at, size FROM outbox.workflow_versions WHERE workflow_id = ?"
        " ORDER BY number DESC",
        (workflow_id,),
    )
    return [VersionRecord(int(number), float(at), float(loaded), int(size)) for number, at, loaded, size in found]


def version_document(db: apsw.Connection, workflow_id: str, number: int) -> dict[str, Any]:
    """Return a version as a file for an update; raise NotPossible if it isn't kept, or is damaged."""
    row = first(
        db,
        "SELECT document FROM outbox.workflow_versions WHERE workflow_id = ? AND number = ?",
        (workflow_id, number),
    )
    if row is None:
        kept = [each.number for each in list_versions(db, workflow_id)]
        which = f"; the kept ones are {kept[-1]} to {kept[0]}" if kept else "; none is kept on this machine"
        raise NotPossible(f"version {number} isn't kept{which}")
    try:
        found = parse_document(zlib.decompress(row[0]).decode())
    except (zlib.error, ValueError):
        found = None
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

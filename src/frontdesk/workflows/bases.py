"""The versions that files were exported from, and what own updates stored of files: for a three-way comparison.

An exported version is found by the workflow's id and lastModified, which every export has in it, wherever it was
moved to. Losing one costs a merge and no work.

A file keeps the lastModified that it was exported with. After an update of it the platform has a newer one, which
is nobody else's doing. What a file stands for after an update is kept under the file's path, its workflow and its
lastModified; losing it makes the next update of that file a conflict.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage.records import ChangeState
from frontdesk.storage.sql import rows
from frontdesk.workflows.versions import EXPORTED, SENT, find, keep, unpack
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.redaction import redact_json
from frontdesk_flows.diff import differences
from frontdesk_flows.diff_models import export_document


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

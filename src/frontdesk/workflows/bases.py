"""The versions that files were exported from, and what own updates stored of files: for a three-way comparison.

Each version is a file of its own in the profile's folder, named for the workflow's id and lastModified, which
every export has in it: it is found wherever the export was moved to, by screens and command line. The files are
copies: losing one costs a merge and no work.

A file keeps the lastModified that it was exported with. After an update of it the platform has a newer one, which
is nobody else's doing. What was sent is kept in a file named for the path of the user's file, its workflow and its
lastModified; losing one makes the next update of that file a conflict.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from frontdesk.api.contract.base import JsonObject
from frontdesk.config.file_access import read_regular_text
from frontdesk.config.paths import replace_file
from frontdesk.storage import json_access
from frontdesk.text.redaction import redact_json
from frontdesk.workflows.diff import differences
from frontdesk.workflows.diff_models import REQUEST_ONLY
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk.workflows.request_body import export_document, format_document

FOLDER = "exported-workflows"

MAX_BASES = 200
"""Versions kept in a profile; the ones exported longest ago go first."""


def keep_base(data_folder: Path, stored: Mapping[str, Any]) -> bool:
    """Keep a version that is being exported; False if it can't be, which must not stop the export."""
    path = _path(data_folder, stored)
    return path is not None and keep_version(path, format_document(redact_json(export_document(stored))))


def keep_version(path: Path, text: str) -> bool:
    """Write a version and delete the oldest of its folder; False if it can't be written."""
    try:
        replace_file(path, text)
        kept = sorted(path.parent.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)
    except OSError:
        return False
    for old in kept[MAX_BASES:]:
        with contextlib.suppress(OSError):
            old.unlink()
    return True


def find_base(data_folder: Path, file: Mapping[str, Any], workflow_id: str) -> dict[str, Any] | None:
    """Return the version that a file was exported from; None if it isn't kept here."""
    path = _path(data_folder, {**file, "id": workflow_id})
    if path is None:
        return None
    try:
        found = parse_document(read_regular_text(path))
    except (OSError, ValueError):
        return None
    is_same = found is not None and found.get("id") == workflow_id
    return (
        found if is_same and found is not None and found.get("lastModified") == file.get("lastModified") else None
    )


def _path(data_folder: Path, document: Mapping[str, Any]) -> Path | None:
    identity, version = document.get("id"), document.get("lastModified")
    if not isinstance(identity, str) or not identity or isinstance(version, bool):
        return None
    if not isinstance(version, int | float):
        return None
    name = hashlib.sha256(f"{identity}\n{float(version)!r}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return data_folder / FOLDER / f"{name}.json"


SENT_FOLDER = "sent-workflows"

MAX_KEPT = 3
"""Updates kept of one file: one that waits in the outbox may be undone before it is sent."""


class FileOrigin(NamedTuple):
    """A file with the lastModified of the version that it stands for now, and that version if it is kept."""

    file: JsonObject
    base: JsonObject | None


def keep_sent(
    data_folder: Path,
    path: str | Path,
    file: Mapping[str, Any],
    body: Mapping[str, Any],
    base: Mapping[str, Any],
    *,
    version: float | None = None,
    change_id: int | None = None,
    is_merged: bool = False,
) -> bool:
    """Keep what was sent of a file; False if it can't be kept, which must not stop the update.

    Args:
        file: as it was read, with its own lastModified.
        body: what was sent, or will be.
        base: the whole workflow that the file's changes were made to, with its id.
        version: the lastModified that it was stored with; None if that isn't known yet.
        change_id: the change in the outbox, if it is sent from there.
        is_merged: `body` also has changes of others, which the file lacks.
    """
    record = _record_path(data_folder, path, file, json_access.text(base.get("id")))
    if record is None:
        return False
    left = (*REQUEST_ONLY, "lastModified")
    sent = {name: value for name, value in body.items() if name not in left}
    kept = {
        "version": version,
        "change": change_id,
        "isMerged": is_merged,
        "document": {**base, **file, "id": base.get("id")},
        "sent": sent,
    }
    updates = [kept, *_read_updates(record)[: MAX_KEPT - 1]]
    return keep_version(record, format_document(redact_json({"updates": updates})))


def find_origin(
    data_folder: Path,
    path: str | Path,
    file: JsonObject,
    stored: Mapping[str, Any],
    is_confirmed: Callable[[int], bool] | None = None,
) -> FileOrigin:
    """Find what a file was made from: its export, or the user's own last update of this very file.

    Args:
        stored: the workflow as the platform has it now, with its id.
        is_confirmed: whether a change in the outbox is confirmed.
    """
    workflow_id = json_access.text(stored.get("id"))
    record = _record_path(data_folder, path, file, workflow_id)
    now = json_access.number(stored.get("lastModified"))
    if record is None or now is None or file.get("lastModified") == now:
        return FileOrigin(file, find_base(data_folder, file, workflow_id))
    for kept in _read_updates(record):
        sent, version = json_access.mapping(kept.get("sent")), json_access.number(kept.get("version"))
        if version is None and sent and not differences({name: stored.get(name) for name in sent}, sent):
            version = now  # nothing but what was sent is stored
        change_id = kept.get("change")
        if version is None and not (is_confirmed and isinstance(change_id, int) and is_confirmed(change_id)):
            continue
        document = dict(json_access.mapping(kept.get("document")))
        if version is None or kept.get("isMerged") is True:  # others have changed it, and the file lacks that
            return FileOrigin(file, document)
        same = stored["lastModified"] if version == now else version
        return FileOrigin({**file, "lastModified": same}, document)
    return FileOrigin(file, find_base(data_folder, file, workflow_id))


def _read_updates(record: Path) -> list[Mapping[str, Any]]:
    """Read the kept updates of a file, newest first."""
    try:
        kept = parse_document(read_regular_text(record)) or {}
    except (OSError, ValueError):
        return []
    return [each for each in json_access.elements(kept.get("updates")) if isinstance(each, dict)]


def _record_path(data_folder: Path, path: str | Path, file: Mapping[str, Any], workflow_id: str) -> Path | None:
    made_from = json_access.number(file.get("lastModified"))
    if made_from is None or not workflow_id or str(path) == "-":
        return None
    words = f"{os.path.realpath(path)}\n{workflow_id}\n{float(made_from)!r}"
    name = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return data_folder / SENT_FOLDER / f"{name}.json"

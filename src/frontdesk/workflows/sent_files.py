"""What the user's own updates stored of a file, so that the same file can be edited and sent again.

A file keeps the lastModified that it was exported with. After an update of it the platform has a newer one, which
is nobody else's doing. What was sent is kept in the profile's folder, in a file named for the path of the user's
file, its workflow and its lastModified; losing one makes the next update of that file a conflict.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from frontdesk.config.file_access import read_regular_text
from frontdesk.workflows.bases import find_base, keep_version
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk.workflows.request_body import format_document
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.redaction import redact_json
from frontdesk_flows.diff import differences
from frontdesk_flows.diff_models import REQUEST_ONLY

FOLDER = "sent-workflows"

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
    return data_folder / FOLDER / f"{name}.json"

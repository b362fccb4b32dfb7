"""The versions that files were exported from, for a three-way comparison when somebody else was faster.

Each is a file of its own in the profile's folder, named for the workflow's id and lastModified, which every export
has in it: it is found wherever the export was moved to, by screens and command line. The files are copies: losing
one costs a merge and no work.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from frontdesk.config.file_access import read_regular_text
from frontdesk.config.paths import replace_file
from frontdesk.workflows.pending_payloads import parse_document
from frontdesk.workflows.request_body import export_document, format_document
from frontdesk_api.redaction import redact_json

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

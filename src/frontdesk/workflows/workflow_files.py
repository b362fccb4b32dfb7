"""Files of workflows: the only workflow in a file, or the one of an id, and a new file of one."""

from collections.abc import Mapping
from json import JSONDecodeError
from pathlib import Path
from stat import S_ISREG
from typing import Any

from frontdesk.config.paths import write_new_file
from frontdesk.outbox.changes import NotPossible
from frontdesk.workflows import request_body
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.json_parser import describe_error, parse_file_values
from frontdesk_api.redaction import redact_json

MAX_BYTES = 50_000_000
"""Bytes; a workflow of 10,000 nodes has a tenth of that."""

KINDS = (".json", ".jsonl")


def read_workflow(path: str, wanted: str = "") -> JsonObject:
    """Read a file's only workflow, or the one with the wanted id; raise NotPossible with the place of a fault."""
    name = Path(path).name
    try:
        if not S_ISREG(Path(path).stat().st_mode):  # a pipe or a device may never end
            raise NotPossible(f"{name} isn't a regular file", quotes=True)
        with Path(path).open("rb") as file:
            body = file.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise NotPossible(f"{name} is too large for a workflow (over {MAX_BYTES:,} bytes)", quotes=True)
        found = parse_file_values(body)
    except JSONDecodeError as error:
        raise NotPossible(f"{name}{describe_error(error)}", quotes=True) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise NotPossible(f"couldn't read {name}: {reason}", quotes=True) from None
    return _only_workflow(_entries(found), name, wanted)


def write_workflow(stored: Mapping[str, Any], path: Path) -> int:
    """Write a workflow into a new file as an update takes it; returns the bytes written, or raises OSError."""
    text = request_body.format_document(redact_json(request_body.export_document(stored)))
    write_new_file(path, text)
    return len(text.encode())


def _entries(values: list[Any]) -> list[Any]:
    """Return the entries of a list, of an answer of the platform, or of a file of lines."""
    if len(values) != 1:
        return values
    (only,) = values
    if isinstance(only, dict) and isinstance(only.get("result"), list) and "trigger" not in only:
        only = only["result"]
    return only if isinstance(only, list) else [only]


def _only_workflow(entries: list[Any], name: str, wanted: str) -> JsonObject:
    found = [each for each in entries if isinstance(each, dict)]
    if wanted and len(found) > 1:
        found = [each for each in found if each.get("id") == wanted]
    if len(found) == 1:
        return found[0]
    if not found:
        such = f" with the id {wanted}" if wanted and len(entries) > 1 else ": expected a JSON object"
        raise NotPossible(f"{name} has no workflow{such}", quotes=True)
    raise NotPossible(f"{name} has {len(found):,} workflows; put the one you want in its own file", quotes=True)

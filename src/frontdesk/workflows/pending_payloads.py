"""Payloads of workflow changes in `outbox.db`.

A graph may be megabytes, so it is stored as text, apart from its change. The texts are ASCII: JSON may hold lone
surrogates, which UTF-8 can't encode.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, Json
from frontdesk.storage.sql import first

KEEP_BODIES = 20
"""Graphs of this many finished changes are kept, so that they can be reverted."""


class Payload(NamedTuple):
    """The payload of a workflow's change, as JSON texts.

    Attributes:
        body: empty if nothing is sent, as for a reset.
        base: the whole workflow when the change was made; once it is sent, right before that.
        theirs: in a conflict, the whole workflow as the platform has it.
    """

    body: str = ""
    base: str | None = None
    theirs: str | None = None


def encode(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def digest_of(text: str) -> str:
    """Return the digest that shows whether a stored body is whole."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def describe_body(body: Mapping[str, Any]) -> Json:
    """Fields of a change that describe its body: the parts that it sends, and the size of its graph."""
    nodes = body.get("parsedData")
    fields: Json = {"parts": [name for name in body if name not in ("lastModified", "autoLayout", "autoClean")]}
    return {**fields, "nodes": len(nodes)} if isinstance(nodes, list) else fields


def is_switch(change: Change) -> bool:
    """Whether a change does nothing but switch a workflow on or off."""
    return (
        change.kind is ChangeKind.WORKFLOW_UPDATE and "isActive" in change.fields and "parts" not in change.fields
    )


def put_payload(db: apsw.Connection, change_id: int, body: str, base: str | None) -> None:
    """Store the payload of a change, and delete those of older finished changes."""
    db.execute(
        "INSERT OR REPLACE INTO outbox.workflow_bodies (change_id, body, base) VALUES (?, ?, ?)",
        (change_id, body, base),
    )
    _delete_old_payloads(db)


def set_base(db: apsw.Connection, change_id: int, base: str) -> None:
    """Store the workflow as it is right before a change is sent, for a comparison afterwards."""
    db.execute(
        "INSERT INTO outbox.workflow_bodies (change_id, base) VALUES (?, ?)"
        " ON CONFLICT (change_id) DO UPDATE SET base = excluded.base, theirs = NULL",
        (change_id, base),
    )
    _delete_old_payloads(db)


def _delete_old_payloads(db: apsw.Connection) -> None:
    open_ones = ", ".join(f"'{state}'" for state in (*UNCONFIRMED, *NEEDS_PERSON))
    over = (
        "SELECT change_id FROM outbox.workflow_bodies LEFT JOIN outbox.changes USING (change_id)"
        f" WHERE coalesce(state, '') NOT IN ({open_ones}) ORDER BY change_id DESC LIMIT -1 OFFSET ?"
    )
    db.execute(f"DELETE FROM outbox.workflow_bodies WHERE change_id IN ({over})", (KEEP_BODIES,))


def set_theirs(db: apsw.Connection, change_id: int, theirs: str) -> None:
    db.execute("UPDATE outbox.workflow_bodies SET theirs = ? WHERE change_id = ?", (theirs, change_id))


def payload(db: apsw.Connection, change_id: int) -> Payload:
    """Return the payload of a change; empty if it isn't stored (any more)."""
    row = first(db, "SELECT body, base, theirs FROM outbox.workflow_bodies WHERE change_id = ?", (change_id,))
    return Payload() if row is None else Payload(str(row[0]), row[1], row[2])


def parse_document(text: str | None) -> dict[str, Any] | None:
    """Parse a stored text; None if missing or damaged."""
    try:
        found = None if not text else json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def find_pending(db: apsw.Connection, target: str, about: str) -> list[Change]:
    """Return the unconfirmed changes of one workflow or webhook, oldest first."""
    return [each for each in queue.live_for(db, target) if each.kind.about == about]


def list_pending(db: apsw.Connection) -> list[Change]:
    """Return the unconfirmed changes of all workflows, oldest first."""
    kinds = [kind for kind in ChangeKind if kind.about == "workflow"]
    found = [each for kind in kinds for each in queue.unsettled(db, kind) if each.state in UNCONFIRMED]
    return sorted(found, key=lambda each: each.change_id)

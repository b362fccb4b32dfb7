"""Recovery of a person's work from files that were removed or replaced while open."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from frontdesk.storage.database import Store
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, ChangeState
from frontdesk.storage.sql import Row, first, rows

_COLUMNS = (
    "batch, kind, target, fields, base, label, state, made_at, send_after, sends, sent_at, settled_at, reason,"
    " theirs"
)
_STATE, _SENT_AT = 6, 10
_SNAPSHOT = "workflow_id, at, cause, document"


@dataclass(frozen=True, slots=True)
class UnsavedWork:
    """Rows of a removed outbox: open changes, own marks, campaigns and workflows to send, analytics snapshots.

    Attributes:
        changes: each preceded by its id, which `workflow_bodies` refers to; it gets a new one.
    """

    changes: tuple[Row, ...] = ()
    kept: tuple[Row, ...] = ()
    bodies: tuple[Row, ...] = ()
    workflow_bodies: tuple[Row, ...] = ()
    snapshots: tuple[Row, ...] = ()


def unsaved_work(store: Store) -> UnsavedWork:
    """Read the unsettled rows of a store whose files were replaced."""
    if not store.is_replaced:
        return UnsavedWork()
    states = [str(state) for state in (*UNCONFIRMED, *NEEDS_PERSON)]
    marks = ", ".join("?" * len(states))
    try:
        changes = rows(
            store.reading,
            f"SELECT change_id, {_COLUMNS} FROM outbox.changes WHERE state IN ({marks}) ORDER BY change_id",
            states,
        )
        kept = rows(store.reading, "SELECT kind, id, value, at FROM outbox.kept")
        bodies = rows(store.reading, "SELECT campaign_id, body, at FROM outbox.bodies")
        graphs = rows(store.reading, "SELECT change_id, body, base, theirs FROM outbox.workflow_bodies")
        snapshots = rows(store.reading, f"SELECT {_SNAPSHOT} FROM outbox.analytics_snapshots ORDER BY snapshot_id")
    except apsw.Error:  # damaged: what was readable was carried over when it was set aside
        return UnsavedWork()
    return UnsavedWork(tuple(changes), tuple(kept), tuple(bodies), tuple(graphs), tuple(snapshots))


def restore(db: apsw.Connection, left: UnsavedWork, rebuild_overlay: Callable[[apsw.Connection], object]) -> int:
    """Insert missing rows into this outbox; returns how many changes.

    Args:
        rebuild_overlay: updates what lists show of changes, in the same transaction.
    """
    count = 0
    graphs = {row[0]: row[1:] for row in left.workflow_bodies}
    for change_id, *row in left.changes:
        if _is_there(db, row):
            continue
        values: list[Any] = list(row)
        if row[_STATE] == ChangeState.SENDING:
            # Nobody could write down what became of it: it is read back before anything is sent again.
            values[_STATE], values[_SENT_AT] = str(ChangeState.UNKNOWN), time.time()
        marks = ", ".join("?" * len(values))
        db.execute(f"INSERT INTO outbox.changes ({_COLUMNS}) VALUES ({marks})", values)
        if change_id in graphs:
            graph = (db.last_insert_rowid(), *graphs[change_id])
            db.execute(
                "INSERT INTO outbox.workflow_bodies (change_id, body, base, theirs) VALUES (?, ?, ?, ?)", graph
            )
        count += 1
    for each in left.kept:
        db.execute("INSERT OR IGNORE INTO outbox.kept (kind, id, value, at) VALUES (?, ?, ?, ?)", each)
    for each in left.bodies:
        db.execute("INSERT OR IGNORE INTO outbox.bodies (campaign_id, body, at) VALUES (?, ?, ?)", each)
    for each in left.snapshots:
        if (
            first(db, "SELECT 1 FROM outbox.analytics_snapshots WHERE workflow_id = ? AND at = ?", each[:2])
            is None
        ):
            db.execute(f"INSERT INTO outbox.analytics_snapshots ({_SNAPSHOT}) VALUES (?, ?, ?, ?)", each)
    if count:
        rebuild_overlay(db)
    return count


def _is_there(db: apsw.Connection, row: Sequence[Any]) -> bool:
    found = first(
        db,
        "SELECT 1 FROM outbox.changes WHERE batch = ? AND kind = ? AND target = ? AND fields = ? AND made_at = ?",
        (*row[:4], row[7]),
    )
    return found is not None

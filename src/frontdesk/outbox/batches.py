"""Batches: all changes of one user action, for undo and redo after a restart and in another process."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import apsw

from frontdesk.storage.sql import first

MAX_BATCHES = 200
"""How many actions can be undone at most; older changes stay in Activity."""

_COLUMNS = "deed_id, label, batch, made_at, state"


class BatchState(StrEnum):
    """Whether an action is done, undone, or too old for both."""

    DONE = "done"
    UNDONE = "undone"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Batch:
    """An action's label, and the batch id of its changes, undo and redo included."""

    deed_id: int
    label: str
    batch: str
    made_at: float
    state: BatchState


def new_batch() -> str:
    """Make an id for the changes of one action."""
    return uuid.uuid4().hex


def record(db: apsw.Connection, label: str, batch: str, now: float) -> None:
    """Store a new action; actions undone before can't be redone any more."""
    db.execute("UPDATE outbox.deeds SET state = ? WHERE state = ?", (str(BatchState.PAST), str(BatchState.UNDONE)))
    db.execute(
        "INSERT INTO outbox.deeds (label, batch, made_at, state) VALUES (?, ?, ?, ?)",
        (label, batch, now, str(BatchState.DONE)),
    )
    db.execute("DELETE FROM outbox.deeds WHERE deed_id <= ?", (db.last_insert_rowid() - MAX_BATCHES,))


def newest_done(db: apsw.Connection) -> Batch | None:
    """The action that undo applies to."""
    return _one(db, BatchState.DONE, "DESC")


def last_undone(db: apsw.Connection) -> Batch | None:
    """The action that redo applies to: undo goes back in time, so it is the oldest undone one."""
    return _one(db, BatchState.UNDONE, "ASC")


def of_batch(db: apsw.Connection, batch: str) -> Batch | None:
    """The action of a batch, where it can still be undone or redone."""
    row = first(db, f"SELECT {_COLUMNS} FROM outbox.deeds WHERE batch = ?", (batch,))
    return None if row is None else _batch(row)


def move(db: apsw.Connection, deed: Batch, state: BatchState) -> None:
    """Set an action's state."""
    db.execute("UPDATE outbox.deeds SET state = ? WHERE deed_id = ?", (str(state), deed.deed_id))


def _one(db: apsw.Connection, state: BatchState, order: str) -> Batch | None:
    row = first(
        db,
        f"SELECT {_COLUMNS} FROM outbox.deeds WHERE state = ? ORDER BY deed_id {order} LIMIT 1",
        (str(state),),
    )
    return None if row is None else _batch(row)


def _batch(row: Sequence[Any]) -> Batch:
    return Batch(row[0], row[1], row[2], row[3], BatchState(row[4]))

"""Batches: what a person did in one go, for undo and redo after a restart and in another process.

Rows of `outbox.db`, beside the changes that an action is made of; `services` records and walks them.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import apsw

from frontdesk.storage.sql import first

MAX_BATCHES = 200
"""How many actions can be taken back at most; the changes they were made of stay in Activity."""

_COLUMNS = "deed_id, label, batch, made_at, state"


class BatchState(StrEnum):
    """On which side of undo and redo an action is; the past is on neither."""

    DONE = "done"
    UNDONE = "undone"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Batch:
    """A label and the batch that every change of it carries, also those that took it back or redid it."""

    deed_id: int
    label: str
    batch: str
    made_at: float
    state: BatchState


def new_batch() -> str:
    """An id for the changes of one action."""
    return uuid.uuid4().hex


def record(db: apsw.Connection, label: str, batch: str, now: float) -> None:
    """Remember a new action; what was undone before it can't be redone any more."""
    db.execute("UPDATE outbox.deeds SET state = ? WHERE state = ?", (str(BatchState.PAST), str(BatchState.UNDONE)))
    db.execute(
        "INSERT INTO outbox.deeds (label, batch, made_at, state) VALUES (?, ?, ?, ?)",
        (label, batch, now, str(BatchState.DONE)),
    )
    db.execute("DELETE FROM outbox.deeds WHERE deed_id <= ?", (db.last_insert_rowid() - MAX_BATCHES,))


def newest_done(db: apsw.Connection) -> Batch | None:
    """The action that undo is about."""
    return _one(db, BatchState.DONE, "DESC")


def last_undone(db: apsw.Connection) -> Batch | None:
    """The action that redo is about: undo goes back in time, so it is the oldest of them."""
    return _one(db, BatchState.UNDONE, "ASC")


def of_batch(db: apsw.Connection, batch: str) -> Batch | None:
    """The action that these changes are, where it can still be undone or redone."""
    row = first(db, f"SELECT {_COLUMNS} FROM outbox.deeds WHERE batch = ?", (batch,))
    return None if row is None else _batch(row)


def move(db: apsw.Connection, deed: Batch, state: BatchState) -> None:
    """Put an action on another side."""
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

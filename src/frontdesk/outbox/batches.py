"""Batches: all changes of one user action, for undo and redo after a restart and in another process."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.storage.records import Change, ChangeKind, Made
from frontdesk.storage.sql import first

MAX_BATCHES = 200
"""Maximum number of actions that can be undone; older changes stay in Activity."""

UNDONE_ORDER = "undone"
"""The stored value that orders undone batches for redo: a number that grows with each undo."""


class BatchState(StrEnum):
    """The state of an action: done, undone, or too old for undo and redo."""

    DONE = "done"
    UNDONE = "undone"
    PAST = "past"


class Batch(NamedTuple):
    """An action's label, and the batch id of its changes, undo and redo included."""

    batch_number: int
    label: str
    batch: str
    state: BatchState


COUNTED_FIRST = (
    ChangeKind.TASK,
    ChangeKind.TAGS,
    ChangeKind.SNOOZE_CONVERSATION,
    ChangeKind.SNOOZE_TASK,
    ChangeKind.NOTE,
)
"""The kinds of change by which an action is counted: the first that it has on a customer."""


def counted_changes(changes: Sequence[Change]) -> Sequence[Change]:
    """Return the changes by which an action is counted: of several kinds the first in `COUNTED_FIRST`."""
    kinds = {each.kind for each in changes}
    counted = next((kind for kind in COUNTED_FIRST if kind in kinds), None)
    return [each for each in changes if each.kind is counted] or changes


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an action, an undo or a redo.

    Attributes:
        batch: the id of the changes' batch; empty if nothing was done.
        label: the action's label; for an undo or redo, the original action's.
        is_to_send: whether an undo or redo takes effect only once the platform has confirmed it.
        first: after an undo or redo, a change of the first changed record, else of the action's first record.
        is_partial: whether an undone action is still in effect elsewhere, so that redo doesn't apply to it.
    """

    count: int
    problems: tuple[str, ...] = ()
    batch: str = ""
    label: str = ""
    is_to_send: bool = False
    first: Change | None = None
    is_partial: bool = False


def new_batch() -> str:
    return uuid.uuid4().hex


def record(db: apsw.Connection, made: Made) -> None:
    """Store a new action; redo no longer applies to actions that were undone before."""
    db.execute("UPDATE outbox.deeds SET state = ? WHERE state = ?", (str(BatchState.PAST), str(BatchState.UNDONE)))
    db.execute("DELETE FROM outbox.kept WHERE kind = ?", (UNDONE_ORDER,))
    db.execute(
        "INSERT INTO outbox.deeds (label, batch, made_at, state) VALUES (?, ?, ?, ?)",
        (made.label, made.batch, made.now, str(BatchState.DONE)),
    )
    db.execute("DELETE FROM outbox.deeds WHERE deed_id <= ?", (db.last_insert_rowid() - MAX_BATCHES,))


def newest_done(db: apsw.Connection) -> Batch | None:
    """Return the action that undo applies to."""
    return _one(db, "state = ? ORDER BY deed_id DESC", BatchState.DONE)


def last_undone(db: apsw.Connection) -> Batch | None:
    """Return the action that redo applies to, which is the one undone last."""
    order = f"(SELECT CAST(value AS INTEGER) FROM outbox.kept WHERE kind = '{UNDONE_ORDER}' AND id = batch)"
    # Older stores have no number: treat the batch as the oldest.
    return _one(db, f"state = ? ORDER BY coalesce({order}, 0) DESC, deed_id", BatchState.UNDONE)


def of_batch(db: apsw.Connection, batch: str) -> Batch | None:
    """Return the action of a batch, or `None` if it can no longer be undone or redone."""
    return _one(db, "batch = ?", batch)


def move(db: apsw.Connection, action: Batch, state: BatchState) -> None:
    """Set an action's state; record an undone action as the one undone last."""
    if state is BatchState.UNDONE:
        highest = "SELECT coalesce(max(CAST(value AS INTEGER)), 0) + 1 FROM outbox.kept WHERE kind = ?1"
        db.execute(
            f"INSERT OR REPLACE INTO outbox.kept (kind, id, value, at) VALUES (?1, ?2, ({highest}), 0)",
            (UNDONE_ORDER, action.batch),
        )
    db.execute("UPDATE outbox.deeds SET state = ? WHERE deed_id = ?", (str(state), action.batch_number))


def _one(db: apsw.Connection, condition: str, value: str) -> Batch | None:
    row = first(
        db, f"SELECT deed_id, label, batch, state FROM outbox.deeds WHERE {condition} LIMIT 1", (str(value),)
    )
    return None if row is None else Batch(row[0], row[1], row[2], BatchState(row[3]))

"""Batches: all changes of one user action, for undo and redo after a restart and in another process."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.storage.records import Change, ChangeKind
from frontdesk.storage.sql import first

MAX_BATCHES = 200
"""How many actions can be undone at most; older changes stay in Activity."""

UNDONE_ORDER = "undone"
"""Kept a batch that can be redone: a number that grows with each undo."""


class BatchState(StrEnum):
    """Whether an action is done, undone, or too old for both."""

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
"""The kinds that one action may have on one customer, by which it is counted: the first that it has."""


def counted_changes(changes: Sequence[Change]) -> Sequence[Change]:
    """Return the changes by which an action is counted: of several kinds those of the first in order."""
    kinds = {each.kind for each in changes}
    counted = next((kind for kind in COUNTED_FIRST if kind in kinds), None)
    return [each for each in changes if each.kind is counted] or changes


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an action, an undo or a redo.

    Attributes:
        count: how many records it changed.
        problems: why it failed on the others.
        batch: of its changes; empty where nothing was done.
        label: its name; of an undo or redo, that of the original action.
        is_to_send: of an undo or redo, it shows only once the platform has confirmed it.
        first: of an undo or redo, a change of the first changed record, else of the action's first record.
        is_partial: of an undo, the action is still in effect elsewhere, so redo doesn't apply to it.
    """

    count: int
    problems: tuple[str, ...] = ()
    batch: str = ""
    label: str = ""
    is_to_send: bool = False
    first: Change | None = None
    is_partial: bool = False


def new_batch() -> str:
    """Make an id for the changes of one action."""
    return uuid.uuid4().hex


def record(db: apsw.Connection, label: str, batch: str, now: float) -> None:
    """Store a new action; actions undone before can't be redone any more."""
    db.execute("UPDATE outbox.deeds SET state = ? WHERE state = ?", (str(BatchState.PAST), str(BatchState.UNDONE)))
    db.execute("DELETE FROM outbox.kept WHERE kind = ?", (UNDONE_ORDER,))
    db.execute(
        "INSERT INTO outbox.deeds (label, batch, made_at, state) VALUES (?, ?, ?, ?)",
        (label, batch, now, str(BatchState.DONE)),
    )
    db.execute("DELETE FROM outbox.deeds WHERE deed_id <= ?", (db.last_insert_rowid() - MAX_BATCHES,))


def newest_done(db: apsw.Connection) -> Batch | None:
    """Return the action that undo applies to."""
    return _one(db, "state = ? ORDER BY deed_id DESC", BatchState.DONE)


def last_undone(db: apsw.Connection) -> Batch | None:
    """Return the action that redo applies to: the one that was undone last."""
    order = f"(SELECT CAST(value AS INTEGER) FROM outbox.kept WHERE kind = '{UNDONE_ORDER}' AND id = batch)"
    # Without a number, in stores from earlier, it is the oldest: undo went back in time.
    return _one(db, f"state = ? ORDER BY coalesce({order}, 0) DESC, deed_id", BatchState.UNDONE)


def of_batch(db: apsw.Connection, batch: str) -> Batch | None:
    """Return the action of a batch, where it can still be undone or redone."""
    return _one(db, "batch = ?", batch)


def move(db: apsw.Connection, action: Batch, state: BatchState) -> None:
    """Set an action's state; of one that is undone, note that it was undone last."""
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

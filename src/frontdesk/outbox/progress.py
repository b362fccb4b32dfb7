"""Runs: bulk actions while they are sent, told from the states of their changes alone.

Nothing remembers a run but the outbox, so it goes on after a restart and is seen by every process.
Called for the status line and the list of failures, and by `outbox.bulk`.
"""

from dataclasses import dataclass

import apsw

from frontdesk.outbox import queue
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState
from frontdesk.storage.sql import first, rows

MANY = 5
"""An action on fewer is sent before anybody has read how far it is."""

REQUESTS = {
    ChangeKind.TASK: 2,
    ChangeKind.TAGS: 1,
    ChangeKind.CAMPAIGN: 1,
    ChangeKind.WORKFLOW_CREATE: 3,
    ChangeKind.WORKFLOW_UPDATE: 3,
    ChangeKind.ANALYTICS_RESET: 2,
    ChangeKind.WEBHOOK_DELETE: 1,
}
"""What sending a change takes: a task is read before it is changed, a workflow afterwards, too; tags, campaigns
and webhooks are only sent."""

LATELY_SECONDS = 60.0
"""The request budget counts what was sent within so long."""

_BATCHES_AT_ONCE = 20
"""Runs are worked off in turn: the oldest are looked at."""

_LIVE = ", ".join(f"'{state}'" for state in UNCONFIRMED)
_FAILED = ", ".join(f"'{state}'" for state in NEEDS_PERSON)
_TAKEN_BACK = ", ".join(f"'{state}'" for state in (ChangeState.UNDONE, ChangeState.DROPPED))


@dataclass(frozen=True, slots=True)
class BulkRun:
    """A bulk action that is not settled on all of them.

    Attributes:
        batch: of the action.
        label: of its changes, as "Status: Completed" or "Undo: Status: Completed".
        kind: tasks or tags.
        total: how many changes there are, without those that were taken back.
        settled: how many of them are confirmed, refused or in conflict.
        failed: how many are refused or in conflict.
        sent_lately: how many went out within the last minute.
    """

    batch: str
    label: str
    kind: ChangeKind
    total: int
    settled: int
    failed: int
    sent_lately: int


def unconfirmed_count(db: apsw.Connection) -> int:
    """How many changes the platform has not confirmed yet."""
    return queue.count(db, UNCONFIRMED)


def undecided_count(db: apsw.Connection) -> int:
    """How many changes wait for a person to decide."""
    return queue.count(db, NEEDS_PERSON)


def oldest_running(db: apsw.Connection, now: float) -> BulkRun | None:
    """The first bulk action that is not settled; what was made in one moment is one wave of a batch."""
    waves = rows(
        db,
        "SELECT batch, max(made_at) FROM outbox.changes"
        f" WHERE state IN ({_LIVE}) GROUP BY batch HAVING"
        " (SELECT count(*) FROM outbox.changes AS each WHERE each.batch = changes.batch) >= ?"
        " ORDER BY min(change_id) LIMIT ?",
        (MANY, _BATCHES_AT_ONCE),
    )
    runs = (_wave(db, str(batch), float(made_at), now) for batch, made_at in waves)
    return next((run for run in runs if run.total >= MANY), None)


def failures(db: apsw.Connection, batch: str | None = None) -> list[Change]:
    """What the platform did not take of an action, oldest first; of the newest action with any where none is
    named."""
    if batch is None:
        row = first(
            db, f"SELECT batch FROM outbox.changes WHERE state IN ({_FAILED}) ORDER BY change_id DESC LIMIT 1"
        )
        batch = None if row is None else str(row[0])
    return [] if batch is None else [each for each in queue.of_batch(db, batch) if each.state in NEEDS_PERSON]


def outcome(db: apsw.Connection, batch: str) -> tuple[int, int]:
    """Of the newest wave of a batch: how many are confirmed, how many failed."""
    row = first(
        db,
        f"SELECT sum(state = '{ChangeState.CONFIRMED}'), sum(state IN ({_FAILED})) FROM outbox.changes"
        " WHERE batch = ?1 AND made_at = (SELECT max(made_at) FROM outbox.changes WHERE batch = ?1)",
        (batch,),
    )
    return (int(row[0] or 0), int(row[1] or 0)) if row else (0, 0)


def _wave(db: apsw.Connection, batch: str, made_at: float, now: float) -> BulkRun:
    row = first(
        db,
        f"SELECT label, kind, sum(state NOT IN ({_TAKEN_BACK})),"
        f" sum(state NOT IN ({_TAKEN_BACK}) AND state NOT IN ({_LIVE})), sum(state IN ({_FAILED})),"
        " coalesce(sum(sent_at > ? AND sent_at <= ?), 0)"
        " FROM outbox.changes WHERE batch = ? AND made_at = ?",
        (now - LATELY_SECONDS, now, batch, made_at),
    )
    label, kind, total, settled, failed, lately = row or ("", ChangeKind.TASK, 0, 0, 0, 0)
    return BulkRun(batch, str(label), ChangeKind(kind), int(total), int(settled), int(failed), int(lately))

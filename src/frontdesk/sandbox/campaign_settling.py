"""Settles recipients: sent, failed, delivered, read, answered, each at the time that its plan says.

Called by the campaign engine in its transaction, which is also the one that changes the counters:
they add up at every read (docs/interface.md, Campaign counters).
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from frontdesk.sandbox.campaign_messages import write_reply, write_status
from frontdesk.sandbox.outcomes import plan_for, progress
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.workflow_effects import Conversation
from frontdesk.sandbox.workflow_runs import WorkflowRuns

_COUNTED = ("pending", "in_flight", "sent", "failed", "throttled", "delivered", "read")


@dataclass(slots=True)
class _Change:
    """What one batch adds to a campaign's counters, and the latest times in it."""

    counts: Counter[str] = field(default_factory=Counter)
    settled_at: int = 0
    modified: int = 0


def settle_due(storage: Storage, seed: int, now: int, batch: int, runs: WorkflowRuns) -> bool:
    """Settle up to `batch` recipients of whom something is due; whether there was one."""
    due = storage.rows(
        "SELECT recipients.campaign, position, customer, bucket, recipients.delivered, recipients.read, replied, "
        "recipients.dispatched_at, recipients.due_at, id, account, line, workflow FROM recipients "
        "JOIN campaigns ON number=campaign WHERE recipients.due_at <= ? ORDER BY recipients.due_at LIMIT ?",
        now,
        batch,
    )
    changes: dict[int, _Change] = {}
    rows = [_settle(storage, seed, row, runs, changes.setdefault(row[0], _Change())) for row in due]
    storage.run_many(
        "UPDATE recipients SET bucket=?, delivered=?, read=?, replied=?, due_at=? WHERE campaign=? AND position=?",
        rows,
    )
    for number, change in changes.items():
        _count(storage, number, change)
    # What follows from these may be due already, too.
    return bool(due)


def _settle(
    storage: Storage, seed: int, row: tuple[Any, ...], runs: WorkflowRuns, change: _Change
) -> tuple[Any, ...]:
    """One recipient's next step; answers their new columns."""
    number, position, customer, bucket, delivered, read, replied, dispatched_at, due_at = row[:9]
    identity, account, line, workflow = row[9:]
    plan, at = plan_for(seed, identity, customer), int(due_at)
    # A little late on purpose: adding and taking away the dispatch must not round an event away.
    reached = progress(plan, due_at - dispatched_at + 0.01)
    change.modified = max(change.modified, at)
    change.counts["delivered"] += int(reached.delivered) - delivered
    change.counts["read"] += int(reached.read) - read
    if bucket != reached.bucket:
        change.counts[bucket] -= 1
        change.counts[reached.bucket] += 1
    where = Conversation(account, line, customer)
    write_status(storage, where.key, identity, plan, reached, at)
    if bucket == "in_flight":
        change.settled_at = max(change.settled_at, at)
        if reached.bucket == "sent" and workflow:
            runs.begin(where, workflow, at, is_opened=True)
    if reached.replied and not replied:
        text = write_reply(storage, where.key, identity, plan, at, runs.choices(where, at) or ())
        runs.hear(where, text, at)
    next_look = None if reached.next_look is None else dispatched_at + reached.next_look
    return reached.bucket, reached.delivered, reached.read, reached.replied, next_look, number, position


def _count(storage: Storage, number: int, change: _Change) -> None:
    moved = [name for name in _COUNTED if change.counts[name]]
    columns = "".join(f"{name}={name}+?, " for name in moved)
    storage.run(
        f"UPDATE campaigns SET {columns}settled_at=max(settled_at, ?), modified=max(modified, ?) WHERE number=?",
        *(change.counts[name] for name in moved),
        change.settled_at,
        change.modified,
        number,
    )
    complete_if_done(storage, number)


def complete_if_done(storage: Storage, number: int) -> None:
    """Completed when nobody is pending or in flight; counters may still move (counters, 5)."""
    storage.run(
        "UPDATE campaigns SET status='completed', ended_at=max(started_at, settled_at), "
        "modified=max(modified, started_at, settled_at) "
        "WHERE number=? AND status='inProgress' AND pending=0 AND in_flight=0",
        number,
    )

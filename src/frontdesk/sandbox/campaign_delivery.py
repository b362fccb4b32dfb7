"""What a campaign leaves in its recipients' threads: the message, its statuses, now and then an answer.

Called by the campaign engine and, for campaigns that have already run, by the seed.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from frontdesk.sandbox.campaign_outcomes import FAILURES, THROUGHPUT, Plan, Progress, plan_for, progress
from frontdesk.sandbox.data import read_table
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.task_rows import record_arrival
from frontdesk.sandbox.threads import (
    customer_variables,
    insert_message,
    make_message,
    message_id,
    set_message_status,
    set_opted_out,
)
from frontdesk.sandbox.workflow_effects import Conversation
from frontdesk.sandbox.workflow_runs import WorkflowRuns
from frontdesk.workflow_runtime.values import filled

_REPLIES = read_table("messages")["campaign_replies"]
OPT_OUT_WORD = "STOP"
PICKS_OF_TEN = 7
"""Of ten who answer a question with choices, so many pick one."""


def campaign_message(
    sender: tuple[str, str, str], campaign: str, recipient: tuple[str, str | None], text: str, at_ms: int
) -> dict[str, Any]:
    """The message itself, as it leaves."""
    account, line, platform = sender
    customer, name = recipient
    message = make_message(
        account=account,
        line=line,
        customer=customer,
        platform=platform,
        incoming=False,
        text=filled(text, customer_variables(customer, name)),
        at_ms=at_ms,
        identity=message_id("campaign", campaign, customer),
    )
    return message | {"initiator": "campaign", "status": "inProcess"}


def write_sent(
    storage: Storage,
    sender: tuple[str, str, str],
    campaign: str,
    recipient: tuple[str, str | None],
    text: str,
    at_ms: int,
) -> None:
    """Put the message into the recipient's thread, which begins here for somebody new."""
    account, line, _platform = sender
    message = campaign_message(sender, campaign, recipient, text, at_ms)
    insert_message(storage, account, line, recipient[0], message, recipient[1] or None)


def status_of(plan: Plan, reached: Progress) -> tuple[str, dict[str, Any] | None]:
    """A message's status and error for where its recipient is."""
    if reached.bucket == "in_flight":
        return "inProcess", None
    if reached.bucket == "failed":
        return "failed", error_object(*FAILURES[plan.code])
    if reached.bucket == "throttled":
        return "tooManyRequests", error_object(*THROUGHPUT)
    return ("read" if reached.read else "delivered" if reached.delivered else "sent"), None


def write_status(
    storage: Storage, where: tuple[str, str, str], campaign: str, plan: Plan, reached: Progress, at_ms: int
) -> None:
    """Move the message's status on."""
    account, _line, customer = where
    status, error = status_of(plan, reached)
    set_message_status(storage, account, message_id("campaign", campaign, customer), status, at_ms, error)


def write_reply(
    storage: Storage,
    where: tuple[str, str, str],
    campaign: str,
    plan: Plan,
    at_ms: int,
    offered: Sequence[str] = (),
) -> str:
    """The recipient answers, mostly what they are offered; a few want no more of these. Answers the words."""
    account, line, customer = where
    identity = message_id("reply", campaign, customer)
    draw = int(identity[4:10], 16)
    words = offered if offered and draw % 10 < PICKS_OF_TEN else _REPLIES
    text = OPT_OUT_WORD if plan.opts_out else words[draw // 10 % len(words)]
    row = storage.row("SELECT platform FROM lines WHERE account=? AND line=?", account, line)
    message = make_message(
        account=account,
        line=line,
        customer=customer,
        platform=row[0] if row else "whatsapp",
        incoming=True,
        text=text,
        at_ms=at_ms,
        identity=identity,
    )
    insert_message(storage, account, line, customer, message)
    record_arrival(storage, account, line, customer, at_ms)
    if plan.opts_out:
        set_opted_out(storage, where)
    return text


def error_object(code: int, title: str, details: str) -> dict[str, Any]:
    """A message's `error` (docs/interface.md, Values seen)."""
    return {"code": code, "title": title, "message": title, "error_data": {"details": details}}


BURST_SECONDS = 0.25
DEFAULT_TEXT = "Hello from {name}"


@dataclass(slots=True)
class _Sending:
    """A campaign that has recipients left, while its line is being served."""

    number: int
    id: str
    started_at: float
    dispatched_at: float
    pending: int
    text: str
    sent: int = 0
    waiting: deque[tuple[Any, ...]] = field(default_factory=deque)


def dispatch_due(storage: Storage, seed: int, now: int, batch: int) -> bool:
    """Send up to `batch` a line of what is due; whether anything was sent."""
    lines = storage.rows(
        "SELECT DISTINCT lines.account, lines.line, platform, per_second, free_at FROM campaigns "
        "JOIN lines USING (account, line) WHERE status='inProgress' AND pending > 0"
    )
    sent = False
    for account, line, platform, per_second, free_at in lines:
        later = _dispatch_line(storage, seed, (account, line, platform), (free_at, 1000 / per_second), now, batch)
        if later is not None:
            storage.run("UPDATE lines SET free_at=? WHERE account=? AND line=?", later, account, line)
            # What was sent may already be settled: there is more to look at.
            sent = True
    return sent


def _dispatch_line(
    storage: Storage, seed: int, sender: tuple[str, str, str], bucket: tuple[float, float], now: int, batch: int
) -> float | None:
    """Serve one line; answers when its bucket has the next token, None where nothing was sent."""
    free_at, interval = bucket
    turns = [
        _Sending(*row)
        for row in storage.rows(
            "SELECT number, id, started_at, dispatched_at, pending, text FROM campaigns "
            "WHERE account=? AND line=? AND status='inProgress' AND pending > 0",
            *sender[:2],
        )
    ]
    served = list(turns)
    rows: list[tuple[Any, ...]] = []
    while turns and len(rows) < batch:
        turn = _next(turns, free_at)
        # The bucket is full after a pause: the first few go at once, then one an interval.
        slot = max(free_at, turn.started_at - BURST_SECONDS * 1000)
        at = max(slot, turn.started_at)
        if at > now:
            break
        free_at = slot + interval
        rows.append(_send_one(storage, seed, sender, turn, at, batch))
        if not turn.pending:
            turns.remove(turn)
    storage.run_many(
        "UPDATE recipients SET bucket='in_flight', dispatched_at=?, due_at=? WHERE campaign=? AND position=?", rows
    )
    for turn in served:
        _store(storage, turn)
    return free_at if rows else None


def _next(turns: list[_Sending], free_at: float) -> _Sending:
    """Of those that had begun when the token came, the one that waited longest; else the next to begin."""

    def rank(turn: _Sending) -> tuple[bool, float, int]:
        has_begun = turn.started_at <= free_at
        return (not has_begun, turn.dispatched_at if has_begun else turn.started_at, turn.number)

    return min(turns, key=rank)


def _send_one(
    storage: Storage, seed: int, sender: tuple[str, str, str], turn: _Sending, at: float, batch: int
) -> tuple[Any, ...]:
    """Send to a campaign's next recipient; answers the recipient's new columns."""
    if not turn.waiting:
        turn.waiting.extend(
            storage.rows(
                "SELECT position, customer, name FROM recipients INDEXED BY recipients_pending "
                "WHERE campaign=? AND bucket='pending' ORDER BY position LIMIT ?",
                turn.number,
                batch,
            )
        )
    position, customer, name = turn.waiting.popleft()
    plan = plan_for(seed, turn.id, customer)
    write_sent(storage, sender, turn.id, (customer, name), turn.text or DEFAULT_TEXT, int(at))
    turn.dispatched_at = at
    turn.pending -= 1
    turn.sent += 1
    return at, at + plan.settled, turn.number, position


def _store(storage: Storage, turn: _Sending) -> None:
    if turn.sent:
        storage.run(
            "UPDATE campaigns SET pending=pending-?, in_flight=in_flight+?, dispatched_at=?, "
            "modified=max(modified, ?) WHERE number=?",
            turn.sent,
            turn.sent,
            turn.dispatched_at,
            int(turn.dispatched_at),
            turn.number,
        )


_COUNTED = ("pending", "in_flight", "sent", "failed", "throttled", "delivered", "read")


@dataclass(slots=True)
class _Change:
    """What one batch adds to a campaign's counters, and the latest times in it."""

    counts: Counter[str] = field(default_factory=Counter)
    settled_at: int = 0
    modified: int = 0


def update_recipients(storage: Storage, seed: int, now: int, batch: int, runs: WorkflowRuns) -> bool:
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
        runs.receive_message(where, text, at)
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

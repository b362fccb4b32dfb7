"""Sends at each line's pace: takes tokens from its bucket, the campaigns of a line by turns.

Called by the campaign engine in its transaction. Times come out of the bucket alone, never out of
when a step happens to run.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from frontdesk.sandbox.campaign_messages import write_sent
from frontdesk.sandbox.outcomes import plan_for
from frontdesk.sandbox.storage import Storage

BURST_SECONDS = 0.25
DEFAULT_TEXT = "Hello from {name}"


@dataclass(slots=True)
class _Turn:
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
        later = _serve(storage, seed, (account, line, platform), (free_at, 1000 / per_second), now, batch)
        if later is not None:
            storage.run("UPDATE lines SET free_at=? WHERE account=? AND line=?", later, account, line)
            # What was sent may already be settled: there is more to look at.
            sent = True
    return sent


def _serve(
    storage: Storage, seed: int, sender: tuple[str, str, str], bucket: tuple[float, float], now: int, batch: int
) -> float | None:
    """Serve one line; answers when its bucket has the next token, None where nothing was sent."""
    free_at, interval = bucket
    turns = [
        _Turn(*row)
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
        rows.append(_send_next(storage, seed, sender, turn, at, batch))
        if not turn.pending:
            turns.remove(turn)
    storage.run_many(
        "UPDATE recipients SET bucket='in_flight', dispatched_at=?, due_at=? WHERE campaign=? AND position=?", rows
    )
    for turn in served:
        _store(storage, turn)
    return free_at if rows else None


def _next(turns: list[_Turn], free_at: float) -> _Turn:
    """Of those that had begun when the token came, the one that waited longest; else the next to begin."""

    def rank(turn: _Turn) -> tuple[bool, float, int]:
        has_begun = turn.started_at <= free_at
        return (not has_begun, turn.dispatched_at if has_begun else turn.started_at, turn.number)

    return min(turns, key=rank)


def _send_next(
    storage: Storage, seed: int, sender: tuple[str, str, str], turn: _Turn, at: float, batch: int
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


def _store(storage: Storage, turn: _Turn) -> None:
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

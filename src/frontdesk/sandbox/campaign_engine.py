"""Runs campaigns: starts them at their time, sends at the line's pace, settles every recipient.

Called by `life`. A row a recipient, counters changed in the same transaction, so that they add up at
every read (field-notes.md, Campaign counters). All times come out of the plan and the pace, never out
of when a step happens to run: the same seed and clock give the same counters.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from frontdesk.sandbox.audience import resolve_audience
from frontdesk.sandbox.campaign_messages import write_reply, write_sent, write_status
from frontdesk.sandbox.outcomes import Progress, plan_for, progress
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.workflow_effects import Conversation
from frontdesk.sandbox.workflow_runs import WorkflowRuns

RESOLUTION_MS = 200
RESOLUTION_MS_A_RECIPIENT = 1
BURST_SECONDS = 0.25
DEFAULT_TEXT = "Hello from {name}"
_DONE = object()


class CampaignEngine:
    """Moves the campaigns of one sandbox on.

    Finding an audience of a hundred thousand takes seconds, so it is done in small steps like
    everything else; until it is found, nothing moves past the moment at which it is due.
    """

    def __init__(self, storage: Storage, seed: int, runs: WorkflowRuns) -> None:
        self._storage = storage
        self._seed = seed
        self._runs = runs
        self._starting: tuple[int, Iterator[None]] | None = None

    def advance(self, now: int, batch: int) -> bool:
        """Do up to `batch` of each kind of thing that is due by `now`, in the caller's transaction.

        Answers whether more is left.
        """
        started = self._start_due(now, batch)
        if self._starting is not None:
            now = min(now, self._due_at(self._starting[0]))
        settled = _settle_due(self._storage, self._seed, now, batch, self._runs)
        sent = _dispatch_due(self._storage, self._seed, now, batch)
        return started or settled or sent

    def next_at(self) -> float:
        """When something is due next, virtual milliseconds; infinity for never."""
        if self._starting is not None:
            return 0.0
        found = [
            self._storage.row(sql)
            for sql in (
                "SELECT min(due_at) FROM campaigns WHERE status IN ('scheduled', 'pending')",
                "SELECT due_at FROM recipients WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1",
                "SELECT min(max(free_at, started_at)) FROM campaigns JOIN lines USING (account, line) "
                "WHERE status='inProgress' AND pending > 0",
            )
        ]
        return min((row[0] for row in found if row is not None and row[0] is not None), default=math.inf)

    def discard(self) -> None:
        """The transaction was rolled back: an audience that was being found is looked for again."""
        self._starting = None

    def _start_due(self, now: int, batch: int) -> bool:
        if self._starting is not None:
            number, steps = self._starting
            self._starting = None
            # Between two steps it may have been stopped.
            if self._storage.row("SELECT 1 FROM campaigns WHERE number=? AND status='pending'", number):
                self._step_on(number, steps, batch)
            return True
        due = self._storage.row(
            "SELECT number, account, json, status, due_at, created FROM campaigns "
            "WHERE status IN ('scheduled', 'pending') AND due_at <= ? ORDER BY due_at, number LIMIT 1",
            now,
        )
        if due is None:
            return False
        number, account, stored, status, due_at, created = due
        campaign = json.loads(stored)
        if status == "scheduled":
            at = max(due_at, created)
            self._storage.run(
                "UPDATE campaigns SET status='pending', due_at=?, modified=? WHERE number=?",
                at + resolution_ms(campaign),
                at,
                number,
            )
        else:
            reason = _reason_not_to_run(self._storage, self._runs, account, campaign)
            self._step_on(number, starting(self._storage, number, account, campaign, due_at, reason), batch)
        return True

    def _step_on(self, number: int, steps: Iterator[None], batch: int) -> None:
        for _ in range(batch):
            if next(steps, _DONE) is _DONE:
                return
        self._starting = number, steps

    def _due_at(self, number: int) -> int:
        row = self._storage.row("SELECT due_at FROM campaigns WHERE number=?", number)
        return int(row[0]) if row and row[0] is not None else 0


def starting(
    storage: Storage, number: int, account: str, campaign: dict[str, Any], at: int, reason: str | None = None
) -> Iterator[None]:
    """Find the audience and begin, or fail and say why (rules.md 65, 69); a step a recipient."""
    # A process that was killed in the middle of this left rows that nobody counts yet.
    storage.run("DELETE FROM recipients WHERE campaign=?", number)
    counts = dict.fromkeys(("pending", "duplicate", "opted_out"), 0)
    if reason is None:
        place = 0
        for place, who in enumerate(resolve_audience(storage, account, campaign), start=1):
            storage.run(
                "INSERT INTO recipients(campaign, position, customer, name, bucket) VALUES(?,?,?,?,?)",
                number,
                place - 1,
                who.customer,
                who.name,
                who.bucket,
            )
            counts[who.bucket] += 1
            yield
        if not place:
            reason = "The audience is empty."
    if reason is not None:
        storage.run(
            "UPDATE campaigns SET status='failed', due_at=NULL, ended_at=?, modified=?, failure_reason=? "
            "WHERE number=?",
            at,
            at,
            reason,
            number,
        )
        return
    storage.run(
        "UPDATE campaigns SET status='inProgress', due_at=NULL, started_at=?, modified=?, total=?, pending=?, "
        "duplicate=?, opted_out=?, text=? WHERE number=?",
        at,
        at,
        sum(counts.values()),
        counts["pending"],
        counts["duplicate"],
        counts["opted_out"],
        _text(storage, account, campaign),
        number,
    )
    _complete_if_done(storage, number)


def resolution_ms(campaign: dict[str, Any]) -> int:
    """How long it takes to find out whom a campaign is for."""
    return RESOLUTION_MS + RESOLUTION_MS_A_RECIPIENT * len(campaign.get("customerList") or ())


def _dispatch_due(storage: Storage, seed: int, now: int, batch: int) -> bool:
    """Take tokens from each line's bucket, the campaigns of a line by turns."""
    lines = storage.rows(
        "SELECT DISTINCT lines.account, lines.line, platform, per_second, free_at FROM campaigns "
        "JOIN lines USING (account, line) WHERE status='inProgress' AND pending > 0"
    )
    more = False
    for account, line, platform, per_second, free_at in lines:
        interval = 1000 / per_second
        left = batch
        while left > 0:
            turn = storage.row(
                "SELECT number, id, started_at, text FROM campaigns WHERE account=? AND line=? "
                "AND status='inProgress' AND pending > 0 "
                # Of those that had begun when the token came, the one that waited longest; else the next to begin.
                "ORDER BY started_at > ?, iif(started_at <= ?, dispatched_at, started_at), number LIMIT 1",
                account,
                line,
                free_at,
                free_at,
            )
            if turn is None:
                break
            # The bucket is full after a pause: the first few go at once, then one an interval.
            slot = max(free_at, turn[2] - BURST_SECONDS * 1000)
            at = max(slot, turn[2])
            if at > now:
                break
            free_at = slot + interval
            _send_next(storage, seed, (account, line, platform), turn, at)
            left -= 1
        storage.run("UPDATE lines SET free_at=? WHERE account=? AND line=?", free_at, account, line)
        # What was sent may already be settled: there is more to look at.
        more = more or left < batch
    return more


def _send_next(
    storage: Storage, seed: int, sender: tuple[str, str, str], turn: tuple[Any, ...], at: float
) -> None:
    number, identity, _started_at, text = turn
    row = storage.row(
        "SELECT position, customer, name FROM recipients INDEXED BY recipients_pending "
        "WHERE campaign=? AND bucket='pending' ORDER BY position LIMIT 1",
        number,
    )
    assert row is not None, "pending counts the rows that are pending"
    position, customer, name = row
    plan = plan_for(seed, identity, customer)
    storage.run(
        "UPDATE recipients SET bucket='in_flight', dispatched_at=?, due_at=? WHERE campaign=? AND position=?",
        at,
        at + plan.settled,
        number,
        position,
    )
    storage.run(
        "UPDATE campaigns SET pending=pending-1, in_flight=in_flight+1, dispatched_at=?, "
        "modified=max(modified, ?) WHERE number=?",
        at,
        int(at),
        number,
    )
    write_sent(storage, sender, identity, (customer, name), text or DEFAULT_TEXT, int(at))


def _settle_due(storage: Storage, seed: int, now: int, batch: int, runs: WorkflowRuns) -> bool:
    due = storage.rows(
        "SELECT recipients.campaign, position, customer, bucket, recipients.delivered, recipients.read, replied, "
        "recipients.dispatched_at, recipients.due_at, id, account, line, workflow FROM recipients "
        "JOIN campaigns ON number=campaign WHERE recipients.due_at <= ? ORDER BY recipients.due_at LIMIT ?",
        now,
        batch,
    )
    for row in due:
        _settle(storage, seed, row, runs)
    # What follows from these may be due already, too.
    return bool(due)


def _settle(storage: Storage, seed: int, row: tuple[Any, ...], runs: WorkflowRuns) -> None:
    (
        number,
        position,
        customer,
        bucket,
        delivered,
        read,
        replied,
        dispatched_at,
        due_at,
        identity,
        account,
        line,
        workflow,
    ) = row
    plan = plan_for(seed, identity, customer)
    # A little late on purpose: adding and taking away the dispatch must not round an event away.
    reached = progress(plan, due_at - dispatched_at + 0.01)
    next_look = None if reached.next_look is None else dispatched_at + reached.next_look
    storage.run(
        "UPDATE recipients SET bucket=?, delivered=?, read=?, replied=?, due_at=? WHERE campaign=? AND position=?",
        reached.bucket,
        reached.delivered,
        reached.read,
        reached.replied,
        next_look,
        number,
        position,
    )
    newly = (int(reached.delivered) - delivered, int(reached.read) - read)
    _count(storage, number, bucket, reached, newly, int(due_at))
    sender = (account, line, customer)
    write_status(storage, sender, identity, plan, reached, int(due_at))
    where = Conversation(*sender)
    if bucket == "in_flight":
        if reached.bucket == "sent" and workflow:
            runs.begin(where, workflow, int(due_at), has_said_first=True)
        _complete_if_done(storage, number)
    if reached.replied and not replied:
        text = write_reply(storage, sender, identity, plan, int(due_at), runs.choices(where, int(due_at)) or ())
        runs.hear(where, text, int(due_at))


def _count(storage: Storage, number: int, bucket: str, reached: Progress, newly: tuple[int, int], at: int) -> None:
    if bucket != reached.bucket:
        storage.run(
            f"UPDATE campaigns SET {bucket}={bucket}-1, {reached.bucket}={reached.bucket}+1 WHERE number=?", number
        )
    if bucket == "in_flight":
        storage.run("UPDATE campaigns SET settled_at=max(settled_at, ?) WHERE number=?", at, number)
    storage.run(
        "UPDATE campaigns SET delivered=delivered+?, read=read+?, modified=max(modified, ?) WHERE number=?",
        *newly,
        at,
        number,
    )


def _complete_if_done(storage: Storage, number: int) -> None:
    """Completed when nobody is pending or in flight; counters may still move (counters, 5)."""
    storage.run(
        "UPDATE campaigns SET status='completed', ended_at=max(started_at, settled_at), "
        "modified=max(modified, started_at, settled_at) "
        "WHERE number=? AND status='inProgress' AND pending=0 AND in_flight=0",
        number,
    )


def _reason_not_to_run(storage: Storage, runs: WorkflowRuns, account: str, campaign: dict[str, Any]) -> str | None:
    wanted = (
        ("folders", "folder", campaign["folderId"], "folder"),
        ("lines", "line", campaign["associatedToBusinessId"], "line"),
    )
    for table, column, identity, word in wanted:
        if storage.row(f"SELECT 1 FROM {table} WHERE account=? AND {column}=?", account, identity) is None:
            return f"There is no {word} {identity!r}."
    return runs.why_not(account, campaign["workflowId"])


def _text(storage: Storage, account: str, campaign: dict[str, Any]) -> str:
    """What the workflow's first node says; the runtime starts at trigger.connections.out[0] (rules.md 231)."""
    row = storage.row("SELECT json FROM workflows WHERE account=? AND id=?", account, campaign["workflowId"])
    workflow = json.loads(row[0]) if row else {}
    try:
        first = workflow["trigger"]["connections"]["out"][0]
        node = next(node for node in workflow["parsedData"] if node.get("id") == first)
        text = node["data"]["message"]
    except (KeyError, IndexError, TypeError, StopIteration):
        text = None
    return text if isinstance(text, str) and text else str(campaign["name"])

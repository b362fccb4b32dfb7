"""Send campaigns at each line's pace, and record every recipient's outcome.

Called by the campaign engine in the transaction that also changes the counters, so that they add up at every
read (docs/interface.md, Campaign counters), and by the seed for campaigns that have already run. Times come out
of the pace and the plan alone, never out of when a step happens to run.

A `Plan` is one recipient's outcome, which the seed decides once; `Progress` is how far it has come at a moment.
"""

import hashlib
import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from frontdesk_flows.graph import fill_placeholders
from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.storage import (
    Conversation,
    Storage,
    customer_variables,
    find_platform,
    insert_message,
    make_message,
    message_id,
    record_arrival,
    set_message_status,
    set_opted_out,
)
from frontdesk_sandbox.workflow_runs import WorkflowRuns

FAILED_SHARE = 0.02
THROTTLED_SHARE = 0.003
LATE_FAILURE_SHARE = 0.004
UNDELIVERED_SHARE = 0.012
SLOW_DELIVERY_SHARE = 0.06
READ_SHARE = 0.70
REPLY_SHARE = 0.06
OPT_OUT_SHARE = 0.004


@dataclass(frozen=True, slots=True)
class Plan:
    """One recipient's future, in milliseconds after the dispatch, None for never; `code` is of FAILURES."""

    outcome: str
    settled: float
    delivered: float | None = None
    read: float | None = None
    replied: float | None = None
    late_failure: float | None = None
    opts_out: bool = False
    code: int = 0

    @property
    def moments(self) -> list[float]:
        """The times of all its events, in no order."""
        moments = (self.settled, self.late_failure, self.delivered, self.read, self.replied)
        return [moment for moment in moments if moment is not None]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a recipient at a moment, and when to update it again (None: nothing more will happen)."""

    bucket: str
    delivered: bool
    read: bool
    replied: bool
    next_at: float | None


@lru_cache(maxsize=1 << 14)
def plan_for(seed: int, campaign: str, customer: str) -> Plan:
    """Return the plan of a recipient, always the same for a seed (docs/interface.md, Campaign counters, 7)."""
    digest = hashlib.blake2b(f"{seed}\0{campaign}\0{customer}".encode(), digest_size=8).digest()
    chance = Random(int.from_bytes(digest, "big"))
    settled = _lognormal(chance, 350, 0.5)
    fate = chance.random() if any(char.isdigit() for char in customer) else 0.0
    code = 0 if chance.random() < 0.7 else 1 + (chance.random() < 0.3)
    if fate < FAILED_SHARE:
        # What has no digit is nobody's number or id: undeliverable.
        return Plan("failed", settled, code=code if fate else 0)
    if fate < FAILED_SHARE + THROTTLED_SHARE:
        return Plan("throttled", settled)
    if fate < FAILED_SHARE + THROTTLED_SHARE + LATE_FAILURE_SHARE:
        return Plan("sent", settled, late_failure=settled + _lognormal(chance, 90_000, 1.0), code=code)
    if fate < FAILED_SHARE + THROTTLED_SHARE + LATE_FAILURE_SHARE + UNDELIVERED_SHARE:
        return Plan("sent", settled)
    slow = chance.random() < SLOW_DELIVERY_SHARE
    delivered = settled + (_lognormal(chance, 3 * 3_600_000, 0.8) if slow else _lognormal(chance, 2_000, 0.7))
    if chance.random() >= READ_SHARE:
        return Plan("sent", settled, delivered)
    read = delivered + _lognormal(chance, 8 * 60_000, 1.3)
    if chance.random() >= REPLY_SHARE:
        return Plan("sent", settled, delivered, read)
    replied = read + _lognormal(chance, 20 * 60_000, 1.0)
    return Plan("sent", settled, delivered, read, replied, opts_out=chance.random() < OPT_OUT_SHARE * 5)


def progress(plan: Plan, since_dispatch: float) -> Progress:
    """Return the state that the plan has reached, this many milliseconds after the dispatch."""
    next_at = min((at for at in plan.moments if at > since_dispatch), default=None)

    def reached(at: float | None) -> bool:
        return at is not None and at <= since_dispatch

    if not reached(plan.settled):
        return Progress("in_flight", False, False, False, next_at)
    bucket = "failed" if reached(plan.late_failure) else plan.outcome
    return Progress(bucket, reached(plan.delivered), reached(plan.read), reached(plan.replied), next_at)


def _lognormal(chance: Random, median: float, sigma: float) -> float:
    return math.exp(chance.gauss(math.log(median), sigma))


_MESSAGES = read_table("messages")
FAILURES, THROUGHPUT = _MESSAGES["failures"], _MESSAGES["throughput_failure"]
"""Errors of messages: code, title, details."""

_REPLIES = _MESSAGES["campaign_replies"]
OPT_OUT_WORD = "STOP"
PICKS_OF_TEN = 7
"""Out of ten answers to a question with choices, those that pick one."""

BURST_SECONDS = 0.25
DEFAULT_TEXT = "Hello from {name}"

_COUNTED = ("pending", "in_flight", "sent", "failed", "throttled", "delivered", "read")


class CampaignLine(NamedTuple):
    """The line of a campaign."""

    account: str
    line: str
    platform: str


class CampaignRecipient(NamedTuple):
    """A customer of an audience, and the name known for them."""

    customer: str
    name: str | None


def make_campaign_message(
    sender: CampaignLine, campaign: str, recipient: CampaignRecipient, text: str, at_ms: int
) -> dict[str, Any]:
    message = make_message(
        Conversation(sender.account, sender.line, recipient.customer),
        platform=sender.platform,
        incoming=False,
        text=fill_placeholders(text, customer_variables(*recipient)),
        at_ms=at_ms,
        identity=message_id("campaign", campaign, recipient.customer),
    )
    return message | {"initiator": "campaign", "status": "inProcess"}


def status_of(plan: Plan, reached: Progress) -> tuple[str, dict[str, Any] | None]:
    """Return the status and the error of a message whose recipient has come this far."""
    if reached.bucket == "in_flight":
        return "inProcess", None
    if reached.bucket == "failed":
        return "failed", error_object(*FAILURES[plan.code])
    if reached.bucket == "throttled":
        return "tooManyRequests", error_object(*THROUGHPUT)
    return ("read" if reached.read else "delivered" if reached.delivered else "sent"), None


def write_reply(
    storage: Storage, where: Conversation, campaign: str, plan: Plan, at_ms: int, offered: Sequence[str] = ()
) -> str:
    """Write a recipient's reply, mostly one of the `offered` answers; answers its text."""
    identity = message_id("reply", campaign, where.customer)
    draw = int(identity[4:10], 16)
    words = offered if offered and draw % 10 < PICKS_OF_TEN else _REPLIES
    text = OPT_OUT_WORD if plan.opts_out else words[draw // 10 % len(words)]
    platform = find_platform(storage, where.account, where.line)
    message = make_message(where, platform=platform, incoming=True, text=text, at_ms=at_ms, identity=identity)
    insert_message(storage, where, message)
    record_arrival(storage, where, at_ms)
    if plan.opts_out:
        set_opted_out(storage, where)
    return text


def error_object(code: int, title: str, details: str) -> dict[str, Any]:
    """Return a message's `error` (docs/interface.md, Values seen)."""
    return {"code": code, "title": title, "message": title, "error_data": {"details": details}}


@dataclass(slots=True)
class _ActiveCampaign:
    """A campaign that has recipients left, while its line sends."""

    number: int
    id: str
    started_at: float
    dispatched_at: float
    pending: int
    text: str
    sent: int = 0
    waiting: deque[tuple[Any, ...]] = field(default_factory=deque)


def _choose_next(waiting: list[_ActiveCampaign], free_at: float) -> _ActiveCampaign:
    """Choose the campaign that waited longest of those begun when the token came; else the next to begin."""

    def rank(campaign: _ActiveCampaign) -> tuple[bool, float, int]:
        has_begun = campaign.started_at <= free_at
        return (not has_begun, campaign.dispatched_at if has_begun else campaign.started_at, campaign.number)

    return min(waiting, key=rank)


@dataclass(slots=True)
class _Change:
    """The changes that one batch makes to a campaign's counters, and its latest times."""

    counts: Counter[str] = field(default_factory=Counter)
    settled_at: int = 0
    modified: int = 0


class SandboxDelivery:
    """Sends the campaigns of one sandbox, and records each recipient's outcome."""

    def __init__(self, storage: Storage, seed: int, runs: WorkflowRuns) -> None:
        self._storage = storage
        self._seed = seed
        self._runs = runs

    def dispatch_due(self, now: int, batch: int) -> bool:
        """Send up to `batch` messages a line of what is due; answers whether anything was sent."""
        lines = self._storage.rows(
            "SELECT DISTINCT lines.account, lines.line, platform, per_second, free_at FROM campaigns "
            "JOIN lines USING (account, line) WHERE status='inProgress' AND pending > 0"
        )
        sent = [
            self._dispatch_line(CampaignLine(*line), per_second, free_at, now, batch)
            for *line, per_second, free_at in lines
        ]
        return any(sent)  # what was sent may already be settled: there is more to look at

    def _dispatch_line(
        self, sender: CampaignLine, per_second: float, free_at: float, now: int, batch: int
    ) -> bool:
        """Send from one line, whose bucket has the next token at `free_at`."""
        campaigns = [
            _ActiveCampaign(*row)
            for row in self._storage.rows(
                "SELECT number, id, started_at, dispatched_at, pending, text FROM campaigns "
                "WHERE account=? AND line=? AND status='inProgress' AND pending > 0",
                *sender[:2],
            )
        ]
        waiting = list(campaigns)
        rows: list[tuple[Any, ...]] = []
        while waiting and len(rows) < batch:
            campaign = _choose_next(waiting, free_at)
            # The bucket is full after a pause: the first few go at once, then one an interval.
            slot = max(free_at, campaign.started_at - BURST_SECONDS * 1000)
            at = max(slot, campaign.started_at)
            if at > now:
                break
            free_at = slot + 1000 / per_second
            rows.append(self._send_one(sender, campaign, at, batch))
            if not campaign.pending:
                waiting.remove(campaign)
        self._storage.run_many(
            "UPDATE recipients SET bucket='in_flight', dispatched_at=?, due_at=? WHERE campaign=? AND position=?",
            rows,
        )
        for campaign in campaigns:
            self._store_counters(campaign)
        if rows:
            self._storage.run("UPDATE lines SET free_at=? WHERE account=? AND line=?", free_at, *sender[:2])
        return bool(rows)

    def _send_one(self, sender: CampaignLine, campaign: _ActiveCampaign, at: float, batch: int) -> tuple[Any, ...]:
        """Send to a campaign's next recipient, whose thread may begin here; answers their new columns."""
        if not campaign.waiting:
            campaign.waiting.extend(
                self._storage.rows(
                    "SELECT position, customer, name FROM recipients INDEXED BY recipients_pending "
                    "WHERE campaign=? AND bucket='pending' ORDER BY position LIMIT ?",
                    *(campaign.number, batch),
                )
            )
        position, customer, name = campaign.waiting.popleft()
        text = campaign.text or DEFAULT_TEXT
        message = make_campaign_message(sender, campaign.id, CampaignRecipient(customer, name), text, int(at))
        insert_message(self._storage, Conversation(sender.account, sender.line, customer), message, name or None)
        campaign.dispatched_at = at
        campaign.pending -= 1
        campaign.sent += 1
        return at, at + plan_for(self._seed, campaign.id, customer).settled, campaign.number, position

    def _store_counters(self, campaign: _ActiveCampaign) -> None:
        if campaign.sent:
            at = campaign.dispatched_at
            self._storage.run(
                "UPDATE campaigns SET pending=pending-?, in_flight=in_flight+?, dispatched_at=?, "
                "modified=max(modified, ?) WHERE number=?",
                *(campaign.sent, campaign.sent, at, int(at), campaign.number),
            )

    def update_recipients(self, now: int, batch: int) -> bool:
        """Record what is due of up to `batch` recipients; answers whether there was one."""
        due = self._storage.rows(
            "SELECT recipients.campaign, position, customer, bucket, recipients.delivered, recipients.read, "
            "replied, recipients.dispatched_at, recipients.due_at, id, account, line, workflow FROM recipients "
            "JOIN campaigns ON number=campaign WHERE recipients.due_at <= ? ORDER BY recipients.due_at LIMIT ?",
            *(now, batch),
        )
        changes: dict[int, _Change] = {}
        rows = [self._update_recipient(row, changes.setdefault(row[0], _Change())) for row in due]
        self._storage.run_many(
            "UPDATE recipients SET bucket=?, delivered=?, read=?, replied=?, due_at=? "
            "WHERE campaign=? AND position=?",
            rows,
        )
        for number, change in changes.items():
            self._store_change(number, change)
        # What follows from these may be due already, too.
        return bool(due)

    def _update_recipient(self, row: tuple[Any, ...], change: _Change) -> tuple[Any, ...]:
        """Record one recipient's next step; answers their new columns."""
        number, position, customer, bucket, delivered, read, replied, dispatched_at, due_at = row[:9]
        identity, account, line, workflow = row[9:]
        plan, at = plan_for(self._seed, identity, customer), int(due_at)
        # A little late on purpose: adding and taking away the dispatch must not round an event away.
        reached = progress(plan, due_at - dispatched_at + 0.01)
        change.modified = max(change.modified, at)
        change.counts["delivered"] += int(reached.delivered) - delivered
        change.counts["read"] += int(reached.read) - read
        if bucket != reached.bucket:
            change.counts[bucket] -= 1
            change.counts[reached.bucket] += 1
        where = Conversation(account, line, customer)
        status, error = status_of(plan, reached)
        set_message_status(self._storage, account, message_id("campaign", identity, customer), status, at, error)
        if bucket == "in_flight":
            change.settled_at = max(change.settled_at, at)
            if reached.bucket == "sent" and workflow:
                self._runs.begin(where, workflow, at, is_opened=True)
        if reached.replied and not replied:
            text = write_reply(self._storage, where, identity, plan, at, self._runs.choices(where, at) or ())
            self._runs.receive_message(where, text, at)
        next_at = None if reached.next_at is None else dispatched_at + reached.next_at
        return reached.bucket, reached.delivered, reached.read, reached.replied, next_at, number, position

    def _store_change(self, number: int, change: _Change) -> None:
        moved = [name for name in _COUNTED if change.counts[name]]
        columns = "".join(f"{name}={name}+?, " for name in moved)
        self._storage.run(
            f"UPDATE campaigns SET {columns}settled_at=max(settled_at, ?), modified=max(modified, ?) "
            "WHERE number=?",
            *(*(change.counts[name] for name in moved), change.settled_at, change.modified, number),
        )
        complete_if_done(self._storage, number)


def complete_if_done(storage: Storage, number: int) -> None:
    """Complete a campaign of which nobody is pending or in flight; counters may still move (counters, 5)."""
    storage.run(
        "UPDATE campaigns SET status='completed', ended_at=max(started_at, settled_at, ?1), "
        "modified=max(modified, started_at, settled_at, ?1) "
        "WHERE number=?2 AND status='inProgress' AND pending=0 AND in_flight=0",
        *(seen_unfinished_at(storage, number), number),
    )


def note_unfinished(storage: Storage, number: int, at: int) -> None:
    """Remember that a campaign was said to be unfinished at this moment.

    The engine works in steps and may lag its clock: what ends later must not be said to have ended before.
    """
    storage.run("INSERT OR REPLACE INTO unfinished_reads VALUES(?, ?)", number, at)


def note_all_unfinished(storage: Storage, at: int) -> None:
    """Remember the same of all unfinished campaigns: an earlier process may have said so until this moment."""
    storage.run(
        "INSERT OR REPLACE INTO unfinished_reads SELECT number, ? FROM campaigns "
        "WHERE status IN ('pending', 'scheduled', 'inProgress')",
        at,
    )


def seen_unfinished_at(storage: Storage, number: int) -> int:
    """Return the last moment at which a campaign was said to be unfinished; 0 for never."""
    row = storage.row("SELECT at FROM unfinished_reads WHERE number=?", number)
    return int(row[0]) if row else 0

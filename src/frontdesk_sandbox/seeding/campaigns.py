"""Campaigns in every state, one of them in the middle of its run.

Their past is worked out from the same plans that the engine follows, so the running one goes on without a seam.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from frontdesk_sandbox.campaign_delivery import (
    BURST_SECONDS,
    CampaignLine,
    CampaignRecipient,
    make_campaign_message,
    plan_for,
    progress,
    status_of,
    write_reply,
)
from frontdesk_sandbox.campaign_engine import insert_campaign, start_campaign
from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.fixtures import ACCOUNT, CAMPAIGN_FOLDER, CAMPAIGNS, DELIVERIES_LINE, LINES, TAGS
from frontdesk_sandbox.responses import encode
from frontdesk_sandbox.seeding.conversations import DAY, HOUR, MINUTE, make_customer
from frontdesk_sandbox.storage import INSERT_MESSAGE, Conversation, Storage

NEWSLETTER_SIZE = 6_000
RETURNING_SIZE = 900
SURVEY_SIZE = 240
FIRST_NUMBER = 300_000
"""Numbers of the audience's people start here, far from those who have written."""


@dataclass(frozen=True, slots=True)
class _CampaignSpec:
    """A campaign of `data/campaigns.toml`; one that began may have been stopped some time later."""

    id: str
    workflow: str
    workflow_name: str
    began_minutes_ago: int | None = None
    tag: str | None = None
    stopped_after_minutes: int | None = None
    scheduled_in_minutes: int | None = None
    active: bool = True
    description: str = ""


def seed_campaigns(storage: Storage, chance: Random, seed_number: int, now_ms: int) -> None:
    survey = _seed_audience(storage, chance)
    workflows = {row[0] for row in storage.rows("SELECT id FROM workflows WHERE account=?", ACCOUNT)}
    for table in read_table("campaigns")["campaigns"]:
        spec = _CampaignSpec(**table)
        document = _make_document(spec, CAMPAIGNS[spec.id], survey, now_ms)
        created = now_ms - (4 * 60 if spec.began_minutes_ago is None else spec.began_minutes_ago) * MINUTE
        status = "scheduled" if spec.scheduled_in_minutes is not None else "pending"
        number = insert_campaign(storage, ACCOUNT, document, status, created, document.get("scheduledAt"))
        if spec.began_minutes_ago is None:
            continue
        begins = created + 200 + len(document.get("customerList", ()))
        reason = None if spec.workflow in workflows else f"Workflow {spec.workflow!r} doesn't exist."
        for _ in start_campaign(storage, number, ACCOUNT, document, begins, reason):
            pass
        _replay(storage, seed_number, number, spec, (begins, now_ms))


def _replay(storage: Storage, seed: int, number: int, spec: _CampaignSpec, span: tuple[int, int]) -> None:
    """Advance every recipient through `span`, as the engine would have."""
    begins, now = span
    row = storage.row("SELECT text, status FROM campaigns WHERE number=?", number)
    if row is None or row[1] != "inProgress":
        return
    past = _CampaignPast(storage, seed, number, spec.id, row[0], now)
    until = now if spec.stopped_after_minutes is None else begins + spec.stopped_after_minutes * MINUTE
    interval = 1000 / past.line.per_second
    slot = begins - BURST_SECONDS * 1000
    pending = storage.rows(
        "SELECT position, customer, name FROM recipients WHERE campaign=? AND bucket='pending' ORDER BY position",
        number,
    )
    for position, customer, name in pending:
        at = max(slot, begins)
        if at > until:
            break
        slot += interval
        past.send(position, CampaignRecipient(customer, name), at)
    past.store()
    done = len(past.recipients) == len(pending) and not past.counts["in_flight"]
    storage.run(
        "UPDATE campaigns SET status=?, ended_at=?, modified=max(modified, ?) WHERE number=?",
        "stopped" if spec.stopped_after_minutes is not None else "completed" if done else "inProgress",
        max(past.settled_at, begins) if done else None,
        until if spec.stopped_after_minutes is not None else begins,
        number,
    )
    storage.run("UPDATE lines SET free_at=max(free_at, ?) WHERE account=? AND line=?", slot, ACCOUNT, past.line.id)


class _CampaignPast:
    """The past of a campaign's recipients, gathered and then stored in one go."""

    def __init__(self, storage: Storage, seed: int, number: int, campaign: str, text: str, now: int) -> None:
        self.line = next(line for line in LINES if line.id == DELIVERIES_LINE)
        self.counts = dict.fromkeys(("in_flight", "sent", "failed", "throttled", "delivered", "read"), 0)
        self.recipients: list[tuple[Any, ...]] = []
        self.settled_at = 0
        self._storage, self._seed, self._now = storage, seed, now
        self._number, self._campaign, self._text = number, campaign, text
        self._messages: list[tuple[Any, ...]] = []
        self._active: list[tuple[Any, ...]] = []
        self._dispatched_at = 0.0
        self._modified = 0

    def send(self, position: int, recipient: CampaignRecipient, at: float) -> None:
        """Record one dispatch, and everything that has followed from it."""
        customer = recipient[0]
        plan = plan_for(self._seed, self._campaign, customer)
        reached = progress(plan, self._now - at)
        self.counts[reached.bucket] += 1
        self.counts["delivered"] += reached.delivered
        self.counts["read"] += reached.read
        self._dispatched_at = at
        if reached.bucket != "in_flight":
            self.settled_at = max(self.settled_at, int(at + plan.settled))
        happened = (at + moment for moment in plan.moments if at + moment <= self._now)
        self._modified = max(self._modified, int(max(happened, default=at)))
        next_at = None if reached.next_at is None else at + reached.next_at
        flags = (reached.bucket, reached.delivered, reached.read, reached.replied)
        self.recipients.append((*flags, at, next_at, self._number, position))
        sender = CampaignLine(ACCOUNT, self.line.id, self.line.platform)
        message = make_campaign_message(sender, self._campaign, recipient, self._text, int(at))
        message["status"], error = status_of(plan, reached)
        if error is not None:
            message["error"] = error
        where = Conversation(ACCOUNT, self.line.id, customer)
        self._messages.append((*where, message["createdAt"], message["messageId"], encode(message)))
        self._active.append((int(at), *where))
        if reached.replied and plan.replied is not None:
            write_reply(self._storage, where, self._campaign, plan, int(at + plan.replied))

    def store(self) -> None:
        self._storage.run_many(
            "UPDATE recipients SET bucket=?, delivered=?, read=?, replied=?, dispatched_at=?, due_at=? "
            "WHERE campaign=? AND position=?",
            self.recipients,
        )
        self._storage.run_many(INSERT_MESSAGE, self._messages)
        self._storage.run_many(
            "UPDATE conversations SET last_at=max(coalesce(last_at, 0), ?) "
            "WHERE account=? AND line=? AND customer=?",
            self._active,
        )
        self._storage.run(
            "UPDATE campaigns SET pending=pending-?, in_flight=?, sent=?, failed=?, throttled=?, delivered=?, "
            "read=?, dispatched_at=?, settled_at=?, modified=max(modified, ?) WHERE number=?",
            *(len(self.recipients), *self.counts.values(), self._dispatched_at),
            *(self.settled_at, self._modified, self._number),
        )


def _make_document(spec: _CampaignSpec, name: str, survey: list[dict[str, str]], now_ms: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": spec.id,
        "name": name,
        "description": spec.description,
        "contentType": "triggerWorkflow",
        "workflowId": spec.workflow,
        "workflowName": spec.workflow_name,
        "folderId": CAMPAIGN_FOLDER,
        "whenToSendMessage": "now" if spec.scheduled_in_minutes is None else "future",
        "associatedToBusinessId": DELIVERIES_LINE,
        "isActive": spec.active,
    }
    if spec.scheduled_in_minutes is not None:
        # Tomorrow at ten o'clock UTC, wherever in the day it is now.
        document["scheduledAt"] = (now_ms + spec.scheduled_in_minutes * MINUTE) // DAY * DAY + 10 * HOUR
    if spec.tag is None:
        return document | {"audienceCountry": "GB", "source": "excel", "customerList": survey}
    tag = next(tag for tag in TAGS if tag.id == spec.tag)
    shown = {"id": tag.id, "title": tag.title, "color": tag.color, "associatedTo": tag.associatedTo}
    return document | {"source": "tags", "conversationTags": [shown]}


def _seed_audience(storage: Storage, chance: Random) -> list[dict[str, str]]:
    """Store people with tags and without a thread; answers the survey's list, with two numbers in it twice."""
    people = [
        make_customer(chance, FIRST_NUMBER + position, ("en", "en", "he", "es")[position % 4], "whatsapp")
        for position in range(NEWSLETTER_SIZE)
    ]
    storage.run_many(
        "INSERT INTO conversations(account, line, customer, name, opted_out) VALUES(?,?,?,?,?)",
        [
            (ACCOUNT, DELIVERIES_LINE, who.id, who.name, position % 163 == 40)
            for position, who in enumerate(people)
        ],
    )
    for tag, members in (("tag-newsletter", people), ("tag-returning", people[:RETURNING_SIZE])):
        storage.run_many(
            "INSERT OR IGNORE INTO conversation_tags VALUES(?,?,?,?)",
            [(ACCOUNT, tag, DELIVERIES_LINE, who.id) for who in members],
        )
    listed = people[RETURNING_SIZE : RETURNING_SIZE + SURVEY_SIZE]
    return [{"phoneNumberId": f"+{who.id}", "customerName": who.name} for who in (*listed, listed[3], listed[90])]

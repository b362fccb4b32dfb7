"""Campaigns that were sent, as far as this profile knows: those that a draft would repeat, and their folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import apsw

from frontdesk.campaigns.draft import Draft, FromFile, OneCustomer, members_of, recipient_digest
from frontdesk.campaigns.models import CampaignRecord, describe_outcome
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import delivery_results
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.outbox import queue
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json, JsonObject
from frontdesk.text import relative_time
from frontdesk.text.fuzzy import fold_name
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import counted, show_line
from frontdesk_lists.models import members_digest

REPEAT_SECONDS = 7 * 86_400.0
"""How long after a campaign the same one may be a mistake."""

_WAITING_WORDS = {
    ChangeState.HELD: "waiting to be sent",
    ChangeState.QUEUED: "waiting to be sent",
    ChangeState.SENDING: "being sent",
}


@dataclass(frozen=True, slots=True)
class SentCampaign:
    """A campaign that was sent, is scheduled or waits in the outbox.

    Attributes:
        digest: the `recipient_digest` of its audience; empty if that isn't known.
        numbers: of its list, where that is in the store.
        at: when it starts or started, else when it was sent; Unix seconds.
        count: its recipients, if known.
        outcome: how it ended or how far it is.
    """

    campaign_id: CampaignId
    name: str
    digest: str
    at: float
    count: float | None
    outcome: str
    numbers: frozenset[str] = frozenset()


def read_sent(db: apsw.Connection, draft: Draft, now: float) -> tuple[SentCampaign, ...]:
    """Return campaigns of the last `REPEAT_SECONDS` that may be the same as a draft, newest first.

    They have its name, or its workflow and line; then `digest` is known if the recipients are. Parses lists of
    recipients: never on a screen's loop. A test of a draft repeats nothing.
    """
    if draft.test_of:
        return ()
    records = {each.campaign_id: each for each in campaign_store.stored(db)}
    receipts = _receipts(db)
    changes = {each.target: each for each in queue.perhaps_sent(db, ChangeKind.CAMPAIGN)}
    found: list[SentCampaign] = []
    for campaign_id in {*records, *map(CampaignId, receipts), *map(CampaignId, changes)} - {draft.campaign_id}:
        record, change = records.get(campaign_id), changes.get(campaign_id)
        receipt = receipts.get(campaign_id, {})
        known: dict[str, object] = {**(record.raw if record else {}), **(change.fields if change else {})}
        known |= {**receipt, **json_access.mapping(receipt.get("body"))}
        at, name = _began_at(known, change), json_access.text(known.get("name"))
        is_same_action = (known.get("workflowId"), known.get("associatedToBusinessId")) == (
            draft.workflow_id,
            draft.line_id,
        )
        if at is None or at < now - REPEAT_SECONDS or not (is_same_action or _has_name(draft, name)):
            continue
        members = _stored_members(db, campaign_id, record) if is_same_action else []
        digest = json_access.text(known.get("digest")) if is_same_action else ""
        if members and not digest:
            digest = members_digest(members)
        numbers = frozenset(members if isinstance(draft.audience, FromFile) else ())
        counts = (json_access.number(known.get(each)) for each in ("count", "totalRecipients"))
        count = next((each for each in counts if each is not None), None)
        found.append(SentCampaign(campaign_id, name, digest, at, count, _outcome(record, change), numbers))
    return tuple(sorted(found, key=lambda each: each.at, reverse=True))


def find_repeated(draft: Draft, body: JsonObject, sent: Iterable[SentCampaign]) -> tuple[SentCampaign, ...]:
    """Return those of `read_sent` with the draft's name, or with its workflow, line and half of the recipients."""
    digest, numbers = recipient_digest(body), frozenset(members_of(body))
    return tuple(
        each for each in sent if each.digest == digest or _shared(each, numbers) or _has_name(draft, each.name)
    )


def describe_repeated(found: Iterable[SentCampaign], body: JsonObject, now: datetime) -> Iterator[str]:
    """Say of each one what is the same, when it was sent, to how many, and how it ended."""
    digest, numbers = recipient_digest(body), frozenset(members_of(body))
    for each in found:
        same = "same name"
        if each.digest == digest:
            same = "same recipients, workflow and line"
        elif shared := _shared(each, numbers):
            same = f"{shared:,} of {counted(len(numbers), 'recipient')} the same, workflow and line"
        at = datetime.fromtimestamp(each.at, now.tzinfo)
        sent = "scheduled for" if at > now else "sent"
        to = "" if each.count is None else f" to {counted(each.count, 'recipient')}"
        yield (
            f'"{show_line(each.name, 60).text}" ({show_line(each.campaign_id, 100).text}), {same}: '
            f"{sent} {relative_time.moment(at, now)}{to}; {show_line(each.outcome, 200).text}"
        )


def _shared(sent: SentCampaign, numbers: frozenset[str]) -> int:
    """Return how many recipients are the same; 0 below half of the smaller list."""
    shared = len(sent.numbers & numbers)
    return shared if 2 * shared >= min(len(sent.numbers), len(numbers)) else 0


def _has_name(draft: Draft, name: str) -> bool:
    # Agents send one template to many customers, each as a campaign of its own.
    return not isinstance(draft.audience, OneCustomer) and fold_name(draft.name) == fold_name(name) != ""


def _began_at(known: Json, change: Change | None) -> float | None:
    began, scheduled, created = (
        json_access.number(known.get(name)) for name in ("startedAt", "scheduledAt", "created")
    )
    sent_at = json_access.number(known.get("sentAt")) or (change and change.made_at)
    millis = began or scheduled or (None if sent_at else created)
    return sent_at if millis is None else millis / 1000


def _stored_members(db: apsw.Connection, campaign_id: CampaignId, record: CampaignRecord | None) -> list[str]:
    if record is None:
        return members_of(draft_store.body(db, campaign_id) or {})
    if record.source == "tags":
        return members_of(record.raw)
    return members_of({"customerList": delivery_results.recipients(db, campaign_id)})


def _outcome(record: CampaignRecord | None, change: Change | None) -> str:
    if change is not None and change.state is not ChangeState.CONFIRMED:
        return _WAITING_WORDS.get(change.state, "outcome unknown")
    return "not loaded yet" if record is None else describe_outcome(record)


def _receipts(db: apsw.Connection) -> dict[str, Json]:
    return {each: json_access.mapping(kept) for each, kept in queue.all_kept(db, draft_store.RECEIPT).items()}


class FolderUse(NamedTuple):
    """When a folder was used last, Unix seconds, None where that isn't known; its campaigns, the latest first."""

    used_at: float | None
    names: list[str]


def read_folders(db: apsw.Connection) -> dict[str, FolderUse]:
    """Return the folders of campaigns that are watched or were created here, those used last first."""
    watched = {str(each.campaign_id): each for each in campaign_store.watched(db)}
    receipts = _receipts(db)
    found: list[tuple[float | None, str, str]] = []
    for campaign_id in {**watched, **receipts}:
        record, receipt = watched.get(campaign_id), receipts.get(campaign_id, {})
        body, sent_at = json_access.mapping(receipt.get("body")), json_access.number(receipt.get("sentAt"))
        raw, name, started_at = ({}, "", None) if record is None else (record.raw, record.name, record.started_at)
        if folder := json_access.text(raw.get("folderId")) or json_access.text(body.get("folderId")):
            named = name or json_access.text(receipt.get("name")) or campaign_id
            found.append((started_at or sent_at, folder, named))
    uses: dict[str, FolderUse] = {}
    for used_at, folder, name in sorted(found, key=lambda each: each[0] or 0.0, reverse=True):
        uses.setdefault(folder, FolderUse(used_at, [])).names.append(name)
    return uses

"""Creating a campaign, as a person does it: when it goes out, what is known beside its draft, and its change.

The functions that take a connection run inside one write transaction of the store; `Services` calls them. The
wizard and `campaigns create` ask for the facts of a preflight, off the UI loop: that reads the workflows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import apsw

from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.ids import LineId
from frontdesk.app.reader import Reader
from frontdesk.campaigns import draft as drafts
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.metrics.counters import remaining
from frontdesk.campaigns.metrics.throughput import measured_pace
from frontdesk.campaigns.preflight.models import (
    Facts,
    PreflightFinding,
    PreflightSeverity,
    Summary,
    note,
    unchecked,
)
from frontdesk.campaigns.request_body import count_of, digest_of, in_parts, text_of
from frontdesk.campaigns.store import drafts as store_drafts
from frontdesk.config.catalogue import Catalogue
from frontdesk.outbox import batches, queue
from frontdesk.outbox.commands import SENT_ANEW, NotPossible
from frontdesk.storage import json_access
from frontdesk.storage.records import (
    NEEDS_PERSON,
    UNCONFIRMED,
    Change,
    ChangeKind,
    ChangeState,
    DocumentRecord,
    Json,
)
from frontdesk.text.display_text import trusted
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.workflows.checks.known_references import load_references, stored_document

CAMPAIGN_HOLD_SECONDS = 5.0
"""No campaign can be stopped once it was sent, so it waits as long as tags do: `u` takes it back."""

NOW_WORDS = frozenset({"", "now", "at once", "immediately"})
PACES = 3
"""The pace of a line is told from so many of its last campaigns."""

POINTER_UNKNOWN = "pointer-unknown"
"""The rule of the workflow check that needs all workflows of the account."""

_A_NUMBER = re.compile(r"[+-]?\d{5,}(\.\d*)?|[+-]?\d[\d.,]*e[+-]?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class When:
    """What a person's words for a time mean.

    Attributes:
        at: Unix seconds; None is now.
        note: what they should know of it, such as that the clocks change there.
    """

    at: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ListedWorkflows:
    """Every workflow that the platform just sent whole, and whether it has more than those."""

    records: Sequence[DocumentRecord]
    more_exist: bool


def parse_when(words: str, now: datetime) -> When:
    """When to send, out of the words that due dates are written in, or `now`.

    A bare number is refused: seconds taken for milliseconds are a date in 1970, and the other way round
    one in the year 58000.

    Raises:
        DueNotUnderstood: they mean no time.
    """
    typed = words.strip()
    if typed.casefold() in NOW_WORDS:
        return When(None)
    if _A_NUMBER.fullmatch(typed):
        raise DueNotUnderstood(
            "a bare number may be seconds or milliseconds; write the time as tomorrow 9am or 2026-12-24 09:00"
        )
    due = parse_due(typed, now)
    if due.at is None:
        raise DueNotUnderstood(f"{typed!r} is no time; write now, tomorrow 9am or 2026-12-24 09:00")
    return When(float(due.seconds), due.note)


def facts_for(
    draft: Draft,
    summary: Summary | None,
    now: datetime,
    reads: Reader,
    catalogue: Catalogue,
    *,
    listed: ListedWorkflows | None = None,
    not_read: str = "",
) -> Facts:
    """What the store knows beside a draft.

    Args:
        summary: of its list, where it has one that was read.
        now: in the sender's zone.
        listed: the workflows as they are now, where they were just read whole; else those of the store.
        not_read: why the store doesn't have the draft's workflow as it is now; empty where it was just read.
    """
    look = _stored_look(draft, reads, not_read) if listed is None else _listed_look(draft, reads, listed)
    lines = {each: catalogue.line(each) for each in (*catalogue.lines, *reads.lines_seen())}
    others = reads.campaigns()
    running = [each for each in others if each.status == "inProgress" and each.line_id == draft.line_id]
    left = [remaining(each.counters) for each in running]
    return Facts(
        now=now,
        workflows=look.workflows,
        more_workflows=look.more_exist,
        lines=lines,
        audience=summary,
        paces=_paces(draft.line_id, reads),
        checked=look.findings,
        not_checked=look.problem,
        used_ids=_used_ids(reads),
        busy=tuple(each.name or each.campaign_id for each in running),
        busy_left=None if None in left else sum(each for each in left if each is not None),
        folders=frozenset(json_access.text(each.raw.get("folderId")) for each in others) - {""},
    )


def create(db: apsw.Connection, draft: Draft, body: JsonObject, *, batch: str, now: float) -> Change:
    """Put a campaign into the outbox, with its body; held for as long as it can be taken back.

    Raises:
        NotPossible: it can't be sent so, or is on its way or stored already.
    """
    _require_contract(body)
    target = str(body["id"])
    if body.get("scheduledAt", now * 1000 + 1) <= now * 1000:
        raise NotPossible("its time has passed; choose another")
    before = _of_campaign(db, target)
    if any(each.state in UNCONFIRMED for each in before):
        raise NotPossible(f"the campaign {target} is on its way already; Activity (6) has it")
    if queue.kept(db, store_drafts.RECEIPT, target) is not None:
        raise NotPossible(f"the campaign {target} is created already")
    _let_go_of_other_ids(db, draft, target, now)
    _replace(db, before, now)
    store_drafts.keep_body(db, target, text_of(body), now)
    keep_draft(db, draft, now)
    label = f"Campaign: {body['name']}"
    change_id = queue.add(
        db,
        batch=batch,
        kind=ChangeKind.CAMPAIGN,
        target=target,
        fields=_fields(draft, body),
        base={},
        label=label,
        now=now,
        hold_seconds=CAMPAIGN_HOLD_SECONDS,
    )
    batches.record(db, label, batch, now)
    change = queue.change(db, change_id)
    assert change is not None
    return change


def _let_go_of_other_ids(db: apsw.Connection, draft: Draft, target: str, now: float) -> None:
    """A draft goes out once: one that was refused under another name is sent under this one instead.

    Raises:
        NotPossible: it is on its way under another id, or may have arrived: its people would be written to twice.
    """
    for other in store_drafts.other_ids(db, draft.draft_id, target):
        before = _of_campaign(db, other)
        if queue.was_sent(db, other, ChangeKind.CAMPAIGN) or any(each.state in UNCONFIRMED for each in before):
            raise NotPossible(f"this draft was sent as {other}, or may have been: Activity (6) has it")
        _replace(db, before, now)
        store_drafts.forget_body(db, other)


def _of_campaign(db: apsw.Connection, campaign_id: str) -> list[Change]:
    """Its changes, and not those of a workflow that has the same id."""
    return [each for each in queue.recent_of(db, campaign_id, limit=100) if each.kind is ChangeKind.CAMPAIGN]


def _replace(db: apsw.Connection, before: Sequence[Change], now: float) -> None:
    for each in before:
        queue.move(db, each.change_id, ChangeState.DROPPED, expected=NEEDS_PERSON, now=now, reason=SENT_ANEW)


def keep_draft(db: apsw.Connection, draft: Draft, now: float) -> None:
    """Keep what was decided so far, across restarts; of a campaign that is created nothing is left to decide."""
    if queue.kept(db, store_drafts.RECEIPT, draft.campaign_id) is not None:
        return
    queue.keep(db, store_drafts.DRAFT, draft.draft_id, drafts.to_json(draft), now)


def drafts_of(reads: Reader) -> tuple[Draft, ...]:
    """The kept drafts, the one that was touched last at the end; without those that are on their way."""
    found = (drafts.from_json(each) for each in reads.values_kept(store_drafts.DRAFT).values())
    on_their_way = reads.live_targets()
    return tuple(each for each in found if each is not None and each.campaign_id not in on_their_way)


def _fields(draft: Draft, body: JsonObject) -> Json:
    """What a row of Activity says of it, by the interface's names where it has them."""
    fields: JsonObject = {
        name: body[name] for name in ("name", "workflowName", "associatedToBusinessId", "source")
    }
    fields |= {"draftId": draft.draft_id, "count": count_of(body), "digest": digest_of(body)}
    if "scheduledAt" in body:
        fields["scheduledAt"] = body["scheduledAt"]
    return fields


def _require_contract(body: JsonObject) -> None:
    from pydantic import ValidationError  # not before somebody creates a campaign

    from frontdesk.api.contract.campaigns import CampaignCreate

    try:
        for part in in_parts(body):
            CampaignCreate.model_validate(part)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("tags", "excel"))
        raise NotPossible(f"it can't be sent so: {where or 'the campaign'}: {first['msg']}") from None


def _used_ids(reads: Reader) -> frozenset[str]:
    """Of campaigns that are watched, that were created here, and that are on their way."""
    watched = (each.campaign_id for each in reads.campaigns())
    return frozenset((*watched, *reads.all_kept(store_drafts.RECEIPT), *reads.live_targets()))


def _paces(line_id: LineId, reads: Reader) -> tuple[float, ...]:
    on_line = [each for each in reads.campaigns() if line_id and each.line_id == line_id and each.started_at]
    on_line.sort(key=lambda each: each.started_at or 0.0, reverse=True)
    measured = (measured_pace(each, reads.samples(each.campaign_id, each.started_at or 0.0)) for each in on_line)
    return tuple(pace for pace in measured if pace is not None)[:PACES]


@dataclass(frozen=True, slots=True)
class _KnownWorkflows:
    """The workflows that are known, what the check found in the draft's, and why that is no answer."""

    workflows: Sequence[DocumentRecord] | None
    more_exist: bool
    findings: tuple[PreflightFinding, ...] = ()
    problem: str = ""


def _listed_look(draft: Draft, reads: Reader, listed: ListedWorkflows) -> _KnownWorkflows:
    """Whole documents that were just read, so that one without a graph has none."""
    raw = next((each.raw for each in listed.records if each.document_id == draft.workflow_id), None)
    ids = [each.document_id for each in listed.records]
    found = () if raw is None else _checked(raw, ids, reads, more_exist=listed.more_exist)
    return _KnownWorkflows(listed.records, listed.more_exist, found)


def _stored_look(draft: Draft, reads: Reader, not_read: str) -> _KnownWorkflows:
    """The store's list, with the draft's workflow as its whole document has it.

    A document that couldn't be read again is checked as well: its errors hold until a read shows them fixed.
    """
    listing, records = reads.workflow_list(), reads.workflows()
    if not records and listing.read_at is None:
        return _KnownWorkflows(None, listing.has_more, problem=not_read or "no workflows were listed yet")
    if not draft.workflow_id:
        return _KnownWorkflows(records, listing.has_more)
    document = stored_document(draft.workflow_id, reads)
    problem = not_read or document.problem
    if document.raw is None:
        return _KnownWorkflows(records, listing.has_more, problem=problem)
    ids = [each.document_id for each in records]
    found = _checked(document.raw, ids, reads, more_exist=listing.has_more)
    if problem:
        found = tuple(_in_older_document(each, is_changed=document.is_stale) for each in found)
    if not document.is_stale:
        now = DocumentRecord(draft.workflow_id, json_access.text(document.raw.get("name")), document.raw)
        records = [now if each.document_id == draft.workflow_id else each for each in records]
    return _KnownWorkflows(records, listing.has_more, found, problem)


def _checked(raw: Json, ids: Sequence[str], reads: Reader, *, more_exist: bool) -> tuple[PreflightFinding, ...]:
    """What the workflow check says of a whole document, and what it had no means to say."""
    from frontdesk.workflows.checks.run import check, not_applied

    known = load_references(raw, ids, reads, more_exist=more_exist)
    found = [
        PreflightFinding(
            PreflightSeverity(each.severity), "workflow_id", trusted(f"workflow check: {each.words.text}")
        )
        for each in check(raw, known=known)
    ]
    if known.workflow_ids is None:
        # A pointer to one that is listed is fine whatever else exists.
        of_listed = replace(known, workflow_ids=frozenset(ids))
        found += [
            unchecked("workflow_id", f"not checked: {each.words.text} among the {len(ids):,} listed; more exist")
            for each in check(raw, known=of_listed)
            if each.rule_id == POINTER_UNKNOWN
        ]
    found += [
        note("workflow_id", f"workflow check: not looked for: {each.title}")
        for each in not_applied(known)
        if each.id != POINTER_UNKNOWN
    ]
    return tuple(found)


def _in_older_document(found: PreflightFinding, *, is_changed: bool) -> PreflightFinding:
    """A finding of a document that was read before; only where it has changed since may an error be fixed."""
    is_outdated = is_changed and found.severity is PreflightSeverity.ERROR and not found.is_unchecked
    return replace(found, words=trusted(f"when last read: {found.words.text}"), is_outdated=is_outdated)

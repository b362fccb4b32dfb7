"""What the store knows beside a campaign's draft, for the checks before it is sent.

The wizard and `campaigns create` ask for it off the UI loop: it reads the workflows.
"""

import re
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime

import apsw

from frontdesk.api.contract.ids import LineId
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
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.config.catalogue import Catalogue
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import documents, json_access, record_lookup
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import DocumentRecord, Json
from frontdesk.text.display_text import trusted
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.workflows.checks.known_references import load_references, stored_document
from frontdesk.workflows.checks.run import check, not_applied
from frontdesk.workflows.store import workflows as workflow_store

NOW_WORDS = frozenset({"", "now", "at once", "immediately"})


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


PACES = 3
"""The pace of a line is told from so many of its last campaigns."""


POINTER_UNKNOWN = "pointer-unknown"
"""The rule of the workflow check that needs all workflows of the account."""


@dataclass(frozen=True, slots=True)
class ListedWorkflows:
    """Every workflow that the platform just sent whole, and whether it has more than those."""

    records: Sequence[DocumentRecord]
    more_exist: bool


def facts_for(
    draft: Draft,
    summary: Summary | None,
    now: datetime,
    db: apsw.Connection,
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
    look = _stored_look(draft, db, not_read) if listed is None else _listed_look(draft, db, listed)
    lines = {each: catalogue.line(each) for each in (*catalogue.lines, *record_lookup.lines_seen(db))}
    others = campaign_store.watched(db)
    running = [each for each in others if each.status == "inProgress" and each.line_id == draft.line_id]
    left = [remaining(each.counters) for each in running]
    return Facts(
        now=now,
        workflows=look.workflows,
        more_workflows=look.more_exist,
        lines=lines,
        audience=summary,
        paces=_paces(draft.line_id, db),
        checked=look.findings,
        not_checked=look.problem,
        used_ids=_used_ids(db),
        busy=tuple(each.name or each.campaign_id for each in running),
        busy_left=None if None in left else sum(each for each in left if each is not None),
        folders=frozenset(json_access.text(each.raw.get("folderId")) for each in others) - {""},
    )


def _used_ids(db: apsw.Connection) -> frozenset[str]:
    """Of campaigns that are watched, that were created here, and that are on their way."""
    watched = (each.campaign_id for each in campaign_store.watched(db))
    return frozenset((*watched, *outbox_queue.all_kept(db, draft_store.RECEIPT), *outbox_queue.live_targets(db)))


def _paces(line_id: LineId, db: apsw.Connection) -> tuple[float, ...]:
    on_line = [
        each for each in campaign_store.watched(db) if line_id and each.line_id == line_id and each.started_at
    ]
    on_line.sort(key=lambda each: each.started_at or 0.0, reverse=True)
    measured = (
        measured_pace(each, campaign_store.samples(db, each.campaign_id, each.started_at or 0.0))
        for each in on_line
    )
    return tuple(pace for pace in measured if pace is not None)[:PACES]


@dataclass(frozen=True, slots=True)
class _KnownWorkflows:
    """The workflows that are known, what the check found in the draft's, and why that is no answer."""

    workflows: Sequence[DocumentRecord] | None
    more_exist: bool
    findings: tuple[PreflightFinding, ...] = ()
    problem: str = ""


def _listed_look(draft: Draft, db: apsw.Connection, listed: ListedWorkflows) -> _KnownWorkflows:
    """Whole documents that were just read, so that one without a graph has none."""
    raw = next((each.raw for each in listed.records if each.document_id == draft.workflow_id), None)
    ids = [each.document_id for each in listed.records]
    found = () if raw is None else _checked(raw, ids, db, more_exist=listed.more_exist)
    return _KnownWorkflows(listed.records, listed.more_exist, found)


def _stored_look(draft: Draft, db: apsw.Connection, not_read: str) -> _KnownWorkflows:
    """The store's list, with the draft's workflow as its whole document has it.

    A document that couldn't be read again is checked as well: its errors hold until a read shows them fixed.
    """
    listing, records = workflow_store.listing(db), documents.all_of(db, documents.WORKFLOW)
    if not records and listing.read_at is None:
        return _KnownWorkflows(None, listing.has_more, problem=not_read or "no workflows were listed yet")
    if not draft.workflow_id:
        return _KnownWorkflows(records, listing.has_more)
    document = stored_document(draft.workflow_id, db)
    problem = not_read or document.problem
    if document.raw is None:
        return _KnownWorkflows(records, listing.has_more, problem=problem)
    ids = [each.document_id for each in records]
    found = _checked(document.raw, ids, db, more_exist=listing.has_more)
    if problem:
        found = tuple(_in_older_document(each, is_changed=document.is_stale) for each in found)
    if not document.is_stale:
        now = DocumentRecord(draft.workflow_id, json_access.text(document.raw.get("name")), document.raw)
        records = [now if each.document_id == draft.workflow_id else each for each in records]
    return _KnownWorkflows(records, listing.has_more, found, problem)


def _checked(
    raw: Json, ids: Sequence[str], db: apsw.Connection, *, more_exist: bool
) -> tuple[PreflightFinding, ...]:
    """What the workflow check says of a whole document, and what it had no means to say."""
    known = load_references(raw, ids, db, more_exist=more_exist)
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


def read_facts(
    store: ProfileStore, draft: Draft, summary: Summary | None, now: datetime, not_read: str = ""
) -> "Future[Facts]":
    """Read the facts in the background (`facts_for`)."""
    return store.read_in_background(
        lambda db: facts_for(draft, summary, now, db, store.catalogue, not_read=not_read)
    )

"""What a preflight reads and finds. `facts_for` reads much, so never on a screen's loop."""

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import apsw

from frontdesk.campaigns.counters import remaining
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.sent_campaigns import SentCampaign, read_sent
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.campaigns.throughput import PACES, measured_pace
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.ids import LineId
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Line
from frontdesk_lists.models import CountryCount, HomeCountry


class PreflightSeverity(StrEnum):
    """An error blocks sending, a warning is to be read, a note informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """A finding about one field of the draft.

    Attributes:
        is_unchecked: an error that stands for a check that couldn't be made.
        is_outdated: an error in an older version of the workflow; it may be fixed by now.
        details: lines below its words.
    """

    severity: PreflightSeverity
    field: str
    words: SafeText
    is_unchecked: bool = False
    is_outdated: bool = False
    details: tuple[SafeText, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoneShare:
    """The share of an audience that is in one of these time zones; several where the numbers don't tell which."""

    names: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class AudienceSummary:
    """The counts of a list that was read.

    Attributes:
        doubtful: recipients whose number may have been misread.
        zones: with their shares of all recipients, the largest first.
        skipped: doubtful numbers among the refused ones, left out by choice.
        row_word: what a row of the list is called, line or row.
        rounded: rows with a number that a spreadsheet seems to have rounded.
        countries: the recipients by calling code, most first.
        home: a home country that is suggested, where none was given.
        hidden: rows among the refused ones that Excel doesn't show.
        undecided: rows among the refused ones that need a home country.
        rivals: by field of the columns, where its guess isn't certain: the columns that may hold it, in words.
    """

    count: int
    refused: int = 0
    duplicates: int = 0
    doubtful: int = 0
    zones: tuple[ZoneShare, ...] = ()
    rounded: int = 0
    countries: tuple[CountryCount, ...] = ()
    home: HomeCountry | None = None
    skipped: int = 0
    row_word: str = "row"
    hidden: int = 0
    undecided: int = 0
    rivals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkflowFacts:
    """The known workflows, and the findings of the workflow check for the one that a draft runs.

    Attributes:
        records: None where none were ever listed.
        problem: why the workflow wasn't checked as it is now; empty where it was.
    """

    records: Sequence[DocumentRecord] | None
    more_exist: bool = False
    findings: tuple[PreflightFinding, ...] = ()
    problem: str = ""


class WorkflowSource(Protocol):
    """What campaigns need to know of workflows; the app implements it, so that the features stay independent."""

    def listed(self, db: apsw.Connection, workflow_id: str, listing: WorkflowFacts) -> WorkflowFacts:
        """Return the workflows that were just read whole, with the findings for one of them."""

    def stored(self, db: apsw.Connection, workflow_id: str, not_read: str) -> WorkflowFacts:
        """Check a workflow of the store; `not_read` says why its document couldn't be read just now."""

    def was_listed(self, db: apsw.Connection) -> bool:
        """Whether the platform's list of workflows was ever read."""

    def is_up_to_date(self, db: apsw.Connection) -> bool:
        """Whether the document of every listed workflow was read since it changed."""

    def details(self, record: DocumentRecord, width: int, view: RenderContext) -> tuple[Line, ...]:
        """Draw a listed workflow."""


@dataclass(frozen=True, slots=True)
class PreflightFacts:
    """The facts that a preflight needs besides the draft.

    Attributes:
        now: in the sender's zone.
        audience: None where it wasn't read yet, or there is none.
        paces: recipients a second of the last campaigns on the draft's line.
        busy: names of the campaigns that the draft's line is sending now.
        busy_left: recipients that those have still to reach; None where that isn't known of all of them.
        sent: campaigns of the last days that may be the same.
    """

    now: datetime
    workflows: WorkflowFacts = WorkflowFacts(None, problem="it isn't loaded")
    lines: Mapping[LineId, str] = field(default_factory=dict)
    audience: AudienceSummary | None = None
    paces: tuple[float, ...] = ()
    used_ids: frozenset[str] = frozenset()
    busy: tuple[str, ...] = ()
    busy_left: float | None = 0.0
    folders: frozenset[str] = frozenset()
    sent: tuple[SentCampaign, ...] = ()


@dataclass(frozen=True, slots=True)
class Preflight:
    """The findings, and what would be sent.

    Attributes:
        findings: errors first, then warnings, then notes.
        count: recipients; None for tags.
        duration: seconds at best and at worst; None without a count.
        pace: recipients a second, at worst and at best; assumed where nothing was ever measured on this line.
        at: the time in the sender's zone, then in each other zone of the audience.
        body: what is POSTed, without its recipients where `audience` was given as a summary alone.
        has_namesakes: the name of the workflow doesn't say which one is meant.
    """

    findings: tuple[PreflightFinding, ...]
    who: SafeText
    count: int | None
    duration: tuple[float, float] | None
    pace: tuple[float, float]
    is_pace_assumed: bool
    at: tuple[SafeText, ...]
    body: JsonObject
    has_namesakes: bool = False

    @property
    def errors(self) -> tuple[PreflightFinding, ...]:
        return tuple(each for each in self.findings if each.severity is PreflightSeverity.ERROR)

    @property
    def unchecked(self) -> tuple[PreflightFinding, ...]:
        return tuple(each for each in self.errors if each.is_unchecked or each.is_outdated)

    @property
    def can_be_confirmed(self) -> bool:
        return len(self.unchecked) == len(self.errors)


def error(field: str, words: str) -> PreflightFinding:
    return PreflightFinding(PreflightSeverity.ERROR, field, trusted(words))


def unchecked(field: str, words: str) -> PreflightFinding:
    """Return a check that couldn't be made; it blocks sending until a person confirms it."""
    return PreflightFinding(PreflightSeverity.ERROR, field, trusted(words), is_unchecked=True)


def warning(field: str, words: str, details: Iterable[str] = ()) -> PreflightFinding:
    return PreflightFinding(
        PreflightSeverity.WARNING, field, trusted(words), details=tuple(trusted(each) for each in details)
    )


def note(field: str, words: str) -> PreflightFinding:
    return PreflightFinding(PreflightSeverity.NOTE, field, trusted(words))


def quote(outside: object) -> str:
    """Outside text, quoted within a sentence of ours."""
    return f'"{show_line(outside, 60).text}"'


NOW_WORDS = frozenset({"", "now", "at once", "immediately"})
_A_NUMBER = re.compile(r"[+-]?\d{5,}(\.\d*)?|[+-]?\d[\d.,]*e[+-]?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedTime:
    """The meaning of words for a time, in Unix seconds or None for now; `note` says if clocks change there."""

    at: float | None
    note: str = ""


def parse_when(words: str, now: datetime) -> ParsedTime:
    """Parse the words of due dates, or `now`; raises `DueNotUnderstood`.

    A bare number is refused: seconds taken for milliseconds are a date in 1970, and the other way round
    one in the year 58000.
    """
    typed = words.strip()
    if typed.casefold() in NOW_WORDS:
        return ParsedTime(None)
    if _A_NUMBER.fullmatch(typed):
        raise DueNotUnderstood(
            "a plain number could be seconds or milliseconds; try tomorrow 9am or 2026-12-24 09:00"
        )
    due = parse_due(typed, now)
    if due.at is None:
        raise DueNotUnderstood(f"{typed!r} isn't a recognized time; try now, tomorrow 9am or 2026-12-24 09:00")
    return ParsedTime(float(due.seconds), due.note)


def facts_for(
    draft: Draft,
    summary: AudienceSummary | None,
    now: datetime,
    db: apsw.Connection,
    catalogue: Catalogue,
    workflows: WorkflowFacts,
) -> PreflightFacts:
    """Collect what the store knows besides a draft; `now` is in the sender's zone."""
    lines = {each: catalogue.line(each) for each in (*catalogue.lines, *record_lookup.lines_seen(db))}
    others = campaign_store.watched(db)
    running = [each for each in others if each.status == "inProgress" and each.line_id == draft.line_id]
    left = [remaining(each.counters) for each in running]
    loaded = (each.campaign_id for each in others if each.raw)  # a watched id may be of no campaign
    receipts = outbox_queue.all_kept(db, draft_store.RECEIPT)
    return PreflightFacts(
        now=now,
        workflows=workflows,
        lines=lines,
        audience=summary,
        paces=_paces(draft.line_id, others, db),
        used_ids=frozenset((*loaded, *receipts, *outbox_queue.live_targets(db))),
        busy=tuple(each.name or each.campaign_id for each in running),
        busy_left=None if None in left else sum(each for each in left if each is not None),
        folders=frozenset(json_access.text(each.raw.get("folderId")) for each in others) - {""},
        sent=read_sent(db, draft, now.timestamp()),
    )


def _paces(line_id: LineId, campaigns: Sequence[CampaignRecord], db: apsw.Connection) -> tuple[float, ...]:
    on_line = [each for each in campaigns if line_id and each.line_id == line_id and each.started_at]
    on_line.sort(key=lambda each: each.started_at or 0.0, reverse=True)
    measured = (
        measured_pace(each, campaign_store.samples(db, each.campaign_id, each.started_at or 0.0))
        for each in on_line
    )
    return tuple(pace for pace in measured if pace is not None)[:PACES]


def read_facts(
    store: ProfileStore,
    source: WorkflowSource,
    draft: Draft,
    summary: AudienceSummary | None,
    now: datetime,
    not_read: str = "",
) -> "Future[PreflightFacts]":
    """Read the facts in the background; `not_read` says why the workflow's document couldn't be read just now."""

    def read(db: apsw.Connection) -> PreflightFacts:
        workflows = source.stored(db, draft.workflow_id, not_read)
        return facts_for(draft, summary, now, db, store.catalogue, workflows)

    return store.read_in_background(read)

"""What the store knows besides a campaign's draft, for the preflight; reads much, so never on a screen's loop."""

import re
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime

import apsw

from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns.draft import Draft
from frontdesk.campaigns.metrics.throughput import measured_pace
from frontdesk.campaigns.models import remaining
from frontdesk.campaigns.preflight.models import (
    Facts,
    Summary,
    WorkflowFacts,
    WorkflowSource,
)
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.config.catalogue import Catalogue
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import json_access, record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.text.due_parser import DueNotUnderstood, parse_due

NOW_WORDS = frozenset({"", "now", "at once", "immediately"})


_A_NUMBER = re.compile(r"[+-]?\d{5,}(\.\d*)?|[+-]?\d[\d.,]*e[+-]?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class When:
    """The meaning of a person's words for a time.

    Attributes:
        at: Unix seconds; None is now.
        note: what they should know of it, such as that the clocks change there.
    """

    at: float | None
    note: str = ""


def parse_when(words: str, now: datetime) -> When:
    """Parse the words of due dates, or `now`; raises `DueNotUnderstood`.

    A bare number is refused: seconds taken for milliseconds are a date in 1970, and the other way round
    one in the year 58000.
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
"""How many of a line's last campaigns decide its pace."""


def facts_for(
    draft: Draft,
    summary: Summary | None,
    now: datetime,
    db: apsw.Connection,
    catalogue: Catalogue,
    workflows: WorkflowFacts,
) -> Facts:
    """Collect what the store knows besides a draft; `now` is in the sender's zone."""
    lines = {each: catalogue.line(each) for each in (*catalogue.lines, *record_lookup.lines_seen(db))}
    others = campaign_store.watched(db)
    running = [each for each in others if each.status == "inProgress" and each.line_id == draft.line_id]
    left = [remaining(each.counters) for each in running]
    return Facts(
        now=now,
        workflows=workflows.records,
        more_workflows=workflows.more_exist,
        lines=lines,
        audience=summary,
        paces=_paces(draft.line_id, db),
        checked=workflows.findings,
        not_checked=workflows.problem,
        used_ids=_used_ids(db),
        busy=tuple(each.name or each.campaign_id for each in running),
        busy_left=None if None in left else sum(each for each in left if each is not None),
        folders=frozenset(json_access.text(each.raw.get("folderId")) for each in others) - {""},
    )


def _used_ids(db: apsw.Connection) -> frozenset[str]:
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


def read_facts(
    store: ProfileStore,
    source: WorkflowSource,
    draft: Draft,
    summary: Summary | None,
    now: datetime,
    not_read: str = "",
) -> "Future[Facts]":
    """Read the facts in the background; `not_read` says why the workflow's document couldn't be read just now."""

    def read(db: apsw.Connection) -> Facts:
        workflows = source.stored(db, draft.workflow_id, not_read)
        return facts_for(draft, summary, now, db, store.catalogue, workflows)

    return store.read_in_background(read)

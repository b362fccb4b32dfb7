"""The alerts that were shown on this machine, of SLAs and of campaigns, and how each ended.

Like `storage.record_lookup` this reads the tables of several features by SQL: none of them imports another.
"""

import json
import re
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.commands import FORGET_SECONDS, NOTIFIED
from frontdesk.service_clocks import clocks
from frontdesk.service_clocks.clocks import DONE, ClockKind
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.values import CAMPAIGN_ENDED

_CLAIM = re.compile(rf"sla (?:before|after) (.*) (\S*) ({'|'.join(ClockKind)}) (\S+)", re.DOTALL)
"""Matches the name of a claimed alert, as `service_clocks.monitor.claim_key` makes it."""

MAX_ALERTS = 200
"""Of a report, the latest."""


class AlertEnd(StrEnum):
    """What became of the reason of an alert; its value is said."""

    OPEN = "open"
    IN_TIME = "in time"
    LATE = "late"
    NOT_NEEDED = "no answer needed"
    OVER = "over"
    UNKNOWN = "unknown"


class ShownAlert(NamedTuple):
    """An alert that was shown.

    Attributes:
        at: Unix seconds.
        about: the kind of the record that `record_id` names: a conversation, a task or a campaign.
        name: of the customer or campaign, unchecked.
        words: what it said.
        late_seconds: how much later than its deadline it ended, or has not ended yet; None where that isn't known.
        status: of its campaign.
    """

    at: float
    about: str
    record_id: str
    name: str
    words: str
    end: AlertEnd
    late_seconds: float | None = None
    status: str = ""

    @property
    def key(self) -> str:
        return f"{self.at} {self.record_id} {self.words}"


def kept_since(now: float) -> float:
    """Return since when all alerts are kept, Unix seconds."""
    return now - FORGET_SECONDS


def count(db: apsw.Connection, start: float, end: float) -> int:
    return len(_clocks(db, start, end)) + len(_raised(db, start, end))


def shown(db: apsw.Connection, start: float, end: float, now: float) -> list[ShownAlert]:
    """Return the alerts of a period, the latest first; one of a deadline, or of a campaign's rule."""
    latest = sorted(_clocks(db, start, end).items(), key=lambda each: -each[1])[:MAX_ALERTS]
    found = [_of_clock(db, at, *clock, now) for clock, at in latest]
    found += [_of_campaign(db, *each) for each in _raised(db, start, end)]
    return sorted(found, key=lambda each: -each.at)[:MAX_ALERTS]


_Clock = tuple[str, str, str, float]
"""Its conversation, its task or an empty id, its kind, and its deadline."""


def _clocks(db: apsw.Connection, start: float, end: float) -> dict[_Clock, float]:
    """Return when an alert of each deadline was first shown."""
    found: dict[_Clock, float] = {}
    for key, at in rows(
        db,
        "SELECT id, at FROM outbox.kept WHERE kind = ? AND id >= 'sla ' AND id < 'sla!' AND at >= ? AND at < ?"
        " ORDER BY at",
        (NOTIFIED, start, end),
    ):
        if (parts := _CLAIM.fullmatch(key)) is not None:
            conversation_id, task_id, kind, due_at = parts.groups()
            found.setdefault((conversation_id, task_id, kind, float(due_at)), float(at))
    return found


def _of_clock(
    db: apsw.Connection, at: float, conversation_id: str, task_id: str, kind: str, due_at: float, now: float
) -> ShownAlert:
    about, record_id = ("task", task_id) if task_id else ("conversation", conversation_id)
    row = first(
        db,
        "SELECT iif(name = '', number, name) FROM conversations WHERE conversation_id = ?1"
        " UNION ALL SELECT customer_name FROM tasks WHERE task_id = ?2",
        (conversation_id, task_id),
    )
    is_open = first(
        db,
        "SELECT 1 FROM service_clocks WHERE conversation_id = ? AND task_id = ? AND kind = ? AND due_at = ?",
        (conversation_id, task_id, kind, due_at),
    )
    ended = now if is_open else _ended_at(db, at, conversation_id, task_id)
    if is_open:
        end = AlertEnd.OPEN
    elif ended is not None:
        end = AlertEnd.LATE if ended > due_at else AlertEnd.IN_TIME
    else:
        needs_none = not task_id and clocks.needs_no_answer(db, conversation_id)
        end = AlertEnd.NOT_NEEDED if needs_none else AlertEnd.OVER
    late = None if ended is None or ended <= due_at else ended - due_at
    return ShownAlert(at, about, record_id, str(row[0]) if row else "", kind, end, late)


def _ended_at(db: apsw.Connection, at: float, conversation_id: str, task_id: str) -> float | None:
    """Return when a person answered, or the task was completed, after an alert; None where that isn't known."""
    if task_id:
        found = first(
            db,
            "SELECT min(not_after) FROM outbox.task_history"
            " WHERE task_id = ? AND field = 'statusCase' AND after = ? AND not_after >= ?",
            (task_id, json.dumps(DONE), at),
        )
    else:
        found = first(
            db,
            "SELECT min(created_at) / 1000 FROM messages JOIN conversations ON conversation = conversations.rowid"
            " WHERE conversation_id = ? AND says = 'answer' AND says <> '' AND created_at >= ?",
            (conversation_id, at * 1000),
        )
    return None if found is None or found[0] is None else float(found[0])


def _raised(db: apsw.Connection, start: float, end: float) -> list[tuple[str, str, float]]:
    """Return the latest alert of each rule on each campaign: its key, its value and its moment."""
    found = rows(
        db,
        "SELECT id, value, at FROM outbox.kept WHERE kind = 'alert' AND at >= ? AND at < ?"
        " AND value ->> 'campaign' <> ''",
        (start, end),
    )
    return [(str(key), str(value), float(at)) for key, value, at in found]


def _of_campaign(db: apsw.Connection, key: str, value: str, at: float) -> ShownAlert:
    alert = json.loads(value)
    campaign_id = str(alert["campaign"])
    row = first(db, "SELECT raw ->> 'status' FROM campaigns WHERE campaign_id = ?", (campaign_id,))
    status = str(row[0]) if row and row[0] else ""
    states = queue.kept(db, "alert states", campaign_id) or {}
    is_over = status in CAMPAIGN_ENDED or states.get(key.removeprefix(f"{campaign_id} ")) == "armed"
    end = AlertEnd.OVER if is_over else AlertEnd.OPEN if status else AlertEnd.UNKNOWN
    return ShownAlert(at, "campaign", campaign_id, str(alert["name"]), str(alert["words"]), end, None, status)

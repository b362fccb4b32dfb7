"""Bulk actions: the plan, its cost and progress in numbers and words, and retrying failures.

Progress is derived from the states of the changes, so it survives a restart and is the same in every process.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from frontdesk.config.render_context import RenderContext
from frontdesk.config.request_pace import (
    RequestLimits,
    changes_per_minute,
    request_limits,
    seconds_of_changes,
)
from frontdesk.outbox import queue
from frontdesk.outbox.change_view import stored_value
from frontdesk.outbox.changes import NotPossible, OutboxTransaction, retry
from frontdesk.outbox.labels import UNDO
from frontdesk.outbox.overlay import differing, merge_people
from frontdesk.outbox.task_fields import field_of, is_merged
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, TaskRecord
from frontdesk.storage.sql import first, rows, value_list
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, TaskId
from frontdesk_lines.display_text import SafeText, counted, cut, enumerate_names, trusted
from frontdesk_lines.lines import Line, Role, Span, span

MANY = 5
"""Number of changes from which progress is shown: fewer are sent before a person could read it."""

REQUESTS = {
    ChangeKind.TASK: 2,
    ChangeKind.TAGS: 1,
    ChangeKind.CAMPAIGN: 1,
    ChangeKind.WORKFLOW_CREATE: 3,
    ChangeKind.WORKFLOW_UPDATE: 3,
    ChangeKind.ANALYTICS_RESET: 2,
    ChangeKind.WEBHOOK_DELETE: 1,
    ChangeKind.NOTE: 0,
    ChangeKind.SNOOZE_CONVERSATION: 0,
    ChangeKind.SNOOZE_TASK: 0,
    ChangeKind.NO_ANSWER: 0,
}
"""Requests per change: tasks are fetched before the update, workflows after it; the others are only sent."""

LATELY_SECONDS = 60.0
"""The window of the request budget, in seconds."""

_BATCHES_AT_ONCE = 20
"""Number of the oldest batches to check."""

_LIVE = value_list(UNCONFIRMED)
_FAILED = value_list(NEEDS_PERSON)
_CANCELLED = value_list((ChangeState.UNDONE, ChangeState.DROPPED))


_DOING = {"Status": "updating", "Due": "due dates", "Assign": "assigning", "Tag": "tagging", "Edit": "editing"}
_COMPLETED = "Status: Completed"

NEARLY = 0.55
"""Share of a minute's budget from which a run counts as waiting for it: polls may take a third of the pace."""


class Cost(NamedTuple):
    """The number of requests to send, the seconds until they are done, and the number of requests before them."""

    requests: int
    seconds: float
    before: int = 0


class BulkPlan(NamedTuple):
    """The tasks that an action would change, that already have the values, and that are gone."""

    will: tuple[TaskId, ...]
    already: tuple[TaskId, ...]
    gone: tuple[TaskId, ...]


def plan_tasks(
    shown: Mapping[TaskId, Mapping[str, Any]], task_ids: Sequence[TaskId], fields: Mapping[str, Any]
) -> BulkPlan:
    """Plan setting these fields on tasks, of which the known ones have the values that are shown."""
    will: list[TaskId] = []
    already: list[TaskId] = []
    for each in task_ids:
        if each in shown:
            (will if differing(shown[each], fields) else already).append(each)
    return BulkPlan(tuple(will), tuple(already), tuple(each for each in task_ids if each not in shown))


REQUEST_PACE = "request pace"
"""The stored value of the requests a minute that the engine has learned to make."""


def present_limits(store: ProfileStore) -> RequestLimits:
    """Return the limits of the engine's requests, beginning at the learned pace."""
    limits = request_limits(store.settings, store.profile.hosts)
    learned = queue.kept(store.reading, REQUEST_PACE, "") or limits.start
    return limits._replace(start=min(limits.per_minute, int(learned)))


def estimate_cost(counts: Mapping[ChangeKind, int], limits: RequestLimits, before: int = 0) -> Cost:
    """Estimate the cost of the given number of changes of each kind, beside polls.

    Args:
        before: `waiting_requests`; a small action doesn't wait for them.
    """
    requests = sum(REQUESTS[kind] * count for kind, count in counts.items())
    before = before if sum(counts.values()) > MANY else 0
    return Cost(requests, seconds_of_changes(before + requests, limits), before)


def waiting_requests(db: apsw.Connection) -> int:
    """Count the requests of unconfirmed changes, which are sent before a new bulk change."""
    found = rows(db, f"SELECT kind, count(*) FROM outbox.changes WHERE state IN ({_LIVE}) GROUP BY kind")
    return sum(REQUESTS[ChangeKind(kind)] * int(count) for kind, count in found)


def retry_all(outbox: OutboxTransaction, change_ids: Iterable[int]) -> int:
    """Resend the changes that need a decision, among these ids; return their number."""
    count = 0
    for each in change_ids:
        change = queue.change(outbox.db, each)
        if change is not None and change.state in NEEDS_PERSON:
            retry(outbox, each)
            count += 1
    if not count:
        raise NotPossible("none of these changes needs a decision anymore")
    return count


class BulkRun(NamedTuple):
    """An unsettled bulk action.

    Attributes:
        label: the changes' label, such as "Status: Completed" or "Undo: Status Completed".
        kind: tasks or tags.
        total: the number of changes, without cancelled ones.
        settled: the number that are confirmed, refused or in conflict.
        sent_lately: the number sent within the last minute.
    """

    batch: str
    label: str
    kind: ChangeKind
    total: int
    settled: int
    failed: int
    sent_lately: int


def unconfirmed_count(db: apsw.Connection) -> int:
    return queue.count(db, UNCONFIRMED)


SENT_LATER = "Nothing is lost: frontdesk sends changes in the background, or the next time it runs."


def describe_unconfirmed(count: int) -> str:
    return "1 change isn't confirmed yet." if count == 1 else f"{count:,} changes aren't confirmed yet."


def describe_read_only(unsent: int) -> str:
    """Return the status of a read-only run, with the number of changes queued before it."""
    if not unsent:
        return "read-only"
    return f"read-only, {counted(unsent, 'change')} waiting"


def undecided_count(db: apsw.Connection) -> int:
    return queue.count(db, NEEDS_PERSON)


def describe_undecided(count: int) -> str:
    """Return the number of changes that need a decision, as "3 need a decision"."""
    return f"{count:,} {'needs' if count == 1 else 'need'} a decision"


def oldest_running(db: apsw.Connection, now: float) -> BulkRun | None:
    """Return the first unsettled bulk action; changes of a batch made at the same moment are one wave."""
    waves = rows(
        db,
        "SELECT batch, max(made_at) FROM outbox.changes"
        f" WHERE state IN ({_LIVE}) GROUP BY batch HAVING"
        " (SELECT count(*) FROM outbox.changes AS each WHERE each.batch = changes.batch) >= ?"
        " ORDER BY min(change_id) LIMIT ?",
        (MANY, _BATCHES_AT_ONCE),
    )
    runs = (_wave(db, str(batch), float(made_at), now) for batch, made_at in waves)
    return next((run for run in runs if run.total >= MANY), None)


def failures(db: apsw.Connection, batch: str | None = None) -> list[Change]:
    """Return the failed changes of a batch, oldest first; by default of the newest batch with failures."""
    if batch is None:
        row = first(
            db, f"SELECT batch FROM outbox.changes WHERE state IN ({_FAILED}) ORDER BY change_id DESC LIMIT 1"
        )
        batch = None if row is None else str(row[0])
    return [] if batch is None else [each for each in queue.of_batch(db, batch) if each.state in NEEDS_PERSON]


def outcome(db: apsw.Connection, batch: str) -> tuple[int, int, float]:
    """Count the confirmed and the failed changes in the newest wave of a batch, and return when it was made."""
    row = first(
        db,
        f"SELECT sum(state = '{ChangeState.CONFIRMED}'), sum(state IN ({_FAILED})), max(made_at)"
        " FROM outbox.changes WHERE batch = ?1"
        " AND made_at = (SELECT max(made_at) FROM outbox.changes WHERE batch = ?1)",
        (batch,),
    )
    assert row is not None, "an aggregate query always returns a row"
    return int(row[0] or 0), int(row[1] or 0), float(row[2] or 0)


def _wave(db: apsw.Connection, batch: str, made_at: float, now: float) -> BulkRun:
    row = first(
        db,
        f"SELECT label, kind, sum(state NOT IN ({_CANCELLED})),"
        f" sum(state NOT IN ({_CANCELLED}) AND state NOT IN ({_LIVE})), sum(state IN ({_FAILED})),"
        " coalesce(sum(sent_at > ? AND sent_at <= ?), 0)"
        " FROM outbox.changes WHERE batch = ? AND made_at = ?",
        (now - LATELY_SECONDS, now, batch, made_at),
    )
    assert row is not None, "an aggregate query always returns a row"
    label, kind, total, settled, failed, lately = row
    return BulkRun(batch, str(label), ChangeKind(kind), int(total), int(settled), int(failed), int(lately))


def progress_verb(label: str) -> str:
    """Return a change's label as progress: "completing", "undoing", "assigning"."""
    if label.startswith(UNDO):
        return "undoing"
    if label == _COMPLETED:
        return "completing"
    return _DOING.get(label.partition(":")[0], "changing")


def describe_progress(run: BulkRun, per_minute: int, *, stops: str) -> Line:
    """Return a run's progress: "completing 40 of 115 · 2 failed · waits for the request budget · x stops".

    Args:
        per_minute: the request budget.
        stops: the key that stops the run here; empty for none.
    """
    words = [span(f"{progress_verb(run.label)} {run.settled:,} of {run.total:,}", Role.PENDING)]
    if run.failed:
        words.append(span(f" · {run.failed:,} failed", Role.BAD))
    if run.sent_lately * REQUESTS[run.kind] >= per_minute * NEARLY:
        words.append(span(" · waiting for rate limit", Role.DIM))
    if stops:
        words += [span(" · ", Role.DIM), span(stops, Role.ACCENT), span(" stop", Role.DIM)]
    return tuple(words)


def describe_cost(cost: Cost, per_minute: int) -> str:
    """Return the cost of sending: "Takes about 3 minutes (230 requests, about 80 a minute)"."""
    parts = [counted(cost.requests, "request")]
    pace = changes_per_minute(per_minute)
    if cost.before:
        parts[0] += f" after {cost.before:,} others"
    if cost.requests + cost.before > pace:
        parts.append(f"about {pace:,.0f} a minute")
    return f"Takes {describe_duration(cost.seconds)} ({', '.join(parts)})"


def describe_duration(seconds: float) -> str:
    if seconds < 60:
        return "less than a minute"
    count, unit = (seconds / 60, "minute") if seconds < 5_400 else (seconds / 3_600, "hour")
    return f"about {counted(round(count), unit)}"


def bulk_title(action: str, names: list[SafeText], count: int, word: str) -> SafeText:
    """Return a dialog's title: the name of a single record, or the number of records and the first names.

    Args:
        action: the dialog's action.
        names: the names of the first few of the `count` records.
        word: the plural of the records' kind.
    """
    listed = enumerate_names(name.text for name in names if name.text)
    if count == 1:
        return trusted(f"{action} · {listed}" if listed else action)
    more = ", …" if count > len(names) else ""
    return trusted(f"{action} · {count:,} {word}" + (f": {listed}{more}" if listed else ""))


def describe_effect(task: TaskRecord, fields: Mapping[str, Any], view: RenderContext) -> Line:
    """Describe the effect of fields on one task: "Open → Completed"; for people, those added and removed."""
    parts: list[Span] = []
    for name, value in fields.items():
        before = task.value(name)
        if is_merged(name):
            there, people = json_access.texts(before), merge_people(before, value)
            moves = [span(f"+{_person(each, view)}", Role.GOOD) for each in people if each not in there]
            moves += [span(f"-{_person(each, view)}", Role.BAD) for each in there if each not in people]
            parts += [part for each in moves for part in (span("  "), each)]
        else:
            unset, arrow = trusted(f"no {field_of(name).words}"), span(view.glyphs.becomes, Role.DIM)
            old, new = (stored_value(name, each, view)[0] if each else unset for each in (before, value))
            parts += [span("  "), Span(_short(old), Role.DIM), arrow, Span(_short(new), Role.STRONG)]
    return tuple(parts[1:])


def _person(agent_id: str, view: RenderContext) -> str:
    return view.name(AgentId(agent_id)).text


def _short(text: SafeText) -> SafeText:
    return SafeText(cut(text.text, 30), text.was_sanitized)

"""The facts that numbers are counted from, read from the store."""

import json
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate, chain
from types import MappingProxyType
from typing import NamedTuple

import apsw

from frontdesk.metrics.models import TIMED, Dimension, Measure
from frontdesk.metrics.periods import SLOT_SECONDS, Period
from frontdesk.metrics.store import (
    ANSWER,
    AUTHOR,
    AUTOMATIC,
    COUNTS,
    INCOMING,
    KINDS,
    NUMBERS,
    ROW_SHIFT,
    SECONDS,
    SPANS,
    WRITERS,
    slot_of,
)
from frontdesk.service_clocks.clocks import DONE
from frontdesk.service_clocks.store import SERVICE_GROUP
from frontdesk.storage.record_lookup import THREAD_UNREAD
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState
from frontdesk.storage.sql import Row, first, rows


class Outcome(StrEnum):
    """Whether something was within the target of a service policy."""

    KEPT = "kept"
    MISSED = "missed"
    UNKNOWN = "unknown"


class MessageCount(NamedTuple):
    """So many messages; `at` is the beginning of their quarter, or of one with the same key, Unix seconds."""

    at: float
    line_id: str
    author: str
    kind: str
    messages: int


class TimedResponse(NamedTuple):
    """An answer by a person to a customer who waited.

    Attributes:
        at: Unix seconds.
        seconds: since the customer's first message that nobody had answered; None where a gap hides that.
        is_first: whether it began a contact, as the clock of first responses has it; None together with `seconds`.
        outcome: whether it was in time; None where no policy has a target for it.
    """

    at: float
    line_id: str
    author: str
    seconds: float | None
    conversation: int
    is_first: bool | None = None
    outcome: Outcome | None = None


class TaskFact(NamedTuple):
    """A task as the board shows it. Times are Unix seconds; None for an unknown one.

    Attributes:
        is_pending: whether the platform hasn't confirmed yet what the board shows of it.
    """

    task_id: str
    status: str
    created_at: float | None
    updated_at: float | None
    line_id: str
    conversation_id: str
    assigned: tuple[str, ...]
    is_pending: bool = False


class PresentCount(NamedTuple):
    """What counts now of a line and the people assigned.

    Attributes:
        at: the beginning of the quarter since which the customers wait; None if they aren't grouped by time.
        counts: by measure, how many there are, how many of those that may count were read, and of how many.
    """

    at: float | None
    line_id: str
    assigned: tuple[str, ...]
    counts: Mapping[Measure, tuple[float, float, float]]


class RunningCampaign(NamedTuple):
    """A watched campaign that runs, or may run.

    Attributes:
        line_id: empty where it isn't known.
        is_known: whether it runs, as it was read lately: else it may have ended, or not begun.
        pace: sent in the last minute; None where that isn't known.
    """

    campaign_id: str
    name: str
    line_id: str
    is_known: bool
    is_throttled: bool
    pace: float | None


ReadCampaigns = Callable[[apsw.Connection, float], Sequence[RunningCampaign]]
"""Returns the watched campaigns that run, or may run, at a moment."""


class Completion(NamedTuple):
    """A task that became completed after `not_before` and not after `not_after`; Unix seconds."""

    task_id: str
    not_before: float | None
    not_after: float


class ResponseGroup(NamedTuple):
    """Responses of one kind that a breakdown doesn't tell apart; the arrays hold a value of each.

    Attributes:
        at: the beginning of their quarter, or of one with the same key; 0 if they aren't grouped by time.
        conversation: 0 if they aren't grouped by tag.
        policy: the name of the service policy; empty without one, and if they aren't grouped by it.
        answered, waited, conversations: as `at`, `seconds` and `conversation` of `TimedResponse`.
        outcomes: how many have each outcome.
    """

    at: float
    line_id: str
    author: str
    conversation: int
    is_first: bool | None
    answered: Sequence[float]
    waited: Sequence[float]
    conversations: Sequence[int]
    outcomes: Mapping[Outcome | None, int] = MappingProxyType({})
    policy: str = ""

    def each(self) -> Iterator[TimedResponse]:
        for at, waited, number in zip(self.answered, self.waited, self.conversations, strict=True):
            seconds = None if self.is_first is None else waited
            yield TimedResponse(at, self.line_id, self.author, seconds, number, self.is_first)

    def only(self, places: Sequence[int]) -> "ResponseGroup":
        """Return the responses at these places."""
        return self._replace(
            answered=[self.answered[each] for each in places],
            waited=[self.waited[each] for each in places],
            conversations=[self.conversations[each] for each in places],
        )


def _moments(period: Period, by: Dimension | None) -> Mapping[int, int]:
    """Return for each quarter the first one with the same key; 0 where a dimension isn't of time."""
    slots = range(slot_of(period.start), slot_of(period.end))
    key_of = TIMED.get(by) if by else None
    if key_of is None:
        return dict.fromkeys(slots, 0)
    first_of: dict[str, int] = {}
    return {slot: first_of.setdefault(key_of(period.local(slot * SLOT_SECONDS)), slot) for slot in slots}


def _names(db: apsw.Connection, by: Dimension | None) -> dict[int, tuple[str, str]]:
    """Return each writer's line and author, as far as a dimension tells them apart."""
    columns = {Dimension.LINE: "line_id, ''", Dimension.AGENT: "'', author"}
    shown = columns.get(by, "'', ''") if by else "'', ''"
    return {row[0]: row[1:] for row in rows(db, f"SELECT writer, {shown} FROM metrics_writers")}


def message_counts(db: apsw.Connection, period: Period, by: Dimension | None = None) -> list[MessageCount]:
    """Return counts of a period by kind, with what a dimension groups them by; several may be of one group."""
    moments, parts = _moments(period, by), defaultdict[int, list[bytes]](list)
    for slot, packed in rows(
        db,
        "SELECT slot, counts FROM metrics_messages WHERE slot >= ? AND slot < ?",
        (slot_of(period.start), slot_of(period.end)),
    ):
        parts[moments[slot]].append(packed)
    names, counted = _names(db, by), list[MessageCount]()
    for slot, part in parts.items():
        values = array(COUNTS, b"".join(part))
        totals: dict[tuple[int, int], int] = defaultdict(int)
        for writer, kind, count in zip(values[::3], values[1::3], values[2::3], strict=True):
            totals[writer, kind] += count
        counted += [
            MessageCount(slot * SLOT_SECONDS, *names[writer], KINDS[kind], count)
            for (writer, kind), count in totals.items()
        ]
    return counted


def authors(db: apsw.Connection) -> list[str]:
    """Return the names of the people who wrote messages, or their addresses where they have no name."""
    return [str(row[0]) for row in rows(db, "SELECT DISTINCT author FROM metrics_writers WHERE author <> ''")]


def kind_totals(counts: Iterable[MessageCount]) -> dict[str, int]:
    totals: dict[str, int] = defaultdict(int)
    for each in counts:
        totals[each.kind] += each.messages
    return totals


def responses(
    db: apsw.Connection, period: Period, by: Dimension | None = None, tagged: Collection[int] = ()
) -> list[ResponseGroup]:
    """Return the answers of a period for which somebody waited, in groups that a dimension doesn't tell apart.

    Several groups may have the same key.

    Args:
        tagged: the row numbers of the conversations that have a group each.
    """
    moments, parts = _moments(period, by), defaultdict[tuple[int, int | None], list[Sequence[bytes]]](list)
    for slot, is_first, *packed in rows(
        db,
        "SELECT slot, is_first, writers, answered, waited, conversations FROM metrics_responses"
        " WHERE slot >= ? AND slot < ?",
        (slot_of(period.start), slot_of(period.end)),
    ):
        parts[moments[slot], is_first].append(packed)
    names, found = _names(db, by), list[ResponseGroup]()
    for (slot, first_or_not), part in parts.items():
        writers, answered, waited, numbers = (b"".join(each) for each in zip(*part, strict=True))
        columns = array(SECONDS, answered), array(SECONDS, waited), array(NUMBERS, numbers)
        is_first = None if first_or_not is None else bool(first_or_not)
        whole = ResponseGroup(slot * SLOT_SECONDS, "", "", 0, is_first, *columns)
        if by not in (Dimension.LINE, Dimension.AGENT) and not tagged:
            found.append(whole)
            continue
        keys = [each if each in tagged else 0 for each in columns[2]] if tagged else array(WRITERS, writers)
        places = defaultdict[int, list[int]](list)
        for place, key in enumerate(keys):
            places[key].append(place)
        for key, each in places.items():
            line_id, author, conversation = ("", "", key) if tagged else (*names[key], 0)
            found.append(whole.only(each)._replace(line_id=line_id, author=author, conversation=conversation))
    return found


def thread_shares(db: apsw.Connection, periods: Sequence[Period], *, trusts_checks: bool = False) -> list[float]:
    """Return for each period the share of threads that were read over all of it.

    Threads that ended before a period, or began after it, don't count.

    Args:
        trusts_checks: whether somebody else reads threads again in time, of which only what they bring is known.
    """
    parts, values = [], []
    for each in periods:
        start, end = each.start * 1000, each.end * 1000
        within = "active_at >= ? AND begun < ?"
        is_read = f"{within} AND reads_from <= ? AND {_reads_to(trusts_checks)} >= ?"
        parts.append(f"count(*) FILTER (WHERE {within}), count(*) FILTER (WHERE {is_read})")
        values += [start, end, start, end, start, end]
    counts = f"SELECT {', '.join(parts)} FROM"
    kept = first(db, f"{counts} metrics_threads", values) or ()
    changed = first(db, f"{counts} ({SPANS})", (*values, -1)) or ()
    found = [sum(each) for each in zip(kept, changed, strict=True)]
    return [read / all_ if all_ else 1.0 for all_, read in zip(found[::2], found[1::2], strict=True)]


def daily_thread_shares(
    db: apsw.Connection, days: Sequence[Period], *, trusts_checks: bool = False
) -> list[float]:
    """Return the shares of `thread_shares` of many periods in order, in one pass."""
    starts, ends = [each.start * 1000 for each in days], [each.end * 1000 for each in days]
    # A thread counts from one day to another: how many more there are on each day than on the one before.
    counted, read = ([0] * (len(days) + 1) for _ in range(2))
    spans = f"SELECT active_at, begun, reads_from, {_reads_to(trusts_checks)} FROM"
    alike = Counter(
        (
            bisect_right(ends, begun),
            bisect_right(starts, active_at),
            bisect_left(starts, reads_from),
            bisect_right(ends, reads_to),
        )
        for active_at, begun, reads_from, reads_to in chain(
            rows(db, f"{spans} metrics_threads"), rows(db, f"{spans} ({SPANS})", (-1,))
        )
    )
    for (since, until, reads_since, reads_until), threads in alike.items():
        if since < until:
            counted[since] += threads
            counted[until] -= threads
            since, until = max(since, reads_since), min(until, reads_until)
            if since < until:
                read[since] += threads
                read[until] -= threads
    shares = zip(accumulate(counted[:-1]), accumulate(read[:-1]), strict=True)
    return [read / all_ if all_ else 1.0 for all_, read in shares]


def _reads_to(trusts_checks: bool) -> str:
    return "reads_to_by_others" if trusts_checks else "reads_to"


def tasks(db: apsw.Connection, condition: str, *values: object) -> list[TaskFact]:
    """Return the known tasks that an SQL condition is true for, by a covering index."""
    found = rows(
        db,
        "SELECT task_id, status, nullif(created_at, 0), nullif(updated_at, 0), coalesce(line_id, ''),"
        f" coalesce(conversation_id, ''), assigned, pending <> '[]' FROM {_TASKS} WHERE {condition}",
        values,
    )
    return [TaskFact._make((*row[:6], _people(row[6]), bool(row[7]))) for row in found]


_TASKS = "tasks INDEXED BY tasks_for_metrics"
_OPENED = "created_at >= ? AND created_at < ? AND created_at <> 0"
_OPEN = f"status <> '{DONE}'"
_OVERDUE = f"{_OPEN} AND due_at <= ?1"


def opened_tasks(db: apsw.Connection, period: Period) -> list[TaskFact]:
    return tasks(db, _OPENED, period.start, period.end)


def count_opened(db: apsw.Connection, period: Period) -> int:
    return _count(db, f"FROM {_TASKS} WHERE {_OPENED}", period.start, period.end)


def open_tasks(db: apsw.Connection) -> list[TaskFact]:
    return tasks(db, _OPEN)


LONG_WAIT_SECONDS = 3_600.0

_COUNTED = {
    Measure.WAITING: "waiting_since IS NOT NULL",
    Measure.WAITING_LONG: f"waiting_since <= ?1 - {LONG_WAIT_SECONDS}",
    # The group is the condition of an index's first column.
    Measure.LATE: f"{SERVICE_GROUP} = 0 AND service_due_at <= ?1",
}
"""The conversations that a measure counts, as the inbox's filters have them: `is:waiting`, `waiting>1h`."""


def waiting_by_quarter(db: apsw.Connection, now: float) -> list[PresentCount]:
    """Return the customers who wait, by the quarter since which they do, of all lines."""
    quarter = f"CAST(waiting_since / {SLOT_SECONDS} AS INTEGER) * {SLOT_SECONDS}"
    found = rows(
        db,
        f"SELECT {quarter}, count(*), {_LONG} FROM {_AT_A_GLANCE} WHERE waiting_since IS NOT NULL GROUP BY 1",
        (now,),
    )
    return [
        PresentCount(at, "", (), {Measure.WAITING: (count, 1, 1), Measure.WAITING_LONG: (long, 1, 1)})
        for at, count, long in found
    ]


def due_totals(db: apsw.Connection, now: float) -> PresentCount:
    """Return the late service clocks, the open and the overdue tasks of all lines."""
    ((late, known, clocks),) = rows(db, f"SELECT {_CLOCKS} FROM {_WITH_CLOCK}", (now,))
    ((is_open, overdue),) = rows(db, f"SELECT {_TASKS_NOW} FROM tasks WHERE {_OPEN}", (now,))
    counts = {Measure.BACKLOG: (is_open, 1, 1), Measure.OVERDUE: (overdue, 1, 1)}
    return PresentCount(None, "", (), {Measure.LATE: (late, known, clocks), **counts})


def present_counts(db: apsw.Connection, now: float) -> list[PresentCount]:
    """Return what counts now of each line and its people; snoozed tasks and conversations count as well.

    A customer belongs to those who are assigned to an open task of the conversation. One query for each index: the
    rows themselves are three times as slow to read.
    """
    found: dict[tuple[str, str], dict[Measure, tuple[float, float, float]]] = defaultdict(dict)

    def grouped(counts: str, of: str) -> list[Row]:
        return rows(db, f"SELECT coalesce(line_id, ''), assigned, {counts} FROM {of} GROUP BY 1, 2", (now,))

    unread_of = {(line, people): count for line, people, count, _ in grouped("count(*), ?1", _UNREAD)}
    for line, people, every, waiting, waits_long in grouped(
        f"count(*), count(waiting_since), {_LONG}", _AT_A_GLANCE
    ):
        shares = every - unread_of.get((line, people), 0), every
        found[line, people] = {Measure.WAITING: (waiting, *shares), Measure.WAITING_LONG: (waits_long, *shares)}
    for line, people, is_late, known, clocks in grouped(_CLOCKS, _WITH_CLOCK):
        found[line, people][Measure.LATE] = (is_late, known, clocks)
    for line, people, is_open, is_overdue in grouped(_TASKS_NOW, f"tasks WHERE {_OPEN}"):
        its = found[line, people]
        its[Measure.BACKLOG], its[Measure.OVERDUE] = (is_open, 1, 1), (is_overdue, 1, 1)
    return [PresentCount(None, line, _people(people), counts) for (line, people), counts in found.items()]


_LONG = f"count(*) FILTER (WHERE {_COUNTED[Measure.WAITING_LONG]})"
_CLOCKS = f"count(*) FILTER (WHERE {_COUNTED[Measure.LATE]}), count(service_due_at), count(*)"
_TASKS_NOW = f"count(*), count(*) FILTER (WHERE {_OVERDUE})"
_AT_A_GLANCE = "conversations INDEXED BY conversations_at_a_glance"
_UNREAD = f"conversations WHERE {THREAD_UNREAD}"
_WITH_CLOCK = f"conversations WHERE {SERVICE_GROUP} < 2"


def campaign_counts(found: Iterable[RunningCampaign]) -> list[PresentCount]:
    counted = []
    for each in found:
        known = float(each.is_known)
        numbers = {
            Measure.RUNNING: (known, known, 1.0),
            Measure.THROTTLED: (float(each.is_throttled), known, 1.0),
            Measure.PACE: (each.pace or 0.0, float(each.pace is not None), 1.0),
        }
        counted.append(PresentCount(None, each.line_id, (), numbers))
    return counted


def present_conversations(
    db: apsw.Connection, measure: Measure, now: float
) -> list[tuple["ListedConversation", PresentCount]]:
    """Return the conversations that count now, those who wait longest or are latest first, each with its group."""
    since = "service_due_at" if measure is Measure.LATE else "waiting_since"
    found = rows(
        db,
        f"SELECT conversation_id, name, coalesce(line_id, ''), ?1 - {since}, waiting_since, assigned"
        f" FROM conversations WHERE {_COUNTED[measure]} ORDER BY {since}, conversation_id",
        (now,),
    )
    return [
        (
            ListedConversation(conversation_id, name, line_id, 1, seconds),
            PresentCount(at, line_id, _people(assigned), {}),
        )
        for conversation_id, name, line_id, seconds, at, assigned in found
    ]


def overdue_seconds(db: apsw.Connection, now: float) -> dict[str, float]:
    """Return how long each overdue task has been overdue."""
    return dict(rows(db, f"SELECT task_id, ?1 - due_at FROM tasks WHERE {_OVERDUE}", (now,)))


def completed_since(db: apsw.Connection, since: float) -> list[TaskFact]:
    """Return the tasks that are completed, as the platform has confirmed, and weren't changed before then."""
    return tasks(db, f"status = '{DONE}' AND pending = '[]' AND updated_at >= ?", since)


def tasks_by_id(db: apsw.Connection, task_ids: Iterable[str]) -> list[TaskFact]:
    return tasks(db, "task_id IN (SELECT value FROM json_each(?))", json.dumps(list(task_ids)))


def dated_share(db: apsw.Connection) -> float:
    """Return the share of tasks whose time of creation is known."""
    every = _count(db, f"FROM {_TASKS}")
    dated = _count(db, f"FROM {_TASKS} WHERE created_at <> 0")
    return dated / every if every else 1.0


def _count(db: apsw.Connection, of: str, *values: object) -> int:
    row = first(db, f"SELECT count(*) {of}", values)
    return int(row[0]) if row else 0


@lru_cache(maxsize=10_000)  # tasks share their assignees
def _people(assigned: str) -> tuple[str, ...]:
    return tuple(json.loads(assigned))


def completions(db: apsw.Connection, since: float, task_ids: Iterable[str]) -> list[Completion]:
    """Return the changes to completed that were seen since a time (Unix seconds), and all of these tasks."""
    found = rows(
        db,
        "SELECT task_id, not_before, not_after FROM outbox.task_history WHERE not_after >= ?1 AND"
        " field = 'statusCase' AND after = '\"completed\"' UNION ALL"
        " SELECT task_id, not_before, not_after FROM outbox.task_history WHERE not_after < ?1 AND"
        " field = 'statusCase' AND after = '\"completed\"' AND task_id IN (SELECT value FROM json_each(?2))",
        (since, json.dumps(list(task_ids))),
    )
    return [Completion(*row) for row in found]


def history_since(db: apsw.Connection) -> float | None:
    """Return since when changes of tasks are kept, Unix seconds; None if that isn't known."""
    row = first(db, "SELECT at FROM outbox.task_history_start")
    return None if row is None else float(row[0])


_GIVEN = (*UNCONFIRMED, ChangeState.CONFIRMED)


def tags_of_conversations(db: apsw.Connection) -> Mapping[str, frozenset[str]]:
    """Return the tags that were added here, by conversation: the platform names no others."""
    found = rows(
        db,
        "SELECT DISTINCT target, given.value FROM outbox.changes, json_each(changes.fields, '$.tagIds') AS given"
        f" WHERE changes.kind = ? AND state IN ({', '.join('?' * len(_GIVEN))})",
        (ChangeKind.TAGS, *_GIVEN),
    )
    tagged: dict[str, set[str]] = {}
    for target, tag in found:
        tagged.setdefault(str(target), set()).add(str(tag))
    return {each: frozenset(tags) for each, tags in tagged.items()}


class MessageGroup(NamedTuple):
    """The messages of one bar of a breakdown; None for what it isn't broken down by.

    Attributes:
        slots: quarters of an hour.
    """

    line_id: str | None = None
    author: str | None = None
    conversation_ids: Collection[str] | None = None
    slots: Collection[int] | None = None

    def conditions(self) -> list[tuple[str, Sequence[object]]]:
        """Return SQL expressions, each with the values that it may have."""
        of_row = f"(messages.rowid >> {ROW_SHIFT}) / {SLOT_SECONDS * 1000}"
        found: list[tuple[str, Sequence[object]]] = []
        if self.line_id is not None:
            found.append(("coalesce(line_id, '')", [self.line_id]))
        if self.author is not None:
            found.append((AUTHOR, [self.author]))
        if self.conversation_ids is not None:
            found.append(("conversation_id", [*self.conversation_ids]))
        if self.slots is not None:
            found.append((of_row, [*self.slots]))
        return found


class ListedConversation(NamedTuple):
    """A conversation of a list that a number was counted from.

    Attributes:
        records: how many messages or responses it has.
        seconds: the longest wait; None for lists of messages, and where it isn't known.
    """

    conversation_id: str
    name: str
    line_id: str
    records: int
    seconds: float | None


def conversations_with(
    db: apsw.Connection, period: Period, kind: str, group: MessageGroup | None = None
) -> list[ListedConversation]:
    """Return the conversations with messages of a kind, and of one group alone; those with most first."""
    ends = int(period.start * 1000) << ROW_SHIFT, (int(period.end * 1000) << ROW_SHIFT) - 1
    conditions = [
        {
            INCOMING: "says = 'in'",
            ANSWER: "says = 'answer'",
            AUTOMATIC: "says = '' AND json_extract(raw, '$.messageDirection') = 'outgoing'"
            " AND coalesce(json_extract(raw, '$.type'), '') NOT IN ('note', 'informative', 'deleted')",
        }[kind]
    ]
    values: list[object] = [*ends]
    for column, wanted in () if group is None else group.conditions():
        conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(wanted))
    found = rows(
        db,
        "SELECT conversation_id, name, coalesce(line_id, ''), count(*), NULL"
        " FROM messages JOIN conversations ON conversations.rowid = conversation"
        f" WHERE messages.rowid BETWEEN ? AND ? AND {' AND '.join(conditions)}"
        " GROUP BY conversation ORDER BY 4 DESC, conversation_id",
        values,
    )
    return [ListedConversation(*row) for row in found]


def conversations_of(db: apsw.Connection, found: Iterable[TimedResponse]) -> list[ListedConversation]:
    """Return the conversations of these responses, the longest wait first; those with an unknown one come last."""
    waits: dict[int, list[float | None]] = {}
    for each in found:
        waits.setdefault(each.conversation, []).append(each.seconds)
    named = rows(
        db,
        "SELECT conversations.rowid, conversation_id, name, coalesce(line_id, '') FROM conversations"
        " WHERE rowid IN (SELECT value FROM json_each(?))",
        (json.dumps([*waits]),),
    )
    listed = [
        ListedConversation(conversation_id, name, line_id, len(waits[number]), _longest(waits[number]))
        for number, conversation_id, name, line_id in named
    ]
    return sorted(listed, key=lambda each: (each.seconds is None, -(each.seconds or 0), each.conversation_id))


def _longest(waits: Iterable[float | None]) -> float | None:
    return max((each for each in waits if each is not None), default=None)


def task_titles(db: apsw.Connection, task_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    found = rows(
        db,
        "SELECT task_id, title, customer_name FROM tasks WHERE task_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(task_ids)),),
    )
    return {str(each): (str(title), str(customer)) for each, title, customer in found}


def tagged_messages(
    db: apsw.Connection, period: Period, conversation_ids: Iterable[str]
) -> list[tuple[str, str, int]]:
    """Return how many messages by customers and by people some conversations have: id, kind, count."""
    found = rows(
        db,
        "SELECT conversation_id, iif(says = 'in', 'in', 'person'), count(*)"
        " FROM conversations JOIN messages ON conversation = conversations.rowid"
        " WHERE conversation_id IN (SELECT value FROM json_each(?)) AND says IN ('in', 'answer') AND says <> ''"
        " AND created_at >= ? AND created_at < ? GROUP BY conversation, says",
        (json.dumps(list(conversation_ids)), period.start * 1000, period.end * 1000),
    )
    return [(str(each), str(kind), int(count)) for each, kind, count in found]


def rows_of_ids(db: apsw.Connection, conversation_ids: Iterable[str]) -> dict[int, str]:
    found = rows(
        db,
        "SELECT rowid, conversation_id FROM conversations"
        " WHERE conversation_id IN (SELECT value FROM json_each(?))",
        (json.dumps([*conversation_ids]),),
    )
    return dict(found)


def ids_of_rows(db: apsw.Connection, numbers: Iterable[int]) -> dict[int, str]:
    found = rows(
        db,
        "SELECT rowid, conversation_id FROM conversations WHERE rowid IN (SELECT value FROM json_each(?))",
        (json.dumps([*numbers]),),
    )
    return {int(number): str(each) for number, each in found}

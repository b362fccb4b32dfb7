"""The clocks of a service policy, from what is known of a thread and of a task. Pure; times are Unix seconds.

What isn't known is a state of its own, never a clock that stands at zero or doesn't run.

Who waits for a person's answer, and since when: one rule for lists, service clocks and numbers.

A customer waits since their first message after the last answer by a person. A mark ends that: what they had
written by then needs no answer. Marks are local, like read markers. All of them are kept: numbers count earlier
answers.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.service_clocks.business_hours import DAY, MAX_AT, MIN_AT, BusinessHours
from frontdesk.storage.records import ConversationRecord
from frontdesk.storage.sql import ReadConnection, first

NEW_CONTACT_SECONDS = float(DAY)
"""A customer who writes so long after the last answer by a person begins a new contact."""

DONE = "completed"
"""The status that ends a resolution clock."""


class ClockKind(StrEnum):
    """What a clock measures."""

    FIRST = "first response"
    NEXT = "next response"
    RESOLUTION = "resolution"


class ClockState(StrEnum):
    """Whether a clock runs."""

    RUNNING = "running"
    PAUSED = "paused"
    UNKNOWN = "unknown"


class Policy(NamedTuple):
    """One `[[sla]]` of the config.

    Attributes:
        match: the filter of the conversations that it is for; empty for all.
        hours: None for a policy that can't be used: its clocks are unknown.
        targets: business seconds by clock.
        pauses: the statuses in which the resolution clock stands still.
        warn_seconds: an alert comes so long before a deadline, by the wall clock.
    """

    name: str
    match: str
    hours: BusinessHours | None
    targets: Mapping[ClockKind, float]
    pauses: frozenset[str] = frozenset()
    warn_seconds: float = 900.0


class ServiceClock(NamedTuple):
    """A clock of a conversation or task.

    Attributes:
        task_id: empty for a response clock.
        due_at: its deadline, at the earliest; None while it is paused, or isn't known.
        due_latest: its deadline at the latest; None where that may never come.
        known_from: since when the task's status is known.
    """

    kind: ClockKind
    policy: str
    state: ClockState
    started_at: float | None = None
    due_at: float | None = None
    due_latest: float | None = None
    warn_at: float | None = None
    task_id: str = ""
    known_from: float | None = None


class ThreadAnswers(NamedTuple):
    """What is known of who answered in a thread.

    Attributes:
        is_known: whether it was read since its last sign of life, and nothing is missing back to `answered_at`.
        answered_at: the last message by a person of the business.
        waiting_from: the customer's first message after that.
    """

    is_known: bool
    answered_at: float | None = None
    waiting_from: float | None = None


class StatusChange(NamedTuple):
    """A change of a task's status that happened between two moments; `not_before` is None where unknown."""

    before: str
    after: str
    not_before: float | None
    not_after: float


class TaskStatuses(NamedTuple):
    """What is known of a task.

    Attributes:
        known_from: since when its status is known, but for `changes`, which are in order.
    """

    task_id: str
    status: str
    created_at: float | None
    known_from: float | None = None
    changes: Sequence[StatusChange] = ()


class ClockSpan(NamedTuple):
    """A stretch of time in which a clock runs, stands still (False), or may do either (None).

    Attributes:
        end: None for one that lasts.
    """

    start: float
    end: float | None
    runs: bool | None


def response_clock(policy: Policy, thread: ThreadAnswers) -> ServiceClock | None:
    """Return the clock of the answer that a customer waits for; None where none is owed, or it has no target."""
    is_first = thread.answered_at is None or (
        thread.waiting_from is not None and thread.waiting_from - thread.answered_at >= NEW_CONTACT_SECONDS
    )
    kind = ClockKind.FIRST if is_first else ClockKind.NEXT
    if not thread.is_known:
        has_target = ClockKind.FIRST in policy.targets or ClockKind.NEXT in policy.targets
        return ServiceClock(kind, policy.name, ClockState.UNKNOWN) if has_target else None
    target = policy.targets.get(kind)
    if target is None or thread.waiting_from is None:
        return None
    return _clock(policy, kind, [ClockSpan(thread.waiting_from, None, True)])


def resolution_clock(policy: Policy, task: TaskStatuses) -> ServiceClock | None:
    """Return the clock of an open task; None for a completed one, or without a target."""
    if ClockKind.RESOLUTION not in policy.targets or task.status == DONE:
        return None
    spans = status_spans(task, lambda status: status != DONE and status not in policy.pauses)
    clock = _clock(policy, ClockKind.RESOLUTION, spans, task.task_id, task.known_from)
    if clock.state is ClockState.PAUSED and clock.due_latest is None:
        # It may have been late before, if it wasn't paused then; what is sure is that it is paused.
        return clock._replace(due_at=None, warn_at=None)
    return clock


def resolution_seconds(policy: Policy, task: TaskStatuses, earliest: float, latest: float) -> tuple[float, float]:
    """Return for how many business seconds, at least and at most, the clock of a completed task ran.

    Args:
        task: with its changes up to that completion.
        earliest, latest: between which moments it was completed.
    """
    if policy.hours is None:
        return 0.0, math.inf
    spans = status_spans(task, lambda status: status != DONE and status not in policy.pauses)
    least = most = 0.0
    for each in spans:
        end = latest if each.end is None else min(each.end, latest)
        if each.runs is not False:
            most += policy.hours.between(each.start, end)
        if each.runs:
            least += policy.hours.between(each.start, min(end, earliest))
    return least, most


def status_spans(task: TaskStatuses, runs: Callable[[str], bool]) -> list[ClockSpan]:
    """Return when a clock runs that depends on a task's status; nothing for a task without a creation time."""
    if task.created_at is None:
        return []
    found: list[ClockSpan] = []
    at = task.created_at

    def add(until: float | None, state: bool | None) -> None:
        nonlocal at
        if until is None or until > at:
            found.append(ClockSpan(at, until, state))
            at = at if until is None else until

    first = task.changes[0] if task.changes else None
    status = task.status if first is None else first.before
    read_at = (task.known_from, None if first is None else first.not_before)
    known = [each for each in read_at if each is not None]
    # Before the first read it may have had any status.
    add(min(known) if known else (None if first is None else first.not_after), None)
    for each in task.changes:
        is_unbroken = each.before == status and each.not_before is not None
        if is_unbroken:
            add(each.not_before, runs(status))
        is_same = is_unbroken and runs(each.before) == runs(each.after)
        add(each.not_after, runs(each.after) if is_same else None)
        status = each.after
    if not found or found[-1].end is not None:
        add(None, runs(task.status))
    return found


def deadline(
    spans: Iterable[ClockSpan], seconds: float, hours: BusinessHours, *, counts_doubt: bool
) -> float | None:
    """Return when so many business seconds of running have passed; None where that isn't to come.

    Args:
        counts_doubt: whether the clock ran where that isn't known: then the deadline is the earliest.
    """
    left = seconds
    for each in spans:
        if not (counts_doubt if each.runs is None else each.runs):
            continue
        used = None if each.end is None else hours.between(each.start, each.end)
        if used is None or used >= left:
            return hours.after(each.start, left)
        left -= used
    return None


def _clock(
    policy: Policy, kind: ClockKind, spans: Sequence[ClockSpan], task_id: str = "", known_from: float | None = None
) -> ServiceClock:
    unknown = ServiceClock(kind, policy.name, ClockState.UNKNOWN, task_id=task_id, known_from=known_from)
    if (
        policy.hours is None
        or not spans
        or spans[-1].runs is None
        or not all(MIN_AT < each.start < MAX_AT for each in spans)
    ):
        return unknown
    target = policy.targets[kind]
    earliest = deadline(spans, target, policy.hours, counts_doubt=True)
    state = ClockState.RUNNING if spans[-1].runs else ClockState.PAUSED
    if earliest is None and state is ClockState.RUNNING:
        return unknown
    return ServiceClock(
        kind,
        policy.name,
        state,
        spans[0].start,
        earliest,
        deadline(spans, target, policy.hours, counts_doubt=False),
        None if earliest is None else earliest - policy.warn_seconds,
        task_id,
        known_from,
    )


NO_ANSWER = "no answer"
"""The kept value of a conversation: its marks, Unix milliseconds of the newest message that each is about."""

_NEVER, _ALWAYS = 0.0, 9e18
"""A message without a time has 0: nobody waits since then."""


class Wait(NamedTuple):
    """How long a customer has waited, in seconds.

    Attributes:
        seconds: since what they wrote first after the last answer; None if nobody waits.
        again: since what they wrote last, where that is something else.
        doubt: a question mark where the thread wasn't read since its last sign of life, so that this may be wrong.
    """

    seconds: float | None
    again: float | None
    doubt: str


def wait_of(record: ConversationRecord, now: float) -> Wait:
    """Return how long the customer of a conversation has waited, as every list, sentence and fact tells it."""
    since, last = record.waiting_since, record.last_incoming_at
    waited, again = (None if at is None or since is None else max(0.0, now - at) for at in (since, last))
    return Wait(waited, None if last == since else again, "" if record.waiting_known else "?")


def asked_at(db: ReadConnection, number: int, after: float | None = None, until: float = _ALWAYS) -> float | None:
    """Return when a customer first wrote what needs an answer; None for never.

    Args:
        number: the conversation's row number.
        after: Unix milliseconds, as `until` and the result.
    """
    row = first(
        db,
        "SELECT min(created_at) FROM messages WHERE conversation = ?1 AND says = 'in' AND says <> ''"
        " AND created_at > max(?2, coalesce((SELECT max(mark.value) FROM conversations JOIN outbox.kept"
        " ON kept.kind = ?4 AND kept.id = conversation_id, json_each(kept.value) AS mark"
        " WHERE conversations.rowid = ?1 AND mark.value <= ?3), ?2)) AND created_at <= ?3",
        (number, _NEVER if after is None else after, until, NO_ANSWER),
    )
    return None if row is None or row[0] is None else float(row[0])


def read_answers(db: ReadConnection, number: int, *, is_current: bool = True) -> ThreadAnswers:
    """Read who wrote last in a thread; `is_current` if it was read since its last sign of life."""
    answered = last_said_at(db, number, "answer")
    newest = first(
        db,
        "SELECT oldest_at, complete FROM segments WHERE conversation = ?"
        " ORDER BY newest_at DESC, newest_id DESC LIMIT 1",
        (number,),
    )
    # Before the newest segment there is a gap: what it hides may be an answer, or an earlier question.
    is_whole = newest is None or bool(newest[1]) or (answered is not None and answered >= newest[0])
    waiting = asked_at(db, number, answered if is_whole or newest is None else newest[0] - 1)
    if waiting is None and newest is not None:
        # What a mark is about may be in the gap, too: it needs no answer either.
        is_whole = is_whole or _marked_at(db, number) >= newest[0]
    return ThreadAnswers(
        is_current and is_whole,
        None if answered is None else answered / 1000,
        None if waiting is None else waiting / 1000,
    )


def _marked_at(db: ReadConnection, number: int) -> float:
    """Return up to when what was written needs no answer, Unix milliseconds."""
    row = first(db, "SELECT conversation_id FROM conversations WHERE rowid = ?", (number,))
    return max(marks_of(db, str(row[0])), default=_NEVER) if row else _NEVER


def marks_of(db: ReadConnection, conversation_id: str) -> list[float]:
    """Return the marks of a conversation, oldest first."""
    return list(queue.kept(db, NO_ANSWER, conversation_id) or ())


def needs_no_answer(db: ReadConnection, conversation_id: str) -> bool:
    """Return whether a mark is why nobody waits in a conversation."""
    marks, number = marks_of(db, conversation_id), row_number(db, conversation_id)
    if not marks or number is None:
        return False
    said = max(last_said_at(db, number, says) or _NEVER for says in ("in", "answer"))
    return marks[-1] >= said


def put_marks(db: apsw.Connection, conversation_id: str, marks: Sequence[float], now: float) -> None:
    """Replace the marks of a conversation; answers that were given meanwhile are counted again."""
    before, number = marks_of(db, conversation_id), row_number(db, conversation_id)
    if marks:
        queue.keep(db, NO_ANSWER, conversation_id, marks, now)
    else:
        queue.forget(db, NO_ANSWER, conversation_id)
    since = min({*before} ^ {*marks}, default=_ALWAYS)
    # Writing a message has its quarter counted again (`metrics.store`).
    db.execute(
        "UPDATE messages SET says = says"
        " WHERE conversation = ? AND says = 'answer' AND says <> '' AND created_at > ?",
        (number, since),
    )


def mark_until(db: ReadConnection, conversation_id: str, seen_at: float | None) -> float | None:
    """Return the mark of what a customer had written by then, Unix seconds; None if they don't wait for that."""
    number = row_number(db, conversation_id)
    waiting = None if number is None else read_answers(db, number).waiting_from
    if number is None or waiting is None or seen_at is None or seen_at < waiting:
        return None
    return last_said_at(db, number, "in", seen_at * 1000 + 0.5)


def row_number(db: ReadConnection, conversation_id: str) -> int | None:
    row = first(db, "SELECT rowid FROM conversations WHERE conversation_id = ?", (conversation_id,))
    return None if row is None else int(row[0])


def last_said_at(db: ReadConnection, number: int, says: str, until: float = _ALWAYS) -> float | None:
    """Return when the customer (`in`) or a person (`answer`) last wrote, Unix milliseconds; None for never."""
    row = first(
        db,
        "SELECT max(created_at) FROM messages"
        " WHERE conversation = ? AND says = ? AND says <> '' AND created_at <= ?",
        (number, says, until),
    )
    return None if row is None or row[0] is None else float(row[0])

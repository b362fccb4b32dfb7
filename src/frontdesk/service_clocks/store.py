"""The clocks of conversations and tasks: their table, and what they are computed from, read from other tables.

Like `storage.record_lookup` this reads the tables of several features by SQL: none of them imports another.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from frontdesk.service_clocks.clocks import (
    DONE,
    ClockKind,
    ClockState,
    Policy,
    ServiceClock,
    StatusChange,
    TaskStatuses,
    read_answers,
    resolution_clock,
    response_clock,
)
from frontdesk.storage import change_feed
from frontdesk.storage.coverage import Coverage, read_coverage
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import THREAD_UNREAD
from frontdesk.storage.records import TaskRecord
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import Row, first, rows

_STORE_16 = """
CREATE TABLE service_clocks (
    conversation_id TEXT NOT NULL, task_id TEXT NOT NULL, kind TEXT NOT NULL, policy TEXT NOT NULL,
    state TEXT NOT NULL, started_at REAL, due_at REAL, due_latest REAL, warn_at REAL, known_from REAL,
    PRIMARY KEY (conversation_id, task_id)
) WITHOUT ROWID;
CREATE INDEX service_clocks_by_due ON service_clocks (due_at, conversation_id) WHERE due_at IS NOT NULL;
CREATE INDEX service_clocks_by_warning ON service_clocks (warn_at) WHERE warn_at IS NOT NULL;
CREATE INDEX service_clocks_by_task ON service_clocks (task_id) WHERE task_id <> '';
ALTER TABLE conversations ADD COLUMN service_due_at REAL;
ALTER TABLE conversations ADD COLUMN service_unknown INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversations_by_sla ON conversations
    (iif(service_due_at IS NOT NULL, 0, iif(service_unknown, 1, 2)), service_due_at, active_at DESC,
    conversation_id);
"""
SCHEMA = SchemaPart(store={16: [_STORE_16]})

SERVICE_GROUP = "iif(service_due_at IS NOT NULL, 0, iif(service_unknown, 1, 2))"
"""0 for a conversation with a deadline, 1 for an unknown one, 2 for none: word for word as in the index."""

_COLUMNS = "kind, policy, state, started_at, due_at, due_latest, warn_at, task_id, known_from"
"""Of a clock, in the order of its fields."""

POSITION = "service clocks"
"""The key in `meta` up to where the clocks were computed."""

_LONE_TASK = "task "
"""What stands before the id of a task without a conversation, in place of the conversation's id."""


class NearestClock(NamedTuple):
    """The clock of a row or card that comes first.

    Attributes:
        has_unknown: whether another clock isn't known, which may come before it.
    """

    clock: ServiceClock
    has_unknown: bool = False


class DueClock(NamedTuple):
    """A clock whose warning has come."""

    conversation_id: str
    clock: ServiceClock
    assigned: tuple[str, ...]


def of_conversation(db: apsw.Connection, conversation_id: str) -> NearestClock | None:
    return _nearest(_stored(db, conversation_id).values())


def coverage(db: apsw.Connection) -> Coverage:
    """Count what was read, and whether all clocks are known."""
    unknown = first(db, f"SELECT 1 FROM conversations WHERE {SERVICE_GROUP} = 1 LIMIT 1")
    has_all = unknown is None and is_walked(db)
    return read_coverage(db)._replace(has_clocks=has_all)


def of_task(db: apsw.Connection, task_id: str, conversation_id: str | None) -> NearestClock | None:
    """Return the nearest of a task's clock and its conversation's response clock; None without either."""
    found = rows(
        db,
        f"SELECT {_COLUMNS} FROM service_clocks WHERE task_id = ?1 AND task_id <> ''"
        f" UNION ALL SELECT {_COLUMNS} FROM service_clocks WHERE conversation_id = ?2 AND task_id = ''",
        (task_id, conversation_id or None),
    )
    return _nearest(map(_clock, found))


def of_row(db: apsw.Connection, conversation_id: str, task: TaskRecord | None) -> NearestClock | None:
    """Return the nearest clock of a row about one task, or about a conversation with all of its tasks."""
    if task is None:
        return of_conversation(db, conversation_id)
    return of_task(db, task.task_id, conversation_id)


def shown_for_task(store: ProfileStore, task: TaskRecord) -> NearestClock | None:
    """Return the nearest clock of a task; None without any, or for a completed one."""
    if not store.settings.sla or task.status == DONE:
        return None
    return of_task(store.reading, task.task_id, task.conversation_id)


def with_warning(db: apsw.Connection, since: float, now: float, limit: int) -> list[DueClock]:
    """Return the clocks whose warning came after one moment and up to another, the latest first."""
    found = rows(
        db,
        f"SELECT conversation_id, {_COLUMNS} FROM service_clocks"
        " WHERE warn_at > ? AND warn_at <= ? ORDER BY warn_at DESC LIMIT ?",
        (since, now, limit),
    )
    people = _people(db, {str(row[0]) for row in found})
    return [DueClock(str(row[0]), _clock(row[1:]), people.get(str(row[0]), ())) for row in found]


class LateCounts(NamedTuple):
    """How many clocks of a kind are late for sure, may be late, are due within an hour, and aren't known."""

    late: int = 0
    doubtful: int = 0
    soon: int = 0
    unknown: int = 0


def late_counts(db: apsw.Connection, at: float) -> dict[ClockKind, LateCounts]:
    found = rows(
        db,
        "SELECT kind, sum(due_latest <= ?1), sum(due_at <= ?1 AND coalesce(due_latest > ?1, 1)),"
        " sum(due_at > ?1 AND due_at <= ?1 + 3600), sum(state = 'unknown') FROM service_clocks GROUP BY kind",
        (at,),
    )
    by_kind = {ClockKind(kind): LateCounts(*(int(each or 0) for each in counts)) for kind, *counts in found}
    return {each: by_kind.get(each, LateCounts()) for each in ClockKind}


def _people(db: apsw.Connection, conversation_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    found = rows(
        db,
        "SELECT conversation_id, assigned FROM conversations"
        " WHERE conversation_id IN (SELECT value FROM json_each(?1))"
        " UNION ALL SELECT ?2 || task_id, assigned FROM tasks"
        " WHERE conversation_id IS NULL AND ?2 || task_id IN (SELECT value FROM json_each(?1))",
        (json.dumps(list(conversation_ids)), _LONE_TASK),
    )
    return {str(each): tuple(json.loads(assigned)) for each, assigned in found}


def _nearest(clocks: Iterable[ServiceClock]) -> NearestClock | None:
    found = sorted(clocks, key=_rank)
    if not found:
        return None
    unknown = any(each.state is ClockState.UNKNOWN for each in found[1:])
    return NearestClock(found[0], unknown)


def _rank(clock: ServiceClock) -> tuple[int, float]:
    if clock.due_at is not None:
        return (0, clock.due_at)
    return (1 if clock.state is ClockState.UNKNOWN else 2, 0.0)


def lone_task(task_id: str) -> str:
    """Return what stands for the conversation of a task that has none."""
    return f"{_LONE_TASK}{task_id}"


Clocks = dict[str, ServiceClock]
"""The clocks of one conversation by task; the response clock under an empty id."""


def compute(
    db: apsw.Connection, conversation_ids: Collection[str], policy_of: Mapping[str, Policy]
) -> dict[str, Clocks]:
    """Return the clocks of these conversations; one without a policy has none."""
    found: dict[str, Clocks] = {each: {} for each in conversation_ids}
    ids = json.dumps([each for each in conversation_ids if each in policy_of])
    threads = rows(
        db,
        f"SELECT conversation_id, rowid, NOT ({THREAD_UNREAD}) AND coalesce(thread_read_at, 0) <> 0"
        " FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))",
        (ids,),
    )
    for each, number, is_current in threads:
        clock = response_clock(policy_of[each], read_answers(db, number, is_current=bool(is_current)))
        if clock is not None:
            found[each][""] = clock
    columns = "task_id, status, created_at FROM tasks"
    tasks = rows(
        db,
        f"SELECT conversation_id, {columns} WHERE conversation_id IN (SELECT value FROM json_each(?1))"
        f" AND status <> ?3 UNION ALL SELECT ?4 || task_id, {columns}"
        " WHERE task_id IN (SELECT value FROM json_each(?2)) AND conversation_id IS NULL AND status <> ?3",
        (
            ids,
            json.dumps([each.removeprefix(_LONE_TASK) for each in policy_of if each.startswith(_LONE_TASK)]),
            DONE,
            _LONE_TASK,
        ),
    )
    stored = {each: _stored(db, each) for each in {str(row[0]) for row in tasks}}
    known = []
    for each, task_id, status, created_at in tasks:
        before = stored[each].get(task_id)
        known.append(KnownTask(task_id, status, created_at, None if before is None else before.known_from))
    statuses = read_statuses(db, known)
    for each, task_id, *_ in tasks:
        clock = resolution_clock(policy_of[each], statuses[task_id])
        if clock is not None:
            found[each][task_id] = clock
    return found


def differing(db: apsw.Connection, computed: Mapping[str, Clocks]) -> dict[str, Clocks]:
    return {each: clocks for each, clocks in computed.items() if _stored(db, each) != clocks}


def put(db: apsw.Connection, computed: Mapping[str, Clocks]) -> None:
    for conversation_id, clocks in computed.items():
        db.execute("DELETE FROM service_clocks WHERE conversation_id = ?", (conversation_id,))
        db.executemany(
            f"INSERT INTO service_clocks (conversation_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(conversation_id, *each) for each in clocks.values()],
        )
        due = [each.due_at for each in clocks.values() if each.due_at is not None]
        unknown = any(each.state is ClockState.UNKNOWN for each in clocks.values())
        db.execute(
            "UPDATE conversations SET service_due_at = ?, service_unknown = ? WHERE conversation_id = ?",
            (min(due, default=None), int(unknown), conversation_id),
        )
    # A card shows the clock of its conversation, too.
    shown = rows(
        db,
        "SELECT task_id FROM tasks WHERE conversation_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(computed)),),
    )
    lone = [each.removeprefix(_LONE_TASK) for each in computed if each.startswith(_LONE_TASK)]
    change_feed.append(db, change_feed.TASK, [*(str(row[0]) for row in shown), *lone])
    change_feed.append(
        db, change_feed.CONVERSATION, [each for each in computed if not each.startswith(_LONE_TASK)]
    )


def clear(db: apsw.Connection) -> None:
    db.execute("DELETE FROM service_clocks")
    db.execute(
        "UPDATE conversations SET service_due_at = NULL, service_unknown = 0"
        " WHERE service_due_at IS NOT NULL OR service_unknown"
    )
    db.execute("DELETE FROM meta WHERE key = ?", (POSITION,))
    change_feed.append(db, change_feed.EVERYTHING.kind, [""])


def position(db: apsw.Connection) -> Mapping[str, Any]:
    """Return up to where the clocks were computed; empty for nowhere."""
    row = first(db, "SELECT value FROM meta WHERE key = ?", (POSITION,))
    return {} if row is None else dict(json.loads(row[0]))


def is_walked(db: apsw.Connection) -> bool:
    """Return whether the clocks of all conversations were computed once."""
    return position(db).get("walked", WALK_START) is None


def put_position(db: apsw.Connection, value: Mapping[str, Any]) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (POSITION, json.dumps(value)))


Walked = tuple[str, int]
"""Up to where all is walked: a table, and its row number."""

WALK_START: Walked = ("conversations", 0)


def walk(db: apsw.Connection, walked: Walked, limit: int) -> tuple[list[str], Walked | None]:
    """Return the next conversations, then tasks without one, and up to where they reach; None at the end."""
    table, number = walked
    if table == "conversations":
        sql = "SELECT conversation_id, rowid FROM conversations WHERE rowid > ? ORDER BY rowid LIMIT ?"
        found = rows(db, sql, (number, limit))
        return [str(row[0]) for row in found], (table, int(found[-1][1])) if found else ("tasks", 0)
    sql = (
        "SELECT ? || task_id, rowid FROM tasks WHERE conversation_id IS NULL AND rowid > ? ORDER BY rowid LIMIT ?"
    )
    found = rows(db, sql, (_LONE_TASK, number, limit))
    return [str(row[0]) for row in found], (table, int(found[-1][1])) if found else None


def conversations_of_tasks(db: apsw.Connection, task_ids: Collection[str]) -> set[str]:
    """Return the conversations of tasks, and those whose clocks name one of them."""
    found = rows(
        db,
        "SELECT coalesce(conversation_id, ?2 || task_id) FROM tasks"
        " WHERE task_id IN (SELECT value FROM json_each(?1))"
        " UNION SELECT conversation_id FROM service_clocks WHERE task_id <> ''"
        " AND task_id IN (SELECT value FROM json_each(?1))",
        (json.dumps(list(task_ids)), _LONE_TASK),
    )
    return {str(row[0]) for row in found}


class KnownTask(NamedTuple):
    """A task whose statuses are read.

    Attributes:
        known_from: since when its status was known when the clock was computed before, Unix seconds.
    """

    task_id: str
    status: str
    created_at: float | None
    known_from: float | None = None


def read_statuses(db: apsw.Connection, tasks: Sequence[KnownTask]) -> dict[str, TaskStatuses]:
    ids = json.dumps([each.task_id for each in tasks])
    history: dict[str, list[Row]] = {each.task_id: [] for each in tasks}
    among = "task_id IN (SELECT value FROM json_each(?))"
    columns = "task_id, field, before, after, not_before, not_after"
    for task_id, *row in rows(
        db, f"SELECT {columns} FROM outbox.task_history WHERE {among} ORDER BY not_after, entry_id", (ids,)
    ):
        history[task_id].append(tuple(row))
    read_at = {
        str(row[0]): row[1] for row in rows(db, f"SELECT task_id, at FROM task_reads WHERE {among}", (ids,))
    }
    since = first(db, "SELECT at FROM outbox.task_history_start")
    found = {}
    for each in tasks:
        changes = history[each.task_id]
        known = [row[3] for row in changes if row[3] is not None]
        if not changes:
            # A task without a read was stored before there was a history.
            first_known = read_at.get(each.task_id, None if since is None else since[0])
            known += [] if first_known is None else [float(first_known)]
        if each.known_from is not None:
            known.append(each.known_from)
        statuses = tuple(
            StatusChange(str(json.loads(row[1])), str(json.loads(row[2])), row[3], row[4])
            for row in changes
            if row[0] == "statusCase"
        )
        found[each.task_id] = TaskStatuses(
            each.task_id, each.status, each.created_at, min(known, default=None), statuses
        )
    return found


def _stored(db: apsw.Connection, conversation_id: str) -> Clocks:
    found = rows(db, f"SELECT {_COLUMNS} FROM service_clocks WHERE conversation_id = ?", (conversation_id,))
    return {str(row[7]): _clock(row) for row in found}


def _clock(row: Row) -> ServiceClock:
    kind, policy, state, *others = row
    return ServiceClock(ClockKind(kind), str(policy), ClockState(state), *others)

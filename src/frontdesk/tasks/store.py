"""Tasks in the store, shown with their pending changes."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import apsw

from frontdesk.inbox.store import conversations
from frontdesk.inbox.store.conversations import TaskCustomer
from frontdesk.outbox import queue
from frontdesk.outbox.overlay import apply_changes
from frontdesk.storage import change_feed, full_text
from frontdesk.storage.record_lookup import TASK_COLUMNS, task_record
from frontdesk.storage.records import Json, TaskRecord
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import Row, first, rows
from frontdesk.tasks import history
from frontdesk.tasks.history import Seen
from frontdesk_api import json_access
from frontdesk_api.contract.ids import StatusId, TaskId
from frontdesk_api.contract.values import UnixUnstated, unstated_to_seconds
from frontdesk_api.json_access import canonical
from frontdesk_lines.display_text import visible_name

_COUNTS = "SELECT status, count(*) FROM tasks GROUP BY status"
SEEN = "seen"
"""Kept a task: how much of the platform's unread count was seen here. Nothing of it is sent: a PATCH
would raise the count (rule 180)."""

_NAMES = TASK_COLUMNS.split(", ")
_INSERT = f"INSERT INTO tasks ({TASK_COLUMNS}, rowid) VALUES ({', '.join('?' * len(_NAMES))}, ?)"
_UPDATE = f"UPDATE tasks SET {', '.join(f'{name} = ?' for name in _NAMES)}, missed = 0 WHERE rowid = ?"

_STORE_1 = """
CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY,
    raw TEXT NOT NULL,
    line_id TEXT, conversation_id TEXT, customer_id TEXT, customer_name TEXT NOT NULL, platform TEXT NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, due_at REAL, assigned TEXT NOT NULL,
    unread INTEGER NOT NULL, created_at REAL, updated_at REAL,
    pending TEXT NOT NULL,
    sweep INTEGER NOT NULL, missed INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX tasks_by_status ON tasks (status, due_at, task_id);
CREATE INDEX tasks_by_conversation ON tasks (conversation_id);
"""
_STORE_2 = """
CREATE TABLE tasks_2 (
    rowid INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE,
    raw TEXT NOT NULL,
    line_id TEXT, conversation_id TEXT, customer_id TEXT, customer_name TEXT NOT NULL, platform TEXT NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, due_at REAL, assigned TEXT NOT NULL,
    unread INTEGER NOT NULL, created_at REAL, updated_at REAL,
    pending TEXT NOT NULL,
    missed INTEGER NOT NULL DEFAULT 0
);
INSERT INTO tasks_2 (task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body,
    status, due_at, assigned, unread, created_at, updated_at, pending, missed)
    SELECT task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body,
    status, due_at, assigned, unread, created_at, updated_at, pending, missed FROM tasks;
DROP TABLE tasks;
ALTER TABLE tasks_2 RENAME TO tasks;
CREATE INDEX tasks_by_conversation ON tasks (conversation_id);
CREATE INDEX tasks_on_board ON tasks (status, due_at IS NULL OR status = 'completed',
    iif(status = 'completed', 0, due_at), updated_at DESC, task_id);
CREATE INDEX tasks_pending ON tasks (task_id) WHERE pending <> '[]';
INSERT INTO unindexed SELECT 'task', rowid FROM tasks;
"""
_STORE_3 = """
CREATE INDEX tasks_of_status ON tasks (status, conversation_id);
"""
_STORE_20 = """
DROP INDEX tasks_by_conversation;
CREATE INDEX tasks_at_a_glance ON tasks (conversation_id, status, due_at, assigned, task_id);
"""
"""What a row of the inbox is about is found without a task's own row, whose raw JSON stands before its columns."""
SCHEMA = SchemaPart(store={1: [_STORE_1], 2: [_STORE_2], 3: [_STORE_3], 20: [_STORE_20]})
"""The tables of tasks and the migrations that made them (see `storage.schema`)."""


def put(db: apsw.Connection, tasks: Iterable[Json], seen: Seen | None = None) -> list[TaskId]:
    """Store tasks as they were received, and what has changed in them; return the ids of those that differ.

    Args:
        seen: the read that they come from; without one nothing is added to the history.
    """
    received = {TaskId(raw["taskId"]): raw for raw in tasks}
    stored = _stored(db, received)
    differing = [
        _ReceivedTask(each, raw, text)
        for each, raw in received.items()
        if (text := canonical(raw)) != (stored[each].text if each in stored else None)
    ]
    if seen is not None:
        for each in differing:
            if each.task_id in stored:
                history.note(db, json.loads(stored[each.task_id].text), each.raw, seen)
        history.note_reads(db, {each.task_id: seen.asked_at for each in differing})
    _write(db, differing, stored)
    return [each.task_id for each in differing]


def refresh_overlay(db: apsw.Connection, task_ids: Iterable[TaskId]) -> None:
    """Update what lists show of these tasks after their pending changes changed."""
    stored = _stored(db, task_ids)
    received = [_ReceivedTask(task_id, json.loads(each.text), each.text) for task_id, each in stored.items()]
    _write(db, received, stored)


def are_known(db: apsw.Connection, tasks: Iterable[Json]) -> bool:
    received = {str(raw["taskId"]): raw for raw in tasks}
    found = rows(
        db,
        "SELECT task_id, raw FROM tasks WHERE task_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(received)),),
    )
    return len(found) == len(received) and all(text == canonical(received[each]) for each, text in found)


def finish_sweep(db: apsw.Connection, met: Collection[TaskId]) -> list[TaskId]:
    """Count the tasks that a whole walk did not meet; return those missing from two in a row.

    Pages shift while they are walked, so one miss means nothing.
    """
    ids = json.dumps(list(met))
    db.execute(
        "UPDATE tasks SET missed = 0 WHERE missed > 0 AND task_id IN (SELECT value FROM json_each(?))", (ids,)
    )
    db.execute(
        "UPDATE tasks SET missed = missed + 1 WHERE task_id NOT IN (SELECT value FROM json_each(?))", (ids,)
    )
    found = rows(db, "SELECT task_id FROM tasks WHERE missed >= 2")
    return [TaskId(row[0]) for row in found]


def newest_id(db: apsw.Connection) -> TaskId | None:
    row = first(db, "SELECT task_id FROM tasks ORDER BY updated_at DESC LIMIT 1")
    return None if row is None else TaskId(row[0])


def reset_misses(db: apsw.Connection, task_id: TaskId) -> None:
    """Reset the misses of a task that a request by its id found."""
    db.execute("UPDATE tasks SET missed = 0 WHERE task_id = ?", (task_id,))


def remove(db: apsw.Connection, task_id: TaskId) -> None:
    """Delete a task that the platform says doesn't exist."""
    row = first(db, "SELECT conversation_id, rowid FROM tasks WHERE task_id = ?", (task_id,))
    if row is None:
        return
    db.execute("DELETE FROM tasks WHERE task_id = ?", (task_id,))
    db.execute("DELETE FROM task_reads WHERE task_id = ?", (task_id,))
    full_text.mark_unindexed(db, full_text.IndexKind.TASK, row[1:])
    change_feed.append(db, change_feed.TASK, [task_id])
    if row[0] is not None:
        conversations.summarise_tasks(db, [row[0]])


def discount_own_patch(db: apsw.Connection, task_id: TaskId, now: float) -> None:
    """Discount our own PATCH from a task's unread count, which it raises."""
    raw = raw_task(db, task_id)
    if raw is not None:
        queue.keep(db, SEEN, task_id, min(seen_of(db, task_id) + 1, _unread_count(raw)), now)
        refresh_overlay(db, [task_id])


def note_all_seen(db: apsw.Connection, conversation_id: str, now: float) -> None:
    found = rows(db, "SELECT task_id, raw FROM tasks WHERE conversation_id = ? AND unread > 0", (conversation_id,))
    for task_id, raw in found:
        queue.keep(db, SEEN, task_id, _unread_count(json.loads(raw)), now)
    refresh_overlay(db, [TaskId(row[0]) for row in found])


def seen_of(db: apsw.Connection, task_id: str) -> int:
    """Return how much of a task's unread count on the platform was seen here."""
    kept = queue.kept(db, SEEN, task_id)
    return kept if isinstance(kept, int) else 0


def among(db: apsw.Connection, task_ids: Iterable[TaskId]) -> dict[TaskId, TaskRecord]:
    """Return the known ones of these tasks, with pending changes."""
    ids = json.dumps(list(task_ids))
    found = rows(db, f"SELECT {TASK_COLUMNS} FROM tasks WHERE task_id IN (SELECT value FROM json_each(?))", (ids,))
    return {record.task_id: record for record in map(task_record, found)}


_parse = lru_cache(json.loads)
"""Parses JSON that many tasks have, such as a status."""


def shown_values(
    db: apsw.Connection, task_ids: Iterable[TaskId], names: Sequence[str]
) -> dict[TaskId, dict[str, Any]]:
    """Return these fields of the known ones of these tasks, with pending changes."""
    found = rows(
        db,
        f"SELECT task_id, pending{', raw -> ?' * len(names)} FROM tasks"
        " WHERE task_id IN (SELECT value FROM json_each(?))",
        (*names, json.dumps(list(task_ids))),
    )
    values: dict[TaskId, dict[str, Any]] = {}
    for task_id, pending, *texts in found:
        shown = {name: text and _parse(text) for name, text in zip(names, texts, strict=True)}
        changed = {} if pending == "[]" else json.loads(pending)
        # Names alone, by an earlier version, say nothing of the values.
        values[TaskId(task_id)] = shown | changed if isinstance(changed, dict) else shown
    return values


def statuses(db: apsw.Connection, task_ids: Iterable[TaskId]) -> dict[TaskId, StatusId]:
    ids = json.dumps(list(task_ids))
    found = rows(db, "SELECT task_id, status FROM tasks WHERE task_id IN (SELECT value FROM json_each(?))", (ids,))
    return {TaskId(row[0]): StatusId(row[1]) for row in found}


def raw_task(db: apsw.Connection, task_id: TaskId) -> Json | None:
    """Return a task as the platform sent it, without pending changes."""
    row = first(db, "SELECT raw FROM tasks WHERE task_id = ?", (task_id,))
    return None if row is None else json.loads(row[0])


def other_open(db: apsw.Connection, task_ids: Collection[TaskId]) -> dict[TaskId, tuple[TaskId, ...]]:
    """Return the other open tasks of each task's conversation, due first; a task without any isn't named."""
    found = rows(
        db,
        "SELECT this.task_id, other.task_id FROM tasks AS this JOIN tasks AS other"
        " ON other.conversation_id = this.conversation_id AND other.task_id <> this.task_id"
        " WHERE this.task_id IN (SELECT value FROM json_each(?)) AND other.status <> 'completed'"
        " ORDER BY this.rowid, other.due_at IS NULL, other.due_at, other.task_id",
        (json.dumps(list(task_ids)),),
    )
    others: dict[TaskId, tuple[TaskId, ...]] = {}
    for this, other in found:
        others[TaskId(this)] = (*others.get(TaskId(this), ()), TaskId(other))
    return others


def counts_by_status(db: apsw.Connection) -> dict[StatusId, int]:
    return {StatusId(status): int(count) for status, count in rows(db, _COUNTS)}


class OpenTasks(NamedTuple):
    """How many tasks are open, and of these have nobody, or were due by a moment."""

    open: int
    unassigned: int
    overdue: int


def count_open(db: apsw.Connection, at: float) -> OpenTasks:
    row = first(
        db,
        "SELECT count(*), coalesce(sum(assigned = '[]'), 0), coalesce(sum(due_at <= ?), 0)"
        " FROM tasks WHERE status <> 'completed'",
        (at,),
    )
    return OpenTasks(*map(int, row)) if row else OpenTasks(0, 0, 0)


def ids_of_status(db: apsw.Connection, status: StatusId, limit: int = -1) -> list[TaskId]:
    """Return a column of the board: due first, then the last touched; completed ones by that alone; -1 for all."""
    found = rows(
        db,
        "SELECT task_id FROM tasks WHERE status = ? ORDER BY due_at IS NULL OR status = 'completed',"
        " iif(status = 'completed', 0, due_at), updated_at DESC, task_id LIMIT ?",
        (status, limit),
    )
    return [TaskId(row[0]) for row in found]


def board_sort_key(task: TaskRecord, status: StatusId) -> tuple[object, ...]:
    """Return the key by which `ids_of_status` sorts a task."""
    is_done = status == "completed"
    due = None if is_done else task.due_at
    updated = task.updated_at
    return due is None, due or 0.0, updated is None, -(updated or 0.0), task.task_id


def assigned_people(db: apsw.Connection) -> set[str]:
    found = rows(db, "SELECT DISTINCT value FROM tasks, json_each(tasks.assigned)")
    return {str(row[0]) for row in found}


def names(db: apsw.Connection) -> list[Row]:
    """Return each task's id, and its title and customer: open ones first, the last changed before others."""
    return rows(
        db,
        "SELECT task_id, title || ' ' || customer_name FROM tasks ORDER BY status = 'completed', updated_at DESC",
    )


class _ReceivedTask(NamedTuple):
    """A task as it was received, and as it is stored."""

    task_id: TaskId
    raw: Json
    text: str


class _StoredTask(NamedTuple):
    """The stored values of a task from which others are derived."""

    text: str
    number: int
    conversation_id: str | None
    words: tuple[str, str, str]


def _stored(db: apsw.Connection, task_ids: Iterable[TaskId]) -> dict[TaskId, _StoredTask]:
    found = rows(
        db,
        "SELECT task_id, raw, rowid, conversation_id, title, body, customer_name FROM tasks"
        " WHERE task_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(task_ids)),),
    )
    return {TaskId(row[0]): _StoredTask(row[1], row[2], row[3], (row[4], row[5], row[6])) for row in found}


def _write(db: apsw.Connection, received: Sequence[_ReceivedTask], stored: Mapping[TaskId, _StoredTask]) -> None:
    """Write a page of tasks and all that is derived from them: a page at once costs a tenth of one by one."""
    if not received:
        return
    ids = [each.task_id for each in received]
    live, seen = queue.live_targets(db), queue.kept_among(db, SEEN, ids)
    numbers = count(first(db, "SELECT coalesce(max(rowid), 0) + 1 FROM tasks")[0])  # type: ignore[index]
    added: list[Row] = []
    changed: list[Row] = []
    unindexed: list[int] = []
    customers: list[TaskCustomer] = []
    moved: set[str] = set()
    for task_id, raw, text in received:
        before = stored.get(task_id)
        changes = queue.live_for(db, task_id) if task_id in live else []
        shown = apply_changes(raw, changes)
        customer = json_access.mapping(shown.get("customer"))
        line_id = json_access.text(shown.get("phoneNumberId")) or None
        conversation_id = json_access.text(shown.get("participantsIdentifiers")) or None
        customer_id = json_access.text(customer.get("phoneNumberId")) or None
        names = json_access.text(customer.get("customerName")), json_access.text(customer.get("customerNickname"))
        name = visible_name(*names)
        words = (json_access.text(shown.get("title")), json_access.text(shown.get("body")), name)
        number = next(numbers) if before is None else before.number
        values = (
            task_id,
            *words[:2],
            json_access.text(shown.get("statusCase")),
            line_id,
            conversation_id,
            customer_id,
            name,
            json_access.text(customer.get("platform")),
            json_access.number(shown.get("dueDate")) or None,
            json.dumps(json_access.texts(shown.get("assignedAgentIds"))),
            _unseen(db, task_id, _unread_count(shown), seen.get(task_id)),
            _when(shown.get("createdAt")),
            _when(shown.get("updatedAt")),
            json.dumps({field: shown[field] for change in changes for field in change.fields} or []),
            text,
            number,
        )
        (added if before is None else changed).append(values)
        if before is None or before.words != words:
            unindexed.append(number)
        if conversation_id is not None:
            customers.append(TaskCustomer(conversation_id, line_id, customer_id, name, customer))
        moved |= {each for each in (conversation_id, before and before.conversation_id) if each is not None}
    db.executemany(_INSERT, added)
    db.executemany(_UPDATE, changed)
    full_text.mark_unindexed(db, full_text.IndexKind.TASK, unindexed)
    conversations.summarise_tasks(db, moved, customers)
    change_feed.append(db, change_feed.TASK, ids)


def _unseen(db: apsw.Connection, task_id: str, count: int, seen: object) -> int:
    """Return the new part of an unread count; a lower one was reset, and what was seen with it."""
    if not isinstance(seen, int):
        return count
    if seen > count:
        queue.keep(db, SEEN, task_id, count, 0.0)
    return max(0, count - seen)


def _unread_count(raw: Json) -> int:
    return int(json_access.number(raw.get("unreadCount")) or 0)


def _when(value: object) -> float | None:
    number = json_access.number(value)
    return None if number is None else unstated_to_seconds(UnixUnstated(number))

"""Known conversations, from tasks, threads and those a person opened; never a full list."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from frontdesk.inbox.store import read_markers
from frontdesk.inbox.store.conversation_query import (
    TASK_ORDER,
    Condition,
    ConditionField,
    QueryTerm,
    condition,
    order_by,
    row_sort,
    task_condition,
)
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.outbox import queue, snoozes
from frontdesk.storage import change_feed, full_text, record_lookup
from frontdesk.storage.record_lookup import CHECK_AT, IS_CHECKED, THREAD_UNREAD
from frontdesk.storage.records import ChangeKind, ConversationOrder, Json
from frontdesk.storage.sql import Row, first, rows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_api.contract.values import UnixUnstated, unstated_to_seconds
from frontdesk_lines.display_text import visible_name


def awake(db: apsw.Connection, wanted: Sequence[QueryTerm], now: float) -> tuple[QueryTerm, ...]:
    """Add that nothing snoozed matches, unless these ask for what is snoozed; `now` is in Unix seconds."""
    asks_for_snoozed = any(each.field is ConditionField.SNOOZED and not each.inverse for each in wanted)
    if asks_for_snoozed or not snoozes.are_any(db, ChangeKind.SNOOZE_CONVERSATION):
        return tuple(wanted)
    return (*wanted, QueryTerm(ConditionField.SNOOZED, after=now, inverse=True))


def snoozed_count(db: apsw.Connection, now: float) -> int:
    """Count the conversations that are snoozed at a time, Unix seconds."""
    return len(snoozes.asleep_ids(db, ChangeKind.SNOOZE_CONVERSATION, now))


def ids(
    db: apsw.Connection, order: ConversationOrder, limit: int = -1, wanted: Sequence[QueryTerm] = ()
) -> list[ConversationId]:
    return window(db, order, limit, wanted)[0]


def window(
    db: apsw.Connection,
    order: ConversationOrder,
    limit: int,
    wanted: Sequence[QueryTerm] = (),
    also: Iterable[ConversationId] = (),
) -> tuple[list[ConversationId], int]:
    """Return the first `limit` matching ids, with the matching ones of `also` among them, and the count of all.

    Where most match, the order's own index is walked until there are enough. Else they are found first and then
    sorted: all that this reads, but for the name, stands in one index.
    """
    known = count(db)
    matching = count(db, wanted) if wanted else known
    sql, values = condition(wanted)
    if more := list(also):
        sql, values = (
            f"({sql}) OR conversation_id IN (SELECT value FROM json_each(?))",
            [*values, json.dumps(more)],
        )
    walks = not wanted or (limit >= 0 and 2 * matching > known)
    return _sorted(db, order, wanted, (sql, [*values]), limit, from_index=walks), matching


def _sorted(
    db: apsw.Connection,
    order: ConversationOrder,
    wanted: Sequence[QueryTerm],
    condition: Condition,
    limit: int = -1,
    *,
    from_index: bool = True,
) -> list[ConversationId]:
    """Return the first `limit` ids that fulfil a condition, as the list of what is wanted sorts them."""
    sql, values = condition
    columns, by = "conversation_id", order_by(order, from_index=from_index)
    if (of_task := row_sort(order, wanted)) is not None:
        columns, by = f"conversation_id, {of_task.column}", of_task.by
        values = [*of_task.values, *values]
    found = rows(db, f"SELECT {columns} FROM conversations WHERE {sql} ORDER BY {by} LIMIT ?", (*values, limit))
    return [ConversationId(row[0]) for row in found]


def count(db: apsw.Connection, wanted: Sequence[QueryTerm] = ()) -> int:
    if not wanted:
        return record_lookup.conversation_count(db)
    if [(each.field, each.inverse) for each in wanted] == [(ConditionField.SNOOZED, True)]:
        # The view of all: without this, what is snoozed would have every row read to count the others.
        return record_lookup.conversation_count(db) - snoozed_count(db, wanted[0].after or 0.0)
    sql, values = condition(wanted)
    row = first(db, f"SELECT count(*) FROM conversations WHERE {sql}", values)
    return int(row[0]) if row else 0


def names(db: apsw.Connection) -> list[Row]:
    """Return the id and name of each conversation, the last active first."""
    return rows(db, "SELECT conversation_id, name FROM conversations ORDER BY active_at DESC")


def customer_names(db: apsw.Connection) -> list[Row]:
    """Return the id and name of each customer, the last active first."""
    return rows(
        db,
        "SELECT DISTINCT customer_id, name FROM conversations WHERE customer_id IS NOT NULL"
        " ORDER BY active_at DESC",
    )


def wanted_among(
    db: apsw.Connection, ids: Iterable[ConversationId], wanted: Sequence[QueryTerm]
) -> set[ConversationId]:
    sql, values = condition(wanted)
    found = rows(
        db,
        "SELECT conversation_id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))"
        f" AND {sql}",
        (json.dumps(list(ids)), *values),
    )
    return {ConversationId(row[0]) for row in found}


def next_unread(
    db: apsw.Connection, order: ConversationOrder, here: ConversationId | None, wanted: Sequence[QueryTerm] = ()
) -> ConversationId | None:
    """Return the first unread match after `here`, else from the top; None without another."""
    sql, values = condition(wanted)
    # The plus: what is wanted stands in `conversations_at_a_glance`, not in the index of the unread.
    unread = f"({'+' * bool(wanted)}unread > 0 AND {sql}) OR conversation_id = ?"
    ids = _sorted(db, order, wanted, (unread, [*values, here]), from_index=False)
    at = ids.index(here) if here in ids else -1
    return next(iter((*ids[at + 1 :], *ids[: max(0, at)])), None)


def row_tasks(
    db: apsw.Connection, conversation_ids: Collection[ConversationId], wanted: Sequence[QueryTerm] = ()
) -> dict[ConversationId, list[TaskId]]:
    """Return the tasks of each conversation that its row can be about; it is about the first.

    These fulfil what is wanted of tasks, else they are all: open ones first, then by due date.
    """
    sql, values = task_condition(wanted)
    found = rows(
        db,
        "SELECT conversation_id, task_id FROM tasks WHERE conversation_id IN (SELECT value FROM json_each(?))"
        f" AND {sql} ORDER BY {TASK_ORDER}",
        (json.dumps(list(conversation_ids)), *values),
    )
    tasks: dict[ConversationId, list[TaskId]] = {}
    for conversation_id, task_id in found:
        tasks.setdefault(ConversationId(conversation_id), []).append(TaskId(task_id))
    return tasks


Thread = tuple[ConversationId, str, str]
"""A conversation whose thread can be read: its id, line and customer."""


def outdated_threads(db: apsw.Connection, limit: int) -> list[Thread]:
    """Return threads whose customer was active since they were read, the most recently active first."""
    return _threads(db, "conversations_to_read", f"{_TO_READ} = 0", f"{_ACTIVITY} DESC, conversation_id", limit)


def never_read_threads(db: apsw.Connection, limit: int, *, from_oldest: bool = False) -> list[Thread]:
    """Return threads that were never read, the most recently active first.

    Args:
        from_oldest: only those with open tasks and a known activity, the oldest first.
    """
    if from_oldest:
        wanted = f"thread_read_at IS NULL AND open_tasks > 0 AND {_ACTIVITY} > 0"
        return _threads(db, "conversations_oldest_to_read", wanted, f"{_ACTIVITY}, conversation_id", limit)
    return _threads(db, "conversations_to_read", f"{_TO_READ} = 1", f"{_ACTIVITY} DESC, conversation_id", limit)


def threads_to_check(db: apsw.Connection, now: float, limit: int) -> list[Thread]:
    """Return threads that are to be read again though nothing tells of a new message, the longest due first."""
    wanted = f"thread_checked_at IS NOT NULL AND {IS_CHECKED} AND {CHECK_AT} <= ?"
    return _threads(db, "conversations_to_check", wanted, f"{CHECK_AT}, rowid", limit, now)


_ACTIVITY = "coalesce(task_active_at, active_at, 0)"
_TO_READ = f"({THREAD_UNREAD}) AND (thread_read_at IS NULL)"


def _threads(db: apsw.Connection, index: str, wanted: str, by: str, limit: int, *values: object) -> list[Thread]:
    found = rows(
        db,
        f"SELECT conversation_id, line_id, customer_id FROM conversations INDEXED BY {index}"
        f" WHERE line_id IS NOT NULL AND customer_id IS NOT NULL AND {wanted}"
        f" ORDER BY {by} LIMIT ?",
        (*values, limit),
    )
    return [(ConversationId(each), str(line), str(customer)) for each, line, customer in found]


def unsigned_threads(db: apsw.Connection, conversation_ids: Collection[str]) -> dict[str, bool]:
    """Return which of these no open task names an activity of, and whether any closed one does."""
    found = rows(
        db,
        "SELECT conversation_id, coalesce(task_active_at, 0) > 0 FROM conversations"
        " WHERE conversation_id IN (SELECT value FROM json_each(?))"
        " AND (open_tasks = 0 OR coalesce(task_active_at, 0) = 0)",
        (json.dumps(list(conversation_ids)),),
    )
    return {str(each): bool(has_activity) for each, has_activity in found}


def is_thread_current(db: apsw.Connection, conversation_id: ConversationId) -> bool:
    """Return whether a thread was read after its customer's last known activity, which a task has to name."""
    row = first(
        db,
        "SELECT 1 FROM conversations WHERE conversation_id = ? AND thread_read_at IS NOT NULL"
        " AND task_active_at <= thread_active_at",
        (conversation_id,),
    )
    return row is not None


class TaskCustomer(NamedTuple):
    """The line, the customer and the customer's shown name of a task, for its conversation."""

    conversation_id: str
    line_id: str | None
    customer_id: str | None
    name: str
    customer: Mapping[str, Any]


_UPDATE_FROM_TASK = """
UPDATE conversations SET
    line_id = coalesce(?2, line_id), customer_id = coalesce(?3, customer_id),
    name = coalesce(nullif(?4, ''), name), number = coalesce(nullif(?5, ''), number),
    platform = coalesce(nullif(?6, ''), platform),
    task_active_at = max(coalesce(task_active_at, 0), coalesce(?7, 0)),
    active_at = max(coalesce(active_at, 0), coalesce(?7, 0))
WHERE conversation_id = ?1 RETURNING rowid, name, number, conversation_id
"""
_INSERT_WITH_TASK = """
INSERT INTO conversations (conversation_id, line_id, customer_id, name, number, platform,
    active_at, task_active_at, preview, open_tasks, due_at, assigned, pending, closed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
"""


def summarise_tasks(
    db: apsw.Connection, conversation_ids: Collection[str], customers: Sequence[TaskCustomer] = ()
) -> None:
    """Update the number of open tasks, due time, assignees and time of completion of conversations.

    Args:
        customers: of the tasks that were stored, whose conversations may be new.
    """
    summaries = _summaries(db, conversation_ids)
    known = _known(db, (each.conversation_id for each in customers))
    names: list[Row] = []
    for each in customers:
        number = visible_name(json_access.text(each.customer.get("parsedPhoneNumber")))
        active = json_access.number(each.customer.get("lastActiveAt"))
        values = (
            each.conversation_id,
            each.line_id,
            each.customer_id or other_half(each.conversation_id, each.line_id),
            each.name,
            number,
            json_access.text(each.customer.get("platform")),
            None if active is None else unstated_to_seconds(UnixUnstated(active)),
        )
        if each.conversation_id in known:
            names += rows(db, _UPDATE_FROM_TASK, values)
        else:
            db.execute(_INSERT_WITH_TASK, (*values, *summaries.pop(each.conversation_id)))
            names.append((db.last_insert_rowid(), each.name, number, each.conversation_id))
            known.add(each.conversation_id)
    full_text.write_names(db, names)
    db.executemany(
        "UPDATE conversations SET preview = iif(thread_read_at IS NULL, ?, preview),"
        " open_tasks = ?, due_at = ?, assigned = ?, pending = ?, closed_at = ? WHERE conversation_id = ?",
        [(*summary, each) for each, summary in summaries.items()],
    )
    change_feed.append(db, change_feed.CONVERSATION, conversation_ids)


def _known(db: apsw.Connection, conversation_ids: Iterable[str]) -> set[str]:
    found = rows(
        db,
        "SELECT conversation_id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(conversation_ids)),),
    )
    return {str(row[0]) for row in found}


def _summaries(db: apsw.Connection, conversation_ids: Collection[str]) -> dict[str, Row]:
    found = rows(
        db,
        "SELECT conversation_id, status, due_at, assigned, pending, title, updated_at FROM tasks"
        " WHERE conversation_id IN (SELECT value FROM json_each(?)) ORDER BY due_at IS NULL, due_at, task_id",
        (json.dumps(list(conversation_ids)),),
    )
    tasks: dict[str, list[Row]] = {each: [] for each in conversation_ids}
    for row in found:
        tasks[row[0]].append(row[1:])
    live = queue.live_targets(db)
    return {each: _summary(of_one, each in live) for each, of_one in tasks.items()}


def _summary(tasks: Sequence[Row], has_pending_tags: bool) -> Row:
    open_tasks = [row for row in tasks if row[0] != "completed"]
    people = dict.fromkeys(person for row in open_tasks for person in json.loads(row[2]))
    return (
        # Until its thread was read, a task says best what a conversation is about.
        (open_tasks or tasks or [("",) * 5])[0][4],
        len(open_tasks),
        min((row[1] for row in open_tasks if row[1]), default=None),
        json.dumps(list(people)),
        int(has_pending_tags or any(row[3] != "[]" for row in tasks)),
        # A completed task was completed by its last change.
        None if open_tasks else max((row[5] for row in tasks if row[5]), default=None),
    )


def update_from_thread(
    db: apsw.Connection,
    conversation_id: str,
    number: int,
    newest: Sequence[MessageRecord],
    now: float,
    sign_at: float,
) -> None:
    """Store a thread's preview (from `newest`, newest first), waiting time and unread count, read to a sign."""
    stands = read_markers.read_state(db, conversation_id, number)
    last = next((each.raw for each in newest if read_markers.can_preview(each.raw)), {})
    newest_at = newest[0].key.created_at / 1000 if newest else None
    db.execute(
        "UPDATE conversations SET preview = ?, preview_direction = ?, preview_status = ?, preview_initiator = ?,"
        " waiting_since = ?, last_incoming_at = ?, unread = ?, active_at = coalesce(?, active_at),"
        " thread_read_at = ?, thread_active_at = max(coalesce(?, 0), ?)"
        " WHERE conversation_id = ?",
        (
            preview_of(last),
            json_access.text(last.get("messageDirection")),
            json_access.text(last.get("status")),
            json_access.text(last.get("initiator")),
            stands.waiting_since,
            None if stands.last_incoming_at is None else stands.last_incoming_at / 1000,
            stands.unread,
            newest_at,
            now,
            newest_at,
            sign_at,
            conversation_id,
        ),
    )
    change_feed.append(db, change_feed.CONVERSATION, [conversation_id])


def add_by_pair(db: apsw.Connection, conversation_id: str, line_id: str, customer_id: str) -> None:
    names = rows(
        db,
        "INSERT INTO conversations (conversation_id, line_id, customer_id) VALUES (?, ?, ?)"
        " ON CONFLICT (conversation_id)"
        " DO UPDATE SET line_id = excluded.line_id, customer_id = excluded.customer_id"
        " RETURNING rowid, name, number, conversation_id",
        (conversation_id, line_id, customer_id),
    )
    full_text.write_names(db, names)
    change_feed.append(db, change_feed.CONVERSATION, [conversation_id])


def other_half(conversation_id: str, line_id: str | None) -> str | None:
    """Return the half of a conversation's id that isn't the line, or None.

    The order of the halves varies (docs/interface.md, Values seen), so they are compared.
    """
    halves = conversation_id.split("#")
    if line_id is None or len(halves) != 2 or halves.count(line_id) != 1:
        return None
    return halves[1] if halves[0] == line_id else halves[0]


def mark_pending(db: apsw.Connection, conversation_ids: Iterable[str]) -> None:
    summarise_tasks(db, list(conversation_ids))


PREVIEW_LIMIT = 160
"""Characters of the last message that are kept for a row."""

DELETED = "[message deleted]"
UNKNOWN = "[message without text]"
_FILES = ("attachment", "attachmentBase64")
_FILE_NAMES = ("fileName", "filename", "name", "title", "caption")
_TITLES = ("title", "text", "label", "name")


def preview_of(raw: Json) -> str:
    """Return the line about a message that lists show, before it is sanitized; empty for no message.

    Every kind has one: a row with nothing but ticks would look like an empty answer.
    """
    if not raw:
        return ""
    if raw.get("type") == "deleted":
        return DELETED
    text = next(filter(str.strip, _texts(raw)), "") or _file_preview(raw) or _kind_preview(raw)
    return text[:PREVIEW_LIMIT]


def _texts(raw: Json) -> Iterator[str]:
    said = raw.get("message")
    yield json_access.text(said) or json_access.text(json_access.mapping(said).get("text"))
    content = json_access.mapping(raw.get("richContent"))
    for value in content.values():
        yield json_access.text(value)
    for value in content.values():
        if isinstance(value, list):
            titles = [title for each in value if (title := _first_text(each, _TITLES))]
            yield " ".join(f"[{title}]" for title in titles)


def _file_preview(raw: Json) -> str:
    parts = [raw.get(name) for name in _FILES]
    named = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    if any("latitude" in json_access.mapping(each) for each in named):
        return "[location]"
    name = next((name for each in named if (name := _first_text(each, _FILE_NAMES))), "")
    return f"[{name or 'attachment'}]" if name or raw.get("hasAttachment") or any(parts) else ""


def _kind_preview(raw: Json) -> str:
    kind = json_access.text(raw.get("type"))
    return UNKNOWN if kind in ("", "default") else f"[message of type {kind}]"


def _first_text(value: object, names: tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    return next((text for name in names if (text := json_access.text(json_access.mapping(value).get(name)))), "")

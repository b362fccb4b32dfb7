"""Look-ups of records: a task or conversation by its id, the tasks of a conversation, names for sentences."""

import json
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.records import Change, ConversationRecord, DocumentRecord, Json, TaskRecord
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.ids import ConversationId, LineId, TaskId
from frontdesk_api.json_access import canonical, text
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, show_name, trusted, visible_name

TASK_COLUMNS = ", ".join((*TaskRecord._fields[:-1], "raw"))
"""The columns of a task, named as the record's fields."""

THREAD_UNREAD = "thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0)"
"""The condition for a thread that was never fetched, or not since a task's sign of a newer message.

It isn't known whether its customer waits. Three indices contain the condition, word for word
(`inbox.store.schema`).
"""

CHECK_AT = "thread_checked_at + max(600, (thread_checked_at - coalesce(active_at, 0)) * 0.25)"
"""The time to fetch a thread again without a sign of a newer message: somebody may have answered elsewhere.

The first time is after 10 minutes, then each time after a quarter of how long the thread has been quiet.
"""

IS_CHECKED = "(waiting_since IS NOT NULL OR thread_checked_at < active_at + 86400)"
"""The condition for fetching a thread again without a sign of a newer message.

Its customer waits, or it was quiet for less than a day at the last fetch. An index contains both, word for word
(`inbox.store.schema`).
"""

_CONVERSATION_COLUMNS = (
    "conversation_id, line_id, customer_id, name, number, platform, preview, preview_direction, preview_status,"
    " preview_initiator, nullif(active_at, 0), waiting_since, last_incoming_at, unread, open_tasks, due_at,"
    " assigned, pending, thread_read_at IS NOT NULL, coalesce(thread_read_at, 0) <> 0,"
    f" NOT ({THREAD_UNREAD})"
)


_NUMBER_DIGITS = "replace(replace(replace(replace(replace(number, '+', ''), ' ', ''), '-', ''), '(', ''), ')', '')"


MAX_CALLING_CODE = 4
"""Maximum number of digits before a national number: a country's code, and the zero that Italy keeps."""


def line_of_target(db: apsw.Connection, target: str) -> str:
    """Return the line of a task or conversation; empty if it has none or isn't known."""
    row = first(
        db,
        "SELECT line_id FROM tasks WHERE task_id = ?1"
        " UNION ALL SELECT line_id FROM conversations WHERE conversation_id = ?1",
        (target,),
    )
    return "" if row is None or row[0] is None else str(row[0])


def conversation(db: apsw.Connection, conversation_id: ConversationId) -> ConversationRecord | None:
    row = first(
        db, f"SELECT {_CONVERSATION_COLUMNS} FROM conversations WHERE conversation_id = ?", (conversation_id,)
    )
    return None if row is None else _conversation_record(row)


def conversations(db: apsw.Connection, conversation_ids: Iterable[ConversationId]) -> list[ConversationRecord]:
    return [found for each in conversation_ids if (found := conversation(db, each)) is not None]


def conversation_ids(db: apsw.Connection, conversation_id: ConversationId | None) -> dict[str, str]:
    """Return the ids `conversation`, `line` and `customer` of a conversation, as far as known."""
    if not conversation_id:
        return {}
    record = conversation(db, conversation_id)
    known = {} if record is None else {"line": record.line_id, "customer": record.customer_id}
    return {"conversation": conversation_id} | {name: value for name, value in known.items() if value}


def conversations_with_customer(
    db: apsw.Connection, customer_ids: Collection[str], national_digits: str = ""
) -> list[ConversationId]:
    """Return the conversations of any of these customers, on all lines, the last active first.

    Args:
        customer_ids: ids, or numbers with their calling code in digits.
        national_digits: a number in digits after any calling code.
    """
    is_national = " OR ".join(
        f"({digits} LIKE '%' || ?2 AND length({digits}) - length(?2) BETWEEN 1 AND {MAX_CALLING_CODE})"
        for digits in ("customer_id", _NUMBER_DIGITS)
    )
    found = rows(
        db,
        "SELECT conversation_id FROM conversations WHERE customer_id IN (SELECT value FROM json_each(?1))"
        f" OR {_NUMBER_DIGITS} IN (SELECT value FROM json_each(?1)) OR ?2 <> '' AND ({is_national})"
        " ORDER BY active_at DESC, conversation_id",
        (json.dumps(list(customer_ids)), national_digits),
    )
    return [ConversationId(row[0]) for row in found]


def lines_of(db: apsw.Connection, conversation_ids: Collection[str]) -> dict[str, str]:
    found = rows(
        db,
        "SELECT conversation_id, line_id FROM conversations"
        " WHERE line_id IS NOT NULL AND conversation_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(conversation_ids)),),
    )
    return {str(conversation_id): str(line_id) for conversation_id, line_id in found}


def conversation_count(db: apsw.Connection) -> int:
    # No row is ever deleted, so the last row's number is the count; a real count reads a whole index.
    last = first(db, "SELECT max(rowid) FROM conversations")
    return int(last[0] or 0) if last else 0


def task(db: apsw.Connection, task_id: TaskId) -> TaskRecord | None:
    """Return a task with its pending changes, or `None` if unknown."""
    row = first(db, f"SELECT {TASK_COLUMNS} FROM tasks WHERE task_id = ?", (task_id,))
    return None if row is None else task_record(row)


def tasks_of_conversation(db: apsw.Connection, conversation_id: ConversationId) -> list[TaskRecord]:
    """Return the tasks of a conversation: open ones first, then by due date."""
    found = rows(
        db,
        f"SELECT {TASK_COLUMNS} FROM tasks WHERE conversation_id = ?"
        " ORDER BY status = 'completed', due_at IS NULL, due_at, task_id",
        (conversation_id,),
    )
    return [task_record(row) for row in found]


def lines_seen(db: apsw.Connection) -> list[LineId]:
    """Return the lines of known conversations, with one index step a line."""
    found = rows(
        db,
        "WITH RECURSIVE line (id) AS (SELECT min(line_id) FROM conversations UNION ALL"
        " SELECT (SELECT min(line_id) FROM conversations WHERE line_id > id) FROM line WHERE id IS NOT NULL)"
        " SELECT id FROM line WHERE id IS NOT NULL",
    )
    return [LineId(row[0]) for row in found]


def line_channels(db: apsw.Connection) -> dict[LineId, str]:
    """Return the lines of known conversations with the platform's word for their channel; empty if unknown."""
    channel = "SELECT platform FROM conversations WHERE line_id = ? AND platform <> '' LIMIT 1"
    return {each: str((first(db, channel, (each,)) or ("",))[0]) for each in lines_seen(db)}


def customer_numbers(db: apsw.Connection, line_id: str, limit: int = 200) -> tuple[str, ...]:
    """Return numbers of some customers with their calling codes; of all lines if `line_id` is empty."""
    of_line = "AND line_id = ?2" if line_id else ""
    found = rows(
        db,
        "SELECT customer_id FROM conversations WHERE platform IN ('', 'whatsapp') AND customer_id IS NOT NULL"
        f" {of_line} LIMIT ?1",
        (limit, line_id) if line_id else (limit,),
    )
    return tuple(str(row[0]) for row in found)


def platform_of_line(db: apsw.Connection, line_id: LineId) -> str:
    row = first(db, "SELECT platform FROM conversations WHERE line_id = ? AND platform <> '' LIMIT 1", (line_id,))
    return "" if row is None else str(row[0])


@lru_cache
def _people(assigned: str) -> tuple[str, ...]:
    return tuple(json.loads(assigned))


def task_record(row: Sequence[Any]) -> TaskRecord:
    """Return a row of `TASK_COLUMNS` as a record; thousands may be marked."""
    *before, assigned, unread, created_at, updated_at, pending, raw = row
    people = _people(assigned)
    fields = {} if pending == "[]" else json.loads(pending)
    if isinstance(fields, list):  # names alone, by an earlier version
        known = json.loads(raw)
        fields = {name: known.get(name) for name in fields}
    return TaskRecord(*(*before, people, unread, created_at, updated_at, fields, raw))


def _conversation_record(row: Sequence[Any]) -> ConversationRecord:
    values = dict(zip(ConversationRecord._fields, row, strict=True))
    values["assigned"] = tuple(json.loads(values["assigned"]))
    for name in ("pending", "thread_known", "thread_loaded", "waiting_known"):
        values[name] = bool(values[name])
    return ConversationRecord(**values)


CUSTOMER = "Customer"
"""The word before the number of a customer's alias."""

TASK = "task"

STANDALONE = ("campaign", "workflow", "webhook")
"""Targets without a row, so their changes are shown whole, not field by field."""


def customer_of(record: ConversationRecord) -> SafeText:
    return _customer_of(record, 60)


def _customer_of(record: ConversationRecord, limit: int) -> SafeText:
    name = record.name or record.number or record.customer_id or record.conversation_id
    return show_name(name, limit, kind=CUSTOMER, key=record.conversation_id)


def conversation_name(db: apsw.Connection, conversation_id: ConversationId) -> SafeText:
    """Return the customer of a conversation, else its id."""
    record = conversation(db, conversation_id)
    return show_line(conversation_id, 60) if record is None else customer_of(record)


def customer_name(db: apsw.Connection, task: TaskRecord, limit: int = 30) -> SafeText:
    """Return the customer of a task: the name, else the number or id."""
    if task.customer_name or task.conversation_id is None:
        return name_on_task(task, limit)
    record = conversation(db, task.conversation_id)
    return NOTHING if record is None else _customer_of(record, limit)


def name_on_task(task: TaskRecord, limit: int = 60, unknown: str = "") -> SafeText:
    """Return the name of a task's customer, else `unknown`."""
    if not task.customer_name and not unknown:
        return NOTHING
    key = task.conversation_id or task.customer_id or task.customer_name
    return show_name(task.customer_name or unknown, limit, kind=CUSTOMER, key=key)


def task_for_customer(db: apsw.Connection, task: TaskRecord) -> SafeText:
    """Return a task for a sentence: `"Late delivery" for Dana Levi`."""
    title, customer = show_line(task.title or "(no title)", 40).text, customer_name(db, task).text
    return trusted(f'"{title}" for {customer}' if customer else f'"{title}"')


def change_target(db: apsw.Connection, change: Change) -> SafeText:
    """Return the name of a change's target."""
    if change.kind.about == TASK:
        record = task(db, TaskId(change.target))
        return show_line(change.target, 60) if record is None else task_for_customer(db, record)
    if change.kind.about in STANDALONE:
        return standalone_name(db, change)
    return conversation_name(db, ConversationId(change.target))


def standalone_name(db: apsw.Connection, change: Change) -> SafeText:
    """Return the name of a change's campaign, workflow or webhook, else its id."""
    name = change.fields.get("name")  # a switch has no name
    if not name and change.kind.about == WORKFLOW:
        name = name_of(db, WORKFLOW, change.target)
    return show_line(name or change.target, 60)


def and_more(first: SafeText, count: int) -> SafeText:
    """Return the name of the first record, and the number of the others."""
    return trusted(f"{first.text} and {count - 1:,} more") if count > 1 else first


WORKFLOW = "workflow"
AI_AGENT = "ai_agent"


def replace_all(db: apsw.Connection, kind: str, documents: Sequence[Json]) -> bool:
    """Store a whole listing; return whether it changed."""
    if are_known(db, kind, documents):
        return False
    db.execute("DELETE FROM documents WHERE kind = ?", (kind,))
    db.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", _as_rows(kind, documents))
    change_feed.append(db, change_feed.DOCUMENT, [kind])
    return True


def are_known(db: apsw.Connection, kind: str, documents: Sequence[Json]) -> bool:
    """Return whether a listing equals the stored one."""
    before = rows(
        db, "SELECT kind, document_id, name, raw, place FROM documents WHERE kind = ? ORDER BY place", (kind,)
    )
    return before == _as_rows(kind, documents)


def add_unlisted(db: apsw.Connection, kind: str, documents: Sequence[Json]) -> list[Json]:
    """Return a listing extended by the stored documents that it lacks."""
    listed = {str(each["id"]) for each in documents}
    return [*documents, *(each.raw for each in all_of(db, kind) if each.document_id not in listed)]


def all_of(db: apsw.Connection, kind: str) -> list[DocumentRecord]:
    found = rows(db, "SELECT document_id, name, raw FROM documents WHERE kind = ? ORDER BY place", (kind,))
    return [DocumentRecord(row[0], row[1], json.loads(row[2])) for row in found]


def names_of(db: apsw.Connection, kind: str) -> dict[str, str]:
    return dict(rows(db, "SELECT document_id, name FROM documents WHERE kind = ? ORDER BY place", (kind,)))


def name_of(db: apsw.Connection, kind: str, document_id: str) -> str | None:
    """Return the name of a listed document, or `None` for an unknown id."""
    row = first(db, "SELECT name FROM documents WHERE kind = ? AND document_id = ?", (kind, document_id))
    return None if row is None else str(row[0])


def _as_rows(kind: str, documents: Sequence[Json]) -> list[tuple[str, str, str, str, int]]:
    """Return the rows of a listing; the first of two duplicates counts, since lists shift between pages."""
    by_id = {str(raw["id"]): raw for raw in reversed(documents)}
    return [
        (kind, each, visible_name(text(raw.get("name"))), canonical(raw), place)
        for place, (each, raw) in enumerate(reversed(by_id.items()))
    ]

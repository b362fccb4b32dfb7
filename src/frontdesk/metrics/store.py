"""Counts of messages, kept by quarters of an hour, and the facts that numbers are counted from.

Triggers mark a quarter whose messages, threads or lines have changed; only those are counted again. Rows of
messages are in the order of time (`inbox.store.threads.row_number`), so a quarter is one range of them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import apsw

from frontdesk.metrics.models import Dimension
from frontdesk.metrics.periods import SLOT_SECONDS, Period
from frontdesk.storage.record_lookup import THREAD_UNREAD
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import first, rows

_SLOT_MS = SLOT_SECONDS * 1000
_ROW_SHIFT = 20

INCOMING, ANSWER, AUTOMATIC = "in", "person", "auto"


def _mark(number: str) -> str:
    """Return a statement of a trigger that marks the quarter of a message."""
    # Not OR IGNORE: the statement that fires a trigger decides its conflicts.
    return f"INSERT INTO metrics_stale VALUES (({number} >> 20) / 900000) ON CONFLICT DO NOTHING;"


def _mark_answer(row: str, at: str, sign: str = ">=", only_if: str = "true") -> str:
    """Return a statement that marks the quarter of a thread's first answer from a moment on (`>` for after it)."""
    return f"""INSERT INTO metrics_stale SELECT (rowid >> 20) / 900000 FROM messages
        WHERE {only_if} AND conversation = {row}.conversation AND says = 'answer' AND says <> ''
        AND created_at {sign} {row}.{at} ORDER BY created_at LIMIT 1 ON CONFLICT DO NOTHING;"""


_STORE_15 = f"""
CREATE TABLE metrics_stale (slot INTEGER PRIMARY KEY);
CREATE TABLE metrics_messages (slot INTEGER NOT NULL, line_id TEXT NOT NULL, author TEXT NOT NULL,
    kind TEXT NOT NULL, messages INTEGER NOT NULL, PRIMARY KEY (slot, line_id, author, kind)) WITHOUT ROWID;
CREATE TABLE metrics_responses (answered_ms REAL NOT NULL, conversation INTEGER NOT NULL, slot INTEGER NOT NULL,
    line_id TEXT NOT NULL, author TEXT NOT NULL, asked_ms REAL,
    PRIMARY KEY (slot, answered_ms, conversation)) WITHOUT ROWID;
CREATE INDEX tasks_for_metrics ON tasks
    (created_at, status, updated_at, line_id, conversation_id, assigned, task_id, pending);
CREATE TRIGGER metrics_message_added AFTER INSERT ON messages BEGIN
    {_mark("new.rowid")}
    {_mark_answer("new", "created_at", ">=", "new.says = 'in'")}
    {_mark_answer("new", "created_at", ">", "new.says = 'answer'")}
END;
CREATE TRIGGER metrics_message_changed AFTER UPDATE ON messages BEGIN
    {_mark("new.rowid")}
    {_mark("old.rowid")}
    {_mark_answer("new", "created_at", ">=", "new.says <> old.says")}
    {_mark_answer("new", "created_at", ">", "new.says <> old.says")}
END;
CREATE TRIGGER metrics_message_removed AFTER DELETE ON messages BEGIN
    {_mark("old.rowid")}
    {_mark_answer("old", "created_at", ">=", "old.says <> ''")}
END;
CREATE TRIGGER metrics_segment_added AFTER INSERT ON segments BEGIN
    {_mark_answer("new", "oldest_at")}
END;
CREATE TRIGGER metrics_segment_changed AFTER UPDATE ON segments BEGIN
    {_mark_answer("new", "oldest_at")}
    {_mark_answer("old", "oldest_at")}
END;
CREATE TRIGGER metrics_segment_removed AFTER DELETE ON segments BEGIN
    {_mark_answer("old", "oldest_at")}
END;
CREATE TRIGGER metrics_line_changed AFTER UPDATE OF line_id ON conversations
    WHEN new.line_id IS NOT old.line_id BEGIN
    INSERT INTO metrics_stale SELECT DISTINCT (rowid >> 20) / 900000 FROM messages WHERE conversation = new.rowid
        ON CONFLICT DO NOTHING;
END;
INSERT INTO metrics_stale SELECT DISTINCT (rowid >> 20) / 900000 FROM messages;
"""
"""The first answer at or after a message, or after a segment's beginning, may have another question now."""

SCHEMA = SchemaPart(store={15: [_STORE_15]})

_COUNT = """
INSERT INTO metrics_messages
SELECT ?1, coalesce(line_id, ''), iif(kind = 'person', author, ''), kind, count(*) FROM (
    SELECT conversation, says, raw,
        CASE WHEN says = 'in' THEN 'in' WHEN says = 'answer' THEN 'person'
            WHEN json_extract(raw, '$.messageDirection') = 'outgoing'
                AND coalesce(json_extract(raw, '$.type'), '') NOT IN ('note', 'informative', 'deleted') THEN 'auto'
        END AS kind,
        iif(says = 'answer', coalesce(
            iif(json_type(raw, '$.agentIdentification.name') = 'text',
                nullif(json_extract(raw, '$.agentIdentification.name'), ''), NULL),
            iif(json_type(raw, '$.agentIdentification.email') = 'text',
                json_extract(raw, '$.agentIdentification.email'), NULL), ''), '') AS author
    FROM messages WHERE messages.rowid BETWEEN ?2 AND ?3
) JOIN conversations ON conversations.rowid = conversation
WHERE kind IS NOT NULL GROUP BY 2, 3, 4
"""

_ANSWERS = """
SELECT conversation, created_at, coalesce(line_id, ''),
    min(coalesce(
        iif(json_type(raw, '$.agentIdentification.name') = 'text',
            nullif(json_extract(raw, '$.agentIdentification.name'), ''), NULL),
        iif(json_type(raw, '$.agentIdentification.email') = 'text',
            json_extract(raw, '$.agentIdentification.email'), NULL), '')),
    (SELECT max(created_at) FROM messages AS earlier WHERE earlier.conversation = messages.conversation
        AND earlier.says = 'answer' AND earlier.says <> '' AND earlier.created_at < messages.created_at),
    (SELECT iif(complete, -1e18, oldest_at) FROM segments WHERE segments.conversation = messages.conversation
        AND oldest_at <= created_at AND newest_at >= created_at ORDER BY newest_at DESC LIMIT 1)
FROM messages JOIN conversations ON conversations.rowid = conversation
WHERE messages.rowid BETWEEN ? AND ? AND says = 'answer' GROUP BY conversation, created_at
"""


def stale(db: apsw.Connection, start: float = 0.0, end: float = 1e12) -> int:
    """Count the quarters between two times (Unix seconds) that have to be counted again."""
    row = first(db, "SELECT count(*) FROM metrics_stale WHERE slot >= ? AND slot < ?", (_slot(start), _slot(end)))
    return int(row[0]) if row else 0


def count_batch(db: apsw.Connection, limit: int, start: float = 0.0, end: float = 1e12) -> int:
    """Count the newest stale quarters again; returns how many were done."""
    found = rows(
        db,
        "SELECT slot FROM metrics_stale WHERE slot >= ? AND slot < ? ORDER BY slot DESC LIMIT ?",
        (_slot(start), _slot(end), limit),
    )
    for (slot,) in found:
        _count(db, int(slot))
    return len(found)


def _count(db: apsw.Connection, slot: int) -> None:
    ends = (slot * _SLOT_MS) << _ROW_SHIFT, (((slot + 1) * _SLOT_MS) << _ROW_SHIFT) - 1
    db.execute("DELETE FROM metrics_messages WHERE slot = ?", (slot,))
    db.execute("DELETE FROM metrics_responses WHERE slot = ?", (slot,))
    db.execute(_COUNT, (slot, *ends))
    for conversation, at, line, author, answered_before, known_from in rows(db, _ANSWERS, ends):
        is_known = known_from is not None and (answered_before or -1e18) >= known_from
        asked = _asked(db, conversation, answered_before, at)
        if is_known and asked is None:
            continue  # nobody waited for it
        db.execute(
            "INSERT INTO metrics_responses VALUES (?, ?, ?, ?, ?, ?)",
            (at, conversation, slot, line, author, asked if is_known else None),
        )
    db.execute("DELETE FROM metrics_stale WHERE slot = ?", (slot,))


def _asked(db: apsw.Connection, conversation: int, after: float | None, until: float) -> float | None:
    """Return when a customer first wrote after one answer and until the next; Unix milliseconds."""
    row = first(
        db,
        "SELECT min(created_at) FROM messages WHERE conversation = ? AND says = 'in' AND says <> ''"
        " AND created_at > ? AND created_at <= ?",
        (conversation, -1e18 if after is None else after, until),
    )
    return None if row is None else row[0]


class MessageCount(NamedTuple):
    """So many messages of a quarter; `at` is its beginning, Unix seconds."""

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
    """

    at: float
    line_id: str
    author: str
    seconds: float | None
    conversation: int


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


class Completion(NamedTuple):
    """A task that became completed after `not_before` and not after `not_after`; Unix seconds."""

    task_id: str
    not_before: float | None
    not_after: float


_GROUPED = {
    Dimension.LINE: "0, line_id, ''",
    Dimension.AGENT: "0, '', author",
    Dimension.DAY: "slot, '', ''",
    Dimension.HOUR: "slot, '', ''",
    Dimension.WEEKDAY: "slot, '', ''",
}


def message_counts(db: apsw.Connection, period: Period, by: Dimension) -> list[MessageCount]:
    """Return the counts of a period by kind, with what a dimension groups them by; the rest is empty."""
    if by not in _GROUPED:
        return []
    found = rows(
        db,
        f"SELECT {_GROUPED[by]}, kind, sum(messages) FROM metrics_messages WHERE slot >= ? AND slot < ?"
        " GROUP BY 1, 2, 3, kind",
        (_slot(period.start), _slot(period.end)),
    )
    return [MessageCount(slot * SLOT_SECONDS, *rest) for slot, *rest in found]


def kind_totals(db: apsw.Connection, period: Period) -> dict[str, int]:
    """Return how many messages of each kind a period has."""
    found = rows(
        db,
        "SELECT kind, sum(messages) FROM metrics_messages WHERE slot >= ? AND slot < ? GROUP BY kind",
        (_slot(period.start), _slot(period.end)),
    )
    return {str(kind): int(count) for kind, count in found}


def responses(db: apsw.Connection, period: Period) -> list[TimedResponse]:
    """Return the answers of a period for which somebody waited."""
    found = rows(
        db,
        "SELECT answered_ms / 1000, line_id, author, (answered_ms - asked_ms) / 1000, conversation"
        " FROM metrics_responses WHERE slot >= ? AND slot < ?",
        (_slot(period.start), _slot(period.end)),
    )
    return [TimedResponse(*row) for row in found]


def response_seconds(db: apsw.Connection, period: Period) -> list[float | None]:
    """Return how long each of these took: the same as of `responses`, for the many of a whole period."""
    found = db.execute(
        "SELECT (answered_ms - asked_ms) / 1000 FROM metrics_responses WHERE slot >= ? AND slot < ?",
        (_slot(period.start), _slot(period.end)),
    )
    return [seconds for (seconds,) in found]


def thread_shares(db: apsw.Connection, periods: Sequence[Period]) -> list[float]:
    """Return for each period the share of threads that were read over all of it.

    Threads that ended before a period, or began after it, don't count. One pass over the conversations.
    """
    parts, values = [], []
    for each in periods:
        start, end = each.start * 1000, each.end * 1000
        counts = "(coalesce(active_at, 9e18) >= ? AND begun < ?)"
        parts.append(f"sum({counts}), sum({counts} AND reads_from <= ? AND reads_to >= ?)")
        values += [each.start, end, each.start, end, start, end]
    row = first(
        db,
        f"SELECT {', '.join(parts)} FROM (SELECT active_at,"
        " iif(newest IS NULL AND is_current, 9e18, iif(complete, oldest_at, -9e18)) AS begun,"
        " iif(complete, -9e18, coalesce(oldest_at, 9e18)) AS reads_from,"
        " iif(is_current, 9e18, coalesce(newest, -9e18)) AS reads_to"
        # Of a thread with gaps the newest part counts: SQLite takes the other columns from the row of the maximum.
        " FROM (SELECT nullif(active_at, 0) * 1000 AS active_at, max(newest_at) AS newest, oldest_at, complete,"
        f" NOT ({THREAD_UNREAD}) AS is_current"
        " FROM conversations LEFT JOIN segments ON segments.conversation = conversations.rowid"
        " WHERE active_at >= ? OR coalesce(active_at, 0) = 0 GROUP BY conversations.rowid))",
        (*values, min(each.start for each in periods)),
    )
    found = [each or 0 for each in row or ()]
    return [read / all_ if all_ else 1.0 for all_, read in zip(found[::2], found[1::2], strict=True)]


def tasks(db: apsw.Connection) -> list[TaskFact]:
    """Return all known tasks, by a covering index."""
    found = rows(
        db,
        "SELECT task_id, status, nullif(created_at, 0), nullif(updated_at, 0), coalesce(line_id, ''),"
        " coalesce(conversation_id, ''), assigned, pending <> '[]' FROM tasks INDEXED BY tasks_for_metrics",
    )
    return [TaskFact._make((*row[:6], _people(row[6]), bool(row[7]))) for row in found]


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


def conversations_with(db: apsw.Connection, period: Period, kind: str) -> list[ListedConversation]:
    """Return the conversations with messages of a kind, those with most first."""
    ends = int(period.start * 1000) << _ROW_SHIFT, (int(period.end * 1000) << _ROW_SHIFT) - 1
    condition = {
        INCOMING: "says = 'in'",
        ANSWER: "says = 'answer'",
        AUTOMATIC: "says = '' AND json_extract(raw, '$.messageDirection') = 'outgoing'"
        " AND coalesce(json_extract(raw, '$.type'), '') NOT IN ('note', 'informative', 'deleted')",
    }[kind]
    found = rows(
        db,
        "SELECT conversation_id, name, coalesce(line_id, ''), count(*), NULL"
        " FROM messages JOIN conversations ON conversations.rowid = conversation"
        f" WHERE messages.rowid BETWEEN ? AND ? AND {condition}"
        " GROUP BY conversation ORDER BY 4 DESC, conversation_id",
        ends,
    )
    return [ListedConversation(*row) for row in found]


def conversations_answered(db: apsw.Connection, period: Period) -> list[ListedConversation]:
    """Return the conversations with answers that somebody waited for, the longest wait first."""
    found = rows(
        db,
        "SELECT conversation_id, name, coalesce(conversations.line_id, ''), count(*),"
        " max(answered_ms - asked_ms) / 1000 AS longest"
        " FROM metrics_responses JOIN conversations ON conversations.rowid = conversation"
        " WHERE slot >= ? AND slot < ? GROUP BY conversation"
        " ORDER BY longest IS NULL, longest DESC, conversation_id",
        (_slot(period.start), _slot(period.end)),
    )
    return [ListedConversation(*row) for row in found]


def task_titles(db: apsw.Connection, task_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the title and customer of tasks."""
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


def conversation_numbers(db: apsw.Connection, conversation_ids: Iterable[str]) -> dict[int, str]:
    """Return the row numbers of conversations."""
    found = rows(
        db,
        "SELECT rowid, conversation_id FROM conversations"
        " WHERE conversation_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(conversation_ids)),),
    )
    return {int(number): str(each) for number, each in found}


def _slot(at: float) -> int:
    return int(at // SLOT_SECONDS)

"""Counts of messages, and responses, kept by quarters of an hour and brought up to date from the messages.

A quarter has one row of counts, and one of responses for each kind of them, so that a month is some thousand rows.
Their columns are arrays, as `array.tobytes` makes them. Medians can't be added up: so each response is kept.

Triggers mark a quarter whose messages, threads or lines have changed; only those are counted again. Rows of
messages are in the order of time (`inbox.store.threads.row_number`), so a quarter is one range of them.
"""

import math
from array import array
from collections import defaultdict

import apsw

from frontdesk.metrics.periods import SLOT_SECONDS
from frontdesk.service_clocks.clocks import NEW_CONTACT_SECONDS, asked_at
from frontdesk.storage.record_lookup import CHECK_AT, IS_CHECKED, THREAD_UNREAD
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import first, rows

ROW_SHIFT = 20
"""A message's row number has its time in Unix milliseconds above so many bits, which tell equal times apart."""

_SLOT_MS = SLOT_SECONDS * 1000

INCOMING, ANSWER, AUTOMATIC = KINDS = "in", "person", "auto"

COUNTS = "I"
"""The array of a quarter's messages: three numbers a group: whose, the place of the kind in `KINDS`, how many."""

WRITERS, SECONDS, NUMBERS = "I", "d", "I"
"""The arrays of responses: whose they are, times, and row numbers of conversations."""


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

_STORE_18 = """
ALTER TABLE metrics_responses ADD COLUMN is_first INTEGER;
INSERT INTO metrics_stale SELECT DISTINCT slot FROM metrics_responses WHERE true ON CONFLICT DO NOTHING;
"""

_STORE_24 = """
INSERT INTO metrics_stale SELECT DISTINCT slot FROM metrics_messages WHERE true ON CONFLICT DO NOTHING;
DROP TABLE metrics_messages;
DROP TABLE metrics_responses;
CREATE TABLE metrics_writers (writer INTEGER PRIMARY KEY, line_id TEXT NOT NULL, author TEXT NOT NULL);
CREATE TABLE metrics_messages (slot INTEGER PRIMARY KEY, counts BLOB NOT NULL);
CREATE TABLE metrics_responses (slot INTEGER NOT NULL, is_first INTEGER, writers BLOB NOT NULL,
    answered BLOB NOT NULL, waited BLOB NOT NULL, conversations BLOB NOT NULL);
CREATE INDEX metrics_responses_by_slot ON metrics_responses (slot);

CREATE TABLE metrics_threads (conversation INTEGER PRIMARY KEY, active_at REAL NOT NULL, begun REAL NOT NULL,
    reads_from REAL NOT NULL, reads_to REAL NOT NULL, reads_to_by_others REAL NOT NULL);
CREATE TABLE metrics_stale_threads (conversation INTEGER PRIMARY KEY);
INSERT INTO metrics_stale_threads SELECT rowid FROM conversations;
CREATE TRIGGER metrics_thread_added AFTER INSERT ON conversations BEGIN
    INSERT INTO metrics_stale_threads VALUES (new.rowid) ON CONFLICT DO NOTHING;
END;
""" + "".join(
    f"""
CREATE TRIGGER metrics_thread_{name} AFTER {event} BEGIN
    DELETE FROM metrics_threads WHERE conversation = {number};
    INSERT INTO metrics_stale_threads VALUES ({number}) ON CONFLICT DO NOTHING;
END;
"""
    for name, event, number in (
        (
            "changed",
            "UPDATE OF active_at, task_active_at, thread_active_at, thread_read_at, thread_checked_at,"
            " waiting_since ON conversations",
            "new.rowid",
        ),
        ("extended", "INSERT ON segments", "new.conversation"),
        ("cut", "UPDATE ON segments", "new.conversation"),
        ("shortened", "DELETE ON segments", "old.conversation"),
    )
)
"""One row a quarter in place of one for each count and response, and one a thread in place of a look at its parts.

A thread is in one of both tables: what has changed is looked at again.
"""

SCHEMA = SchemaPart(store={15: [_STORE_15], 18: [_STORE_18], 24: [_STORE_24]})

CHECK_GRACE_SECONDS = 1_800.0
"""A thread in which somebody may have answered elsewhere counts as read until its next read is so late."""

SPANS = f"""
SELECT number, coalesce(active_at, 9e18) AS active_at,
    iif(newest IS NULL AND is_current, 9e18, iif(complete, oldest_at, -9e18)) AS begun,
    iif(complete, -9e18, coalesce(oldest_at, 9e18)) AS reads_from,
    iif(is_current, iif(is_over, 9e18, checked_until), coalesce(newest, -9e18)) AS reads_to,
    iif(is_current, 9e18, coalesce(newest, -9e18)) AS reads_to_by_others
FROM (
    SELECT conversations.rowid AS number, nullif(active_at, 0) * 1000 AS active_at,
        max(newest_at) AS newest, oldest_at, complete, NOT ({THREAD_UNREAD}) AS is_current,
        thread_checked_at IS NULL OR NOT {IS_CHECKED} AS is_over,
        ({CHECK_AT} + {CHECK_GRACE_SECONDS}) * 1000 AS checked_until
    FROM (SELECT conversation FROM metrics_stale_threads ORDER BY conversation LIMIT ?) AS stale
    CROSS JOIN conversations ON conversations.rowid = stale.conversation
    LEFT JOIN segments ON segments.conversation = conversations.rowid
    GROUP BY conversations.rowid
)
"""
"""The columns of `metrics_threads` for so many threads that have changed; -1 for all.

Of a thread with gaps the newest part counts: SQLite takes the other columns from the row of the maximum.
"""

AUTHOR = """coalesce(
    iif(json_type(raw, '$.agentIdentification.name') = 'text',
        nullif(json_extract(raw, '$.agentIdentification.name'), ''), NULL),
    iif(json_type(raw, '$.agentIdentification.email') = 'text',
        json_extract(raw, '$.agentIdentification.email'), NULL), '')"""
"""Who wrote a message of a person, as the platform names them."""

_COUNT = f"""
SELECT coalesce(line_id, ''), iif(kind = 'person', author, ''), kind, count(*) FROM (
    SELECT conversation, says, raw,
        CASE WHEN says = 'in' THEN 'in' WHEN says = 'answer' THEN 'person'
            WHEN json_extract(raw, '$.messageDirection') = 'outgoing'
                AND coalesce(json_extract(raw, '$.type'), '') NOT IN ('note', 'informative', 'deleted') THEN 'auto'
        END AS kind,
        iif(says = 'answer', {AUTHOR}, '') AS author
    FROM messages WHERE messages.rowid BETWEEN ? AND ?
) JOIN conversations ON conversations.rowid = conversation
WHERE kind IS NOT NULL GROUP BY 1, 2, 3
"""

_ANSWERS = f"""
SELECT conversation, created_at, coalesce(line_id, ''),
    min({AUTHOR}),
    (SELECT max(created_at) FROM messages AS earlier WHERE earlier.conversation = messages.conversation
        AND earlier.says = 'answer' AND earlier.says <> '' AND earlier.created_at < messages.created_at),
    (SELECT iif(complete, -1e18, oldest_at) FROM segments WHERE segments.conversation = messages.conversation
        AND oldest_at <= created_at AND newest_at >= created_at ORDER BY newest_at DESC LIMIT 1)
FROM messages JOIN conversations ON conversations.rowid = conversation
WHERE messages.rowid BETWEEN ? AND ? AND says = 'answer' GROUP BY conversation, created_at
"""


def slot_of(at: float) -> int:
    return int(at // SLOT_SECONDS)


def stale(db: apsw.Connection, start: float = 0.0, end: float = 1e12) -> int:
    """Count the quarters between two times (Unix seconds) that have to be counted again."""
    row = first(
        db, "SELECT count(*) FROM metrics_stale WHERE slot >= ? AND slot < ?", (slot_of(start), slot_of(end))
    )
    return int(row[0]) if row else 0


def count_batch(db: apsw.Connection, limit: int, start: float = 0.0, end: float = 1e12) -> int:
    """Count the newest stale quarters again; returns how many were done."""
    found = rows(
        db,
        "SELECT slot FROM metrics_stale WHERE slot >= ? AND slot < ? ORDER BY slot DESC LIMIT ?",
        (slot_of(start), slot_of(end), limit),
    )
    known = Writers(db)
    for (slot,) in found:
        _count(db, int(slot), known)
    return len(found)


STALE_THREADS = 100
"""So many threads that have changed are looked at with each reading of the numbers."""


def stale_threads(db: apsw.Connection) -> int:
    """Count the threads whose times aren't kept; 0 where reading them takes no time."""
    row = first(db, "SELECT count(*) FROM metrics_stale_threads")
    return int(row[0]) if row and row[0] > STALE_THREADS else 0


def keep_threads(db: apsw.Connection, limit: int) -> None:
    """Keep the times of some of the threads that have changed."""
    db.execute(f"INSERT INTO metrics_threads {SPANS}", (limit,))
    db.execute(
        "DELETE FROM metrics_stale_threads WHERE conversation IN"
        " (SELECT conversation FROM metrics_stale_threads ORDER BY conversation LIMIT ?)",
        (limit,),
    )


class Writers:
    """The numbers of lines with authors; the author is empty for customers and bots."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known = {
            (line, author): int(number)
            for number, line, author in rows(db, "SELECT writer, line_id, author FROM metrics_writers")
        }

    def number(self, line_id: str, author: str) -> int:
        """Return the number of a line with an author; a new one is written."""
        known = self._known.get((line_id, author))
        if known is None:
            known = self._known[line_id, author] = len(self._known) + 1
            self._db.execute("INSERT INTO metrics_writers VALUES (?, ?, ?)", (known, line_id, author))
        return known


def _count(db: apsw.Connection, slot: int, writers: Writers) -> None:
    ends = (slot * _SLOT_MS) << ROW_SHIFT, (((slot + 1) * _SLOT_MS) << ROW_SHIFT) - 1
    db.execute("DELETE FROM metrics_messages WHERE slot = ?", (slot,))
    db.execute("DELETE FROM metrics_responses WHERE slot = ?", (slot,))
    counts = array(COUNTS)
    for line, author, kind, count in rows(db, _COUNT, ends):
        counts.extend((writers.number(line, author), KINDS.index(kind), count))
    if counts:
        db.execute("INSERT INTO metrics_messages VALUES (?, ?)", (slot, counts.tobytes()))
    found: dict[bool | None, list[tuple[int, float, float, int]]] = defaultdict(list)
    for conversation, at, line, author, answered_before, known_from in rows(db, _ANSWERS, ends):
        is_known = known_from is not None and (answered_before or -1e18) >= known_from
        asked = asked_at(db, conversation, answered_before, at)
        if is_known and asked is None:
            continue  # nobody waited for it
        is_first, waited = None, math.nan
        if is_known and asked is not None:
            is_first = answered_before is None or asked - answered_before >= NEW_CONTACT_SECONDS * 1000
            waited = (at - asked) / 1000
        found[is_first].append((writers.number(line, author), at / 1000, waited, conversation))
    for is_first, responses in found.items():
        kinds = WRITERS, SECONDS, SECONDS, NUMBERS
        columns = [array(kind, values) for kind, values in zip(kinds, zip(*responses, strict=True), strict=True)]
        db.execute(
            "INSERT INTO metrics_responses VALUES (?, ?, ?, ?, ?, ?)",
            (slot, is_first, *(each.tobytes() for each in columns)),
        )
    db.execute("DELETE FROM metrics_stale WHERE slot = ?", (slot,))

"""The tables of conversations and threads, and their migrations (see `storage.schema`)."""

import json

import apsw

from frontdesk.storage.records import Json
from frontdesk.storage.schema import SchemaPart
from frontdesk.storage.sql import rows
from frontdesk.text.normalize import normalize_name
from frontdesk_lines.display_text import visible_name

_SILENT_TYPES = ("note", "informative", "deleted")

_STORE_1 = """
CREATE TABLE conversations (
    rowid INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL UNIQUE,
    line_id TEXT, customer_id TEXT, name TEXT NOT NULL DEFAULT '', number TEXT NOT NULL DEFAULT '',
    platform TEXT NOT NULL DEFAULT '',
    preview TEXT NOT NULL DEFAULT '', preview_direction TEXT NOT NULL DEFAULT '',
    preview_status TEXT NOT NULL DEFAULT '', preview_initiator TEXT NOT NULL DEFAULT '',
    active_at REAL, waiting_since REAL, last_incoming_at REAL, unread INTEGER NOT NULL DEFAULT 0,
    open_tasks INTEGER NOT NULL DEFAULT 0, due_at REAL, assigned TEXT NOT NULL DEFAULT '[]',
    pending INTEGER NOT NULL DEFAULT 0,
    task_active_at REAL, thread_read_at REAL, thread_active_at REAL
);
CREATE INDEX conversations_by_activity ON conversations (active_at DESC, conversation_id);
CREATE INDEX conversations_by_waiting ON conversations (waiting_since, conversation_id)
    WHERE waiting_since IS NOT NULL;
CREATE TABLE messages (
    rowid INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL, created_at NUMERIC NOT NULL, message_id TEXT NOT NULL, raw TEXT NOT NULL
);
CREATE UNIQUE INDEX messages_by_key ON messages (conversation, created_at, message_id);
CREATE UNIQUE INDEX messages_by_id ON messages (conversation, message_id);
CREATE TABLE segments (
    conversation INTEGER NOT NULL,
    newest_at NUMERIC NOT NULL, newest_id TEXT NOT NULL, oldest_at NUMERIC NOT NULL, oldest_id TEXT NOT NULL,
    complete INTEGER NOT NULL
);
CREATE INDEX segments_by_conversation ON segments (conversation);
"""

_STORE_2 = """
CREATE TABLE messages_2 (
    rowid INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL, created_at NUMERIC NOT NULL, message_id TEXT NOT NULL, raw TEXT NOT NULL,
    says TEXT NOT NULL DEFAULT ''
);
INSERT INTO messages_2 (rowid, conversation, created_at, message_id, raw)
    SELECT (at << 20) + row_number() OVER (PARTITION BY at ORDER BY number) - 1,
    conversation, created_at, message_id, raw FROM (
        SELECT CAST(min(max(created_at, 0), 4398046511103) AS INTEGER) AS at, rowid AS number, * FROM messages
    );
DROP TABLE messages;
ALTER TABLE messages_2 RENAME TO messages;
CREATE UNIQUE INDEX messages_by_key ON messages (conversation, created_at, message_id);
CREATE UNIQUE INDEX messages_by_id ON messages (conversation, message_id);
CREATE INDEX messages_by_what_they_say ON messages (conversation, says, created_at) WHERE says <> '';
CREATE INDEX segments_by_newest ON segments (conversation, newest_at DESC, newest_id DESC);
DROP INDEX segments_by_conversation;
ALTER TABLE segments ADD COLUMN cursor_at NUMERIC;
ALTER TABLE segments ADD COLUMN cursor_id TEXT;
DROP INDEX conversations_by_activity;
DROP INDEX conversations_by_waiting;
CREATE INDEX conversations_by_activity ON conversations (active_at IS NULL, active_at DESC, conversation_id);
CREATE INDEX conversations_by_waiting ON conversations
    (waiting_since IS NULL, waiting_since, active_at DESC, conversation_id);
CREATE INDEX conversations_by_due ON conversations (due_at IS NULL, due_at, active_at DESC, conversation_id);
CREATE INDEX conversations_by_name ON conversations (name = '', name COLLATE NOCASE, conversation_id);
CREATE INDEX conversations_pending ON conversations (conversation_id) WHERE pending = 1;
CREATE INDEX conversations_unread ON conversations (conversation_id) WHERE unread > 0;
CREATE INDEX conversations_to_read ON conversations (coalesce(task_active_at, active_at, 0) DESC, conversation_id)
    WHERE line_id IS NOT NULL AND customer_id IS NOT NULL
    AND (thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0));
INSERT INTO unindexed SELECT 'message', rowid FROM messages;
"""
"""Row numbers of messages carry their time (see `threads.row_number`), so that the newest hits of a search and the
oldest messages of all are found without a sort; every order of a list has its index."""

_STORE_3 = """
CREATE INDEX conversations_at_a_glance ON conversations (line_id, waiting_since, due_at, assigned, open_tasks,
    unread, pending, active_at, last_incoming_at, platform, conversation_id);
"""
"""The columns that views and filters ask for, close together: counting 100,000 conversations reads 8 MB."""

_STORE_6 = """
DROP INDEX conversations_by_waiting;
CREATE INDEX conversations_by_waiting ON conversations
    (iif(waiting_since IS NOT NULL, 0, iif(thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0), 1, 2)),
    waiting_since, active_at DESC, conversation_id);
CREATE INDEX conversations_unread_threads ON conversations (thread_read_at, task_active_at, thread_active_at)
    WHERE thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0);
"""  # noqa: E501 - SQLite compares expressions of indices word by word
"""Who may wait stands between those who do and those who don't; the threads that weren't read are soon counted."""

_STORE_8 = """
DROP INDEX conversations_to_read;
CREATE INDEX conversations_to_read ON conversations
    (thread_read_at IS NULL, coalesce(task_active_at, active_at, 0) DESC, conversation_id)
    WHERE line_id IS NOT NULL AND customer_id IS NOT NULL
    AND (thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0));
"""
"""Known threads with a new sign are read before those that were never read."""

_STORE_11 = """
CREATE INDEX conversations_oldest_to_read ON conversations
    (coalesce(task_active_at, active_at, 0), conversation_id)
    WHERE line_id IS NOT NULL AND customer_id IS NOT NULL AND thread_read_at IS NULL AND open_tasks > 0;
"""
"""Among the threads that were never read, those quiet for longest are read in turn with the most active ones."""

_STORE_12 = """
CREATE TABLE notes (note_id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, at REAL NOT NULL,
    author TEXT NOT NULL, text TEXT NOT NULL, mentions TEXT NOT NULL, hand_over_to TEXT NOT NULL,
    takes_up TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX notes_by_conversation ON notes (conversation_id, at);
CREATE TABLE team_reads (conversation_id TEXT PRIMARY KEY, until_ms REAL NOT NULL,
    notes_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE team_views (view_id TEXT PRIMARY KEY, author TEXT NOT NULL, name TEXT NOT NULL,
    match TEXT NOT NULL) WITHOUT ROWID;
"""
"""What the team shares: notes, the person's own read markers, and saved views."""

_STORE_13 = """
ALTER TABLE notes ADD COLUMN written_at REAL NOT NULL DEFAULT 0;
"""
"""When a note was written: one that waited for the relay arrives later. 0 for those stored before."""


_STORE_17 = "CREATE INDEX conversations_by_customer ON conversations (customer_id, line_id, active_at)"
"""On which other lines a customer wrote is asked with each move of the cursor."""


_STORE_18 = """
ALTER TABLE conversations ADD COLUMN thread_checked_at REAL;
UPDATE conversations SET thread_checked_at = nullif(thread_read_at, 0);
CREATE INDEX conversations_to_check ON conversations
    (thread_checked_at + max(600, (thread_checked_at - coalesce(active_at, 0)) * 0.25))
    WHERE line_id IS NOT NULL AND customer_id IS NOT NULL AND thread_checked_at IS NOT NULL
    AND (waiting_since IS NOT NULL OR thread_checked_at < active_at + 86400);
"""
"""When a thread's newest page was last read, whatever it brought: tasks tell of customers' messages alone."""


_STORE_19 = """
UPDATE conversations SET waiting_since = (
    SELECT min(created_at) / 1000.0 FROM messages
    WHERE conversation = conversations.rowid AND says = 'in' AND says <> ''
    AND created_at > coalesce((SELECT max(created_at) FROM messages AS answers
        WHERE answers.conversation = conversations.rowid AND says = 'answer' AND says <> ''), 0)
    AND created_at >= coalesce((SELECT iif(complete, 0, oldest_at) FROM segments
        WHERE segments.conversation = conversations.rowid ORDER BY newest_at DESC, newest_id DESC LIMIT 1), 0)
) WHERE waiting_since IS NOT NULL;
"""
"""Customers wait since their first unanswered message, no longer since their last one."""


_STORE_22 = """
ALTER TABLE conversations ADD COLUMN closed_at REAL;
UPDATE conversations SET closed_at = (SELECT iif(min(status = 'completed'), max(updated_at), NULL)
    FROM tasks WHERE tasks.conversation_id = conversations.conversation_id);
DROP INDEX conversations_by_waiting;
CREATE INDEX conversations_by_waiting ON conversations
    (iif(waiting_since IS NULL, iif(thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0), 1, 3), iif(closed_at >= last_incoming_at AND NOT (thread_read_at IS NULL OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0)), 2, 0)),
    waiting_since, active_at DESC, conversation_id);
"""  # noqa: E501 - SQLite compares expressions of indices word by word
"""A customer whose tasks were all completed after they last wrote stands below those whose tasks are open."""


def _fill_directions(db: apsw.Connection) -> None:
    found = [
        (said, number)
        for number, raw in db.execute("SELECT rowid, raw FROM messages")
        if (said := _direction(json.loads(raw)))
    ]
    db.executemany("UPDATE messages SET says = ? WHERE rowid = ?", found)


def _fill_names(db: apsw.Connection) -> None:
    found = rows(db, "SELECT rowid, name, number, conversation_id FROM conversations")
    db.executemany(
        "INSERT INTO customer_names VALUES (?, ?)",
        ((number, normalize_name(*map(str, names))) for number, *names in found),
    )


def _direction(raw: Json) -> str:
    direction = raw.get("messageDirection")
    if raw.get("type") in _SILENT_TYPES:
        return ""
    if direction == "incoming":
        return "in"
    return "answer" if direction == "outgoing" and raw.get("initiator") == "person" else ""


def _clear_blank_names(db: apsw.Connection) -> None:
    """Take names that nobody sees out of stored tasks and conversations, for the nickname or the number."""
    found = rows(db, "SELECT rowid, conversation_id, customer_name FROM tasks WHERE customer_name <> ''")
    for number, conversation_id, name in found:
        if visible_name(name):
            continue
        ((raw,),) = rows(db, "SELECT raw FROM tasks WHERE rowid = ?", (number,))
        nickname = (json.loads(raw).get("customer") or {}).get("customerNickname")
        shown = visible_name(nickname) if isinstance(nickname, str) else ""
        db.execute("UPDATE tasks SET customer_name = ? WHERE rowid = ?", (shown, number))
        named = rows(
            db,
            "UPDATE conversations SET name = ? WHERE conversation_id = ? AND name = ?"
            " RETURNING rowid, name, number, conversation_id",
            (shown, conversation_id, name),
        )
        folded = [(normalize_name(*map(str, names)), at) for at, *names in named]
        db.executemany("UPDATE customer_names SET folded = ? WHERE number = ?", folded)


SCHEMA = SchemaPart(
    store={
        1: [_STORE_1],
        2: [_STORE_2, _fill_directions, _fill_names],
        3: [_STORE_3],
        6: [_STORE_6],
        8: [_STORE_8],
        11: [_STORE_11],
        12: [_STORE_12],
        13: [_STORE_13],
        17: [_STORE_17],
        18: [_STORE_18],
        19: [_STORE_19],
        21: [_clear_blank_names],
        22: [_STORE_22],
    }
)

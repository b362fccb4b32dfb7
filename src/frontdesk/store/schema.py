"""The tables of both files and their versions; `files` creates and migrates with it.

Each migration is one function, forward only, run in one transaction under the profile's lock.
"""

from collections.abc import Callable

import apsw

STORE_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
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
CREATE TABLE campaigns (
    campaign_id TEXT PRIMARY KEY, raw TEXT NOT NULL, read_at REAL, problem TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE samples (campaign_id TEXT NOT NULL, at REAL NOT NULL, counters TEXT NOT NULL,
    PRIMARY KEY (campaign_id, at)) WITHOUT ROWID;
CREATE TABLE documents (kind TEXT NOT NULL, document_id TEXT NOT NULL, name TEXT NOT NULL, raw TEXT NOT NULL,
    place INTEGER NOT NULL, PRIMARY KEY (kind, document_id)) WITHOUT ROWID;
CREATE TABLE broken (kind TEXT NOT NULL, digest TEXT NOT NULL, raw TEXT NOT NULL, reason TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (kind, digest)) WITHOUT ROWID;
CREATE TABLE feed (seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL);
CREATE TABLE health (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, reason TEXT NOT NULL,
    since REAL NOT NULL, fresh_at REAL, retry_at REAL);
CREATE TABLE looking (process TEXT PRIMARY KEY, at REAL NOT NULL, what TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE asks (ask_id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, target TEXT NOT NULL,
    asked_at REAL NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '');
"""

OUTBOX_TABLES = """
CREATE TABLE changes (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    batch TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL,
    fields TEXT NOT NULL, base TEXT NOT NULL, label TEXT NOT NULL, state TEXT NOT NULL,
    made_at REAL NOT NULL, send_after REAL NOT NULL, sends INTEGER NOT NULL DEFAULT 0,
    sent_at REAL, settled_at REAL, reason TEXT NOT NULL DEFAULT '', theirs TEXT, undoes INTEGER,
    owner TEXT NOT NULL DEFAULT ''
);
CREATE INDEX changes_by_state ON changes (state, change_id);
CREATE INDEX changes_by_target ON changes (target, change_id);
CREATE TABLE kept (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
"""

Migration = Callable[[apsw.Connection], object]


def _create(tables: str) -> Migration:
    def migrate(db: apsw.Connection) -> None:
        db.execute(tables)

    return migrate


STORE_MIGRATIONS: tuple[Migration, ...] = (_create(STORE_TABLES),)
OUTBOX_MIGRATIONS: tuple[Migration, ...] = (_create(OUTBOX_TABLES),)
STORE_VERSION = len(STORE_MIGRATIONS)
OUTBOX_VERSION = len(OUTBOX_MIGRATIONS)
STORE_APPLICATION_ID = 0x46_64_73_74
OUTBOX_APPLICATION_ID = 0x46_64_6F_62

"""The tables of both files and their versions; `files` creates and migrates with it.

Each migration is one function, forward only, run in one transaction under the profile's lock.
"""

from collections.abc import Callable

import apsw

from frontdesk.storage import backfill

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

STORE_2 = """
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

CREATE VIRTUAL TABLE message_words USING fts5 (said, content='', contentless_delete=1, prefix='2 3',
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co So'");
CREATE VIRTUAL TABLE task_words USING fts5 (said, content='', contentless_delete=1, prefix='2 3',
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co So'");
CREATE TABLE customer_names (number INTEGER PRIMARY KEY, folded TEXT NOT NULL);
CREATE TABLE unindexed (kind TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (kind, number)) WITHOUT ROWID;
INSERT INTO unindexed SELECT 'message', rowid FROM messages;
INSERT INTO unindexed SELECT 'task', rowid FROM tasks;

DROP TABLE broken;
CREATE TABLE broken (kind TEXT NOT NULL, place TEXT NOT NULL, raw TEXT NOT NULL, reason TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (kind, place)) WITHOUT ROWID;
ALTER TABLE health ADD COLUMN heard_at REAL;
UPDATE health SET heard_at = 0;
"""
"""Row numbers of messages carry their time (see `threads.row_number`), so that the newest hits of a
search and the oldest messages of all are found without a sort; every order of a list has its index.
Names of customers are no full-text index: people search for the middle of one, too (`search`)."""

STORE_3 = """
CREATE INDEX conversations_at_a_glance ON conversations (line_id, waiting_since, due_at, assigned, open_tasks,
    unread, pending, active_at, last_incoming_at, platform, conversation_id);
CREATE INDEX tasks_of_status ON tasks (status, conversation_id);
"""
"""What views and filters ask for, close together: a count reads 8 MB for 100,000 conversations, not all rows."""

STORE_4 = """
CREATE TABLE watch_stretches (campaign_id TEXT NOT NULL, since REAL NOT NULL, until REAL NOT NULL,
    PRIMARY KEY (campaign_id, since)) WITHOUT ROWID;
CREATE TABLE audiences (campaign_id TEXT PRIMARY KEY, digest TEXT NOT NULL, recipients TEXT NOT NULL);
CREATE TABLE outcomes (campaign_id TEXT NOT NULL, customer_id TEXT NOT NULL, status TEXT NOT NULL,
    code TEXT NOT NULL, reason TEXT NOT NULL, read_at REAL NOT NULL,
    PRIMARY KEY (campaign_id, customer_id)) WITHOUT ROWID;
"""
"""When a campaign was watched without a hole; its list of recipients, which is read and written once and not
with each counter; and how single recipients fared, as their threads told."""

STORE_5 = """
CREATE TABLE workflow_documents (workflow_id TEXT PRIMARY KEY, facts TEXT NOT NULL, digest TEXT NOT NULL,
    read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE workflow_texts (workflow_id TEXT PRIMARY KEY, raw TEXT NOT NULL);
CREATE TABLE listings (kind TEXT PRIMARY KEY, read_at REAL NOT NULL, has_more INTEGER NOT NULL,
    lacks TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE token_samples (agent_id TEXT NOT NULL, at REAL NOT NULL, tokens REAL NOT NULL,
    PRIMARY KEY (agent_id, at)) WITHOUT ROWID;
"""
"""Whole workflows: what a row of a list needs apart from the document, which may be megabytes; when each list
was read, whether more exists, and what it was read without; and how many tokens AI agents had used when."""

OUTBOX_2 = """
CREATE TABLE deeds (
    deed_id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, batch TEXT NOT NULL,
    made_at REAL NOT NULL, state TEXT NOT NULL
);
CREATE INDEX changes_by_batch ON changes (batch);
CREATE INDEX changes_by_settling ON changes (settled_at) WHERE settled_at IS NOT NULL;
"""
"""What a person did in one go, for undo and redo after a restart and in another process."""

OUTBOX_3 = """
CREATE TABLE bodies (campaign_id TEXT PRIMARY KEY, body TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
"""
"""What is sent of a campaign that is created here, apart from its change: it may be megabytes."""

OUTBOX_4 = """
CREATE TABLE workflow_bodies (
    change_id INTEGER PRIMARY KEY, body TEXT NOT NULL DEFAULT '', base TEXT, theirs TEXT
);
CREATE TABLE analytics_snapshots (
    snapshot_id INTEGER PRIMARY KEY AUTOINCREMENT, workflow_id TEXT NOT NULL, at REAL NOT NULL,
    cause TEXT NOT NULL, document TEXT NOT NULL, change_id INTEGER
);
CREATE INDEX snapshots_by_workflow ON analytics_snapshots (workflow_id, snapshot_id);
"""
"""What is sent of a workflow, what it was made from, and what somebody else has made of it meanwhile; and
analytics as they were before they were zeroed, which nothing brings back."""

Migration = Callable[[apsw.Connection], object]


def _create(tables: str) -> Migration:
    def migrate(db: apsw.Connection) -> None:
        db.execute(tables)

    return migrate


def _bring_to_2(db: apsw.Connection) -> None:
    db.execute(STORE_2)
    backfill.fill_directions(db)
    backfill.fill_names(db)


def _bring_to_4(db: apsw.Connection) -> None:
    db.execute(STORE_4)
    backfill.take_out_lists(db)
    backfill.fill_watch_stretches(db)


STORE_MIGRATIONS: tuple[Migration, ...] = (
    _create(STORE_TABLES),
    _bring_to_2,
    _create(STORE_3),
    _bring_to_4,
    _create(STORE_5),
)
OUTBOX_MIGRATIONS: tuple[Migration, ...] = (
    _create(OUTBOX_TABLES),
    _create(OUTBOX_2),
    _create(OUTBOX_3),
    _create(OUTBOX_4),
)
STORE_VERSION = len(STORE_MIGRATIONS)
OUTBOX_VERSION = len(OUTBOX_MIGRATIONS)
STORE_APPLICATION_ID = 0x46_64_73_74
OUTBOX_APPLICATION_ID = 0x46_64_6F_62

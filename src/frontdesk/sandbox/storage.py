"""The sandbox's SQLite file: one row an object, its JSON beside the columns that are queried.

Opened by `world.open_world`; each resource's queries stand with its handlers. Every write is one
transaction, so a kill in its middle leaves the old row or the new one (rule 235).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from frontdesk.sandbox.options import SandboxCannotStart

Value = str | int | float | bytes | None

_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE lines(account TEXT, line TEXT, label TEXT, platform TEXT, per_second REAL, free_at REAL DEFAULT 0,
    PRIMARY KEY(account, line)) WITHOUT ROWID;
CREATE TABLE folders(account TEXT, folder TEXT, PRIMARY KEY(account, folder)) WITHOUT ROWID;
CREATE TABLE statuses(account TEXT, status TEXT, PRIMARY KEY(account, status)) WITHOUT ROWID;
CREATE TABLE tags(account TEXT, tag TEXT, PRIMARY KEY(account, tag)) WITHOUT ROWID;
CREATE TABLE conversations(account TEXT, line TEXT, customer TEXT, name TEXT, language TEXT,
    last_at NUMERIC, serial INTEGER, script INTEGER, step INTEGER, opted_out INTEGER DEFAULT 0,
    PRIMARY KEY(account, line, customer)) WITHOUT ROWID;
CREATE INDEX conversations_by_activity ON conversations(account, last_at) WHERE serial IS NOT NULL;
CREATE TABLE conversation_tags(account TEXT, tag TEXT, line TEXT, customer TEXT,
    PRIMARY KEY(account, tag, line, customer)) WITHOUT ROWID;
CREATE TABLE messages(id INTEGER PRIMARY KEY, account TEXT, line TEXT, customer TEXT,
    created_at NUMERIC, message_id TEXT, json TEXT);
CREATE INDEX messages_by_thread ON messages(account, line, customer, created_at, message_id);
CREATE UNIQUE INDEX messages_by_id ON messages(message_id, account);
CREATE TABLE tasks(account TEXT, task_id TEXT, line TEXT, conversation TEXT, updated_at NUMERIC,
    assigned TEXT, line_of TEXT, customer_of TEXT, json TEXT, PRIMARY KEY(account, task_id)) WITHOUT ROWID;
CREATE INDEX tasks_by_update ON tasks(account, updated_at DESC, task_id);
CREATE INDEX tasks_by_conversation ON tasks(account, line_of, customer_of);
CREATE TABLE workflows(account TEXT, id TEXT, position INTEGER, json TEXT, PRIMARY KEY(account, id));
CREATE TABLE campaigns(number INTEGER PRIMARY KEY, account TEXT, id TEXT, json TEXT, line TEXT,
    status TEXT, created INTEGER, due_at INTEGER, started_at INTEGER, ended_at INTEGER, failure_reason TEXT,
    modified INTEGER, dispatched_at REAL DEFAULT 0, settled_at INTEGER DEFAULT 0,
    total INTEGER DEFAULT 0, pending INTEGER DEFAULT 0, in_flight INTEGER DEFAULT 0, sent INTEGER DEFAULT 0,
    failed INTEGER DEFAULT 0, opted_out INTEGER DEFAULT 0, duplicate INTEGER DEFAULT 0,
    throttled INTEGER DEFAULT 0, delivered INTEGER DEFAULT 0, read INTEGER DEFAULT 0, text TEXT);
CREATE UNIQUE INDEX campaigns_by_id ON campaigns(account, id);
CREATE TABLE recipients(campaign INTEGER, position INTEGER, customer TEXT, name TEXT, bucket TEXT,
    delivered INTEGER DEFAULT 0, read INTEGER DEFAULT 0, replied INTEGER DEFAULT 0,
    dispatched_at REAL, due_at REAL, PRIMARY KEY(campaign, position)) WITHOUT ROWID;
CREATE INDEX recipients_due ON recipients(due_at) WHERE due_at IS NOT NULL;
CREATE INDEX recipients_pending ON recipients(campaign, position) WHERE bucket = 'pending';
CREATE TABLE ai_agents(account TEXT, position INTEGER, id TEXT, json TEXT, PRIMARY KEY(account, position))
    WITHOUT ROWID;
CREATE TABLE webhooks(account TEXT, id TEXT, json TEXT, PRIMARY KEY(account, id)) WITHOUT ROWID;
CREATE TABLE agenda(id INTEGER PRIMARY KEY, due_at REAL, about TEXT, kind TEXT, json TEXT);
CREATE INDEX agenda_due ON agenda(due_at);
CREATE INDEX agenda_about ON agenda(about);
"""

_EXECUTIONS = """
ALTER TABLE campaigns ADD COLUMN workflow TEXT;
CREATE TABLE executions(id INTEGER PRIMARY KEY, account TEXT, line TEXT, customer TEXT, begun_at INTEGER,
    due_at REAL, state TEXT);
CREATE UNIQUE INDEX executions_by_conversation ON executions(account, line, customer);
CREATE INDEX executions_due ON executions(due_at);
CREATE TABLE heard(id INTEGER PRIMARY KEY, at INTEGER, account TEXT, line TEXT, customer TEXT, kind TEXT,
    text TEXT, payload TEXT);
CREATE INDEX heard_at ON heard(at);
CREATE TABLE run_counts(account TEXT, workflow TEXT, kind TEXT, about TEXT, target TEXT, count INTEGER,
    PRIMARY KEY(account, workflow, kind, about, target)) WITHOUT ROWID;
"""

_DOCUMENTS = """
CREATE TABLE campaign_documents(number INTEGER PRIMARY KEY, json TEXT);
INSERT INTO campaign_documents SELECT number, json FROM campaigns;
UPDATE campaigns SET workflow=json_extract(json, '$.workflowId') WHERE workflow IS NULL;
ALTER TABLE campaigns DROP COLUMN json;
"""

_MIGRATIONS = (_SCHEMA, _EXECUTIONS, _DOCUMENTS)
VERSION = len(_MIGRATIONS)

_OPENING = (
    "PRAGMA locking_mode=EXCLUSIVE",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA cache_size=-48000",
    # Folding the log into the file waits for the disk, so it is done seldom: requests wait meanwhile.
    "PRAGMA wal_autocheckpoint=8000",
    "BEGIN IMMEDIATE",
    "COMMIT",
)


class Storage:
    """A connection to the file, which no other process may use meanwhile."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._depth = 0

    @classmethod
    def open(cls, folder: Path) -> "Storage":
        """Open or make the file in `folder`.

        Raises:
            SandboxCannotStart: the folder can't be written, or another sandbox uses it.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            connection = apsw.Connection(str(folder / "sandbox.db"))
            connection.set_busy_timeout(1500)
            # One service a folder: whoever comes second is told, instead of both moving the same campaigns.
            for statement in _OPENING:
                list(connection.execute(statement))
        except OSError as error:
            raise SandboxCannotStart(f"the data folder {folder} can't be used: {error.strerror}") from error
        except apsw.BusyError as error:
            raise SandboxCannotStart(f"another sandbox uses the data folder {folder}") from error
        except apsw.Error as error:
            raise SandboxCannotStart(
                f"the sandbox's file in {folder} can't be read ({error}); delete it to start over"
            ) from error
        storage = cls(connection)
        storage._migrate(folder)
        return storage

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open a transaction, or join the one that is open."""
        if self._depth:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        self._depth = 1
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        else:
            self._connection.execute("COMMIT")
        finally:
            self._depth = 0

    def rows(self, sql: str, *values: Value) -> list[tuple[Any, ...]]:
        """Fetch all rows of a query."""
        return list(self._connection.execute(sql, values))

    def row(self, sql: str, *values: Value) -> tuple[Any, ...] | None:
        """Fetch the first row, or None."""
        return next(iter(self._connection.execute(sql, values)), None)

    def run(self, sql: str, *values: Value) -> int:
        """Execute a statement; answers how many rows it changed."""
        self._connection.execute(sql, values)
        return self._connection.changes()

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Execute a statement for many rows."""
        self._connection.executemany(sql, rows)

    def last_row_number(self) -> int:
        return self._connection.last_insert_rowid()

    def meta(self, key: str) -> Any:
        """Read a value kept by `set_meta`, or None."""
        row = self.row("SELECT value FROM meta WHERE key=?", key)
        return row[0] if row else None

    def set_meta(self, key: str, value: Value) -> None:
        """Keep a value across restarts."""
        self.run("INSERT OR REPLACE INTO meta VALUES(?,?)", key, value)

    def _migrate(self, folder: Path) -> None:
        found = int(self.rows("PRAGMA user_version")[0][0])
        if found > VERSION:
            raise SandboxCannotStart(
                f"the sandbox's file in {folder} was written by a newer one; delete it to start over"
            )
        if found < VERSION:
            with self.writing():
                for statements in _MIGRATIONS[found:]:
                    self._connection.execute(statements)
                self._connection.execute(f"PRAGMA user_version={VERSION}")

"""The sandbox's SQLite file: one row an object, its JSON beside the columns that are queried.

Opened by `world.open_world`; each resource's queries stand with its handlers. Every write is one
transaction, so a kill in its middle leaves the old row or the new one (rule 235).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from frontdesk.sandbox.data import read_text
from frontdesk.sandbox.options import SandboxCannotStart

Value = str | int | float | bytes | None

_MIGRATIONS = ("1_schema", "2_executions", "3_campaign_documents")
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


_UNFINISHED_READS = "CREATE TEMP TABLE unfinished_reads(number INTEGER PRIMARY KEY, at INTEGER)"
"""When a campaign was last seen unfinished, in virtual milliseconds; only for as long as the process runs."""


class Storage:
    """A connection to the file, which no other process may use meanwhile."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._depth = 0
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # as `database_files.keep_plans`
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute(_UNFINISHED_READS)

    @classmethod
    def open(cls, folder: Path) -> "Storage":
        """Open or make the file in `folder`.

        Raises:
            SandboxCannotStart: the folder can't be written, or another sandbox uses it.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in ("sandbox.db", "sandbox.db-wal"):
                if (path := folder / name).exists() and not path.is_file():
                    raise SandboxCannotStart(f"{path} isn't a regular file; move it away and try again")
            connection = apsw.Connection(str(folder / "sandbox.db"))
            connection.set_busy_timeout(1500)
            # One service a folder: whoever comes second is told, instead of both moving the same campaigns.
            for statement in _OPENING:
                list(connection.execute(statement))
        except OSError as error:
            raise SandboxCannotStart(f"can't use the data folder {folder}: {error.strerror}") from error
        except apsw.BusyError as error:
            raise SandboxCannotStart(f"another sandbox is using the data folder {folder}") from error
        except apsw.Error as error:
            raise SandboxCannotStart(
                f"can't read the sandbox's file in {folder} ({error}); delete it to start over"
            ) from error
        storage = cls(connection)
        storage.migrate(folder)
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

    def exists(self, table: str, **key: Value) -> bool:
        """Whether the table has a row of this key."""
        conditions = " AND ".join(f"{column}=?" for column in key)
        return self.row(f"SELECT 1 FROM {table} WHERE {conditions}", *key.values()) is not None

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

    def migrate(self, folder: Path) -> None:
        """Bring the tables to this version.

        Raises:
            SandboxCannotStart: a newer version wrote the file.
        """
        found = int(self.rows("PRAGMA user_version")[0][0])
        if found > VERSION:
            raise SandboxCannotStart(
                f"the sandbox's file in {folder} was written by a newer version; delete it to start over"
            )
        if found < VERSION:
            with self.writing():
                for name in _MIGRATIONS[found:]:
                    self._connection.execute(read_text(f"{name}.sql"))
                self._connection.execute(f"PRAGMA user_version={VERSION}")

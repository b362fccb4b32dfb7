"""The sandbox's SQLite file: one row an object, its JSON beside the columns that are queried.

Opened by `world.open_world`; each resource's queries stand with its handlers. Every write is one
transaction, so a kill in its middle leaves the old row or the new one (rule 235).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from frontdesk_sandbox.data import read_text
from frontdesk_sandbox.options import SandboxCannotStart
from frontdesk_sandbox.responses import encode

Value = str | int | float | bytes | None

_MIGRATIONS = ("1_schema", "2_executions", "3_campaign_documents")
VERSION = len(_MIGRATIONS)

_OPENING = (
    "PRAGMA locking_mode=EXCLUSIVE",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA cache_size=-48000",
    # Folding the log into the file waits for the disk, so it is done seldom: requests wait for that.
    "PRAGMA wal_autocheckpoint=8000",
    "BEGIN IMMEDIATE",
    "COMMIT",
)


_UNFINISHED_READS = "CREATE TEMP TABLE unfinished_reads(number INTEGER PRIMARY KEY, at INTEGER)"
"""The time at which a campaign was last seen unfinished, in virtual milliseconds; kept while the process runs."""


class Storage:
    """A connection to the file, which no other process may use at the same time."""

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
            # One service a folder: a second one is refused, so that two don't move the same campaigns.
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
        return list(self._connection.execute(sql, values))

    def row(self, sql: str, *values: Value) -> tuple[Any, ...] | None:
        return next(iter(self._connection.execute(sql, values)), None)

    def exists(self, table: str, **key: Value) -> bool:
        conditions = " AND ".join(f"{column}=?" for column in key)
        return self.row(f"SELECT 1 FROM {table} WHERE {conditions}", *key.values()) is not None

    def run(self, sql: str, *values: Value) -> int:
        """Execute a statement; answers how many rows it changed."""
        self._connection.execute(sql, values)
        return self._connection.changes()

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        self._connection.executemany(sql, rows)

    def last_row_number(self) -> int:
        return self._connection.last_insert_rowid()

    def meta(self, key: str) -> Any:
        row = self.row("SELECT value FROM meta WHERE key=?", key)
        return row[0] if row else None

    def set_meta(self, key: str, value: Value) -> None:
        self.run("INSERT OR REPLACE INTO meta VALUES(?,?)", key, value)

    def migrate(self, folder: Path) -> None:
        """Bring the tables to this version; raise SandboxCannotStart if a newer version wrote the file."""
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


INSERT_MESSAGE = (
    "INSERT OR REPLACE INTO messages(account, line, customer, created_at, message_id, json) VALUES(?,?,?,?,?,?)"
)


class Conversation(NamedTuple):
    """The key of a conversation: an account's line and the customer on it."""

    account: str
    line: str
    customer: str


def customer_variables(customer: str, name: str | None) -> dict[str, str]:
    """Return the values of the placeholders for a customer, in campaigns and in workflows."""
    first = (name or "").split(" ")[0]
    return {"name": first or "there", "customer.name": name or customer, "customer.number": customer}


def find_conversation(storage: Storage, account: str, conversation: str) -> Conversation | None:
    """Find a stored conversation by its `participantsIdentifiers`."""
    where = split_conversation(storage, account, conversation)
    return where if where and storage.exists("conversations", **where._asdict()) else None


def split_conversation(storage: Storage, account: str, conversation: str) -> Conversation | None:
    """Match the halves against the account's lines, never by position (docs/interface.md)."""
    first, _, second = conversation.partition("#")
    for line, customer in ((first, second), (second, first)):
        if customer and storage.exists("lines", account=account, line=line):
            return Conversation(account, line, customer)
    return None


def find_customer_name(storage: Storage, where: Conversation) -> str | None:
    row = storage.row("SELECT name FROM conversations WHERE account=? AND line=? AND customer=?", *where)
    return row[0] if row else None


def find_platform(storage: Storage, account: str, line: str) -> str:
    """Return the platform of a line; WhatsApp for an unknown one."""
    row = storage.row("SELECT platform FROM lines WHERE account=? AND line=?", account, line)
    return str(row[0]) if row else "whatsapp"


def message_id(*parts: object) -> str:
    """Make an id that depends on the parts alone."""
    return "msg_" + hashlib.blake2b(repr(parts).encode(), digest_size=9).hexdigest()


def utterance_id(line: str, customer: str, serial: int, step: int) -> str:
    """Return the id of one line of a dialogue; ids of one moment sort in the order of the lines."""
    return f"{message_id(line, customer, serial)}_{step:02d}"


def make_message(
    where: Conversation, *, platform: str, incoming: bool, text: str, at_ms: int, identity: str
) -> dict[str, Any]:
    return {
        "messageId": identity,
        "sender": where.customer if incoming else where.line,
        "receiver": where.line if incoming else where.customer,
        "initiator": "person",
        "status": "read" if incoming else "sent",
        "participantsIdentifiers": f"{where.line}#{where.customer}",
        "message": text,
        "type": "default",
        "messagePlatform": platform,
        "creationPlatform": platform if incoming else "web",
        "associatedTo": where.account,
        "messageDirection": "incoming" if incoming else "outgoing",
        "createdAt": at_ms,
        "updatedAt": at_ms,
        "hasReaction": False,
        "hasAttachment": False,
    }


def insert_message(
    storage: Storage, where: Conversation, message: dict[str, Any], name: str | None = None
) -> None:
    """Store a message and move the conversation's last activity; `name` counts if the customer has none yet."""
    created_at = message["createdAt"]
    storage.run(INSERT_MESSAGE, *where, created_at, message["messageId"], encode(message))
    storage.run(
        "INSERT INTO conversations(account, line, customer, last_at, name) VALUES(?,?,?,?,?) "
        "ON CONFLICT DO UPDATE SET last_at=max(coalesce(last_at, 0), excluded.last_at), "
        "name=coalesce(name, excluded.name)",
        *(*where, created_at, name),
    )


def set_opted_out(storage: Storage, where: Conversation, *, is_out: bool = True) -> None:
    """Set whether campaigns leave this customer alone on this line."""
    storage.run(
        "UPDATE conversations SET opted_out=? WHERE account=? AND line=? AND customer=?", int(is_out), *where
    )


def set_message_status(
    storage: Storage, account: str, identity: str, status: str, at_ms: int, error: dict[str, Any] | None = None
) -> None:
    """Move a message's status on; a later one stays."""
    storage.run(
        "UPDATE messages SET json=json_set(json, '$.status', ?, '$.updatedAt', "
        "max(?, coalesce(json_extract(json, '$.updatedAt'), 0))) "
        "WHERE message_id=? AND account=? "
        f"AND CASE json_extract(json, '$.status') {_RANKS} ELSE -1 END < ?",
        *(status, at_ms, identity, account, _RANK.get(status, 0)),
    )
    if error is not None:
        storage.run(
            "UPDATE messages SET json=json_set(json, '$.error', json(?)) WHERE message_id=? AND account=? "
            "AND json_extract(json, '$.status')=?",
            *(encode(error), identity, account, status),
        )


_RANK = {"pending": 0, "inProcess": 1, "sent": 2, "delivered": 3, "read": 4, "failed": 5, "tooManyRequests": 5}
_RANKS = " ".join(f"WHEN '{status}' THEN {rank}" for status, rank in _RANK.items())


def read_task(storage: Storage, account: str, task_id: str) -> str | None:
    row = storage.row("SELECT json FROM tasks WHERE account=? AND task_id=?", account, task_id)
    return str(row[0]) if row else None


def new_task(account: str, task_id: str, now_seconds: int) -> dict[str, Any]:
    return {
        "taskId": task_id,
        "title": "",
        "body": "",
        "associatedTo": account,
        "statusCase": "open",
        "unreadCount": 0,
        "createdAt": now_seconds,
        "updatedAt": now_seconds,
        "dueDate": 0,
        "assignedAgentIds": [],
        "viewedByAgentIds": [],
    }


def insert_task(storage: Storage, account: str, task: dict[str, Any]) -> None:
    """Store a task, in place of an earlier one of its taskId."""
    conversation = task.get("participantsIdentifiers")
    where = find_conversation(storage, account, conversation) if isinstance(conversation, str) else None
    storage.run("INSERT OR REPLACE INTO tasks VALUES(?,?,?,?,?,?,?,?,?)", *task_row(account, task, where))


def task_row(account: str, task: dict[str, Any], where: Conversation | None) -> tuple[Any, ...]:
    """Return the columns of a task; `where` is its conversation, if it is known."""
    updated_at = task.get("updatedAt")
    assigned = task.get("assignedAgentIds")
    return (
        account,
        task["taskId"],
        _text(task.get("phoneNumberId")),
        _text(task.get("participantsIdentifiers")),
        updated_at if isinstance(updated_at, int | float) else 0,
        encode(assigned if isinstance(assigned, list) else []),
        where.line if where else None,
        where.customer if where else None,
        encode(task),
    )


def update_task_row(
    storage: Storage, account: str, task_id: str, fields: dict[str, Any], person: dict[str, str], now_seconds: int
) -> str:
    """Change a task's fields, and with them updatedAt, agentIdentification and unreadCount (178-181)."""
    task: dict[str, Any] = json.loads(read_task(storage, account, task_id) or "{}")
    task.update(fields)
    task["agentIdentification"] = person
    _count_change(task, now_seconds)
    insert_task(storage, account, task)
    return encode(task)


def _count_change(task: dict[str, Any], now_seconds: int) -> None:
    """Count a change: updatedAt always grows, also within one second, so that it tells changes apart."""
    before, unread = task.get("updatedAt"), task.get("unreadCount")
    # What a test stored may be no time at all; a number beyond this can't be counted up either.
    was_time = before if isinstance(before, int | float) and abs(before) < 2**53 else -1
    task["updatedAt"] = max(now_seconds, int(was_time) + 1)
    task["unreadCount"] = (unread if isinstance(unread, int) else 0) + 1


def record_arrival(storage: Storage, where: Conversation, now_ms: int) -> None:
    """Show in a customer's tasks that they wrote, and count it in those that aren't completed."""
    for (stored,) in storage.rows(
        "SELECT json FROM tasks WHERE account=? AND line_of=? AND customer_of=?", *where
    ):
        task = json.loads(stored)
        if isinstance(task.get("customer"), dict):
            task["customer"]["lastActiveAt"] = now_ms
        if task.get("statusCase") != "completed":
            _count_change(task, now_ms // 1000)
        storage.run(
            "UPDATE tasks SET updated_at=?, json=? WHERE account=? AND task_id=?",
            *(task.get("updatedAt"), encode(task), where.account, task["taskId"]),
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

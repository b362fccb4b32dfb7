"""Recovery of damaged files, and of a person's work from files that were removed or replaced while open.

Damaged files are kept. `store.db` starts empty: all but the history of counters can be fetched again. Of the
outbox every readable row is copied.
"""

import contextlib
import itertools
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, ChangeState
from frontdesk.storage.sql import Row, first, rows, value_list

if TYPE_CHECKING:
    from frontdesk.storage.database import Store

DAMAGE_MARK = "damaged"
"""The file that marks damage: the next process to open the store checks both files first."""

ASIDE = "damaged-"
MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
DAMAGE = (apsw.CorruptError, apsw.NotADBError)

log = logging.getLogger("frontdesk.storage")


def mark_damaged(folder: Path) -> None:
    """Record that a file was found damaged while it was open."""
    with contextlib.suppress(OSError):
        (folder / DAMAGE_MARK).touch(mode=0o600)


def is_damage(error: BaseException | None) -> bool:
    """Return whether an error means a damaged file, not a failing or full disk.

    A truncated file gives an I/O error with a code of its own.
    """
    if isinstance(error, apsw.IOError):
        return bool(getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_SHORT_READ)
    return isinstance(error, DAMAGE)


def damaged_files(folder: Path) -> list[Path]:
    """Return the damaged files that were moved aside, oldest first."""
    try:
        names = sorted(path for path in folder.iterdir() if f".{ASIDE}" in path.name)
    except OSError:
        return []
    return [path for path in names if not path.name.endswith(("-wal", "-shm"))]


def move_aside(path: Path) -> Path:
    """Move a damaged file aside; return its new path."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.name}.{ASIDE}{stamp}")
    for number in itertools.count(2):
        if not aside.exists():
            break
        aside = path.with_name(f"{path.name}.{ASIDE}{stamp}-{number}")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    log.error("%s is damaged and was set aside as %s", path, aside.name)
    return aside


def salvage(aside: Path, path: Path, tables: Mapping[str, str]) -> None:
    """Copy the readable rows, from the front and from the back up to the damage.

    Args:
        tables: each table with the column that orders its rows.
    """
    with contextlib.suppress(OSError):
        _repair_header(aside, path)
    try:
        old = apsw.Connection(str(aside), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return
    new = apsw.Connection(str(path))
    try:
        # Without this, SQLite refuses any access to a truncated file.
        old.execute("PRAGMA writable_schema = 1")
        for table, key in tables.items():
            kept = 0
            for order in ("ASC", "DESC"):
                with contextlib.suppress(apsw.Error):
                    kept += _copy_rows(old, new, table, f"{key} {order}")
            log.error("%s: %d rows of %s were carried over", aside.name, kept, table)
    finally:
        old.close()
        new.close()


def written_version(aside: Path, newest: int) -> int:
    """Return the version in a damaged file's header, or the newest if it has none."""
    with contextlib.suppress(OSError), aside.open("rb") as file:
        header = file.read(HEADER_BYTES)
        version = int.from_bytes(header[60:64], "big")
        if header.startswith(MAGIC) and 0 < version <= newest:
            return version
    return newest


def _repair_header(aside: Path, path: Path) -> None:
    """Replace an unrecognized header with that of a new file: the pages after it may be whole."""
    with path.open("rb") as new:
        header = bytearray(new.read(HEADER_BYTES))
    with aside.open("r+b") as old:
        if old.read(len(MAGIC)) == MAGIC or len(header) < HEADER_BYTES:
            return
        pages = aside.stat().st_size // int.from_bytes(header[16:18], "big")
        header[28:32] = pages.to_bytes(4, "big")
        header[32:40] = bytes(8)  # no list of free pages: this file is only read
        header[92:96] = header[24:28]  # the number of pages counts only if it was set with the last change
        old.seek(0)
        old.write(header)


def _copy_rows(old: apsw.Connection, new: apsw.Connection, table: str, order: str) -> int:
    """Copy a table by its columns' names, which differ between versions, until a row is damaged."""
    there = {row[1] for row in new.execute(f"PRAGMA table_info({table})")}
    names = [row[1] for row in old.execute(f"PRAGMA table_info({table})") if row[1] in there]
    if not names:
        return 0
    columns, places = ", ".join(names), ", ".join("?" * len(names))
    before = new.total_changes()
    with contextlib.suppress(*DAMAGE):
        for row in old.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):
            new.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})", row)
    return new.total_changes() - before


_COLUMNS = (
    "batch, kind, target, fields, base, label, state, made_at, send_after, sends, sent_at, settled_at, reason,"
    " theirs"
)
_STATE, _SENT_AT = 6, 10
_VERSION = "workflow_id, kind, loaded_at, label, last_modified, document, number"


class UnsavedWork(NamedTuple):
    """Rows of a removed outbox: open changes, marks, campaigns and workflows to send, kept workflows.

    Attributes:
        changes: rows that begin with the old id, which `workflow_bodies` refers to; each gets a new id.
    """

    changes: tuple[Row, ...] = ()
    kept: tuple[Row, ...] = ()
    bodies: tuple[Row, ...] = ()
    workflow_bodies: tuple[Row, ...] = ()
    versions: tuple[Row, ...] = ()


def unsaved_work(store: "Store") -> UnsavedWork:
    """Load the unsettled rows of a store whose files were replaced."""
    if not store.is_replaced:
        return UnsavedWork()
    states = value_list((*UNCONFIRMED, *NEEDS_PERSON))
    try:
        changes = rows(
            store.reading,
            f"SELECT change_id, {_COLUMNS} FROM outbox.changes WHERE state IN ({states}) ORDER BY change_id",
        )
        kept = rows(store.reading, "SELECT kind, id, value, at FROM outbox.kept")
        bodies = rows(store.reading, "SELECT campaign_id, body, at FROM outbox.bodies")
        graphs = rows(store.reading, "SELECT change_id, body, base, theirs FROM outbox.workflow_bodies")
        kinds = "kind IN ('snapshot', 'exported') ORDER BY version_id"
        versions = rows(store.reading, f"SELECT {_VERSION} FROM outbox.workflow_versions WHERE {kinds}")
    except apsw.Error:  # damaged: the readable rows were copied when the file was moved aside
        return UnsavedWork()
    return UnsavedWork(tuple(changes), tuple(kept), tuple(bodies), tuple(graphs), tuple(versions))


def restore(db: apsw.Connection, left: UnsavedWork, rebuild_overlay: Callable[[apsw.Connection], object]) -> int:
    """Insert missing rows into this outbox; return the number of changes.

    Args:
        rebuild_overlay: updates what lists show of changes, in the same transaction.
    """
    count = 0
    graphs = {row[0]: row[1:] for row in left.workflow_bodies}
    for change_id, *row in left.changes:
        if _is_there(db, row):
            continue
        values: list[Any] = list(row)
        if row[_STATE] == ChangeState.SENDING:
            # The outcome couldn't be stored: fetch the target before anything is sent again.
            values[_STATE], values[_SENT_AT] = str(ChangeState.UNKNOWN), time.time()
        marks = ", ".join("?" * len(values))
        db.execute(f"INSERT INTO outbox.changes ({_COLUMNS}) VALUES ({marks})", values)
        if change_id in graphs:
            graph = (db.last_insert_rowid(), *graphs[change_id])
            db.execute(
                "INSERT INTO outbox.workflow_bodies (change_id, body, base, theirs) VALUES (?, ?, ?, ?)", graph
            )
        count += 1
    db.executemany("INSERT OR IGNORE INTO outbox.kept (kind, id, value, at) VALUES (?, ?, ?, ?)", left.kept)
    db.executemany("INSERT OR IGNORE INTO outbox.bodies (campaign_id, body, at) VALUES (?, ?, ?)", left.bodies)
    there = "FROM outbox.workflow_versions WHERE workflow_id = ?1 AND kind = ?2"
    db.executemany(
        f"INSERT INTO outbox.workflow_versions ({_VERSION}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, max(?7,"
        f" (SELECT coalesce(max(number), 0) + 1 {there})) WHERE NOT EXISTS (SELECT 1 {there} AND loaded_at = ?3)",
        left.versions,
    )
    if count:
        rebuild_overlay(db)
    return count


def _is_there(db: apsw.Connection, row: Sequence[Any]) -> bool:
    found = first(
        db,
        "SELECT 1 FROM outbox.changes WHERE batch = ? AND kind = ? AND target = ? AND fields = ? AND made_at = ?",
        (*row[:4], row[7]),
    )
    return found is not None

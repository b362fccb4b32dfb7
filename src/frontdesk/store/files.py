"""Opening a profile's two SQLite files: created and migrated under a lock, damage set aside.

Called by `Store` and `Reader`; nothing else in the project opens a database of a profile.
"""

import os
import time
from pathlib import Path

import apsw

from frontdesk.store import schema

STORE_FILE = "store.db"
OUTBOX_FILE = "outbox.db"
LOCK_FILE = "open.lock"
BUSY_MS = 5_000


class StoreUnusable(Exception):
    """The folder or a file of the store can't be used; the text says what to do."""


def open_reader(folder: Path) -> apsw.Connection:
    """A connection for reading only, with the outbox attached as `outbox`.

    Raises:
        StoreUnusable: the files can't be opened or made.
    """
    if not _is_current(folder):
        open_writer(folder).close()
    db = _connect(folder)
    db.execute("PRAGMA query_only = 1")
    return db


def open_writer(folder: Path) -> apsw.Connection:
    """A connection that writes, after the files were created or brought to this version.

    Raises:
        StoreUnusable: the files can't be opened or made.
    """
    if not _is_current(folder):
        _prepare(folder)
    db = _connect(folder)
    db.execute("PRAGMA main.synchronous = NORMAL")
    db.execute("PRAGMA outbox.synchronous = FULL")
    return db


def _connect(folder: Path) -> apsw.Connection:
    try:
        db = apsw.Connection(str(folder / STORE_FILE), flags=apsw.SQLITE_OPEN_READWRITE)
        db.set_busy_timeout(BUSY_MS)
        db.execute("ATTACH ? AS outbox", (str(folder / OUTBOX_FILE),))
    except apsw.Error as error:
        raise StoreUnusable(f"the store in {folder} can't be opened ({error})") from error
    return db


def _is_current(folder: Path) -> bool:
    """Whether both files are there, whole at first sight and of this version."""
    wanted = (
        (STORE_FILE, schema.STORE_APPLICATION_ID, schema.STORE_VERSION),
        (OUTBOX_FILE, schema.OUTBOX_APPLICATION_ID, schema.OUTBOX_VERSION),
    )
    for name, application, version in wanted:
        path = folder / name
        if not path.exists():
            return False
        try:
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            found = (db.pragma("application_id"), db.pragma("user_version"))
            db.close()
        except apsw.Error:
            return False
        if found != (application, version):
            return False
    return True


def _prepare(folder: Path) -> None:
    from filelock import FileLock, Timeout  # only when there is something to create

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
    except OSError as error:
        raise StoreUnusable(
            f"the folder {folder} can't be made ({error.strerror}); set XDG_DATA_HOME to one that can"
        ) from error
    try:
        with FileLock(folder / LOCK_FILE, timeout=20):
            before = os.umask(0o077)
            try:
                _bring_up(
                    folder / OUTBOX_FILE,
                    schema.OUTBOX_APPLICATION_ID,
                    schema.OUTBOX_MIGRATIONS,
                    keep_rows=True,
                )
                _bring_up(
                    folder / STORE_FILE,
                    schema.STORE_APPLICATION_ID,
                    schema.STORE_MIGRATIONS,
                    keep_rows=False,
                )
            finally:
                os.umask(before)
    except Timeout as error:
        raise StoreUnusable(f"another frontdesk is busy preparing {folder}; try again in a moment") from error
    except (OSError, apsw.Error) as error:
        raise StoreUnusable(f"the store in {folder} can't be prepared ({error})") from error


def _bring_up(path: Path, application: int, migrations: tuple[schema.Migration, ...], *, keep_rows: bool) -> None:
    version = _version_of(path, application)
    if version is None:
        _set_aside(path, keep_rows=keep_rows)
        version = 0
    if version > len(migrations):
        raise StoreUnusable(f"{path} was written by a newer frontdesk; update this one")
    db = apsw.Connection(str(path))
    try:
        db.set_busy_timeout(BUSY_MS)
        db.pragma("journal_mode", "wal")
        db.execute("BEGIN IMMEDIATE")
        for migrate in migrations[version:]:
            migrate(db)
        db.pragma("application_id", application)
        db.pragma("user_version", len(migrations))
        db.execute("COMMIT")
    finally:
        db.close()


def _version_of(path: Path, application: int) -> int | None:
    """The file's version, 0 for a new one, None for what isn't a whole file of ours."""
    if not path.exists() or path.stat().st_size == 0:
        return 0
    try:
        db = apsw.Connection(str(path))
        try:
            ours = db.pragma("application_id") == application
            whole = db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            version = db.pragma("user_version")
        finally:
            db.close()
    except apsw.Error:
        return None
    return int(version) if ours and whole else None


def _set_aside(path: Path, *, keep_rows: bool) -> None:
    """Move a damaged file out of the way; what a person did stays beside it for salvage."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            kind = "kept" if keep_rows else "damaged"
            part.rename(path.with_name(f"{path.name}.{kind}-{stamp}{suffix}"))

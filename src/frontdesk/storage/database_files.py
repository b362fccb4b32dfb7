"""Opening a profile's two SQLite files: created and migrated under a lock, damage set aside.

Called by `Store`, `Reader` and the feed; nothing else in the project opens a database of a
profile. What can be fetched again starts empty after damage; of the outbox, which can't, every
row that is still readable is carried over, and the damaged file stays beside it.
"""

import contextlib
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from frontdesk.storage import full_text, schema
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED

STORE_FILE = "store.db"
OUTBOX_FILE = "outbox.db"
LOCK_FILE = "open.lock"
DOUBT_FILE = "damaged"
"""There while somebody met damage: whoever opens the store next looks through both files first."""

ASIDE = "damaged-"
MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
BUSY_MS = 5_000
DAMAGE = (apsw.CorruptError, apsw.NotADBError)

SOON_SECONDS = 0.3
"""A lock that is held for no longer than this is not worth a word."""
LOCK_SECONDS = 900.0
"""Another process may be bringing a large store up to date; when it dies, its lock is free at once."""
BYTES_A_SECOND = (150_000_000, 20_000_000)
"""How fast a store comes to this version: looked through and given its indices; rewritten, from the first."""

Tell = Callable[[str], object]
"""Told, in a sentence for a person, why opening takes a while."""

log = logging.getLogger("frontdesk.storage")


class StoreUnusable(Exception):
    """The folder or a file of the store can't be used; the text says what to do."""


def in_plain_words(error: apsw.Error, folder: Path) -> StoreUnusable:
    """What went wrong with the disk or the files, for a person; damage is another matter (`doubt`)."""
    for kind, words in _PLAIN_WORDS:
        if isinstance(error, kind):
            return StoreUnusable(words.format(folder=folder))
    return StoreUnusable(f"the store in {folder} can't be used ({error})")


_PLAIN_WORDS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.FullError, "the disk is full; free some space on the disk of {folder} and do it again"),
    (apsw.ReadOnlyError, "the store in {folder} is read-only; make its files writable for you"),
    (apsw.PermissionsError, "the store in {folder} may not be read or written by you"),
    (apsw.BusyError, "another program holds the store in {folder}; try again in a moment"),
    (apsw.LockedError, "another program holds the store in {folder}; try again in a moment"),
    (apsw.CantOpenError, "the store in {folder} can't be opened; see whether it is there and yours to write in"),
    (apsw.IOError, "the disk with {folder} can't be read or written; it may be full or failing"),
)


def prepare(folder: Path, tell: Tell | None = None) -> None:
    """Make the files or bring them to this version, where that is due.

    Raises:
        StoreUnusable: they can't be opened or made.
    """
    if not _is_current(folder):
        _prepare(folder, tell)


def open_reader(folder: Path, tell: Tell | None = None) -> apsw.Connection:
    """A connection for reading only, with the outbox attached as `outbox`.

    Raises:
        StoreUnusable: the files can't be opened or made.
    """
    db = _open(folder, tell)
    db.execute("PRAGMA query_only = 1")
    return db


def open_writer(folder: Path) -> apsw.Connection:
    """A connection that writes, after the files were created or brought to this version.

    Raises:
        StoreUnusable: the files can't be opened or made.
    """
    db = _open(folder)
    db.execute("PRAGMA main.synchronous = NORMAL")
    db.execute("PRAGMA outbox.synchronous = FULL")
    return db


def doubt(folder: Path) -> None:
    """Say that a file was found damaged while it was open."""
    with contextlib.suppress(OSError):
        (folder / DOUBT_FILE).touch(mode=0o600)


def is_damage(error: BaseException | None) -> bool:
    """Whether an error says that a file that was open is damaged, and not that the disk fails or is full.

    A file that ends before a page that it has to have is told as an I/O error, by a code of its own.
    """
    if isinstance(error, apsw.IOError):
        return bool(getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_SHORT_READ)
    return isinstance(error, DAMAGE)


def identity(folder: Path) -> tuple[int, ...]:
    """What tells these files from others that take their place; 0 for one that is gone."""
    found = []
    for name in (STORE_FILE, OUTBOX_FILE):
        try:
            found.append(os.stat(folder / name).st_ino)
        except OSError:
            found.append(0)
    return tuple(found)


def set_aside(folder: Path) -> list[Path]:
    """Damaged files that were moved out of the way, the newest last."""
    try:
        names = sorted(path for path in folder.iterdir() if f".{ASIDE}" in path.name)
    except OSError:
        return []
    return [path for path in names if not path.name.endswith(("-wal", "-shm"))]


def unsent_elsewhere(folder: Path) -> list[tuple[str, int]]:
    """Stores beside this one in which changes wait to be sent or decided, by name, and how many."""
    found = []
    for path in sorted(folder.parent.glob(f"*/{OUTBOX_FILE}")):
        if path.parent == folder:
            continue
        with contextlib.suppress(apsw.Error):
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                states = ", ".join(f"'{state}'" for state in (*UNCONFIRMED, *NEEDS_PERSON))
                row = db.execute(f"SELECT count(*) FROM changes WHERE state IN ({states})").fetchone()
            finally:
                db.close()
            if row is not None and row[0]:
                found.append((path.parent.name, int(row[0])))
    return found


def _open(folder: Path, tell: Tell | None = None) -> apsw.Connection:
    prepare(folder, tell)
    try:
        return _connect(folder)
    except DAMAGE:
        doubt(folder)
        _prepare(folder, tell)
    except apsw.Error as error:
        raise in_plain_words(error, folder) from error
    try:
        return _connect(folder)
    except apsw.Error as error:
        raise in_plain_words(error, folder) from error


def _connect(folder: Path) -> apsw.Connection:
    db = apsw.Connection(str(folder / STORE_FILE), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.set_busy_timeout(BUSY_MS)
        db.execute("ATTACH ? AS outbox", (str(folder / OUTBOX_FILE),))
        for each in ("main", "outbox"):
            db.execute(f"SELECT count(*) FROM {each}.sqlite_schema").fetchall()
            if db.readonly(each):
                raise apsw.ReadOnlyError(each)
        full_text.add_functions(db)
    except apsw.Error:
        db.close()
        raise
    return db


def _is_current(folder: Path) -> bool:
    """Whether both files are there, whole at first sight and of this version."""
    wanted = (
        (STORE_FILE, schema.STORE_APPLICATION_ID, schema.STORE_VERSION),
        (OUTBOX_FILE, schema.OUTBOX_APPLICATION_ID, schema.OUTBOX_VERSION),
    )
    if (folder / DOUBT_FILE).exists():
        return False
    for name, application, version in wanted:
        path = folder / name
        if not path.exists():
            return False
        try:
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                db.set_busy_timeout(BUSY_MS)
                found = (db.pragma("application_id"), db.pragma("user_version"))
            finally:
                db.close()
        except DAMAGE:
            return False
        except apsw.Error as error:
            raise in_plain_words(error, folder) from error
        if found != (application, version):
            return False
    return True


def _prepare(folder: Path, tell: Tell | None = None) -> None:
    from filelock import Timeout  # only when there is something to create

    tell = tell or (lambda _: None)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
    except OSError as error:
        raise StoreUnusable(
            f"the folder {folder} can't be made ({error.strerror}); set XDG_DATA_HOME to one that can"
        ) from error
    try:
        with _locked(folder, tell):
            before = os.umask(0o077)
            try:
                # Looked through already by whoever had the lock before: nothing to do twice.
                if not _is_current(folder):
                    _bring_up_both(folder, tell)
            finally:
                os.umask(before)
    except Timeout as error:
        raise StoreUnusable(f"another frontdesk is busy preparing {folder}; try again in a moment") from error
    except OSError as error:
        raise StoreUnusable(f"the store in {folder} can't be prepared ({error.strerror})") from error
    except apsw.Error as error:
        raise in_plain_words(error, folder) from error


@contextlib.contextmanager
def _locked(folder: Path, tell: Tell) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=SOON_SECONDS)
    except Timeout:
        tell("another frontdesk is preparing the store; waiting until it has ...")
        lock.acquire(timeout=LOCK_SECONDS)
    try:
        yield
    finally:
        lock.release()


def _bring_up_both(folder: Path, tell: Tell) -> None:
    outbox, store = folder / OUTBOX_FILE, folder / STORE_FILE
    aside = _bring_up(outbox, schema.OUTBOX_APPLICATION_ID, schema.OUTBOX_MIGRATIONS)
    if aside is not None:
        _salvage(aside, outbox)
    # A check of the pages doesn't find all that a query stumbles over, and the store costs only a fetch.
    if aside is None and (folder / DOUBT_FILE).exists() and store.exists():
        _set_aside(store)
    if words := _upgrade(store):
        tell(words)
    _bring_up(store, schema.STORE_APPLICATION_ID, schema.STORE_MIGRATIONS)
    (folder / DOUBT_FILE).unlink(missing_ok=True)


def _bring_up(path: Path, application: int, migrations: tuple[schema.Migration, ...]) -> Path | None:
    """Make the file or bring it to this version; answers where a damaged one was put."""
    aside = None
    version = _version_of(path, application)
    if version is None:
        aside, version = _set_aside(path), 0
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
    return aside


def _upgrade(path: Path) -> str:
    """How long it takes to bring a store of an earlier version to this one, in words; empty where none is due."""
    if not path.exists():
        return ""
    try:
        db = apsw.Connection(str(path))
        try:
            version = int(db.pragma("user_version"))
            if not 0 < version < schema.STORE_VERSION:
                return ""
            known = int((db.execute("SELECT max(rowid) FROM conversations").fetchone() or (0,))[0] or 0)
        finally:
            db.close()
    except apsw.Error:
        return ""  # looked at more closely by what follows
    if not known:
        return ""
    seconds = max(1, round(path.stat().st_size / BYTES_A_SECOND[version == 1]))
    conversations = f"{known:,} conversation{'s' * (known != 1)}"
    return f"bringing the store up to date, about {seconds:,} s for {conversations} ..."


def _version_of(path: Path, application: int) -> int | None:
    """The file's version, 0 for a new one, None for what isn't a whole file of ours."""
    if not path.exists() or path.stat().st_size == 0:
        # A log beside an empty file holds what the file has lost.
        log_beside = path.with_name(path.name + "-wal")
        return None if log_beside.exists() and log_beside.stat().st_size else 0
    try:
        db = apsw.Connection(str(path))
        try:
            db.set_busy_timeout(BUSY_MS)
            ours = db.pragma("application_id") == application
            whole = db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            version = db.pragma("user_version")
        finally:
            db.close()
    except DAMAGE:
        return None
    return int(version) if ours and whole else None


def _set_aside(path: Path) -> Path:
    """Move a damaged file out of the way; answers where it is."""
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


_SALVAGED = (
    ("changes", "change_id"),
    ("kept", "kind"),
    ("deeds", "deed_id"),
    ("bodies", "campaign_id"),
    ("workflow_bodies", "change_id"),
    ("analytics_snapshots", "snapshot_id"),
)
"""Every table of the outbox, with what its rows are walked by."""


def _salvage(aside: Path, path: Path) -> None:
    """Carry over the rows that can still be read, from the front and from the back up to the damage."""
    with contextlib.suppress(OSError):
        _mend_header(aside, path)
    try:
        old = apsw.Connection(str(aside), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return
    new = apsw.Connection(str(path))
    try:
        # Without it SQLite refuses a file that was cut short altogether.
        old.execute("PRAGMA writable_schema = 1")
        for table, key in _SALVAGED:
            kept = 0
            for order in ("ASC", "DESC"):
                with contextlib.suppress(apsw.Error):
                    kept += _carry_over(old, new, table, f"{key} {order}")
            log.error("%s: %d rows of %s were carried over", aside.name, kept, table)
    finally:
        old.close()
        new.close()


def _mend_header(aside: Path, path: Path) -> None:
    """Give a file that SQLite doesn't take for one of its own the beginning of a new one: behind it
    everything may be whole."""
    with path.open("rb") as new:
        header = bytearray(new.read(HEADER_BYTES))
    with aside.open("r+b") as old:
        if old.read(len(MAGIC)) == MAGIC or len(header) < HEADER_BYTES:
            return
        pages = aside.stat().st_size // int.from_bytes(header[16:18], "big")
        header[28:32] = pages.to_bytes(4, "big")
        header[32:40] = bytes(8)  # no list of free pages: they are only read over
        header[92:96] = header[24:28]  # the number of pages counts only if it was set with the last change
        old.seek(0)
        old.write(header)


def _carry_over(old: apsw.Connection, new: apsw.Connection, table: str, order: str) -> int:
    """Copy a table by its columns' names, which differ between versions, until a row can't be read."""
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

"""Opens a profile's two SQLite files; creates and migrates them under a lock, and moves damaged ones aside."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from frontdesk.config.file_access import (
    NotRegularFile,
    OpenToOthers,
    find_open_to_others,
    require_own,
    require_regular_file,
)
from frontdesk.config.paths import make_private
from frontdesk.storage import full_text, schema
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED
from frontdesk.storage.recovery import DAMAGE, DAMAGE_MARK, mark_damaged, move_aside, salvage, written_version
from frontdesk.storage.schema import OUTBOX_APPLICATION_ID, STORE_APPLICATION_ID, Migration
from frontdesk.storage.sql import first, value_list

STORE_FILE = "store.db"
OUTBOX_FILE = "outbox.db"
LOCK_FILE = "open.lock"
"""The lock held while the files are created or migrated."""
LEADER_LOCK = "leader.lock"
"""The lock held by the engine that polls."""
WRITER_FILE = "writer.waiting"
"""A file that an engine that sends changes touches while it waits to poll: a read-only engine then steps down."""
BUSY_MS = 5_000

SYNC_CACHE_KIB = 8_000
"""Size of the page cache of a writer that stores pages of tasks and threads; SQLite's own is 2,000 KiB.

Pages that don't fit are written to the log more than once in a transaction.
"""

CHECKPOINT_PAGES = 4_000
"""Pages in the log (16 MB) after which they are copied to the store: a page of 100 new tasks writes up to 900."""

QUIET_SECONDS = 0.3
"""Seconds after which a held lock is reported to the person."""
LOCK_SECONDS = 900.0
"""Maximum wait for the lock in seconds: another process may be migrating, and its death frees the lock at once."""

Notify = Callable[[str], object]
"""Called with a sentence for a person about a slow opening."""


class StoreUnusable(Exception):
    """Raised when the folder or a file of the store can't be used; the text says what to do."""

    is_own_words = True


class StoreProblem(NamedTuple):
    """A cause for which the store can't be used.

    Attributes:
        words: a sentence with what to do; `{folder}` is the store's.
        short: the cause in a few words, for the status line; `to_do` is the remedy.
    """

    words: str
    short: str
    to_do: str

    def is_said_by(self, reason: str) -> bool:
        """Return whether a reason is this problem's sentence, for any folder."""
        before, _, after = self.words.partition("{folder}")
        return reason.startswith(before) and reason.endswith(after)


_LOCKED = StoreProblem(
    "another program is using the store in {folder}; try again in a moment", "locked", "close what uses it"
)
_DOCTOR = "run frontdesk doctor"
PROBLEMS: Mapping[type[apsw.Error], StoreProblem] = {
    apsw.FullError: StoreProblem(
        "the disk is full; free up space for {folder} and try again", "disk full", "free up space"
    ),
    apsw.ReadOnlyError: StoreProblem(
        "the store in {folder} is read-only; make its files writable", "read-only", "make it writable"
    ),
    apsw.PermissionsError: StoreProblem(
        "you don't have permission to use the store in {folder}", "denied", _DOCTOR
    ),
    apsw.BusyError: _LOCKED,
    apsw.LockedError: _LOCKED,
    apsw.CantOpenError: StoreProblem(
        "can't open the store in {folder}; check that it exists and that you can write to it", "missing", _DOCTOR
    ),
    apsw.IOError: StoreProblem(
        "can't read or write the disk that holds {folder}; it may be full or failing",
        "disk error",
        "check the disk",
    ),
}
"""Errors of the disk or of other programs; every other error is a bug."""

_OTHER = StoreProblem("can't use the store in {folder}", "error", _DOCTOR)


def unusable(error: apsw.Error, folder: Path) -> StoreUnusable:
    """Describe an error of the disk or the files for a person; `mark_damaged` handles damage."""
    for kind, problem in PROBLEMS.items():
        if isinstance(error, kind):
            return StoreUnusable(problem.words.format(folder=folder))
    return StoreUnusable(f"{_OTHER.words.format(folder=folder)} ({error})")


def problem_of(reason: str) -> StoreProblem:
    """Return the problem of a reason that `unusable` wrote, or else a general problem."""
    return next((problem for problem in PROBLEMS.values() if problem.is_said_by(reason)), _OTHER)


def file_numbers(folder: Path) -> tuple[int, ...]:
    """Return the inode numbers of both files, which reveal replaced files, with 0 for a missing one."""
    found = []
    for name in (STORE_FILE, OUTBOX_FILE):
        try:
            found.append(os.stat(folder / name).st_ino)
        except OSError:
            found.append(0)
    return tuple(found)


def unsent_elsewhere(folder: Path) -> list[tuple[str, int]]:
    """Return the names of neighbouring stores with unsent or undecided changes, and their number."""
    found = []
    for path in sorted(folder.parent.glob(f"*/{OUTBOX_FILE}")):
        if path.parent == folder or not path.is_file() or any(find_open_to_others(store_paths(path.parent))):
            continue
        with contextlib.suppress(apsw.Error):
            with _opened(path, apsw.SQLITE_OPEN_READONLY, busy_ms=0) as db:  # a locked file is skipped
                states = value_list((*UNCONFIRMED, *NEEDS_PERSON))
                row = first(db, f"SELECT count(*) FROM changes WHERE state IN ({states})")
            if row is not None and row[0]:
                found.append((path.parent.name, int(row[0])))
    return found


def prepare(folder: Path, notify: Notify | None = None) -> None:
    """Create or migrate the files if needed.

    Raises:
        StoreUnusable: the files can't be opened or created.
    """
    check_places(folder)
    if not _are_current(folder):
        _prepare(folder, notify or (lambda _: None))


def open_reader(folder: Path, notify: Notify | None = None) -> apsw.Connection:
    """Open a read-only connection, with the outbox attached as `outbox`.

    Raises:
        StoreUnusable: the files can't be opened or created.
    """
    db = _open(folder, notify)
    db.execute("PRAGMA query_only = 1")
    return db


def open_writer(folder: Path, *, syncs: bool = False) -> apsw.Connection:
    """Open a writing connection after creating or migrating the files.

    Args:
        syncs: whether it stores pages of tasks and threads, for which its cache is larger.

    Raises:
        StoreUnusable: the files can't be opened or created.
    """
    db = _open(folder)
    db.execute("PRAGMA main.synchronous = NORMAL")
    db.execute("PRAGMA outbox.synchronous = FULL")
    # SQLite copies pages before a statement changes them; in a file, that triples what a page of tasks writes.
    db.execute("PRAGMA temp_store = MEMORY")
    if syncs:
        db.execute(f"PRAGMA main.cache_size = {-SYNC_CACHE_KIB}")
    db.execute(f"PRAGMA main.wal_autocheckpoint = {CHECKPOINT_PAGES}")
    return db


def _open(folder: Path, notify: Notify | None = None) -> apsw.Connection:
    prepare(folder, notify)
    try:
        return _connect(folder)
    except DAMAGE:
        mark_damaged(folder)
        _prepare(folder, notify or (lambda _: None))
    except apsw.Error as error:
        raise unusable(error, folder) from error
    try:
        return _connect(folder)
    except apsw.Error as error:
        raise unusable(error, folder) from error


def store_paths(folder: Path) -> list[Path]:
    """Return the folder, its files, and SQLite's files beside a database that is elsewhere."""
    real = [os.path.realpath(folder / name) for name in (STORE_FILE, OUTBOX_FILE)]
    beside = [Path(path + suffix) for path in real for suffix in ("-wal", "-shm", "-journal")]
    return [folder, *folder.glob("*"), *beside]


def check_places(folder: Path) -> None:
    """Require that each path holds a file, and that no other user can change any.

    A database may be elsewhere, with a link to it.

    Raises:
        StoreUnusable: a path holds something else, or another user can change it.
    """
    databases = [folder / name for name in (STORE_FILE, OUTBOX_FILE)]
    beside = [path.with_name(path.name + suffix) for path in databases for suffix in ("-wal", "-shm", "-journal")]
    locks = [folder / name for name in (LOCK_FILE, LEADER_LOCK, WRITER_FILE)]
    try:
        for path in (*beside, *locks, *(each for each in databases if not each.is_file())):
            require_regular_file(path)
        require_own([folder])
        _tighten_locks(locks)
        require_own(store_paths(folder))
    except NotRegularFile as error:
        raise StoreUnusable(error.sentence) from error
    except OpenToOthers as error:
        raise StoreUnusable(str(error)) from error
    except OSError as error:
        raise StoreUnusable(f"can't use the store in {folder} ({error.strerror})") from error


def _tighten_locks(locks: Sequence[Path]) -> None:
    """Remove the group's access to the empty lock files, which a user's umask may have granted."""
    for path in locks:
        if path.exists() and path.stat().st_mode & 0o022:
            path.chmod(0o600)


def _are_current(folder: Path) -> bool:
    """Return whether both files exist, look whole and have this version."""
    if (folder / DAMAGE_MARK).exists():
        return False
    wanted = (
        (STORE_FILE, STORE_APPLICATION_ID, schema.STORE_VERSION),
        (OUTBOX_FILE, OUTBOX_APPLICATION_ID, schema.OUTBOX_VERSION),
    )
    for name, application, version in wanted:
        path = folder / name
        if not path.exists():
            return False
        try:
            with _opened(path, apsw.SQLITE_OPEN_READWRITE) as db:
                found = (db.pragma("application_id"), db.pragma("user_version"))
        except DAMAGE:
            return False
        except apsw.Error as error:
            raise unusable(error, folder) from error
        if found != (application, version):
            return False
    return True


def _prepare(folder: Path, notify: Notify) -> None:
    from filelock import Timeout  # only if there is a file to create

    try:
        make_private(folder)
        folder.chmod(0o700)
    except OSError as error:
        raise StoreUnusable(
            f"couldn't create the folder {folder} ({error.strerror}); set XDG_DATA_HOME to one you can write to"
        ) from error
    try:
        with _locked(folder, notify):
            before = os.umask(0o077)
            try:
                # The previous holder of the lock may have created the files already.
                if not _are_current(folder):
                    _migrate_both(folder, notify)
            finally:
                os.umask(before)
    except Timeout as error:
        raise StoreUnusable(f"another frontdesk is busy preparing {folder}; try again in a moment") from error
    except OSError as error:
        raise StoreUnusable(f"couldn't prepare the store in {folder} ({error.strerror})") from error
    except apsw.Error as error:
        raise unusable(error, folder) from error


def _migrate_both(folder: Path, notify: Notify) -> None:
    outbox, store, mark = (folder / name for name in (OUTBOX_FILE, STORE_FILE, DAMAGE_MARK))
    tables = schema.load()
    aside = _migrate(outbox, OUTBOX_APPLICATION_ID, tables.outbox, tables.salvaged)
    # A check of the pages doesn't find every damage that breaks a query, and the store costs only a fetch.
    if aside is None and mark.exists() and store.exists():
        move_aside(store)
    if _is_older(store, schema.STORE_VERSION):
        notify("upgrading the store; a large one takes a few minutes ...")
    _migrate(store, STORE_APPLICATION_ID, tables.store)
    mark.unlink(missing_ok=True)


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
        keep_plans(db)
    except apsw.Error:
        db.close()
        raise
    return db


def keep_plans(db: apsw.Connection) -> None:
    """Make SQLite plan each statement once.

    By default SQLite plans most statements again at each run, as another plan could suit the values of LIMIT or a
    partial index's condition better. That takes several times as long as running them.
    """
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)


@contextlib.contextmanager
def _locked(folder: Path, notify: Notify) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK_FILE, mode=0o600)
    try:
        lock.acquire(timeout=QUIET_SECONDS)
    except Timeout:
        notify("another frontdesk is preparing the store; waiting ...")
        lock.acquire(timeout=LOCK_SECONDS)
    try:
        yield
    finally:
        lock.release()


def _migrate(
    path: Path, application: int, migrations: tuple[Migration, ...], salvaged: Mapping[str, str] | None = None
) -> Path | None:
    """Create or migrate the file; return the path that a damaged one was moved to.

    Args:
        salvaged: tables whose rows are copied from a damaged file, into a file of its version.
    """
    aside = None
    version = _version_of(path, application)
    if version is None:
        aside, version = move_aside(path), 0
        if salvaged:
            version = written_version(aside, len(migrations))
            _run(path, application, migrations[:version], 0)
            salvage(aside, path, salvaged)
    if version > len(migrations):
        raise StoreUnusable(f"{path} was written by a newer version of frontdesk; update frontdesk")
    _run(path, application, migrations, version)
    return aside


def _run(path: Path, application: int, migrations: tuple[Migration, ...], version: int) -> None:
    with _opened(path) as db:
        db.pragma("journal_mode", "wal")
        db.execute("BEGIN IMMEDIATE")
        for migrate in migrations[version:]:
            migrate(db, path.parent)
        db.pragma("application_id", application)
        db.pragma("user_version", len(migrations))
        db.execute("COMMIT")


def _is_older(path: Path, newest: int) -> bool:
    try:
        with _opened(path, apsw.SQLITE_OPEN_READWRITE, busy_ms=0) as db:
            return 0 < int(db.pragma("user_version")) < newest
    except apsw.Error:
        return False  # the next steps check the file more closely


@contextlib.contextmanager
def _opened(
    path: Path,
    flags: int = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE,
    busy_ms: int = BUSY_MS,
) -> Iterator[apsw.Connection]:
    with contextlib.closing(apsw.Connection(str(path), flags=flags)) as db:
        db.set_busy_timeout(busy_ms)
        yield db


def _version_of(path: Path, application: int) -> int | None:
    """Return the file's version, 0 for a new one, or `None` for a damaged or foreign file."""
    if not path.exists() or path.stat().st_size == 0:
        # The database is empty but its WAL isn't: the data is in the WAL.
        log_beside = path.with_name(path.name + "-wal")
        return None if log_beside.exists() and log_beside.stat().st_size else 0
    try:
        with _opened(path) as db:
            ours = db.pragma("application_id") == application
            whole = db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            version = db.pragma("user_version")
    except DAMAGE:
        return None
    return int(version) if ours and whole else None

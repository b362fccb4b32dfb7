"""What takes the place of a file of the store, for the tests of a start and for the fault matrix."""

import os
from collections.abc import Callable
from pathlib import Path

from frontdesk.storage.database_files import LEADER_LOCK, LOCK_FILE, OUTBOX_FILE, STORE_FILE, WRITER_FILE

GARBAGE = b"\xff\x00 no database, no number \n" * 4000
DATABASES = (STORE_FILE, OUTBOX_FILE)
BESIDE = tuple(name + suffix for name in DATABASES for suffix in ("-wal", "-shm", "-journal"))
LOCKS = (LOCK_FILE, LEADER_LOCK, WRITER_FILE)
FILES = (*DATABASES, *BESIDE, *LOCKS)


def make_link(path: Path) -> None:
    other = path.with_name("other file")
    other.write_bytes(GARBAGE)
    path.symlink_to(other)


def make_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


def make_garbage(path: Path) -> None:
    path.write_bytes(GARBAGE)


NO_FILES: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "link": make_link,
    "dangling link": make_dangling_link,
}
REPLACEMENTS = NO_FILES | {"garbage": make_garbage}


def replace(path: Path, how: Callable[[Path], None]) -> str:
    """Put something else at the path; returns what is said of that which is no file."""
    path.unlink(missing_ok=True)
    how(path)
    return f"{path} isn't a regular file; move it away and try again"

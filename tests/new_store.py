"""A new profile's store without the cost of creating it: each test has a copy of one made once per process.

Creating the tables of both files and syncing them to the disk costs more than many a test. What creating itself
does is for the tests of `tests/storage`.
"""

import functools
import os
import tempfile
from pathlib import Path
from typing import Any

from frontdesk.storage.database import Job, Store
from frontdesk.storage.database_files import OUTBOX_FILE, STORE_FILE


def open_store(folder: Path, fill: Job[Any] | None = None) -> Store:
    """Open the folder's store, which is a new one if the folder has no files.

    Args:
        fill: writes what a new one holds; called once per process.
    """
    if not folder.exists() or not any(folder.iterdir()):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for name, content in _new_files(fill):
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "wb") as file:
                file.write(content)
    return Store(folder)


@functools.cache
def _new_files(fill: Job[Any] | None) -> tuple[tuple[str, bytes], ...]:
    """The files of a new store as its last connection leaves them, without a write-ahead log."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "new"
        with Store(folder) if fill is None else open_store(folder) as store:
            if fill is not None:
                store.write(fill).result()
        return tuple((file, (folder / file).read_bytes()) for file in (STORE_FILE, OUTBOX_FILE))

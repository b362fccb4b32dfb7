"""Reports writes to files of a store, as the file system does."""

import logging
from collections.abc import Callable
from pathlib import Path

from watchdog.events import (
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

log = logging.getLogger("frontdesk.storage")


class WriteNotifier(FileSystemEventHandler):
    """Calls back from a thread of its own after each write to a folder's files.

    SQLite makes a commit readable a moment after its last write: a reader that is called too early finds it soon
    after. Not every file system reports writes, so nobody may rely on the call alone.

    Args:
        folder: watched without its subfolders.
        written: called often while a file is being written; it must return at once.
    """

    def __init__(self, folder: Path, written: Callable[[], None]):
        self._folder = folder
        self._written = written
        self._observer = Observer()

    def start(self) -> bool:
        """Begin to watch; return False if the system can't, as without free inotify watches."""
        kinds: list[type[FileSystemEvent]] = [FileModifiedEvent, FileCreatedEvent, FileMovedEvent]
        try:
            self._observer.schedule(self, str(self._folder), event_filter=kinds)
            self._observer.start()
        except OSError as error:
            log.warning("can't be notified of writes, so the store is checked ten times a second: %s", error)
            return False
        return True

    def stop(self) -> None:
        """Stop; a call that is already in progress may still end later."""
        # watchdog logs an error for a write while it stops, which would appear in the terminal after quitting.
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)
        self._observer.stop()

    def on_any_event(self, event: FileSystemEvent) -> None:  # noqa: ARG002 - which file doesn't matter
        self._written()

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

_KINDS: list[type[FileSystemEvent]] = [FileModifiedEvent, FileCreatedEvent, FileMovedEvent]


class WriteNotifier(FileSystemEventHandler):
    """Calls back from a thread of its own after the next write to a folder's files.

    SQLite makes a commit readable a moment after its last write: a reader that is called too early finds it soon
    after. Not every file system reports writes, so nobody may rely on the call alone.

    Args:
        folder: watched without its subfolders.
        written: called at least once for writes; it must return at once.
    """

    def __init__(self, folder: Path, written: Callable[[], None]):
        self._folder = folder
        self._written = written
        self._observer = Observer()
        # watchdog logs an error for a write while it stops, which would appear in the terminal.
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)

    def start(self) -> bool:
        """Begin to watch; return False if the system can't, as without free inotify watches."""
        try:
            self._watch()
            self._observer.start()
        except OSError as error:
            log.warning("can't be notified of writes, so the store is checked ten times a second: %s", error)
            return False
        return True

    def pause(self) -> None:
        """Watch no more until `resume`: watchdog takes 4 % of a core for the events of a store that is filled."""
        self._observer.unschedule_all()

    def resume(self) -> bool:
        """Watch again; writes since `pause` aren't reported. Return False if the system can't any more."""
        try:
            self._watch()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """Stop; a call that is already in progress may still end later."""
        self._observer.stop()

    def on_any_event(self, event: FileSystemEvent) -> None:  # noqa: ARG002 - which file doesn't matter
        self._written()

    def _watch(self) -> None:
        self._observer.schedule(self, str(self._folder), event_filter=_KINDS)

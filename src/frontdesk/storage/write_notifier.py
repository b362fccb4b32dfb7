"""Reports writes to files of a store, as the file system does.

On Linux by inotify itself: watchdog passes each event, hundreds a second while the engine writes, through three
threads, which took 4 % of a core in every process. The kernel keeps one event for many writes in a row to a file.
"""

import ctypes
import logging
import os
import select
import socket
import sys
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path

log = logging.getLogger("frontdesk.storage")

# linux/inotify.h
_IN_MODIFY, _IN_MOVED_TO, _IN_CREATE = 0x2, 0x80, 0x100


class WriteNotifier(ABC):
    """Waits for writes to a folder's files, not to those of its subfolders.

    SQLite makes a commit readable a moment after its last write: a reader that is woken too early finds it soon
    after. Not every file system reports writes, so nobody may rely on it alone.
    """

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Return whether anything was written since the last call, as soon as it was or the time is over."""

    @abstractmethod
    def wake(self) -> None:
        """End a wait from another thread."""

    @abstractmethod
    def close(self) -> None:
        """Stop watching; called by the thread that waits."""


class InotifyNotifier(WriteNotifier):
    """Waits for inotify's events, and reads all at once.

    Raises:
        OSError: the system has no watch left.
    """

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._events = _checked(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._woken, self._waker = socket.socketpair()
        try:
            mask = _IN_MODIFY | _IN_MOVED_TO | _IN_CREATE
            _checked(libc.inotify_add_watch(self._events, os.fsencode(folder), mask))
        except OSError:
            self.close()
            raise
        self._poll = select.poll()
        self._poll.register(self._events, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def wait(self, seconds: float) -> bool:
        if not self._poll.poll(seconds * 1000):
            return False
        with suppress(BlockingIOError):
            while os.read(self._events, 1 << 16):
                pass
        return True

    def wake(self) -> None:
        with suppress(OSError):  # closed by the other thread
            self._waker.send(b"\0")

    def close(self) -> None:
        os.close(self._events)
        self._woken.close()
        self._waker.close()


class ObserverNotifier(WriteNotifier):
    """Waits for the events of watchdog, which knows other systems.

    Raises:
        OSError: the system can't watch.
    """

    def __init__(self, folder: Path) -> None:
        from watchdog.events import FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileSystemEventHandler
        from watchdog.observers import Observer

        self._written = threading.Event()
        handler = FileSystemEventHandler()
        handler.on_any_event = lambda event: self._written.set()  # type: ignore[method-assign]  # noqa: ARG005
        self._observer = Observer()
        kinds = [FileModifiedEvent, FileCreatedEvent, FileMovedEvent]
        self._observer.schedule(handler, str(folder), event_filter=kinds)
        self._observer.start()

    def wait(self, seconds: float) -> bool:
        was_written = self._written.wait(seconds)
        self._written.clear()
        return was_written

    def wake(self) -> None:
        self._written.set()

    def close(self) -> None:
        # watchdog logs an error for a write while it stops, which would appear in the terminal after quitting.
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)
        self._observer.stop()


def watch_writes(folder: Path) -> WriteNotifier | None:
    """Begin to watch; return None if the system can't, as without free inotify watches."""
    try:
        return InotifyNotifier(folder) if sys.platform == "linux" else ObserverNotifier(folder)
    except OSError as error:
        log.warning("can't be notified of writes, so the store is checked ten times a second: %s", error)
        return None


def _checked(result: int) -> int:
    """Return what a function of libc has returned.

    Raises:
        OSError: it has failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

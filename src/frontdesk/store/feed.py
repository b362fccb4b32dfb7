"""The change feed: what differs in the store, in order, for every process that shows it.

Writers append in the transaction that made the difference; `FeedWatcher` tells a process when
there is something to read, without asking the network or waking its screen for nothing.
"""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import apsw

from frontdesk.store.files import open_reader
from frontdesk.store.query import first, rows
from frontdesk.store.records import Event

TASK = "task"
CONVERSATION = "conversation"
THREAD = "thread"
CAMPAIGN = "campaign"
DOCUMENT = "document"
CHANGE = "change"
HEALTH = "health"
ASK = "ask"
LOOKING = "looking"
EVERYTHING = Event("everything", "")
"""Read it all again: more has passed than the feed keeps."""

KEEP = 5_000
LOOK_SECONDS = 0.1


def append(db: apsw.Connection, kind: str, ids: Iterable[str]) -> None:
    """Say that these differ now; part of the caller's transaction."""
    db.executemany("INSERT INTO feed (kind, id) VALUES (?, ?)", ((kind, each) for each in ids))
    last = db.last_insert_rowid()
    if last % 500 == 0:
        db.execute("DELETE FROM feed WHERE seq <= ?", (last - KEEP,))


def position(db: apsw.Connection) -> int:
    """The number of the newest event."""
    row = first(db, "SELECT seq FROM feed ORDER BY seq DESC LIMIT 1")
    return int(row[0]) if row else 0


def since(db: apsw.Connection, seq: int) -> tuple[int, frozenset[Event]]:
    """The events after `seq`, each once, and the new position."""
    found = rows(db, "SELECT seq, kind, id FROM feed WHERE seq > ? ORDER BY seq", (seq,))
    if not found:
        return seq, frozenset()
    if found[0][0] > seq + 1 and seq:
        return int(found[-1][0]), frozenset({EVERYTHING})
    return int(found[-1][0]), frozenset(Event(kind, each) for _, kind, each in found)


class FeedWatcher:
    """Calls back from a thread of its own whenever another connection changed the store."""

    def __init__(self, folder: Path, changed: Callable[[frozenset[Event]], None], seconds: float = LOOK_SECONDS):
        self._folder = folder
        self._changed = changed
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="frontdesk-feed", daemon=True)

    def start(self) -> None:
        """Begin to watch from here on."""
        self._thread.start()

    def stop(self) -> None:
        """End it; no call comes after this has returned."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def _watch(self) -> None:
        db = open_reader(self._folder)
        try:
            seq = position(db)
            version = None
            while not self._stop.wait(self._seconds):
                now = db.pragma("data_version")
                if now == version:
                    continue
                version = now
                seq, events = since(db, seq)
                if events:
                    self._changed(events)
        finally:
            db.close()

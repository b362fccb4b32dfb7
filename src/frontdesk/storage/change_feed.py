"""The change feed: changes of the store, in order, for every process that shows it.

Writers append in the transaction of the change; `FeedWatcher` notifies a process when there are new ones.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw

from frontdesk.storage.database_files import file_numbers, open_reader
from frontdesk.storage.records import Event
from frontdesk.storage.sql import first, rows

TASK = "task"
CONVERSATION = "conversation"
THREAD = "thread"
CAMPAIGN = "campaign"
DOCUMENT = "document"
"""A list changed; its kind is the id."""
WORKFLOW = "workflow"
"""A whole workflow changed, or the data of its row."""
CHANGE = "change"
HEALTH = "health"
REQUEST = "ask"
FOCUS = "looking"
BROKEN = "broken"
FILTER = "filter"
NOTES = "notes"
"""The notes about a conversation changed, or this person's note drafts or read marks."""
VIEWS = "views"
"""The views that the team shares changed."""
SNOOZE = "snooze"
"""A conversation or task was snoozed or woke."""
COVERAGE = "coverage"
"""All tasks were listed for the first time."""
OWN_VIEWS = Event(VIEWS, "config")
"""The views in the config changed; other events of this kind are about the team's."""

EVERYTHING = Event("everything", "")
"""A request to load everything again, since more has changed than the feed keeps."""

REPLACED = Event("replaced", "")
"""The store's files were replaced; this process still has the old ones open."""

MAX_EVENTS = 5_000
TRIM_EVERY = 500
POLL_SECONDS = 0.1
"""Seconds between polls of a store that is being written, or whose writes the file system doesn't report."""

AFTER_WRITE_SECONDS = 0.5
"""Seconds after a write in which the store is polled often."""

UNREPORTED_SECONDS = 2.0
"""Seconds between polls otherwise: no file system is trusted to report every write."""

NOTIFY_AFTER_SECONDS = 2.0
"""Seconds before file notifications begin: the program starts before it loads the library for them."""

POLLS_PER_FILE_CHECK = 5
"""Number of polls between checks for replaced files, which cost more."""
RETRY_SECONDS = 1.0
"""Seconds before a watcher opens the store again after a fault."""

if TYPE_CHECKING:
    from frontdesk.storage.write_notifier import WriteNotifier

_OUTBOX_KINDS = (CHANGE, CAMPAIGN, NOTES, VIEWS, SNOOZE)
"""Kinds partly kept in the outbox, which is committed a moment after the feed."""

log = logging.getLogger("frontdesk.storage")


def append(db: apsw.Connection, kind: str, ids: Iterable[str]) -> None:
    """Append events in the caller's transaction."""
    rows_to_add = [(kind, each) for each in ids]
    if not rows_to_add:
        return  # the last rowid would be of another table
    db.executemany("INSERT INTO feed (kind, id) VALUES (?, ?)", rows_to_add)
    last = db.last_insert_rowid()
    if last // TRIM_EVERY != (last - len(rows_to_add)) // TRIM_EVERY:
        db.execute("DELETE FROM feed WHERE seq <= ?", (last - MAX_EVENTS,))


def position(db: apsw.Connection) -> int:
    row = first(db, "SELECT seq FROM feed ORDER BY seq DESC LIMIT 1")
    return int(row[0]) if row else 0


def since(db: apsw.Connection, seq: int) -> tuple[int, frozenset[Event]]:
    """Return the events after `seq`, each once, and the new position."""
    found = rows(db, "SELECT seq, kind, id FROM feed WHERE seq > ? ORDER BY seq", (seq,))
    if not found:
        return seq, frozenset()
    if found[0][0] > seq + 1 and seq:
        return int(found[-1][0]), frozenset({EVERYTHING})
    return int(found[-1][0]), frozenset(Event(kind, each) for _, kind, each in found)


class Versions(NamedTuple):
    """The data versions of both files, which move with other connections' commits."""

    store: int
    outbox: int


def versions(db: apsw.Connection) -> Versions:
    """Return the data versions of both files.

    A transaction over both is committed in the store (with the feed) first: its change is readable a moment later,
    when the outbox moves.
    """
    return Versions(int(db.pragma("data_version")), int(db.pragma("data_version", schema="outbox")))


class FeedWatcher:
    """Calls back from its own thread whenever another connection changed the store."""

    def __init__(self, folder: Path, changed: Callable[[frozenset[Event]], None], seconds: float = POLL_SECONDS):
        self._folder = folder
        self._changed = changed
        self._seconds = seconds
        self._stop = threading.Event()
        self._written = threading.Event()
        self._notify_at = float("inf")
        self._notifier: WriteNotifier | None = None
        self._is_paused = False
        self._busy_until = 0.0
        self._db: apsw.Connection | None = None
        self._files: tuple[int, ...] = ()
        self._seq = 0
        self._reported_early: frozenset[Event] = frozenset()
        self._thread = threading.Thread(target=self._watch, name="frontdesk-feed", daemon=True)

    def start(self) -> None:
        """Begin to watch; call this before the first query, so that no change is missed.

        Raises:
            StoreUnusable: the store can't be opened.
        """
        self._open()
        self._files = file_numbers(self._folder)
        self._thread.start()

    def stop(self) -> None:
        """Stop; no call follows the return."""
        self._stop.set()
        self._written.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def _watch(self) -> None:
        version: Versions | None = None
        polls = 0
        self._notify_at = time.monotonic() + NOTIFY_AFTER_SECONDS
        while not self._wait():
            polls += 1
            try:
                if self._db is None:
                    version = None
                    self._open()
                    self._changed(frozenset({EVERYTHING}))
                before, version = version, self._report_changes(version)
                if version != before:
                    self._note_write()
                if polls % POLLS_PER_FILE_CHECK == 0 and file_numbers(self._folder) != self._files:
                    self._changed(frozenset({REPLACED}))
                    break
            except Exception:  # if the watcher ended, the screen would silently stop updating
                log.exception("couldn't read or process the change feed; reopening it")
                self._close()
                self._stop.wait(RETRY_SECONDS)
        self._close()
        if self._notifier is not None:
            self._notifier.stop()

    def _wait(self) -> bool:
        """Wait for the next poll; return whether to stop."""
        now = time.monotonic()
        if self._notifier is None and now >= self._notify_at:
            self._notify_at = float("inf")
            self._start_notifier()
        if self._notifier is None or now < self._busy_until:
            self._stop.wait(self._seconds)
        elif self._is_paused:
            self._resume(self._notifier)  # polls at once: what was written before isn't reported
        else:
            self._written.wait(UNREPORTED_SECONDS)
        if self._written.is_set():
            self._note_write()
        return self._stop.is_set()

    def _note_write(self) -> None:
        """Poll often for a moment; reports of more writes would only take time."""
        self._busy_until = time.monotonic() + AFTER_WRITE_SECONDS
        if self._notifier is not None and not self._is_paused:
            self._notifier.pause()
            self._is_paused = True
        self._written.clear()

    def _resume(self, notifier: "WriteNotifier") -> None:
        self._is_paused = False
        if not notifier.resume():
            notifier.stop()
            self._notifier = None

    def _start_notifier(self) -> None:
        try:
            from frontdesk.storage.write_notifier import WriteNotifier
        except ImportError:
            return  # the program was updated while it ran: polling often is enough until it restarts

        notifier = WriteNotifier(self._folder, self._written.set)
        if notifier.start():
            self._notifier = notifier
            # The watcher doesn't report the last moments' writes.
            self._busy_until = time.monotonic() + AFTER_WRITE_SECONDS

    def _report_changes(self, version: Versions | None) -> Versions | None:
        """Report new changes; return the current versions.

        When the outbox moves, earlier changes are reported once more: they may not have been readable before.
        """
        db = self._db
        now = None if db is None else versions(db)
        if db is not None and now is not None and now != version:
            self._seq, events = since(db, self._seq)
            changes = frozenset(event for event in events if event.kind in _OUTBOX_KINDS)
            if version is not None and now.outbox != version.outbox:
                events, self._reported_early = events | self._reported_early, changes
            else:
                self._reported_early |= changes
            if events:
                self._changed(events)
        return now

    def _open(self) -> None:
        db = open_reader(self._folder)
        try:
            self._seq = position(db)
        except apsw.Error:
            db.close()
            raise
        self._db = db

    def _close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.close()

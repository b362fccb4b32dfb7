"""One desk's store in memory, as its processes and a person's screen see it."""

import asyncio
import contextvars
import functools
import random
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed, full_text, record_lookup
from frontdesk.storage.database import Job, Store
from frontdesk.storage.database_files import StoreUnusable, keep_plans, open_writer
from frontdesk.storage.records import Change, Event, TaskRecord
from frontdesk_api.contract.ids import TaskId
from lab.simulation.virtual_loop import Process

T = TypeVar("T")

SLOW_SHARE, MAX_SLOW_SECONDS = 0.1, 0.5
"""How many writes a process learns of late, and by how much."""

STATEMENTS_KEPT = 1_000
"""Compiled statements: more than the program has, so that none is compiled twice."""


class Disk:
    """A machine's disk with its store, which is a new one.

    It is in memory, and its processes share one connection: none of them ever runs in the middle of another one's
    transaction. What a full disk or a kill keeps from being written is decided in `DeskStore`.

    Args:
        folder: where the store seems to be; nothing is written there.

    Attributes:
        is_full: whether nothing can be written.
        room_at: when it had room again, in the loop's seconds.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = apsw.Connection(":memory:", statementcachesize=STATEMENTS_KEPT)
        self.db.execute("ATTACH ':memory:' AS outbox")
        for name, content in _new_files().items():
            self.db.deserialize(name, content)
        full_text.add_functions(self.db)
        keep_plans(self.db)
        self.is_full, self.room_at = False, float("-inf")
        self.watchers: list[Watcher] = []

    def tell_watchers(self) -> None:
        for watcher in [*self.watchers]:
            watcher.look()

    def close(self) -> None:
        self.db.close()


@functools.cache
def _new_files() -> dict[str, bytes]:
    """The files of a new store by the names that they have in a connection."""
    with TemporaryDirectory() as name, closing(open_writer(Path(name) / "new")) as db:
        found = {}
        for each in ("main", "outbox"):
            db.execute(f"PRAGMA {each}.journal_mode = DELETE")  # memory holds no write-ahead log
            found[each] = db.serialize(each)
        return found


class DeskStore(Store):
    """A process' view of its machine's store: it writes at once, if the process lives and the disk has room.

    Args:
        chance: draws which writes are slow.
    """

    def __init__(self, disk: Disk, process: Process, chance: random.Random) -> None:
        self.folder, self.reading = disk.folder, disk.db
        self.guard = None
        self._disk, self._process, self._chance = disk, process, chance

    @property
    def is_replaced(self) -> bool:
        return False

    def write(self, job: Job[T], prepare: Any = None) -> "Future[T]":
        future: Future[T] = Future()
        try:
            future.set_result(self._write(job))
        except BaseException as error:
            future.set_exception(error)
        else:
            self._disk.tell_watchers()
        return future

    async def run(self, job: Job[T]) -> T:
        """Write, and now and then learn of it late, so that a kill or another process comes between two writes."""
        result = self.write(job).result()
        if self._chance.random() < SLOW_SHARE:
            await asyncio.sleep(self._chance.uniform(0, MAX_SLOW_SECONDS))
        return result

    async def read(self, job: Job[T]) -> T:
        return job(self.reading)

    def read_in_background(self, job: Job[T]) -> "Future[T]":
        future: Future[T] = Future()
        future.set_result(job(self.reading))
        return future

    def close(self) -> None:
        """Leave the machine's connection open."""

    def _write(self, job: Job[T]) -> T:
        if self._process.is_dead:
            raise StoreUnusable("the process was killed")
        if self._disk.is_full:
            raise StoreUnusable("the disk is full")
        writer = self._disk.db
        writer.execute("BEGIN IMMEDIATE")
        try:
            if self.guard is not None:
                self.guard.check(writer)
            result = job(writer)
            writer.execute("COMMIT")
        except BaseException:
            writer.execute("ROLLBACK")
            raise
        if self.guard is not None:
            self.guard.committed()
        return result


class Watcher:
    """Tells a process of what was written into its store, as `change_feed.FeedWatcher` does."""

    def __init__(self, disk: Disk, changed: Callable[[frozenset[Event]], None]) -> None:
        self._disk, self._changed = disk, changed
        self._position = change_feed.position(disk.db)
        self._context = contextvars.copy_context()

    def start(self) -> None:
        self._disk.watchers.append(self)

    def stop(self) -> None:
        self._disk.watchers.remove(self)

    def look(self) -> None:
        self._position, events = change_feed.since(self._disk.db, self._position)
        if events:
            self._context.copy().run(self._changed, events)


@dataclass
class Screen:
    """What a person's screen shows: it reads again what the change feed names, and nothing else.

    Attributes:
        changed: called with a change as the screen had it, None for a new one, and as it is now.
    """

    reading: apsw.Connection
    changed: Callable[[Change | None, Change], None]
    tasks: dict[TaskId, TaskRecord | None] = field(default_factory=dict)
    changes: dict[int, Change] = field(default_factory=dict)

    def show(self, events: frozenset[Event]) -> None:
        for event in sorted(events, key=lambda each: (each.kind, each.id)):
            if event.kind == change_feed.TASK:
                self.tasks[TaskId(event.id)] = record_lookup.task(self.reading, TaskId(event.id))
            elif event.kind == change_feed.CHANGE and event.id:
                found = queue.change(self.reading, int(event.id))
                if found is not None:
                    before = self.changes.get(found.change_id)
                    self.changes[found.change_id] = found
                    if before != found:
                        self.changed(before, found)

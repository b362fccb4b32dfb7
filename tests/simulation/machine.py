"""One desk's machine: its store's files, the processes over them, its clock and its disk."""

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import apsw

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.retries import ONCE
from frontdesk.app.engine import Engine
from frontdesk.app.run_demo import demo_profile
from frontdesk.config.credentials import CredentialSet, Secret
from frontdesk.sandbox import fixtures
from frontdesk.storage import change_feed
from frontdesk.storage.database import Job, Store
from frontdesk.storage.database_files import StoreUnusable, open_reader, open_writer
from frontdesk.storage.records import Event
from frontdesk.sync.budget import Budget
from new_store import open_store
from services import Services
from simulation.network import Network
from sync.running_engine import HOSTS, URL

T = TypeVar("T")

PER_SECOND, PER_MINUTE = 2.0, 120
BEGAN = 1_790_000_000.0
"""The wall clock at the start, Unix seconds."""


class Process:
    """What can be killed or stopped: what it writes and sends from then on is nothing, or later."""

    def __init__(self) -> None:
        self.is_dead = False
        self._goes_on: asyncio.Event | None = None
        self._held: list[Callable[[], None]] = []

    def stop(self) -> None:
        self._goes_on = self._goes_on or asyncio.Event()

    def go_on(self) -> None:
        held, self._held = self._held, []
        if self._goes_on is not None:
            self._goes_on.set()
            self._goes_on = None
        for work in held:
            work()

    def do(self, work: Callable[[], None]) -> None:
        """Do this now, or once the process goes on."""
        if self._goes_on is None:
            work()
        else:
            self._held.append(work)

    async def wait(self) -> None:
        while self._goes_on is not None:
            await self._goes_on.wait()


class DeskStore(Store):
    """A store that writes at once instead of on a thread, if its process lives and the disk has room."""

    machine: "Machine"
    process: Process
    _writer: apsw.Connection | None = None

    def write(self, job: Job[T], prepare: Any = None) -> "Future[T]":
        future: Future[T] = Future()

        def work() -> None:
            try:
                future.set_result(self._write(job))
            except BaseException as error:
                future.set_exception(error)
            else:
                self.machine.tell_watchers()

        self.process.do(work)
        return future

    def close(self) -> None:
        super().close()
        if self._writer is not None:
            self._writer.close()

    def _write(self, job: Job[T]) -> T:
        if self.process.is_dead:
            raise StoreUnusable("the process was killed")
        if self.machine.is_disk_full:
            raise StoreUnusable("the disk is full")
        if self._writer is None:
            self._writer = open_writer(self.folder)
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            result = job(self._writer)
            self._writer.execute("COMMIT")
        except BaseException:
            self._writer.execute("ROLLBACK")
            raise
        return result


class Watcher:
    """Tells of what other connections wrote into the store, as `change_feed.FeedWatcher` does."""

    def __init__(self, machine: "Machine", changed: Callable[[frozenset[Event]], None]) -> None:
        self._machine, self._changed = machine, changed
        self._db = open_reader(machine.folder)
        self._position = change_feed.position(self._db)

    def start(self) -> None:
        self._machine.watchers.append(self)

    def stop(self) -> None:
        self._machine.watchers.remove(self)
        self._db.close()

    def look(self) -> None:
        self._position, events = change_feed.since(self._db, self._position)
        if events:
            self._changed(events)


class Machine:
    """A desk: a person's process and an engine's over one store.

    Attributes:
        wall_offset: what the wall clock is wrong by, in seconds.
    """

    def __init__(self, name: str, folder: Path, network: Network, chance: random.Random) -> None:
        self.name, self.folder, self.network = name, folder, network
        self._chance = chance
        self.wall_offset = 0.0
        self.is_disk_full = False
        self.watchers: list[Watcher] = []
        self.engine: Engine | None = None
        self._engine_process = Process()
        self._running: asyncio.Task[None] | None = None
        self.person_store = self._open(Process())
        self.person = Services(
            self.person_store, replace(demo_profile(URL), watched_campaigns=()), clock=self.wall
        )

    def wall(self) -> float:
        return BEGAN + asyncio.get_running_loop().time() + self.wall_offset

    def steady(self) -> float:
        return asyncio.get_running_loop().time()

    def tell_watchers(self) -> None:
        for watcher in self.watchers:
            watcher.look()

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def start_engine(self) -> None:
        assert self._running is None
        self._engine_process = Process()
        self._running = asyncio.create_task(self._run_engine(self._engine_process))

    async def kill_engine(self) -> None:
        """End the engine where it stands; nothing that it would still do is done."""
        running, self._running = self._running, None
        if running is None:
            return
        self._engine_process.is_dead = True
        self._engine_process.go_on()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    def stop_engine(self) -> None:
        self._engine_process.stop()

    def continue_engine(self) -> None:
        self._engine_process.go_on()

    async def close(self) -> None:
        await self.kill_engine()
        self.person_store.close()

    def _open(self, process: Process) -> DeskStore:
        open_store(self.folder).close()
        store = DeskStore(self.folder)
        store.machine, store.process = self, process
        return store

    async def _run_engine(self, process: Process) -> None:
        store = self._open(process)
        budget = Budget(PER_SECOND, PER_MINUTE, self.steady)

        async def gate(_: object) -> None:
            await process.wait()
            await budget.take()
            await process.wait()

        credentials = CredentialSet(Secret(fixtures.COOKIE), Secret(fixtures.API_KEY), None)
        client = PlatformClient(
            HOSTS, credentials, gate=gate, transport=self.network, retry=ONCE, close_grace_seconds=0
        )
        try:
            async with client:
                self.engine = Engine(
                    client, store, budget, clock=self.wall, steady=self.steady, chance=self._chance.random
                )
                await self.engine.run()
        finally:
            store.close()

"""One desk's machine: its store's files, a person's screen and the engines over them, its clock and its disk."""

import asyncio
import bisect
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.engine import Engine
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.lease import Lease, acquire_lease, try_acquire
from frontdesk.storage.records import Change
from frontdesk.sync.budget import Budget
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox import fixtures
from lab.simulation.desk_store import DeskStore, Disk, Screen, Watcher
from lab.simulation.file_locks import FileLocks
from lab.simulation.network import Link, Network, Platform
from lab.simulation.virtual_loop import PROCESS, Process
from services import Services
from sync.running_engine import HOSTS, URL

PER_SECOND = 2.0
BEGAN = 1_790_000_000.0
"""The wall clock at the start, Unix seconds."""

REOPEN_SECONDS = 1.0


@dataclass
class EngineRun:
    """An engine from its start to its end.

    Attributes:
        network: its requests.
        held_at: when it got the lease; None while it waits.
        token: its lease's token.
        is_irregular: it stood still or its clock was set, so that times between its requests mean nothing.
    """

    process: Process
    network: Network
    task: asyncio.Task[None] | None = None
    held_at: float | None = None
    token: int = 0
    is_serving: bool = False
    is_irregular: bool = False

    @property
    def is_running(self) -> bool:
        return self.task is not None


class Machine:
    """A desk: a person's process, and one or more engines of which one polls and sends.

    Args:
        requests_per_minute: the budget of its engines.

    Attributes:
        wall_offset: what the wall clock is wrong by, in seconds; `jumped_at` is when it was set last.
        engines: those that run; `past` holds the others.
        holders: those that got the lease, in the order of its tokens.
    """

    def __init__(
        self,
        name: str,
        platform: Platform,
        locks: FileLocks,
        *,
        engines: int,
        requests_per_minute: int,
        changed: Callable[["Machine", Change | None, Change], None],
        got_lease: Callable[["Machine", EngineRun], None],
    ) -> None:
        self.name, self.folder, self.platform = name, Path("/simulated") / name, platform
        self._locks = locks
        self.link = Link()
        self.requests_per_minute = requests_per_minute
        self._chance: random.Random = platform.chance
        self._got_lease = got_lease
        self.wall_offset, self.jumped_at = 0.0, float("-inf")
        self.holders: list[EngineRun] = []
        self.past: list[EngineRun] = []
        self.disk = Disk(self.folder)
        self.reading = self.disk.db
        profile = replace(demo_profile(URL), watched_campaigns=())
        self.person = Services(DeskStore(self.disk, Process(), self._chance), profile, clock=self.wall)
        self.screen = Screen(self.reading, lambda before, after: changed(self, before, after))
        Watcher(self.disk, self.screen.show).start()
        self.engines = [self._new_run() for _ in range(engines)]

    @property
    def all_runs(self) -> Sequence[EngineRun]:
        return (*self.engines, *self.past)

    def wall(self) -> float:
        return BEGAN + self.steady() + self.wall_offset

    def steady(self) -> float:
        return asyncio.get_running_loop().time()

    def set_clock(self, offset: float) -> None:
        if offset != self.wall_offset:
            self.wall_offset, self.jumped_at = offset, self.steady()
            for run in self.engines:
                run.is_irregular = True

    def fill_disk(self, *, is_full: bool) -> None:
        if self.disk.is_full and not is_full:
            self.disk.room_at = self.steady()
        self.disk.is_full = is_full

    def start(self, run: EngineRun) -> None:
        """Start an engine anew in the place of one that has ended."""
        if run.is_running:
            return
        place = self.engines.index(run)
        if run.process.is_dead:
            self.past.append(run)
            run = self.engines[place] = self._new_run()
        run.task = run.process.start(self._run_engine(run))

    async def kill(self, run: EngineRun) -> None:
        """End an engine where it stands; nothing that it would still do is done, but what has left arrives."""
        task, run.task = run.task, None
        if task is None:
            return
        run.process.is_dead = True
        run.is_serving = False
        run.process.go_on()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    def stop(self, run: EngineRun) -> None:
        run.is_irregular = True
        run.process.stop()

    async def close(self) -> None:
        for run in self.engines:
            await self.kill(run)
        self.disk.close()

    def run_of(self, process: Process) -> EngineRun:
        return next(each for each in self.all_runs if each.process is process)

    def claimed(self, target: str) -> frozenset[int]:
        """The ids of the changes of a target that are being sent."""
        live = queue.live_for(self.reading, target)
        return frozenset(each.change_id for each in live if each.state == "sending")

    def _new_run(self) -> EngineRun:
        process = Process()
        return EngineRun(process, Network(self.name, process, self.link, self.platform, self.claimed))

    async def _run_engine(self, run: EngineRun) -> None:
        """Wait for the lease and serve, again and again, as `engine_main.run_engine` does."""
        while True:
            store = DeskStore(self.disk, run.process, self._chance)
            with suppress(StoreUnusable):
                await self._serve(run, store)
            await asyncio.sleep(REOPEN_SECONDS)

    async def _serve(self, run: EngineRun, store: DeskStore) -> None:
        lease = await acquire_lease(store, asyncio.Event())
        assert lease is not None
        try:
            run.held_at, run.is_serving, run.token = self.steady(), True, lease.token
            # One that stood still before it learned that it has the lease may have lost it by then.
            bisect.insort(self.holders, run, key=lambda each: each.token)
            if self.holders[-1] is run:
                self._got_lease(self, run)
            await self._lead(run, store)
        finally:
            run.is_serving = False
            with suppress(StoreUnusable):
                store.write(lease.give_up).result()
            lease.unlock_file()

    async def _lead(self, run: EngineRun, store: DeskStore) -> None:
        budget = Budget(PER_SECOND, self.requests_per_minute, self.steady)
        credentials = CredentialSet(Secret(fixtures.COOKIE), Secret(fixtures.API_KEY), None)
        client = PlatformClient(
            HOSTS,
            credentials,
            gate=lambda _: budget.take(),
            transport=run.network,
            retry=ONCE,
            close_grace_seconds=0,
            may_send=store.may_send,
        )
        async with client:
            engine = Engine(client, store, budget, clock=self.wall, steady=self.steady, chance=self._chance.random)
            await engine.run()


async def try_simulated_lease(store: Store) -> Lease | None:
    """Take the lease by the loop's clock, which all processes of a machine share."""
    return await try_acquire(store, asyncio.get_running_loop().time)


def watch(machines: dict[Path, Machine], folder: Path, changed: Any) -> Watcher:
    """Make the watcher of an engine."""
    assert PROCESS.get() is not None
    return Watcher(machines[folder].disk, changed)

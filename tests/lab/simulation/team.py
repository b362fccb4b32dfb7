"""Desks, people, colleagues, customers and a platform under one seed.

`simulate(seed)` runs one of them on a loop of virtual time; a violation names the seed, which replays it exactly.
"""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from frontdesk.outbox import queue
from frontdesk.storage.records import UNCONFIRMED, Change
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import TaskId
from frontdesk_sandbox.world import World
from lab.simulation.colleague import Colleague
from lab.simulation.file_locks import FileLocks
from lab.simulation.happenings import Happenings
from lab.simulation.invariants import Invariant
from lab.simulation.judge import Judge
from lab.simulation.machine import Machine
from lab.simulation.network import Platform, Sent

ENGINES = {1: 45, 2: 33, 3: 12, 4: 6, 5: 4}
"""How many engines there are, with the weights of each number."""

BUSY_SECONDS = (5.0, 8.0, 8.0, 16.0)
"""How long people work and faults happen."""

REST_SECONDS = 400.0
"""How long everything may take to settle after it."""

STEP_SECONDS = 1.0
SWALLOWED_SHARE, SWALLOWED_SECONDS = 0.04, 80.0
"""How many seeds have a time in which no change arrives or is answered, and how long: more than two tries take."""

MEANWHILE_SHARE = 0.25
"""How many requests about a task something happens beside, just then."""


class Violation(AssertionError):
    """Something that must never be; it begins with the seed and names the invariant."""

    def __init__(self, seed: int, at: float, invariant: Invariant, words: str) -> None:
        super().__init__(f"seed {seed} at {at:.2f} s: {invariant}: {words}")
        self.invariant = invariant


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a seed without a violation did.

    Attributes:
        trace: all that the platform carried out, and when requests began, as JSON; equal for the same seed.
        desk_seconds: simulated time, counted for each desk.
    """

    trace: str
    desk_seconds: float
    requests: int
    changes: int


class Team:
    """One seed's world."""

    def __init__(self, seed: int, world: World, locks: FileLocks) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.world = world
        self.platform = Platform(world, self, self.chance)
        self.judge = Judge(world, self.platform.arrivals)
        self.under_way: set[asyncio.Task[None]] = set()
        self.is_over = False
        self.colleague = Colleague(world)
        found = world.storage.rows("SELECT task_id FROM tasks ORDER BY task_id")
        self.task_ids = [TaskId(row[0]) for row in found]
        minute = self.chance.choice((25, 120))
        self.machines = [
            Machine(
                f"desk{number}",
                self.platform,
                locks,
                engines=engines,
                requests_per_minute=minute,
                changed=self.judge.changed,
                got_lease=self.judge.got_lease,
            )
            for number, engines in enumerate(self._engines_by_desk())
        ]
        self.judge.machines = {each.name: each for each in self.machines}
        self.happenings = Happenings(self)

    def _engines_by_desk(self) -> list[int]:
        """Draw how many engines each desk has."""
        (left,) = self.chance.choices([*ENGINES], [*ENGINES.values()])
        found = []
        while left:
            found.append(min(left, self.chance.choice((1, 1, 2, 3))))
            left -= found[-1]
        return found

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def fail(self, invariant: Invariant, words: str) -> NoReturn:
        raise Violation(self.seed, self.now(), invariant, words)

    def check(self) -> None:
        """Raise the first breach of an invariant, if there was one."""
        for machine in self.machines:
            self.judge.look(machine)
        if self.judge.breaches:
            self.fail(*self.judge.breaches[0])

    async def run(self) -> Outcome:
        """Work and suffer, then rest."""
        for machine in self.machines:
            for engine in machine.engines:
                machine.start(engine)
        looking = asyncio.create_task(self.happenings.look_at_screens())
        try:
            await self.until(Invariant.PROGRESS, self.all_tasks_known, lambda: "the tasks aren't known")
            busy_until = self.now() + self.chance.choice(BUSY_SECONDS)
            while self.now() < busy_until:
                await self.happenings.next()
                await asyncio.sleep(self.chance.uniform(0.05, STEP_SECONDS))
                self.check()
            if random.Random(f"swallowed {self.seed}").random() < SWALLOWED_SHARE:
                await self._swallow_changes()
            await self.rest()
            return self._outcome()
        finally:
            looking.cancel()
            for machine in self.machines:
                await machine.close()

    async def _swallow_changes(self) -> None:
        """Have people edit while nothing that they change arrives."""
        for machine in self.machines:
            machine.link.faults, machine.link.is_up, machine.link.swallows_changes = 0.0, True, True
            self.happenings.edit(machine)
            self.happenings.tag(machine)
        await asyncio.sleep(SWALLOWED_SECONDS)
        self.check()

    def _outcome(self) -> Outcome:
        carried_out = [
            (round(each.at, 6), each.sent.desk, each.sent.path, each.sent.body) for each in self.platform.arrivals
        ]
        begun = [[run.network.begun_at for run in each.all_runs] for each in self.machines]
        return Outcome(
            json.dumps([carried_out, begun]),
            self.now() * len(self.machines),
            sum(len(times) for each in begun for times in each),
            sum(len(each.screen.changes) for each in self.machines),
        )

    # The wire

    def begins(self, sent: Sent) -> None:
        self.judge.begins(sent)
        if self.is_over or not sent.path.startswith("/tasks/") or self.chance.random() > MEANWHILE_SHARE:
            return
        # Now and then something happens just while the engine asks about a task or changes it.
        task = self.platform.travel(self._meanwhile(sent), is_change=False)
        self.under_way.add(task)
        task.add_done_callback(self.under_way.discard)

    async def _meanwhile(self, sent: Sent) -> None:
        task_id = TaskId(sent.path.removeprefix("/tasks/"))
        if task_id in self.task_ids:
            await self.happenings.meanwhile(self.judge.machines[sent.desk], sent.process, task_id)

    def leaves(self, sent: Sent) -> None:
        self.judge.leaves(sent)

    def arrives(self, sent: Sent, is_again: bool) -> None:
        self.judge.arrives(sent, is_again)

    def is_done(self, sent: Sent, is_again: bool) -> None:
        self.judge.is_done(sent, is_again)

    def is_answered(self, sent: Sent, status: int) -> None:
        self.judge.is_answered(sent, status)

    # At rest

    async def rest(self) -> None:
        self.is_over = True
        await asyncio.gather(*self.under_way)
        for machine in self.machines:
            machine.link.faults, machine.link.is_up, machine.link.swallows_changes = 0.0, True, False
            machine.fill_disk(is_full=False)
            machine.set_clock(0.0)
            for engine in [*machine.engines]:
                engine.process.go_on()
                machine.start(engine)
        await self.platform.settle()
        await self.until(Invariant.PROGRESS, self.all_settled, self.unsettled)
        await self.until(Invariant.CONVERGENCE, lambda: not self.differences(), self.differences)
        for machine in self.machines:
            self.judge.judge_rest(machine)
        self.check()

    def all_tasks_known(self) -> bool:
        return all(
            task_store.raw_task(machine.reading, each) is not None
            for machine in self.machines
            for each in self.task_ids
        )

    def all_settled(self) -> bool:
        return not any(queue.count(machine.reading, UNCONFIRMED) for machine in self.machines)

    def unsettled(self) -> list[tuple[str, Change]]:
        return [(machine.name, each) for machine in self.machines for each in queue.unsent(machine.reading)]

    def differences(self) -> list[object]:
        tasks = [each for machine in self.machines for each in self.judge.differences(machine, self.task_ids)]
        return [*tasks, *self.happenings.missing_messages(), *self.happenings.unread_campaigns()]

    async def until(self, invariant: Invariant, is_true: Callable[[], bool], words: Callable[[], object]) -> None:
        end = self.now() + REST_SECONDS
        while not is_true():
            if self.now() > end:
                self.fail(invariant, f"not within {REST_SECONDS:.0f} s: {words()}")
            await asyncio.sleep(2.0)
            self.check()

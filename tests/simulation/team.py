"""Desks, people, colleagues and a platform under one seed, and what must hold at each moment and at rest.

`simulate(seed)` runs one of them on a loop of virtual time; a violation names the seed, which replays it exactly.
"""

import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from unittest import mock

import apsw

from frontdesk.api.contract.ids import AgentId, TaskId
from frontdesk.app import engine as engine_module
from frontdesk.outbox import changes as outbox_changes
from frontdesk.outbox import queue
from frontdesk.outbox.overlay import ASSIGNED, same_value
from frontdesk.sandbox import fixtures
from frontdesk.sandbox.options import SandboxOptions
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.task_rows import read_task
from frontdesk.sandbox.world import Clock, World, open_world
from frontdesk.storage import record_lookup
from frontdesk.storage.clients import Focus
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState
from frontdesk.sync import backoff as backoff_module
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from sandbox.asking import Sandbox
from simulation import virtual_loop
from simulation.machine import BEGAN, PER_MINUTE, Machine, Watcher
from simulation.network import Network, Sent, Wire

STATUSES = ("open", "standby", "completed", fixtures.CUSTOM_STATUSES[0].id, "no such status")
PEOPLE = [AgentId(each.id) for each in fixtures.AGENTS[:3]]
BUSY_SECONDS, REST_SECONDS = 90.0, 600.0
"""How long people work and faults happen, and how long everything may take to settle after it."""

STEP_SECONDS = 5.0
MEANWHILE_SHARE = 0.1
"""How many requests about a task something happens beside, just then."""

BURST = 30
"""Requests that the budget lets through at once beyond the minute's."""


class Violation(AssertionError):
    """Something that must never be; it begins with the seed."""


@dataclass(frozen=True)
class Written:
    """A value that a field of a task got on the platform."""

    at: float
    by: str
    value: Any


class Team:
    """One seed's world."""

    def __init__(self, seed: int, folder: Path, seeded: bytes) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.wire = Wire(self.now, self.when_it_leaves, self.check_patch, self.note_patch)
        self.under_way: set[asyncio.Task[None]] = set()
        self.is_over = False
        self.history: dict[tuple[str, str], list[Written]] = {}
        self.shown: dict[tuple[str, int], Mapping[str, Any]] = {}
        self.told: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self.unseen: list[str] = []
        self.numbers = iter(range(1, 10_000))
        self.world = self._open_world(seeded)
        self.colleague = Sandbox(self.world)
        self.machines = [self._machine(f"desk{number}", folder) for number in range(self.chance.randint(1, 3))]
        self.task_ids: list[TaskId] = []

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def fail(self, words: str) -> NoReturn:
        raise Violation(f"seed {self.seed} at {self.now():.2f} s: {words}")

    async def run(self) -> str:
        """Work and suffer, then rest; returns a digest of all that the platform carried out."""
        for _ in range(3):
            reply = await self.colleague.asked("POST", "/sandbox/tasks", json={"title": "A task"})
            self.task_ids.append(TaskId(reply.json()["taskId"]))
        for machine in self.machines:
            machine.start_engine()
        looking = asyncio.create_task(self._look())
        try:
            await self.until(self.all_tasks_known, "the tasks are not known")
            while self.now() < BUSY_SECONDS:
                self.check_unseen()
                await self.happen()
                await asyncio.sleep(self.chance.uniform(0.05, STEP_SECONDS))
            await self.rest()
        finally:
            looking.cancel()
            for machine in self.machines:
                await machine.close()
        return json.dumps([(round(each.at, 6), each.desk, each.path, each.body) for each in self.wire.arrivals])

    # What happens

    async def happen(self) -> None:
        machine = self.chance.choice(self.machines)
        deeds: list[tuple[float, Callable[[], Any]]] = [
            (8, lambda: self.edit(machine)),
            (4, self.colleague_edits),
            (2, lambda: self.undo(machine)),
            (1, lambda: self.decide(machine)),
            (2, lambda: self.change_network(machine)),
            (1, lambda: self.kill(machine)),
            (1, lambda: self.stop(machine)),
            (1, lambda: self.fill_disk(machine)),
            (1, lambda: self.jump_clock(machine)),
        ]
        (deed,) = self.chance.choices([each for _, each in deeds], [weight for weight, _ in deeds])
        result = deed()
        if result is not None:
            await result

    def edit(self, machine: Machine) -> None:
        number = next(self.numbers)
        task_id = self.chance.choice(self.task_ids)
        fields: dict[str, Any] = self.chance.choice(
            [
                {"title": f"{machine.name} {number}"},
                {"title": f"{machine.name} {number}", "body": f"{machine.name} {number}"},
                {"dueDate": 2_000_000_000 + number},
                {"statusCase": self.chance.choice(STATUSES)},
                {ASSIGNED: {"add": [self.chance.choice(PEOPLE)], "remove": []}},
            ]
        )

        def change(db: apsw.Connection) -> None:
            task_changes.change_tasks(db, [task_id], fields, batch=f"b{number}", label="edit", now=machine.wall())

        written = machine.person_store.write(change)
        if not isinstance(written.exception(), StoreUnusable):
            written.result()
            self.remember_shown(machine)

    async def colleague_edits(self) -> None:
        number = next(self.numbers)
        task_id = self.chance.choice(self.task_ids)
        fields: dict[str, Any] = self.chance.choice(
            [
                {"title": f"colleague {number}"},
                {"dueDate": 1_900_000_000 + number},
                {"body": f"colleague {number}"},
            ]
        )
        reply = await self.colleague.asked("PATCH", f"/tasks/{task_id}", json=fields)
        if not reply.is_success:
            self.fail(f"the platform refused a colleague: {reply.text}")
        self.note_written("colleague", task_id, fields)

    def undo(self, machine: Machine) -> None:
        undoing = machine.person.outbox.undo()
        if undoing is not None and not isinstance(undoing.exception(), StoreUnusable):
            self.remember_shown(machine)

    def decide(self, machine: Machine) -> None:
        found = queue.recent(machine.person_store.reading, 6)
        self.told[machine.name] += [each.theirs for each in found if each.theirs]
        if found:
            deed = self.chance.choice([machine.person.outbox.drop, machine.person.outbox.retry])
            error = deed(self.chance.choice(found).change_id).exception()
            if not isinstance(error, outbox_changes.NotPossible | StoreUnusable | None):
                raise error
            self.remember_shown(machine)

    async def _look(self) -> None:
        """Each person has a screen open, which says so again and again."""
        while True:
            for machine in self.machines:
                machine.person.sync.report_focus(Focus(active_at=machine.wall()))
            await asyncio.sleep(STEP_SECONDS)

    async def change_network(self, machine: Machine) -> None:
        network = machine.network
        network.faults = self.chance.choice([0.0, 0.1, 0.5])
        network.is_up = self.chance.random() < 0.8

    async def kill(self, machine: Machine) -> None:
        if machine.is_running:
            await machine.kill_engine()
            await asyncio.sleep(self.chance.uniform(0, 3))
            machine.start_engine()

    async def stop(self, machine: Machine) -> None:
        machine.stop_engine()
        await asyncio.sleep(self.chance.uniform(0.1, 40))
        machine.continue_engine()

    async def fill_disk(self, machine: Machine) -> None:
        machine.is_disk_full = True
        await asyncio.sleep(self.chance.uniform(0.1, 10))
        machine.is_disk_full = False

    def jump_clock(self, machine: Machine) -> None:
        machine.wall_offset = self.chance.choice([0.0, -3600.0, -2.0, 2.0, 3600.0])

    def when_it_leaves(self, sent: Sent) -> None:
        """Now and then something happens just while the engine asks about a task or changes it."""
        if self.is_over or not sent.path.startswith("/tasks/") or self.chance.random() > MEANWHILE_SHARE:
            return
        task = asyncio.create_task(self.meanwhile(self.machine(sent.desk)))
        self.under_way.add(task)
        task.add_done_callback(self.under_way.discard)

    async def meanwhile(self, machine: Machine) -> None:
        deed = self.chance.choice([self.undo, self.edit, self.decide, self.kill, self.stop])
        await asyncio.sleep(self.chance.uniform(0, 0.7))
        result = deed(machine)
        if result is not None:
            await result

    # What must hold

    def check_patch(self, sent: Sent, is_again: bool) -> None:
        """A PATCH arrives: it replaces nobody else's value unseen, and has the last value of what it carries."""
        if sent.method != "PATCH" or not isinstance(sent.body, dict):
            return
        task_id, machine = sent.path.removeprefix("/tasks/"), self.machine(sent.desk)
        found = [queue.change(machine.person_store.reading, each) for each in sorted(sent.change_ids)]
        claimed = [each for each in found if each is not None]
        if not is_again:
            self.check_overwrites(machine, task_id, sent.body, claimed, sent.read_at)
            self.check_order(sent, claimed)

    def note_patch(self, sent: Sent) -> None:
        if isinstance(sent.body, dict):
            self.note_written(sent.desk, sent.path.removeprefix("/tasks/"), sent.body)

    def check_order(self, sent: Sent, claimed: Sequence[Change]) -> None:
        assert isinstance(sent.body, dict)
        last = {name: value for change in claimed for name, value in change.fields.items()}
        for name in set(sent.body) - {ASSIGNED}:
            if name not in last or not same_value(name, sent.body[name], last[name]):
                self.unseen.append(f"{sent.desk} sent {name} {sent.body[name]!r}, of {last} in {claimed}")
        for arrival in self.wire.arrivals:
            if (arrival.desk, arrival.path) != (sent.desk, sent.path) or not isinstance(arrival.body, dict):
                continue
            is_overtaken = max(arrival.change_ids, default=0) > max(sent.change_ids, default=0)
            if is_overtaken and set(arrival.body) & set(sent.body) - {ASSIGNED}:
                self.unseen.append(f"{sent.desk}: {sent} came after {arrival}")

    def check_overwrites(
        self, machine: Machine, task_id: str, body: Mapping[str, Any], claimed: Sequence[Change], read_at: float
    ) -> None:
        for name in set(body) - {ASSIGNED}:
            history = self.history.get((task_id, name), [])
            if not history or history[-1].by == machine.name or history[-1].at >= read_at:
                continue  # its own, or it came after the task was read right before
            shown = [self.shown.get((machine.name, each.change_id), {}).get(name) for each in claimed]
            known = [*shown, *(each.get(name) for each in self.told[machine.name]), body[name]]
            if not any(same_value(name, history[-1].value, each) for each in known):
                # Raised by the next step: here an engine would take it for a fault of its own and go on.
                self.unseen.append(f"{machine.name} replaced {history[-1]} of {name} by {body[name]!r} unseen")

    def note_written(self, who: str, task_id: str, fields: Mapping[str, Any]) -> None:
        for name, value in fields.items():
            self.history.setdefault((task_id, name), []).append(Written(self.now(), who, value))

    def remember_shown(self, machine: Machine) -> None:
        for change in queue.recent(machine.person_store.reading, 10):
            raw = task_store.raw_task(machine.person_store.reading, TaskId(change.target))
            self.shown.setdefault((machine.name, change.change_id), raw or {})

    # At rest

    async def rest(self) -> None:
        self.is_over = True
        await asyncio.gather(*self.under_way)
        for machine in self.machines:
            machine.network.faults, machine.network.is_up, machine.is_disk_full = 0.0, True, False
            machine.wall_offset = 0.0
            machine.continue_engine()
        for machine in self.machines:
            await machine.network.settle()
        await self.until(self.all_settled, "changes are not settled")
        await self.until(self.all_agree, "a store differs from the platform", self.differences)
        self.check_unseen()
        for machine in self.machines:
            self.check_budget(machine)
            self.check_outcomes(machine)

    def machine(self, name: str) -> Machine:
        return next(each for each in self.machines if each.name == name)

    def all_tasks_known(self) -> bool:
        return all(
            task_store.raw_task(machine.person_store.reading, each) is not None
            for machine in self.machines
            for each in self.task_ids
        )

    def all_settled(self) -> bool:
        return not any(
            change.state in UNCONFIRMED
            for machine in self.machines
            for change in queue.recent(machine.person_store.reading, 10_000)
        )

    def all_agree(self) -> bool:
        return not self.differences()

    def differences(self) -> list[tuple[Any, ...]]:
        found = []
        for task_id in self.task_ids:
            theirs = self.on_platform(task_id)
            for machine in self.machines:
                ours = record_lookup.task(machine.person_store.reading, task_id)
                if ours is None:
                    found.append((machine.name, task_id, "missing"))
                    continue
                shown = {"title": ours.title, "body": ours.body, "statusCase": ours.status, "dueDate": ours.due_at}
                for name, value in {**shown, ASSIGNED: list(ours.assigned)}.items():
                    if not same_value(name, value, theirs.get(name)):
                        found.append((machine.name, task_id, name, value, theirs.get(name)))
        return found

    def check_unseen(self) -> None:
        if self.unseen:
            self.fail(self.unseen[0])

    def check_budget(self, machine: Machine) -> None:
        times = machine.network.sent_at
        for number, at in enumerate(times):
            within = sum(1 for each in times[number:] if each < at + 60)
            if within > PER_MINUTE + BURST:
                self.fail(f"{machine.name} sent {within} requests in the minute from {at:.1f} s")

    def check_outcomes(self, machine: Machine) -> None:
        for change in queue.recent(machine.person_store.reading, 10_000):
            arrived = [
                each
                for each in self.wire.arrivals
                if each.desk == machine.name and change.change_id in each.change_ids and not each.is_again
            ]
            if len(arrived) > 1:
                self.fail(f"{machine.name}'s change {change} was carried out {len(arrived)} times")
            if change.state is ChangeState.CONFIRMED and not arrived and "already" not in change.reason:
                self.fail(f"{machine.name}'s change is confirmed and was never carried out: {change}")
            if change.state in (ChangeState.REFUSED, ChangeState.UNDONE) and arrived:
                self.fail(f"{machine.name}'s change is {change.state} and was carried out: {change}")

    async def until(
        self, is_true: Callable[[], bool], words: str, more: Callable[[], object] = lambda: ""
    ) -> None:
        end = self.now() + REST_SECONDS
        while not is_true():
            if self.now() > end:
                self.fail(f"{words} after {REST_SECONDS:.0f} s: {more()} {self._states()}")
            await asyncio.sleep(1.0)

    def on_platform(self, task_id: str) -> dict[str, Any]:
        return dict(json.loads(read_task(self.world.storage, fixtures.ACCOUNT, task_id) or "{}"))

    def _states(self) -> list[Any]:
        return [
            (machine.name, change)
            for machine in self.machines
            for change in queue.recent(machine.person_store.reading, 10_000)
            if change.state in UNCONFIRMED
        ]

    def _machine(self, name: str, folder: Path) -> Machine:
        network = Network(name, self.world, self.wire, self.chance)
        machine = Machine(name, folder / name, network, self.chance)
        network.claimed = lambda path: self._claimed(machine, path)
        return machine

    def _claimed(self, machine: Machine, path: str) -> frozenset[int]:
        live = queue.live_for(machine.person_store.reading, path.removeprefix("/tasks/"))
        return frozenset(each.change_id for each in live if each.state is ChangeState.SENDING)

    def _open_world(self, seeded: bytes) -> World:
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", seeded)
        connection.execute(
            "DELETE FROM tasks; DELETE FROM workflows; DELETE FROM ai_agents"
        )  # only what is looked at
        clock = Clock(wall=lambda: BEGAN, steady=self.now)
        return open_world(SandboxOptions(crowd=False), clock, Storage(connection))


def simulate(seed: int, folder: Path, seeded: bytes) -> str:
    """Run one seed.

    Raises:
        Violation: something happened that must never happen.
    """

    async def main() -> str:
        team = Team(seed, folder, seeded)
        machines = {machine.folder: machine for machine in team.machines}

        def watcher(at: Path, changed: Any) -> Watcher:
            return Watcher(machines[at], changed)

        with (
            closing(team.world),
            mock.patch.object(engine_module, "FeedWatcher", watcher),
            mock.patch.object(backoff_module, "random", SimpleNamespace(Random=lambda: random.Random(seed))),
        ):
            return await team.run()

    return virtual_loop.run(main())

"""A desk of eight people over some working days in virtual time, and the truth of what happened.

The platform is the sandbox's own code. Customers write, agents answer and move tasks, most of them outside of our
desk, as in the platform's own interface; one of them, Noa, uses our desk. A real engine polls while the desk is
open, 8:00 to 18:00; at night it is closed, and on the third day the network is gone from 11:00 to 14:00.
"""

import asyncio
import heapq
import itertools
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import timedelta, timezone
from typing import Any

import apsw

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import TaskId
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.world import World
from lab.simulation import virtual_loop
from lab.simulation.colleague import Colleague
from lab.simulation.file_locks import FileLocks
from lab.simulation.machine import BEGAN, Machine
from lab.simulation.network import Platform, Sent
from lab.simulation.seeds import EMPTIED, connect_platform, on_virtual_machines, open_virtual_world, quiet

ZONE = timezone(timedelta(hours=-6, minutes=-15))
"""In which `BEGAN` is shortly before 8:00 of a Monday."""

DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0
OPENS = 100.0
"""When the desk opens, in seconds since `BEGAN` and the same time of each day."""

OPEN_HOURS = 10.0
AGENTS_STAY = 1 * HOUR
"""So long agents answer elsewhere after our desk has closed."""

NETWORK_GONE = (2 * DAY + 3 * HOUR, 2 * DAY + 6 * HOUR)
LOOK_SECONDS = 10.0
SETTLE_SECONDS = 1_200.0
LINES = tuple(each.id for each in fixtures.LINES[:3])
PEOPLE = fixtures.AGENTS
OURS = fixtures.ME
WAITING = "st-waiting-customer"


@dataclass(frozen=True, slots=True)
class StatusMove:
    """A change of a task's status as the platform carried it out; `at` is Unix seconds."""

    task_id: str
    before: str
    after: str
    at: float


@dataclass
class Truth:
    """What happened, as the sandbox has it."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    moves: list[StatusMove] = field(default_factory=list)


@dataclass
class Week:
    """The end of a simulated week: the desk's store, and the truth. Closed by its owner."""

    store: apsw.Connection
    truth: Truth
    ended_at: float
    requests: int


class _People:
    """Customers and agents: each does something, and draws what follows from it and when."""

    def __init__(self, world: World, machine: Machine, chance: random.Random, truth: Truth, closes: float) -> None:
        self._machine, self._chance, self._truth, self._closes = machine, chance, truth, closes
        self._colleague = Colleague(world)
        self._agenda: list[tuple[float, int, Callable[[], Awaitable[None]]]] = []
        self._number = itertools.count()
        self._status: dict[str, str] = {}

    def plan(self, at: float, step: Callable[[], Awaitable[None]]) -> None:
        """Do something at a moment, in seconds since `BEGAN`."""
        heapq.heappush(self._agenda, (at, next(self._number), step))

    async def live(self, until: float) -> None:
        """Do what is planned, in order, until a moment."""
        loop = asyncio.get_running_loop()
        while self._agenda and self._agenda[0][0] < until:
            at, _, step = heapq.heappop(self._agenda)
            await asyncio.sleep(max(0.0, at - loop.time()))
            await step()

    def plan_contacts(self, days: int, contacts: int) -> None:
        """Draw when customers write for the first time: more of them by day."""
        for number in range(days * contacts):
            day = number // contacts
            at = day * DAY + self._chance.triangular(0.0, self._closes + 3 * HOUR, 0.4 * self._closes)
            contact = _Contact(self, number, self._chance.choice(LINES), self._chance.choice(PEOPLE))
            self.plan(max(OPENS, at), contact.begin)

    def after(self, mean: float) -> float:
        """Return a moment after now, by an exponential distribution of this mean."""
        return asyncio.get_running_loop().time() + self._chance.expovariate(1 / mean)

    def in_office(self, mean: float) -> float:
        """Return a moment after now, of the same distribution, at which an agent is there."""
        at = self.after(mean)
        day, seconds = divmod(at, DAY)
        if seconds < OPENS:
            return day * DAY + OPENS
        return at if seconds < self._closes + AGENTS_STAY else (day + 1) * DAY + OPENS

    def is_chance(self, share: float) -> bool:
        return self._chance.random() < share

    async def say(self, conversation: str, **fields: Any) -> None:
        await self._colleague.ask("POST", "/sandbox/messages", {"participantsIdentifiers": conversation, **fields})

    async def open_task(self, conversation: str, name: str, agent: fixtures.Agent) -> str:
        line, _, customer = conversation.partition("#")
        who = {"phoneNumberId": customer, "customerName": name, "lastActiveAt": int(self._machine.wall() * 1000)}
        fields = {"title": f"{name} wrote", "phoneNumberId": line, "customer": who, "assignedAgentIds": [agent.id]}
        task = await self._colleague.ask(
            "POST", "/sandbox/tasks", {**fields, "participantsIdentifiers": conversation}
        )
        task_id = str(task["taskId"])
        self._status[task_id] = str(task["statusCase"])
        return task_id

    async def edit_task(self, task_id: str, agent: fixtures.Agent, status: str) -> None:
        """Change a task: Noa at our desk, if it is open and knows the task; the others at the platform."""
        fields: dict[str, Any] = {"statusCase": status}
        machine = self._machine
        is_here = agent is OURS and machine.engines[0].is_running
        if is_here and task_store.raw_task(machine.reading, TaskId(task_id)) is not None:

            def change(db: Any) -> None:
                batch = f"week {next(self._number)}"
                task_changes.change_tasks(db, [TaskId(task_id)], fields, Made(batch, "edit", machine.wall()))

            machine.person.store.write(change).result()
            return
        await self._colleague.edit_task(task_id, fields)
        self.note_carried_out(task_id, fields)

    def note_carried_out(self, task_id: str, fields: dict[str, Any]) -> None:
        """Note what the platform has just done."""
        after = fields.get("statusCase")
        before = self._status[task_id]
        if after is not None and after != before:
            self._truth.moves.append(StatusMove(task_id, before, str(after), self._machine.wall()))
            self._status[task_id] = str(after)


class _Contact:
    """One customer's story."""

    def __init__(self, people: _People, number: int, line: str, agent: fixtures.Agent) -> None:
        self._people, self._agent = people, agent
        self._name = f"Customer {number}"
        self._conversation = f"{line}#97250{number:07}"
        self._task_id = ""

    async def begin(self) -> None:
        people = self._people
        await self._ask()
        await people.say(
            self._conversation, messageDirection="outgoing", initiator="bot", message="We'll be with you soon."
        )
        self._task_id = await people.open_task(self._conversation, self._name, self._agent)
        people.plan(people.in_office(25 * MINUTE), self._answer)

    async def _ask(self) -> None:
        await self._people.say(self._conversation, message="Where is my order?")

    async def _ask_again(self) -> None:
        await self._ask()
        people = self._people
        people.plan(people.in_office(20 * MINUTE), self._answer)

    async def _answer(self) -> None:
        people = self._people
        await people.say(
            self._conversation,
            messageDirection="outgoing",
            initiator="person",
            message="I'll look into it.",
            agentIdentification={"name": self._agent.name, "email": "someone@example.com"},
        )
        await people.edit_task(self._task_id, self._agent, "standby")
        if people.is_chance(0.35):
            people.plan(people.in_office(10 * MINUTE), self._wait)
        elif people.is_chance(0.5):
            people.plan(people.after(40 * MINUTE), self._ask_again)
        else:
            people.plan(people.in_office(90 * MINUTE), self._complete)

    async def _wait(self) -> None:
        people = self._people
        await people.edit_task(self._task_id, self._agent, WAITING)
        people.plan(people.after(3 * HOUR), self._ask_again)

    async def _complete(self) -> None:
        people = self._people
        await people.edit_task(self._task_id, self._agent, "completed")
        if people.is_chance(0.08):
            people.plan(people.in_office(5 * HOUR), self._reopen)

    async def _reopen(self) -> None:
        people = self._people
        await people.edit_task(self._task_id, self._agent, "open")
        people.plan(people.in_office(60 * MINUTE), self._complete)


class _Desk:
    """The hours of our desk."""

    def __init__(self, machine: Machine, closes: float) -> None:
        self._machine, self._closes = machine, closes

    async def work(self, days: int, until: float) -> None:
        """Open and close the desk every day."""
        for day in range(days):
            await self._sleep_until(day * DAY + OPENS)
            self._machine.start(self._machine.engines[0])
            await self._look_until(until if day == days - 1 else day * DAY + self._closes)
            if day < days - 1:
                await self._machine.kill(self._machine.engines[0])

    async def _look_until(self, until: float) -> None:
        loop = asyncio.get_running_loop()
        while loop.time() < until:
            gone_from, gone_until = NETWORK_GONE
            self._machine.link.is_up = not gone_from <= loop.time() < gone_until
            focus = Focus(screen="board", active_at=self._machine.wall())
            self._machine.person.sync.report_focus(focus)
            await asyncio.sleep(min(LOOK_SECONDS, max(0.1, until - loop.time())))

    async def _sleep_until(self, at: float) -> None:
        await asyncio.sleep(max(0.0, at - asyncio.get_running_loop().time()))


class _Wire:
    """Notes what our desk's requests have changed."""

    def __init__(self) -> None:
        self.people: _People | None = None

    def begins(self, sent: Sent) -> None: ...

    def leaves(self, sent: Sent) -> None: ...

    def arrives(self, sent: Sent, is_again: bool) -> None: ...

    def is_answered(self, sent: Sent, status: int) -> None: ...

    def is_done(self, sent: Sent, is_again: bool) -> None:
        assert self.people is not None
        assert not is_again
        if sent.path.startswith("/tasks/"):
            self.people.note_carried_out(sent.target, sent.body)


def run_week(
    seeded: bytes,
    days: int,
    contacts: int,
    seed: int = 1,
    requests_per_minute: int = 30,
    open_hours: float = OPEN_HOURS,
) -> Week:
    """Simulate some days.

    Args:
        seeded: a file of the sandbox, of which only the business is used.
        contacts: customers who write for the first time, on each day.
    """
    connection = connect_platform(seeded)
    for table in EMPTIED:
        connection.execute(f"DELETE FROM {table}")
    chance = random.Random(seed)
    closes = open_hours * HOUR
    until = (days - 1) * DAY + closes

    failures: list[str] = []

    async def main() -> Week:
        locks = FileLocks()
        with closing(open_virtual_world(connection)) as world:
            wire = _Wire()
            platform = Platform(world, wire, chance)
            machine = Machine(
                "desk",
                platform,
                locks,
                engines=1,
                requests_per_minute=requests_per_minute,
                changed=lambda *_: None,
                got_lease=lambda *_: None,
            )
            machine.person.store.write(
                lambda db: db.execute("UPDATE outbox.task_history_start SET at = ?", (BEGAN,))
            ).result()
            truth = Truth()
            people = wire.people = _People(world, machine, chance, truth, closes)
            people.plan_contacts(days, contacts)
            with on_virtual_machines([machine], locks, seed, failures.append):
                working = asyncio.create_task(_Desk(machine, closes).work(days, until + SETTLE_SECONDS))
                await people.live(until)
                await working
                await platform.settle()
                requests = sum(len(run.network.begun_at) for run in machine.all_runs)
                truth.messages = _kept(world, "messages")
                truth.tasks = _kept(world, "tasks")
                ended_at = machine.wall()
                for run in [*machine.engines]:
                    with suppress(asyncio.CancelledError):
                        await machine.kill(run)
            assert not failures, failures[0]
            return Week(machine.reading, truth, ended_at, requests)

    with quiet():
        return virtual_loop.run(main())


def _kept(world: World, table: str) -> list[dict[str, Any]]:
    return [json.loads(row[0]) for row in world.storage.rows(f"SELECT json FROM {table}")]

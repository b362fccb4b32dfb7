"""What people, colleagues, customers, networks, disks, clocks and processes do, as the seed draws it."""

import asyncio
import dataclasses
import random
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from frontdesk.campaigns.draft import FromFile, build_body, new_draft, rename_draft
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.inbox.store import thread_pages
from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.storage.clients import Focus
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.lease import LEASE_SECONDS
from frontdesk.storage.records import ChangeKind, Made
from frontdesk_api.contract.ids import AgentId, CampaignId, FolderId, LineId, StatusId, TagId, TaskId, WorkflowId
from frontdesk_lists.models import ListedRecipient
from frontdesk_sandbox import fixtures
from lab.simulation.colleague import CONVERSATION, CUSTOMER, LINE
from lab.simulation.machine import EngineRun, Machine
from lab.simulation.virtual_loop import Process
from services import change_tasks

if TYPE_CHECKING:
    from lab.simulation.team import Team

STATUSES = ("open", "standby", "completed", fixtures.CUSTOM_STATUSES[0].id, "no such status")
PEOPLE = [AgentId(each.id) for each in fixtures.AGENTS[:3]]
TAGS = [TagId(each.id) for each in fixtures.TAGS[:2]]
LOOK_SECONDS = 30.0
"""How often a screen says what it shows: an engine forgets it after `clients.STALE_SECONDS`."""
FAULT_SHARES = (0.0, 0.1, 0.3, 0.5)
A_MONTH = 30 * 24 * 3600.0


class Happenings:
    """Draws what happens next, and does it."""

    def __init__(self, team: "Team") -> None:
        self._team, self._chance = team, team.chance
        self._number = 0
        for machine in team.machines:
            machine.link.faults = self._chance.choice(FAULT_SHARES)
        self._reads_thread = {machine.name: self._chance.random() < 0.5 for machine in team.machines}

    async def next(self) -> None:
        """Let one thing happen; what lasts goes on beside the next ones."""
        machine = self._chance.choice(self._team.machines)
        deeds: list[tuple[float, Callable[[Machine], Any]]] = [
            (8, self.edit),
            (3, self.edit_together),
            (2, self.correct),
            (4, self.colleague_edits),
            (2, self.undo),
            (0.5, self.redo),
            (1, self.decide),
            (1.5, self.change_mind),
            (1, self.tag),
            (0.4, self.create_campaign),
            (0.3, self.watch_campaign),
            (1.5, self.customer_writes),
            (0.5, self.turn_to_thread),
            (2, self.change_network),
            (1.5, lambda each: self._beside(self.kill(each, self._engine(each)))),
            (1.5, lambda each: self._beside(self.stop(each, self._engine(each)))),
            (1, lambda each: self._beside(self.fill_disk(each))),
            (0.7, self.jump_clock),
        ]
        (deed,) = self._chance.choices([each for _, each in deeds], [weight for weight, _ in deeds])
        result = deed(machine)
        if result is not None:
            await result

    async def meanwhile(self, machine: Machine, process: Process, task_id: TaskId) -> None:
        """Let something happen in the middle of a request of this engine about a task."""
        run = machine.run_of(process)
        deeds: list[Callable[[], Any]] = [
            lambda: self.undo(machine),
            lambda: self.edit(machine, task_id),
            lambda: self.change_mind(machine, task_id),
            lambda: self.change_mind(machine, task_id),
            lambda: self.colleague_edits(machine, task_id),
            lambda: self.kill(machine, run),
            lambda: self.stop(machine, run),
        ]
        deed = self._chance.choice(deeds)
        await asyncio.sleep(self._chance.uniform(0, 0.7))
        result = deed()
        if result is not None:
            await result

    def _beside(self, deed: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(deed)
        self._team.under_way.add(task)
        task.add_done_callback(self._team.under_way.discard)

    def _engine(self, machine: Machine) -> EngineRun:
        return self._chance.choice(machine.engines)

    # People

    def edit(self, machine: Machine, task_id: TaskId | None = None) -> None:
        task_ids = self._chance.sample(self._team.task_ids, self._chance.choice((1, 1, 1, 2)))
        task_ids = task_ids if task_id is None else [task_id]
        fields = self._fields(machine.name)
        self._done(self._edit_at(machine, task_ids, fields, self._next_number()))

    async def correct(self, machine: Machine) -> None:
        """Set the same field of a task twice, one soon after the other."""
        task_id, name = self._chance.choice(self._team.task_ids), self._chance.choice(("title", "statusCase"))
        for _ in range(2):
            number = self._next_number()
            value = f"{machine.name} {number}" if name == "title" else self._chance.choice(STATUSES)
            self._done(self._edit_at(machine, [task_id], {name: value}, number))
            await asyncio.sleep(self._chance.uniform(0, 1))

    def edit_together(self, machine: Machine) -> None:
        """Edit the same task at several desks at once."""
        task_id, name = self._chance.choice(self._team.task_ids), self._chance.choice(("title", "dueDate"))
        for each in {machine.name: machine, **self._team.judge.machines}.values():
            number = self._next_number()
            value = f"{each.name} {number}" if name == "title" else 2_000_000_000 + number
            self._done(self._edit_at(each, [task_id], {name: value}, number))

    def _edit_at(self, machine: Machine, task_ids: Any, fields: dict[str, Any], number: int) -> Future[Any]:
        def change(db: Any) -> None:
            change_tasks(db, task_ids, fields, Made(f"b{number}", "edit", machine.wall()))

        return machine.person.store.write(change)

    def undo(self, machine: Machine) -> None:
        self._done(machine.person.outbox.undo())

    def redo(self, machine: Machine) -> None:
        self._done(machine.person.outbox.redo())

    def decide(self, machine: Machine) -> None:
        found = queue.recent(machine.reading, 6)
        self._team.judge.told[machine.name] += [each.theirs for each in found if each.theirs]
        if found:
            deed = self._chance.choice([machine.person.outbox.drop, machine.person.outbox.retry])
            self._done(deed(self._chance.choice(found).change_id))

    def change_mind(self, machine: Machine, task_id: TaskId | None = None) -> None:
        """Discard a change that may be on its way, and set the same field of the task anew."""
        sent = [
            each
            for each in queue.unsent(machine.reading)
            if each.kind is ChangeKind.TASK and each.sends and task_id in (None, each.target)
        ]
        if not sent:
            return
        change = self._chance.choice(sent)
        self._done(machine.person.outbox.drop(change.change_id))
        number = self._next_number()
        values = {"title": f"{machine.name} {number}", "dueDate": 2_100_000_000 + number}
        fields = {name: value for name, value in values.items() if name in change.fields}
        if fields:
            self._done(self._edit_at(machine, [change.target], fields, number))

    def watch_campaign(self, machine: Machine) -> None:
        """Watch a campaign that any desk has created, or no longer watch one."""
        watched = campaign_store.watched_ids(machine.reading)
        created = [str(row[0]) for row in self._team.world.storage.rows("SELECT id FROM campaigns ORDER BY id")]
        if watched and self._chance.random() < 0.3:
            machine.person.campaigns.unwatch(self._chance.choice(watched))
        elif created:
            machine.person.campaigns.watch(CampaignId(self._chance.choice(created)))

    def tag(self, machine: Machine) -> None:
        self._done(machine.person.inbox.give_tags([CONVERSATION], [self._chance.choice(TAGS)]))

    def create_campaign(self, machine: Machine) -> None:
        now = machine.wall()
        chance = random.Random(self._chance.random())
        draft = rename_draft(new_draft(datetime.fromtimestamp(now, UTC), chance, FromFile("list.csv")), "Sale")
        draft = dataclasses.replace(
            draft,
            workflow_id=WorkflowId("wf-early-access"),
            workflow_name="Early access",
            folder_id=FolderId(fixtures.CAMPAIGN_FOLDER),
            line_id=LineId(LINE),
            scheduled_at=now + A_MONTH,
        )
        self._done(
            machine.person.campaigns.create(draft, build_body(draft, [ListedRecipient(CUSTOMER, "Dana", "", 1)]))
        )

    def turn_to_thread(self, machine: Machine) -> None:
        self._reads_thread[machine.name] = not self._reads_thread[machine.name]
        self._look(machine)

    async def look_at_screens(self) -> None:
        """Have each person's screen say again and again what it shows."""
        while True:
            for machine in self._team.machines:
                self._look(machine)
            await asyncio.sleep(LOOK_SECONDS)

    def _look(self, machine: Machine) -> None:
        thread = CONVERSATION if self._reads_thread[machine.name] else ""
        machine.person.sync.report_focus(Focus(screen="inbox", conversation_id=thread, active_at=machine.wall()))

    # Colleagues and customers, who use the platform itself

    async def colleague_edits(self, _machine: Machine, task_id: TaskId | None = None) -> None:
        task_id = task_id or self._chance.choice(self._team.task_ids)
        fields = self._fields("colleague", is_plain=True)
        await self._team.colleague.edit_task(task_id, fields)
        self._team.judge.note_written("colleague", task_id, fields)
        self._team.judge.news[task_id] += 1

    async def customer_writes(self, _machine: Machine | None = None) -> None:
        await self._team.colleague.write_message(f"message {self._next_number()}")
        self._team.judge.news.update(self._team.task_ids)

    def missing_messages(self) -> list[object]:
        """Return by desk how many messages of the thread it lacks, or has beyond."""
        found: list[object] = []
        rows = self._team.world.storage.rows("SELECT message_id FROM messages")
        there = {str(row[0]) for row in rows}
        for machine in self._team.machines:
            here = {
                each.key.message_id for each in thread_pages.page_before(machine.reading, CONVERSATION, None, 500)
            }
            if here != there:
                found.append((machine.name, len(there - here), len(here - there)))
        return found

    def unread_campaigns(self) -> list[object]:
        """Return by desk the watched campaigns that aren't as the platform has them."""
        rows = self._team.world.storage.rows("SELECT id, status FROM campaigns")
        there = {str(campaign_id): str(status) for campaign_id, status in rows}
        return [
            (machine.name, each.campaign_id, each.status)
            for machine in self._team.machines
            for each in campaign_store.watched(machine.reading)
            if each.campaign_id in there and each.status != there[each.campaign_id]
        ]

    def _fields(self, who: str, *, is_plain: bool = False) -> dict[str, Any]:
        """Draw what somebody sets; texts and dates occur once in a seed."""
        number = self._next_number()
        text, person = f"{who} {number}", self._chance.choice(PEOPLE)
        on, off = ([person], []) if self._chance.random() < 0.7 else ([], [person])
        fields: list[dict[str, Any]] = [
            {"title": text},
            {"title": text, "body": text},
            {"dueDate": 1_900_000_000 + number},
            {ASSIGNED: on if is_plain else {"add": on, "remove": off}},
        ]
        if not is_plain:
            fields.append({"statusCase": StatusId(self._chance.choice(STATUSES))})
        return self._chance.choice(fields)

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _done(self, written: "Future[Any]") -> None:
        """Require that a command was written, or couldn't be with a word about it."""
        error = written.exception()
        if not isinstance(error, NotPossible | StoreUnusable | None):
            raise error

    # Networks, disks, clocks and processes

    def change_network(self, machine: Machine) -> None:
        machine.link.faults = self._chance.choice(FAULT_SHARES)
        machine.link.is_up = self._chance.random() < 0.8

    async def kill(self, machine: Machine, run: EngineRun) -> None:
        if run.is_running:
            await machine.kill(run)
            await asyncio.sleep(self._chance.uniform(0, 3))
            machine.start(run)

    async def stop(self, machine: Machine, run: EngineRun) -> None:
        if run.is_running:
            machine.stop(run)
            await asyncio.sleep(self._chance.choice((1, LEASE_SECONDS)) + self._chance.uniform(0, 5))
            run.process.go_on()

    async def fill_disk(self, machine: Machine) -> None:
        machine.fill_disk(is_full=True)
        await asyncio.sleep(self._chance.uniform(0.1, 10))
        machine.fill_disk(is_full=False)

    def jump_clock(self, machine: Machine) -> None:
        machine.set_clock(self._chance.choice([0.0, -3600.0, -20.0, -2.0, 2.0, 20.0, 3600.0]))

"""Undo and redo against a plain editor's model: restarts, two processes, sends in every state.

The rule: whatever is done, sent, refused, undone and redone in whatever order, a screen shows what an
editor with one undo and one redo stack would; nothing taken back unsent reaches the platform, nothing
reaches it twice, and what a colleague moved since is never put back.
"""

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from frontdesk.config.settings import Profile
from frontdesk.outbox import queue
from frontdesk.outbox.overlay import apply_changes
from frontdesk.outbox.task_fields import ASSIGNED, same_value
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk_api.hosts import Hosts
from lab.sample import IS_ALL, count
from new_store import open_store
from sample_json import raw_task
from services import Services

TASKS = [TaskId(f"t{number}") for number in (1, 2, 3)]
PLACES = [ConversationId(f"L1#C{number}") for number in (1, 2)]
PEOPLE = [AgentId(each) for each in ("me", "noa", "omar")]
STATUSES = [StatusId(each) for each in ("open", "standby", "completed")]
URL = "http://127.0.0.1:9"
EMPTY = {"statusCase": "open", "dueDate": 0, "title": "", "body": ""}

some_tasks = st.lists(st.sampled_from(TASKS), min_size=1, max_size=3, unique=True)
somebody = st.lists(st.sampled_from(PEOPLE), max_size=2, unique=True)
which_desk = st.integers(0, 1)

Values = dict[str, Any]


@dataclass
class Part:
    """An action on one target: the values before and after; `is_dead` where it was refused, `is_gone` where
    it was stopped before it was ever sent."""

    before: Values
    after: Values
    is_on: bool = True
    is_dead: bool = False
    is_gone: bool = False


@dataclass
class ModelDeed:
    parts: dict[str, Part]
    are_tags: bool = False
    sent: set[str] = field(default_factory=set)
    number: int = 0


@dataclass
class Editor:
    """What is shown, and two stacks."""

    shown: dict[str, Values]
    done: list[ModelDeed] = field(default_factory=list)
    undone: list[ModelDeed] = field(default_factory=list)
    deeds: int = 0

    def do(self, deed: ModelDeed) -> None:
        self.deeds += 1
        deed.number = self.deeds
        self.done.append(deed)
        self.undone.clear()
        for target, part in deed.parts.items():
            self._put(target, part.after)

    def undo(self) -> int | None:
        return self._turn(self.done, self.undone, on=False)

    def redo(self) -> int | None:
        return self._turn(self.undone, self.done, on=True)

    def _turn(self, source: list[ModelDeed], other: list[ModelDeed], *, on: bool) -> int | None:
        """On how many targets; None where no action had anything to say."""
        while source:
            deed = (min if on else max)(source, key=lambda each: each.number)
            source.remove(deed)
            count = problems = 0
            for target, part in deed.parts.items():
                if part.is_gone:
                    continue
                if part.is_dead:
                    problems += not on
                    continue
                if part.is_on is on:
                    continue
                now, then = (part.before, part.after) if on else (part.after, part.before)
                if (deed.are_tags and target in deed.sent) or not self._is(target, now, part):
                    problems += 1
                    continue
                self._put(target, then)
                part.is_on = on
                count += 1
            if count:
                other.append(deed)
            if count or problems:
                return count
        return None

    def stop(self, deed: ModelDeed, targets: dict[str, bool]) -> None:
        """What of it is not sent is as it was before; `targets` says where it was done for the first time."""
        for target, is_first in targets.items():
            part = deed.parts[target]
            self._put(target, part.before if part.is_on else part.after)
            part.is_on = not part.is_on
            part.is_gone = is_first
        if not targets or (deed not in self.done and deed not in self.undone):
            return
        for side in (self.done, self.undone):
            if deed in side:
                side.remove(deed)
        left = [each for each in deed.parts.values() if not each.is_gone and not each.is_dead]
        if any(part.is_on for part in left):
            self.done.append(deed)
        elif left:
            self.undone.append(deed)

    def _is(self, target: str, values: Values, part: Part) -> bool:
        shown = self.shown.get(target, {})
        for name, value in values.items():
            if name == ASSIGNED:
                moved = part.before[name] ^ part.after[name]
                if shown[name] & moved != value & moved:
                    return False
            elif shown[name] != value:
                return False
        return True

    def _put(self, target: str, values: Values) -> None:
        shown = self.shown.get(target, {})
        for name, value in values.items():
            shown[name] = value


def read(raw: Any) -> Values:
    values = {name: raw.get(name) or empty for name, empty in EMPTY.items()}
    return {**values, ASSIGNED: frozenset(raw.get(ASSIGNED) or [])}


class UndoMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = 1_700_000_000.0
        self.platform: dict[str, dict[str, Any]] = {}
        self.applied: list[int] = []
        self.lost: set[int] = set()
        self.batches: dict[str, ModelDeed] = {}

    @initialize()
    def open(self) -> None:
        self.platform = {f"t{number}": raw_task(number, assignedAgentIds=["noa"]) for number in (1, 2, 3)}
        self.stores = [self._store(), self._store()]
        self.desks = [self._services(each) for each in self.stores]
        raws = list(self.platform.values())
        self.write(lambda db: task_store.put(db, raws))
        self.editor = Editor({task_id: read(raw) for task_id, raw in self.platform.items()})

    def _store(self) -> Store:
        return open_store(Path(self.folder.name) / "profile")

    def _services(self, store: Store) -> Services:
        return Services(store, Profile("test", Hosts(*[URL] * 5)), clock=lambda: self.now)

    def write(self, job: Any) -> Any:
        return self.stores[0].write(job).result()

    def live(self, target: str) -> list[Change]:
        return queue.live_for(self.stores[0].reading, target)

    # What a person does.

    @rule(at=which_desk, ids=some_tasks, status=st.sampled_from(STATUSES))
    def set_status(self, at: int, ids: list[TaskId], status: StatusId) -> None:
        done = self.desks[at].tasks.set_status(ids, status).result()
        self.note(done.batch, ids, {"statusCase": status}, done.count)

    @rule(at=which_desk, ids=some_tasks, due=st.sampled_from([0, 1_800_000_000, 1_900_000_000]))
    def set_due(self, at: int, ids: list[TaskId], due: int) -> None:
        done = self.desks[at].tasks.set_due(ids, due).result()
        self.note(done.batch, ids, {"dueDate": due}, done.count)

    @rule(at=which_desk, ids=some_tasks, add=somebody, remove=somebody)
    def assign(self, at: int, ids: list[TaskId], add: list[AgentId], remove: list[AgentId]) -> None:
        remove = [each for each in remove if each not in add]
        done = self.desks[at].tasks.assign(ids, add, remove).result()
        after = {each: {ASSIGNED: (self.editor.shown[each][ASSIGNED] - set(remove)) | set(add)} for each in ids}
        self.note(done.batch, ids, after, done.count, each_own=True)

    @rule(at=which_desk, task_id=st.sampled_from(TASKS), title=st.sampled_from("xyz"), body=st.sampled_from("xyz"))
    def edit(self, at: int, task_id: TaskId, title: str, body: str) -> None:
        shown = self.editor.shown[task_id]
        texts = {"title": title, "body": body}
        done = self.desks[at].tasks.edit(task_id, texts, {name: shown[name] for name in texts}).result()
        self.note(done.batch, [task_id], texts, done.count)

    @rule(at=which_desk, places=st.lists(st.sampled_from(PLACES), min_size=1, unique=True))
    def give_tags(self, at: int, places: list[ConversationId]) -> None:
        done = self.desks[at].inbox.give_tags(places, [TagId("vip")]).result()
        deed = ModelDeed({each: Part({}, {}) for each in places}, are_tags=True)
        self.editor.do(deed)
        self.batches[done.batch] = deed

    def note(self, batch: str, ids: list[TaskId], after: Any, count: int, *, each_own: bool = False) -> None:
        """The model does the same."""
        parts: dict[str, Part] = {}
        for each in ids:
            shown = self.editor.shown[each]
            wanted = after[each] if each_own else after
            differing = {name: value for name, value in wanted.items() if shown[name] != value}
            if differing:
                parts[each] = Part({name: shown[name] for name in differing}, differing)
        assert count == len(parts)
        if parts:
            deed = ModelDeed(parts)
            self.editor.do(deed)
            self.batches[batch] = deed

    @rule(at=which_desk)
    def undo(self, at: int) -> None:
        done = self.desks[at].outbox.undo().result()
        assert (None if done is None else done.count) == self.editor.undo()

    @rule(at=which_desk)
    def redo(self, at: int) -> None:
        done = self.desks[at].outbox.redo().result()
        assert (None if done is None else done.count) == self.editor.redo()

    @rule(at=which_desk)
    def stop(self, at: int) -> None:
        """The newest batch is stopped, where nothing was done since to what it is on."""
        newest = queue.recent(self.desks[at].store.reading, 1)
        if not newest:
            return
        batch = newest[0].batch
        last = {each.target: each for each in queue.of_batch(self.stores[at].reading, batch)}
        taken = {target: each for target, each in last.items() if each.state in WAITING}
        if any(self.live(target)[-1].batch != batch for target in taken):
            return
        stopped = self.desks[at].outbox.stop(batch).result()
        assert stopped.cancelled == len(taken)
        self.editor.stop(self.batches[batch], {target: each.undoes is None for target, each in taken.items()})

    # What the engine and the platform do.

    def targets_in(self, *states: ChangeState) -> list[str]:
        return sorted({each.target for each in queue.unsent(self.stores[0].reading) if each.state in states})

    @rule(data=st.data())
    def begin_to_send(self, data: st.DataObject) -> None:
        """The first of a target's changes is on its way, in the order in which they were made."""
        if targets := [each for each in self.targets_in(*WAITING) if self.live(each)[0].state in WAITING]:
            self.claim(self.live(data.draw(st.sampled_from(targets)))[0])

    @rule(data=st.data(), arrived=st.booleans())
    def lose_the_answer(self, data: st.DataObject, arrived: bool) -> None:
        if targets := self.targets_in(ChangeState.SENDING):
            change = self.live(data.draw(st.sampled_from(targets)))[0]
            if arrived:
                self.apply(change)
            else:
                self.lost.add(change.change_id)
            self.write(lambda db: queue.mark_orphans_unknown(db, self.now))

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        if targets := self.targets_in(ChangeState.SENDING, ChangeState.UNKNOWN):
            self.settle(self.live(data.draw(st.sampled_from(targets)))[0])

    @rule(data=st.data())
    def refuse(self, data: st.DataObject) -> None:
        """The platform says no to what is the only change of its task."""
        targets = [each for each in self.targets_in(ChangeState.SENDING) if len(self.live(each)) == 1]
        if not targets:
            return
        change = self.live(data.draw(st.sampled_from(targets)))[0]
        part = self.batches[change.batch].parts[change.target]
        part.is_dead = True
        values = part.before if part.is_on else part.after
        if change.kind is ChangeKind.TASK:
            self.editor._put(change.target, values)

        def job(db: apsw.Connection) -> None:
            queue.move(db, change.change_id, ChangeState.REFUSED, expected=(ChangeState.SENDING,), now=self.now)
            queue.rebase_followers(db, change)
            self.update_lists(db, change)

        self.write(job)

    @rule()
    def send_all(self) -> None:
        stores = getattr(self, "stores", ())
        waiting: set[str] = set()
        for change in queue.unsent(stores[0].reading) if stores else ():
            # Behind one that is sent once more, the others of its task wait: their order is kept.
            if change.target not in waiting and not self.settle_wholly(change):
                waiting.add(change.target)

    @rule(task_id=st.sampled_from(TASKS), status=st.sampled_from(STATUSES), people=somebody)
    def a_colleague_moves_it(self, task_id: TaskId, status: StatusId, people: list[AgentId]) -> None:
        """Of a task on which nothing of ours is on its way: else it would be a conflict, or laid over."""
        if not self.live(task_id):
            self.platform[task_id] |= {"statusCase": status, ASSIGNED: list(people)}
            self.write(lambda db: task_store.put(db, [self.platform[task_id]]))
            self.editor.shown[task_id] = read(self.platform[task_id])

    @rule()
    def time_passes(self) -> None:
        self.now += 10

    @rule(at=which_desk)
    def restart(self, at: int) -> None:
        self.stores[at].close()
        self.stores[at] = self._store()
        self.desks[at] = self._services(self.stores[at])

    def claim(self, change: Change) -> None:
        if change.state in WAITING:

            def claim(db: apsw.Connection) -> bool:
                seen = queue.change(db, change.change_id)
                return seen is not None and queue.claim(db, [seen], "engine", self.now + 100)

            assert self.write(claim)
            if change.kind is ChangeKind.TAGS:
                self.batches[change.batch].sent.add(change.target)

    def settle_wholly(self, change: Change) -> bool:
        self.claim(change)
        now = queue.change(self.stores[0].reading, change.change_id)
        assert now is not None
        return self.settle(now)

    def settle(self, change: Change) -> bool:
        """Confirmed; what was lost on the way is queued and sent once more, and False is answered."""
        if change.change_id in self.lost:
            self.lost.discard(change.change_id)
            moved = self.write(
                lambda db: queue.move(
                    db, change.change_id, ChangeState.QUEUED, expected=(ChangeState.UNKNOWN,), now=self.now
                )
            )
            assert moved
            if change.kind is ChangeKind.TAGS:
                self.batches[change.batch].sent.discard(change.target)
            return False
        if change.change_id not in self.applied:
            self.apply(change)

        def job(db: apsw.Connection) -> None:
            if change.kind is ChangeKind.TASK:
                task_store.put(db, [self.platform[change.target]])
            queue.move(db, change.change_id, ChangeState.CONFIRMED, expected=SENT, now=self.now)
            self.update_lists(db, change)

        self.write(job)
        return True

    def apply(self, change: Change) -> None:
        """The platform takes a change over; one whose field is not as it was before is a fault of ours."""
        assert change.change_id not in self.applied
        self.applied.append(change.change_id)
        if change.kind is ChangeKind.TASK:
            raw = self.platform[change.target]
            for name in set(change.fields) - {ASSIGNED}:
                is_clash = not same_value(name, raw.get(name), change.base.get(name))
                assert not is_clash or same_value(name, raw.get(name), change.fields[name]), change
            self.platform[change.target] = json.loads(json.dumps(apply_changes(raw, [change])))

    @staticmethod
    def update_lists(db: apsw.Connection, change: Change) -> None:
        if change.kind is ChangeKind.TASK:
            task_store.refresh_overlay(db, [TaskId(change.target)])

    # What must hold.

    @invariant()
    def both_screens_show_what_an_editor_would(self) -> None:
        for services in getattr(self, "desks", ()):
            for task_id, values in self.editor.shown.items():
                task = record_lookup.task(services.store.reading, TaskId(task_id))
                assert task is not None
                shown = {
                    "statusCase": task.status,
                    "dueDate": int(task.due_at or 0),
                    "title": task.title,
                    "body": task.body,
                    ASSIGNED: frozenset(task.assigned),
                }
                assert shown == values

    @invariant()
    def what_was_taken_back_unsent_never_arrived(self) -> None:
        if hasattr(self, "desks"):
            undone = {
                each.change_id
                for each in queue.recent(self.desks[0].store.reading, 10_000)
                if each.state in (ChangeState.UNDONE, ChangeState.DROPPED)
            }
            assert not undone & set(self.applied)

    def teardown(self) -> None:
        try:
            self.everything_arrives()
        finally:
            for store in getattr(self, "stores", ()):
                store.close()
            self.folder.cleanup()

    def everything_arrives(self) -> None:
        """Two rounds at most: what was lost on the way is sent once more."""
        for _ in range(2):
            self.send_all()
        assert not [each for store in getattr(self, "stores", ()) for each in queue.unsent(store.reading)]
        for task_id, raw in self.platform.items():
            assert read(raw) == self.editor.shown[task_id]


WAITING = (ChangeState.HELD, ChangeState.QUEUED)
SENT = (ChangeState.SENDING, ChangeState.UNKNOWN)

TestUndo = UndoMachine.TestCase
TestUndo.settings = settings(
    max_examples=count(40, 400),
    stateful_step_count=25,
    deadline=None,
    derandomize=not IS_ALL,  # a sample is the same each time; all of it looks for new ones
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
TestUndo.pytestmark = [pytest.mark.lab]

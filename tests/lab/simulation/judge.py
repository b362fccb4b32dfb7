"""What must hold on every desk, judged from the wire, from the change feed and from the stores.

A breach is kept in `breaches` with the invariant's name: where it is seen, an engine runs that would take an error
for a fault of its own and go on. The team raises it at its next step.
"""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from frontdesk.outbox import queue
from frontdesk.outbox.changes import SENT_ANEW
from frontdesk.outbox.delivery import MAX_SENDS, MEANWHILE, SO_ALREADY
from frontdesk.outbox.overlay import apply_changes
from frontdesk.outbox.queue import live_for
from frontdesk.outbox.task_fields import ASSIGNED, same_value
from frontdesk.storage import record_lookup
from frontdesk.storage.lease import LEASE_SECONDS
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeKind, ChangeState
from frontdesk.tasks import store as task_store
from frontdesk_api import json_access
from frontdesk_api.contract.ids import TaskId
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.storage import read_task
from frontdesk_sandbox.world import World
from lab.simulation.history import Made, Written, fields_of
from lab.simulation.invariants import NEXT_STATES, Invariant
from lab.simulation.machine import PER_SECOND, EngineRun, Machine
from lab.simulation.network import RETRY_AFTER_SECONDS, Arrival, Sent

NOT_CARRIED_OUT = (400, 429)
"""Statuses after which the engine knows that nothing was changed."""

TOLERANCE_SECONDS = 0.05


class Judge:
    """Keeps what happened, and tells what must not have.

    Args:
        world: the platform's data.
        arrivals: all that the platform carried out.
    """

    def __init__(self, world: World, arrivals: Sequence[Arrival]) -> None:
        self._world, self._arrivals = world, arrivals
        self.machines: dict[str, Machine] = {}
        self.breaches: list[tuple[Invariant, str]] = []
        self.history: defaultdict[tuple[str, str], list[Written]] = defaultdict(list)
        self.told: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._made: dict[tuple[str, int], Made] = {}
        self._floors: dict[tuple[str, str, str], tuple[float, int]] = {}
        self._refused: set[tuple[str, str]] = set()
        self._uncertain: Counter[tuple[str, int]] = Counter()
        self._sent_unread: set[tuple[str, str]] = set()
        self._pauses: dict[tuple[int, str], float] = {}
        self._looked_at: dict[str, int] = {}
        self.news: Counter[str] = Counter()

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def note(self, invariant: Invariant, words: str) -> None:
        self.breaches.append((invariant, words))

    # A change on its way through the outbox

    def changed(self, machine: Machine, before: Change | None, now: Change) -> None:
        """A change was added or moved, and the screen was told."""
        if before is None:
            task = machine.screen.tasks.get(TaskId(now.target))
            hold = now.send_after - now.made_at if now.state is ChangeState.HELD else 0.0
            shown = {} if task is None else fields_of(task)
            self._made[machine.name, now.change_id] = Made(self.now(), now.target, shown, self.now() + hold)
        elif before.state is not now.state:
            if now.state not in NEXT_STATES[before.state]:
                self.note(Invariant.STATES, f"{machine.name}: {before.state} became {now.state}: {now}")
            self._check_outcome_at_once(machine, now)

    def _check_outcome_at_once(self, machine: Machine, change: Change) -> None:
        if change.state is ChangeState.REFUSED and (machine.name, change.target) not in self._refused:
            self.note(Invariant.OUTCOME, f"{machine.name}: nobody refused {change}")
        if change.kind is not ChangeKind.TASK:
            return
        if change.state is ChangeState.CONFLICT and change.reason == MEANWHILE:
            shown, there = self._made[machine.name, change.change_id].shown, self.on_platform(change.target)
            is_as_shown = all(same_value(name, shown.get(name), there.get(name)) for name in change.base)
            is_untouched = not any(self.history[change.target, name] for name in change.base)
            # A resend is compared with what was there when the change was made first.
            is_resend = any(each.reason == SENT_ANEW for each in queue.of_batch(machine.reading, change.batch))
            is_quiet = is_as_shown and not is_resend and not self._others_wrote_since(machine, change)
            if is_untouched or (is_quiet and not self._discarded_came(machine, change)):
                self.note(Invariant.OUTCOME, f"{machine.name}: a conflict, and nobody changed it: {change}")
        if change.state is ChangeState.CONFIRMED:
            for name in change.fields:
                own = [at for at, each in enumerate(self.history[change.target, name]) if each.by == machine.name]
                if own:
                    self._floors[machine.name, change.target, name] = (self.now(), own[-1])

    def _others_wrote_since(self, machine: Machine, change: Change) -> bool:
        """Whether others set a field of this change after it was made, and maybe back again."""
        made_at = self._made[machine.name, change.change_id].at
        history = (each for name in change.base for each in self.history[change.target, name])
        return any(each.by != machine.name and each.at >= made_at for each in history)

    def _discarded_came(self, machine: Machine, change: Change) -> bool:
        """Whether a change of this target arrived that the person had discarded."""
        carried = (
            queue.change(machine.reading, each)
            for arrival in self._arrivals
            if (arrival.sent.desk, arrival.sent.target) == (machine.name, change.target)
            for each in arrival.sent.change_ids
        )
        return any(each is not None and each.state is not ChangeState.CONFIRMED for each in carried)

    # The wire

    def begins(self, sent: Sent) -> None:
        machine = self.machines[sent.desk]
        run = machine.run_of(sent.process)
        # What is sent may have waited for the budget since before the answer.
        is_poll = (
            not sent.path.startswith("/tasks/") and not sent.path.startswith("/campaigns") and not sent.target
        )
        is_paused = self.now() < self._pauses.get((id(sent.process), sent.host), 0.0)
        if is_poll and is_paused and not run.is_irregular:
            self.note(Invariant.BUDGET, f"{sent.desk} asks for {sent.path} before the Retry-After is over")
        lost_at = self._lost_at(machine, run)
        if lost_at is not None and self.now() > max(lost_at, sent.process.continued_at) + LEASE_SECONDS:
            self.note(
                Invariant.LEASE, f"{sent.desk}: an engine asks for {sent.path}, another polls since {lost_at}"
            )

    def leaves(self, sent: Sent) -> None:
        if not sent.target:
            return
        machine = self.machines[sent.desk]
        if self._lost_at(machine, machine.run_of(sent.process)) is not None:
            self.note(Invariant.LEASE, f"{sent.desk}: an engine sends to {sent.path} that another has taken over")
        for change_id in sent.change_ids:
            made = self._made[sent.desk, change_id]
            if machine.jumped_at < made.at and self.now() < made.not_before - TOLERANCE_SECONDS:
                self.note(Invariant.HOLD, f"{sent.desk}: change {change_id} left at once")
            self._uncertain[sent.desk, change_id] += 1
            if self._uncertain[sent.desk, change_id] > MAX_SENDS:
                self.note(Invariant.DOUBLED, f"{sent.desk}: change {change_id} is sent a third time unseen")
        if not sent.path.startswith("/tasks/"):
            self._check_sent_once(sent)

    def _check_sent_once(self, sent: Sent) -> None:
        if sent.path == "/campaigns":
            if (sent.desk, sent.target) in self._sent_unread:
                self.note(Invariant.DOUBLED, f"{sent.desk}: campaign {sent.target} is sent again unread")
            self._sent_unread.add((sent.desk, sent.target))

    def arrives(self, sent: Sent, is_again: bool) -> None:
        if is_again or not sent.target:
            return
        machine = self.machines[sent.desk]
        found = [queue.change(machine.reading, each) for each in sorted(sent.change_ids)]
        claimed = [each for each in found if each is not None]
        if not claimed:
            self.note(Invariant.OUTCOME, f"{sent.desk} sent {sent.body} to {sent.path} of no change")
        if sent.path.startswith("/tasks/"):
            self._check_order(sent, claimed)
            self._check_overwrites(machine, sent, claimed)
            self._check_people(sent, claimed)

    def is_done(self, sent: Sent, is_again: bool) -> None:
        if sent.path.startswith("/tasks/"):
            self.note_written(sent.desk, sent.target, sent.body)
        if is_again or sent.path.endswith("/tags"):
            return
        for change_id in sorted(sent.change_ids):
            times = [
                each.at
                for each in self._arrivals
                if each.sent.desk == sent.desk and change_id in each.sent.change_ids and not each.is_again
            ]
            if len(times) > 1 and not self._was_put_back(sent, change_id, times[0]):
                words = f"{sent.desk}: change {change_id} was carried out {len(times)} times"
                self.note(Invariant.DOUBLED, words)

    def _was_put_back(self, sent: Sent, change_id: int, since: float) -> bool:
        """Whether others set each field of a change to its value before this moment, or replaced the people.

        When the answer wasn't stored either, nothing on the platform tells that the change ever arrived.
        """
        change = queue.change(self.machines[sent.desk].reading, change_id)
        for name in sent.body if change is None else change.fields:
            history = self.history[sent.target, name]
            later = [each for each in history if each.at >= since and each.by != sent.desk]
            if not later:
                return False
            before = [each.value for each in history if each.at < since]
            shown = [self._made[sent.desk, each].shown.get(name) for each in sorted(sent.change_ids)]
            known = [*before[-1:], *shown]
            if name != ASSIGNED and not any(same_value(name, later[-1].value, each) for each in known):
                return False
        return True

    def is_answered(self, sent: Sent, status: int) -> None:
        if status == 429:
            self._pauses[id(sent.process), sent.host] = self.now() + RETRY_AFTER_SECONDS - TOLERANCE_SECONDS
        if sent.path.startswith("/campaigns/") and status in (200, 404):
            self._sent_unread.discard((sent.desk, sent.path.removeprefix("/campaigns/")))
        if sent.target and status in NOT_CARRIED_OUT:
            self._uncertain.subtract((sent.desk, each) for each in sent.change_ids)
            self._sent_unread.discard((sent.desk, sent.target))
            if status == 400:
                self._refused.add((sent.desk, sent.target))
        elif sent.target and status == 500:
            self._refused.add((sent.desk, sent.target))  # how a campaign is refused

    def note_written(self, who: str, task_id: str, fields: Mapping[str, Any]) -> None:
        for name, value in fields.items():
            self.history[task_id, name].append(Written(self.now(), who, value))

    def _check_order(self, sent: Sent, claimed: Sequence[Change]) -> None:
        last = {name: value for change in claimed for name, value in change.fields.items()}
        for name in sorted(set(sent.body) - {ASSIGNED}):
            if name not in last or not same_value(name, sent.body[name], last[name]):
                self.note(Invariant.ORDER, f"{sent.desk} sent {name} {sent.body[name]!r}, of {last} in {claimed}")
        newest = max(sent.change_ids, default=0)
        for arrival in self._arrivals:
            before = arrival.sent
            if (before.desk, before.path) != (sent.desk, sent.path) or arrival.is_again:
                continue
            is_overtaken = max(before.change_ids, default=0) > newest
            if is_overtaken and set(before.body) & set(sent.body) - {ASSIGNED}:
                self.note(Invariant.ORDER, f"{sent.desk}: {sent.body} came after {before.body}")

    def _check_overwrites(self, machine: Machine, sent: Sent, claimed: Sequence[Change]) -> None:
        for name in sorted(set(sent.body) - {ASSIGNED}):
            history = self.history[sent.target, name]
            if not history or history[-1].by == machine.name or history[-1].at >= sent.read_at:
                continue  # its own, or it came after the task was read right before
            # Of changes undone since, too: what a person saw before them, later ones are made over.
            made = (self._made.get((machine.name, each)) for each in range(1, max(sent.change_ids, default=0) + 1))
            shown = [each.shown.get(name) for each in made if each is not None and each.target == sent.target]
            known = [*shown, *(each.get(name) for each in self.told[machine.name]), sent.body[name]]
            if not any(same_value(name, history[-1].value, each) for each in known):
                words = f"{machine.name} replaced {history[-1]} of {name} by {sent.body[name]!r}"
                self.note(Invariant.OVERWRITE, words)

    def _check_people(self, sent: Sent, claimed: Sequence[Change]) -> None:
        history = self.history[sent.target, ASSIGNED]
        if ASSIGNED not in sent.body or (history and history[-1].at >= sent.read_at):
            return
        there = {*json_access.texts(self.on_platform(sent.target).get(ASSIGNED))}
        moves = [each.fields[ASSIGNED] for each in claimed if ASSIGNED in each.fields]
        removed = there - {*sent.body[ASSIGNED]} - {each for move in moves for each in move["remove"]}
        added = {*sent.body[ASSIGNED]} - there - {each for move in moves for each in move["add"]}
        if removed or added:
            self.note(Invariant.OVERWRITE, f"{sent.desk} took off {removed} and put on {added} unasked")

    # The lease

    def got_lease(self, machine: Machine, run: EngineRun) -> None:
        for other in machine.engines:
            free_at = max(other.process.continued_at, machine.disk.room_at) + LEASE_SECONDS + 1
            if other is not run and other.is_serving and not other.process.is_stopped and self.now() > free_at:
                self.note(Invariant.LEASE, f"{machine.name}: an engine was taken over that works")

    def _lost_at(self, machine: Machine, run: EngineRun) -> float | None:
        """Return when another engine got the lease after this one did; None while this one has it."""
        places = [place for place, each in enumerate(machine.holders) if each is run]
        later = machine.holders[places[-1] + 1 :] if places else machine.holders
        return later[0].held_at if later else None

    # The stores

    def look(self, machine: Machine) -> None:
        """Compare what a desk shows with what its store has, and that with its changes, after each write."""
        writes = machine.reading.total_changes()
        if self._looked_at.get(machine.name) == writes:
            return
        self._looked_at[machine.name] = writes
        for task_id, shown in machine.screen.tasks.items():
            stored = record_lookup.task(machine.reading, task_id)
            if shown != stored:
                self.note(Invariant.SHOWN, f"{machine.name} shows {shown}, and the store has {stored}")
            raw = task_store.raw_task(machine.reading, task_id)
            if stored is None or raw is None:
                continue
            wanted = apply_changes(raw, live_for(machine.reading, task_id))
            for name, value in fields_of(stored).items():
                if not same_value(name, value, wanted.get(name)):
                    words = f"{machine.name}: {name} of {task_id} is {value!r}, and should be {wanted.get(name)!r}"
                    self.note(Invariant.SHOWN, words)
            self._check_floors(machine, task_id, raw)

    def _check_floors(self, machine: Machine, task_id: str, raw: Mapping[str, Any]) -> None:
        """Require that what was confirmed isn't shown as it was before."""
        for name in ("title", "body", "dueDate", "statusCase"):
            confirmed_at, place = self._floors.get((machine.name, task_id, name), (0.0, 0))
            if not confirmed_at or machine.jumped_at > confirmed_at - 60:
                continue
            since = self.history[task_id, name][place:]
            if not any(same_value(name, raw.get(name), each.value) for each in since):
                words = f"{machine.name}: {name} of {task_id} is {raw.get(name)!r} again, after {since}"
                self.note(Invariant.SHOWN, words)

    def differences(self, machine: Machine, task_ids: Sequence[TaskId]) -> list[tuple[Any, ...]]:
        """Return what a desk shows of these tasks otherwise than the platform has it."""
        found: list[tuple[Any, ...]] = []
        for task_id in task_ids:
            theirs = self.on_platform(task_id)
            ours = record_lookup.task(machine.reading, task_id)
            if ours is None:
                found.append((machine.name, task_id, "missing"))
                continue
            for name, value in fields_of(ours).items():
                if not same_value(name, value, theirs.get(name)):
                    found.append((machine.name, task_id, name, value, theirs.get(name)))
        return found

    def on_platform(self, task_id: str) -> dict[str, Any]:
        return dict(json.loads(read_task(self._world.storage, fixtures.ACCOUNT, task_id) or "{}"))

    # At rest

    def judge_rest(self, machine: Machine) -> None:
        self._check_budget(machine)
        there = {change.change_id: change for change in queue.recent(machine.reading, 10_000)}
        for name, change_id in self._made:
            if name == machine.name and change_id not in there:
                self.note(Invariant.LOST, f"{name}: change {change_id} is gone")
        for change in there.values():
            self._check_outcome(machine, change)
            if machine.screen.changes.get(change.change_id) != change:
                words = f"{machine.name} shows {machine.screen.changes.get(change.change_id)}, stored is {change}"
                self.note(Invariant.SHOWN, words)
        self._check_news(machine, there)

    def _check_news(self, machine: Machine, changes: Mapping[int, Change]) -> None:
        """Require that nobody is told of his own edits as if they were others'.

        One that arrived unseen and that others have undone since can't be told from one that never arrived.
        """
        others, counted = self.news.copy(), set[int]()
        for arrival in self._arrivals:
            sent = arrival.sent
            own = [changes[each] for each in sent.change_ids] if sent.desk == machine.name else []
            is_again = arrival.is_again or not counted.isdisjoint(sent.change_ids)
            is_unseen = any(each.state is not ChangeState.CONFIRMED or SO_ALREADY in each.reason for each in own)
            if is_again or not own or is_unseen:
                others[sent.target] += 1
            counted.update(sent.change_ids if own else ())
        for task_id, task in machine.screen.tasks.items():
            if task is not None and task.unread > others[task_id]:
                words = f"{machine.name}: {task.unread} new in {task_id}, of others' {others[task_id]}"
                self.note(Invariant.SHOWN, words)

    def _check_outcome(self, machine: Machine, change: Change) -> None:
        arrived = any(
            each.sent.desk == machine.name and change.change_id in each.sent.change_ids for each in self._arrivals
        )
        is_told_so = SO_ALREADY in change.reason or "checked afterwards" in change.reason
        is_there = arrived or is_told_so or _is_outdone(machine, change) or self._others_did(machine, change)
        if change.state is ChangeState.CONFIRMED and not is_there:
            self.note(Invariant.OUTCOME, f"{machine.name}: confirmed and never carried out: {change}")
        if change.state in (ChangeState.REFUSED, ChangeState.UNDONE) and arrived:
            self.note(Invariant.OUTCOME, f"{machine.name}: {change.state} and carried out: {change}")
        if change.state in UNCONFIRMED:
            self.note(Invariant.PROGRESS, f"{machine.name}: still {change.state}: {change}")

    def _others_did(self, machine: Machine, change: Change) -> bool:
        """Whether others gave each field the value of a change sent without an answer, or of a later one."""
        later = [
            each
            for each in queue.recent_of(machine.reading, change.target, 100)
            if each.change_id >= change.change_id
        ]
        return change.sends > 0 and all(
            any(
                each.by != machine.name and any(_has(each.value, name, value) for value in _values_of(later, name))
                for each in self.history[change.target, name]
            )
            for name in change.fields
        )

    def _check_budget(self, machine: Machine) -> None:
        for run in machine.all_runs:
            times = run.network.begun_at
            for seconds, most in ((1.0, PER_SECOND), (60.0, machine.requests_per_minute)):
                beyond = int(most) + 1
                for first, last in zip(times, times[beyond - 1 :], strict=False):
                    if last - first < seconds - TOLERANCE_SECONDS and not run.is_irregular:
                        words = f"{machine.name}: {beyond} requests in {last - first:.1f} s from {first:.1f} s"
                        self.note(Invariant.BUDGET, words)


def _is_outdone(machine: Machine, change: Change) -> bool:
    """Whether a later change moved a task's people, too: together they may have had nothing to carry out."""
    later = queue.recent_of(machine.reading, change.target, 100)
    return {*change.fields} == {ASSIGNED} and any(
        each.change_id > change.change_id and ASSIGNED in each.fields for each in later
    )


def _values_of(changes: Sequence[Change], name: str) -> list[Any]:
    return [each.fields[name] for each in changes if name in each.fields]


def _has(there: Any, name: str, wanted: Any) -> bool:
    if name != ASSIGNED:
        return same_value(name, there, wanted)
    return {*wanted["add"]} <= {*there} and not {*wanted["remove"]} & {*there}

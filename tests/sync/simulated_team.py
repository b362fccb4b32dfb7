"""A team's desks over the made-up platform on a virtual clock: who looks at what, and when customers write.

Imported by the tests of this folder, `tests/lab/proof/freshness.py` and `tests/lab/benchmarks/team_freshness.py`.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Duty
from frontdesk.sync.scheduler import HEAD, Job, PollKind
from frontdesk_api.contract.base import MAX_TASKS_LIMIT
from sync.simulated_reads import Simulation

CHANGES_EVERY, WRITES_EVERY = 120.0, 300.0
LOOK_SECONDS = 2.0


class TaskState(StrEnum):
    """The tasks of a conversation: with an open one, the first page of tasks has the sign of each new message."""

    OPEN = "open task"
    CLOSED = "closed task"
    NONE = "no task"


@dataclass(frozen=True)
class Business:
    """The numbers of conversations by their tasks, and of further tasks; by default those of the sandbox."""

    open: int = 202
    closed: int = 45
    none: int = 0
    others: int = 93


class SimulatedTeam(Simulation):
    """A leader, and desks that change their conversation every two minutes; customers write every five.

    Attributes:
        news: seconds from each message until it was read, by the tasks of its conversation.
    """

    def __init__(self, desks: int, per_minute: int, business: Business = Business()):
        self._people = random.Random(f"team {desks}")
        self.states: dict[str, TaskState] = {}
        for state, count in zip(TaskState, (business.open, business.closed, business.none), strict=True):
            self.states |= {f"{state} {number}": state for number in range(count)}
        tasks = [each for each, state in self.states.items() if state is not TaskState.NONE]
        self._tasks = [*tasks, *(f"other {number}" for number in range(business.others))]
        self._people.shuffle(self._tasks)
        self._place = 0
        self._written: dict[str, list[float]] = defaultdict(list)
        self._active: dict[str, float] = dict.fromkeys(self._tasks, 0.0)
        self._signs: dict[str, float] = dict(self._active)
        self._outdated = set[str]()
        self.news: dict[TaskState, list[float]] = {each: [] for each in TaskState}
        self.written = 0
        self._names = list(self.states)
        self._shown = [self._people.choice(self._names) for _ in range(desks)]
        walk_pages = -(-len(self._tasks) // MAX_TASKS_LIMIT) - 1  # the walk begins with the second page
        super().__init__([Focus("inbox", self._shown[0])], per_minute=per_minute, walk_pages=walk_pages)
        self.poller._role.duty = Duty.LEADS
        self.run(10.0)  # the first page of tasks is fetched before the others come

    def live(self, seconds: float) -> None:
        """Let so much time pass, in which people change conversations and customers write."""
        self.run(seconds, self._second)

    def _second(self) -> None:
        for desk, name in enumerate(self._shown):
            if self._people.random() < 1 / CHANGES_EVERY:
                self._shown[desk] = self._people.choice(self._names)
            if self._people.random() < 1 / WRITES_EVERY:
                self.write(name)
        if int(self.clock()) % LOOK_SECONDS == 0:
            self.show([Focus("inbox", self._shown[0])])
            self._report_others()

    def _report_others(self) -> None:
        now = self.clock()
        self.poller._role.screens = [Focus("inbox", each, active_at=now) for each in self._shown[1:]]

    def write(self, name: str) -> None:
        """Let a customer write; an open task then comes first in the list, a closed one stays where it is."""
        now = self.clock()
        self.written += 1
        self._written[name].append(now)
        self._active[name] = now
        if self.states[name] is TaskState.OPEN:
            self._tasks.remove(name)
            self._tasks.insert(0, name)

    def outdated_threads(self, count: int) -> Sequence[str]:
        return sorted(self._outdated, key=lambda each: -self._signs[each])[:count]

    def is_thread_current(self, conversation_id: str) -> bool:
        return conversation_id in self._signs and conversation_id not in self._outdated

    def unsigned_threads(self, threads: Collection[str]) -> dict[str, bool]:
        states = {each: self.states[each] for each in threads}
        return {each: state is TaskState.CLOSED for each, state in states.items() if state is not TaskState.OPEN}

    async def fetch(self, job: Job) -> bool:
        asked_at = self.clock()
        sign = self._signs.get(job.target, 0.0)
        place = 0
        if job.kind is PollKind.TASKS_SWEEP:
            self._place = self._place % self.walk_pages + 1
            place = self._place
        page = self._tasks[place * MAX_TASKS_LIMIT :][:MAX_TASKS_LIMIT]
        active = {each: self._active[each] for each in page}
        await super().fetch(job)
        differs = False
        if job.kind in (PollKind.THREAD, PollKind.THREAD_BEHIND):
            written = self._written[job.target]
            seen = [at for at in written if at <= asked_at]
            self._written[job.target] = written[len(seen) :]
            self.news[self.states[job.target]] += [self.clock() - at for at in seen]
            self._outdated -= {job.target} if sign == self._signs.get(job.target, 0.0) else set()
            differs = bool(seen)
        elif job == HEAD or job.kind is PollKind.TASKS_SWEEP:
            newer = {each: at for each, at in active.items() if self._signs[each] < at}
            self._signs |= newer
            self._outdated |= newer.keys()
            differs = bool(newer)
        return differs

    def unread(self) -> dict[TaskState, int]:
        """Return the messages that nobody has read yet."""
        found = dict.fromkeys(TaskState, 0)
        for name, written in self._written.items():
            found[self.states[name]] += len(written)
        return found

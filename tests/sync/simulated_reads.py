"""A poller over a made-up platform on a virtual clock: minutes of polling in milliseconds, always the same.

Imported by the tests of this folder and by `tests/lab/benchmarks/freshness.py`.
"""

import asyncio
import random
import selectors
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import apsw

from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.storage import clients, schema
from frontdesk.storage.clients import Focus
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import Budget, urgent
from frontdesk.sync.poller import Poller
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk_api.client.errors import Ambiguous, ApiError
from frontdesk_api.client.transport import HEADERS_SECONDS
from frontdesk_api.contract.ids import CampaignId

LATENCY = (0.15, 0.45)
START = 1_000_000.0


class _Jump(selectors.DefaultSelector):
    """Doesn't wait: it moves the clock of its loop."""

    now = START

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found and timeout:
            self.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while everything in it sleeps."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return self._jump.now


def running_campaign(name: str, status: str = "inProgress") -> CampaignRecord:
    counters = Counters(*[None] * 9)
    times = (None, START, None, None)
    return CampaignRecord(CampaignId(name), name, status, counters, *times, "", "", None, "", START, "", {})


@dataclass
class Read:
    """A finished read: what, when it was asked for and when it had come."""

    job: Job
    asked_at: float
    at: float


@dataclass
class Simulation:
    """What somebody looks at, what the platform has, and what was read.

    Attributes:
        pages: of the walk over all tasks; the poller begins with none.
        ahead: conversations whose threads were never read, the most recently active first.
        with_tasks: those of them with open tasks.
        outdated: conversations with a sign of a new message.
        to_check: conversations that are read again without a sign.
        differs: whether a read finds a difference.
        hangs: kinds and ids that aren't answered.
        refuses: returns the error with which a read is answered, if any.
        unsigned: conversations without an open task, and whether they have a closed one.
        walk_pages: of the walk over all tasks, as far as it is known.
        read_by: by id, when alerts need a campaign to be read.
        asked_last: by what was read, when the newest finished read of it was asked for.
    """

    screens: Sequence[Focus] = ()
    campaigns: Sequence[CampaignRecord] = ()
    pages: int = 0
    ahead: list[str] = field(default_factory=list)
    with_tasks: Collection[str] = ()
    outdated: list[str] = field(default_factory=list)
    to_check: list[str] = field(default_factory=list)
    current: set[str] = field(default_factory=set)
    per_second: float = 5.0
    per_minute: int = 120
    differs: Callable[[Job], bool] = lambda job: job.kind is PollKind.CAMPAIGN
    hangs: Collection[str] = ()
    refuses: Callable[[Job], ApiError | None] = lambda _: None
    read_by: dict[str, float] = field(default_factory=dict)
    unsigned: dict[str, bool] = field(default_factory=dict)
    walk_pages: int = 0
    latency: tuple[float, float] = LATENCY

    opened: ClassVar[list["Simulation"]] = []
    """Those that nobody has closed yet."""

    def __post_init__(self) -> None:
        self.opened.append(self)
        self.loop = VirtualLoop()
        self.reads: list[Read] = []
        self.asked_last: dict[Job, float] = {}
        self.asked: list[tuple[Job, float]] = []
        self.requests: list[float] = []
        self.changes: list[float] = []
        self.decisions = 0
        self.decision_seconds = 0.0
        self._chance = random.Random("simulated reads")
        self._told: dict[str, CampaignRecord] = {}
        self._woken = asyncio.Event()
        self.clock = self.loop.time
        self.backoff = Backoff(self.clock, self._chance, throttled=lambda: self.budget.throttled())
        self.budget = Budget(self.per_second, self.per_minute, self.clock)
        self.db = apsw.Connection(":memory:")
        schema.load().store[0](self.db)
        self.poller = Poller(
            self,
            SimpleNamespace(reading=self.db),  # type: ignore[arg-type]
            self.budget,
            self.backoff,
            self.clock,
            chance=self._chance.random,
            ended=self._woken.set,
            read_by=self.read_by,
        )
        self.show(self.screens)

    def refresh(self, target: str = "") -> None:
        """Do what the engine does when a person presses `R`, or `r` on something with this id."""
        self.poller.refresh(target)
        self._woken.set()

    def show(self, screens: Sequence[Focus]) -> None:
        """Change what is on the screens; somebody has just pressed a key on each that says nothing else."""
        self.screens = screens
        self._report()
        self._woken.set()

    def run(self, seconds: float, each_second: Callable[[], object] | None = None) -> None:
        """Let so much time pass, and call after each second of it."""

        async def rest() -> None:
            if each_second is None:
                await asyncio.sleep(seconds)
                return
            for _ in range(int(seconds)):
                await asyncio.sleep(1.0)
                each_second()

        self._live(rest())

    def run_until(self, task: "asyncio.Task[None]") -> None:
        """Let time pass until a task of this has ended."""

        async def rest() -> None:
            await task

        self._live(rest())

    def _live(self, resting: Coroutine[object, object, None]) -> None:
        async def live() -> None:
            polling, active = asyncio.create_task(self._poll()), asyncio.create_task(self._stay_active())
            await resting
            for task in (polling, active):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

        self.loop.run_until_complete(live())

    def close(self) -> None:
        """End what is under way."""

        async def end() -> None:
            await self.poller.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.loop.run_until_complete(end())
        self.loop.close()
        self.db.close()

    def send_changes(self, count: int, pause: float = 0.0) -> "asyncio.Task[None]":
        """Begin to send a person's changes one after the other."""

        async def send() -> None:
            for _ in range(count):
                with urgent():
                    await self._request()
                self.changes.append(self.clock())
                await asyncio.sleep(pause)

        return self.loop.create_task(send())

    def times(self, *kinds: PollKind, target: str | None = None) -> list[float]:
        """Return when reads of these kinds had come."""
        return [each.at for each in self.reads if each.job.kind in kinds and target in (None, each.job.target)]

    def ages(self, jobs: Collection[Job], since: float = 0.0, every: float = 0.5) -> list[float]:
        """Return the ages of all of these as a person sees them, sampled from so many seconds after the start."""
        by_job: dict[Job, list[Read]] = defaultdict(list)
        for each in self.reads:
            by_job[each.job].append(each)
        found = []
        for job in jobs:
            asked_at, left = START, iter(by_job[job])
            read, at = next(left, None), START
            while at < self.clock():
                while read is not None and read.at <= at:
                    asked_at, read = read.asked_at, next(left, None)
                if at >= START + since:
                    found.append(at - asked_at)
                at += every
        return sorted(found)

    @property
    def swept(self) -> bool:
        return not self.pages

    walked: Collection[str] = ()
    refused: Collection[str] = ()
    workflows_behind = False

    def watched_campaigns(self) -> Sequence[CampaignRecord]:
        return self.campaigns

    def campaign_changes(self) -> Mapping[str, CampaignRecord | None]:
        found = {each.campaign_id: each for each in self.campaigns}
        changed = {
            key: found.get(key) for key in {*found, *self._told} if found.get(key) is not self._told.get(key)
        }
        self._told = dict(found)
        return changed if changed else {}

    def outdated_threads(self, count: int) -> Sequence[str]:
        return self.outdated[:count]

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> Sequence[str]:
        if from_oldest:
            return [each for each in reversed(self.ahead) if each in self.with_tasks][:count]
        return self.ahead[:count]

    def threads_to_check(self, count: int) -> Sequence[str]:
        return self.to_check[:count]

    def unsigned_threads(self, threads: Collection[str]) -> Mapping[str, bool]:
        return {each: has_task for each, has_task in self.unsigned.items() if each in threads}

    def is_thread_current(self, conversation_id: str) -> bool:
        return conversation_id in self.current

    async def fetch(self, job: Job) -> bool:
        asked_at = self.clock()
        await self._request()
        if job.kind in self.hangs or job.target in self.hangs:
            await asyncio.sleep(HEADERS_SECONDS)
            raise Ambiguous("didn't respond in time")
        self.asked.append((job, asked_at))
        if (error := self.refuses(job)) is not None:
            raise error
        if job.kind is PollKind.TASKS_SWEEP and self.pages:
            self.pages -= 1
        if job.kind in (PollKind.THREAD, PollKind.THREAD_BEHIND):
            for waiting in (self.ahead, self.outdated, self.to_check):
                if job.target in waiting:
                    waiting.remove(job.target)
        self.reads.append(Read(job, asked_at, self.clock()))
        self.asked_last[job] = max(asked_at, self.asked_last.get(job, asked_at))
        return self.differs(job)

    def was_refused(self, job: Job) -> bool:
        return False

    def ask_again(self) -> None:
        """Nothing was given up."""

    async def _request(self) -> None:
        await self.budget.take()
        self.requests.append(self.clock())
        await asyncio.sleep(self._chance.uniform(*self.latency))

    async def _poll(self) -> None:
        while True:
            self._woken.clear()
            began = time.perf_counter()
            rest = await self.poller.step()
            self.decision_seconds += time.perf_counter() - began
            self.decisions += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._woken.wait()

    async def _stay_active(self) -> None:
        while True:
            self._report()
            await asyncio.sleep(60.0)

    def _report(self) -> None:
        now = self.clock()
        self.db.execute("DELETE FROM looking")
        for place, each in enumerate(self.screens):
            focus = each if each.active_at else each._replace(active_at=now)
            clients.report_focus(self.db, str(place), focus, now)


def share_below(ages: Sequence[float], share: float) -> float:
    """Return the age that this share of all moments stays below."""
    ordered = sorted(ages)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

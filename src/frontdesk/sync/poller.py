"""Runs due polls, one request a host at a time.

The engine calls `step` repeatedly. A hanging host blocks no other; a poll that fails through a fault of ours
rests while the others go on.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Protocol

import apsw

from frontdesk.api.client.errors import ABOUT_HOST, ApiError, BadReply, BadRequestInput, NotFound, Refused
from frontdesk.api.contract.endpoints import Host
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import URGENT, Budget
from frontdesk.sync.scheduler import (
    REQUESTED,
    Job,
    PolledCampaign,
    PollKind,
    PollRun,
    Situation,
    after,
    is_idle,
    upcoming,
)

log = logging.getLogger(__name__)

POLLS_AT_ONCE = 3
"""Fewer than the client's slots, so that a person's changes never wait behind hanging polls."""

FAULTY_REST_SECONDS = 60.0
"""The rest of a poll after a fault of ours."""

STUCK_FIRST_SECONDS, MAX_STUCK_SECONDS = 2.0, 60.0
"""The pause of all polls after a failed write, at first and at most."""

RUNS_KEPT = 2_000

_OF_WORKFLOWS = (PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS)
"""Requests for these need the whole documents."""

_LISTS = frozenset(
    {PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP, PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS, PollKind.AI_AGENTS}
)
"""Reads without an id, so a refusal isn't about one."""

MIN_REFUSED = 3
"""Refused ids, without an answer in between, after which a host counts as refusing every read."""

STORE_TROUBLE = (apsw.Error, StoreUnusable)

HOSTS = {
    PollKind.THREAD: Host.BASE,
    PollKind.THREAD_BEHIND: Host.BASE,
    PollKind.TASKS_OF: Host.BUSINESS,
    PollKind.TASKS_HEAD: Host.BUSINESS,
    PollKind.TASKS_SWEEP: Host.BUSINESS,
    PollKind.CAMPAIGN: Host.CAMPAIGNS,
    PollKind.WORKFLOWS: Host.WORKFLOWS,
    PollKind.WHOLE_WORKFLOWS: Host.WORKFLOWS,
    PollKind.AI_AGENTS: Host.AI,
}


class Resources(Protocol):
    """The reads of one profile, composed by the app from the features' own."""

    @property
    def swept(self) -> bool:
        """Whether all tasks were read once since the engine began."""

    @property
    def walked(self) -> Collection[str]:
        """Keys of filters whose pages were all read, up to the limit."""

    @property
    def refused(self) -> Collection[str]:
        """Keys of filters that the platform refuses."""

    @property
    def workflows_behind(self) -> bool:
        """Whether a listed workflow's document is missing or outdated."""

    def watched_campaigns(self) -> Sequence[PolledCampaign]: ...

    def threads_to_read(self, count: int) -> Sequence[str]:
        """At most so many conversations whose threads should be read in the background."""

    async def fetch(self, job: Job) -> bool:
        """Read and store one thing; returns whether anything differed."""

    def was_refused(self, job: Job) -> bool:
        """Whether a read without an error stored a refusal for the screens."""

    def ask_again(self) -> None:
        """Retry everything that was given up, on a person's request."""


class _Refusals:
    """The refused reads of one host since its last answer."""

    def __init__(self) -> None:
        self._lists_answered: set[PollKind] = set()
        self._refused: set[Job] = set()

    def answered(self, job: Job) -> None:
        if job.kind in _LISTS:
            self._lists_answered.add(job.kind)
        self._refused.clear()

    def refuse_all(self, job: Job, error: Refused) -> bool:
        """Note a refused read; returns whether the host refuses every read, not single ids."""
        if job.kind in _LISTS:
            self._lists_answered.discard(job.kind)
            return not self._lists_answered
        if not isinstance(error, NotFound):
            self._refused.add(job)
        return not self._lists_answered and len(self._refused) >= MIN_REFUSED


class Poller:
    """The polls of one profile.

    Args:
        chance: 0 to 1, for jitter and the spread at the start.
        ended: called after each poll, failed ones too.

    Attributes:
        needed: the hosts used by wanted polls.
        is_paused: whether every screen has paused polling.
        stuck: why this machine can't store data; empty where it can.
        stuck_until: the time of the next attempt.
    """

    def __init__(
        self,
        resources: Resources,
        store: Store,
        budget: Budget,
        backoff: Backoff,
        clock: Callable[[], float],
        *,
        chance: Callable[[], float] = random.random,
        ended: Callable[[], None],
    ):
        self._resources, self._store = resources, store
        self.budget, self._backoff = budget, backoff
        self._clock, self._chance, self._ended = clock, chance, ended
        self._begun_at = clock()
        self._seed = int(chance() * 2**32)
        self._runs: dict[Job, PollRun] = {}
        self._unreadable_threads: set[str] = set()
        self._busy: dict[Host, asyncio.Task[None]] = {}
        self._in_flight: set[Job] = set()
        self._requested_in_flight: set[Job] = set()
        self._refusals = {host: _Refusals() for host in Host}
        self._fault: BaseException | None = None
        self._stuck_times = 0
        self.needed: set[str] = set()
        self.is_paused = False
        self.stuck = ""
        self.stuck_until = 0.0

    @property
    def has_read_all(self) -> bool:
        """Whether every task, thread, watched campaign, workflow and AI agent was read once."""
        kinds = {job.kind for job in self._runs}
        return (
            self._resources.swept
            and {PollKind.WORKFLOWS, PollKind.AI_AGENTS} <= kinds
            and not self._resources.threads_to_read(1)
            and all(each.read_at or each.problem for each in self._resources.watched_campaigns())
        )

    async def step(self) -> float:
        """Begin the most urgent due poll, if any; returns the seconds to rest.

        Raises:
            apsw.Error, StoreUnusable: the store could not be used, now or by a poll that has ended since.
        """
        if (fault := self._fault) is not None:
            self._fault = None
            raise fault
        now = self._clock()
        open_screens = clients.open_screens(self._store.reading, now)
        self.is_paused = bool(open_screens) and all(each.paused for each in open_screens)
        if self.is_paused:
            return 60.0
        if now < self.stuck_until:
            return self.stuck_until - now
        open_screens = [each for each in open_screens if not each.paused]
        self._backoff.attended = any(each.focused and not is_idle(each, now) for each in open_screens)
        due = upcoming(self._situation(open_screens), now)
        self.needed = {HOSTS[each.job.kind] for each in due}
        queue = [
            (max(each.at, self._backoff.ready_at(HOSTS[each.job.kind])), each.job)
            for each in due
            if HOSTS[each.job.kind] not in self._busy
        ]
        job = next((job for at, job in queue if at <= now), None)
        if job is None:
            return min((at for at, _ in queue), default=now + 60.0) - now
        if len(self._busy) >= POLLS_AT_ONCE:
            return 60.0  # whichever ends first wakes this
        first_sight = job.kind is PollKind.THREAD and job not in self._runs
        behind = job.kind is PollKind.THREAD_BEHIND
        if (wait := self.budget.wait_seconds(urgent=first_sight, behind=behind)) > 0:
            # Something that may spend more can become due before this job may go.
            return min(wait, 1.0)
        host = HOSTS[job.kind]
        self._busy[host] = asyncio.create_task(self.poll(job, host, first_sight=first_sight))
        self._busy[host].add_done_callback(partial(self._poll_ended, host))
        return 0.0

    def refresh(self, target: str) -> None:
        """Make everything, or the polls of one id, due at once."""
        self._backoff.reset()
        self._unreadable_threads.clear()
        self._resources.ask_again()
        self.stuck_until = 0.0
        requested = {job for job in self._runs if target in ("", job.target, str(job.kind))}
        if target:
            requested |= {Job(PollKind.CAMPAIGN, target), Job(PollKind.THREAD, target)}
        if target in _OF_WORKFLOWS:
            requested.add(Job(PollKind.WHOLE_WORKFLOWS))
        self._runs |= dict.fromkeys(requested, REQUESTED)
        self._requested_in_flight |= requested & self._in_flight

    def resume_after_sleep(self) -> None:
        """Cancel lost requests and make all wanted polls due once."""
        for task in self._busy.values():
            task.cancel()
        self._backoff.reset()
        self.budget.reset_after_sleep()
        self.stuck_until = 0.0

    def adjust_to_clock(self, seconds: float) -> None:
        """Forget all stored times, so that everything is due again."""
        for task in self._busy.values():
            task.cancel()
        self._runs.clear()
        self._begun_at = 0.0
        self._backoff.adjust_to_clock(seconds)
        self._backoff.reset()
        self.stuck_until = 0.0

    async def close(self) -> None:
        """Cancel running polls."""
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _situation(self, open_screens: list[Focus]) -> Situation:
        waiting = self._resources.threads_to_read(len(self._unreadable_threads) + 1)
        return Situation(
            open_screens=open_screens,
            campaigns=self._resources.watched_campaigns(),
            runs=self._runs,
            behind=next((each for each in waiting if each not in self._unreadable_threads), ""),
            swept=self._resources.swept,
            walked=self._resources.walked,
            refused=self._resources.refused,
            workflows_behind=self._resources.workflows_behind,
            begun_at=self._begun_at,
            seed=self._seed,
        )

    def _poll_ended(self, host: Host, task: asyncio.Task[None]) -> None:
        if self._busy.get(host) is task:
            del self._busy[host]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fault = error
        self._ended()

    async def poll(self, job: Job, host: Host, *, first_sight: bool) -> None:
        """Run one poll to its end."""
        URGENT.set(first_sight)
        self._in_flight.add(job)
        try:
            differed = await self._resources.fetch(job)
        except ApiError as error:
            log.warning("couldn't load %s: %s", job.kind, type(error).__name__)
            self._note_failure(job, host, error)
        except STORE_TROUBLE as error:
            self._note_stuck(error)
            raise
        except Exception:
            # A fault of ours in one poll must neither spin nor keep the others from going on.
            log.exception("couldn't load %s", job.kind)
            self._postpone(job)
        else:
            self._note_success(job, host, differed=differed)
        finally:
            self._in_flight.discard(job)
            if job in self._requested_in_flight:
                # What came left the platform before the request: it is read once more.
                self._requested_in_flight.discard(job)
                self._runs[job] = REQUESTED

    def _note_success(self, job: Job, host: Host, *, differed: bool) -> None:
        self._runs[job] = after(self._runs.get(job), self._clock(), differed=differed, chance=self._chance())
        was_read = not self._resources.was_refused(job)
        self._backoff.note_success(host, was_read=was_read)
        if was_read:
            self._refusals[host].answered(job)
        self.stuck, self._stuck_times = "", 0
        if job.kind is PollKind.THREAD_BEHIND:
            del self._runs[job]
        elif len(self._runs) > RUNS_KEPT:
            newest = sorted(self._runs, key=lambda each: self._runs[each].at)[-RUNS_KEPT // 2 :]
            self._runs = {each: self._runs[each] for each in newest}

    def _note_failure(self, job: Job, host: Host, error: ApiError) -> None:
        """Note a host's failure; a single refusal is none, unless every read is refused."""
        if isinstance(error, Refused | BadRequestInput) and not isinstance(error, ABOUT_HOST):
            self._runs[job] = PollRun(self._clock(), chance=self._chance())
            if isinstance(error, Refused) and self._refusals[host].refuse_all(job, error):
                self._backoff.note_failure(host, error)
            else:
                self._backoff.note_success(host, was_read=False)
        else:
            self._backoff.note_failure(host, error)
        if job.kind is PollKind.THREAD_BEHIND:
            self._runs.pop(job, None)
            if isinstance(error, Refused | BadRequestInput | BadReply) and not isinstance(error, ABOUT_HOST):
                # One thread that can't be read must not keep the others waiting behind it.
                self._unreadable_threads.add(job.target)

    def _note_stuck(self, error: Exception) -> None:
        wait = min(MAX_STUCK_SECONDS, STUCK_FIRST_SECONDS * 2.0 ** min(self._stuck_times, 10))
        self._stuck_times += 1
        self.stuck, self.stuck_until = str(error) or type(error).__name__, self._clock() + wait

    def _postpone(self, job: Job) -> None:
        self._runs[job] = PollRun(self._clock() + FAULTY_REST_SECONDS, chance=self._chance())
        if job.kind is PollKind.THREAD_BEHIND:
            del self._runs[job]
            self._unreadable_threads.add(job.target)

"""Runs due polls, one at a time for each host, with read-ahead and failed polls in a second lane.

With many open threads, up to three of them are fetched at once.

The engine calls `step` repeatedly. A hanging host blocks no other; a poll that fails because of a bug
rests while the others go on.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import Duty, LateRead
from frontdesk.sync.backoff import MAX_ATTENDED_SECONDS, Backoff
from frontdesk.sync.budget import ALLOWANCE, Allowance, Budget, RequestPurpose
from frontdesk.sync.freshness import LateReads
from frontdesk.sync.poll_queue import FairShares, PollQueue
from frontdesk.sync.poll_results import HOSTS, SLOW_SECONDS, PollResults, Resources, ThreadQueue
from frontdesk.sync.scheduler import (
    ALL_CAMPAIGNS,
    HEAD,
    IDLE_AFTER,
    MANY_THREADS,
    MAX_INTERVAL,
    NO_DEADLINES,
    NO_WATCH,
    OPEN_THREAD,
    STEADY_JOBS,
    DuePoll,
    Job,
    PolledCampaign,
    PollKind,
    PollRun,
    Shown,
    Situation,
    ThreadWatch,
    due_poll,
    thread_rest,
    thread_watch,
    upcoming,
)
from frontdesk.sync.store_write_errors import STORE_TROUBLE, StoreTrouble
from frontdesk.sync.team_role import TeamRole
from frontdesk_api.client.errors import ApiError
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.values import CAMPAIGN_ENDED

log = logging.getLogger(__name__)

LANES_AT_ONCE, THREADS_AT_ONCE = 3, 3
"""Maximum number of lanes in use, and of polls in that of many open threads; all others have one poll at a time.

Together they are below the client's slots: a person's changes never wait for hanging polls.
"""

UNSIGNED_SECONDS = 5.0
"""Seconds between two looks at which open threads have no open task."""

MAX_MOVED = 200
"""Maximum number of threads with signs of new messages to look for, the most active ones."""

MAX_WAIT_SECONDS = 1.0
"""Maximum rest in seconds while polls wait for the budget: a poll that may spend more can become due."""

SIGNS_SECONDS = 60.0
"""Seconds for which the signs of new messages on the first page of tasks are reliable."""

AWAITED_SECONDS = 5.0
"""Maximum seconds for which many threads that were opened without such signs wait for the page: one request
instead of one for each, as when a whole team comes at once."""

SHORTER = 0.9
"""Part of the rest of threads below which they are all placed again: it follows the budget, which seldom stays."""

_OF_WORKFLOWS = (PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS)
"""Targets of requests that need the whole documents of workflows."""

_Lane = tuple[Host, bool]
"""A host, and whether the lane is for reading ahead and for failed polls: nobody waits for these."""

_THREADS: _Lane = (Host.BASE, False)


class Poller:
    """The polls of one profile.

    Args:
        chance: 0 to 1, for jitter and the spread at the start.
        ended: called after each poll, failed ones too.
        read_by: by id, when a campaign must be fetched again, for its alerts; kept up to date by its owner.
        role: this machine's role in its team's polling, also kept up to date by its owner.

    Attributes:
        needed: the hosts used by wanted polls.
        wanted: the wanted polls that have failed.
        results: the results of the polls.
        is_paused: whether every screen has paused polling.
        store_trouble: the reason why this machine can't store data.
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
        read_by: Mapping[str, float] = NO_DEADLINES,
        role: TeamRole | None = None,
    ):
        self._role = role or TeamRole()
        self._resources, self._store = resources, store
        self.budget, self._backoff = budget, backoff
        self._clock, self._chance, self._ended = clock, chance, ended
        self._begun_at = clock()
        self._seed = int(chance() * 2**32)
        self._threads = ThreadQueue(resources, clock)
        self.results = PollResults(resources, backoff, self._threads, clock, chance)
        self._busy: dict[asyncio.Task[None], _Lane] = {}
        self._shares = FairShares()
        self._queue, self._now = PollQueue(self._due), clock()
        self._campaigns: dict[str, PolledCampaign] = {}
        self._duty: Duty | None = None
        self._read_by_leader, self._read_by = set[str](), read_by
        self._screens: tuple[Sequence[Focus], Sequence[Focus]] = ((), ())
        self._open_threads: frozenset[str] = frozenset()
        self._opened: dict[str, float] = {}  # since when a thread waits for signs of new messages
        self._watch, self._watched, self._watch_at = NO_WATCH, frozenset[str](), 0.0
        self._longest_rest, self._campaign_view = 0.0, (False, 1.0)
        self._shown = Shown()
        self._situation = self._situated(self._shown, {})
        self._late_reads = LateReads()
        self._in_flight: dict[Job, float] = {}  # when the poll was requested
        self._requested_in_flight: set[Job] = set()
        self._hosts_to_try: set[str] = set()
        self._fault: BaseException | None = None
        self.needed, self.wanted = set[str](), set[Job]()
        self.is_paused = False
        self.store_trouble = StoreTrouble(store)

    @property
    def has_read_all(self) -> bool:
        """Return whether every task, thread, watched campaign, workflow and AI agent was fetched once."""
        kinds = {job.kind for job in self.results.runs}
        return (
            self._resources.swept
            and {PollKind.WORKFLOWS, PollKind.AI_AGENTS} <= kinds
            and not self._resources.outdated_threads(1)
            and not self._resources.never_read_threads(1)
            and all(each.read_at or each.problem for each in self._resources.watched_campaigns())
        )

    async def step(self) -> float:
        """Begin the most urgent due poll, if any; return the seconds to rest.

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
        if now < self.store_trouble.until:
            return self.store_trouble.until - now
        self._place_changed([each for each in open_screens if not each.paused], now)
        if self._role.polls_later(now):
            self.needed, self.wanted = set(), set()
            return self._role.polls_from - now
        due = self._queue.first(now, self._backoff.failed_reads)
        self.needed = {HOSTS[each.job.kind] for each in due}
        self.wanted = {each.job for each in self._queue.among(self._backoff.failed_reads)}
        self._backoff.forget_reads(self.wanted)
        tries = self._tries(due)
        queue = [(self._ready_at(each, tries), each) for each in due if self._has_room(self._lane(each))]
        ready = [each for at, each in queue if at <= now]
        if not ready:
            return min((now + 60.0, *(at for at, _ in queue))) - now
        lanes = set(self._busy.values())
        if len(lanes) >= LANES_AT_ONCE - 1:
            # The last lane is for shown data.
            ready = [each for each in ready if not self.results.is_beside(each.job)]
        if len(lanes) >= LANES_AT_ONCE:
            ready = [each for each in ready if self._lane(each) in lanes]
        if not ready:
            return 60.0  # the first poll to end wakes this
        waits = [(self._budget_wait(each), each) for each in ready]
        affordable = [each for wait, each in waits if wait <= 0]
        if not affordable:
            soonest = (at - now for at, _ in queue if at > now)
            return min(MAX_WAIT_SECONDS, *soonest, *(wait for wait, _ in waits))
        self._begin(affordable)
        return 0.0

    def _budget_wait(self, due: DuePoll) -> float:
        return self.budget.wait_seconds(first_look=due.is_first_look, leaves=due.leaves)

    def _lane(self, due: DuePoll) -> _Lane:
        return HOSTS[due.job.kind], self.results.is_beside(due.job)

    def _has_room(self, lane: _Lane) -> bool:
        are_many = lane == _THREADS and self._situation.thread_rest > 0 and not self._backoff.has_failed(Host.BASE)
        return [*self._busy.values()].count(lane) < (THREADS_AT_ONCE if are_many else 1)

    def _tries(self, due: Sequence[DuePoll]) -> Collection[Job]:
        """Return the next poll of each failing host; after a failed change it may be due only in minutes."""
        first: dict[Host, Job] = {}
        for each in due:
            if self._backoff.has_failed(host := HOSTS[each.job.kind]):
                first.setdefault(host, each.job)
        return first.values()

    def _ready_at(self, due: DuePoll, tries: Collection[Job]) -> float:
        host, at = HOSTS[due.job.kind], due.at
        if due.job in tries and (run := self.results.runs.get(due.job)) is not None:
            at = min(at, run.at + MAX_ATTENDED_SECONDS)
        return at if host in self._hosts_to_try else max(at, self._backoff.ready_at(host, due.job))

    def _begin(self, ready: Sequence[DuePoll]) -> None:
        """Begin the poll whose share goes next, and pay for its first request."""
        due = self._shares.choose(ready)
        self._shares.charge(due)
        if due.job.kind is PollKind.THREAD_BEHIND:
            self._threads.note_begun(due.job.target)
        host = HOSTS[due.job.kind]
        self._hosts_to_try.discard(host)
        if self._backoff.is_throttled(host):
            self._backoff.begin_try(host)
        purpose = self.budget.spend(first_look=due.is_first_look)
        self._in_flight[due.job] = self._clock()
        task = asyncio.create_task(self.poll(due, purpose))
        self._busy[task] = self._lane(due)
        task.add_done_callback(partial(self._poll_ended, due.job))

    def late_reads(self) -> tuple[LateRead, ...]:
        """Return shown data that is older than it should be; this takes time for each campaign."""
        now, screens = self._clock(), self._screens[0]
        if self.is_paused or not screens:
            return self._late_reads.update((), {}, now)
        shown = Shown(screens)
        # Ended campaigns are seldom fetched, and their rows show since when: they don't make others old.
        watched = self._campaigns.items() if ALL_CAMPAIGNS in shown.jobs else ()
        campaigns = {key: each for key, each in watched if each.status not in CAMPAIGN_ENDED}
        polls = upcoming(self._situated(shown, campaigns), now)
        # A failing host or poll is shown as failing, and starts over as late.
        late = [
            each
            for each in polls
            if each.is_on_screen and not self._backoff.has_failed(HOSTS[each.job.kind], each.job)
        ]
        jobs = [each.job for each in late]
        for job, asked_at in self._in_flight.items():
            self.results.note_if_slow(job, asked_at)
        unread = self.results.unread_since_trouble(jobs)
        read_at = self._role.last_reads(self.results.read_at, jobs)
        told_after = self._role.told_after
        return self._late_reads.update(late, read_at, now, unread_since_trouble=unread, told_after=told_after)

    @property
    def thread_rest(self) -> float:
        """The seconds that an open thread rests after a poll, unless there is a sign of a new message."""
        if self._role.duty is Duty.FOLLOWS:
            return self._role.thread_rest
        if not self._has_signs(self._clock()):
            return 0.0
        return thread_rest(len(self._open_threads), self.budget.per_minute)

    @property
    def watch(self) -> ThreadWatch:
        """The way in which open threads without an open task are checked, if many threads are open."""
        if self._role.duty is Duty.FOLLOWS:
            return self._role.watch
        return self._watch if self.thread_rest else NO_WATCH

    def campaign_reads(self) -> dict[str, float]:
        """Return when each campaign was last fetched, by id: data that didn't differ isn't stored each time."""
        return {job.target: at for job, at in self.results.read_at.items() if job.kind is PollKind.CAMPAIGN}

    def note_reads_by_leader(self, read_at: Mapping[str, float]) -> None:
        """Record when the team's leader has fetched campaigns, by id."""
        for campaign_id, at in read_at.items():
            self.results.count_as_read(Job(PollKind.CAMPAIGN, campaign_id), at)
        # What it doesn't fetch any more is fetched here.
        self.results.changed |= {Job(PollKind.CAMPAIGN, each) for each in self._read_by_leader}
        self._read_by_leader = set(read_at)

    def refresh(self, target: str) -> None:
        """Make everything, or the polls of one id, due at once; send a throttling host one request."""
        self._backoff.reset()
        self._threads.try_all()
        self._resources.ask_again()
        self.store_trouble.until = 0.0
        known = self.results.runs.keys() | self._in_flight.keys()
        requested = {job for job in known if target in ("", job.target, str(job.kind))}
        if target:
            requested |= {Job(PollKind.CAMPAIGN, target), Job(PollKind.THREAD, target)}
        if target in _OF_WORKFLOWS:
            requested.add(Job(PollKind.WHOLE_WORKFLOWS))
        self.results.request(requested)
        wanted = {HOSTS[job.kind] for job in requested} if target else self.needed
        self._hosts_to_try = {host for host in self._hosts_to_try | wanted if self._backoff.is_throttled(host)}
        self._requested_in_flight |= requested & self._in_flight.keys()

    def resume_after_sleep(self) -> None:
        """Cancel lost requests and make all wanted polls due once."""
        self._start_over()
        self.budget.reset_after_sleep()

    def adjust_to_clock(self, seconds: float) -> None:
        """Forget all stored times, so that everything is due again, including threads that were set aside."""
        self.results.forget()
        self._duty = None  # everything is placed again
        self._threads.try_all()
        self._begun_at = 0.0
        self._backoff.adjust_to_clock(seconds)
        self._start_over()

    def _start_over(self) -> None:
        for task in self._busy:
            task.cancel()
        self._shares = FairShares()
        self._backoff.reset()
        self.store_trouble.until = 0.0

    async def close(self) -> None:
        """Cancel running polls."""
        tasks = list(self._busy)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _place_changed(self, own: list[Focus], now: float) -> None:
        """Place again each poll that may be due sooner than when it was placed."""
        before, jobs, self._now = self._situation, self.results.changed, now
        screens = own, self._role.screens_of_others
        if own != self._screens[0] or screens[1] is not self._screens[1]:
            shown = Shown([*own, *screens[1]])
            jobs |= shown.sooner_than(self._shown, now)
            self._note_open_threads(shown, now)
            self._screens, self._shown, self.results.shown = screens, shown, shown.jobs.keys()
        if not 0 <= now - self._watch_at < UNSIGNED_SECONDS:
            self._decide_watch(now)
        self._decide_opened(now)
        self._backoff.attended = now - self._shown.everywhere.focused_at <= IDLE_AFTER
        for campaign_id, campaign in self._resources.campaign_changes().items():
            self._campaigns.pop(campaign_id, None)
            if campaign is not None:
                self._campaigns[campaign_id] = campaign
            jobs.add(Job(PollKind.CAMPAIGN, campaign_id))
        # A thread that was never fetched is due anyway.
        moved = self._open_threads.intersection(self._resources.outdated_threads(MAX_MOVED))
        behind = self._threads.choose(self._open_threads)
        self._situation = found = replace(self._situated(self._shown, self._campaigns), behind=behind, moved=moved)
        jobs |= {*STEADY_JOBS, *(Job(PollKind.THREAD_BEHIND, each.behind) for each in (before, found))}
        jobs |= {Job(PollKind.THREAD, each) for each in moved.symmetric_difference(before.moved)}
        jobs |= {Job(PollKind.THREAD, each) for each in found.watched ^ before.watched}
        duty, view = self._role.duty, (ALL_CAMPAIGNS in self._shown.jobs, self._shown.pace(ALL_CAMPAIGNS, now))
        if duty is not self._duty or view != self._campaign_view:
            jobs |= {Job(PollKind.CAMPAIGN, each) for each in self._campaigns}
        is_told = duty not in (Duty.LEADS, Duty.ALONE)  # what it is told of decides which polls are its own
        is_shorter = found.thread_rest < SHORTER * self._longest_rest
        if duty is not self._duty or is_told or is_shorter or found.swept != before.swept:
            jobs |= self._shown.jobs.keys()
            self._longest_rest = 0.0
        self._longest_rest = max(self._longest_rest, found.thread_rest)
        self._duty, self._campaign_view = duty, view
        while jobs:
            self._queue.place(jobs.pop())

    def _due(self, job: Job) -> DuePoll | None:
        poll = due_poll(job, self._situation, self._now)
        if poll is None or not self._role.is_own(poll):
            return None
        if job.kind is PollKind.THREAD and job in self._in_flight:
            return poll._replace(at=float("inf"))  # others of its lane may be due
        if job.kind is PollKind.THREAD and (since := self._opened.get(job.target)) is not None:
            return poll._replace(at=since + AWAITED_SECONDS)
        if job not in self._backoff.failed_reads:
            return poll
        return poll._replace(at=max(poll.at, self._backoff.ready_at("", job)), has_failed=True)

    def _decide_watch(self, now: float) -> None:
        """Find the open threads without an open task, and decide how they are checked."""
        self._watch_at = now
        unsigned = self._resources.unsigned_threads(self._open_threads) if self.thread_rest else {}
        with_task, pages = sum(unsigned.values()), self._resources.walk_pages
        self._watch = thread_watch(with_task, len(unsigned) - with_task, pages, self.budget.per_minute)
        seconds, walked = self.watch
        self._watched = frozenset(
            each for each, has_task in unsigned.items() if seconds and not (has_task and walked)
        )

    def _note_open_threads(self, shown: Shown, now: float) -> None:
        """Note which threads were just opened, and since when."""
        before = self._open_threads
        self._open_threads = frozenset(job.target for job in shown.jobs if job.kind is PollKind.THREAD)
        if self._open_threads != before:
            self._decide_watch(now)
        opened = self._open_threads - before
        self._opened = {each: at for each, at in self._opened.items() if each in self._open_threads}
        self._opened |= dict.fromkeys(opened, now)

    def _decide_opened(self, now: float) -> None:
        """Decide for threads that were opened whether to fetch them at once; of many, once the signs are there."""
        are_many, has_signs = len(self._open_threads) > MANY_THREADS, self._has_signs(now)
        if has_signs and any(since < now for since in self._opened.values()):
            self._decide_watch(now)  # without signs no thread was watched
        for conversation_id, since in [*self._opened.items()]:
            is_current = self._resources.is_thread_current(conversation_id)
            if is_current and are_many and not has_signs and 0 <= now - since < AWAITED_SECONDS:
                continue
            del self._opened[conversation_id]
            job = Job(PollKind.THREAD, conversation_id)
            run = self.results.runs.get(job)
            if run is not None and since - run.at <= OPEN_THREAD:
                self.results.changed.add(job)
            elif is_current and has_signs and conversation_id not in self._watched:
                # Nothing has happened since the last fetch: opening it counts as one.
                self.results.count_as_read(job, now)
            elif is_current and are_many and not has_signs:
                # Due, but no first look, which would take the budget from threads with a sign.
                self.results.set_run(job, PollRun(since - MAX_INTERVAL))
            else:
                self.results.set_run(job, None)

    def _has_signs(self, now: float) -> bool:
        """Return whether the tasks that name new messages were fetched lately."""
        read_at = self.results.read_at.get(HEAD)
        return self._resources.swept and read_at is not None and now - read_at <= SIGNS_SECONDS

    def _situated(self, shown: Shown, campaigns: Mapping[str, PolledCampaign]) -> Situation:
        """Return the situation without the threads to read ahead."""
        return Situation(
            shown=shown,
            campaigns=campaigns,
            runs=self.results.runs,
            thread_rest=self.thread_rest,
            watch=self.watch,
            watched=self._watched,
            # A page of tasks that can't be fetched must not delay the polls after the first listing.
            swept=self._resources.swept or Job(PollKind.TASKS_SWEEP) in self._backoff.failed_reads,
            walked=self._resources.walked,
            refused=self._resources.refused,
            workflows_behind=self._resources.workflows_behind,
            read_by=self._read_by,
            begun_at=self._begun_at,
            seed=self._seed,
        )

    def _poll_ended(self, job: Job, task: asyncio.Task[None]) -> None:
        del self._busy[task]
        self._in_flight.pop(job, None)
        self.results.changed.add(job)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fault = error
        self._ended()

    async def poll(self, due: DuePoll, purpose: RequestPurpose) -> None:
        """Run one poll, whose first request this purpose has paid for, to its end."""
        job = due.job
        allowance = Allowance(prepaid=1)
        ALLOWANCE.set(allowance)
        asked_at = self._clock()
        try:
            differed = await self._resources.fetch(job)
        except ApiError as error:
            log.warning("couldn't load %s: %s", job.kind, type(error).__name__)
            self.results.note_failure(job, error)
        except STORE_TROUBLE as error:
            self.store_trouble.note(error, self._clock())
            raise
        except Exception:
            # Broad on purpose: a bug in any feature's fetch may raise any type. It is logged with its traceback;
            # the poll rests, so that it neither spins nor keeps the others from going on.
            log.exception("couldn't load %s", job.kind)
            self.results.postpone(job)
        else:
            took = (self._clock() - asked_at) / max(1, allowance.requests)
            self.budget.note_answer(is_quick=0 <= took <= SLOW_SECONDS)
            self.results.note_success(job, asked_at, differed=differed)
            self.store_trouble.clear()
        finally:
            self._shares.charge_more(due, allowance.requests - 1)
            if allowance.prepaid:
                self.budget.refund(purpose)
            if job in self._requested_in_flight:
                # The answer left the platform before the request: fetch once more.
                self._requested_in_flight.discard(job)
                self.results.request([job])

"""Runs due polls, one at a time for each host, with read-ahead and failed polls in a second lane.

The engine calls `step` repeatedly. A hanging host blocks no other; a poll that fails because of a bug
rests while the others go on.
"""

import asyncio
import heapq
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
from frontdesk.sync.fair_shares import FairShares
from frontdesk.sync.freshness import LateReads
from frontdesk.sync.poll_results import HOSTS, SLOW_SECONDS, PollResults, ThreadQueue
from frontdesk.sync.resources import Resources
from frontdesk.sync.scheduler import (
    NO_DEADLINES,
    OPEN_THREAD,
    CampaignView,
    DuePoll,
    Job,
    PolledCampaign,
    PollKind,
    Situation,
    campaign_poll,
    campaign_view,
    is_idle,
    thread_rest,
    upcoming,
)
from frontdesk.sync.store_write_errors import STORE_TROUBLE, StoreTrouble
from frontdesk.sync.team_role import TeamRole
from frontdesk_api.client.errors import ApiError
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.values import CAMPAIGN_ENDED


class CampaignQueue:
    """Due times of campaigns; the soonest is computed again when requested.

    A campaign that an alert needs goes before those that are merely overdue.

    Attributes:
        campaigns: the watched campaigns, by id.
    """

    def __init__(self) -> None:
        self.campaigns: dict[str, PolledCampaign] = {}
        self._changed: set[str] = set()
        self._due, self._deadlines = _Moments(), _Moments()
        self._view: CampaignView | None = None
        self._is_own: Callable[[DuePoll], bool] = lambda _poll: True

    def apply(self, changes: Mapping[str, PolledCampaign | None]) -> None:
        """Take over added and changed campaigns, with `None` for a campaign that is no longer watched."""
        for campaign_id, campaign in changes.items():
            if campaign is None:
                self.campaigns.pop(campaign_id, None)
            else:
                self.campaigns[campaign_id] = campaign
            self._changed.add(campaign_id)

    def update(self, campaign_id: str) -> None:
        """Compute again when a campaign is due, since it may be sooner."""
        self._changed.add(campaign_id)

    def update_all(self) -> None:
        """Compute again when each campaign is due."""
        self._changed |= self.campaigns.keys()

    def first(
        self,
        view: CampaignView,
        situation: Situation,
        now: float,
        is_own: Callable[[DuePoll], bool] = lambda _poll: True,
    ) -> PolledCampaign | None:
        """Return the first due campaign among those that this machine polls itself."""
        self._is_own = is_own
        if view != self._view:
            self._view = view
            self.update_all()
        for each in self._changed:
            self._place(each, situation, now)
        self._changed = set()
        found = self._soonest(self._deadlines, situation, now)
        if found is None or found[0] > now:
            found = self._soonest(self._due, situation, now)
        return None if found is None else self.campaigns[found[1]]

    def _soonest(self, moments: "_Moments", situation: Situation, now: float) -> tuple[float, str] | None:
        """Return the soonest moment that is still right when computed again."""
        while (found := moments.first()) is not None:
            self._place(found[1], situation, now)
            if moments.first() == found:
                break
        return found

    def _place(self, campaign_id: str, situation: Situation, now: float) -> None:
        campaign = self.campaigns.get(campaign_id)
        found = (
            None if campaign is None or self._view is None else campaign_poll(campaign, self._view, situation, now)
        )
        if found is not None and not self._is_own(found):
            found = None
        self._due.put(campaign_id, None if found is None else found.at)
        self._deadlines.put(campaign_id, None if found is None else found.read_by)


class _Moments:
    """A heap of moments by id; an outdated entry is dropped when it comes to the top."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, str]] = []
        self._at: dict[str, float] = {}

    def put(self, key: str, at: float | None) -> None:
        """Set the moment of an id, or remove it for `None`."""
        if at is None:
            self._at.pop(key, None)
        elif self._at.get(key) != at:
            self._at[key] = at
            heapq.heappush(self._heap, (at, key))

    def first(self) -> tuple[float, str] | None:
        """Return the soonest moment and its id."""
        while self._heap and self._at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0] if self._heap else None


log = logging.getLogger(__name__)

POLLS_AT_ONCE = 3
"""Maximum number of polls at once, below the client's slots: a person's changes never wait for hanging polls."""

MAX_MOVED = 200
"""Maximum number of threads with signs of new messages to look for, the most active ones."""

MAX_WAIT_SECONDS = 1.0
"""Maximum rest in seconds while polls wait for the budget: a poll that may spend more can become due."""

SIGNS_SECONDS = 60.0
"""Seconds for which the signs of new messages on the first page of tasks are reliable."""

_OF_WORKFLOWS = (PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS)
"""Targets of requests that need the whole documents of workflows."""

_Lane = tuple[Host, bool]
"""A host, and whether the lane is for reading ahead and for failed polls: nobody waits for these."""


class Poller:
    """The polls of one profile.

    Args:
        chance: 0 to 1, for jitter and the spread at the start.
        ended: called after each poll, failed ones too.
        read_by: by id, when a campaign must be fetched again, for its alerts; kept up to date by its owner.
        role: this machine's role in its team's polling, also kept up to date by its owner.

    Attributes:
        needed: the hosts used by wanted polls.
        wanted: the polls of shown data and of read-ahead.
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
        self._busy: dict[_Lane, asyncio.Task[None]] = {}
        self._shares = FairShares()
        self._campaigns = CampaignQueue()
        self._duty, self._read_by_leader = self._role.duty, set[str]()
        self._read_by = read_by
        self._open_threads: frozenset[str] = frozenset()
        self._late_reads, self._seen_screens = LateReads(), list[Focus]()
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
        self._seen_screens = [each for each in open_screens if not each.paused]
        open_screens = [*self._role.open_screens(self._seen_screens)]
        self._backoff.attended = any(each.focused and not is_idle(each, now) for each in open_screens)
        self._note_open_threads(open_screens, now)
        situation = self._situation(open_screens, now)
        due = [each for each in upcoming(situation, now) if self._role.is_own(each, now)]
        self.needed, self.wanted = {HOSTS[each.job.kind] for each in due}, {each.job for each in due}
        if self._backoff.failed_reads:
            self.wanted |= self._failed_campaigns(situation, now)
            self._backoff.forget_reads(self.wanted)
        tries = self._tries(due)
        queue = [(self._ready_at(each, tries), each) for each in due if self._lane(each) not in self._busy]
        ready = [each for at, each in queue if at <= now]
        if not ready:
            # A machine that has just lost its team waits for a while before it polls for itself.
            latest = self._role.polls_from if self._role.polls_from > now else now + 60.0
            return min((at for at, _ in queue), default=latest) - now
        if len(self._busy) >= POLLS_AT_ONCE - 1:
            # The last place is for shown data.
            ready = [each for each in ready if not self.results.is_beside(each.job)]
        if not ready or len(self._busy) >= POLLS_AT_ONCE:
            return 60.0  # the first poll to end wakes this
        if (wait := self.budget.wait_seconds()) > 0:
            ready = [each for each in ready if each.is_first_look]
            first_wait = self.budget.wait_seconds(first_look=True) if ready else wait
            if first_wait > 0:
                return min(wait, first_wait, MAX_WAIT_SECONDS)
        if (wait := self.budget.wait_seconds(can_wait=True)) > 0:
            ready = [each for each in ready if not each.can_wait]
            if not ready:
                soonest = min((at for at, each in queue if at > now and not each.can_wait), default=now + wait)
                return min(wait, soonest - now, MAX_WAIT_SECONDS)
        self._begin(ready)
        return 0.0

    def _lane(self, due: DuePoll) -> _Lane:
        return HOSTS[due.job.kind], self.results.is_beside(due.job)

    def _failed_campaigns(self, situation: Situation, now: float) -> set[Job]:
        """Return polled campaigns that can't be fetched: `due` has only the campaign that is due first."""
        view = campaign_view(situation.open_screens, now)
        found = {job for job in self.results.failed_campaigns() if job.target in self._campaigns.campaigns}
        return {
            job
            for job in found
            if campaign_poll(self._campaigns.campaigns[job.target], view, situation, now) is not None
        }

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
        share = self._shares.choose({each.share for each in ready})
        due = next(each for each in ready if each.share is share)
        self._shares.charge(share)
        if due.job.kind is PollKind.THREAD_BEHIND:
            self._threads.note_begun(due.job.target)
        host = HOSTS[due.job.kind]
        self._hosts_to_try.discard(host)
        if self._backoff.is_throttled(host):
            self._backoff.begin_try(host)
        purpose = self.budget.spend(first_look=due.is_first_look)
        lane = self._lane(due)
        self._busy[lane] = asyncio.create_task(self.poll(due, purpose))
        self._busy[lane].add_done_callback(partial(self._poll_ended, lane))

    def late_reads(self) -> tuple[LateRead, ...]:
        """Return shown data that is older than it should be; this takes time for each campaign."""
        now, screens = self._clock(), self._seen_screens
        if self.is_paused or not screens:
            return self._late_reads.update((), {}, now)
        is_seen = campaign_view(screens, now).is_on_screen
        # Ended campaigns are seldom fetched, and their rows show since when: they don't make others old.
        watched = self._campaigns.campaigns.values() if is_seen else ()
        campaigns = tuple(each for each in watched if each.status not in CAMPAIGN_ENDED)
        polls = upcoming(self._shown_situation(screens, campaigns), now)
        # A failing host or poll is shown as failing, and starts over as late.
        shown = [
            each
            for each in polls
            if each.is_on_screen and not self._backoff.has_failed(HOSTS[each.job.kind], each.job)
        ]
        jobs = [each.job for each in shown]
        for job, asked_at in self._in_flight.items():
            self.results.note_if_slow(job, asked_at)
        unread = self.results.unread_since_trouble(jobs)
        read_at = self._role.last_reads(self.results.read_at, jobs)
        told_after = self._role.told_after
        return self._late_reads.update(shown, read_at, now, unread_since_trouble=unread, told_after=told_after)

    @property
    def thread_rest(self) -> float:
        """The seconds that an open thread rests after a poll, unless there is a sign of a new message."""
        if self._role.duty is Duty.FOLLOWS:
            return self._role.thread_rest
        has_signs = self._has_signs(self._clock())
        return thread_rest(len(self._open_threads), self.budget.per_minute) if has_signs else 0.0

    def campaign_reads(self) -> dict[str, float]:
        """Return when each campaign was last fetched, by id: data that didn't differ isn't stored each time."""
        return {job.target: at for job, at in self.results.read_at.items() if job.kind is PollKind.CAMPAIGN}

    def note_reads_by_leader(self, read_at: Mapping[str, float]) -> None:
        """Record when the team's leader has fetched campaigns, by id."""
        for campaign_id, at in read_at.items():
            self.results.count_as_read(Job(PollKind.CAMPAIGN, campaign_id), at)
        for campaign_id in self._read_by_leader | read_at.keys():
            self._campaigns.update(campaign_id)
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
        self._campaigns.update_all()
        self._requested_in_flight |= requested & self._in_flight.keys()

    def resume_after_sleep(self) -> None:
        """Cancel lost requests and make all wanted polls due once."""
        for task in self._busy.values():
            task.cancel()
        self._shares = FairShares()
        self._backoff.reset()
        self.budget.reset_after_sleep()
        self.store_trouble.until = 0.0

    def adjust_to_clock(self, seconds: float) -> None:
        """Forget all stored times, so that everything is due again, including threads that were set aside."""
        for task in self._busy.values():
            task.cancel()
        self.results.forget()
        self._shares = FairShares()
        self._campaigns.update_all()
        self._threads.try_all()
        self._begun_at = 0.0
        self._backoff.adjust_to_clock(seconds)
        self._backoff.reset()
        self.store_trouble.until = 0.0

    async def close(self) -> None:
        """Cancel running polls."""
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _note_open_threads(self, open_screens: list[Focus], now: float) -> None:
        """Decide for threads that were just opened whether to fetch them at once."""
        opened = frozenset(each.conversation_id for each in open_screens if each.conversation_id)
        for conversation_id in opened - self._open_threads:
            job = Job(PollKind.THREAD, conversation_id)
            run = self.results.runs.get(job)
            if run is not None and now - run.at <= OPEN_THREAD:
                continue
            if self._has_signs(now) and self._resources.is_thread_current(conversation_id):
                # Nothing has happened since the last fetch: opening it counts as one.
                self.results.count_as_read(job, now)
            else:
                self.results.runs.pop(job, None)
        self._open_threads = opened

    def _has_signs(self, now: float) -> bool:
        """Return whether the tasks that name new messages were fetched lately."""
        read_at = self.results.read_at.get(Job(PollKind.TASKS_HEAD))
        return self._resources.swept and read_at is not None and now - read_at <= SIGNS_SECONDS

    def _situation(self, open_screens: list[Focus], now: float) -> Situation:
        behind = self._threads.choose(self._open_threads)
        # A thread that was never fetched is due anyway.
        moved = self._open_threads.intersection(self._resources.outdated_threads(MAX_MOVED))
        situation = replace(self._shown_situation(open_screens, ()), behind=behind, moved=moved)
        self._campaigns.apply(self._resources.campaign_changes())
        if self._role.duty is not self._duty:
            self._duty = self._role.duty
            self._campaigns.update_all()
        view = campaign_view(open_screens, now)
        campaign = self._campaigns.first(view, situation, now, lambda poll: self._may_begin(poll, now))
        return situation if campaign is None else replace(situation, campaigns=(campaign,))

    def _may_begin(self, campaign: DuePoll, now: float) -> bool:
        """Return whether this machine polls a campaign itself and no other failed one is being tried."""
        lane = self._lane(campaign)
        return self._role.is_own(campaign, now) and not (lane[1] and lane in self._busy)

    def _shown_situation(self, open_screens: list[Focus], campaigns: Sequence[PolledCampaign]) -> Situation:
        """Return the situation without the threads to read ahead, which nobody sees."""
        return Situation(
            open_screens=open_screens,
            campaigns=campaigns,
            runs=self.results.runs,
            thread_rest=self.thread_rest,
            # A page of tasks that can't be fetched must not delay the polls after the first listing.
            swept=self._resources.swept or Job(PollKind.TASKS_SWEEP) in self._backoff.failed_reads,
            walked=self._resources.walked,
            refused=self._resources.refused,
            workflows_behind=self._resources.workflows_behind,
            read_by=self._read_by,
            begun_at=self._begun_at,
            seed=self._seed,
        )

    def _poll_ended(self, lane: _Lane, task: asyncio.Task[None]) -> None:
        if self._busy.get(lane) is task:
            del self._busy[lane]
        for job in self.results.failed_campaigns():
            self._campaigns.update(job.target)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fault = error
        self._ended()

    async def poll(self, due: DuePoll, purpose: RequestPurpose) -> None:
        """Run one poll, whose first request this purpose has paid for, to its end."""
        job = due.job
        allowance = Allowance(prepaid=1)
        ALLOWANCE.set(allowance)
        self._in_flight[job] = asked_at = self._clock()
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
            self._shares.charge_more(due.share, allowance.requests - 1)
            if allowance.prepaid:
                self.budget.refund(purpose)
            self._in_flight.pop(job, None)
            if job in self._requested_in_flight:
                # The answer left the platform before the request: fetch once more.
                self._requested_in_flight.discard(job)
                self.results.request([job])
            if job.kind is PollKind.CAMPAIGN:
                self._campaigns.update(job.target)

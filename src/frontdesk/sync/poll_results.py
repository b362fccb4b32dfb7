"""The polled resources, the results of each poll's last run, and their effect on the next one."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

from frontdesk.sync.backoff import Backoff, is_about_read
from frontdesk.sync.scheduler import REQUESTED, Job, PolledCampaign, PollKind, PollRun, next_run
from frontdesk_api.client.errors import ABOUT_HOST, ApiError, BadRequestInput, NotFound, Refused
from frontdesk_api.contract.endpoints import Host


class Resources(Protocol):
    """The resources of one profile."""

    @property
    def swept(self) -> bool:
        """Return whether all tasks were fetched once since the engine began."""

    @property
    def walked(self) -> Collection[str]:
        """The keys of filters whose pages were all fetched, up to the limit."""

    @property
    def refused(self) -> Collection[str]:
        """The keys of filters that the platform refuses."""

    @property
    def workflows_behind(self) -> bool:
        """Return whether a listed workflow's document is missing or outdated."""

    def watched_campaigns(self) -> Sequence[PolledCampaign]:
        """Return every watched campaign as it was last fetched."""

    def campaign_changes(self) -> Mapping[str, PolledCampaign | None]:
        """Return the watched campaigns that have changed since the last call, with `None` for unwatched ones."""

    def outdated_threads(self, count: int) -> Sequence[str]:
        """Return up to `count` conversations with a sign of a new message since their thread was fetched."""

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> Sequence[str]:
        """Return up to `count` conversations whose thread was never fetched, the most recently active first.

        Args:
            from_oldest: whether to return only those with open tasks, the longest quiet first.
        """

    def threads_to_check(self, count: int) -> Sequence[str]:
        """Return threads due for another fetch without a sign of new messages, most overdue first."""

    @property
    def walk_pages(self) -> int:
        """Return the pages of the last whole walk over all tasks; 0 if unknown."""

    def unsigned_threads(self, threads: Collection[str]) -> Mapping[str, bool]:
        """Return those of these conversations in which no open task shows a new message.

        Returns:
            Whether a closed one does, which only the walk over all tasks meets, by conversation.
        """

    def is_thread_current(self, conversation_id: str) -> bool:
        """Return whether a thread was fetched after the last sign of a new message."""

    async def fetch(self, job: Job) -> bool:
        """Fetch and store one resource; return whether anything differed."""

    def was_refused(self, job: Job) -> bool:
        """Return whether a fetch without an error stored a refusal for the screens."""

    def ask_again(self) -> None:
        """Retry everything that was given up, on a person's request."""


_LISTS = frozenset(
    {PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP, PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS, PollKind.AI_AGENTS}
)
"""Polls without an id, so a refusal isn't about an id."""

MIN_REFUSED = 3
"""Number of refused ids, without an answer in between, after which a host counts as refusing every poll."""


class Refusals:
    """The refused polls of one host since its last answer."""

    def __init__(self) -> None:
        self._lists_answered: set[PollKind] = set()
        self._refused: set[Job] = set()

    def answered(self, job: Job) -> None:
        if job.kind in _LISTS:
            self._lists_answered.add(job.kind)
        self._refused.clear()

    def refuse_all(self, job: Job, error: Refused) -> bool:
        """Record a refused poll; return whether the host refuses every poll, not single ids."""
        if job.kind in _LISTS:
            self._lists_answered.discard(job.kind)
            return not self._lists_answered
        if not isinstance(error, NotFound):
            self._refused.add(job)
        return not self._lists_answered and len(self._refused) >= MIN_REFUSED


SET_ASIDE_SECONDS, MAX_SET_ASIDE_SECONDS = 60.0, 3_600.0
"""Seconds for which a thread that couldn't be fetched is skipped: twice as long each time, up to the maximum."""

FEW_THREADS = 16
"""Number of threads to look at first for one that may be fetched."""


class ThreadQueue:
    """Threads in order of fetching, with those that have a sign of a new message first.

    Then come those in which somebody may have answered elsewhere, then both ends of those never fetched, in
    turn. One end is at the top of the list by activity. The other has open tasks and was quiet for longest: those
    who wait longest are among these, and would be known last.
    """

    def __init__(self, resources: Resources, clock: Callable[[], float]):
        self._resources, self._clock = resources, clock
        self._aside: dict[str, tuple[float, float]] = {}  # until when, and for how many seconds
        self._never_read = ""
        self._from_oldest = False

    def choose(self, open_threads: Collection[str]) -> str:
        """Return the next thread to fetch that isn't open; empty if there is none."""
        self._never_read = ""
        resources = self._resources
        for read in (resources.outdated_threads, resources.threads_to_check):
            if found := self._first(read, open_threads):
                return found
        # If nothing is left at the oldest end, the other end takes its turn.
        for from_oldest in (True, False) if self._from_oldest else (False,):
            never_read = partial(resources.never_read_threads, from_oldest=from_oldest)
            if found := self._first(never_read, open_threads):
                self._never_read = found
                return found
        return ""

    def _first(self, read: Callable[[int], Sequence[str]], open_threads: Collection[str]) -> str:
        """Return the first that is neither open nor set aside, out of as few as possible."""
        now, count = self._clock(), FEW_THREADS
        while True:
            found = read(count)
            for each in found:
                if each not in open_threads and self._aside.get(each, (0.0, 0.0))[0] <= now:
                    return each
            if len(found) < count:
                return ""
            count *= 4

    def set_aside(self, conversation_id: str) -> None:
        """Skip a thread that can't be fetched, for a time."""
        _, seconds = self._aside.get(conversation_id, (0.0, SET_ASIDE_SECONDS / 2))
        seconds = min(MAX_SET_ASIDE_SECONDS, 2 * seconds)
        self._aside[conversation_id] = self._clock() + seconds, seconds

    def note_read(self, conversation_id: str) -> None:
        """Record that a thread could be fetched."""
        self._aside.pop(conversation_id, None)

    def try_all(self) -> None:
        """Take back every thread that was set aside."""
        self._aside.clear()

    def note_begun(self, conversation_id: str) -> None:
        """Give the other end its turn when a thread's first fetch begins; an outdated thread takes no turn."""
        if conversation_id == self._never_read:
            self._from_oldest = not self._from_oldest


FAULTY_REST_SECONDS = 60.0
"""Seconds for which a poll rests after a bug in it."""

SLOW_SECONDS = 2.0
"""Seconds after which a poll is slow: it makes other data of its host on the screens late."""

RUNS_KEPT = 10_000
"""Number of runs, besides those of what is shown, above which the older half is forgotten."""


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


class PollResults:
    """The results of the polls of one profile.

    Args:
        chance: 0 to 1, for jitter.

    Attributes:
        runs: each poll's last run, good or bad.
        read_at: when each poll's last good run was requested.
        shown: the polls of what screens show, whose runs are never forgotten.
        changed: the polls whose runs have changed; the poller places them again, and empties this.
    """

    def __init__(
        self,
        resources: Resources,
        backoff: Backoff,
        threads: ThreadQueue,
        clock: Callable[[], float],
        chance: Callable[[], float],
    ):
        self._resources, self._backoff, self._threads = resources, backoff, threads
        self._clock, self._chance = clock, chance
        self.runs: dict[Job, PollRun] = {}
        self.shown: Collection[Job] = frozenset()
        self.changed: set[Job] = set()
        self.read_at: dict[Job, float] = {}
        self._failed: set[Job] = set()
        self._slow_at: dict[Host, float] = {}
        self._refusals = {host: Refusals() for host in Host}

    def note_success(self, job: Job, asked_at: float, *, differed: bool) -> None:
        """Record a poll without an error, requested at this moment; it may have stored a refusal for screens."""
        host = HOSTS[job.kind]
        self.note_if_slow(job, asked_at)
        run = self.runs.get(job)
        run = next_run(run, self._clock(), differed=differed, chance=self._chance(), asked_at=asked_at)
        self.set_run(job, None if job.kind is PollKind.THREAD_BEHIND else run)
        self._failed.discard(job)
        was_read, had_failed = not self._resources.was_refused(job), self._backoff.has_failed(host)
        self._backoff.note_success(host, was_read=was_read, read=job)
        if was_read:
            # A thread that was fetched ahead is as fresh as an open one.
            read = Job(PollKind.THREAD, job.target) if job.kind is PollKind.THREAD_BEHIND else job
            self.read_at[read] = asked_at
            if read.kind is PollKind.THREAD:
                self._threads.note_read(read.target)
            self._refusals[host].answered(job)
        if had_failed and not self._backoff.has_failed(host):
            self._repeat_failed(host)
        if len(self.runs) > RUNS_KEPT + len(self.shown):
            others = self.runs.keys() - self.shown
            newest = set(sorted(others, key=lambda each: self.runs[each].at)[-RUNS_KEPT // 2 :])
            self.runs = {each: run for each, run in self.runs.items() if each in newest or each in self.shown}
            self.read_at = {each: at for each, at in self.read_at.items() if each in self.runs}
            self._failed &= self.runs.keys()

    def set_run(self, job: Job, run: PollRun | None) -> None:
        """Set a poll's last run, or forget it."""
        if run is None:
            self.runs.pop(job, None)
        else:
            self.runs[job] = run
        self.changed.add(job)

    def note_if_slow(self, job: Job, asked_at: float) -> None:
        """Record that a poll, ended or in flight, keeps its host's others waiting."""
        if not self.is_beside(job) and self._clock() - asked_at > SLOW_SECONDS:
            self._slow_at[HOSTS[job.kind]] = self._clock()

    def is_beside(self, job: Job) -> bool:
        """Return whether a poll runs beside its host's others, so that they don't wait if it hangs again."""
        return job.kind is PollKind.THREAD_BEHIND or job in self._backoff.failed_reads

    def note_failure(self, job: Job, error: ApiError) -> None:
        """Record a poll's failure; a single refusal isn't the host's, unless the host refuses every poll."""
        host, is_behind = HOSTS[job.kind], job.kind is PollKind.THREAD_BEHIND
        is_refused = isinstance(error, Refused | BadRequestInput) and not isinstance(error, ABOUT_HOST)
        self.changed.add(job)
        if not is_behind:
            self._failed.add(job)
        if not is_refused:
            self._backoff.note_failure(host, error, job)
        elif isinstance(error, Refused) and self._refusals[host].refuse_all(job, error):
            self._backoff.note_failure(host, error)
        else:
            self._backoff.note_success(host, was_read=False, read=job)
        if is_refused and not is_behind:
            self.set_run(job, PollRun(self._clock(), chance=self._chance()))
        if is_behind and (is_refused or is_about_read(error)):
            # One thread that can't be fetched must not keep the others waiting.
            self._threads.set_aside(job.target)

    def postpone(self, job: Job) -> None:
        """Let a poll rest that failed because of a bug."""
        if job.kind is PollKind.THREAD_BEHIND:
            self._threads.set_aside(job.target)
        else:
            self.set_run(job, PollRun(self._clock() + FAULTY_REST_SECONDS, chance=self._chance()))

    def count_as_read(self, job: Job, at: float) -> None:
        """Count a poll as run at a time: nothing has happened since, or another machine has run it."""
        self.set_run(job, PollRun(at, chance=self._chance()))
        self.read_at[job] = max(at, self.read_at.get(job, at))

    def request(self, jobs: Iterable[Job]) -> None:
        """Make these polls due at once, for a person."""
        for job in jobs:
            self.set_run(job, REQUESTED)

    def forget(self) -> None:
        """Forget all times, so that everything is due."""
        self.runs.clear()
        self.read_at.clear()
        self._failed.clear()
        self._slow_at.clear()

    def unread_since_trouble(self, jobs: Collection[Job]) -> set[Job]:
        """Return the jobs that failed last, or whose host has failed or was slow since their last run."""
        return {job for job in jobs if job in self._failed or self.read_at.get(job, 0.0) < self._trouble_end(job)}

    def _trouble_end(self, job: Job) -> float:
        host = HOSTS[job.kind]
        return max(self._backoff.live_since(host), self._slow_at.get(host, 0.0))

    def _repeat_failed(self, host: Host) -> None:
        """Make failed polls due at a host that answers again: refused ones would rest for a whole interval."""
        for job in self._failed:
            if HOSTS[job.kind] is host and (run := self.runs.get(job)) is not None:
                self.set_run(job, run._replace(at=0.0, chance=self._chance()))

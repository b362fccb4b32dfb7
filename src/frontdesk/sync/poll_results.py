"""Results of each poll's last run, and their effect on the next one; the poller writes and uses them."""

from collections.abc import Callable, Collection, Iterable

from frontdesk.api.client.errors import ABOUT_HOST, ApiError, BadRequestInput, Refused
from frontdesk.api.contract.endpoints import Host
from frontdesk.sync.backoff import Backoff, is_about_read
from frontdesk.sync.refusals import Refusals
from frontdesk.sync.resources import Resources
from frontdesk.sync.scheduler import REQUESTED, Job, PollKind, PollRun, next_run
from frontdesk.sync.thread_queue import ThreadQueue

FAULTY_REST_SECONDS = 60.0
"""Seconds for which a poll rests after a bug in it."""

SLOW_SECONDS = 2.0
"""Seconds after which a poll is slow: it makes other data of its host on the screens late."""

RUNS_KEPT = 2_000

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
        self.read_at: dict[Job, float] = {}
        self._failed: set[Job] = set()
        self._slow_at: dict[Host, float] = {}
        self._refusals = {host: Refusals() for host in Host}

    def note_success(self, job: Job, asked_at: float, *, differed: bool) -> None:
        """Record a poll without an error, requested at this moment; it may have stored a refusal for screens."""
        host = HOSTS[job.kind]
        self.note_if_slow(job, asked_at)
        self.runs[job] = next_run(
            self.runs.get(job), self._clock(), differed=differed, chance=self._chance(), asked_at=asked_at
        )
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
        if job.kind is PollKind.THREAD_BEHIND:
            del self.runs[job]
        elif len(self.runs) > RUNS_KEPT:
            newest = sorted(self.runs, key=lambda each: self.runs[each].at)[-RUNS_KEPT // 2 :]
            self.runs = {each: self.runs[each] for each in newest}
            self.read_at = {each: at for each, at in self.read_at.items() if each in self.runs}
            self._failed &= self.runs.keys()

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
        if not is_behind:
            self._failed.add(job)
        if not is_refused:
            self._backoff.note_failure(host, error, job)
        elif isinstance(error, Refused) and self._refusals[host].refuse_all(job, error):
            self._backoff.note_failure(host, error)
        else:
            self._backoff.note_success(host, was_read=False, read=job)
        if is_refused:
            self.runs[job] = PollRun(self._clock(), chance=self._chance())
        elif job.kind is PollKind.CAMPAIGN and is_about_read(error):
            # Only the most urgent campaign is tried, and until the next try another one may become that.
            self.runs[job] = PollRun(self._clock(), retry_at=self._backoff.ready_at(host, job))
        if is_behind:
            self.runs.pop(job, None)
            if is_refused or is_about_read(error):
                # One thread that can't be fetched must not keep the others waiting.
                self._threads.set_aside(job.target)

    def postpone(self, job: Job) -> None:
        """Let a poll rest that failed because of a bug."""
        self.runs[job] = PollRun(self._clock() + FAULTY_REST_SECONDS, chance=self._chance())
        if job.kind is PollKind.THREAD_BEHIND:
            del self.runs[job]
            self._threads.set_aside(job.target)

    def count_as_read(self, job: Job, at: float) -> None:
        """Count a poll as run at a time: nothing has happened since, or another machine has run it."""
        self.runs[job] = PollRun(at, chance=self._chance())
        self.read_at[job] = max(at, self.read_at.get(job, at))

    def request(self, jobs: Iterable[Job]) -> None:
        """Make these polls due at once, for a person."""
        self.runs |= dict.fromkeys(jobs, REQUESTED)

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

    def failed_campaigns(self) -> set[Job]:
        """Return the polls of campaigns that rest by themselves."""
        found = self._backoff.failed_reads
        return {each for each in found if isinstance(each, Job) and each.kind is PollKind.CAMPAIGN}

    def _repeat_failed(self, host: Host) -> None:
        """Make failed polls due at a host that answers again: refused ones would rest for a whole interval."""
        for job in self._failed:
            if HOSTS[job.kind] is host and (run := self.runs.get(job)) is not None:
                retry_at = run.retry_at and self._backoff.ready_at(host, job)
                self.runs[job] = run._replace(at=0.0, chance=self._chance(), retry_at=retry_at)

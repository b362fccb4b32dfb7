"""Decides when each poll is due: `due_poll`, a pure function of what screens show, the last run, and time.

Chance is passed in, so that tests decide it. `sync/poll_queue.py` chooses among the due polls; `sync/poller.py`
runs what it chooses.

How often:

- An unfocused terminal, ten minutes and two hours without a key multiply each interval (`UNFOCUSED`, `IDLE`,
  `AWAY`); of several screens the most attentive one decides.
- A poll that finds no difference stretches its own next interval; one that begins at `MAX_ON_SCREEN` or less never
  beyond that while somebody looks.
- With more than `MANY_THREADS` open threads, which only a team has, threads without a sign of a new message rest
  after a read, so that those with one needn't wait. The first page of tasks has no sign of threads without an open
  task: these are watched (`ThreadWatch`).

tests/lab/benchmarks/schedule_simulation.py compares the schedule with fixed intervals of the same freshness.
"""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Protocol

from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk_api.contract.values import CAMPAIGN_ENDED

OPEN_THREAD = 3.0
FIRST_PAGE = 5.0
FIRST_PAGE_OF_MANY = 3.0
MANY_THREADS = 10
"""Number of open threads above which the first page of tasks is polled more often, and quiet threads less often.

The page has the signs of new messages in all threads, so those with a sign needn't wait.
"""

MAX_THREAD_REST = 120.0
UNMOVED_SHARE = 0.4
"""Part of the budget that polls of open threads without a sign may use then."""

WATCHED_EVERY = 3.5
"""Seconds between two checks of an open thread that has no open task, if the budget allows it."""

WATCH_SHARE = 0.1
"""Part of the budget that these checks get in any case."""

FIRST_PAGE_BEHIND = 20.0
SWEEP_PAGE = 10.0
REFUSED_AGAIN = 60.0
CAMPAIGN_ON_SCREEN = 2.0
CAMPAIGN_BEHIND = 15.0
MAX_RUNNING_ON_SCREEN = 6.0
MAX_RUNNING_BEHIND = 15.0
"""Maximum interval of a running campaign in seconds: each poll evaluates its alerts, even if nobody is there."""

CAMPAIGN_AFTER_END = 60.0
AFTER_END_FOR = 600.0
DOCUMENTS = 900.0
DOCUMENTS_ON_SCREEN = 60.0
WHOLE_WORKFLOWS = 30.0
WHOLE_WORKFLOWS_BEHIND = 3.0
"""Intervals of whole workflows, megabytes in one answer: short while visible, or if any is missing or outdated."""

WHOLE_WORKFLOWS_SAMPLED = 3_600.0
FIRST_SAMPLE = 60.0
"""Seconds before the first background poll for samples of counters, when the polls of the start are over."""

UNFOCUSED = 3.0
IDLE = 10.0
IDLE_AFTER = 600.0
AWAY = 60.0
AWAY_AFTER = 7200.0
SLOWDOWN_FACTOR = 1.5
MAX_SLOWDOWN = 4.0

MAX_ON_SCREEN = 5.0
"""Maximum interval of data that an attentive person sees."""

JITTER = 0.15
"""Share by which intervals vary, so that clients drift apart."""

SPREAD_SECONDS = 10.0
"""Seconds over which first polls of invisible data are spread."""

MAX_INTERVAL = 3600.0


class PollKind(StrEnum):
    """Kinds of polls, the most urgent first.

    Attributes:
        weight: the kind's part of the budget while others wait, too.
    """

    weight: float
    rank: int

    def __new__(cls, value: str, weight: float) -> "PollKind":
        kind = str.__new__(cls, value)
        kind._value_, kind.weight, kind.rank = value, weight, len(cls.__members__)
        return kind

    THREAD = "thread", 8.0
    TASKS_OF = "tasks of a filter", 8.0
    TASKS_HEAD = "tasks", 8.0
    CAMPAIGN = "campaign", 8.0
    TASKS_SWEEP = "sweep", 3.0
    WORKFLOWS = "workflows", 1.0
    WHOLE_WORKFLOWS = clients.WHOLE_WORKFLOWS, 1.0
    AI_AGENTS = "ai agents", 1.0
    THREAD_BEHIND = "thread behind", 1.0


UNSEEN_CAMPAIGNS = 3.0
"""The weight of campaigns while no screen shows them."""

CAN_WAIT_LEAVES, WATCHED_LEAVES = 0.5, 0.25
"""Parts of the polls' bucket that polls without a sign must leave if other polls have signs.

Those whose data can't have signs leave less.
"""

WATCHED_THREADS, RESTED_THREADS = 3.0, 1.0
"""The weights of open threads without a sign of a new message: of those that can't have one, and of the others."""


class Job(NamedTuple):
    """One poll: a kind and an id."""

    kind: PollKind
    target: str = ""


FILES = "files"
"""The target of a poll of AI agents with the files of their vector stores."""

HEAD, SWEEP = Job(PollKind.TASKS_HEAD), Job(PollKind.TASKS_SWEEP)
AI_AGENTS_AND_FILES = Job(PollKind.AI_AGENTS, FILES)
ALL_CAMPAIGNS = Job(PollKind.CAMPAIGN)
"""The poll of every watched campaign: a screen of campaigns shows them all."""

_OF_WORKFLOWS = (Job(PollKind.WORKFLOWS), Job(PollKind.WHOLE_WORKFLOWS))
STEADY_JOBS = (HEAD, SWEEP, *_OF_WORKFLOWS, Job(PollKind.AI_AGENTS), AI_AGENTS_AND_FILES)
"""The few jobs that are always there, whether or not they are wanted."""


class PollRun(NamedTuple):
    """A job's last run, and the factor of its interval, which grows while nothing differs.

    Attributes:
        chance: from 0 to 1, for the jitter of the next interval; 0.5 leaves it unchanged.
        asked_at: when the request was made; 0 if unknown.
    """

    at: float
    slowdown: float = 1.0
    chance: float = 0.5
    asked_at: float = 0.0


NO_DEADLINES: Mapping[str, float] = MappingProxyType({})

REQUESTED = PollRun(0.0)
"""A job that a person requested now."""


def next_run(
    run: PollRun | None, at: float, *, differed: bool, chance: float = 0.5, asked_at: float = 0.0
) -> PollRun:
    """Return a job's run after this one: stretched if nothing differed, reset if anything did."""
    is_reset = differed or run is None
    slowdown = 1.0 if is_reset or run is None else min(MAX_SLOWDOWN, run.slowdown * SLOWDOWN_FACTOR)
    return PollRun(at, slowdown, chance, asked_at)


class PolledCampaign(Protocol):
    """The facts about a watched campaign that decide when it is due."""

    @property
    def status(self) -> str: ...

    @property
    def completed_at(self) -> float | None: ...

    @property
    def failed_at(self) -> float | None: ...

    @property
    def read_at(self) -> float | None: ...

    @property
    def problem(self) -> str: ...


class Attention(NamedTuple):
    """The times of the last keys, Unix seconds: in a focused terminal, and in any other one."""

    focused_at: float = float("-inf")
    unfocused_at: float = float("-inf")

    def pace(self, now: float) -> float:
        """Return the factor of poll intervals, by the most attentive screen."""
        return min(_pace(now - self.focused_at, 1.0), _pace(now - self.unfocused_at, UNFOCUSED))

    def with_screen(self, focus: Focus) -> "Attention":
        focused_at, unfocused_at = self
        if focus.focused:
            return Attention(max(focused_at, focus.active_at), unfocused_at)
        return Attention(focused_at, max(unfocused_at, focus.active_at))


def _pace(quiet_seconds: float, pace: float) -> float:
    if quiet_seconds > AWAY_AFTER:
        return AWAY
    return IDLE if quiet_seconds > IDLE_AFTER else pace


_NOBODY = Attention()
_SHOWN = {
    "inbox": (HEAD,),
    "campaigns": (ALL_CAMPAIGNS,),
    "workflows": _OF_WORKFLOWS,
    "agents": (AI_AGENTS_AND_FILES,),
}


def jobs_on(focus: Focus) -> tuple[Job, ...]:
    """Return the polls of what a screen shows."""
    shown = _SHOWN.get(focus.screen, ())
    if focus.screen == "board":
        shown = (Job(PollKind.TASKS_OF, focus.tasks_of) if focus.tasks_of else HEAD,)
    return (*shown, Job(PollKind.THREAD, focus.conversation_id)) if focus.conversation_id else shown


class Shown:
    """The polls of what screens show, and the attention to each.

    Attributes:
        jobs: the polls of what is shown.
        everywhere: the attention to all screens.
    """

    def __init__(self, screens: Collection[Focus] = ()):
        self.jobs: dict[Job, Attention] = {}
        self.everywhere = Attention()
        self._is_empty = not screens
        for each in screens:
            self.everywhere = self.everywhere.with_screen(each)
            for job in jobs_on(each):
                self.jobs[job] = self.jobs.get(job, _NOBODY).with_screen(each)

    def pace(self, job: Job, now: float) -> float:
        """Return the factor of a poll's interval; what isn't shown goes with the most attentive screen."""
        return 1.0 if self._is_empty else self.jobs.get(job, self.everywhere).pace(now)

    def sooner_than(self, before: "Shown", now: float) -> set[Job]:
        """Return the polls of what is shown more attentively than before, newly or no more."""
        known = before.jobs
        changed = {job for job in self.jobs.keys() & known.keys() if self.jobs[job] != known[job]}
        sooner = {job for job in changed if self.jobs[job].pace(now) < known[job].pace(now)}
        return sooner | (self.jobs.keys() ^ known.keys())


class ThreadWatch(NamedTuple):
    """The checks for new messages of open threads without an open task, if many threads are open.

    Attributes:
        seconds: the maximum time between two checks of a thread; 0 if few threads are open.
        walk_pages: the pages of the walk over all tasks, if that checks the threads with a closed task; 0 if
            polls of the threads take fewer requests.
    """

    seconds: float = 0.0
    walk_pages: int = 0


NO_WATCH = ThreadWatch()


def thread_watch(with_task: int, without_task: int, walk_pages: int, per_minute: float) -> ThreadWatch:
    """Return the checks that take the fewest requests.

    Args:
        with_task: the number of open threads with closed tasks only.
        without_task: the number of open threads whose customer's activity no task names.
        walk_pages: the pages of the walk over all tasks; 0 if unknown.
        per_minute: the budget's requests a minute.
    """
    walked = walk_pages if 0 < walk_pages <= with_task else 0
    requests = without_task + (walked or with_task)
    return ThreadWatch(max(WATCHED_EVERY, requests * 60.0 / (WATCH_SHARE * per_minute)), walked)


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that decides what is due.

    Attributes:
        campaigns: the watched campaigns, by id.
        behind: a conversation whose thread should be fetched in the background, if any.
        moved: conversations with a sign of a new message since their thread was fetched; of many open ones these
            are fetched first.
        thread_rest: seconds that an open thread rests after a fetch, unless it has moved.
        watch: the checks of open threads without an open task.
        watched: those of these threads that are checked by polls of their own.
        swept: whether all tasks were fetched once since the engine began.
        walked: keys of filters whose pages were all fetched, up to the limit.
        refused: keys of filters that the platform refuses.
        workflows_behind: whether a listed workflow's document is missing or outdated.
        read_by: by id, when a running campaign must be fetched again, for its alerts.
        begun_at: the engine's start, from which first runs are spread.
        seed: decides each job's own moment within that spread.
    """

    shown: Shown
    campaigns: Mapping[str, PolledCampaign]
    runs: Mapping[Job, PollRun]
    behind: str = ""
    moved: Collection[str] = ()
    thread_rest: float = 0.0
    watch: ThreadWatch = NO_WATCH
    watched: frozenset[str] = frozenset()
    swept: bool = False
    walked: Collection[str] = ()
    refused: Collection[str] = ()
    workflows_behind: bool = False
    read_by: Mapping[str, float] = field(default_factory=dict)
    begun_at: float = 0.0
    seed: int = 0

    def jobs(self) -> set[Job]:
        """Return all jobs that may be wanted."""
        found = {*STEADY_JOBS, *self.shown.jobs, *(Job(PollKind.CAMPAIGN, each) for each in self.campaigns)}
        return found | {Job(PollKind.THREAD_BEHIND, self.behind)}


class DuePoll(NamedTuple):
    """A job and when it is due.

    Attributes:
        interval: the seconds between its runs, without jitter.
        is_first_look: whether somebody has just opened or requested the data.
        read_by: a deadline that no run has met yet.
        has_moved: whether there is a sign of new data.
        can_wait: whether only other jobs have signs, so that this one probably brings nothing.
        is_watched: whether its data have no signs, so that this poll has to find what is new.
        has_failed: whether it was tried last without an answer, so that it runs beside the others.
    """

    at: float
    job: Job
    interval: float
    is_on_screen: bool = False
    is_first_look: bool = False
    read_by: float | None = None
    has_moved: bool = False
    can_wait: bool = False
    is_watched: bool = False
    has_failed: bool = False

    @property
    def leaves(self) -> float:
        """The part of the polls' bucket that this one leaves to others."""
        if not self.can_wait:
            return 0.0
        return WATCHED_LEAVES if self.is_watched else CAN_WAIT_LEAVES

    @property
    def share(self) -> tuple[PollKind, float]:
        """The polls among which this one takes its turn: those of its kind and weight."""
        return self.job.kind, self.weight

    @property
    def weight(self) -> float:
        if self.job.kind is PollKind.THREAD and (self.is_watched or self.can_wait):
            return WATCHED_THREADS if self.is_watched else RESTED_THREADS
        is_seen = self.is_on_screen or self.job.kind is not PollKind.CAMPAIGN
        return self.job.kind.weight if is_seen else UNSEEN_CAMPAIGNS


class _Want(NamedTuple):
    """The interval of a wanted job.

    Attributes:
        pace: the factor of the interval at full attention.
        max_interval: the longest interval in seconds, before jitter; when visible, it isn't stretched.
        read_by: when an alert needs a run, unless one has met that.
        has_moved: whether its interval isn't stretched, and it goes before others of its kind.
        rest: seconds after a run in which the job isn't due, whatever its interval is.
        bound: seconds after a run until which it waits for jobs with signs.
        is_watched: whether its data have no signs.
        is_steady: whether its interval isn't stretched while nothing differs.
    """

    interval: float
    pace: float = 1.0
    is_on_screen: bool = False
    max_interval: float = MAX_INTERVAL
    read_by: float | None = None
    has_moved: bool = False
    rest: float = 0.0
    bound: float = 0.0
    is_watched: bool = False
    is_steady: bool = False


def upcoming(situation: Situation, now: float) -> list[DuePoll]:
    """Return every job with its due time, the most urgent first; `PollQueue` gives the first ones sooner."""
    found = (due_poll(job, situation, now) for job in situation.jobs())
    return sorted((each for each in found if each is not None), key=lambda due: urgency(due, now))


def urgency(due: DuePoll, now: float) -> tuple[float, int, bool, float, str]:
    """Return the place of a poll among others: those due come first, then by kind."""
    return max(due.at, now), due.job.kind.rank, not due.has_moved, due.at, due.job.target


def thread_rest(open_threads: int, per_minute: float) -> float:
    """Return the seconds that open threads without a sign of a new message rest, so that they share their part.

    Args:
        per_minute: the budget's requests a minute.
    """
    if open_threads <= MANY_THREADS:
        return 0.0
    return min(MAX_THREAD_REST, open_threads * 60.0 / (UNMOVED_SHARE * per_minute))


def due_poll(job: Job, situation: Situation, now: float) -> DuePoll | None:
    """Return when a job is due, or `None` if it isn't wanted."""
    want = _wanted(job, situation, now)
    if want is None:
        return None
    run, read_by = situation.runs.get(job), want.read_by
    is_first_look = want.is_on_screen and (run is None or run == REQUESTED)
    interval = max(want.rest, min(want.max_interval, _stretched(want, run or REQUESTED)))
    if want.is_watched:
        interval = max(interval, want.bound)
    if run is not None:
        at = run.at + max(want.rest, _interval_after(want, run))
    elif want.is_on_screen or not want.interval:
        at = 0.0
    else:
        own = random.Random(f"{situation.seed} {job}").random() if situation.seed else 0.0
        first_after = FIRST_SAMPLE if job.kind is PollKind.WHOLE_WORKFLOWS else 0.0
        at = situation.begun_at + first_after + own * min(want.interval, SPREAD_SECONDS)
    if read_by is not None and (run is None or read_by <= (run.asked_at or run.at)):
        read_by = None
    if read_by is not None:
        at = min(at, read_by)
    is_watched = want.is_watched and not is_first_look
    can_wait = run is not None and not is_first_look and now < (run.asked_at or run.at) + want.bound
    return DuePoll(
        at, job, interval, want.is_on_screen, is_first_look, read_by, want.has_moved, can_wait, is_watched
    )


def _interval_after(want: _Want, run: PollRun) -> float:
    """Return the seconds from one run to the next."""
    jitter = 1 - JITTER + 2 * JITTER * run.chance
    return min(MAX_INTERVAL, min(want.max_interval, _stretched(want, run)) * jitter)


def _stretched(want: _Want, run: PollRun) -> float:
    """Return the interval after a run, without bounds and jitter."""
    seconds = want.interval * (1.0 if want.is_steady else run.slowdown)
    if want.has_moved:
        return want.interval
    if want.is_on_screen and want.max_interval < MAX_INTERVAL:
        seconds = want.interval
    elif want.is_on_screen and want.pace <= 1.0 and want.interval <= MAX_ON_SCREEN:
        seconds = min(seconds, MAX_ON_SCREEN)
    return seconds * want.pace


def _wanted(job: Job, situation: Situation, now: float) -> _Want | None:
    kind, target = job
    is_shown, pace, swept = job in situation.shown.jobs, situation.shown.pace(job, now), situation.swept
    match kind:
        case PollKind.THREAD if is_shown:
            if target in situation.moved:
                return _Want(OPEN_THREAD, pace, is_shown, has_moved=True)
            if target in situation.watched:
                bound = situation.watch.seconds
                return _Want(OPEN_THREAD, pace, is_shown, rest=WATCHED_EVERY, bound=bound, is_watched=True)
            rest = situation.thread_rest
            return _Want(OPEN_THREAD, pace, is_shown, rest=rest, bound=MAX_INTERVAL if rest else 0.0)
        case PollKind.THREAD_BEHIND if swept and target and target == situation.behind:
            return _Want(0.0)
        case PollKind.TASKS_OF if is_shown:  # at once until all pages are fetched, then the first ones
            interval = FIRST_PAGE if swept or target in situation.walked else 0.0
            interval = REFUSED_AGAIN if target in situation.refused else interval
            return _Want(interval, pace, is_shown)
        case PollKind.TASKS_HEAD if swept or is_shown:
            return _head(situation, now)
        case PollKind.TASKS_SWEEP if swept and situation.watch.walk_pages:
            seconds, pages = situation.watch
            return _Want(WATCHED_EVERY / pages, pace, bound=seconds / pages, is_watched=True, is_steady=True)
        case PollKind.TASKS_SWEEP:
            return _Want(SWEEP_PAGE if swept else 0.0, pace)
        case PollKind.CAMPAIGN if target in situation.campaigns:
            return _campaign(job, situation, now)
        case PollKind.WORKFLOWS | PollKind.AI_AGENTS if is_shown:
            return _Want(DOCUMENTS_ON_SCREEN, pace, is_shown)
        case PollKind.AI_AGENTS if target or AI_AGENTS_AND_FILES in situation.shown.jobs:
            return None
        case PollKind.WORKFLOWS | PollKind.AI_AGENTS if swept:
            return _Want(DOCUMENTS, pace)
        case PollKind.WHOLE_WORKFLOWS if is_shown:
            return _Want(WHOLE_WORKFLOWS_BEHIND if situation.workflows_behind else WHOLE_WORKFLOWS, pace, is_shown)
        case PollKind.WHOLE_WORKFLOWS if situation.runs.get(job) == REQUESTED:
            return _Want(0.0)
        case PollKind.WHOLE_WORKFLOWS if swept:  # for the samples of their counters
            return _Want(WHOLE_WORKFLOWS_SAMPLED, pace)
    return None


def _head(situation: Situation, now: float) -> _Want:
    """Return the first page of tasks: for its viewers, or in the background, whichever is sooner."""
    shown = situation.shown
    behind = _Want(FIRST_PAGE_BEHIND, shown.pace(SWEEP, now))
    if HEAD not in shown.jobs:
        return behind
    are_many = situation.thread_rest > 0
    interval = FIRST_PAGE_OF_MANY if are_many else FIRST_PAGE
    seen = _Want(interval, shown.pace(HEAD, now), is_on_screen=True, is_steady=are_many)
    return min(seen, behind, key=lambda want: want.interval * want.pace)


def _campaign(job: Job, situation: Situation, now: float) -> _Want | None:
    campaign, is_shown = situation.campaigns[job.target], ALL_CAMPAIGNS in situation.shown.jobs
    pace = situation.shown.pace(ALL_CAMPAIGNS, now)
    if campaign.status not in CAMPAIGN_ENDED:
        interval, longest, read_by = CAMPAIGN_ON_SCREEN if is_shown else CAMPAIGN_BEHIND, MAX_INTERVAL, None
        if campaign.status == "inProgress":
            longest = MAX_RUNNING_ON_SCREEN if is_shown else MAX_RUNNING_BEHIND
            read_by = situation.read_by.get(job.target)
        return _Want(interval, pace, is_shown, longest, read_by)
    ended_at = campaign.completed_at or campaign.failed_at
    if campaign.read_at is None or (ended_at is not None and now - ended_at < AFTER_END_FOR):
        return _Want(CAMPAIGN_AFTER_END, pace, is_shown)
    return _Want(0.0) if situation.runs.get(job) == REQUESTED else None

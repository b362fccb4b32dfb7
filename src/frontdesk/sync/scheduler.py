"""Decides which poll is next: a pure function of stored state, visible data, and time.

Chance is passed in, so that tests decide it. tests/lab/benchmarks/schedule_simulation.py compares the schedule
with fixed intervals of the same freshness.

- An unfocused terminal, ten minutes and two hours without a key multiply each interval (`UNFOCUSED`, `IDLE`,
  `AWAY`); of several screens the most attentive one decides.
- A poll that finds no difference stretches its own next interval; one that begins at `MAX_ON_SCREEN` or less never
  beyond that while somebody looks.
- With more than `MANY_THREADS` open threads, which only a team has, threads without a sign of a new message rest
  after a read, so that those with one needn't wait.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Protocol

from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.sync.fair_shares import ReadShare
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
    """Kinds of polls, the most urgent first."""

    THREAD = "thread"
    TASKS_OF = "tasks of a filter"
    TASKS_HEAD = "tasks"
    CAMPAIGN = "campaign"
    TASKS_SWEEP = "sweep"
    WORKFLOWS = "workflows"
    WHOLE_WORKFLOWS = clients.WHOLE_WORKFLOWS
    AI_AGENTS = "ai agents"
    THREAD_BEHIND = "thread behind"


FILES = "files"
"""The target of a poll of AI agents with the files of their vector stores."""

_RANK = {kind: place for place, kind in enumerate(PollKind)}


class Job(NamedTuple):
    """One poll: a kind and an id."""

    kind: PollKind
    target: str = ""


class PollRun(NamedTuple):
    """A job's last run, and the factor of its interval, which grows while nothing differs.

    Attributes:
        chance: from 0 to 1, for the jitter of the next interval; 0.5 leaves it unchanged.
        asked_at: when the request was made; 0 if unknown.
        retry_at: when the job is due next, whatever its interval is; 0 if the interval decides.
    """

    at: float
    slowdown: float = 1.0
    chance: float = 0.5
    asked_at: float = 0.0
    retry_at: float = 0.0


NO_DEADLINES: Mapping[str, float] = MappingProxyType({})

REQUESTED = PollRun(0.0)
"""A job that a person requested now."""


class PolledCampaign(Protocol):
    """The facts about a watched campaign that decide when it is due."""

    @property
    def campaign_id(self) -> str: ...

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


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that decides what is due.

    Attributes:
        behind: a conversation whose thread should be fetched in the background, if any.
        moved: conversations with a sign of a new message since their thread was fetched; of many open ones these
            are fetched first.
        thread_rest: seconds that an open thread rests after a fetch, unless it has moved.
        swept: whether all tasks were fetched once since the engine began.
        walked: keys of filters whose pages were all fetched, up to the limit.
        refused: keys of filters that the platform refuses.
        workflows_behind: whether a listed workflow's document is missing or outdated.
        read_by: by id, when a running campaign must be fetched again, for its alerts.
        begun_at: the engine's start, from which first runs are spread.
        seed: decides each job's own moment within that spread.
    """

    open_screens: Sequence[Focus]
    campaigns: Sequence[PolledCampaign]
    """The watched campaigns; for a decision those that are due first are enough."""

    runs: Mapping[Job, PollRun]
    behind: str = ""
    moved: Collection[str] = ()
    thread_rest: float = 0.0
    swept: bool = False
    walked: Collection[str] = ()
    refused: Collection[str] = ()
    workflows_behind: bool = False
    read_by: Mapping[str, float] = field(default_factory=dict)
    begun_at: float = 0.0
    seed: int = 0


class DuePoll(NamedTuple):
    """A job and when it is due.

    Attributes:
        interval: the seconds between its runs, without jitter.
        is_first_look: whether somebody has just opened or requested the data.
        read_by: a deadline that no run has met yet.
        has_moved: whether there is a sign of new data.
        can_wait: whether only other jobs have signs, so that this one probably brings nothing.
    """

    at: float
    job: Job
    share: ReadShare
    interval: float
    is_on_screen: bool = False
    is_first_look: bool = False
    read_by: float | None = None
    has_moved: bool = False
    can_wait: bool = False


class _Want(NamedTuple):
    """A wanted job.

    Attributes:
        pace: the factor of the interval at full attention.
        max_interval: the longest interval in seconds, before jitter; when visible, it isn't stretched.
        read_by: when an alert needs a run, unless one has met that.
        first_after: seconds from the engine's start to the earliest first run.
        has_moved: whether its interval isn't stretched, and it goes before others of its kind.
        rest: seconds after a run in which the job isn't due, whatever its interval is.
    """

    job: Job
    share: ReadShare
    interval: float
    pace: float = 1.0
    is_on_screen: bool = False
    max_interval: float = MAX_INTERVAL
    read_by: float | None = None
    first_after: float = 0.0
    has_moved: bool = False
    rest: float = 0.0


def next_run(
    run: PollRun | None, at: float, *, differed: bool, chance: float = 0.5, asked_at: float = 0.0
) -> PollRun:
    """Return a job's run after this one: stretched if nothing differed, reset if anything did."""
    is_reset = differed or run is None
    slowdown = 1.0 if is_reset or run is None else min(MAX_SLOWDOWN, run.slowdown * SLOWDOWN_FACTOR)
    return PollRun(at, slowdown, chance, asked_at)


def upcoming(situation: Situation, now: float) -> list[DuePoll]:
    """Return every job with its due time, the most urgent first."""
    found = [_due_poll(want, situation) for want in _wanted_polls(situation, now)]
    return sorted(found, key=lambda due: (max(due.at, now), _RANK[due.job.kind], not due.has_moved, due.at))


def is_idle(focus: Focus, now: float) -> bool:
    """Return whether nobody has touched this screen for long."""
    return now - focus.active_at > IDLE_AFTER


def thread_rest(open_threads: int, per_minute: float) -> float:
    """Return the seconds that open threads without a sign of a new message rest, so that they share their part.

    Args:
        per_minute: the budget's requests a minute.
    """
    if open_threads <= MANY_THREADS:
        return 0.0
    return min(MAX_THREAD_REST, open_threads * 60.0 / (UNMOVED_SHARE * per_minute))


def campaign_poll(
    campaign: PolledCampaign, view: "CampaignView", situation: Situation, now: float
) -> DuePoll | None:
    """Return when a campaign is due, or `None` if it is now only fetched on request."""
    want = _campaign(campaign, view, situation, now)
    return None if want is None else _due_poll(want, situation)


def _due_poll(want: _Want, situation: Situation) -> DuePoll:
    run = situation.runs.get(want.job)
    is_first_look = want.is_on_screen and (run is None or run == REQUESTED)
    interval = max(want.rest, min(want.max_interval, _stretched(want, run or REQUESTED)))
    at, read_by = _due_at(want, situation), want.read_by
    if run is None or run.retry_at or (read_by is not None and read_by <= (run.asked_at or run.at)):
        read_by = None
    if read_by is not None:
        at = min(at, read_by)
    can_wait = want.rest > 0 and not is_first_look
    return DuePoll(
        at, want.job, want.share, interval, want.is_on_screen, is_first_look, read_by, want.has_moved, can_wait
    )


def _due_at(want: _Want, situation: Situation) -> float:
    run = situation.runs.get(want.job)
    if run is not None:
        return run.retry_at or run.at + max(want.rest, _interval_after(want, run))
    if want.is_on_screen or not want.interval:
        return 0.0
    own = random.Random(f"{situation.seed} {want.job}").random() if situation.seed else 0.0
    return situation.begun_at + want.first_after + own * min(want.interval, SPREAD_SECONDS)


def _interval_after(want: _Want, run: PollRun) -> float:
    """Return the seconds from one run to the next."""
    jitter = 1 - JITTER + 2 * JITTER * run.chance
    return min(MAX_INTERVAL, min(want.max_interval, _stretched(want, run)) * jitter)


def _stretched(want: _Want, run: PollRun) -> float:
    """Return the interval after a run, without bounds and jitter."""
    seconds = want.interval * run.slowdown
    if want.has_moved:
        return want.interval
    if want.is_on_screen and want.max_interval < MAX_INTERVAL:
        seconds = want.interval
    elif want.is_on_screen and want.pace <= 1.0 and want.interval <= MAX_ON_SCREEN:
        seconds = min(seconds, MAX_ON_SCREEN)
    return seconds * want.pace


def _pace(open_screens: Collection[Focus], now: float) -> float:
    """Return the factor for poll intervals, by the most attentive of these screens."""
    return min((_pace_of(each, now) for each in open_screens), default=1.0)


def _pace_of(focus: Focus, now: float) -> float:
    if now - focus.active_at > AWAY_AFTER:
        return AWAY
    if is_idle(focus, now):
        return IDLE
    return 1.0 if focus.focused else UNFOCUSED


def _wanted_polls(situation: Situation, now: float) -> Iterable[_Want]:
    open_screens = situation.open_screens
    pace = _pace(open_screens, now)
    open_threads = _grouped((each.conversation_id, each) for each in open_screens)
    rest = situation.thread_rest
    for conversation, theirs in open_threads:
        job, has_moved = Job(PollKind.THREAD, conversation), conversation in situation.moved
        want = _Want(job, ReadShare.THREADS, OPEN_THREAD, _pace(theirs, now), is_on_screen=True)
        yield want._replace(has_moved=has_moved, rest=0.0 if has_moved else rest)
    yield from _tasks_of(situation, now)
    head = _head(open_screens, pace, now, FIRST_PAGE_OF_MANY if rest else FIRST_PAGE)
    if situation.swept or head.is_on_screen:
        yield head
    yield _Want(Job(PollKind.TASKS_SWEEP), ReadShare.SWEEP, SWEEP_PAGE if situation.swept else 0.0, pace)
    yield from _campaigns(situation, now)
    if situation.swept and situation.behind:
        yield _Want(Job(PollKind.THREAD_BEHIND, situation.behind), ReadShare.READ_AHEAD, 0.0)
    yield from _documents(situation, pace, now)


def _grouped(screens: Iterable[tuple[str, Focus]]) -> Collection[tuple[str, list[Focus]]]:
    """Group screens by a key; screens without a key show nothing of the kind."""
    found: dict[str, list[Focus]] = defaultdict(list)
    for key, focus in screens:
        if key:
            found[key].append(focus)
    return found.items()


def _documents(situation: Situation, pace: float, now: float) -> Iterable[_Want]:
    """Yield the lists of workflows and AI agents, at once and in full if they are visible."""
    share = ReadShare.DOCUMENTS
    for kind, screen in ((PollKind.WORKFLOWS, "workflows"), (PollKind.AI_AGENTS, "agents")):
        on_screen = _screens_showing(screen, situation.open_screens)
        if on_screen:
            job = Job(kind, FILES if kind is PollKind.AI_AGENTS else "")
            yield _Want(job, share, DOCUMENTS_ON_SCREEN, _pace(on_screen, now), is_on_screen=True)
        elif situation.swept:
            yield _Want(Job(kind), share, DOCUMENTS, pace)
    whole = Job(PollKind.WHOLE_WORKFLOWS)
    if on_workflows := _screens_showing("workflows", situation.open_screens):
        interval = WHOLE_WORKFLOWS_BEHIND if situation.workflows_behind else WHOLE_WORKFLOWS
        yield _Want(whole, share, interval, _pace(on_workflows, now), is_on_screen=True)
    elif situation.runs.get(whole) == REQUESTED:
        yield _Want(whole, share, 0.0)
    elif situation.swept:  # for the samples of their counters
        yield _Want(whole, share, WHOLE_WORKFLOWS_SAMPLED, pace, first_after=FIRST_SAMPLE)


def _tasks_of(situation: Situation, now: float) -> Iterable[_Want]:
    """Yield a filtered board's pages: at once until all are fetched, then the first ones."""
    on_board = _screens_showing("board", situation.open_screens)
    for key, theirs in _grouped((each.tasks_of, each) for each in on_board):
        interval = FIRST_PAGE if situation.swept or key in situation.walked else 0.0
        if key in situation.refused:
            interval = REFUSED_AGAIN
        yield _Want(Job(PollKind.TASKS_OF, key), ReadShare.LIST, interval, _pace(theirs, now), is_on_screen=True)


def _head(open_screens: Sequence[Focus], pace: float, now: float, interval: float) -> _Want:
    """Return the first page of tasks: for its viewers, or in the background, whichever is sooner."""
    seeing = _screens_showing("inbox", open_screens) + [
        each for each in _screens_showing("board", open_screens) if not each.tasks_of
    ]
    job = Job(PollKind.TASKS_HEAD)
    behind = _Want(job, ReadShare.LIST, FIRST_PAGE_BEHIND, pace)
    if not seeing:
        return behind
    seen = _Want(job, ReadShare.LIST, interval, _pace(seeing, now), is_on_screen=True)
    return min(seen, behind, key=lambda want: want.interval * want.pace)


class CampaignView(NamedTuple):
    """The facts that decide the intervals of all campaigns: whether a screen shows them, and how attentively."""

    is_on_screen: bool
    pace: float


def campaign_view(open_screens: Sequence[Focus], now: float) -> CampaignView:
    """Return whether screens show campaigns, and how attentively."""
    on_screen = _screens_showing("campaigns", open_screens)
    return CampaignView(bool(on_screen), _pace(on_screen or open_screens, now))


def _campaigns(situation: Situation, now: float) -> Iterable[_Want]:
    view = campaign_view(situation.open_screens, now)
    for campaign in situation.campaigns:
        want = _campaign(campaign, view, situation, now)
        if want is not None:
            yield want


def _campaign(campaign: PolledCampaign, view: CampaignView, situation: Situation, now: float) -> _Want | None:
    job, on_screen = Job(PollKind.CAMPAIGN, campaign.campaign_id), view.is_on_screen
    share = ReadShare.CAMPAIGNS if on_screen else ReadShare.UNSEEN_CAMPAIGNS
    interval = _campaign_interval(campaign, on_screen, now)
    if interval is None:
        return _Want(job, share, 0.0) if situation.runs.get(job) == REQUESTED else None
    if campaign.status != "inProgress":
        return _Want(job, share, interval, view.pace, on_screen)
    longest = MAX_RUNNING_ON_SCREEN if on_screen else MAX_RUNNING_BEHIND
    read_by = situation.read_by.get(campaign.campaign_id)
    return _Want(job, share, interval, view.pace, on_screen, longest, read_by)


def _screens_showing(screen: str, open_screens: Iterable[Focus]) -> list[Focus]:
    return [each for each in open_screens if each.screen == screen]


def _campaign_interval(campaign: PolledCampaign, on_screen: bool, now: float) -> float | None:
    """Return the interval in seconds, or `None` for a campaign that is now only fetched on request."""
    if campaign.status not in CAMPAIGN_ENDED:
        return CAMPAIGN_ON_SCREEN if on_screen else CAMPAIGN_BEHIND
    ended_at = campaign.completed_at or campaign.failed_at
    if campaign.read_at is None or (ended_at is not None and now - ended_at < AFTER_END_FOR):
        return CAMPAIGN_AFTER_END
    return None

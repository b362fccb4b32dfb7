"""What to poll next: a pure function of stored state, visible data, and time.

docs/internals.md, Polling, explains the intervals. Chance is passed in, so that tests decide it.
"""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from frontdesk.api.contract.values import CAMPAIGN_ENDED
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus

OPEN_THREAD = 3.0
FIRST_PAGE = 5.0
FIRST_PAGE_BEHIND = 20.0
SWEEP_PAGE = 10.0
REFUSED_AGAIN = 60.0
CAMPAIGN_ON_SCREEN = 2.0
CAMPAIGN_BEHIND = 15.0
MAX_RUNNING_ON_SCREEN = 6.0
MAX_RUNNING_BEHIND = 60.0
"""The longest interval of a running campaign: with more than ninety seconds between reads its history has
gaps (`campaigns.store.campaigns`).
"""

CAMPAIGN_AFTER_END = 60.0
AFTER_END_FOR = 600.0
DOCUMENTS = 900.0
DOCUMENTS_ON_SCREEN = 60.0
WHOLE_WORKFLOWS = 30.0
WHOLE_WORKFLOWS_BEHIND = 3.0
"""Whole workflows are megabytes in one answer: read while visible, sooner where any is missing or outdated."""

UNFOCUSED = 3.0
IDLE = 10.0
IDLE_AFTER = 600.0
AWAY = 60.0
AWAY_AFTER = 7200.0
SLOWDOWN_FACTOR = 1.5
MAX_SLOWDOWN = 4.0

MAX_ON_SCREEN = 6.0
"""The longest interval of data that an attentive person sees."""

JITTER = 0.15
"""The share by which intervals vary, so that clients drift apart."""

SPREAD_SECONDS = 10.0
"""The time over which first polls of invisible data are spread."""

MAX_INTERVAL = 3600.0


class PollKind(StrEnum):
    """What a poll fetches, the most urgent first."""

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
"""The target of a read of AI agents with the files of their vector stores."""

_RANK = {kind: place for place, kind in enumerate(PollKind)}


@dataclass(frozen=True, slots=True)
class Job:
    """One poll: a kind and an id."""

    kind: PollKind
    target: str = ""


@dataclass(frozen=True, slots=True)
class PollRun:
    """A job's last run, and how far its interval is stretched since nothing differed.

    Attributes:
        chance: from 0 to 1, for the jitter of the next interval; a half is none.
    """

    at: float
    slowdown: float = 1.0
    chance: float = 0.5


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
        behind: a conversation whose thread should be read in the background, if any.
        swept: whether all tasks were read once since the engine began.
        walked: keys of filters whose pages were all read, up to the limit.
        refused: keys of filters that the platform refuses.
        workflows_behind: whether a listed workflow's document is missing or outdated.
        begun_at: the engine's start, from which first runs are spread.
        seed: decides each job's own moment within that spread.
    """

    open_screens: Sequence[Focus]
    campaigns: Sequence[PolledCampaign]
    runs: Mapping[Job, PollRun]
    behind: str = ""
    swept: bool = False
    walked: Collection[str] = ()
    refused: Collection[str] = ()
    workflows_behind: bool = False
    begun_at: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class DuePoll:
    """A job and when it is due."""

    at: float
    job: Job


@dataclass(frozen=True, slots=True)
class _Want:
    """A wanted job.

    Attributes:
        pace: how much slower than at full attention.
        max_interval: the longest interval in seconds, before jitter; when visible, it isn't stretched.
    """

    job: Job
    interval: float
    pace: float = 1.0
    is_on_screen: bool = False
    max_interval: float = MAX_INTERVAL


def after(run: PollRun | None, at: float, *, differed: bool, chance: float = 0.5) -> PollRun:
    """Update a job that ran: stretched when nothing differed, reset when something did."""
    if differed or run is None:
        return PollRun(at, chance=chance)
    return PollRun(at, min(MAX_SLOWDOWN, run.slowdown * SLOWDOWN_FACTOR), chance)


def upcoming(situation: Situation, now: float) -> list[DuePoll]:
    """Every job with its due time, the most urgent first."""
    found = [DuePoll(_due_at(want, situation), want.job) for want in _wanted_polls(situation, now)]
    return sorted(found, key=lambda due: (max(due.at, now), _RANK[due.job.kind], due.at))


def is_idle(focus: Focus, now: float) -> bool:
    """Whether nobody has touched this screen for long."""
    return now - focus.active_at > IDLE_AFTER


def _due_at(want: _Want, situation: Situation) -> float:
    run = situation.runs.get(want.job)
    if run is not None:
        return run.at + _interval_after(want, run)
    if want.is_on_screen or not want.interval:
        return 0.0
    own = random.Random(f"{situation.seed} {want.job}").random() if situation.seed else 0.0
    return situation.begun_at + own * min(want.interval, SPREAD_SECONDS)


def _interval_after(want: _Want, run: PollRun) -> float:
    """Return the seconds from one run to the next."""
    seconds = want.interval * run.slowdown
    if want.is_on_screen and want.max_interval < MAX_INTERVAL:
        seconds = want.interval
    elif want.is_on_screen and want.pace <= 1.0 and want.interval <= MAX_ON_SCREEN:
        seconds = min(seconds, MAX_ON_SCREEN)
    return min(MAX_INTERVAL, min(want.max_interval, seconds * want.pace) * (1 - JITTER + 2 * JITTER * run.chance))


def _pace(open_screens: Collection[Focus], now: float) -> float:
    """How much slower than at full attention: the most attentive of these screens decides."""
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
    for conversation in {each.conversation_id for each in open_screens if each.conversation_id}:
        theirs = [each for each in open_screens if each.conversation_id == conversation]
        yield _Want(Job(PollKind.THREAD, conversation), OPEN_THREAD, _pace(theirs, now), is_on_screen=True)
    yield from _tasks_of(situation, now)
    if situation.swept:
        yield _head(open_screens, pace, now)
        yield _Want(Job(PollKind.TASKS_SWEEP), SWEEP_PAGE, pace)
    else:
        yield _Want(Job(PollKind.TASKS_SWEEP), 0.0)
    yield from _campaigns(situation, pace, now)
    if situation.swept and situation.behind:
        yield _Want(Job(PollKind.THREAD_BEHIND, situation.behind), 0.0)
    yield from _documents(situation, pace, now)


def _documents(situation: Situation, pace: float, now: float) -> Iterable[_Want]:
    """Yield the lists of workflows and AI agents, at once and in full where they are visible."""
    for kind, screen in ((PollKind.WORKFLOWS, "workflows"), (PollKind.AI_AGENTS, "agents")):
        on_screen = _screens_showing(screen, situation.open_screens)
        if on_screen:
            job = Job(kind, FILES if kind is PollKind.AI_AGENTS else "")
            yield _Want(job, DOCUMENTS_ON_SCREEN, _pace(on_screen, now), is_on_screen=True)
        elif situation.swept:
            yield _Want(Job(kind), DOCUMENTS, pace)
    whole = Job(PollKind.WHOLE_WORKFLOWS)
    if on_workflows := _screens_showing("workflows", situation.open_screens):
        interval = WHOLE_WORKFLOWS_BEHIND if situation.workflows_behind else WHOLE_WORKFLOWS
        yield _Want(whole, interval, _pace(on_workflows, now), is_on_screen=True)
    elif situation.runs.get(whole) == REQUESTED:
        yield _Want(whole, 0.0)


def _tasks_of(situation: Situation, now: float) -> Iterable[_Want]:
    """Yield a filtered board's pages: at once until all are read, then the first ones."""
    on_board = _screens_showing("board", situation.open_screens)
    for key in {each.tasks_of for each in on_board if each.tasks_of}:
        theirs = [each for each in on_board if each.tasks_of == key]
        interval = FIRST_PAGE if situation.swept or key in situation.walked else 0.0
        if key in situation.refused:
            interval = REFUSED_AGAIN
        yield _Want(Job(PollKind.TASKS_OF, key), interval, _pace(theirs, now), is_on_screen=True)


def _head(open_screens: Sequence[Focus], pace: float, now: float) -> _Want:
    """Return the first page of tasks: for its viewers, or in the background, whichever is sooner."""
    seeing = _screens_showing("inbox", open_screens) + [
        each for each in _screens_showing("board", open_screens) if not each.tasks_of
    ]
    job = Job(PollKind.TASKS_HEAD)
    behind = _Want(job, FIRST_PAGE_BEHIND, pace)
    if not seeing:
        return behind
    seen = _Want(job, FIRST_PAGE, _pace(seeing, now), is_on_screen=True)
    return min(seen, behind, key=lambda want: want.interval * want.pace)


def _campaigns(situation: Situation, pace: float, now: float) -> Iterable[_Want]:
    on_screen = _screens_showing("campaigns", situation.open_screens)
    seen_pace = _pace(on_screen, now) if on_screen else pace
    for campaign in situation.campaigns:
        job = Job(PollKind.CAMPAIGN, campaign.campaign_id)
        interval = _campaign_interval(campaign, bool(on_screen), now)
        if interval is not None:
            longest = MAX_INTERVAL
            if campaign.status == "inProgress":
                longest = MAX_RUNNING_ON_SCREEN if on_screen else MAX_RUNNING_BEHIND
            yield _Want(job, interval, seen_pace, bool(on_screen), longest)
        elif situation.runs.get(job) == REQUESTED:
            yield _Want(job, 0.0)


def _screens_showing(screen: str, open_screens: Iterable[Focus]) -> list[Focus]:
    return [each for each in open_screens if each.screen == screen]


def _campaign_interval(campaign: PolledCampaign, on_screen: bool, now: float) -> float | None:
    """Return the seconds; None for a campaign that is only read on request any more."""
    if campaign.status not in CAMPAIGN_ENDED:
        return CAMPAIGN_ON_SCREEN if on_screen else CAMPAIGN_BEHIND
    ended_at = campaign.completed_at or campaign.failed_at
    if campaign.read_at is None or (ended_at is not None and now - ended_at < AFTER_END_FOR):
        return CAMPAIGN_AFTER_END
    return None

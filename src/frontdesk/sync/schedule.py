"""What to poll next: a pure function of what is known, what is looked at, and the time.

The engine calls it before every request. Intervals are those of design.md, section 6.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from frontdesk.contract.states import CAMPAIGN_ENDED
from frontdesk.store.presence import Looking
from frontdesk.store.records import CampaignRecord

OPEN_THREAD = 3.0
FIRST_PAGE = 5.0
FIRST_PAGE_BEHIND = 20.0
SWEEP_PAGE = 10.0
CAMPAIGN_ON_SCREEN = 2.0
CAMPAIGN_BEHIND = 15.0
CAMPAIGN_AFTER_END = 60.0
AFTER_END_FOR = 600.0
DOCUMENTS = 900.0
DOCUMENTS_ON_SCREEN = 60.0

UNFOCUSED = 3.0
IDLE = 10.0
IDLE_AFTER = 600.0
STRETCH_BY = 1.5
STRETCH_MOST = 4.0


class Kind(StrEnum):
    """What a poll fetches, the most wanted first."""

    THREAD = "thread"
    TASKS_HEAD = "tasks"
    CAMPAIGN = "campaign"
    TASKS_SWEEP = "sweep"
    WORKFLOWS = "workflows"
    AI_AGENTS = "ai agents"
    THREAD_BEHIND = "thread behind"


_RANK = {kind: place for place, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Job:
    """One poll: a kind, and the id that it is about."""

    kind: Kind
    target: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """When a job last ran, and how far its interval is stretched since nothing differed."""

    at: float
    stretch: float = 1.0


ASKED_FOR = Run(0.0)
"""A job that a person asked to run now."""


@dataclass(frozen=True, slots=True)
class Situation:
    """All that decides what is due.

    Attributes:
        behind: a conversation whose thread should be read in the background, if there is one.
        swept: whether all tasks were walked once since the engine began.
    """

    lookers: Sequence[Looking]
    campaigns: Sequence[CampaignRecord]
    runs: Mapping[Job, Run]
    behind: str = ""
    swept: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """A job and when it is due."""

    at: float
    job: Job


def after(run: Run | None, at: float, *, differed: bool) -> Run:
    """The new state of a job that ran: stretched when nothing differed, reset when something did."""
    if differed or run is None:
        return Run(at)
    return Run(at, min(STRETCH_MOST, run.stretch * STRETCH_BY))


def upcoming(situation: Situation, now: float) -> list[Due]:
    """Every job with the time at which it is due, the most urgent first."""
    pace = _pace(situation.lookers, now)
    found: list[Due] = []
    for job, interval in _wanted(situation, now):
        run = situation.runs.get(job)
        found.append(Due(0.0 if run is None else run.at + interval * run.stretch * pace, job))
    return sorted(found, key=lambda due: (max(due.at, now), _RANK[due.job.kind], due.at))


def _pace(lookers: Sequence[Looking], now: float) -> float:
    """How much slower than at full attention: the most attentive screen decides."""
    if not lookers:
        return 1.0
    return min(
        IDLE if now - each.active_at > IDLE_AFTER else UNFOCUSED if not each.focused else 1.0 for each in lookers
    )


def _wanted(situation: Situation, now: float) -> Iterable[tuple[Job, float]]:
    screens = {each.screen for each in situation.lookers}
    for conversation in {each.conversation_id for each in situation.lookers if each.conversation_id}:
        yield Job(Kind.THREAD, conversation), OPEN_THREAD
    watching_tasks = bool(screens & {"inbox", "board"})
    if situation.swept:
        yield Job(Kind.TASKS_HEAD), FIRST_PAGE if watching_tasks else FIRST_PAGE_BEHIND
        yield Job(Kind.TASKS_SWEEP), SWEEP_PAGE
    else:
        yield Job(Kind.TASKS_SWEEP), 0.0
    for campaign in situation.campaigns:
        job = Job(Kind.CAMPAIGN, campaign.campaign_id)
        interval = _campaign_interval(campaign, "campaigns" in screens, now)
        if interval is not None:
            yield job, interval
        elif situation.runs.get(job) == ASKED_FOR:
            yield job, 0.0
    if situation.swept:
        if situation.behind:
            yield Job(Kind.THREAD_BEHIND, situation.behind), 0.0
        yield Job(Kind.WORKFLOWS), DOCUMENTS_ON_SCREEN if "workflows" in screens else DOCUMENTS
        yield Job(Kind.AI_AGENTS), DOCUMENTS_ON_SCREEN if "agents" in screens else DOCUMENTS


def _campaign_interval(campaign: CampaignRecord, on_screen: bool, now: float) -> float | None:
    """None for a campaign that is only read on demand any more."""
    if campaign.status not in CAMPAIGN_ENDED:
        return CAMPAIGN_ON_SCREEN if on_screen else CAMPAIGN_BEHIND
    ended_at = campaign.completed_at or campaign.failed_at
    if campaign.read_at is None or (ended_at is not None and now - ended_at < AFTER_END_FOR):
        return CAMPAIGN_AFTER_END
    return None

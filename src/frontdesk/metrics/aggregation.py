"""From facts to numbers, pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from frontdesk.metrics.facts import Completion, MessageCount, Outcome, PresentCount, ResponseGroup, TaskFact
from frontdesk.metrics.models import (
    CAMPAIGNS,
    CUSTOMERS,
    EARLIER,
    PRESENT,
    TIMED,
    TROUBLE,
    Breakdown,
    Dimension,
    Measure,
    MeasuredNumber,
    MetricsGroup,
)
from frontdesk.metrics.periods import SLOT_SECONDS, Period
from frontdesk.metrics.store import ANSWER, AUTOMATIC, INCOMING
from frontdesk.service_clocks.clocks import DONE
from frontdesk.text.relative_time import DAY


def without_unmatched(
    groups: Sequence[MetricsGroup], authors: Collection[str], assigned: Collection[str], names: Collection[str]
) -> list[MetricsGroup]:
    """Return agents' numbers, of which those are unknown that may stand under another name.

    Args:
        authors: the names that messages have.
        assigned: the names of tasks' assignees; their ids where no name is known.
        names: the names that are known for ids.
    """
    unmatched = {each for each in authors if each} - {*assigned, *names}
    if not unmatched:
        return [*groups]
    # An author whose id isn't known may have tasks; an agent without messages may be such an author.
    return [
        _without(each, of_threads=each.key not in unmatched)
        if each.key and (each.key in unmatched or each.key not in authors)
        else each
        for each in groups
    ]


def _without(group: MetricsGroup, *, of_threads: bool) -> MetricsGroup:
    numbers = {
        measure: replace(number, share=0.0) if measure.is_of_threads == of_threads else number
        for measure, number in group.numbers.items()
    }
    return replace(group, numbers=numbers)


UNCERTAIN_SHARE = 0.1
UNCERTAIN_SECONDS = 900.0
"""How far apart the earliest and the latest resolution may be, as a share of the latest or at least in seconds."""

AGES = ((1, "under 1 day"), (3, "1 to 3 days"), (7, "3 to 7 days"), (28, "7 to 28 days"))
OLDER = "over 28 days"
UNKNOWN_AGE = "unknown age"

_OF_RESPONSES = {
    True: (Measure.FIRST_RESPONSES, Measure.FIRST_MEDIAN, Measure.FIRST_P90, Measure.FIRST_KEPT),
    False: (Measure.NEXT_RESPONSES, Measure.NEXT_MEDIAN, Measure.NEXT_P90, Measure.NEXT_KEPT),
}
RESPONSE_KIND = {each: is_first for is_first, measures in _OF_RESPONSES.items() for each in measures}
"""Whether a measure of responses counts first ones, or next ones."""

KINDS = {INCOMING: Measure.INCOMING, ANSWER: Measure.ANSWERS, AUTOMATIC: Measure.AUTOMATIC}


@dataclass(frozen=True, slots=True)
class Closing:
    """A task that was completed between two moments, Unix seconds; `seconds` from its creation at the latest.

    Attributes:
        outcome: whether that was in time; None where no policy has a target for it.
    """

    task: TaskFact
    earliest: float
    latest: float
    outcome: Outcome | None = None

    @property
    def seconds(self) -> float | None:
        """Return how long the task was open; None where that is too uncertain."""
        created = self.task.created_at
        if created is None or created > self.latest:
            return None
        longest = self.latest - created
        uncertain = self.latest - max(self.earliest, created)
        return longest if uncertain <= max(UNCERTAIN_SECONDS, UNCERTAIN_SHARE * longest) else None


def percentile(values: Iterable[float], share: float) -> float | None:
    """Return the smallest value that at least this share of all doesn't exceed; None without any."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def is_completed(task: TaskFact) -> bool:
    """Return whether the platform has confirmed that a task is completed."""
    return task.status == DONE and not task.is_pending


def closings(tasks: Iterable[TaskFact], completions: Iterable[Completion]) -> list[Closing]:
    """Return when tasks were completed: as their history has it, or by their own times where it has nothing."""
    known: dict[str, list[Completion]] = defaultdict(list)
    for each in completions:
        known[each.task_id].append(each)
    found = []
    for task in tasks:
        created = task.created_at or -math.inf
        for seen in known.get(task.task_id, ()):
            found.append(Closing(task, max(created, seen.not_before or -math.inf), seen.not_after))
        if is_completed(task) and task.task_id not in known and task.updated_at is not None:
            # A completed task was completed by its last change.
            found.append(Closing(task, created, task.updated_at))
    return found


def closed_in(period: Period, closed: Iterable[Closing]) -> tuple[list[Closing], list[Closing]]:
    """Return what was completed within a period, and what may have been."""
    sure: list[Closing] = []
    unsure: list[Closing] = []
    start, end = period.start, period.end  # the zone is asked each time
    for each in closed:
        if each.earliest >= start and each.latest < end:
            sure.append(each)
        elif each.latest >= start and each.earliest < end:
            unsure.append(each)
    return sure, unsure


def read_fraction(period: Period, since: float | None, until: float | None, now: float) -> float:
    """Return the share of a period's time in which something was read; an unknown bound is none of it."""
    end = min(period.end, now)
    if since is None or until is None or end <= period.start:
        return 0.0
    # The last minutes always are on their way.
    until = now if now - until < UNCERTAIN_SECONDS else until
    return max(0.0, min(end, until) - max(period.start, since)) / (end - period.start)


def message_numbers(totals: Mapping[str, int], share: float) -> dict[Measure, MeasuredNumber]:
    return {measure: MeasuredNumber(totals.get(kind, 0), share) for kind, measure in KINDS.items()}


def response_numbers(found: Collection[ResponseGroup], share: float) -> dict[Measure, MeasuredNumber]:
    numbers: dict[Measure, MeasuredNumber] = {}
    # Those whose beginning isn't known may be of either kind.
    unclear = sum(len(each.answered) for each in found if each.is_first is None)
    for is_first, (count, median, p90, kept) in _OF_RESPONSES.items():
        seconds = sorted(chain.from_iterable(each.waited for each in found if each.is_first is is_first))
        known = share * (len(seconds) / (len(seconds) + unclear) if unclear else 1.0)
        outcomes: Counter[Outcome | None] = Counter()
        for each in found:
            if each.is_first is not (not is_first):
                for outcome, responses in each.outcomes.items():
                    outcomes[outcome] += responses
        numbers |= {
            count: MeasuredNumber(len(seconds), known),
            median: MeasuredNumber(percentile(seconds, 0.5), known, len(seconds)),
            p90: MeasuredNumber(percentile(seconds, 0.9), known, len(seconds)),
            kept: kept_share(outcomes, share),
        }
    return numbers


def kept_share(outcomes: Iterable[Outcome | None], share: float) -> MeasuredNumber:
    """Return the share that was in time, of those whose outcome is known; counts of outcomes will do."""
    counts = Counter(outcomes)
    known = counts[Outcome.KEPT] + counts[Outcome.MISSED]
    judged = known + counts[Outcome.UNKNOWN]
    kept = counts[Outcome.KEPT] / known if known else None
    return MeasuredNumber(kept, share * known / judged if judged else share, known)


def present_numbers(
    found: Iterable[PresentCount], listed: float = 1.0, certain: Mapping[Measure, float] | None = None
) -> dict[Measure, MeasuredNumber]:
    """Return what counts now.

    Args:
        listed: the share of tasks, by which conversations are known, too.
        certain: the share of what may count of which it is known whose it is.
    """
    sums = {each: [0.0, 0.0, 0.0] for each in (*PRESENT, Measure.BACKLOG)}
    for one in found:
        for measure, values in one.counts.items():
            sums[measure] = [sum(each) for each in zip(sums[measure], values, strict=True)]
    numbers = {}
    for measure, (count, known, every) in sums.items():
        share = (1.0 if measure in CAMPAIGNS else listed) * (certain or {}).get(measure, 1.0)
        numbers[measure] = MeasuredNumber(count, share * known / every if every else share)
    return numbers


def closing_numbers(found: Collection[Closing], unsure: int, share: float) -> dict[Measure, MeasuredNumber]:
    seconds = [each.seconds for each in found if each.seconds is not None]
    counted = share * (len(found) / (len(found) + unsure) if unsure else 1.0)
    known = share * (len(seconds) / (len(found) + unsure) if found or unsure else 1.0)
    return {
        Measure.CLOSED: MeasuredNumber(len(found), counted),
        Measure.RESOLUTION_MEDIAN: MeasuredNumber(percentile(seconds, 0.5), known, len(seconds)),
        Measure.RESOLUTION_P90: MeasuredNumber(percentile(seconds, 0.9), known, len(seconds)),
        Measure.RESOLUTIONS_KEPT: kept_share([each.outcome for each in found], counted),
    }


@dataclass(frozen=True, slots=True)
class Facts:
    """What a breakdown is counted from, and the shares that were read.

    Attributes:
        threads, opened, closed, listed: shares of threads, of created tasks, of completions and of tasks.
        unsure: completions that may be within the period.
        daily_threads, daily_closed: the shares of single days, and how many completions may be within each.
        agent_name: a name for an agent's id, as messages name their author.
        agent_names: the names that are known for ids.
        tags: of conversations, by id.
        conversation_ids: of `ResponseGroup.conversation`.
        certain: as `present_numbers` has it.
    """

    messages: Sequence[MessageCount]
    responses: Sequence[ResponseGroup]
    created: Sequence[TaskFact]
    closings: Sequence[Closing]
    backlog: Sequence[TaskFact]
    unsure: Sequence[Closing] = ()
    threads: float = 1.0
    opened: float = 1.0
    closed: float = 1.0
    listed: float = 1.0
    daily_threads: Mapping[str, float] | None = None
    daily_closed: Mapping[str, tuple[float, int]] | None = None
    agent_name: Callable[[str], str] = str
    agent_names: Collection[str] = ()
    tags: Mapping[str, frozenset[str]] | None = None
    conversation_ids: Mapping[int, str] | None = None
    tagged: Sequence[tuple[str, str, int]] = ()
    present: Sequence[PresentCount] = ()
    certain: Mapping[Measure, float] | None = None


_ALL_TASKS = (Measure.OPENED, Measure.CLOSED, Measure.BACKLOG)
_RESPONSES = tuple(RESPONSE_KIND)
_RESOLUTIONS = (Measure.RESOLUTION_MEDIAN, Measure.RESOLUTION_P90, Measure.RESOLUTIONS_KEPT)
MEASURES: Mapping[Dimension, tuple[Measure, ...]] = {
    Dimension.AGENT: (
        *CUSTOMERS,
        Measure.OVERDUE,
        Measure.BACKLOG,
        Measure.ANSWERS,
        *_RESPONSES,
        Measure.CLOSED,
        *_RESOLUTIONS,
    ),
    Dimension.LINE: (
        *CUSTOMERS,
        *CAMPAIGNS,
        Measure.OVERDUE,
        Measure.INCOMING,
        Measure.ANSWERS,
        Measure.AUTOMATIC,
        *_RESPONSES,
        *_ALL_TASKS,
        *_RESOLUTIONS,
    ),
    Dimension.TAG: (Measure.INCOMING, Measure.ANSWERS, *_RESPONSES, *_ALL_TASKS, *_RESOLUTIONS),
    Dimension.DAY: (
        Measure.INCOMING,
        Measure.ANSWERS,
        Measure.AUTOMATIC,
        *_RESPONSES,
        Measure.OPENED,
        Measure.CLOSED,
        *_RESOLUTIONS,
        Measure.WAITING,
        Measure.WAITING_LONG,
    ),
    Dimension.HOUR: (
        Measure.INCOMING,
        Measure.ANSWERS,
        Measure.AUTOMATIC,
        *_RESPONSES,
        Measure.OPENED,
        Measure.WAITING,
        Measure.WAITING_LONG,
    ),
    Dimension.WEEKDAY: (Measure.INCOMING, Measure.ANSWERS, Measure.AUTOMATIC, *_RESPONSES, Measure.OPENED),
    Dimension.WEEK_HOUR: (Measure.INCOMING, Measure.ANSWERS, Measure.AUTOMATIC, *_RESPONSES, Measure.OPENED),
    Dimension.SLA: _RESPONSES,
    Dimension.STATUS: (Measure.BACKLOG,),
    Dimension.AGE: (Measure.BACKLOG,),
}
"""What can be counted by each dimension: who reads a customer's message, for one, isn't known."""


def break_down(
    by: Dimension, period: Period, facts: Facts, now: float, measures: Collection[Measure] = tuple(Measure)
) -> Breakdown:
    shown = tuple(each for each in MEASURES[by] if each in measures)
    keys = _KEYS[by]
    messages: dict[str, Counter[str]] = defaultdict(Counter)
    grouped: dict[str, list[ResponseGroup]] = defaultdict(list)
    closed: dict[str, list[Closing]] = defaultdict(list)
    if by is Dimension.TAG:
        tags = facts.tags or {}
        for conversation, kind, count in facts.tagged:
            for tag in tags.get(conversation, ()):
                messages[tag][kind] += count
    else:
        for each in facts.messages:
            for key in keys.of_message(each, period, facts):
                messages[key][each.kind] += each.messages
    for response in facts.responses:
        for key in keys.of_response(response, period, facts):
            grouped[key].append(response)
    created = Counter(
        key for task in facts.created for key in keys.of_task(task, task.created_at, period, facts, now)
    )
    for closing in facts.closings:
        for key in keys.of_task(closing.task, closing.latest, period, facts, now):
            closed[key].append(closing)
    unsure: Counter[str] = Counter()
    if not keys.is_timed:
        for closing in facts.unsure:
            unsure.update(keys.of_task(closing.task, closing.latest, period, facts, now))
    waiting = Counter(key for task in facts.backlog for key in keys.of_task(task, None, period, facts, now))
    present: dict[str, list[PresentCount]] = defaultdict(list)
    for one in facts.present:
        for key in keys.of_present(one, period, facts):
            present[key].append(one)
            waiting[key] += int(one.counts.get(Measure.BACKLOG, (0.0,))[0])
    assigned = {*created, *closed, *unsure, *waiting, *present}
    authors = {*messages, *grouped}
    found = authors | assigned
    # Whether an unsure completion was within an hour or on a weekday isn't known: all of them are less sure.
    sure_share = len(facts.closings) / (len(facts.closings) + len(facts.unsure)) if facts.unsure else 1.0
    closed_share = facts.closed * sure_share if keys.is_timed else facts.closed
    ordered = keys.order(found, period)
    present_of = {key: present_numbers(present.get(key, ()), facts.listed, facts.certain) for key in found}
    if by in (Dimension.AGENT, Dimension.LINE, Dimension.TAG, Dimension.STATUS):
        ordered = sorted(
            found,
            key=lambda key: (
                [-(present_of[key][each].counted or 0.0) for each in TROUBLE],
                key == "",
                -sum(messages[key].values()),
                -waiting[key],
                -created[key],
                key,
            ),
        )
    none_present = present_numbers((), facts.listed, facts.certain)
    groups = []
    for key in ordered:
        threads = (facts.daily_threads or {}).get(key, facts.threads)
        share, may_be = (facts.daily_closed or {}).get(key, (closed_share, unsure[key]))
        numbers = {
            **present_of.get(key, none_present),
            **message_numbers(messages[key], threads),
            **response_numbers(grouped[key], threads),
            **closing_numbers(closed[key], may_be, share),
            Measure.OPENED: MeasuredNumber(created[key], facts.opened),
            Measure.BACKLOG: MeasuredNumber(waiting[key], facts.listed),
        }
        if key == EARLIER:
            numbers |= {each: MeasuredNumber(None) for each in shown if not each.is_present}
        groups.append(MetricsGroup(key, {each: numbers[each] for each in shown}))
    if by is Dimension.AGENT:
        groups = without_unmatched(groups, authors, assigned, facts.agent_names)
    return Breakdown(by, shown, groups)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """One bar of a breakdown; `key` as in `MetricsGroup`."""

    by: Dimension
    key: str

    def responses(self, found: Iterable[ResponseGroup], period: Period, facts: Facts) -> list[ResponseGroup]:
        key_of = _KEYS[self.by].of_response
        return [each for each in found if self.key in key_of(each, period, facts)]

    def has_task(self, task: TaskFact, at: float | None, period: Period, facts: Facts, now: float) -> bool:
        """Return whether a task, opened or closed at a moment (Unix seconds), is of the group."""
        return self.key in _KEYS[self.by].of_task(task, at, period, facts, now)

    def has_present(self, one: PresentCount, period: Period, facts: Facts) -> bool:
        return self.key in _KEYS[self.by].of_present(one, period, facts)

    def slots(self, period: Period) -> list[int] | None:
        """Return the quarters of an hour of a period that are the group's; None where time doesn't matter."""
        if self.by not in TIMED:
            return None
        moments = range(int(period.start), int(period.end), SLOT_SECONDS)
        key_of, nothing = _KEYS[self.by].of_message, Facts((), (), (), (), ())
        return [
            at // SLOT_SECONDS
            for at in moments
            if self.key in key_of(MessageCount(at, "", "", "", 0), period, nothing)
        ]


def age(task: TaskFact, now: float) -> str:
    if task.created_at is None:
        return UNKNOWN_AGE
    days = (now - task.created_at) / DAY
    return next((name for limit, name in AGES if days < limit), OLDER)


@dataclass(frozen=True, slots=True)
class _Keys:
    """How one dimension finds the keys of each kind of facts and orders them; `is_timed` for moments."""

    of_message: Callable[[MessageCount, Period, Facts], Iterable[str]]
    of_response: Callable[[ResponseGroup, Period, Facts], Iterable[str]]
    of_task: Callable[[TaskFact, float | None, Period, Facts, float], Iterable[str]]
    order: Callable[[Collection[str], Period], Sequence[str]] = lambda found, _: sorted(found)
    is_timed: bool = False
    of_present: Callable[[PresentCount, Period, Facts], Iterable[str]] = lambda *_: ()


def _timed(by: Dimension, order: Callable[[Collection[str], Period], Sequence[str]]) -> _Keys:
    def key(at: float, period: Period) -> str:
        return TIMED[by](period.local(at))

    return _Keys(
        lambda each, period, _: (key(each.at, period),),
        lambda each, period, _: (key(each.at, period),),
        lambda _task, at, period, _facts, _now: () if at is None else (key(at, period),),
        lambda found, period: [*order(found, period), *([EARLIER] if EARLIER in found else [])],
        is_timed=True,
        of_present=lambda each, period, _: (
            ()
            if each.at is None or each.at >= period.end
            else (key(each.at, period) if each.at >= period.start else EARLIER,)
        ),
    )


def _no_messages(*_: object) -> tuple[str, ...]:
    return ()


_KEYS: Mapping[Dimension, _Keys] = {
    Dimension.AGENT: _Keys(
        lambda each, _, _facts: (each.author,) if each.kind == ANSWER else (),
        lambda each, _, _facts: (each.author,),
        lambda task, _at, _period, facts, _now: [*map(facts.agent_name, task.assigned)] or [""],
        of_present=lambda one, _period, facts: [*map(facts.agent_name, one.assigned)] or [""],
    ),
    Dimension.LINE: _Keys(
        lambda each, _, _facts: (each.line_id,),
        lambda each, _, _facts: (each.line_id,),
        lambda task, _at, _period, _facts, _now: (task.line_id,),
        of_present=lambda one, *_: (one.line_id,),
    ),
    Dimension.TAG: _Keys(
        _no_messages,
        lambda each, _, facts: (facts.tags or {}).get(
            (facts.conversation_ids or {}).get(each.conversation, ""), ()
        ),
        lambda task, _at, _period, facts, _now: (facts.tags or {}).get(task.conversation_id, ()),
    ),
    Dimension.DAY: _timed(
        Dimension.DAY,
        lambda _, period: [each.first_day.isoformat() for each in period.each_day()],
    ),
    Dimension.HOUR: _timed(
        Dimension.HOUR,
        lambda _found, period: [str(each) for each in period.hours],
    ),
    Dimension.WEEKDAY: _timed(
        Dimension.WEEKDAY,
        lambda _found, period: [str(each) for each in period.weekdays],
    ),
    Dimension.WEEK_HOUR: _timed(Dimension.WEEK_HOUR, lambda _found, period: period.hours_of_week),
    Dimension.SLA: _Keys(_no_messages, lambda each, *_: (each.policy,), _no_messages),
    Dimension.STATUS: _Keys(
        _no_messages, _no_messages, lambda task, at, *_: () if at is not None else (task.status,)
    ),
    Dimension.AGE: _Keys(
        _no_messages,
        _no_messages,
        lambda task, at, _period, _facts, now: () if at is not None else (age(task, now),),
        lambda found, _: [each for each in (*(name for _, name in AGES), OLDER, UNKNOWN_AGE) if each in found],
    ),
}

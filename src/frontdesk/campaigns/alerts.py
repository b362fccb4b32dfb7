"""Whether a campaign gives cause for an alert, and whether that was told already: pure.

`sync.alerts` judges with each read and keeps the states; the screens show what holds at the moment.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from frontdesk.campaigns.alert_rules import EVENTS, Measure, Rule, Unit, plain
from frontdesk.contract.states import CAMPAIGN_ENDED
from frontdesk.frozen import dataclass
from frontdesk.store.records import CampaignRecord, Counters, Sample

RATE_SECONDS = 60.0
WELL_AGAIN = 0.1
"""By this part of the limit a value must be on the good side of it to count as well again."""


class State(StrEnum):
    """How it stands with one rule and one campaign."""

    ARMED = "armed"
    TOLD = "told"


States = Mapping[str, State]
"""By the rule's key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that holds for a campaign.

    Attributes:
        value: what was measured, as a number in the limit's unit or a state's word; for commands.
        words: the same for people.
    """

    rule: Rule
    value: str
    words: str


def holding(rules: Sequence[Rule], record: CampaignRecord, samples: Sequence[Sample]) -> tuple[Finding, ...]:
    """What is so at the last read, told or not; nothing of what merely happened.

    Args:
        samples: of at least the last minute, with the one before, oldest first.
    """
    if not _is_read(record):
        return ()
    return tuple(
        found
        for rule in rules
        if rule.measure not in EVENTS and (found := _judge(rule, record, samples)[0]) is not None
    )


def advance(
    rules: Sequence[Rule], record: CampaignRecord, samples: Sequence[Sample], before: States
) -> tuple[States, tuple[Finding, ...]]:
    """The states after this read, and what is to be told now.

    A rule that meets a campaign for the first time says nothing of what had happened by then: of one
    that has ended nothing at all, of one under way only what is wrong with it now.
    """
    if not _is_read(record):
        return before, ()
    after, told = dict(before), []
    for rule in rules:
        found, is_well = _judge(rule, record, samples)
        state = before.get(rule.key)
        if found is None:
            if state is None or (state is State.TOLD and rule.again and is_well):
                after[rule.key] = State.ARMED
        elif state is not State.TOLD:
            after[rule.key] = State.TOLD
            is_old = state is None and (rule.measure in EVENTS or record.status in CAMPAIGN_ENDED)
            told += [] if is_old else [found]
    return after, tuple(told)


def settled(counters: Counters) -> float:
    """How many recipients have an outcome by now."""
    parts = (counters.sent, counters.failed, counters.opted_out, counters.duplicates, counters.too_many)
    return sum(max(0.0, each or 0.0) for each in parts)


def stalled_seconds(record: CampaignRecord, samples: Sequence[Sample]) -> float:
    """For how long nothing moved, up to the last read: what came after it nobody knows. 0: not under way."""
    if record.status != "inProgress" or record.read_at is None or not samples:
        return 0.0
    return max(0.0, record.read_at - max(samples[-1].at, record.started_at or 0.0))


def rate_per_minute(samples: Sequence[Sample], name: str, until: float) -> float:
    """How much a counter grew in the minute before a moment; of growth over a hole its part in that minute."""
    begin = until - RATE_SECONDS
    grown = 0.0
    for earlier, later in pairwise(samples):
        seconds = later.at - earlier.at
        inside = min(later.at, until) - max(earlier.at, begin)
        if seconds > 0 and inside > 0:
            growth = (getattr(later.counters, name) or 0.0) - (getattr(earlier.counters, name) or 0.0)
            grown += max(0.0, growth) * inside / seconds
    return grown


_COUNTERS = {
    Measure.FAILED: "failed",
    Measure.OPT_OUT: "opted_out",
    Measure.DUPLICATE: "duplicates",
    Measure.THROTTLED: "too_many",
    Measure.SENT: "sent",
}
_EVENT_WORDS = {"inProgress": "started", "failed": "ended as failed", "stopped": "was stopped"}
_NAMES = {Measure.OPT_OUT: "opted out", Measure.DUPLICATE: "duplicates"}


def _is_read(record: CampaignRecord) -> bool:
    return record.read_at is not None and not record.problem


def _judge(rule: Rule, record: CampaignRecord, samples: Sequence[Sample]) -> tuple[Finding | None, bool]:
    """What is found, if anything; and whether it is well, past the limit by some way."""
    if rule.measure is Measure.FINISHED:
        return _event(rule, record, record.status in CAMPAIGN_ENDED)
    if rule.measure is Measure.STARTS:
        return _event(rule, record, record.status == "inProgress" or record.started_at is not None)
    if (value := _measured(rule, record, samples)) is None:
        return None, False
    way = rule.limit * WELL_AGAIN
    if rule.is_below:
        holds, is_well = value < rule.limit, value >= rule.limit + way
    elif rule.measure is Measure.STALLED:
        holds, is_well = value >= rule.limit, value < rule.limit
    else:
        holds, is_well = value > rule.limit, value <= rule.limit - way
    return (_finding(rule, value, record.counters) if holds else None), is_well


def _event(rule: Rule, record: CampaignRecord, has_come: bool) -> tuple[Finding | None, bool]:
    if not has_come:
        return None, True
    return Finding(rule, record.status, _EVENT_WORDS.get(record.status, record.status)), False


def _measured(rule: Rule, record: CampaignRecord, samples: Sequence[Sample]) -> float | None:
    """In the limit's unit; None where it can't be said yet, or no more."""
    if rule.measure is Measure.STALLED:
        return stalled_seconds(record, samples)
    name = _COUNTERS[rule.measure]
    if rule.unit is Unit.RATE:
        until = record.read_at or 0.0
        if rule.is_below and not _should_send(record, samples, until - RATE_SECONDS):
            return None
        return rate_per_minute(samples, name, until)
    count = getattr(record.counters, name)
    if count is None or rule.unit is Unit.COUNT:
        return None if count is None else float(count)
    of = settled(record.counters)
    return count / of * 100.0 if of >= rule.least else None


def _should_send(record: CampaignRecord, samples: Sequence[Sample], since: float) -> bool:
    """Whether it was under way, and read, all the while, and somebody is still to be written to."""
    return (
        record.status == "inProgress"
        and bool(record.counters.pending)
        and bool(samples)
        and samples[0].at <= since
        and (record.started_at or 0.0) <= since
    )


def _finding(rule: Rule, value: float, counters: Counters) -> Finding:
    name = _NAMES.get(rule.measure, rule.measure.value)
    if rule.measure is Measure.STALLED:
        return Finding(rule, f"{value:.0f}", f"stalled: nothing moved for {plain(rule.limit)} s")
    shown = _digits(value, rule)
    unit = f" {rule.unit.value}" if rule.unit is Unit.SHARE else rule.unit.value
    side = "under" if rule.is_below else "over"
    if rule.unit is Unit.SHARE and settled(counters) < (counters.total or 0.0):
        side = f"so far, {side}"  # the funnel beside it tells the share of all
    return Finding(rule, shown, f"{name} {shown}{unit} {side} {plain(rule.limit)}{unit}")


def _digits(value: float, rule: Rule) -> str:
    """As few digits as tell it from the limit."""
    least = 1 if rule.unit is Unit.SHARE else 0
    texts = [f"{value:.{digits}f}" for digits in range(least, 5)]
    return next((each for each in texts if float(each) != rule.limit), texts[-1])

"""Whether a campaign gives cause for an alert, and whether that was told already: pure.

`campaigns.alerts.monitor` judges with each read and keeps the states; the screens show what holds at the moment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from frontdesk.api.contract.states import CAMPAIGN_ENDED
from frontdesk.campaigns.alerts.rules import EVENTS, AlertMeasure, AlertRule, Unit, plain
from frontdesk.campaigns.metrics.counters import settled
from frontdesk.campaigns.metrics.throughput import MINUTE, last_moved_at, moved_between, moves, watched_between
from frontdesk.campaigns.models import CampaignRecord, Sample, WatchInterval

WELL_AGAIN = 0.1
"""By this part of the limit a value must be on the good side of it to count as well again."""


class AlertInput(NamedTuple):
    """What is known of a campaign at its last read.

    Attributes:
        samples: of `look_back_seconds` before it and with the one before, oldest first.
        intervals: when it was watched in that time.
    """

    record: CampaignRecord
    samples: Sequence[Sample]
    intervals: Sequence[WatchInterval]


class State(StrEnum):
    """How it stands with one rule and one campaign."""

    ARMED = "armed"
    TOLD = "told"


States = Mapping[str, State]
"""By the rule's key."""


@dataclass(frozen=True, slots=True)
class AlertMatch:
    """A rule that holds for a campaign.

    Attributes:
        value: what was measured, as a number in the limit's unit or a state's word; for commands.
        words: the same for people.
    """

    rule: AlertRule
    value: str
    words: str


def holding(rules: Sequence[AlertRule], reading: AlertInput) -> tuple[AlertMatch, ...]:
    """What is so at the last read, told or not; nothing of what merely happened."""
    if not _is_read(reading.record):
        return ()
    return tuple(
        found for rule in rules if rule.measure not in EVENTS and (found := _judge(rule, reading)[0]) is not None
    )


def advance(
    rules: Sequence[AlertRule], reading: AlertInput, before: States
) -> tuple[States, tuple[AlertMatch, ...]]:
    """The states after this read, and what is to be told now.

    A rule that meets a campaign for the first time says nothing of what had happened by then: of one
    that has ended nothing at all, of one under way only what is wrong with it now.
    """
    if not _is_read(reading.record):
        return before, ()
    after, matches = dict(before), []
    for rule in rules:
        found, is_well = _judge(rule, reading)
        state = before.get(rule.key)
        if found is None:
            if state is None or (state is State.TOLD and rule.again and is_well):
                after[rule.key] = State.ARMED
        elif state is not State.TOLD:
            after[rule.key] = State.TOLD
            is_old = state is None and (rule.measure in EVENTS or reading.record.status in CAMPAIGN_ENDED)
            matches += [] if is_old else [found]
    return after, tuple(matches)


def look_back_seconds(rules: Sequence[AlertRule]) -> float:
    """Of how long before the last read samples are needed to judge."""
    longest = max((each.limit for each in rules if each.measure is AlertMeasure.STALLED), default=0.0)
    return max(2 * MINUTE, longest + MINUTE)


def stalled_seconds(reading: AlertInput) -> float:
    """For how long no sending moved, up to the last read: what came after nobody knows. 0: not under way."""
    record, moved_at = reading.record, last_moved_at(reading.samples)
    if record.status != "inProgress" or record.read_at is None or moved_at is None:
        return 0.0
    return max(0.0, record.read_at - max(moved_at, record.started_at or 0.0))


def rate_per_minute(reading: AlertInput, counter: str) -> float:
    """How much a counter grew in the minute before the last read; what grew in a hole is left out."""
    at = reading.record.read_at or 0.0
    rose = moves(reading.samples, _watched(reading), attrgetter(counter))
    return moved_between(rose, at - MINUTE, at)


_COUNTERS = {
    AlertMeasure.FAILED: "failed",
    AlertMeasure.OPT_OUT: "opted_out",
    AlertMeasure.DUPLICATE: "duplicates",
    AlertMeasure.THROTTLED: "too_many",
    AlertMeasure.SENT: "sent",
}
_DECIDED_BEFORE = frozenset({AlertMeasure.OPT_OUT, AlertMeasure.DUPLICATE})
"""What is decided before anything is sent: its share is of all, else it would be large at first."""

_EVENT_WORDS = {"inProgress": "started", "failed": "ended as failed", "stopped": "was stopped"}
_NAMES = {AlertMeasure.OPT_OUT: "opted out", AlertMeasure.DUPLICATE: "duplicates"}


def _is_read(record: CampaignRecord) -> bool:
    return record.read_at is not None and not record.problem


def _watched(reading: AlertInput) -> Sequence[WatchInterval]:
    """When it was watched; without any word of it, since the first sample."""
    if reading.intervals or not reading.samples:
        return reading.intervals
    return (WatchInterval(reading.samples[0].at, reading.record.read_at or reading.samples[-1].at),)


def _judge(rule: AlertRule, reading: AlertInput) -> tuple[AlertMatch | None, bool]:
    """What is found, if anything; and whether it is well, past the limit by some way."""
    record = reading.record
    if rule.measure is AlertMeasure.FINISHED:
        return _event(rule, record, record.status in CAMPAIGN_ENDED)
    if rule.measure is AlertMeasure.STARTS:
        return _event(rule, record, record.status == "inProgress" or record.started_at is not None)
    if (value := _measured(rule, reading)) is None:
        return None, False
    way = rule.limit * WELL_AGAIN
    if rule.is_below:
        holds, is_well = value < rule.limit, value >= rule.limit + way
    elif rule.measure is AlertMeasure.STALLED:
        holds, is_well = value >= rule.limit, value < rule.limit
    else:
        holds, is_well = value > rule.limit, value <= rule.limit - way
        # What grew in a minute of which nobody saw all may be more than what was seen of it.
        is_well = is_well and (rule.unit is not Unit.RATE or _is_minute_watched(reading))
    return (_finding(rule, value, record) if holds else None), is_well


def _event(rule: AlertRule, record: CampaignRecord, has_come: bool) -> tuple[AlertMatch | None, bool]:
    if not has_come:
        return None, True
    return AlertMatch(rule, record.status, _EVENT_WORDS.get(record.status, record.status)), False


def _measured(rule: AlertRule, reading: AlertInput) -> float | None:
    """In the limit's unit; None where it can't be said yet, or no more."""
    if rule.measure is AlertMeasure.STALLED:
        return stalled_seconds(reading)
    name, counters = _COUNTERS[rule.measure], reading.record.counters
    if rule.unit is Unit.RATE:
        return None if rule.is_below and not _should_send(reading) else rate_per_minute(reading, name)
    count = getattr(counters, name)
    if count is None or rule.unit is Unit.COUNT:
        return None if count is None else float(count)
    of = (counters.total if rule.measure in _DECIDED_BEFORE else settled(counters)) or 0.0
    return count / of * 100.0 if of >= rule.least else None


def _should_send(reading: AlertInput) -> bool:
    """Whether it was under way, and watched, for the whole minute, and somebody is still to be written to."""
    record, at = reading.record, reading.record.read_at or 0.0
    return (
        record.status == "inProgress"
        and bool(record.counters.pending)
        and (record.started_at or 0.0) <= at - MINUTE
        and _is_minute_watched(reading)
    )


def _is_minute_watched(reading: AlertInput) -> bool:
    """Whether the minute before the last read was watched without a hole."""
    at = reading.record.read_at or 0.0
    return watched_between(_watched(reading), at - MINUTE, at) >= MINUTE


def _finding(rule: AlertRule, value: float, record: CampaignRecord) -> AlertMatch:
    name = _NAMES.get(rule.measure, rule.measure.value)
    if rule.measure is AlertMeasure.STALLED:
        return AlertMatch(rule, f"{value:.0f}", f"stalled over {plain(rule.limit)} s")
    shown = _digits(value, rule)
    unit = f" {rule.unit.value}" if rule.unit is Unit.SHARE else rule.unit.value
    side = "under" if rule.is_below else "over"
    if rule.unit is Unit.SHARE and rule.measure not in _DECIDED_BEFORE and record.status not in CAMPAIGN_ENDED:
        side = f"so far, {side}"  # the funnel beside it tells the share of all
    return AlertMatch(rule, shown, f"{name} {shown}{unit} {side} {plain(rule.limit)}{unit}")


def _digits(value: float, rule: AlertRule) -> str:
    """As few digits as tell it from the limit."""
    least = 1 if rule.unit is Unit.SHARE else 0
    texts = [f"{value:.{digits}f}" for digits in range(least, 5)]
    return next((each for each in texts if float(each) != rule.limit), texts[-1])

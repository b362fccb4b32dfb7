"""Campaigns side by side by the time since each started; pure.

What was not watched is unknown. Within a watch interval the last counters stand until others come, since a sample
is kept whenever they differ; between two samples that were thinned the counters are interpolated.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, WatchInterval
from frontdesk.campaigns.throughput import MINUTE, rate_per_minute
from frontdesk_api.contract.values import CAMPAIGN_ENDED

THINNED_AFTER = 3_600.0
"""From this age on the store lets samples go that lie close together, in seconds."""

FAR_APART = 30.0
"""Thinned samples lie further apart than this."""


class CurveMeasure(StrEnum):
    """The measure of a curve."""

    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


class ReadingSource(StrEnum):
    """How the counters at a moment are known.

    `ABOUT` lies between two thinned samples; after `LAST`, the end, delivered and read may still have risen;
    `HOLE` wasn't watched; `NOT_YET` is before the start or in the future.
    """

    SEEN = "seen"
    ABOUT = "about"
    LAST = "last"
    HOLE = "hole"
    NOT_YET = "not yet"


WATCHED = (ReadingSource.SEEN, ReadingSource.ABOUT)


class CounterReading(NamedTuple):
    """A campaign's counters at one moment, None where they are not known, and how they are."""

    known: ReadingSource
    counters: Counters | None


class Lead(NamedTuple):
    """The lead of one campaign over another at the same time since the start.

    Attributes:
        by: a share of theirs, 0.18 is 18 % ahead; None where theirs is 0. Of shares it is the difference.
        known: how theirs is known.
    """

    mine: float
    theirs: float
    by: float | None
    known: ReadingSource


def reading(history: CampaignHistory, seconds: float) -> CounterReading:
    """Return a campaign's counters at a time since its start."""
    started_at = history.record.started_at
    if started_at is None or seconds < 0 or not history.intervals:
        return CounterReading(ReadingSource.NOT_YET, None)
    moment = started_at + seconds
    index = bisect_right(history.samples, moment, key=lambda each: each.at) - 1
    interval = bisect_right(history.intervals, moment, key=lambda each: each.since) - 1
    is_watched = interval >= 0 and moment <= history.intervals[interval].until
    if is_watched and index >= 0:
        return _within(history, moment, index, history.intervals[interval])
    if moment > history.intervals[-1].until:
        if history.record.status in CAMPAIGN_ENDED and index >= 0:
            return CounterReading(ReadingSource.LAST, history.samples[index].counters)
        return CounterReading(ReadingSource.NOT_YET, None)
    return CounterReading(ReadingSource.HOLE, None)


def _within(history: CampaignHistory, moment: float, index: int, interval: WatchInterval) -> CounterReading:
    before = history.samples[index]
    after = history.samples[index + 1] if index + 1 < len(history.samples) else None
    begin = max(before.at, interval.since)
    if (
        after is None
        or after.at > min(interval.until, history.thinned_before)
        or after.at - begin <= FAR_APART
        or moment == begin
    ):
        return CounterReading(ReadingSource.SEEN, before.counters)
    share = (moment - begin) / (after.at - begin)
    pairs = zip(before.counters, after.counters, strict=True)
    between = [None if was is None or now is None else (was + (now - was) * share) // 1 for was, now in pairs]
    return CounterReading(ReadingSource.ABOUT, Counters(*between))


def count(counters: Counters | None, measure: CurveMeasure, *, of_total: bool = False) -> float | None:
    """Return a number, or a share of all recipients; None is unknown."""
    if counters is None:
        return None
    value: float | None = getattr(counters, measure)
    if not of_total or value is None:
        return value
    return value / counters.total if counters.total else None


ALIKE = 1.1
"""Of two campaigns of one size the larger one has at most so many times as many recipients."""


def have_other_sizes(records: Iterable[CampaignRecord]) -> bool:
    """Whether only shares of these can be compared, since their sizes differ; not if one is unknown."""
    totals = [each.counters.total for each in records]
    known = [each for each in totals if each]
    return 1 < len(known) == len(totals) and max(known) > ALIKE * min(known)


def curve(
    history: CampaignHistory, measure: CurveMeasure, until: float, steps: int, *, of_total: bool = False
) -> list[list[tuple[float, float]]]:
    """Compute a curve, seconds since the start and value: a list for each part without a hole.

    Args:
        until: seconds since the start.
        steps: how many points lie evenly on it, besides the ends of watch intervals.
    """
    started_at = history.record.started_at
    if started_at is None or until <= 0:
        return []
    edges = [edge - started_at for interval in history.intervals for edge in interval]
    grid = sorted({*(until * step / max(1, steps - 1) for step in range(steps)), *edges})
    parts: list[list[tuple[float, float]]] = [[]]
    for seconds in grid:
        if not 0 <= seconds <= until:
            continue
        seen = reading(history, seconds)
        value = count(seen.counters, measure, of_total=of_total) if seen.known in WATCHED else None
        if value is None:
            parts.append([])
            continue
        if parts[-1] and _is_hole_between(history, started_at + parts[-1][-1][0], started_at + seconds):
            parts.append([])
        parts[-1].append((seconds, value))
    return [part for part in parts if part]


def rate_at(history: CampaignHistory, seconds: float) -> float | None:
    """Sent per minute in the minute before a time since the start; None where too little of it was watched."""
    if history.record.started_at is None or reading(history, seconds).known not in WATCHED:
        return None
    moment = history.record.started_at + seconds
    first = bisect_right(history.samples, moment - MINUTE, key=lambda each: each.at) - 1
    after = bisect_right(history.samples, moment, key=lambda each: each.at) + 1
    around = history.samples[max(0, first) : after]
    return rate_per_minute(around, moment, history.intervals)


def progress_of(
    mine: CampaignHistory,
    theirs: CampaignHistory,
    measure: CurveMeasure,
    seconds: float,
    *,
    of_total: bool = False,
) -> Lead | None:
    seen, other = reading(mine, seconds), reading(theirs, seconds)
    value = count(seen.counters, measure, of_total=of_total)
    other_value = count(other.counters, measure, of_total=of_total)
    if value is None or other_value is None:
        return None
    by = value - other_value if of_total else ((value - other_value) / other_value if other_value else None)
    return Lead(value, other_value, by, other.known)


def predecessor(record: CampaignRecord, among: Iterable[CampaignRecord]) -> CampaignRecord | None:
    """Return the latest campaign before this one with its workflow or, apart from dates and numbers, its name."""
    begins = record.started_at or record.scheduled_at
    workflow, stem = _workflow(record), name_stem(record.name)
    earlier = [
        (each.started_at, each)
        for each in among
        if each.campaign_id != record.campaign_id
        and each.started_at is not None
        and (begins is None or each.started_at < begins)
        and ((workflow and _workflow(each) == workflow) or (stem and name_stem(each.name) == stem))
    ]
    return max(earlier, key=lambda found: found[0])[1] if earlier else None


def baseline(record: CampaignRecord, others: Sequence[CampaignRecord]) -> CampaignRecord | None:
    """Return the `predecessor` among the others, else the first of them."""
    others = [each for each in others if each.campaign_id != record.campaign_id]
    return predecessor(record, others) or next(iter(others), None)


def campaigns_to_compare(
    records: Sequence[CampaignRecord], marked: Collection[str], cursor: str | None
) -> list[CampaignRecord]:
    """Return the campaigns to compare, newest first: the marked ones, or the cursor's and its predecessor."""
    chosen = [each for each in records if each.campaign_id in marked]
    if len(chosen) < 2:
        one = next(iter(chosen), None) or next((each for each in records if each.campaign_id == cursor), None)
        before = None if one is None else predecessor(one, records)
        return [each for each in (one, before) if each is not None]
    return sorted(chosen, key=lambda each: -(each.started_at or float("inf")))


def name_stem(name: str) -> str:
    """Return a campaign's name without digits, months and days of the week."""
    return " ".join(word for word in _LETTERS.findall(name.casefold()) if word not in _DATES)


_LETTERS = re.compile(r"[^\W\d_]+")
_DATES = frozenset(
    _LETTERS.findall(
        "january february march april may june july august september october november december"
        " jan feb mar apr jun jul aug sep sept oct nov dec"
        " monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"
        " week wk w day st nd rd th copy of"
    )
)


def _workflow(record: CampaignRecord) -> object:
    return record.raw.get("workflowId") or record.workflow_name


def _is_hole_between(history: CampaignHistory, since: float, until: float) -> bool:
    return not any(first <= since and until <= last for first, last in history.intervals)


def holes(history: CampaignHistory, until: float) -> Iterator[WatchInterval]:
    """Yield when a running campaign was not watched, up to its end or now, Unix seconds."""
    at = history.record.started_at
    if at is None:
        return
    for since, last in history.intervals:
        if at < min(since, until):
            yield WatchInterval(at, min(since, until))
        at = max(at, last)
    if at < until:
        yield WatchInterval(at, until)

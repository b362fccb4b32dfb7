"""How fast a campaign goes and when it will be done, from successive reads of its counters; pure.

The platform gives no rate. All is as of the latest read, and time without a watch belongs to no rate.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from frontdesk.campaigns.counters import Counters, counter_doubt, finished_count, remaining
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval
from frontdesk.campaigns.time_left import Eta, LineLoad, Point, estimate_end
from frontdesk_api.contract.values import CAMPAIGN_ENDED

MINUTE = 60.0
STALLED_AFTER = 60.0

THROTTLED_SHARE = 0.02
"""Of the recipients settled in the last minute; single too many requests come with any campaign."""

LOOKBACK_SECONDS = 600.0
"""The past that a campaign's movement is computed from; callers read samples of it."""

_MAX_PREPARING = 900.0
"""Longer than this no campaign takes to find its recipients."""

MIN_SECONDS = 8.0
"""The shortest time that gives a rate."""

ASSUMED_PACE = (20.0, 80.0)
"""Recipients a second of a line that has sent nothing yet: busy and calm (docs/interface.md, Campaign
counters)."""

SPREAD = 0.25
"""How far a pace may be off that was measured only once."""

PACES = 3
"""How many of a line's last campaigns decide its pace."""

MEASURED_FROM = 20
"""The fewest recipients that give a pace."""

_MAX_COUNT = 2.0**63
"""Nothing counts further: it keeps what is made of odd numbers finite."""

Count = Callable[[Counters], float | None]
_SENT: Count = attrgetter("sent")


class CampaignState(StrEnum):
    """The state of a campaign, derived from its reads."""

    UNREAD = "not loaded"
    SCHEDULED = "scheduled"
    PREPARING = "preparing"
    MEASURING = "measuring"
    MOVING = "moving"
    THROTTLED = "throttled"
    STALLED = "stalled"
    ENDED = "ended"
    UNKNOWN = "unknown"


class Throughput(NamedTuple):
    """How a campaign moves, as of `at`.

    Attributes:
        at: the latest moment of which anything is known.
        since: when nothing moved any more, where it is stalled.
        too_many: too many requests of the last minute.
        minute_rate, start_rate: sent a minute, in the last minute and since the start; None is not known.
    """

    state: CampaignState
    at: float
    since: float | None
    too_many: float
    minute_rate: float | None
    start_rate: float | None
    eta: Eta | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The range of its end, Unix seconds."""
        return None if self.eta is None else (self.at + self.eta.low_seconds, self.at + self.eta.high_seconds)

    @property
    def ends_at(self) -> float | None:
        """The middle of the range of its end, Unix seconds."""
        return None if self.ends is None else sum(self.ends) / 2


class CounterRise(NamedTuple):
    """A rise by `amount` between two successive reads."""

    begin: float
    end: float
    amount: float


def measure_throughput(history: CampaignHistory, now: float, line: Sequence[LineLoad] = ()) -> Throughput:
    """Compute a campaign's movement from its reads.

    Args:
        history: samples of `LOOKBACK_SECONDS` at least and the one before.
        line: the other campaigns of its line.
    """
    record, samples, at = history.record, history.samples, _last_read_at(history, now)
    watched = _since(record.started_at, _watched(samples, history.intervals, at), at)
    still_since = history.last_moved_at
    # Of the rest nothing more is said, and there may be weeks of it.
    lately = max(0, bisect_right(samples, at - LOOKBACK_SECONDS, key=lambda each: each.at) - 1)
    samples = samples[lately:]

    def last_minute(count: Count) -> float:
        return rise_between(rises(samples, watched, count), at - MINUTE, at)

    too_many = last_minute(attrgetter("too_many"))
    minute_rate = rate_per_minute(samples, at, watched)
    is_still = still_since is not None and at - still_since >= STALLED_AFTER
    is_throttled = too_many > 0 and too_many >= THROTTLED_SHARE * last_minute(finished_count)
    state = _state(record, is_still, minute_rate is not None, is_throttled)
    eta = None
    if state in (CampaignState.MOVING, CampaignState.THROTTLED) and last_minute(_SENT) > 0:
        eta = _eta(record, history.samples, watched, at, line)
    since = still_since if state is CampaignState.STALLED else None
    return Throughput(state, at, since, too_many, minute_rate, rate_since_start(record, at), eta)


def _last_read_at(history: CampaignHistory, now: float) -> float:
    """Return the latest moment at which a campaign is known to have been read, never after now."""
    known = [each.at for each in history.samples[-1:]] + [each.until for each in history.intervals[-1:]]
    if history.record.read_at is not None:
        known.append(history.record.read_at)
    return min(now, max(known, default=now))


def rises(samples: Sequence[Sample], intervals: Sequence[WatchInterval], count: Count) -> list[CounterRise]:
    """Return the rises of a count between reads; what rose while nobody watched is left out."""
    known = [(each.at, value) for each in samples if (value := count(each.counters)) is not None]
    found: list[CounterRise] = []
    for (before, was), (after, now) in pairwise(known):
        # Without a read of its own at the end of a hole it had the same counters there as before it.
        begin = max(before, _interval_at(intervals, after).since)
        if now > was and begin < after:
            found.append(CounterRise(begin, after, min(now - was, _MAX_COUNT)))
    return found


def rise_between(found: Sequence[CounterRise], begin: float, end: float) -> float:
    """How much of these rises lies in a time, if each is spread evenly."""
    return sum(
        move.amount * (max(0.0, min(end, move.end) - max(begin, move.begin)) / (move.end - move.begin))
        for move in found
    )


def watched_between(intervals: Sequence[WatchInterval], begin: float, end: float) -> float:
    return sum(max(0.0, min(end, each.until) - max(begin, each.since)) for each in intervals)


def rate_per_minute(samples: Sequence[Sample], at: float, intervals: Sequence[WatchInterval] = ()) -> float | None:
    """Sent in the last minute; None where too little of it was watched."""
    known = [each for each in samples if each.counters.sent is not None]
    if not known:
        return None
    intervals = _watched(known, intervals, at)
    begin = max(at - MINUTE, known[0].at, _interval_at(intervals, at).since)
    inside = [each for each in known if each.at > begin]
    if at - begin < (MIN_SECONDS if inside else MINUTE):
        return None
    rose = rise_between(rises(known, intervals, _SENT), begin, at)
    return rose * MINUTE / (at - begin)


def rate_since_start(record: CampaignRecord, at: float) -> float | None:
    """Sent a minute since the platform began, until it ended; None where that isn't known."""
    until = (record.completed_at or record.failed_at) if record.status in CAMPAIGN_ENDED else at
    sent = record.counters.sent
    if sent is None or record.started_at is None or until is None:  # stopped: nobody says when
        return None
    seconds = until - record.started_at
    return None if seconds < 1 else max(0.0, sent) * MINUTE / seconds


def measured_pace(record: CampaignRecord, samples: Sequence[Sample]) -> float | None:
    """Recipients a second that left pending, whatever became of them; None where too little is known."""
    total, started, ended = record.counters.total, record.started_at, record.completed_at
    if total is not None and total >= MEASURED_FROM and started is not None and ended is not None:
        return total / max(1.0, ended - started)
    begun = [
        (each.at, each.counters.total - each.counters.pending)
        for each in samples
        if each.counters.total is not None and each.counters.pending is not None
    ]
    if len(begun) < 2:
        return None
    (since, before), (until, after) = begun[0], begun[-1]
    return (after - before) / (until - since) if after - before >= MEASURED_FROM and until > since else None


def expected_pace(measured: Sequence[float]) -> tuple[tuple[float, float], bool]:
    """Recipients a second at worst and at best, measured on a line; and whether it is assumed."""
    usable = [each for each in measured if each > 0]
    if not usable:
        return ASSUMED_PACE, True
    low, high = min(usable), max(usable)
    return ((low * (1 - SPREAD), high * (1 + SPREAD)) if len(usable) == 1 else (low, high)), False


def expected_seconds(count: float, pace: tuple[float, float], left: float, wait: float) -> tuple[float, float]:
    """How long a campaign takes at best and at worst: on a shared line it takes turns, or others go first.

    Args:
        pace: recipients a second of its line, at worst and at best.
        left: recipients that other campaigns of the line have still to reach now.
        wait: seconds until it begins, in which the others go on.
    """
    slow, fast = pace
    best = (count + min(count, max(0.0, left - wait * fast))) / fast
    return best, (count + max(0.0, left - wait * slow)) / slow


def rates_from(
    samples: Sequence[Sample], intervals: Sequence[WatchInterval], at: float, begin: float, seconds: float
) -> list[float | None]:
    """Sent a minute in each whole step of so many seconds from `begin` until `at`; None where nobody watched."""
    intervals = _watched(samples, intervals, at)
    steps = max(0, math.floor((at - begin) / seconds))
    rose = [0.0] * steps
    for each in rises(samples, intervals, _SENT):
        first, last = (math.floor((moment - begin) / seconds) for moment in (each.begin, each.end))
        for step in range(max(0, first), min(last, steps - 1) + 1):
            rose[step] += rise_between([each], begin + step * seconds, begin + (step + 1) * seconds)
    found: list[float | None] = []
    for step, amount in enumerate(rose):
        watched = watched_between(intervals, begin + step * seconds, begin + (step + 1) * seconds)
        found.append(amount * MINUTE / watched if watched >= seconds / 2 else None)
    return found


def _state(record: CampaignRecord, is_still: bool, is_measured: bool, is_throttled: bool) -> CampaignState:
    if record.status in CAMPAIGN_ENDED:
        return CampaignState.ENDED
    if record.status != "inProgress":
        plain = {
            "": CampaignState.UNREAD,
            "scheduled": CampaignState.SCHEDULED,
            "pending": CampaignState.PREPARING,
        }
        return plain.get(record.status, CampaignState.UNKNOWN)
    if is_throttled:
        return CampaignState.THROTTLED
    if is_still:
        return CampaignState.STALLED
    return CampaignState.MOVING if is_measured else CampaignState.MEASURING


def _eta(
    record: CampaignRecord,
    samples: Sequence[Sample],
    intervals: Sequence[WatchInterval],
    at: float,
    line: Sequence[LineLoad],
) -> Eta | None:
    left = remaining(record.counters)
    if not left or counter_doubt(record.counters) or at - _interval_at(intervals, at).since < MIN_SECONDS:
        return None
    in_flight = max(0.0, left - max(0.0, record.counters.pending or 0.0))
    return estimate_end(_points(record, samples, at), at, left, in_flight, line)


def _points(record: CampaignRecord, samples: Sequence[Sample], at: float) -> list[Point]:
    """Return how many had an outcome at each read, beginning with none at the start."""
    begin = record.started_at
    found = [
        Point(each.at, done)
        for each in samples
        if (begin or 0.0) < each.at <= at and (done := finished_count(each.counters)) is not None
    ]
    return [Point(begin, 0.0), *found] if begin is not None and found else found


def line_load(history: CampaignHistory, now: float, recipients: float | None = None) -> LineLoad | None:
    """Return what a campaign means for others on its line; None if it has no part in what comes.

    Args:
        recipients: of its list, while the platform doesn't count them yet.
    """
    record, left = history.record, remaining(history.record.counters)
    if record.status in CAMPAIGN_ENDED:
        began_at, ended_at = record.started_at, record.completed_at or record.failed_at
        if began_at is None or ended_at is None or ended_at <= began_at:
            return None
        return LineLoad([Point(began_at, 0.0), Point(ended_at, finished_count(record.counters) or 0.0)], 0.0)
    if record.status == "inProgress":
        at = _last_read_at(history, now)
        points = _points(record, history.samples, at)
        last = [Point(at, each.finished) for each in points[-1:] if each.at < at]
        return LineLoad([*points, *last], math.inf if left is None else max(1.0, left))
    if record.status not in ("scheduled", "pending"):
        return None
    starts_in = max(0.0, record.scheduled_at - now) if record.scheduled_at is not None else 0.0
    changed_ms = record.raw.get("lastModified")
    if not starts_in and isinstance(changed_ms, int | float) and now - changed_ms / 1000 > _MAX_PREPARING:
        return None  # it hangs: when it begins, if ever, nobody can tell
    return LineLoad((), left or recipients or math.inf, max(1.0, starts_in))


def _watched(samples: Sequence[Sample], intervals: Sequence[WatchInterval], at: float) -> Sequence[WatchInterval]:
    if not intervals:
        return (WatchInterval(samples[0].at, max(at, samples[0].at)),) if samples else ()
    if intervals[-1].until < at:
        # That nothing differed is written once a minute only: a read says more than the interval's end.
        return (*intervals[:-1], WatchInterval(intervals[-1].since, at))
    return intervals


def _since(started_at: float | None, intervals: Sequence[WatchInterval], at: float) -> Sequence[WatchInterval]:
    if started_at is None or started_at > at:
        return intervals
    return [
        WatchInterval(max(each.since, started_at), each.until) for each in intervals if each.until >= started_at
    ]


def _interval_at(intervals: Sequence[WatchInterval], at: float) -> WatchInterval:
    return next((each for each in reversed(intervals) if each.since <= at <= each.until), WatchInterval(at, at))

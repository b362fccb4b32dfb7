"""The range of a campaign's end, from what its counters did so far and what else is on its line; pure.

1. Pauses are cut out: the near end assumes no other pause, the far end pauses as often as so far. A slow start
   is forgotten, half of the time at most.
2. The pace is the mean of local level models (a random walk plus noise, in several ratios) that a Kalman filter
   fits to up to 24 blocks of the time, weighted by how well each predicted the blocks (`pace`).
3. The range is three standard deviations of the mean pace over the time ahead, plus an allowance for a change
   that was never seen: 12.5% if as much time is ahead as was seen. After a sudden change it covers the pace
   since, the mean and the median.
4. With other campaigns on the line, the range covers two cases: they don't matter, or all share the line evenly.
   If the pace follows the queue as it would in the second case, the first one is dropped.

tests/lab/benchmarks/campaign_ranges.md has how often the range held. Called by `throughput.measure_throughput`.
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from frontdesk.campaigns.pace import MIN_SEEN_SECONDS, Pace, Point, count_at, measure_pace, points_since

ROUGH_SECONDS = 20.0
"""Less than this is a rough estimate; so long after the line's queue changed there is none."""

_DEVIATIONS = 3.0
"""Standard deviations to either side; more than two, for few windows tell them."""

_UNSEEN = 0.125
"""How far a pace may move by the end that never moved so far, where as much is ahead as was seen."""

_MIN_UNSEEN = 0.03
_MAX_MARGIN = 0.75
_SLACK_SECONDS = 1.5
"""Counters move between two reads."""

_EVEN_WITHIN = 0.15
"""How far the pace may be from that of an evenly shared line to count as one."""

_TAIL, _MAX_TAIL_SECONDS = 4.0, 60.0
_ROUGH_RATIO, _SURE_RATIO = 2.0, 1.35


class Certainty(StrEnum):
    """How sure an estimate is."""

    ROUGH = "rough"
    FAIR = "fair"
    GOOD = "good"


class Doubt(StrEnum):
    """What makes an estimate uncertain."""

    VARIES = "the pace varies"
    SHIFTED = "the pace changed suddenly"
    PAUSED = "sending has paused before"


class Eta(NamedTuple):
    """The seconds from the latest read until a campaign is done, if it goes on as before."""

    low_seconds: float
    high_seconds: float
    certainty: Certainty
    doubt: Doubt = Doubt.VARIES


class LineLoad(NamedTuple):
    """Another campaign on the same line.

    Attributes:
        left: recipients that it has still to reach.
        pace: recipients a second; None where it isn't known, and before it starts.
        starts_in: seconds; 0 if it runs.
        changed_at: Unix seconds at which it began or ended last.
        began_at: likewise, of one that has ended.
    """

    left: float
    pace: float | None
    starts_in: float
    changed_at: float | None
    began_at: float | None = None

    @property
    def changes(self) -> list[float]:
        """The moments at which it changed the line's queue."""
        return [each for each in (self.began_at, self.changed_at) if each is not None]

    def runs_at(self, at: float) -> bool:
        """Whether it was on its way at a moment of the past."""
        if not self.left:
            return (self.began_at or at + 1) <= at < (self.changed_at or 0.0)
        return self.starts_in <= 0 and (self.changed_at or 0.0) <= at


def estimate_end(
    points: Sequence[Point], at: float, left: float, in_flight: float, line: Sequence[LineLoad] = ()
) -> Eta | None:
    """Return the range of the end; None where too little is known.

    Args:
        points: from the start of sending, if that is known, else from the first read; in order.
        at: the time of the latest read.
        left: recipients without an outcome, `in_flight` of which are on their way.
        line: the other campaigns of its line.
    """
    points, changed_at, is_even = _scale_to_queue(points, at, line)
    if len(points) < 2 or at - max(changed_at, points[0].at) < (ROUGH_SECONDS if changed_at else MIN_SEEN_SECONDS):
        return None
    pace = measure_pace(points, at)
    if pace is None:
        return None
    margin = _margin(pace, left / pace.value)
    # After a sudden change nobody can tell which of the levels is the usual one.
    paces = [pace.value, pace.overall, pace.usual] if pace.has_shifted else [pace.value]
    times = [left / each for each in paces]
    if is_even:
        # That each has an equal share says more than what one did in its first minute.
        line = [each._replace(pace=None) for each in line]
    shared = [each for pace_each in paces for each in _shared_times(left, pace_each, line)]
    times = shared if is_even and shared else times + shared
    slack = _SLACK_SECONDS + 1 / pace.value
    # The last recipients stay in flight for longer than those in flight now have been so far.
    tail = min(_MAX_TAIL_SECONDS, _TAIL * in_flight / pace.value)
    low = max(0.0, min(times) / (1 + margin) - slack)
    high = max(times) * (1 + margin + pace.standing) + slack + tail
    if not math.isfinite(high):
        return None
    ratio = high / low if low else math.inf
    if pace.seen < ROUGH_SECONDS or (ratio > _ROUGH_RATIO and high > _MAX_TAIL_SECONDS):
        certainty = Certainty.ROUGH
    else:
        certainty = Certainty.GOOD if ratio <= _SURE_RATIO else Certainty.FAIR
    doubt = Doubt.PAUSED if pace.standing > margin else Doubt.SHIFTED if pace.has_shifted else Doubt.VARIES
    return Eta(low, high, certainty, doubt)


def _scale_to_queue(
    points: Sequence[Point], at: float, line: Sequence[LineLoad]
) -> tuple[Sequence[Point], float, bool]:
    """Return the points that fit the line's queue of now, when it last changed, and whether it shares evenly.

    If the pace changed as that of an evenly shared line does, what was before counts too, scaled to the new queue.
    """
    begin = points[0].at if points else at
    changes = sorted({each for load in line for each in load.changes if begin < each < at})
    if not changes:
        return points, 0.0, False
    changed_at, before_at = changes[-1], changes[-2] if len(changes) > 1 else begin
    later, earlier = points_since(points, changed_at), points_since(points, before_at)
    count_then = count_at(points, changed_at)
    seen, seen_before = at - changed_at, changed_at - before_at
    if len(later) < 2 or min(seen, seen_before) < ROUGH_SECONDS:
        return later, changed_at, False
    running = 1 + sum(each.runs_at((changed_at + at) / 2) for each in line)
    ran = 1 + sum(each.runs_at((before_at + changed_at) / 2) for each in line)
    pace = (later[-1].finished - count_then) / seen
    expected = (count_then - earlier[0].finished) / seen_before * ran / running
    if ran == running or expected <= 0 or abs(pace / expected - 1) > _EVEN_WITHIN:
        return later, changed_at, False
    scale = ran / running
    scaled = [
        Point(each.at, count_then + (each.finished - count_then) * scale)
        for each in earlier
        if each.at < changed_at
    ]
    return [*scaled, *later], changed_at, True


def _margin(pace: Pace, ahead: float) -> float:
    """Return how far off the time may be, as a share of the time."""
    unseen = _UNSEEN**2 * ahead / pace.seen + _MIN_UNSEEN**2
    return min(_MAX_MARGIN, math.sqrt((_DEVIATIONS * pace.deviation(ahead)) ** 2 + unseen))


def _shared_times(left: float, pace: float, line: Sequence[LineLoad]) -> list[float]:
    """Return the times it takes if the line's campaigns share its pace evenly, from what each has left."""
    loads = [each for each in line if each.left > 0]
    if not loads:
        return []
    running = {place: each.left for place, each in enumerate(loads) if each.starts_in <= 0}
    joining = sorted((each.starts_in, place) for place, each in enumerate(loads) if each.starts_in > 0)
    shares = [pace if each.pace is None else each.pace for each in loads]
    whole = pace + sum(shares[place] for place in running)
    now, mine = 0.0, left
    while mine > 0:
        each = whole / (len(running) + 1)
        if each <= 0:
            return []
        until = min([mine / each, *(rest / each for rest in running.values())])
        if joining:
            until = min(until, max(0.0, joining[0][0] - now))
        now, mine = now + until, mine - each * until
        running = {place: rest - each * until for place, rest in running.items()}
        running = {place: rest for place, rest in running.items() if rest > 1e-6}
        while joining and joining[0][0] <= now:
            place = joining.pop(0)[1]
            running[place] = loads[place].left
        if mine < 1e-6:
            break
    return [now]

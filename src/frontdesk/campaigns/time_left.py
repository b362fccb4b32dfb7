"""The range of a campaign's end, from what its line's campaigns did so far and what they have left; pure.

1. The pace is the line's: what all its campaigns settled together while one of them ran. Pauses are cut out of the
   time: the near end assumes no other pause, the far end pauses as often as so far.
2. The later half of the time, in which a slow start is forgotten, is cut into up to 24 blocks. The median of the
   last blocks, the median of all and the mean of the whole time are three guesses of the pace: the near end takes
   the highest, the far end the lowest.
3. To either side come two standard deviations of the mean pace over the time ahead, as the blocks tell them, and
   an allowance for a change that was never seen: 16% if as much time is ahead as was seen.
4. At the near end the line's running campaigns share it evenly, or this one keeps what it gets now, if that is
   sooner; at the far end planned ones join them.

tests/lab/benchmarks/campaign_ranges.md has how often the range held. Called by `throughput.measure_throughput`.
"""

import math
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

MIN_SEEN_SECONDS = 8.0
"""The shortest time that gives a pace."""

ROUGH_SECONDS = 20.0
"""Less than this is a rough estimate."""

STANDSTILL_SECONDS, _STANDSTILL_GAPS = 20.0, 8.0
"""Without an outcome for so long, and so many times the usual gap, it is a pause, not a slow pace."""

_UNREAD_SECONDS = 120.0
"""A running campaign that wasn't read for longer has no part in the line's pace."""

_STEPS, _BLOCKS, _LAST_BLOCKS = 200, 24, 5
_MIN_BLOCK_SECONDS, _MIN_BLOCK_OUTCOMES = 2.5, 4

_DEVIATIONS = 2.0
_UNSEEN = 0.16
"""How far a pace may move by the end that never moved so far, where as much is ahead as was seen."""

_ASSUMED = 0.15
"""The deviation of blocks where too few tell it."""

_MAX_MARGIN = 0.75
_SLACK_SECONDS = 1.5
"""Counters move between two reads."""

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


class Point(NamedTuple):
    """How many recipients had an outcome at a time, Unix seconds."""

    at: float
    finished: float


class LineLoad(NamedTuple):
    """Another campaign on the same line.

    Attributes:
        points: from its start, if that is known, until its end or last read; in order.
        left: recipients that it has still to reach.
        starts_in: seconds; 0 if it has begun.
    """

    points: Sequence[Point]
    left: float
    starts_in: float = 0.0


class _Pace(NamedTuple):
    """Outcomes a second of a line.

    Attributes:
        low, high: the guesses of it that are furthest apart.
        usual: their median over all blocks.
        deviation: the standard deviation of a block, relative to the mean; `block_seconds` is its length.
        seen: seconds that it was computed from, without pauses.
        standing: seconds of pauses, per second seen.
    """

    low: float
    high: float
    usual: float
    deviation: float
    blocks: int
    block_seconds: float
    seen: float
    standing: float

    def margin(self, ahead: float) -> float:
        """Return how far off the time may be, as a share of so many seconds that follow."""
        blocks = max(1.0, ahead / self.block_seconds)
        noise = (_DEVIATIONS * self.deviation) ** 2 * (1 / self.blocks + 1 / blocks)
        return min(_MAX_MARGIN, math.sqrt(noise + _UNSEEN**2 * ahead / self.seen))


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
    if len(points) < 2:
        return None
    points = [*points, Point(at, points[-1].finished)]
    counted = [
        each for each in line if each.points and (not each.left or each.points[-1].at > at - _UNREAD_SECONDS)
    ]
    pace = _measure_pace(points, [each.points for each in counted if each.left], [each.points for each in counted])
    if pace is None:
        return None
    running = [each.left for each in counted if each.left]
    planned = [(each.starts_in, each.left) for each in line if each.left and each not in counted]
    near = _shared_time(left, pace.high, running, [])
    lately = max(MIN_SEEN_SECONDS, _LAST_BLOCKS * pace.block_seconds)
    own = (points[-1].finished - count_at(points, at - lately)) / min(lately, max(1.0, at - points[0].at))
    if running and own > 0:
        # That all share the line evenly isn't known: one may come before the other.
        near = min(near, left / own)
    far = _shared_time(left, pace.low, running, planned)
    margin = pace.margin(far)
    slack = _SLACK_SECONDS + 1 / pace.usual
    # The last recipients stay in flight for longer than those in flight now have been so far.
    tail = min(_MAX_TAIL_SECONDS, _TAIL * in_flight / pace.usual)
    low = max(0.0, near / (1 + pace.margin(near)) - slack)
    high = far * (1 + margin + pace.standing) + slack + tail
    if not math.isfinite(high):
        return None
    ratio = high / low if low else math.inf
    if pace.seen < ROUGH_SECONDS or (ratio > _ROUGH_RATIO and high > _MAX_TAIL_SECONDS):
        certainty = Certainty.ROUGH
    else:
        certainty = Certainty.GOOD if ratio <= _SURE_RATIO else Certainty.FAIR
    has_shifted = pace.high > pace.low * (1 + 2 * margin)
    doubt = Doubt.PAUSED if pace.standing > margin else Doubt.SHIFTED if has_shifted else Doubt.VARIES
    return Eta(low, high, certainty, doubt)


def count_at(points: Sequence[Point], at: float) -> float:
    """Return how many had an outcome at a moment, as if they came evenly between two points."""
    place = bisect_right(points, at, key=lambda each: each.at)
    if not 0 < place < len(points):
        return points[min(place, len(points) - 1)].finished
    before, after = points[place - 1], points[place]
    return before.finished + (after.finished - before.finished) * (at - before.at) / (after.at - before.at)


def _measure_pace(
    own: Sequence[Point], running: Sequence[Sequence[Point]], others: Sequence[Sequence[Point]]
) -> _Pace | None:
    """Return the pace of the line; None where too little is known, or nothing has moved lately."""
    until = min([own[-1].at, *(each[-1].at for each in running)])
    since, series = own[0].at, [own]
    for each in sorted(others, key=lambda each: -each[-1].at):
        if each[-1].at > since:  # else the line had nothing to do in between
            since, series = min(since, each[0].at), [*series, each]
    # Of one that has begun before it was watched nothing is known until then.
    since = max([since, *(each[0].at for each in series if each[0].finished)])
    if until - since < MIN_SEEN_SECONDS:
        return None
    step = max(1.0, (until - since) / _STEPS)
    times = [until - place * step for place in range(int((until - since) / step), -1, -1)]
    whole = [Point(each, sum(count_at(points, each) for points in series)) for each in times]
    moving, standing = _without_standstills(whole)
    if len(moving) < 2:
        return None
    seen = moving[-1].at - moving[0].at
    rose = moving[-1].finished - moving[0].finished
    if seen < MIN_SEEN_SECONDS or rose <= 0:
        return None
    recent = max(MIN_SEEN_SECONDS, seen / 2)
    begin = moving[-1].at - recent
    reads = max(sum(each.at > until - recent for each in points) for points in series)
    recently = moving[-1].finished - count_at(moving, begin)
    blocks = max(1, int(min(_BLOCKS, reads, recent / _MIN_BLOCK_SECONDS, recently / _MIN_BLOCK_OUTCOMES)))
    length = recent / blocks
    counts = [count_at(moving, begin + place * length) for place in range(blocks + 1)]
    paces = [(after - before) / length for before, after in pairwise(counts)]
    usual, mean = statistics.median(paces), rose / seen
    guesses = [each for each in (statistics.median(paces[-_LAST_BLOCKS:]), usual, mean) if each > 0]
    deviation = statistics.stdev(paces) / mean if blocks > 2 else _ASSUMED
    return _Pace(min(guesses), max(guesses), usual or mean, deviation, blocks, length, seen, standing / seen)


def _without_standstills(points: Sequence[Point]) -> tuple[list[Point], float]:
    """Return the points with pauses cut out of their time, and seconds of pauses; no points during one."""
    rose, length = points[-1].finished - points[0].finished, points[-1].at - points[0].at
    if rose <= 0:
        return [], 0.0
    least = max(STANDSTILL_SECONDS, _STANDSTILL_GAPS * length / rose)
    found, cut, last_rise = [points[0]], 0.0, 0
    since = points[0].at
    for before, after in pairwise(points):
        if after.finished > before.finished:
            if before.at - since >= least:
                del found[last_rise + 1 :]
                cut += before.at - since
            since, last_rise = after.at, len(found)
        found.append(Point(after.at - cut, max(after.finished, found[-1].finished)))
    # That nothing has moved since the last outcome may be the beginning of a pause.
    return ([], cut) if points[-1].at - since >= least else (found[: last_rise + 1], cut)


def _shared_time(
    left: float, pace: float, running: Sequence[float], planned: Sequence[tuple[float, float]]
) -> float:
    """Return the time it takes if the line's campaigns share its pace evenly, from what each has left."""
    rest, joining, now = list(running), sorted(planned), 0.0
    while True:
        each = pace / (len(rest) + 1)
        span = min([left, *rest]) / each
        if joining:
            span = min(span, max(0.0, joining[0][0] - now))
        now, left = now + span, left - each * span
        rest = [some for other in rest if (some := other - each * span) > 1e-6]
        if left < 1e-6:
            return now
        while joining and joining[0][0] <= now:
            rest.append(joining.pop(0)[1])

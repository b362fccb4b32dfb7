"""The range of a campaign's end, from what its counters did so far and what else is on its line; pure.

docs/campaign-numbers.md ("Time left") explains it in words. Called by `throughput.measure_throughput`.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

MIN_SEEN_SECONDS = 8.0
"""The shortest time that gives a range."""

ROUGH_SECONDS = 20.0
"""Less than this is a rough estimate; so long after the line's queue changed there is none."""

STANDSTILL_SECONDS = 20.0
"""Without an outcome for so long the pace of before says nothing; it counts as a pause, not as a slow pace."""

_STANDSTILL_GAPS = 8.0
"""Standstills are that many times longer than the usual time between two outcomes."""

_BLOCKS, _MIN_BLOCK_SECONDS = 16, 2.5
_DEVIATIONS = 2.5
"""Standard deviations to either side; more than two, for few windows tell them."""

_UNSEEN = 0.125
"""How far a pace may move by the end that never moved so far, where as much is ahead as was seen."""

_ASSUMED = 0.03
"""How much two neighbouring windows differ before any were compared; it counts as one comparison."""

_MIN_UNSEEN = 0.03
_MAX_MARGIN = 0.75
_SLACK_SECONDS = 1.5
"""Counters move between two reads."""

_RAMP_SHARE, _RAMP_BELOW = 0.5, 0.85
_TAIL, _MAX_TAIL_SECONDS = 4.0, 60.0
_ROUGH_RATIO, _SURE_RATIO = 2.0, 1.35


class Certainty(StrEnum):
    """How sure an estimate is."""

    ROUGH = "rough"
    FAIR = "fair"
    GOOD = "good"


class Eta(NamedTuple):
    """The seconds from the latest read until a campaign is done, if it goes on as before."""

    low_seconds: float
    high_seconds: float
    certainty: Certainty


class LineLoad(NamedTuple):
    """Another campaign on the same line.

    Attributes:
        left: recipients that it has still to reach.
        pace: recipients a second; None where it isn't known, and before it starts.
        starts_in: seconds; 0 if it runs.
        changed_at: Unix seconds at which it began or ended last.
    """

    left: float
    pace: float | None
    starts_in: float
    changed_at: float | None


class Point(NamedTuple):
    """How many recipients had an outcome at a time, Unix seconds."""

    at: float
    finished: float


class _Pace(NamedTuple):
    """Outcomes a second, and how far off they may be.

    Attributes:
        overall: the same since the ramp; `value` is of the window that tells most.
        noise: variance that evens out: times seconds, relative to the pace.
        drift: variance that adds up: a second, relative to the pace.
        seen: seconds that it was computed from.
        standing: seconds without any outcome, a second that moved.
    """

    value: float
    overall: float
    noise: float
    drift: float
    seen: float
    standing: float


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
    changed_at = max(
        (each.changed_at for each in line if (each.changed_at or at) < at and each.changed_at), default=0.0
    )
    points = _since(points, changed_at)
    if len(points) < 2 or at - points[0].at < (
        ROUGH_SECONDS if changed_at > points[0].at - 1 else MIN_SEEN_SECONDS
    ):
        return None
    pace = _measure_pace(points, at)
    if pace is None:
        return None
    ahead = left / pace.value
    margin = _margin(pace, ahead)
    times = [left / each for each in (pace.value, pace.overall)]
    times += [shared for each in (pace.value, pace.overall) for shared in _shared_times(left, each, line)]
    slack = _SLACK_SECONDS + 1 / pace.value
    # The last ones are under way longer than those on the way now were so far.
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
    return Eta(low, high, certainty)


def _margin(pace: _Pace, ahead: float) -> float:
    """Return how far off the time may be, as a share of it."""
    window = _window(pace)
    variance = pace.noise * (1 / window + 1 / max(ahead, 1.0)) + pace.drift * (window + ahead) / 3
    unseen = _UNSEEN**2 * ahead / pace.seen + _MIN_UNSEEN**2
    return min(_MAX_MARGIN, math.sqrt(_DEVIATIONS**2 * variance + unseen))


def _window(pace: _Pace) -> float:
    """Return the seconds over which noise and drift of the mean are smallest together."""
    best = math.sqrt(3 * pace.noise / pace.drift) if pace.drift > 0 else pace.seen
    return min(pace.seen, max(best, MIN_SEEN_SECONDS, pace.seen / 4))


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


def _since(points: Sequence[Point], begin: float) -> list[Point]:
    """Return the points since a moment, with how it stood then."""
    first = bisect_right(points, begin, key=lambda each: each.at)
    later = list(points[first:])
    if first and later and points[first - 1].at < begin:
        return [Point(begin, _count_at(points, begin)), *later]
    return [*points[first - 1 : first], *later]


def _count_at(points: Sequence[Point], at: float) -> float:
    place = bisect_right(points, at, key=lambda each: each.at)
    if not 0 < place < len(points):
        return points[min(place, len(points) - 1)].finished
    before, after = points[place - 1], points[place]
    return before.finished + (after.finished - before.finished) * (at - before.at) / (after.at - before.at)


def _measure_pace(points: Sequence[Point], at: float) -> _Pace | None:
    moving, standing = _without_standstills([*points, Point(at, points[-1].finished)])
    if len(moving) < 2:
        return None
    moving = list(_without_ramp(moving))
    seen = moving[-1].at - moving[0].at
    rose = moving[-1].finished - moving[0].finished
    if seen < MIN_SEEN_SECONDS or rose <= 0:
        return None
    noise, drift = _variances(moving, rose / seen)
    pace = _Pace(rose / seen, rose / seen, noise, drift, seen, standing / seen)
    window = _window(pace)
    lately = (moving[-1].finished - _count_at(moving, moving[-1].at - window)) / window
    return pace._replace(value=lately) if lately > 0 else None


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
    return ([], cut) if points[-1].at - since >= least else (found, cut)


def _without_ramp(points: Sequence[Point]) -> Sequence[Point]:
    """Return the points after a slow start, at least half of their time."""
    begin, end = points[0].at, points[-1].at
    length = (end - begin) / 16
    paces = [
        (_count_at(points, begin + (n + 1) * length) - _count_at(points, begin + n * length)) / length
        for n in range(16)
    ]
    slow = 0
    while slow < 16 * _RAMP_SHARE:
        rest = sorted(paces[slow + 1 :])
        if paces[slow] >= _RAMP_BELOW * rest[len(rest) // 4]:
            break
        slow += 1
    return _since(points, begin + slow * length) if slow else points


def _variances(points: Sequence[Point], pace: float) -> tuple[float, float]:
    """Return noise and drift: how much windows of different lengths differ from the ones after them."""
    begin, end = points[0].at, points[-1].at
    # Between two reads nothing is known of the pace: how long that is at a moment chosen at random.
    spacing = sum((after.at - before.at) ** 2 for before, after in pairwise(points)) / (end - begin)
    blocks = int(min(_BLOCKS, (end - begin) / max(_MIN_BLOCK_SECONDS, spacing)))
    if blocks < 2:
        return _ASSUMED**2 * (end - begin), 0.0
    length = (end - begin) / blocks
    counts = [_count_at(points, begin + n * length) for n in range(blocks + 1)]
    scales: list[tuple[float, float, float]] = []
    for width in _doubling(blocks // 2):
        window = width * length
        steps = [
            (counts[n + 2 * width] - 2 * counts[n + width] + counts[n]) / (window * pace)
            for n in range(blocks - 2 * width + 1)
        ]
        count, found = blocks / (2 * width), sum(each * each for each in steps) / len(steps)
        scales.append((window, (count * found + _ASSUMED**2) / (count + 1), count))
    return _fit(scales)


def _doubling(most: int) -> Iterator[int]:
    width = 1
    while width <= most:
        yield width
        width *= 2


def _fit(scales: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Fit differences of neighbouring windows by 2 noise / window + 2/3 drift * window, neither below 0."""
    noise, drift = 0.0, 0.0
    weights = [1.0 / max(1e-12, difference) ** 2 for _, difference, _ in scales]
    for _ in range(4):
        aa = ab = bb = ay = by = 0.0
        for (window, difference, count), weight in zip(scales, weights, strict=True):
            a, b, w = 2 / window, 2 * window / 3, weight * count
            aa, ab, bb = aa + w * a * a, ab + w * a * b, bb + w * b * b
            ay, by = ay + w * a * difference, by + w * b * difference
        determinant = aa * bb - ab * ab
        noise = (ay * bb - by * ab) / determinant if determinant > 1e-12 * aa * bb else ay / aa
        drift = (by * aa - ay * ab) / determinant if determinant > 1e-12 * aa * bb else 0.0
        if noise < 0:
            noise, drift = 0.0, by / bb
        elif drift < 0:
            noise, drift = ay / aa, 0.0
        weights = [1.0 / max(1e-12, 2 * noise / window + 2 * drift * window / 3) ** 2 for window, _, _ in scales]
    return noise, drift

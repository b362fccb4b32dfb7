"""The pace of a campaign and how far it may be off, from what its counters did; pure.

`time_left` explains the model. Called by `time_left.estimate_end`.
"""

import math
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

MIN_SEEN_SECONDS = 8.0
"""The shortest time that gives a pace."""

STANDSTILL_SECONDS = 20.0
"""Without an outcome for so long the pace of before says nothing; it counts as a pause, not as a slow pace."""

_STANDSTILL_GAPS = 8.0
"""Standstills are that many times longer than the usual time between two outcomes."""

_RAMP_SHARE, _RAMP_BELOW = 0.5, 0.85

_BLOCKS, _MIN_BLOCK_SECONDS = 24, 2.5

_ASSUMED = 0.03
"""The difference assumed between two neighboring blocks; it counts as one comparison."""

_DRIFT_RATIOS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Variance of a block's drift over that of its noise: the models that are compared."""

_LEAST = 0.05
"""The lowest pace, as a share of the overall one."""

_SHIFT_DEVIATIONS, _SHIFT_LEAST, _SHIFT_SHARE = 8.0, 0.15, 0.25
"""A change between two blocks so much larger than the others is a shift of the level, if they are few."""


class Point(NamedTuple):
    """How many recipients had an outcome at a time, Unix seconds."""

    at: float
    finished: float


class LevelModel(NamedTuple):
    """A local level model (random walk plus noise) of the paces of equal blocks of time.

    Attributes:
        weight: its likelihood; those of all models add up to 1.
        level: the pace at the end, relative to the overall one.
        noise: variance of one block.
        uncertainty: variance of the level, in units of `noise`.
        ratio: variance that each block adds to the level, in units of `noise`.
    """

    weight: float
    level: float
    noise: float
    uncertainty: float
    ratio: float


class Pace(NamedTuple):
    """Outcomes a second.

    Attributes:
        value: the pace to expect.
        overall: the mean of the time that it was computed from; `usual` is its median.
        models: what its deviation comes from; `block_seconds` is their unit of time.
        seen: seconds that it was computed from.
        standing: seconds without any outcome, per second with some.
        has_shifted: the level changed suddenly at least once.
    """

    value: float
    overall: float
    usual: float
    models: tuple[LevelModel, ...]
    block_seconds: float
    seen: float
    standing: float
    has_shifted: bool

    def deviation(self, ahead: float) -> float:
        """Return the standard deviation of the mean pace of so many seconds that follow, relative to `value`."""
        blocks = max(ahead / self.block_seconds, 0.1)
        level = self.value / self.overall
        variance = sum(
            each.weight
            * (
                each.noise * (each.uncertainty + each.ratio * blocks / 3 + 1 / max(1.0, blocks))
                + (each.level - level) ** 2
            )
            for each in self.models
        )
        return math.sqrt(variance) / level


def measure_pace(points: Sequence[Point], at: float) -> Pace | None:
    """Return the pace; None where too little is known, or nothing has moved lately."""
    moving, standing = _without_standstills([*points, Point(at, points[-1].finished)])
    moving = _without_last_gap(moving)
    if len(moving) < 2:
        return None
    moving = _without_ramp(moving)
    seen = moving[-1].at - moving[0].at
    rose = moving[-1].finished - moving[0].finished
    if seen < MIN_SEEN_SECONDS or rose <= 0:
        return None
    overall = rose / seen
    blocks = _block_paces(moving, overall)
    steady, has_shifted = _without_shifts(blocks)
    models = _fit_models(steady)
    level = max(_LEAST, sum(each.weight * each.level for each in models))
    usual = statistics.median(blocks) * overall
    return Pace(level * overall, overall, usual, models, seen / len(blocks), seen, standing / seen, has_shifted)


def points_since(points: Sequence[Point], begin: float) -> list[Point]:
    """Return the points since a moment, beginning with the count at that moment."""
    first = bisect_right(points, begin, key=lambda each: each.at)
    later = list(points[first:])
    if first and later and points[first - 1].at < begin:
        return [Point(begin, count_at(points, begin)), *later]
    return [*points[first - 1 : first], *later]


def count_at(points: Sequence[Point], at: float) -> float:
    """Return how many had an outcome at a moment, as if they came evenly between two points."""
    place = bisect_right(points, at, key=lambda each: each.at)
    if not 0 < place < len(points):
        return points[min(place, len(points) - 1)].finished
    before, after = points[place - 1], points[place]
    return before.finished + (after.finished - before.finished) * (at - before.at) / (after.at - before.at)


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


def _without_last_gap(points: list[Point]) -> list[Point]:
    """Leave out that nothing has moved since the last outcome, if it may be the beginning of a pause."""
    last = next((place for place, each in enumerate(points) if each.finished == points[-1].finished), 0)
    if last < 1:
        return points
    usual = (points[last].at - points[0].at) / (points[last].finished - points[0].finished)
    return points[: last + 1] if points[-1].at - points[last].at > _STANDSTILL_GAPS * usual else points


def _without_ramp(points: list[Point]) -> list[Point]:
    """Return the points after a slow start, at least half of their time."""
    begin, end = points[0].at, points[-1].at
    length = (end - begin) / 16
    paces = [
        (count_at(points, begin + (n + 1) * length) - count_at(points, begin + n * length)) / length
        for n in range(16)
    ]
    slow = 0
    while slow < 16 * _RAMP_SHARE:
        rest = sorted(paces[slow + 1 :])
        if paces[slow] >= _RAMP_BELOW * rest[len(rest) // 4]:
            break
        slow += 1
    return points_since(points, begin + slow * length)


def _block_paces(points: Sequence[Point], overall: float) -> list[float]:
    """Return the paces of equal blocks of time, relative to the overall one."""
    begin, end = points[0].at, points[-1].at
    # Between two reads nothing is known of the pace: how long that is at a moment chosen at random.
    spacing = sum((after.at - before.at) ** 2 for before, after in pairwise(points)) / (end - begin)
    blocks = max(1, int(min(_BLOCKS, (end - begin) / max(_MIN_BLOCK_SECONDS, spacing))))
    length = (end - begin) / blocks
    counts = [count_at(points, begin + n * length) for n in range(blocks + 1)]
    return [(after - before) / (length * overall) for before, after in pairwise(counts)]


def _without_shifts(blocks: Sequence[float]) -> tuple[list[float], bool]:
    """Return the blocks as if the level of the last ones had always held, and whether it shifted."""
    changes = [after - before for before, after in pairwise(blocks)]
    if len(changes) < 4:
        return list(blocks), False
    usual = 1.4826 * statistics.median(abs(each) for each in changes)
    limit = max(_SHIFT_DEVIATIONS * usual, _SHIFT_LEAST)
    shifts = [abs(each) > limit for each in changes]
    if not 0 < sum(shifts) <= _SHIFT_SHARE * len(changes):
        return list(blocks), False
    found = [blocks[-1]]
    for change, is_shift in zip(reversed(changes), reversed(shifts), strict=True):
        found.append(found[-1] if is_shift else found[-1] - change)
    return found[::-1], True


def _fit_models(blocks: Sequence[float]) -> tuple[LevelModel, ...]:
    """Fit a model for each ratio, and weigh them by their likelihood."""
    fitted = [_fit_model(blocks, ratio) for ratio in _DRIFT_RATIOS]
    best = max(each.weight for each in fitted)
    weights = [math.exp(each.weight - best) for each in fitted]
    return tuple(each._replace(weight=weight / sum(weights)) for weight, each in zip(weights, fitted, strict=True))


def _fit_model(blocks: Sequence[float], ratio: float) -> LevelModel:
    """Run a Kalman filter over the blocks; the weight is the logarithm of the likelihood."""
    level, uncertainty = blocks[0], 1.0
    squares, log_scale = _ASSUMED**2 / (2 + ratio), 0.0
    for each in blocks[1:]:
        uncertainty += ratio
        error, scale = each - level, uncertainty + 1
        squares += error * error / scale
        log_scale += math.log(scale)
        level, uncertainty = level + error * uncertainty / scale, uncertainty / scale
    noise = squares / len(blocks)
    likelihood = -(log_scale + len(blocks) * math.log(noise)) / 2
    return LevelModel(likelihood, level, noise, uncertainty, ratio)

"""Simulated runs of campaigns on one line, for `campaign_ranges.py`: 30 of each family, all of it from the seed.

A line has a pace (which may change, and stop) and gives each message to the campaign that waited longest, as the
sandbox's engine does; the outcomes come a moment later. Counters are noted once a second.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from math import exp, inf, log
from random import Random
from typing import NamedTuple

from campaigns.recorded_runs import MAIN, Recording


class Other(NamedTuple):
    """Another campaign on the line: seconds after the main one's start, recipients, and whether it is watched."""

    at: float
    recipients: int
    is_watched: bool = True


class Run(NamedTuple):
    """What happens on a line.

    Attributes:
        paces: seconds after the start and messages a second from then on; sorted.
        stalls: seconds after the start, and how long nothing is sent.
    """

    recipients: int
    paces: Sequence[tuple[float, float]]
    others: Sequence[Other] = ()
    stalls: Sequence[tuple[float, float]] = ()
    throttled: float = 0.003
    is_in_order: bool = False


def _size(chance: Random) -> tuple[int, float]:
    """Recipients and pace of a campaign that takes between two minutes and two hours."""
    pace = exp(chance.uniform(log(1.5), log(80)))
    return min(50_000, int(pace * exp(chance.uniform(log(120), log(7_200))))), pace


def _even(chance: Random) -> Run:
    recipients, pace = _size(chance)
    return Run(recipients, [(-inf, pace)])


def _ramp(chance: Random) -> Run:
    recipients, pace = _size(chance)
    length = chance.uniform(30, 180)
    return Run(recipients, [(length * step / 20, pace * (1 + step) / 20) for step in range(20)])


def _wander(
    recipients: int, chance: Random, step: tuple[float, float], low: float, high: float, pace: float
) -> Run:
    paces, at = [], -7_200.0
    while at < 30_000:
        paces.append((at, pace * chance.uniform(low, high)))
        at += chance.uniform(*step)
    return Run(recipients, paces)


def _throttled(chance: Random) -> Run:
    recipients, pace = _size(chance)
    return _wander(recipients, chance, (15, 60), 0.6, 1.4, pace)._replace(throttled=0.15)


def _drift(chance: Random) -> Run:
    recipients, pace = _size(chance)
    paces, now = [], 1.0
    for step in range(400):
        paces.append((step * 120.0 - 7_200, pace * now))
        now = max(0.7, min(1.3, now * chance.uniform(0.9, 1.11)))
    return Run(recipients, paces)


def _busy_hours(chance: Random) -> Run:
    """The line is slower in the hours in which people write, from some moment on or until it."""
    recipients, pace = _size(chance)
    change, factor = chance.uniform(0.1, 0.9) * recipients / pace, chance.choice((0.5, 0.7, 1.5, 2.0))
    return Run(recipients, [(-inf, pace), (change, pace * factor)])


def _stalls(chance: Random) -> Run:
    recipients, pace = _size(chance)
    length = recipients / pace
    stalls = sorted(
        (chance.uniform(0.05, 0.9) * length, chance.uniform(25, 240)) for _ in range(chance.randint(1, 3))
    )
    return Run(recipients, [(-inf, pace)], stalls=stalls)


def _others(chance: Random, *, is_watched: bool = True, most: int = 4) -> Run:
    recipients, pace = _size(chance)
    length = recipients / pace
    others = [
        Other(chance.uniform(-0.7, 0.8) * length, int(recipients * exp(chance.uniform(-2.5, 1))), is_watched)
        for _ in range(chance.randint(1, most))
    ]
    return Run(recipients, [(-inf, pace)], sorted(others))


def _uneven_others(chance: Random) -> Run:
    run = _others(chance)
    return _wander(run.recipients, chance, (15, 60), 0.6, 1.4, run.paces[0][1])._replace(others=run.others)


def _demo(chance: Random) -> Run:
    """A small one behind another that has run for a while on a slow line, as in the demo."""
    return Run(chance.randint(400, 4_000), [(-inf, 2.0)], [Other(-chance.uniform(300, 1_800), 6_000)])


FAMILIES: dict[str, Callable[[Random], Run]] = {
    "even": _even,
    "ramp": _ramp,
    "throttled, uneven": _throttled,
    "drifting": _drift,
    "busy hours": _busy_hours,
    "stalls": _stalls,
    "several": _others,
    "several, uneven": _uneven_others,
    "as in the demo": _demo,
    "an unknown one": lambda chance: _others(chance, is_watched=False, most=1),
    "several, in order": lambda chance: _others(chance)._replace(is_in_order=True),
}


def record(family: str, seed: int) -> Recording:
    """Run one to its end."""
    chance = Random(f"{seed} {family}")
    run = FAMILIES[family](chance)
    offset = round(max(60.0, *(60 - each.at for each in run.others), 0.0))
    found = Recording(family)
    campaigns = [(offset, MAIN, run.recipients)]
    for place, each in enumerate(run.others):
        campaigns.append(
            (offset + each.at, f"{'other' if each.is_watched else 'unknown'}-{place}", each.recipients)
        )
    begun = sorted((start, name, recipients) for start, name, recipients in campaigns)
    events: dict[str, list[tuple[float, int]]] = {name: [] for _, name, _ in campaigns}
    waiting: deque[list] = deque()
    paces, stalls = deque(run.paces), deque(run.stalls)
    at, pace = begun[0][0], run.paces[0][1]
    todo = deque(begun)
    while not all(len(events[name]) == 2 * recipients for _, name, recipients in campaigns if name == MAIN):
        while todo and todo[0][0] <= at:
            waiting.append([*todo.popleft()[1:]])
        if not waiting:
            at = todo[0][0]
            continue
        while paces and offset + paces[0][0] <= at:
            pace = paces.popleft()[1]
        while stalls and offset + stalls[0][0] <= at:
            at += stalls.popleft()[1]
        current = waiting[0] if run.is_in_order else waiting.popleft()
        name = current[0]
        events[name].append((at, 1))
        draw = chance.random()
        outcome = 3 if draw < 0.02 else 4 if draw < 0.02 + run.throttled else 2
        events[name].append((at + exp(chance.gauss(-1.05, 0.5)), outcome))
        current[1] -= 1
        if run.is_in_order and not current[1]:
            waiting.popleft()
        elif not run.is_in_order and current[1]:
            waiting.append(current)
        at += 1 / pace
    found.started = offset
    found.ended = max(each for each, _ in events[MAIN])
    for start, name, recipients in campaigns:
        if not name.startswith("unknown"):
            found.planned[name] = (start, recipients)
            found.rows[name] = _rows(start, recipients, sorted(events[name]))
    return found


def _rows(start: float, recipients: int, events: Sequence[tuple[float, int]]) -> list[tuple]:
    """Return the counters by second."""
    rows: list[tuple] = [(0, "scheduled", 0, 0, 0, 0, 0)]
    counts, place = [0, 0, 0, 0, 0], 0
    for second in count(int(start) + 1):
        while place < len(events) and events[place][0] <= second:
            counts[events[place][1]] += 1
            place += 1
        done = sum(counts[2:]) == recipients
        row = (second, "completed" if done else "inProgress", recipients, recipients - counts[1], *counts[2:])
        if row[1:] != rows[-1][1:]:
            rows.append(row)
        if done or place == len(events):
            return rows
    raise AssertionError

"""Runs of the sandbox's campaign engine on a virtual clock, recorded once a second for `campaign_ranges.py`.

A run is even or not in ways that are set here: the pace of its line over time, stalls, and other campaigns on the
line. All of it follows from the seed.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from campaigns.recorded_runs import BEGIN, MAIN, Recording
from frontdesk_sandbox import campaign_delivery
from frontdesk_sandbox.campaign_engine import insert_campaign, resolution_ms
from frontdesk_sandbox.fixtures import ACCOUNT
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import Clock, World, catch_up, open_world
from lab.benchmarks.campaign_body import LINE, campaign


class Other(NamedTuple):
    """Another campaign on the line of the main one.

    Attributes:
        at: seconds after the main one was created; before it, if negative.
        is_watched: frontdesk knows it.
    """

    at: float
    recipients: int
    is_watched: bool = True


Paces = Callable[[Random], Iterator[tuple[float, float]]]
"""Seconds and messages a second: how fast the line is from then on."""


@dataclass(frozen=True)
class Run:
    """One run and what makes it hard."""

    name: str
    recipients: int
    pace: float
    paces: Paces | None = None
    stalls: Sequence[tuple[float, float]] = ()
    others: Sequence[Other] = ()
    throttled: float = 0.003


def _ramp(chance: Random) -> Iterator[tuple[float, float]]:
    top = chance.uniform(70, 90)
    for step in range(19):
        yield step * 5.0, 4 + (top - 4) * step / 18


def _bad_day(chance: Random) -> Iterator[tuple[float, float]]:
    at = 0.0
    while at < 3_600:
        yield at, chance.uniform(12, 28)
        at += chance.uniform(15, 60)


def _drift(chance: Random) -> Iterator[tuple[float, float]]:
    at, pace = 0.0, 10.0
    while at < 10_000:
        yield at, pace
        pace = max(7.0, min(13.0, pace * chance.uniform(0.9, 1.11)))
        at += 120


RUNS = (
    Run("even 44,000", 44_000, 80),
    Run("ramp", 44_000, 80, _ramp),
    Run("slow line", 1_500, 2),
    Run("slow, another starts", 1_500, 2, others=(Other(320, 400),)),
    Run("another ends", 30_000, 80, others=(Other(-60, 16_000),)),
    Run("an unknown starts", 44_000, 80, others=(Other(330, 4_000, is_watched=False),)),
    Run("stall", 44_000, 80, stalls=((260, 180),)),
    Run("throttled", 12_000, 20, _bad_day, throttled=0.15),
    Run("small", 2_000, 20),
    Run("long", 44_000, 10, _drift),
)


def record(run: Run, seed: int) -> Recording:
    """Run it to its end; what comes after the last recipient is left out."""
    elapsed = [0.0]
    clock = Clock(wall=lambda: BEGIN, steady=lambda: elapsed[0])
    kept = campaign_delivery.THROTTLED_SHARE
    campaign_delivery.THROTTLED_SHARE = run.throttled
    campaign_delivery.plan_for.cache_clear()
    try:
        with tempfile.TemporaryDirectory() as folder:
            world = open_world(SandboxOptions(data=Path(folder), crowd=False, seed=seed), clock)
            with closing(world):
                return _follow(world, run, Random(f"{seed} {run.name}"), elapsed)
    finally:
        campaign_delivery.THROTTLED_SHARE = kept
        campaign_delivery.plan_for.cache_clear()


def _follow(world: World, run: Run, chance: Random, elapsed: list[float]) -> Recording:
    storage = world.storage
    found = Recording(run.name)
    # Nothing of what the seed began, and times count from the earliest campaign.
    offset = max([0.0, *(-each.at for each in run.others)])
    names = {MAIN: (offset, run.recipients)}
    for place, each in enumerate(run.others):
        names[f"other-{place}" if each.is_watched else f"unknown-{place}"] = (offset + each.at, each.recipients)
    with storage.writing():
        storage.run("UPDATE campaigns SET status='stopped', due_at=NULL")
        storage.run("UPDATE recipients SET due_at=NULL")
        for name, (at, recipients) in names.items():
            document = campaign(name, name, recipients)
            due = int((BEGIN + at) * 1000)
            # What isn't sent now is planned: frontdesk knows of it before.
            insert_campaign(storage, ACCOUNT, document, "scheduled", due - resolution_ms(document), due)
            if not name.startswith("unknown"):
                found.planned[name] = (at, recipients)
    paces = sorted((offset + at, pace) for at, pace in (run.paces(chance) if run.paces else [(0.0, run.pace)]))
    stalls = sorted((offset + at, lasting) for at, lasting in run.stalls)
    while True:
        with storage.writing():
            while paces and paces[0][0] <= elapsed[0]:
                storage.run("UPDATE lines SET per_second=? WHERE line=?", paces.pop(0)[1], LINE)
            while stalls and stalls[0][0] <= elapsed[0]:
                until = (BEGIN + sum(stalls.pop(0))) * 1000
                storage.run("UPDATE lines SET free_at=? WHERE line=?", until, LINE)
            # Deliveries, reads and replies decide nothing here, and take most of the time.
            storage.run(
                "UPDATE recipients SET due_at=NULL "
                "WHERE due_at IS NOT NULL AND bucket IN ('sent', 'failed', 'throttled')"
            )
        catch_up(world)
        if _note(world, found, elapsed[0]):
            return found
        elapsed[0] += 1.0


def _note(world: World, found: Recording, at: float) -> bool:
    """Note what changed; return whether the main campaign has ended."""
    for name in found.planned:
        row = world.storage.row(
            "SELECT status, total, pending, sent, failed, throttled, started_at, ended_at "
            "FROM campaigns WHERE id=?",
            name,
        )
        assert row is not None
        rows = found.rows.setdefault(name, [])
        if not rows or tuple(rows[-1][1:]) != tuple(row[:6]):
            rows.append((at, *row[:6]))
        if name == MAIN and row[0] == "completed":
            found.started, found.ended = (float(each) / 1000 - BEGIN for each in row[6:])
            return True
        assert row[0] != "failed", name
    return False

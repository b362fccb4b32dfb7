"""Recorded runs of campaigns, read as frontdesk would, and what was then said of their end.

`recorded_runs.json` has some of the sandbox's engine, thinned;
`tests/lab/benchmarks/campaign_ranges.py` simulates more.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from frontdesk.campaigns.counters import Counters, finished_count
from frontdesk.campaigns.models import CampaignHistory, Sample, WatchInterval
from frontdesk.campaigns.throughput import LOOKBACK_SECONDS, line_load, measure_throughput
from frontdesk_api.contract.ids import CampaignId, LineId
from sample_records import campaign_record

BEGIN = 1_790_000_000.0
"""Unix seconds at which each run begins."""

MAIN = "main"


@dataclass
class Recording:
    """Counters by second, for each campaign of a run that frontdesk knows.

    Attributes:
        rows: for each campaign, `(seconds, status, total, pending, sent, failed, too many)` wherever one changed.
        planned: seconds at which a campaign is to start, and its recipients.
        ended: seconds at which the main campaign ended; `started` likewise.
    """

    name: str
    started: float = 0.0
    ended: float = 0.0
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    planned: dict[str, tuple[float, int]] = field(default_factory=dict)


class Verdict(NamedTuple):
    """One read: the share of recipients tried, the real time left, and the range if there was one."""

    done: float
    left: float
    low: float | None
    high: float | None


def rows_at(recording: Recording, name: str, at: float) -> tuple[Any, ...] | None:
    """Return a campaign's row as it stood."""
    place = bisect_right(recording.rows[name], at, key=itemgetter(0))
    return recording.rows[name][place - 1] if place else None


def histories(
    recording: Recording, every: tuple[float, float], chance: Random, share: float
) -> Iterator[dict[str, CampaignHistory]]:
    """Yield all campaigns as frontdesk has them after reads of the main one, a random share of them."""
    samples: dict[str, list[Sample]] = {name: [] for name in recording.rows}
    first: dict[str, float] = {}
    read: dict[str, float] = {}
    status: dict[str, tuple[str, float | None]] = {}
    next_at = {name: float(round(chance.uniform(0, every[1]))) for name in recording.rows}
    while True:
        name = min(next_at, key=lambda each: next_at[each])
        at = next_at[name]
        if at >= recording.ended:
            return
        # On whole seconds, as it was recorded.
        next_at[name] = at + round(chance.uniform(*every))
        row = rows_at(recording, name, at)
        if row is None:
            continue
        _, state, total, pending, sent, failed, too_many = row
        zero = 0.0 if state in ("scheduled", "pending") else None
        values = [each if zero is None else zero for each in (total, pending, sent, failed, too_many)]
        counters = Counters(values[0], values[1], values[2], 0.0, 0.0, values[3], 0.0, 0.0, values[4])
        seen = samples[name]
        if not seen or seen[-1].counters != counters:
            if seen and seen[-1].at < read[name]:
                seen.append(Sample(read[name], seen[-1].counters))
            seen.append(Sample(BEGIN + at, counters))
        read[name] = BEGIN + at
        first.setdefault(name, BEGIN + at)
        begun = next((each[0] for each in recording.rows[name] if each[1] == "inProgress"), None)
        started = None if begun is None or begun > at else BEGIN + begun
        status[name] = (state, started)
        if name == MAIN and (share == 1 or chance.random() < share):
            yield {each: _history(recording, each, samples, first, status, read[each]) for each in status}


def _history(
    recording: Recording,
    name: str,
    samples: dict[str, list[Sample]],
    first: dict[str, float],
    status: dict[str, tuple[str, float | None]],
    read_at: float,
) -> CampaignHistory:
    state, started = status[name]
    counters = samples[name][-1].counters
    planned, _ = recording.planned[name]
    ended = next((BEGIN + each[0] for each in recording.rows[name] if each[1] == "completed"), None)
    ended = None if ended is None or ended > read_at else ended
    record_ = campaign_record(
        campaign_id=CampaignId(name),
        name=name,
        status=state,
        counters=counters,
        scheduled_at=BEGIN + planned,
        started_at=started,
        completed_at=ended,
        line_id=LineId("line"),
        source="excel",
        read_at=read_at,
    )
    lately = [each for each in samples[name] if each.at > read_at - LOOKBACK_SECONDS]
    # As `store.campaigns.samples` does: one a minute of what is older.
    older = {each.at // 60: each for each in samples[name][: len(samples[name]) - len(lately)]}
    kept = [*older.values(), *lately]
    return CampaignHistory(record_, kept, [WatchInterval(first[name], read_at)])


def verdicts(recording: Recording, every: tuple[float, float], seed: int, share: float = 1.0) -> Iterator[Verdict]:
    """Yield each read in which it runs, or a random share of them."""
    for found in histories(recording, every, Random(seed), share):
        mine = found[MAIN]
        counters = mine.record.counters
        if mine.record.status != "inProgress" or not counters.total:
            continue
        now = mine.record.read_at or 0.0
        others = [line_load(each, now, recording.planned[name][1]) for name, each in found.items() if name != MAIN]
        eta = measure_throughput(mine, now, [each for each in others if each is not None]).eta
        done, left = (finished_count(counters) or 0.0) / counters.total, recording.ended - (now - BEGIN)
        yield Verdict(done, left, eta and eta.low_seconds, eta and eta.high_seconds)

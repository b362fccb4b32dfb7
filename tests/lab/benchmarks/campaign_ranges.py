"""How often the range of a campaign's end held it, and how wide it was, on simulated runs.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.campaign_ranges [--seeds FIRST COUNT]

Each run of `campaign_runs.FAMILIES` is read as frontdesk would: every 2 to 6 seconds (on the screen) and every 15
to 60 seconds (behind it). About 20 reads of each run are judged, whenever it runs. Columns: the share of ranges
that held the real end; far end by near end (median, nine in ten; with a minute or more left); reads without one.
"""

import argparse
import math

from campaigns.recorded_runs import Verdict, verdicts
from lab.benchmarks.campaign_runs import FAMILIES, record

MODES = {"on screen": (2.0, 6.0), "behind": (15.0, 60.0)}
JUDGED = 20
NEAR_SECONDS = 60.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 30))
    first, count = parser.parse_args().seeds
    found: dict[str, dict[str, list[Verdict]]] = {mode: {name: [] for name in FAMILIES} for mode in MODES}
    for name in FAMILIES:
        for seed in range(first, first + count):
            run = record(name, seed)
            for mode, every in MODES.items():
                reads = (run.ended - run.started) / (sum(every) / 2)
                found[mode][name] += verdicts(run, every, seed, JUDGED / reads)
    for mode, families in found.items():
        print(f"\n{mode}\n{'run':20} {'reads':>6} {'held':>6}  far by near     no range")
        for name, of_family in families.items():
            print(describe(name, of_family))
        print(describe("all", [each for of_family in families.values() for each in of_family]))


def describe(name: str, found: list[Verdict]) -> str:
    """Return a row of the table."""
    known = [(each.left, each.low, each.high) for each in found if each.low is not None and each.high is not None]
    held = sum(low <= left <= high for left, low, high in known) / len(known)
    widths = sorted(high / low if low else math.inf for left, low, high in known if left >= NEAR_SECONDS)
    median, most = widths[len(widths) // 2], widths[int(len(widths) * 0.9)]
    none = 1 - len(known) / len(found)
    return f"{name:20} {len(found):6} {held * 100:5.1f}%  {median:5.2f}  {most:6.2f}  {none * 100:6.1f}%"


if __name__ == "__main__":
    main()

"""Runs seeds one after the other, and prints what they simulated; simulation.md has the commands."""

import argparse
import gc
import sys
import time
from contextlib import ExitStack

from lab.simulation.planted import PLANTED, planted
from lab.simulation.seeds import new_platform, simulate
from lab.simulation.team import Violation

PRINT_SECONDS = 60.0


class Totals:
    """What the seeds so far have simulated."""

    def __init__(self) -> None:
        self.seeds = self.violations = self.requests = self.changes = 0
        self.desk_seconds = 0.0
        self._begun_at, self._cpu = time.monotonic(), time.process_time()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun_at

    def __str__(self) -> str:
        cpu = time.process_time() - self._cpu
        return (
            f"{self.seeds:,} seeds, {self.violations} violations, {self.desk_seconds / 3600:,.1f} desk-hours,"
            f" {self.requests:,} requests, {self.changes:,} changes;"
            f" {self.seconds:,.0f} s, {cpu:,.0f} core-seconds, {cpu / max(1, self.seeds):.3f} a seed"
        )


def main() -> int:
    """Return 1 after a violation, as an exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.simulation", description=__doc__)
    parser.add_argument("--first", type=int, default=1, help="the first seed (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=100, help="how many (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no seed after this time")
    parser.add_argument("--planted", choices=sorted(PLANTED), help="run with this fault in the program")
    parser.add_argument("--go-on", action="store_true", help="run the seeds after a violation, too")
    chosen = parser.parse_args()
    platform, totals, printed_at = new_platform(), Totals(), 0.0
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    with ExitStack() as stack:
        if chosen.planted:
            stack.enter_context(planted(chosen.planted))
        for seed in range(chosen.first, chosen.first + chosen.seeds):
            if totals.seconds > chosen.minutes * 60:
                break
            _run(seed, platform, totals)
            if totals.violations and not chosen.go_on:
                break
            if totals.seconds > printed_at + PRINT_SECONDS:
                printed_at = totals.seconds
                print(totals, flush=True)
    print(f"seeds {chosen.first} to {chosen.first + totals.seeds - 1}: {totals}")
    return 1 if totals.violations else 0


def _run(seed: int, platform: bytes, totals: Totals) -> None:
    totals.seeds += 1
    try:
        outcome = simulate(seed, platform)
    except AssertionError as error:
        totals.violations += 1
        print(error if isinstance(error, Violation) else f"seed {seed}: {error!r}")
        print(f"again: PYTHONPATH=tests .venv/bin/python -m lab.simulation --first {seed} --seeds 1", flush=True)
    else:
        totals.desk_seconds += outcome.desk_seconds
        totals.requests += outcome.requests
        totals.changes += outcome.changes


if __name__ == "__main__":
    sys.exit(main())

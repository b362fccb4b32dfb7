"""A week of a desk of eight people in virtual time: its numbers and its tasks' history beside the truth.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.desk_week [--days 5] [--contacts 60] [--seed 1]

`tests/metrics/simulated_week.py` says what happens in it: the sandbox is the platform, a real engine polls, and
eight people work, seven of them outside of our desk. Prints the tables of numbers_proof.md. The exit status
is 1 if a number isn't as true as it says.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import open_world
from metrics.simulated_week import run_week
from metrics.week_comparison import compare, compare_history, ended, report_of, table
from sandbox.fixtures import file_bytes
from sync.simulated_reads import share_below


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=5)
    parser.add_argument("--contacts", type=int, default=60, help="customers who write for the first time, a day")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        open_world(SandboxOptions(data=Path(name), crowd=False)).close()
        seeded = file_bytes(Path(name))
    began = time.perf_counter()
    week = run_week(seeded, options.days, options.contacts, options.seed)
    report = report_of(week, options.days)
    compared, history = compare(week, report), compare_history(week)
    print(*table(compared), sep="\n")
    print()
    print("| changes of a task's status | |")
    print("|---|---:|")
    print(f"| happened | {history.happened} |")
    print(f"| in the history, with the true moment between *not before* and *not after* | {history.seen} |")
    print(f"| in the history, with the true moment outside that interval | {history.false} |")
    for share, words in ((0.5, "half"), (0.9, "90%"), (1.0, "all")):
        print(f"| {words} of the intervals are at most | {share_below(history.widths, share):.0f} s |")
    taken = time.perf_counter() - began
    print(f"\n{week.requests:,} requests until {ended(week)}; took {taken:.0f} s")
    return int(history.false > 0 or not all(each.is_fair for each in compared))


if __name__ == "__main__":
    sys.exit(main())

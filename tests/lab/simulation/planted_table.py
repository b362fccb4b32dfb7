"""The table of planted faults in simulation.md: the first seed that finds each, and the broken invariant.

PYTHONPATH=tests python -m lab.simulation.planted_table --seeds 150     # search anew, and write the table
"""

import argparse
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.simulation.invariants import Invariant
from lab.simulation.planted import PLANTED, planted
from lab.simulation.seeds import new_platform, simulate
from lab.simulation.team import Violation

PAGE = Path(__file__).with_name("simulation.md")
HEADER = "| mistake in the program | seed | invariant that is broken |\n|---|---|---|\n"
_ROW = re.compile(r"^\| (?P<fault>[^|]+) \| (?P<seed>\d+) \| (?P<invariant>[^|]+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Finding:
    """What finds a planted fault."""

    fault: str
    seed: int
    invariant: Invariant


def read_table() -> list[Finding]:
    """Return the rows of the page's table, without the faults that no seed has found."""
    rows = _ROW.finditer(_table_of(PAGE.read_text(encoding="utf-8")))
    return [Finding(row["fault"], int(row["seed"]), Invariant(row["invariant"])) for row in rows]


def broken_invariant(fault: str, seed: int, platform: bytes) -> Invariant | None:
    """Run a seed with this fault; return the invariant that it breaks, None for none."""
    try:
        with planted(fault):
            simulate(seed, platform)
    except Violation as violation:
        return violation.invariant
    return None


def first_finding(fault: str, seeds: int, platform: bytes) -> Finding | None:
    """Return the first seed that finds the fault, within so many."""
    for seed in range(1, seeds + 1):
        if (invariant := broken_invariant(fault, seed, platform)) is not None:
            return Finding(fault, seed, invariant)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.simulation.planted_table", description=__doc__)
    parser.add_argument("--seeds", type=int, default=150, help="how many to try for each (default: %(default)s)")
    seeds = parser.parse_args().seeds
    find, rows = partial(first_finding, seeds=seeds, platform=new_platform()), []
    with ProcessPoolExecutor() as pool:
        for fault, found in zip(PLANTED, pool.map(find, PLANTED), strict=True):
            cells = f"{found.seed} | {found.invariant}" if found else f"none of {seeds} | not found"
            rows.append(f"| {fault} | {cells} |\n")
            print(rows[-1], end="", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(_table_of(text), HEADER + "".join(rows)), encoding="utf-8")


def _table_of(text: str) -> str:
    begin = text.index(HEADER)
    end = text.find("\n\n", begin)
    return text[begin : end + 1 if end >= 0 else len(text)]


if __name__ == "__main__":
    main()

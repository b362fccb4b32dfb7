"""Counts what the program does, which is the same on any machine, and compares it with what is expected.

    export PYTHONPATH=tests
    .venv/bin/python -m lab.proof            compare; exit status 1 if a count moved
    .venv/bin/python -m lab.proof --accept   write the counts as the expected ones
    .venv/bin/python -m lab.proof --twice    count twice, and name what differs at all
    .venv/bin/python -m lab.proof --json     print the counts

Each group runs in a process of its own with a fixed hash seed. tests/lab/benchmarks/performance.md shows the
counts beside times.
"""

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.proof.comparison import EXPECTED, Counts, compare, versions
from lab.proof.desk_data import make_store

GROUPS = ("start", "screen", "reads", "sync", "freshness")
ROOT = Path(__file__).parents[3]


def main() -> int:
    """Return 1 if a count moved by more than is allowed, or differs when it is taken twice."""
    parser = argparse.ArgumentParser(prog="python -m lab.proof", description=__doc__)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--group", choices=GROUPS, help="count one group, on the store STORE, and print it as JSON"
    )
    parser.add_argument("store", nargs="?", metavar="STORE")
    chosen = parser.parse_args()
    if chosen.group:
        print(json.dumps(importlib.import_module(f"lab.proof.{chosen.group}").measure(Path(chosen.store))))
        return 0
    counts = count_all()
    if chosen.json:
        print(json.dumps(counts, indent=1, ensure_ascii=False))
        return 0
    if chosen.twice:
        again = count_all()
        differing = [
            f"{name}: {value}, then {again[name]}" for name, value in counts.items() if value != again[name]
        ]
        print(*differing, f"{len(counts)} counts taken twice, {len(differing)} differ", sep="\n")
        return 1 if differing else 0
    if chosen.accept:
        EXPECTED.write_text(
            json.dumps({"versions": versions(), "counts": counts}, indent=1, ensure_ascii=False) + "\n"
        )
        print(f"{len(counts)} counts written to {EXPECTED.relative_to(ROOT)}")
        return 0
    problems = compare(counts)
    print(*problems, sep="\n")
    return 1 if any(each.startswith("moved") for each in problems) else 0


def count_all() -> Counts:
    """Return every count by name."""
    counts: Counts = {}
    paths = os.pathsep.join(str(ROOT / each) for each in ("src", "tests"))
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": paths}
    with TemporaryDirectory() as name:
        made = Path(name) / "made"
        make_store(made)
        for group in GROUPS:
            copy = Path(name) / group
            shutil.copytree(made, copy)
            command = [sys.executable, "-m", "lab.proof", "--group", group, str(copy)]
            run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            counts |= json.loads(run.stdout)
    return counts


if __name__ == "__main__":
    sys.exit(main())

"""How many of the mistakes that mutmut plants in the rules the plain tests notice.

    .venv/bin/pip install -e '.[mutation]'
    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.mutation [--sample 300] [--seed 19] [--workers 2]
        [--only PATTERN]

mutmut makes the mutants of the modules that pyproject.toml names. Then a sample is drawn and judged, each mutant
by the tests that run its function (mutation_judge.py). Mutants that change nothing a test could or should see are
passed over by the rules of mutation_rules.py, and are counted. A mutant in a function without tests has survived.

Prints the survivors with their change, the score of each module, and the score of all with its interval; below
90 % the exit status is 1. It takes about four minutes for the mutants and ten for a sample of 300 on two quiet
cores, and writes to mutants/.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from lab.benchmarks.mutation_rules import MutantSource, reason_to_skip

WANTED = 0.9
FOLDER = Path("mutants")
TESTS_OF_FUNCTIONS = FOLDER / "tests-of-functions.json"
FIRST = "frontdesk.text.percentages*"
"""With a few mutants to try, mutmut makes them all."""


@dataclass(frozen=True)
class Sample:
    """The mutants drawn, and why others were passed over."""

    names: Sequence[str]
    skipped: Mapping[str, str]


def main() -> int:
    """Run the benchmark; returns the exit status."""
    options = _options()
    if not options.keep:
        TESTS_OF_FUNCTIONS.unlink(missing_ok=True)
        subprocess.run([str(Path(sys.executable).with_name("mutmut")), "run", FIRST], check=True)
    sample = _draw(options.sample, options.seed, options.only)
    noticed = _judge(sample.names, options.workers)
    _print_modules(sample, noticed)
    for name in sample.names:
        if not noticed[name]:
            print(f"survived: {name}\n{MutantSource(FOLDER, name).change}")
    for reason, count in Counter(sample.skipped.values()).most_common():
        print(f"passed over: {count:4} {reason}")
    killed, drawn = sum(noticed.values()), len(sample.names)
    low, high = interval(killed, drawn)
    print(
        f"{killed} of {drawn} mutants noticed: {killed / drawn:.1%}, 95 % interval {low:.1%} to {high:.1%}, ",
        end="",
    )
    print(f"seed {options.seed}")
    return 0 if killed / drawn >= WANTED else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--only", default="*", help="draw only from the mutants whose name fits, as frontdesk.text.*"
    )
    parser.add_argument("--keep", action="store_true", help="use the mutants of the last run")
    return parser.parse_args()


def interval(killed: int, drawn: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for the share of all mutants, as two fractions."""
    z = 1.96
    share, spread = killed / drawn, z * z / drawn
    half = z * math.sqrt(share * (1 - share) / drawn + spread / (4 * drawn))
    return (share + spread / 2 - half) / (1 + spread), (share + spread / 2 + half) / (1 + spread)


def _draw(size: int, seed: int, pattern: str) -> Sample:
    files = FOLDER.rglob("*.meta")
    names = sorted(name for file in files for name in json.loads(file.read_text())["exit_code_by_key"])
    names = [name for name in names if fnmatch(name, pattern)]
    random.Random(seed).shuffle(names)
    drawn: list[str] = []
    skipped: dict[str, str] = {}
    for name in names:
        if len(drawn) == size:
            break
        if reason := reason_to_skip(MutantSource(FOLDER, name)):
            skipped[name] = reason
        else:
            drawn.append(name)
    return Sample(drawn, skipped)


def _judge(names: Sequence[str], workers: int) -> dict[str, bool]:
    """Return whether tests noticed each mutant; one in a function that no test runs has survived.

    First all in forks of one process that has collected the tests. Survivors in functions that already ran at
    import are tried in a process of their own: there, tables are made by the mutant.
    """
    noticed, run_at_import = _run_judge(names, workers, "")
    for name in names:
        if not noticed[name] and _function(name) in run_at_import:
            noticed |= _run_judge([name], 1, name)[0]
    return noticed


def _function(name: str) -> str:
    return name.rpartition("__mutmut_")[0]


def _run_judge(names: Sequence[str], workers: int, mutant_at_import: str) -> tuple[dict[str, bool], Sequence[str]]:
    """Return which mutants were noticed, and which functions ran at import."""
    work_file, results_file = (FOLDER / f"judge-{part}.json" for part in ("work", "results"))
    work_file.write_text(json.dumps({"workers": workers, "mutants": names}))
    results_file.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str((FOLDER / "src").resolve()),
        "MUTANT_UNDER_TEST": mutant_at_import,
    }
    judge = Path(__file__).with_name("mutation_judge.py")
    files = [str(each.resolve()) for each in (judge, work_file, TESTS_OF_FUNCTIONS, results_file)]
    ended = subprocess.run(
        [sys.executable, *files], cwd=FOLDER, env=environment, check=False, stdout=subprocess.DEVNULL
    )
    if results_file.exists():
        results = json.loads(results_file.read_text())
        return results["noticed"], results["run_at_import"]
    if not mutant_at_import:
        raise RuntimeError(f"the tests could not be collected: exit status {ended.returncode}")
    return dict.fromkeys(names, True), ()  # with the mutant, the program can't even be imported


def _print_modules(sample: Sample, noticed: Mapping[str, bool]) -> None:
    drawn = Counter(map(_module, sample.names))
    killed = Counter(_module(name) for name in sample.names if noticed[name])
    for module, count in sorted(drawn.items()):
        print(f"{module:40} {killed[module]:4} of {count:4}")


def _module(name: str) -> str:
    return name.partition(".x_")[0].partition(".xǁ")[0].removeprefix("frontdesk.")


if __name__ == "__main__":
    sys.exit(main())

"""How often the range of a campaign's end held it, and how wide it was, on recorded runs of the sandbox's engine.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.campaign_ranges [--seed N ...] [--keep FOLDER]
        [--throughput FILE]

Each run (`campaign_runs.RUNS`) is recorded on a virtual clock, then read as frontdesk would: every 2 to 6 seconds
(on the screen) and every 15 to 60 seconds (behind it). A sample is a read after a third of the recipients at which
a range is shown. Columns: the share of samples whose range held the real end; half of the range's width relative
to the time that really remained (median, 95th percentile) and to its own middle (median); the same for what is
printed, which is rounded outwards; and reads without a range.

`--keep` saves recordings there and uses those that are there; `--throughput` measures another version of
`campaigns/throughput.py`, for a "before".
"""

import argparse
import importlib.util
import statistics
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from campaigns.recorded_runs import Recording, Verdict, load, save, verdicts
from frontdesk.campaigns import throughput
from lab.benchmarks.campaign_runs import RUNS, Run, record

MODES = {"on screen": (2.0, 6.0), "behind": (15.0, 60.0)}
NEAR_SECONDS = 30.0
"""With less left than this the width is taken relative to this."""

POLLS = 5
"""How often each recording is read, with other moments of reading each time."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, nargs="*", default=[1])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--throughput", type=Path)
    given = parser.parse_args()
    module: ModuleType = throughput
    if given.throughput:
        spec = importlib.util.spec_from_file_location("other_throughput", given.throughput)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["other_throughput"] = module
        spec.loader.exec_module(module)
    for mode, every in MODES.items():
        print(f"\n{mode}, every {every[0]:.0f} to {every[1]:.0f} s")
        print(f"{'run':22} {'reads':>6} {'held':>6} {'no range':>8}  half-width of left: median p95   of middle")
        everything: list[Verdict] = []
        for run in RUNS:
            found: list[Verdict] = []
            for seed in given.seed:
                recording = _recording(given.keep, run, seed)
                for poll in range(POLLS):
                    found += verdicts(module, recording, every, poll)
            print(describe(run.name, found))
            everything += found
        print(describe("all", everything))


def describe(name: str, found: list[Verdict]) -> str:
    """Return a row of the table."""
    known = [(each.left, each.low, each.high) for each in found if each.low is not None and each.high is not None]
    if not known:
        return f"{name:22} {len(found):6} no range"
    held = sum(low <= left <= high for left, low, high in known) / len(known)
    of_left = sorted((high - low) / 2 / max(left, NEAR_SECONDS) for left, low, high in known)
    of_middle = statistics.median((high - low) / (high + low) for _, low, high in known)
    return (
        f"{name:22} {len(known):6} {held * 100:5.1f}% {len(found) - len(known):8}"
        f"  ±{statistics.median(of_left) * 100:3.0f}%  ±{of_left[int(len(of_left) * 0.95)] * 100:3.0f}%"
        f"  ±{of_middle * 100:3.0f}%"
    )


def _recording(folder: Path | None, run: Run, seed: int) -> Recording:
    where = folder or Path(tempfile.gettempdir())
    path = where / f"{seed}-{run.name}.json"
    if folder is not None and path.exists():
        return load(path)
    found = record(run, seed)
    if folder is not None:
        save(found, path)
    return found


if __name__ == "__main__":
    main()

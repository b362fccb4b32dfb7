"""Fuzz targets with a budget, keep what reaches something new, and note the figures in fuzzing.md.

    .venv/bin/pip install -e '.[fuzz]'
    PYTHONPATH=tests nice -n 10 .venv/bin/python -m lab.fuzz.run                       # every target for 3 minutes
    PYTHONPATH=tests nice -n 10 .venv/bin/python -m lab.fuzz.run due_words --seconds 600

Crashes, and inputs that take more of a processor than the target may, are kept in the folder that it prints.
The exit status is 1 if there was one.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.fuzz import corpus
from lab.fuzz.targets import TARGETS, Target, names

PAGE = Path(__file__).with_name("fuzzing.md")
SECONDS = 180
MEASURES = 3
"""A slow input is run so many times, and the best counts: the machine may be busy."""

_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Result:
    """What one run of a target came to."""

    name: str
    seconds: float
    executions: int
    crashes: tuple[Path, ...]
    hangs: tuple[Path, ...]
    slowest_seconds: float
    inputs: int

    def row(self) -> str:
        """Its row of the table in fuzzing.md."""
        day = datetime.now(UTC).date()
        found = f"{len(self.crashes)} | {len(self.hangs)} | {self.slowest_seconds * 1000:.0f} ms"
        return f"| `{self.name}` | {day} | {self.seconds:,.0f} s | {self.executions:,} | {found} | {self.inputs} |"


def main() -> int:
    """Fuzz the targets one after the other; answers the exit status."""
    parser = argparse.ArgumentParser(description="Fuzz targets with a budget.")
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all where none is named")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for each target")
    parser.add_argument("--seeds", type=Path, help="a folder with a folder of further first inputs per target")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    print(f"findings: {folder}", flush=True)
    status = 0
    for name in names(chosen.targets):
        seeds = chosen.seeds / name if chosen.seeds and (chosen.seeds / name).is_dir() else None
        result = fuzz(name, folder / name, chosen.seconds, seeds)
        note(result)
        print(result.row(), flush=True)
        for path in (*result.crashes, *result.hangs):
            status = 1
            words = path.with_suffix(".txt").read_text().strip().splitlines()[-1]
            print(f"  {path.name}: {words[:300]}", flush=True)
    return status


def fuzz(name: str, folder: Path, seconds: int, seeds: Path | None = None) -> Result:
    """Run one target under atheris, and keep the inputs that reach something new."""
    target = TARGETS[name]
    inputs, found = folder / "inputs", folder / "found"
    inputs.mkdir(parents=True)
    found.mkdir()
    for place, data in enumerate(corpus.load(name)):
        (inputs / f"kept-{place}").write_bytes(data)
    (folder / "words").write_text("".join(f'"{_quoted(word)}"\n' for word in target.words), "ascii")
    limits = [f"-max_total_time={seconds}", f"-max_len={target.max_bytes}", "-rss_limit_mb=3000", "-timeout=60"]
    options = [f"-dict={folder / 'words'}", "-print_final_stats=1", "-entropic_scale_per_exec_time=1", *limits]
    folders = [str(each) for each in (inputs, seeds) if each]
    began = time.monotonic()
    command = [sys.executable, "-m", "lab.fuzz.child", name, str(found), *options, *folders]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with (folder / "log").open("wb") as log:
        subprocess.run(command, env=environment, cwd=folder, stderr=log, stdout=log, check=False)
    took = time.monotonic() - began
    executed = _EXECUTED.search((folder / "log").read_text("utf-8", "replace"))
    assert executed, f"{name} ended early: see {folder / 'log'}"
    reached = [*corpus.load(name), *(each.read_bytes() for each in inputs.iterdir())]
    reached += [each.read_bytes() for each in seeds.iterdir()] if seeds else []
    kept = corpus.reduce(target, filter(lambda data: holds(target, data), reached))
    corpus.save(name, kept)
    crashes = tuple(sorted(each for each in found.glob("crash-*") if not each.suffix))
    slow = {each: seconds_of(target, each.read_bytes()) for each in found.glob("slow-*") if not each.suffix}
    hangs = tuple(sorted(path for path, lasted in slow.items() if lasted > target.max_seconds))
    slowest = max([*slow.values(), *(seconds_of(target, each, 1) for each in kept)], default=0.0)
    return Result(name, took, int(executed[1]), crashes, hangs, slowest, len(kept))


def holds(target: Target, data: bytes) -> bool:
    """Whether an input breaks no promise: what does is a finding, not a part of the corpus."""
    try:
        target.run(data)
    except Exception:
        return False
    return True


def seconds_of(target: Target, data: bytes, measures: int = MEASURES) -> float:
    """The processor time that an input takes at best, without the fuzzer's instruments."""
    best = float("inf")
    for _ in range(measures):
        began = time.thread_time()
        holds(target, data)
        best = min(best, time.thread_time() - began)
    return best


def note(result: Result) -> None:
    """Put the figures into the target's row on the page."""
    lines = PAGE.read_text("utf-8").splitlines()
    place = next(at for at, line in enumerate(lines) if line.startswith(f"| `{result.name}` |"))
    lines[place] = result.row()
    PAGE.write_text("\n".join(lines) + "\n", "utf-8")


def _quoted(word: str) -> str:
    """A word as libFuzzer's dictionaries have it."""
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word.encode()
    )


if __name__ == "__main__":
    sys.exit(main())

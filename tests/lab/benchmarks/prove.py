"""Run the benchmarks, keep what they measured, and write performance.md.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.prove --store FOLDER --out DIR [--only NAME...] [--keep]

FOLDER is a store of `large.py`; it is made if it is missing, which takes ten minutes on a quiet machine, once.
DIR gets NAME.jsonl (every value as measured), NAME.txt (what the benchmark printed) and run.json (all of it, and
what it was measured on). With --keep, run.json and the page drawn from it replace performance.json and
performance.md beside this file. All of `USUAL` take a quarter of an hour; --only names others of `BENCHMARKS`,
too. What this run leaves out keeps the page's figures of the same store, with the date and the commit of then;
without any it is "not measured".
"""

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw

from lab.benchmarks.performance_page import draw_page

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
STORE = "STORE"
OUT = "OUT"
"""Stand for the store's folder and the one of raw figures in a command."""

BENCHMARKS = {
    "terminal-beside": ["terminal_beside", STORE],
    "terminal": ["terminal_speed", STORE, "0", "20"],
    "instructions": ["instructions", STORE],
    "reads": ["store_reads", STORE, "5"],
    "numbers": ["metrics_reads", STORE],
    "sync": ["full_sync", STORE, "300", "2"],
    "freshness": ["freshness"],
    "ssh": ["ssh_echo", "--out", OUT, "--keys", "40"],
    # Each takes many minutes; what they print is kept.
    "engine-freshness": ["engine_freshness"],
    "campaign-load": ["campaign_load"],
    "campaign-ranges": ["campaign_ranges"],
    "campaign-watching": ["campaign_watching"],
    "team-load": ["team_load"],
    "team-catch-up": ["team_catch_up"],
}
USUAL = ("terminal-beside", "terminal", "instructions", "reads", "numbers", "sync", "freshness", "ssh")
COUNTS = "counts"
"""The counts of `python -m lab.proof`, which are no times."""

MAX_SECONDS = 1800
NOT_RUN = "not measured"
FAILED = "the benchmark failed before its end: what isn't in the table was not measured"


def main() -> int:
    """Return 1 if a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True, help="a store of large.py")
    parser.add_argument("--size", default="large", help="of a store that is made (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="gets the raw figures")
    parser.add_argument("--only", nargs="+", choices=[*BENCHMARKS, COUNTS], default=[*USUAL, COUNTS])
    parser.add_argument(
        "--keep", action="store_true", help="replace performance.md and performance.json beside this file"
    )
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join(str(ROOT / each) for each in ("src", "tests"))
    environment = {**os.environ, "PYTHONPATH": paths}
    if not (chosen.store / "profile").exists():
        subprocess.run(
            [sys.executable, "-m", "lab.benchmarks.large", str(chosen.store), chosen.size],
            env=environment,
            check=True,
        )
    run, before = describe_run(chosen.store), json.loads((HERE / "performance.json").read_text())
    began = time.monotonic()
    for name in BENCHMARKS:
        if name in chosen.only:
            run["benchmarks"][name] = run_one(name, chosen.store, chosen.out, environment)
        elif name in before["benchmarks"] and before["store"] == run["store"]:
            of_then = {"date": before["date"], "commit": before["commit"]}
            run["benchmarks"][name] = {**of_then, **before["benchmarks"][name]}
        elif name in USUAL:
            run["benchmarks"][name] = {"state": NOT_RUN}
    run["counts"] = count(environment, chosen.out) if COUNTS in chosen.only else before["counts"]
    run |= {"load_after": round(os.getloadavg()[0], 1), "seconds": round(time.monotonic() - began)}
    text = json.dumps(run, indent=1, ensure_ascii=False) + "\n"
    (chosen.out / "run.json").write_text(text, encoding="utf-8")
    if chosen.keep:
        (HERE / "performance.json").write_text(text, encoding="utf-8")
        (HERE / "performance.md").write_text(draw_page(run), encoding="utf-8")
    failed = [name for name, each in run["benchmarks"].items() if each["state"] == FAILED]
    print(f"{run['seconds']} s; failed: {', '.join(failed) or 'none'}; {chosen.out / 'run.json'}")
    return 1 if failed else 0


def describe_run(store: Path) -> dict[str, Any]:
    """What figures are worth nothing without."""
    (found,) = apsw.Connection(str(store / "profile" / "store.db"), flags=apsw.SQLITE_OPEN_READONLY).execute(
        "SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM messages),"
        " (SELECT count(*) FROM tasks)"
    )
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _printed("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
        "python": platform.python_version(),
        "textual": version("textual"),
        "sqlite": apsw.sqlite_lib_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "load_before": round(os.getloadavg()[0], 1),
        "store": dict(zip(("conversations", "messages", "tasks"), found, strict=True)),
        "benchmarks": {},
    }


def run_one(name: str, store: Path, out: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Run a benchmark; returns its state and its figures, of which none is older than this run."""
    raw, words = (out / f"{name}.jsonl").resolve(), out / f"{name}.txt"
    raw.unlink(missing_ok=True)
    script, *arguments = BENCHMARKS[name]
    if name == "instructions" and shutil.which("valgrind") is None:
        return {"state": f"{NOT_RUN}: valgrind isn't installed"}
    module = f"lab.benchmarks.{script}"
    shown = shlex.join([module, *("FOLDER" if each == STORE else each for each in arguments)])
    print(f"== {name}: {shown}", flush=True)
    began = time.monotonic()
    with words.open("w") as file:
        try:
            status = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    module,
                    *({STORE: str(store), OUT: str(out)}.get(each, each) for each in arguments),
                ],
                env={**environment, "FRONTDESK_RAW_FIGURES": str(raw)},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=MAX_SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    print(words.read_text(), flush=True)
    figures = [json.loads(line) for line in raw.read_text().splitlines()] if raw.exists() else []
    return {
        "state": FAILED if status else "measured",
        "command": shown,
        "seconds": round(time.monotonic() - began),
        "figures": figures,
        "printed": [] if figures else [line for line in words.read_text().splitlines() if line.startswith("|")],
    }


def count(environment: dict[str, str], out: Path) -> dict[str, int]:
    """Take the counts; empty if that failed."""
    print("== counts: python -m lab.proof", flush=True)
    command = [sys.executable, "-m", "lab.proof", "--json"]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    (out / "counts.json").write_text(run.stdout)
    return dict(json.loads(run.stdout)) if run.returncode == 0 else {}


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())

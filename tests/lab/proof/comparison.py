"""Compares counts with the expected ones of expected.json, and says which moved and how to accept it."""

import json
import platform
from importlib.metadata import version
from pathlib import Path

import apsw

Counts = dict[str, int]

EXPECTED = Path(__file__).with_name("expected.json")
ALLOWED_SHARE = 0.03
OF_ONE_PYTHON = ("calls", "modules", "modules of ours", "calls a page")
"""Counts that another Python or Textual moves: they are compared where both are those of expected.json."""

LIBRARIES = ("textual", "rich", "pydantic", "httpx")
HOW = (
    "If that is meant, run `PYTHONPATH=tests .venv/bin/python -m lab.proof --accept` and commit"
    " tests/lab/proof/expected.json; if not, it is slower (or faster) for everybody, however quick this machine"
    " is."
)


def versions() -> dict[str, str]:
    """What the counts depend on."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python, "sqlite": apsw.sqlite_lib_version()} | {each: version(each) for each in LIBRARIES}


def compare(counts: Counts) -> list[str]:
    """Return sentences; one that begins with "moved" is a failure."""
    expected = json.loads(EXPECTED.read_text())
    then, now = expected["versions"], versions()
    others = [f"{name} {then.get(name)} then, {now[name]} now" for name in now if now[name] != then.get(name)]
    found, left_out = [], []
    for name in sorted({*counts, *expected["counts"]}):
        value, before = counts.get(name), expected["counts"].get(name)
        if value is None or before is None:
            found.append(f"moved: {name}: {_or_none(before)} expected, {_or_none(value)} counted")
        elif others and name.rpartition(": ")[2] in OF_ONE_PYTHON:
            left_out.append(name)
        elif abs(value - before) > ALLOWED_SHARE * before:
            share = f" ({(value - before) / before:+.1%})" if before else ""
            found.append(f"moved: {name}: {before:,} expected, {value:,} counted{share}")
    if found:
        found.append(HOW)
    if others:
        found.append(f"other versions: {', '.join(others)}; so not compared: {', '.join(left_out)}")
    found.append(f"{len(counts) - len(left_out)} counts compared, each may move by {ALLOWED_SHARE:.0%}")
    return found


def _or_none(value: int | None) -> str:
    return "nothing" if value is None else f"{value:,}"

"""Records what people and programs meet, so that a change of shape can show that it changed nothing else.

    export PYTHONPATH=tests
    .venv/bin/python -m lab.guard FILE       record: texts, keys, commands, pictures, counts, answers of commands
    .venv/bin/python -m lab.guard OLD NEW    print how two records differ; exit status 1 if they do

A record of another version is made by that version's own Python, with this file: `--with PYTHON FILE`. Record both
on one day, since sample data follow the clock; dates, times and Unix seconds are written as `<time>`.
"""

import argparse
import ast
import difflib
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.guarded_commands import COMMANDS, FILES, LINEAR
from shown_texts import shown_texts

Record = dict[str, dict[str, Any]]

ACCOUNT = {
    "FRONTDESK_COOKIE": "token=sandbox",
    "FRONTDESK_API_KEY": "sandbox-key",
    "FRONTDESK_BEARER": "sandbox-bearer",
    "FRONTDESK_AGENT_ID": "agent-noa",
}
SYNC_SECONDS = 60
_TIMES = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?|\b1[6-9]\d{8}(\d{3})?(\.\d+)?\b"
    r"|\b\d\d?:\d\d(:\d\d)?\b|\b(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?\b( \d+ \w+( \d{4})?)?"
    r"|\b\d+(\.\d+)? (seconds?|minutes?|s|min|h)\b( ago)?"
)


def main() -> int:
    """Record, or compare two records."""
    parser = argparse.ArgumentParser(prog="python -m lab.guard", description=__doc__)
    parser.add_argument("--with", dest="python", type=Path, default=Path(sys.executable), metavar="PYTHON")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    given = parser.parse_args()
    if len(given.files) == 2:
        old, new = (json.loads(each.read_text("utf-8")) for each in given.files)
        found = list(differences(old, new))
        sys.stdout.write("\n".join([*found, f"{len(found)} differences\n"]))
        return 1 if found else 0
    given.files[0].write_text(json.dumps(record(given.python), indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def record(python: Path) -> Record:
    """Return what is met, by section and name, of the version that this Python has installed."""
    asked = subprocess.run(
        [python, "-c", "import frontdesk; print(frontdesk.__path__[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    source = Path(asked.stdout.strip())
    root = source.parents[1]
    return {
        "texts": dict(Counter(each.text for each in shown_texts(source))),
        "reference": {each.name: _clean(each.read_text("utf-8")) for each in _files(root / "docs/reference")},
        "pictures": {
            each.relative_to(root).as_posix(): hashlib.sha256(each.read_bytes()).hexdigest()[:16]
            for folder in ("tests/snapshots", "screenshots")
            for each in _files(root / folder)
            if each.suffix in (".svg", ".raw", ".png")
        },
        "counts": json.loads((root / "tests/lab/proof/expected.json").read_text("utf-8"))["counts"],
        "size": {"lines": sum(len(each.read_bytes().splitlines()) for each in source.rglob("*.py"))}
        | {"functions": sum(_functions(each) for each in source.rglob("*.py"))},
        "answers": dict(answers(python)),
    }


def answers(python: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each command prints and its status, on a store that has read a sandbox of fixed data."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, _sandbox(python, Path(folder)) as environ:
        _sync(python, environ)
        _, listed, _ = _run(python, "tasks list --json", environ)
        tasks = [json.loads(each)["taskId"] for each in listed.splitlines()]
        names = {"task": tasks[0], "other": tasks[1], "third": tasks[2]}
        _, listed, _ = _run(python, "conversations list --json", environ)
        first = json.loads(listed.splitlines()[0])
        names["conversation"] = shlex.quote(first["conversation"])
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text, "utf-8")
        for line in COMMANDS:
            status, out, err = _run(python, line.format_map(names), environ)
            yield line, {"status": status, "out": _clean(out), "err": _clean(err)}
        for line in LINEAR:
            typed = line.replace("\\n", "\n") + "\nquit\n"
            status, out, err = _run(python, "--linear", environ, typed)
            yield f"linear: {line}", {"status": status, "out": _clean(out), "err": _clean(err)}


def differences(old: Record, new: Record) -> Iterator[str]:
    """Yield a line, or a line and a diff, for each thing that isn't in both records alike."""
    for section in sorted({*old, *new}):
        before, after = old.get(section, {}), new.get(section, {})
        for name in sorted({*before, *after}):
            if before.get(name) == after.get(name):
                continue
            if section in ("reference", "answers"):
                lines = [
                    json.dumps(each.get(name), indent=1, ensure_ascii=False).replace("\\n", "\n").splitlines()
                    for each in (before, after)
                ]
                yield f"{section}: {name}\n" + "\n".join(difflib.unified_diff(*lines, n=0, lineterm=""))
            else:
                yield f"{section}: {name}: {before.get(name)} -> {after.get(name)}"


def _files(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*") if each.is_file() and "__pycache__" not in each.parts)


def _functions(path: Path) -> int:
    return sum(
        isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in ast.walk(ast.parse(path.read_text()))
    )


def _clean(text: str) -> str:
    """Take out what differs from run to run: hosts, folders, ids made by chance, shares of time, and times."""
    text = re.sub(r"127\.0\.0\.1:\d+|env-127[\d.a-f-]+|/tmp/tmp\w+|\b[0-9a-f]{32}\b|\b0\.000\d+", "<own>", text)
    return _TIMES.sub("<time>", text)


@contextmanager
def _sandbox(python: Path, folder: Path) -> Iterator[dict[str, str]]:
    """Run a sandbox in which nothing moves by itself; yields the environment of commands on it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FRONTDESK_", "XDG_"))}
    environ = kept | {"TZ": "UTC", "COLUMNS": "100", "LANG": "C.UTF-8"} | ACCOUNT
    environ |= {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE")}
    process = subprocess.Popen(
        [python, "-m", "frontdesk", "sandbox", "--port", "0", "--no-crowd"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield environ | {"FRONTDESK_BASE_URL": process.stdout.readline().split()[-1]}
    finally:
        process.terminate()
        process.wait(20)


def _sync(python: Path, environ: dict[str, str]) -> None:
    """Have the store read all there is: until no thread was read for a few seconds."""
    process = subprocess.Popen([python, "-m", "frontdesk", "sync"], env=environ, stderr=subprocess.DEVNULL)
    until, before = time.monotonic() + SYNC_SECONDS, -1
    while time.monotonic() < until and (count := _requests(environ["FRONTDESK_BASE_URL"])) != before:
        before = count
        time.sleep(4)
    process.terminate()
    process.wait(20)


def _requests(url: str) -> int:
    """Return how many different paths were asked."""
    with urllib.request.urlopen(f"{url}/sandbox/requests", timeout=10) as answer:
        return len({each["path"] for each in json.loads(answer.read())})


def _run(python: Path, line: str, environ: dict[str, str], typed: str = "") -> tuple[int, str, str]:
    ended = subprocess.run(
        [python, "-m", "frontdesk", *shlex.split(line)],
        env=environ,
        cwd=environ["XDG_DATA_HOME"] + "/..",
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ended.returncode, ended.stdout, ended.stderr


if __name__ == "__main__":
    raise SystemExit(main())

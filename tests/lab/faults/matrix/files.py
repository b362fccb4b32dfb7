"""Files at start: an engine in a process of its own, on a store with something else in the place of a file."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.faults.replaced_files import FILES, REPLACEMENTS, replace

START_SECONDS = 60.0
"""How long an engine may take until it ends or polls."""

LOOK_SECONDS = 0.05
SENTENCE, RECOVERS = "sentence", "recovers"
PLACES = tuple((name, replacement) for name in FILES for replacement in REPLACEMENTS)
_POLLS = "now polls for this profile"


@dataclass(frozen=True, slots=True)
class StartCell:
    """What an engine did.

    Attributes:
        name: the file.
        replacement: what stood in its place.
        outcome: `SENTENCE` if it ended with one that names the file, and status 2; `RECOVERS` if it polls; else a
            finding in words.
    """

    name: str
    replacement: str
    outcome: str


def run_starts(folder: Path, store: Path, places: Iterable[tuple[str, str]] = PLACES) -> list[StartCell]:
    """Start an engine on a copy of this store for each file and replacement."""
    return [_run_start(folder / str(number), store, *place) for number, place in enumerate(places)]


def _run_start(home: Path, store: Path, name: str, replacement: str) -> StartCell:
    profile = Path(shutil.copytree(store, home / "profile"))
    sentence = replace(profile / name, REPLACEMENTS[replacement])
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("FRONTDESK", "XDG"))}
    environ = kept | {"HOME": str(home), "FRONTDESK_BASE_URL": "http://127.0.0.1:9"}
    words = [sys.executable, "-m", "frontdesk.engine.main", "--store", str(profile)]
    with (home / "errors").open("w") as errors:
        process = subprocess.Popen(words, env=environ, stdin=subprocess.DEVNULL, stderr=errors)
    has_polled = _wait(process, home)
    if process.poll() is None:
        process.terminate() if has_polled else process.kill()
    status, said = process.wait(), (home / "errors").read_text()
    return StartCell(name, replacement, _judge(said, sentence, status=status, has_polled=has_polled))


def _wait(process: "subprocess.Popen[bytes]", home: Path) -> bool:
    """Wait until the engine has ended or polls; returns whether it polls."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if any(_POLLS in log.read_text() for log in home.rglob("frontdesk.log")):
            return True
        time.sleep(LOOK_SECONDS)
    return False


def _judge(said: str, sentence: str, *, status: int, has_polled: bool) -> str:
    if "Traceback" in said:
        return "traceback"
    if has_polled:
        return RECOVERS if status == 0 else f"ended with status {status}"
    if said == f"frontdesk: {sentence}\n" and status == 2:
        return SENTENCE
    return f"hangs, or status {status}: {said.strip() or 'nothing said'}"

"""Instructions of a start, a screen and an end, beside an empty Textual app: the twin of the start's milliseconds.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.instructions FOLDER [ROUNDS]

FOLDER is one that `large.py` made. callgrind counts what the process itself executes, not the engine that it
starts; other work on the machine doesn't move the figure, another build of Python does. Needs valgrind; a round
takes a minute, as callgrind makes a program some fifty times slower.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from frontdesk.storage.database import Store
from lab.benchmarks.raw import keep
from lab.benchmarks.terminal_beside import EMPTY_APP, OURS
from lab.benchmarks.terminal_speed import EMPTY, USABLE, say
from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.terminal import Ended, Terminal

ROUNDS = 2
MAX_SECONDS = 600.0
MILLION = 1_000_000
CONTROL_Q = "\x11"
COMMAND = ("tasks", "list", "--json")


def main(folder: Path, rounds: int) -> None:
    """Count, print and keep."""
    with tempfile.TemporaryDirectory() as scratch:
        copies = Path(scratch)
        shutil.copytree(folder / "sandbox", copies / "sandbox")
        empty = copies / "empty.py"
        empty.write_text(EMPTY)
        service = Service(copies / "sandbox")
        home = Home(copies / "home")
        try:
            home.settle(hints=False)
            home.fill(service, folder / "profile")
            Store(home.store(service)).close()  # brought to this version where an older one made it
            environment = {**home.environment(service), "PYTHONHASHSEED": "0"}
            started, listed = defaultdict(list), []
            for _ in range(rounds):
                started[OURS].append(_in_terminal([FRONTDESK], environment, USABLE, "q", copies))
                end_all(home)
                started[EMPTY_APP].append(_in_terminal([str(empty)], environment, "READY", CONTROL_Q, copies))
                listed.append(_command([FRONTDESK, *COMMAND], environment, copies))
        finally:
            end_all(home)
            service.kill()
    ours = started.pop(OURS)
    keep("start, the first screen, and the end", "million", ours, target=2.0, beside=started, times=EMPTY_APP)
    keep(f"frontdesk {' '.join(COMMAND)}", "million", listed)
    say(f"million instructions: {OURS} {ours}, {EMPTY_APP} {started[EMPTY_APP]}, a list of tasks {listed}")


def _in_terminal(
    program: Sequence[str], environment: Mapping[str, str], ready: str, leave: str, folder: Path
) -> float:
    counted = folder / "instructions"
    with Terminal(_counting(program, counted), environment) as terminal:
        terminal.wait_for(ready, MAX_SECONDS)
        terminal.press(leave)
        try:
            terminal.wait_for(lambda: False, MAX_SECONDS)
        except Ended:
            return _read(counted)
    raise AssertionError("a wait for nothing ends with the program or a TimeoutError")


def _command(program: Sequence[str], environment: Mapping[str, str], folder: Path) -> float:
    counted = folder / "instructions"
    subprocess.run(
        _counting(program, counted),
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=MAX_SECONDS,
    )
    return _read(counted)


def _counting(program: Sequence[str], counted: Path) -> list[str]:
    valgrind = shutil.which("valgrind") or sys.exit("valgrind isn't installed")
    options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={counted}"]
    return [valgrind, *options, sys.executable, *program]


def _read(counted: Path) -> float:
    (found,) = re.findall(r"refs:\s+([\d,]+)", counted.read_text())
    return int(found.replace(",", "")) / MILLION


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS)

"""Start, memory and key echo beside the floors and the peers that are installed, in turns.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.terminal_beside FOLDER [ROUNDS] [KEYS]

FOLDER is one that `large.py` made. The floors are an empty Textual app and a list of bare lines that repaints two
rows a key; the peers, neomutt and aerc, have a maildir with as many mails as there are conversations. A key's echo
runs from its byte to the first byte of the answer that moves the cursor.
"""

import select
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from frontdesk.storage.database import Store
from lab.benchmarks.peers import Program, find_peers
from lab.benchmarks.raw import keep
from lab.benchmarks.terminal_speed import BAR, EMPTY, LINES, USABLE, known, resident, say
from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.terminal import Terminal

ROUNDS, KEYS = 5, 40
OURS, EMPTY_APP, LINE_LIST = "frontdesk", "empty Textual app", "list of bare lines"
Taken = dict[str, list[float]]


def main(folder: Path, rounds: int, keys: int) -> None:
    """Measure, print and keep."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        copies = Path(scratch)
        shutil.copytree(folder / "sandbox", copies / "sandbox")
        service = Service(copies / "sandbox")
        stack.callback(service.kill)
        home = Home(copies / "home")
        home.settle(requests_per_second=1000, requests_per_minute=6000, hints=False)
        home.fill(service, folder / "profile")
        stack.callback(end_all, home)
        Store(home.store(service)).close()  # brought to this version where an older one made it
        programs = _programs(home, service, copies)
        starts, memory = _start(programs, home, rounds)
        floor = next(each for each in programs if each.name == EMPTY_APP)
        _keep("spawn to the usable screen", "ms", starts, 2.0, floor.name)
        _keep("memory", "MB", memory, 2.5, floor.name)
        echo, sizes = _echo([each for each in programs if each is not floor], keys)
        _keep("key echo, a cursor move in the list", "ms", echo, 2.0, LINE_LIST)
        _keep("bytes of a cursor move", "bytes", sizes, 500, "")


def _programs(home: Home, service: Service, folder: Path) -> list[Program]:
    """The program first, then the floors and the peers."""
    bare = Home(folder / "floor").environment(service)
    for name, code in (("empty", EMPTY), ("lines", LINES)):
        (folder / f"{name}.py").write_text(code)
    return [
        Program(OURS, [FRONTDESK], USABLE, home.environment(service), mark=BAR),
        Program(EMPTY_APP, [sys.executable, str(folder / "empty.py")], "READY", bare),
        Program(LINE_LIST, [sys.executable, str(folder / "lines.py")], "READY", bare, mark=b"conversation"),
        *find_peers(folder, known(home, service)),
    ]


def _start(programs: list[Program], home: Home, rounds: int) -> tuple[Taken, Taken]:
    """Milliseconds to the usable screen and megabytes then, in turns; a first round warms caches up."""
    starts, memory = defaultdict(list), defaultdict(list)
    for turn in range(rounds + 1):
        for each in programs:
            began = time.perf_counter()
            with Terminal(each.argv, each.environment) as terminal:
                terminal.wait_for(each.ready, 300)
                seconds = time.perf_counter() - began
                terminal.wait_for_quiet(1.0, 120)
                if turn:
                    starts[each.name].append(1000 * seconds)
                    memory[each.name].append(resident(terminal.pid))
            end_all(home)
    return starts, memory


def _echo(programs: list[Program], keys: int) -> tuple[Taken, Taken]:
    """Milliseconds and bytes of each key, pressed in one program after the other."""
    echo, sizes = defaultdict(list), defaultdict(list)
    with ExitStack() as stack:
        opened = []
        for each in programs:
            terminal = stack.enter_context(Terminal(each.argv, each.environment))
            terminal.wait_for(each.ready, 300)
            terminal.wait_for_quiet(2.0, 120)
            opened.append((each, terminal))
        for number in range(keys):
            for each, terminal in opened:
                # Up and down, so that nobody scrolls or comes to an end.
                key = each.key if number % 8 < 4 or each.name == LINE_LIST else "k"
                milliseconds, size = _press(terminal, key, each.mark)
                echo[each.name].append(milliseconds)
                sizes[each.name].append(size)
                terminal.count_for(0.25)
    return echo, sizes


def _press(terminal: Terminal, key: str, mark: bytes) -> tuple[float, int]:
    while terminal.read(0):
        pass
    before, began = len(terminal.raw), time.perf_counter()
    terminal.press(key)
    while mark not in terminal.raw[before:]:
        select.select([terminal._fd], [], [], 10)
        at = time.perf_counter()
        terminal.read(10)
        if at - began > 20:
            raise TimeoutError(f"no answer to {key!r}:\n{terminal.text}")
    while terminal.read(0.05):
        pass
    return 1000 * (at - began), len(terminal.raw) - before


def _keep(what: str, unit: str, taken: Taken, target: float, times: str) -> None:
    ours = taken.pop(OURS)
    keep(what, unit, ours, target=target, beside=taken, times=times)
    others = ", ".join(f"{name} {statistics.median(values):.1f}" for name, values in taken.items())
    say(f"{what}: frontdesk {statistics.median(ours):.1f} {unit}; {others}")


if __name__ == "__main__":
    arguments = [int(each) for each in sys.argv[2:]]
    main(Path(sys.argv[1]), *arguments, *[ROUNDS, KEYS][len(arguments) :])

"""How the program feels over a line: start, bytes and latency a key, polls, idle, memory.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.terminal_speed FOLDER [ROUNDS] [IDLE_SECONDS]

FOLDER is one that `large.py` made; store and sandbox are copied first. The real program runs in a
pseudo-terminal of 120x36. Targets are ratios to two floors that are measured in the same run, in turns with
the program: an empty Textual app, and a list of bare lines that repaints two rows a key. A latency runs from
the key's byte to the byte that shows its answer. Absolute figures differ between machines and hours.
"""

import os
import select
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_sandbox import fixtures
from lab.benchmarks.raw import keep
from terminal.service import FRONTDESK, Home, Service, end_all
from terminal.terminal import Terminal

ROUNDS, IDLE_SECONDS = 7, 60.0
KEYS, HELD_KEYS, HELD_SECONDS = 40, 60, 1 / 30
BAR = "▌".encode()
"""What the answer to a move of the cursor holds, and hardly anything else."""

USABLE = r"Conversations · [1-9][\s\S]*▌"

EMPTY = """
from textual.app import App
from textual.widgets import Static
class Floor(App):
    def compose(self): yield Static("READY")
Floor().run()
"""
LINES = """
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
ROWS = 100_000
class Lines(ScrollView, can_focus=True):
    BINDINGS = [("j", "down", "down")]
    at = 0
    def on_mount(self): self.virtual_size = Size(80, ROWS)
    def render_line(self, y):
        row = y + int(self.scroll_offset.y)
        style = Style(bgcolor="blue") if row == self.at else Style()
        return Strip([Segment(f"READY conversation {row}".ljust(self.size.width), style)])
    def action_down(self):
        old, self.at, top, w = self.at, self.at + 1, int(self.scroll_offset.y), self.size.width
        if self.at >= top + self.size.height: self.scroll_to(y=top + self.size.height // 2, animate=False)
        else: self.refresh(Region(0, old - top, w, 1), Region(0, self.at - top, w, 1))
class Floor(App):
    def compose(self): yield Lines()
Floor().run()
"""


@dataclass
class Moves:
    """What moves of a cursor took: milliseconds and bytes each."""

    milliseconds: list[float]
    sizes: list[int]

    @property
    def p95(self) -> float:
        """The 95th percentile of the milliseconds."""
        return sorted(self.milliseconds)[int(len(self.milliseconds) * 0.95)]

    @property
    def median(self) -> float:
        """The median of the milliseconds."""
        return statistics.median(self.milliseconds)

    @property
    def size(self) -> float:
        """The median of the bytes."""
        return statistics.median(self.sizes)


def main(folder: Path, rounds: int, idle_seconds: float) -> None:
    """Measure and print; the table comes at the end."""
    with tempfile.TemporaryDirectory() as scratch:
        copies = Path(scratch)
        shutil.copytree(folder / "sandbox", copies / "sandbox")
        service = Service(copies / "sandbox")
        try:
            table = [("what", "figure", "target", "")]
            home = Home(copies / "home")
            home.settle(requests_per_second=1000, requests_per_minute=6000)
            home.fill(service, folder / "profile")
            Store(home.store(service)).close()  # brought to this version where an older one made it
            if rounds:
                table += starts(home, service, copies, rounds)
            table += keys(home, service, copies, idle_seconds)
        finally:
            service.kill()
    for what, figure, target, verdict in table:
        print(f"{what:58} {figure:>26}  {target:<22} {verdict}")


def starts(home: Home, service: Service, scratch: Path, rounds: int) -> list[tuple[str, str, str, str]]:
    """Spawn to usable and memory, beside an empty app, in turns."""
    (scratch / "empty.py").write_text(EMPTY)
    ours, empty, ours_mb, empty_mb = [], [], [], []
    for _ in range(rounds):
        for argv, ready, seconds, megabytes in (
            ([sys.executable, str(scratch / "empty.py")], "READY", empty, empty_mb),
            ([FRONTDESK], USABLE, ours, ours_mb),
        ):
            began = time.perf_counter()
            with Terminal(argv, home.environment(service)) as terminal:
                terminal.wait_for(ready)
                seconds.append(time.perf_counter() - began)
                terminal.wait_for_quiet(1.5)
                megabytes.append(resident(terminal.pid))
            end_all(home)
        say(f"start: empty app {1000 * empty[-1]:.0f} ms, frontdesk {1000 * ours[-1]:.0f} ms")
    start, floor = statistics.median(ours), statistics.median(empty)
    memory, bare = statistics.median(ours_mb), statistics.median(empty_mb)
    return [
        row(
            "spawn to usable inbox",
            f"{1000 * start:.0f} ms / {1000 * floor:.0f} ms",
            start / floor,
            2.0,
            "x empty app",
        ),
        row("memory", f"{memory:.0f} MB / {bare:.0f} MB", memory / bare, 2.5, "x empty app"),
    ]


def keys(home: Home, service: Service, scratch: Path, idle_seconds: float) -> list[tuple[str, str, str, str]]:
    """Keys, idling and one changed row on the large store; then the same while another is filled."""
    (scratch / "lines.py").write_text(LINES)
    table = []
    alone = 0.0
    bare = Home(scratch / "floor")  # of its own: what ends a run's processes leaves the floor alone
    with Terminal([sys.executable, str(scratch / "lines.py")], bare.environment(service)) as floor:
        floor.wait_for("READY")
        floor.wait_for_quiet(1.0)
        held_floor = held(floor, "j")
        with opened(home, service) as terminal:
            terminal.wait_for("live")
            terminal.wait_for_quiet(2.0)
            for name, before, key in (("inbox", "", "j"), ("thread", "\tG", "kkkjjj"), ("board", "2", "j")):
                terminal.press(*before)
                terminal.wait_for_quiet(1.0)
                ours, theirs = moves(terminal, floor, key * (KEYS // len(key)))
                say(f"{name}: medians {ours.median:.1f} ms, floor {theirs.median:.1f} ms")
                against = f"{ours.p95:.1f} ms / {theirs.p95:.1f} ms"
                table += [
                    row(
                        f"{name}: bytes of a cursor move",
                        f"{ours.size:.0f} (floor {theirs.size:.0f})",
                        ours.size,
                        500,
                    ),
                    row(f"{name}: p95 of a cursor move", against, ours.p95 / theirs.p95, 2.0, "x line floor"),
                ]
                terminal.wait_for_quiet(1.0)
                size = held(terminal, key[0])
                table.append(
                    row(f"{name}: bytes of a held key", f"{size:.0f} (floor {held_floor:.0f})", size, 800)
                )
                alone = alone or ours.p95 / theirs.p95
            terminal.press("g")
            terminal.wait_for_quiet(2.0)
            table.append(one_row(terminal, home, service))
            terminal.wait_for_quiet(2.0)
            table += idling(terminal, idle_seconds)
        end_all(home)
        table.append(syncing(Home(scratch / "new"), service, floor, alone))
    return table


def one_row(terminal: Terminal, home: Home, service: Service) -> tuple[str, str, str, str]:
    """A colleague renames a card on the screen: what its row costs when the poll brings it."""
    with Store(home.store(service)) as store:
        db = store.reading
        on_screen = [
            each for status in task_store.counts_by_status(db) for each in task_store.ids_of_status(db, status, 3)
        ]
        titles = {each: task.title for each in on_screen if (task := record_lookup.task(db, each)) is not None}
    task_id = next(each for each, title in titles.items() if title[:12] in terminal.text)
    before = len(terminal.raw)
    service.ask("PATCH", f"/tasks/{task_id}", {"title": "Renamed just now", "agentIdentification": fixtures.ME.id})
    try:
        terminal.wait_for("Renamed just now")
    except TimeoutError:
        say(f"the poll brought nothing:\n{terminal.text}\n{logs(home)}")
        return "a poll that changed one row: bytes", "not measured", "<= 500", "MISSED"
    terminal.wait_for_quiet(1.0)
    size = len(terminal.raw) - before
    return row("a poll that changed one row: bytes", f"{size}", size, 500)


def idling(terminal: Terminal, seconds: float) -> list[tuple[str, str, str, str]]:
    """Live, polling, nothing differs."""
    before = processor_seconds(terminal.pid)
    size = terminal.count_for(seconds)
    share = 100 * (processor_seconds(terminal.pid) - before) / seconds
    return [
        row(f"idle for {seconds:.0f} s, polls that changed nothing: bytes", f"{size}", size, 0),
        row("idle: share of a core", f"{share:.2f} %", share, 0.5),
    ]


def syncing(home: Home, service: Service, floor: Terminal, alone: float) -> tuple[str, str, str, str]:
    """The first run on an account of this size: the list is used while everything is fetched.

    What is compared is how far it is above the line floor of the same moments, then and when idle.
    """
    home.settle(requests_per_second=1000, requests_per_minute=6000)
    with opened(home, service) as terminal:
        terminal.wait_for(lambda: known(home, service) > 2000, 120)
        terminal.press("g")
        terminal.count_for(1.0)
        began = known(home, service)
        ours, bare = moves(terminal, floor, "j" * 60)  # rows move: `k` on the first one has no answer
        more = known(home, service) - began
    end_all(home)
    figure = f"{ours.p95:.1f} ms, floor {bare.p95:.1f} ms"
    if not more:
        return "p95 while a full sync runs", "not measured: it was over", "<= 3 x idle", "MISSED"
    share = ours.p95 / bare.p95 / alone
    return row(f"p95 while a full sync runs ({more:,} came meanwhile)", figure, share, 3.0, "x idle")


def moves(terminal: Terminal, floor: Terminal, pressed: Sequence[str]) -> tuple[Moves, Moves]:
    """Each key by itself, and after each one of the floor; what follows the cursor later is not counted."""
    ours, bare = Moves([], []), Moves([], [])
    for key in pressed:
        one_move(terminal, key, BAR, ours)
        one_move(floor, "j", b"conversation", bare)
        terminal.count_for(0.3)
    return ours, bare


def one_move(terminal: Terminal, key: str, mark: bytes, found: Moves) -> None:
    """From the key's byte to the one that shows its answer, and all bytes of that answer."""
    before = len(terminal.raw)
    began = time.perf_counter()
    terminal.press(key)
    while mark not in terminal.raw[before:]:
        select.select([terminal._fd], [], [], 10)
        at = time.perf_counter()
        terminal.read(10)
        if at - began > 10:
            raise TimeoutError(f"no answer to {key!r}:\n{terminal.text}")
    found.milliseconds.append(1000 * (at - began))
    while terminal.read(0.05):
        pass
    found.sizes.append(len(terminal.raw) - before)


def held(terminal: Terminal, key: str) -> float:
    """Bytes a key when it repeats as a keyboard does."""
    before = len(terminal.raw)
    for _ in range(HELD_KEYS):
        terminal.press(key)
        terminal.count_for(HELD_SECONDS)
    return (len(terminal.raw) - before) / HELD_KEYS


@contextmanager
def opened(home: Home, service: Service) -> Iterator[Terminal]:
    """The program, its list on the screen."""
    with Terminal([FRONTDESK], home.environment(service)) as terminal:
        terminal.wait_for(USABLE, 120)
        yield terminal


def known(home: Home, service: Service) -> int:
    """How many conversations the store has."""
    with Store(home.store(service)) as store:
        return conversation_store.count(store.reading)


def row(what: str, figure: str, value: float, target: float, unit: str = "") -> tuple[str, str, str, str]:
    """A line of the table."""
    shown = f"{figure} = {value:.2f}" if unit else figure
    plain_unit = "%" if "share" in what else "bytes"
    keep(f"{what}, as a multiple" if unit else what, unit or plain_unit, [value], target=target)
    verdict = "met" if value <= target else "MISSED"
    say(f"  {what}: {shown} {verdict}")
    return what, shown, f"<= {target:g} {unit}".rstrip(), verdict


def logs(home: Home) -> str:
    """What the engine has to say."""
    return "\n".join(path.read_text()[-2000:] for path in home.folder.rglob("*.log"))


def resident(pid: int) -> float:
    """Megabytes of memory that the process has."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(each.split()[1]) / 1024 for each in lines if each.startswith("VmRSS"))


def processor_seconds(pid: int) -> float:
    """Seconds of a core that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def say(words: str) -> None:
    """Progress, as it comes."""
    print(words, flush=True)


if __name__ == "__main__":
    arguments = sys.argv[2:]
    main(
        Path(sys.argv[1]),
        int(arguments[0]) if arguments else ROUNDS,
        float(arguments[1]) if len(arguments) > 1 else IDLE_SECONDS,
    )

"""Several processes on one profile: one polls, all see, and none is ever told of a lock.

Two screens with an engine each, `frontdesk sync` and the command line share a store; `frontdesk sync`, which
polls, is killed in the middle.
"""

import json
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Connection
from frontdesk.tasks import store as task_store
from lab.sample import count
from sandbox.fixtures import seeded
from terminal.service import FRONTDESK, Home, Service, end_all, running, wait_until_nothing_runs

__all__ = ["seeded"]

SECONDS = count(5, 60)
"""How long they work."""

SCREEN = Path(__file__).with_name("screen_process.py")
TOLD_TO_A_PERSON = re.compile(r"locked|Traceback|busy", re.IGNORECASE)
COMMANDS = (["outbox", "list"], ["tasks", "list", "--limit", "3"], ["outbox", "list", "--json"])

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1200 + 3 * SECONDS), pytest.mark.xdist_group("pty")]


class Shared:
    """A home in which several processes work on one profile."""

    def __init__(self, service: Service, home: Home):
        self.service, self.home = service, home
        self.folder = home.store(service)
        self.environment = home.environment(service) | {"PYTHONPATH": str(Path(__file__).parents[2])}
        self.output = home.folder / "output"
        self.output.mkdir(parents=True)
        self.errors: list[str] = []

    def start(self, name: str, *argv: str) -> "subprocess.Popen[bytes]":
        """A process whose output is kept in a file of this name."""
        with (self.output / name).open("wb") as out:
            return subprocess.Popen(
                argv, env=self.environment, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT
            )

    def type(self, *words: str) -> None:
        """A command as a person would type it."""
        done = subprocess.run(
            [FRONTDESK, *words], env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode or TOLD_TO_A_PERSON.search(done.stderr + done.stdout):
            self.errors.append(f"{words}: {done.returncode} {done.stdout[-300:]} {done.stderr[-600:]}")

    def told(self, name: str) -> list[dict[str, Any]]:
        """The whole lines of JSON that a process has written so far."""
        lines = (self.output / name).read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]


def wait(what: str, is_true: Callable[[], object], seconds: float = 60.0) -> float:
    """Wait for a condition; how many seconds it took."""
    began = time.monotonic()
    while not is_true():
        assert time.monotonic() - began < seconds, f"not within {seconds} s: {what}"
        time.sleep(0.02)
    return time.monotonic() - began


@pytest.fixture
def shared(seeded: Path, tmp_path: Path) -> Iterator[Shared]:
    data = tmp_path / "platform"
    shutil.copytree(seeded, data)
    home = Home(tmp_path / "home")
    home.settle(requests_per_second=50.0, requests_per_minute=3000)
    with running(data) as service:
        try:
            yield Shared(service, home)
        finally:
            end_all(home)


def test_four_processes_share_a_store_and_survive_the_one_that_polls(shared: Shared) -> None:
    sync = shared.start("sync", FRONTDESK, "sync")
    wait("the store is there", (shared.folder / "store.db").exists)
    with Store(shared.folder) as store:
        db = store.reading

        def tasks() -> int:
            return sum(task_store.counts_by_status(db).values())

        wait("frontdesk sync polls", lambda: clients.health(db).state is Connection.LIVE and tasks() >= 300)
        screens = [
            shared.start(f"screen{half}", sys.executable, str(SCREEN), str(shared.folder), str(half))
            for half in (0, 1)
        ]
        for half in (0, 1):
            wait("a screen works", lambda half=half: any("wrote" in each for each in shared.told(f"screen{half}")))

        work_for(shared, SECONDS / 2)
        # What a kill does to a change on its way is proven elsewhere, and takes its time.
        wait("a moment without a change on its way", lambda: not queue.count(store.reading, [ChangeState.SENDING]))
        sync.send_signal(signal.SIGKILL)
        killed_at = time.time()
        sync.wait()
        taken_over = wait(
            "another engine polls", lambda: (clients.health(store.reading).heard_at or 0.0) > killed_at + 0.2
        )
        wait("it is live again", lambda: clients.health(db).state is Connection.LIVE)
        work_for(shared, SECONDS / 2)

        for screen in screens:
            assert screen.stdin is not None
            screen.stdin.write(b"rest\n")
            screen.stdin.flush()
        wait("all is sent", lambda: all_rest(shared) and outbox_bulk.unconfirmed_count(db) == 0, 150)
        for process in (*screens, sync):
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)
        wait_until_nothing_runs(shared.home)

        said = [shared.told(f"screen{half}") for half in (0, 1)]
        assert not [each["error"] for lines in said for each in lines if "error" in each]
        written = {change: each for lines in said for each in lines if "wrote" in each for change in each["wrote"]}
        changes = {change.change_id: change for change in queue.recent(db, 100_000)}
        assert set(changes) == set(written), "what was done is in the outbox, no less and no more"
        states = {change.state for change in changes.values()}
        assert states == {ChangeState.CONFIRMED}, states

    check_logs(shared)
    latencies = sorted(passed_on(said[0], said[1]) + passed_on(said[1], said[0]))
    assert len(latencies) >= len(written) * 0.9, "what one screen did the other heard of"
    print(
        f"\n{SECONDS:.0f} s of work: {len(written)} changes, all confirmed; another process polled"
        f" {taken_over:.1f} s after kill -9; a change was heard by the other screen after"
        f" {statistics.median(latencies) * 1000:.0f} ms (median), {latencies[-1] * 1000:.0f} ms (most)"
    )


def all_rest(shared: Shared) -> bool:
    return all(any("rests" in each for each in shared.told(f"screen{half}")) for half in (0, 1))


def work_for(shared: Shared, seconds: float) -> None:
    """Type commands while the others work."""
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end or number < len(COMMANDS):
        shared.type(*COMMANDS[number % len(COMMANDS)])
        number += 1


def check_logs(shared: Shared) -> None:
    """Nobody was told of a lock or shown a traceback, on the screen or in the log."""
    assert not shared.errors
    logs = list((shared.home.folder / "state").rglob("frontdesk.log*"))
    assert logs
    for path in [*logs, *shared.output.iterdir()]:
        text = path.read_text(errors="replace")
        found = TOLD_TO_A_PERSON.search(text)
        assert not found, text[max(0, found.start() - 1500) : found.start() + 1500]


def passed_on(writer: list[dict[str, Any]], listener: list[dict[str, Any]]) -> list[float]:
    """Seconds from each commit of one until the other's feed told it for the first time."""
    first: dict[str, float] = {}
    for each in listener:
        for change in each.get("heard", ()):
            first.setdefault(change, each["at"])
    found = []
    for each in writer:
        for change in each.get("wrote", ()):
            if str(change) in first:
                found.append(max(0.0, first[str(change)] - each["at"]))
    return found

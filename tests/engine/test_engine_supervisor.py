"""An engine that has died or hangs is started again; only the process of this run is ever ended."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.engine.supervisor import (
    FIRST_WAIT_SECONDS,
    KILL_SECONDS,
    LONG_RUN_SECONDS,
    EngineProcess,
    EngineSupervisor,
)
from frontdesk.storage.records import HUNG_SECONDS, Connection, Health
from frontdesk_lines.display_text import SafeText

DEADLINE_SECONDS = 60.0


class Run:
    """A supervised engine on a clock that a test moves; each process is stopped (SIGSTOP) as soon as it begins."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        nowhere = {f"XDG_{name}_HOME": str(folder / "nowhere") for name in ("CONFIG", "DATA", "STATE")}
        self.engine = EngineProcess(folder / "store", nowhere, clock=lambda: self.now)
        self.health = Health()
        self.can_write = True
        self.reports: list[SafeText] = []
        self.supervisor = EngineSupervisor(
            self.start,
            self.reports.append,
            self.engine,
            lambda: self.health,
            lambda: self.can_write,
            lambda: self.now,
        )

    def start(self) -> None:
        before = self.engine.process_id()
        self.engine.start()
        # 0 where none runs: as an argument of kill it would be the whole process group of the tests.
        if (process := self.engine.process_id()) not in (0, before):
            os.kill(process, signal.SIGSTOP)

    def check(self, later: float = 0.0) -> int:
        """Check after so many seconds, and return the id of the process that runs then."""
        self.now += later
        self.supervisor.check()
        return self.engine.process_id() if self.engine.is_running else 0

    def polls(self, heard_at: float = 1.0) -> None:
        """Let this run's engine be the one that polls, by its report."""
        self.health = Health(Connection.LIVE, heard_at=heard_at, process=self.engine.process_id())

    def await_end(self, process: int) -> None:
        """Wait until this process has ended; where no wait is due, the next one may run by then."""
        end = time.monotonic() + DEADLINE_SECONDS
        while self.engine.is_running and self.engine.process_id() == process:
            assert time.monotonic() < end
            time.sleep(0.01)

    def hang(self) -> None:
        """Let the present process report once and then hang until it is killed."""
        process = self.engine.process_id()
        self.polls(self.now)
        assert self.check() == process
        assert self.check(HUNG_SECONDS) == process
        assert self.engine.is_ending, "it was asked to end in order"
        assert self.check(KILL_SECONDS - 1) == process
        self.check(1)
        self.await_end(process)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    it = Run(tmp_path)
    yield it
    if it.engine.is_running:
        os.kill(it.engine.process_id(), signal.SIGKILL)
    it.engine.stop(DEADLINE_SECONDS)


def test_an_engine_that_reports_nothing_for_two_minutes_is_ended_and_started_again(run: Run) -> None:
    first = run.check()
    assert first
    assert not run.engine.is_being_replaced()
    run.hang()
    assert run.engine.is_being_replaced()
    second = run.check()
    assert second not in (0, first), "at once the first time"
    assert run.engine.is_being_replaced(), "it hasn't had its time to report"
    run.polls(run.now)
    assert run.check(HUNG_SECONDS) == second
    assert not run.engine.is_being_replaced()
    assert not run.reports


def test_the_wait_grows_with_each_engine_that_hangs_in_a_row(run: Run) -> None:
    assert run.check()
    run.hang()
    for wait in (FIRST_WAIT_SECONDS, 2 * FIRST_WAIT_SECONDS):
        assert run.check(LONG_RUN_SECONDS / 100)
        run.hang()
        assert run.check(wait - 1) == 0
        assert run.check(2)
    run.polls(run.now)
    run.check(LONG_RUN_SECONDS - 1)
    run.hang()
    assert run.check(), "after a long run at once"


def test_an_engine_that_reports_waits_or_can_not_save_is_left_alone(run: Run) -> None:
    process = run.check()
    for heard_at in (1.0, 2.0, 3.0):
        run.polls(heard_at)
        assert run.check(HUNG_SECONDS) == process
    run.health = Health(Connection.STUCK, heard_at=3.0, process=process)
    assert run.check(HUNG_SECONDS) == process
    for other in (0, os.getpid()):
        run.health = Health(Connection.LIVE, heard_at=3.0, process=other)
        run.check()
        assert run.check(3 * HUNG_SECONDS) == process, "another process polls, or none"
    assert not run.engine.is_ending


def test_time_in_which_the_store_cannot_be_written_is_not_counted(run: Run) -> None:
    process = run.check()
    run.polls()
    run.check()
    run.can_write = False
    for _ in range(3):
        assert run.check(HUNG_SECONDS) == process, "it can't say that it can't save"
    run.can_write = True
    assert run.check(HUNG_SECONDS - 1) == process
    assert not run.engine.is_ending, "it has the whole time from then on"
    run.check(1)
    assert run.engine.is_ending


def test_a_hung_engine_is_killed_when_the_screen_ends(run: Run) -> None:
    process = run.check()
    run.polls()
    run.check()
    run.check(HUNG_SECONDS)
    run.engine.stop()
    run.await_end(process)

"""The engine's process of a run: started, watched, and started again when it died, hangs or used too much memory.

Light, since it is imported before the first paint. An engine that used too much memory replaces its own program
(exec), so its id, its standard input and its terminal stay.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from frontdesk.storage.records import HUNG_SECONDS, Connection, Health
from frontdesk_lines.display_text import SafeText, show_line, trusted

MEGABYTE = 1_000_000

MAX_MEMORY_BYTES = 512 * MEGABYTE

TOO_MUCH_MEMORY = "too much memory"
"""The reason on the status line while the engine waits to start again."""

LONG_RUN_SECONDS = 600.0
"""An engine that ran this long is restarted at once."""

FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS = 15.0, 300.0
"""The wait after the second short run in a row; it doubles with each further one, up to the longest."""


class RestartPolicy(NamedTuple):
    """The memory that an engine may use, and how many short runs in a row have ended because of it."""

    max_memory_bytes: int = MAX_MEMORY_BYTES
    short_runs: int = 0

    @property
    def wait_seconds(self) -> float:
        """How long to wait before this run: nothing after a single large reply, longer after several in a row."""
        if self.short_runs < 2:
            return 0.0
        return min(MAX_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** min(self.short_runs - 2, 10))

    def after(self, run_seconds: float) -> "RestartPolicy":
        """Return the policy of the next run, after one that used too much memory."""
        return self._replace(short_runs=1 if run_seconds >= LONG_RUN_SECONDS else self.short_runs + 1)


class EngineTooLarge(Exception):
    """The engine has ended because of its memory."""


class MemoryExceeded(Exception):
    """The process must start again because of its memory; `next_run` is the policy to do so with."""

    def __init__(self, next_run: RestartPolicy) -> None:
        super().__init__(f"used more than {next_run.max_memory_bytes // MEGABYTE} MB of memory")
        self.next_run = next_run


def restart(arguments: Sequence[str], next_run: RestartPolicy) -> NoReturn:
    """Replace this process' program with a new engine.

    Args:
        arguments: those of `engine_main`; if one is given twice, the last counts.

    Raises:
        OSError: the machine refuses.
    """
    policy = [f"--max-memory-bytes={next_run.max_memory_bytes}", f"--short-runs={next_run.short_runs}"]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "frontdesk.engine.main", *arguments, *policy])


KILL_SECONDS = 15.0
"""How long a hung engine may take to end in order, which stops what it sends, before it is killed."""


class EngineProcess:
    """The engine of a profile as a child process.

    It reads a pipe from this process: when that closes, however this process ended, the engine sends the rest and
    ends.

    Attributes:
        environment: hosts, credentials and everything else.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        profile: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        named = [] if profile is None else ["--profile", profile]
        self._argv = [
            sys.executable,
            "-P",  # whatever lies in the folder that we were started in is no module of ours
            "-m",
            "frontdesk.engine.main",
            "--with-parent",
            "--store",
            str(folder),
            *named,
        ]
        self.environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._clock = clock
        self._restarts = RestartPolicy()
        self._began_at = self._may_start_at = 0.0
        self._ending_since: float | None = None
        self._has_hung = False

    def start(self) -> None:
        """Start it, again if it has died; after it hung, not before a wait."""
        if self.is_running or self._clock() < self._may_start_at:
            return
        self._close_pipe()
        self._process = subprocess.Popen(
            self._argv,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._began_at, self._ending_since = self._clock(), None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def is_ending(self) -> bool:
        """Whether a hung process was told to end."""
        return self._ending_since is not None and self.is_running

    def process_id(self) -> int:
        """Return the id of its process; 0 if none ran when `is_running` last looked."""
        return 0 if self._process is None or self._process.returncode is not None else self._process.pid

    def is_being_replaced(self) -> bool:
        """Whether a process hung and no new one has had its time to report."""
        is_new = self.process_id() != 0 and self._ending_since is None
        return self._has_hung and not (is_new and self._clock() - self._began_at >= HUNG_SECONDS)

    def end_hung(self) -> None:
        """Tell a process that hangs to end; it is killed at a later call if it hasn't by then.

        The next start waits, longer each time if several processes in a row hang.
        """
        if self._process is None or not self.is_running:
            return
        now = self._clock()
        if self._ending_since is None:
            self._ending_since, self._has_hung = now, True
            self._restarts = self._restarts.after(now - self._began_at)
            self._process.terminate()
        elif now - self._ending_since >= KILL_SECONDS:
            self._process.kill()
        self._may_start_at = now + self._restarts.wait_seconds

    def stop(self, seconds: float = 0.0) -> None:
        """Make it send held changes and end; wait at most this long.

        Without a time nothing waits: it ends within seconds, and unsent changes stay in the outbox. One that hangs
        is killed, since it wouldn't notice.
        """
        if self._process is None:
            return
        self._close_pipe()
        if self.is_ending:
            self._process.kill()
        if not seconds:
            return
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _close_pipe(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()


MakeSupervisor = Callable[
    [Callable[[SafeText], None], Callable[[], Health], Callable[[], bool]], "EngineSupervisor"
]
"""Makes a supervisor from functions: `report`, `health` and `can_write` of `EngineSupervisor`."""


class EngineSupervisor:
    """Keeps the engine of one run alive; a failure to start it is reported once and tried again.

    Args:
        start_engine: starts the engine unless it runs; raises OSError if the machine refuses.
        report: tells a person of a failure.
        engine: this run's own process; the only one that is ever ended.
        health: returns the engine's last health report.
        can_write: whether this process can write the store; while it can't, the engine can't report either.
        clock: seconds that never go back and, unlike the report's, aren't set.
    """

    def __init__(
        self,
        start_engine: Callable[[], None],
        report: Callable[[SafeText], None],
        engine: EngineProcess | None = None,
        health: Callable[[], Health] = Health,
        can_write: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._start_engine, self._report = start_engine, report
        self._engine, self._health, self._can_write, self._clock = engine, health, can_write, clock
        self._has_failed = False
        self._heard: tuple[int, float | None] = (0, None)
        self._heard_since = clock()

    def check(self) -> None:
        """Start the engine unless it runs, and end one that hangs."""
        if self._engine is not None and (self._engine.is_ending or self._is_hung(self._engine)):
            self._engine.end_hung()
        try:
            self._start_engine()
        except OSError as error:
            if not self._has_failed:
                words = show_line(error.strerror or str(error), 120).text
                self._report(trusted(f"Couldn't start polling: {words}. frontdesk will keep trying."))
            self._has_failed = True
        else:
            self._has_failed = False

    def _is_hung(self, engine: EngineProcess) -> bool:
        """Whether the engine polls, by its report, and has reported nothing for long.

        Measured here: while the machine slept, nobody could report. A store that can't be written takes no report,
        often not even the one that says so.
        """
        health, now = self._health(), self._clock()
        heard = (health.process, health.heard_at)
        if heard != self._heard or health.state is Connection.STUCK or not self._can_write():
            self._heard, self._heard_since = heard, now
        is_own = health.process != 0 and health.process == engine.process_id()
        return is_own and now - self._heard_since >= HUNG_SECONDS

"""When the engine's process starts again because of the memory that it used; `engine_main` follows it.

The process replaces its own program (exec), so its id, its standard input and its terminal stay: neither a screen
nor `frontdesk sync` has to start another one.
"""

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

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

"""The commands of alerts: run without a shell, what came from outside only ever as arguments.

Held by `alerts`. A command has a time to end in, and its output goes to the log; nobody waits for it.
"""

import asyncio
import contextlib
import logging
import os
import re
import signal
from collections.abc import Callable, Mapping, Sequence

from frontdesk.config.alerts import PLACEHOLDER
from frontdesk.config.credentials import ENVIRONMENT

TIMEOUT_SECONDS = 30.0
END_SECONDS = 2.0
"""How long those that still run when the engine ends have."""

AT_ONCE = 4
MAX_WAITING = 50
LONGEST_VALUE = 1_000
"""Characters: a name longer than this would only be in the way."""

_KEPT_OUTPUT = 2_000

log = logging.getLogger("frontdesk.sync")


def filled(arguments: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments with the values in their places, each within its argument.

    What a value holds is looked at no more: one that reads `{name}` stays that. NUL, which no argument can
    hold, is left out, and so is what isn't text.
    """
    clean = {name: _clean(value) for name, value in values.items()}
    return [re.sub(PLACEHOLDER, lambda found: clean.get(found[1], found[0]), each) for each in arguments]


class Commands:
    """Commands under way.

    Args:
        environ: what they are given, without frontdesk's credentials.

    Attributes:
        failed: told a program and why it can't be started.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        timeout_seconds: float = TIMEOUT_SECONDS,
    ):
        secret = set(ENVIRONMENT.values())
        self._environ = {name: value for name, value in environ.items() if name not in secret}
        self.failed: Callable[[str, str], object] | None = None
        self._timeout_seconds = timeout_seconds
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, run: Sequence[str], values: Mapping[str, str]) -> None:
        """Run a program with its arguments, beside everything else."""
        if len(self._tasks) >= MAX_WAITING:
            log.warning("the command %s of an alert is left out: too many run", run[0])
            return
        argv = [os.path.expanduser(run[0]), *filled(run[1:], values)]
        task = asyncio.create_task(self._run(argv))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Let those that run end, for a moment; then end them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=END_SECONDS)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, argv: list[str]) -> None:
        program = argv[0]
        async with self._turns:
            try:
                process = await asyncio.create_subprocess_exec(
                    *argv,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    env=self._environ,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
                log.warning("the command %s of an alert can't be started: %s", program, why)
                if self.failed is not None:
                    self.failed(program, why)
                return
            output = bytearray()
            draining = asyncio.create_task(_drain(process.stdout, output))
            try:
                async with asyncio.timeout(self._timeout_seconds):
                    status = await process.wait()
                    await draining
                printed = bytes(output).decode(errors="replace").strip()
                level = logging.WARNING if status else logging.INFO
                log.log(level, "the command %s of an alert ended with status %d: %s", program, status, printed)
            except (TimeoutError, asyncio.CancelledError) as error:
                # The whole group: what it started holds its output open.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                draining.cancel()
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.warning("the command %s of an alert took over %.0f s", program, self._timeout_seconds)


async def _drain(stream: asyncio.StreamReader | None, output: bytearray) -> None:
    """Read to the end, keeping its beginning: a program that isn't read from would stop."""
    while stream is not None and (part := await stream.read(4096)):
        output += part[: max(0, _KEPT_OUTPUT - len(output))]


def _clean(value: str) -> str:
    return value.replace("\0", "")[:LONGEST_VALUE].encode("utf-8", "ignore").decode()

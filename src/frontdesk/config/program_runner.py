"""Runs a program of the configuration without a shell: bounded in time and output, killed with its children.

Alerts, hooks and custom commands use it. No program gets a credential, or a FRONTDESK_ variable that the caller
doesn't name.
"""

import asyncio
import contextlib
import logging
import os
import re
import secrets
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

from frontdesk.config.extensions import PLACEHOLDER, TIMEOUT_SECONDS
from frontdesk.config.processes import child_environment

END_SECONDS = 2.0
"""Seconds that running programs have to finish when frontdesk ends."""

MAX_RUNNING = 4
MAX_WAITING = 50
MAX_VALUE = 1_000

MAX_OUTPUT_BYTES = 2_000_000
"""Maximum size of a program's output; one that prints more is ended."""

LOGGED_BYTES = 2_000

_TEXTS = ("name", "words")
"""The placeholders of texts: dashes at their beginning are dropped, which would change an id."""

_LAST_OUTPUT_SECONDS = 1.0
"""Seconds for which output is collected after the program's end, since its children may hold it open."""

_EXIT_CHECK_SECONDS = 0.02

_RUN = "PROGRAM_RUN_ID"
"""The variable that marks all processes of a program, including those that left its group (`setsid`)."""

log = logging.getLogger("frontdesk.sync")


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A program that has ended.

    Attributes:
        problem: why it failed, as the end of a sentence about it; empty if it didn't.
        is_started: False if there is no such program.
        output, errors: the beginning of its output.
    """

    program: str
    problem: str = ""
    is_started: bool = True
    output: bytes = b""
    errors: bytes = b""


class _TooMuchOutput(Exception):
    """Raised when the program printed more than `MAX_OUTPUT_BYTES`."""


class MadeOption(ValueError):
    """Raised when a value would turn an argument into an option; the text says which, as the end of a sentence."""


def fill_command(run: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return a program and its arguments with values for their placeholders; braces in a value stay.

    Raises:
        MadeOption: an argument begins with a dash that isn't the config's, as the platform's ids may.
    """
    clean = {name: _clean(value).lstrip("- " if name in _TEXTS else "") for name, value in values.items()}
    argv = [run[0]]
    for argument in run[1:]:
        filled = re.sub(PLACEHOLDER, lambda found: clean.get(found[1], found[0]), argument)
        if filled.startswith("-") and not argument.startswith("-"):
            name = next(each for each in re.findall(PLACEHOLDER, argument) if clean.get(each))
            raise MadeOption(f"its {name} begins with a dash, so the program could take it for an option")
        argv.append(filled)
    return argv


async def run_program(
    argv: Sequence[str],
    environ: Mapping[str, str],
    *,
    sent: bytes = b"",
    added: Mapping[str, str] | None = None,
    timeout_seconds: float = TIMEOUT_SECONDS,
    kept_bytes: int = MAX_OUTPUT_BYTES,
) -> ProgramRun:
    """Run a program to its end; cancelling it kills the program.

    Args:
        sent: the program's input.
        added: variables besides those of `environ`, of which the program gets none of frontdesk's own.
        kept_bytes: the maximum size of the returned output.
    """
    program, run_id = _expand_home(argv[0]), secrets.token_hex(16)
    with contextlib.ExitStack() as pipes:
        output, errors = [await _open_pipe(pipes) for _ in range(2)]
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                *argv[1:],
                stdin=asyncio.subprocess.PIPE if sent else asyncio.subprocess.DEVNULL,
                stdout=output.write_end,
                stderr=errors.write_end,
                env={**child_environment(environ), **(added or {}), _RUN: run_id},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return ProgramRun(program, f"couldn't be started: {why}", is_started=False)
        for each in (output, errors):
            each.write_end.close()  # the program has its own end
        kill = partial(_kill_all, process.pid, run_id)
        problem = await _finish(process, kill, sent, (output, errors), timeout_seconds, kept_bytes)
    return ProgramRun(program, problem, output=bytes(output.kept), errors=bytes(errors.kept))


@dataclass
class _Pipe:
    """A pipe that a program writes into. We close it even if the program's children hold it open."""

    reader: asyncio.StreamReader
    write_end: IO[bytes]
    kept: bytearray = field(default_factory=bytearray)


async def _open_pipe(pipes: contextlib.ExitStack) -> _Pipe:
    read_end, write_end = (os.fdopen(each, mode, 0) for each, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    pipes.callback(write_end.close)
    reader, loop = asyncio.StreamReader(), asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), read_end)
    pipes.callback(transport.close)
    return _Pipe(reader, write_end)


def _kill_all(group: int, run_id: str) -> None:
    """Kill a program's group, which may hold its output open, and its other children, if /proc shows them."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # the process has ended, or is another user's
            if f"{_RUN}={run_id}".encode() in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)


async def _finish(
    process: asyncio.subprocess.Process,
    kill: Callable[[], None],
    sent: bytes,
    pipes: Sequence[_Pipe],
    timeout_seconds: float,
    kept_bytes: int,
) -> str:
    """Wait for the program's end, or end it; return why it failed, or an empty string."""
    moving = [
        asyncio.ensure_future(each)
        for each in (_send(process.stdin, sent), *(_drain(pipe, kept_bytes) for pipe in pipes))
    ]
    has_ended, problem = False, ""
    try:
        async with asyncio.timeout(timeout_seconds):
            await _wait_for_exit(process, moving)
        has_ended = True
        await asyncio.wait(moving, timeout=_LAST_OUTPUT_SECONDS)
        problem = _exit_words(process.returncode or 0)
    except TimeoutError:
        problem = f"took longer than {timeout_seconds:g} s and was killed"
    except _TooMuchOutput:
        problem = f"printed more than {MAX_OUTPUT_BYTES // 1_000_000} MB and was killed"
    finally:
        if not has_ended:
            kill()
        for each in moving:
            each.cancel()
        await asyncio.gather(*moving, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST_OUTPUT_SECONDS)
    return problem


def _expand_home(program: str) -> str:
    return os.path.expanduser(program)


async def _wait_for_exit(process: asyncio.subprocess.Process, moving: Sequence["asyncio.Future[None]"]) -> None:
    # Not `process.wait()`: it may wait for the pipes too, which a program left in the background holds open.
    while process.returncode is None:
        for each in moving:
            if each.done():
                each.result()
        await asyncio.sleep(_EXIT_CHECK_SECONDS)


async def _send(stream: asyncio.StreamWriter | None, sent: bytes) -> None:
    if stream is None:
        return
    stream.transport.set_write_buffer_limits(0)  # so that `drain` waits for all of the input
    try:
        with contextlib.suppress(OSError):  # the program needn't read its input
            stream.write(sent)
            await stream.drain()
    finally:
        if not stream.transport.is_closing():
            stream.transport.abort()


async def _drain(pipe: _Pipe, kept_bytes: int) -> None:
    """Read to the end but keep only the beginning: a program with a full pipe would block."""
    printed = 0
    while part := await pipe.reader.read(65_536):
        pipe.kept += part[: max(0, kept_bytes - len(pipe.kept))]
        printed += len(part)
        if printed > MAX_OUTPUT_BYTES:
            raise _TooMuchOutput


def _exit_words(status: int) -> str:
    if status < 0:
        return f"was killed by signal {-status}"
    return f"exited with status {status}" if status else ""


def _clean(value: str) -> str:
    return value.replace("\0", "")[:MAX_VALUE].encode("utf-8", "ignore").decode()


class ProgramRunner:
    """The programs that the engine runs beside its work, a few at a time.

    Args:
        environ: the programs' environment, from which frontdesk's own variables are removed.
        added: variables that the programs get in addition.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        timeout_seconds: float = TIMEOUT_SECONDS,
        added: Mapping[str, str] | None = None,
    ):
        self._environ, self._added = environ, added
        self._timeout_seconds = timeout_seconds
        self._slots = asyncio.Semaphore(MAX_RUNNING)
        self.tasks: set[asyncio.Task[None]] = set()

    @property
    def free_slots(self) -> int:
        """The number of programs that would begin at once."""
        return max(0, MAX_RUNNING - len(self.tasks))

    @property
    def room(self) -> int:
        """The number of programs that it takes now."""
        return max(0, MAX_WAITING - len(self.tasks))

    def start(
        self,
        argv: Sequence[str],
        ended: Callable[[ProgramRun], object] = lambda _: None,
        *,
        sent: bytes = b"",
        timeout_seconds: float | None = None,
        logs_output: bool = True,
    ) -> None:
        """Run a program soon, and call `ended` after it, even if it fails; without room, skip it.

        Args:
            logs_output: whether the log gets its output, which may be a customer's text.
        """
        if not self.room:
            log.warning("skipped program %s: too many are running", argv[0])
            return
        run = partial(self._run, argv, sent, timeout_seconds or self._timeout_seconds)
        task = asyncio.create_task(self._report(run, ended, logs_output=logs_output))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self) -> None:
        """Wait `END_SECONDS` for running programs, then kill them."""
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=END_SECONDS)
        tasks = list(self.tasks)
        if tasks:
            log.warning("ended %d programs that still ran when frontdesk ended", len(tasks))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, argv: Sequence[str], sent: bytes, timeout_seconds: float) -> ProgramRun:
        async with self._slots:
            return await run_program(
                argv,
                self._environ,
                sent=sent,
                added=self._added,
                timeout_seconds=timeout_seconds,
                kept_bytes=LOGGED_BYTES,
            )

    async def _report(
        self,
        run_one: Callable[[], Awaitable[ProgramRun]],
        ended: Callable[[ProgramRun], object],
        *,
        logs_output: bool,
    ) -> None:
        run = await run_one()
        printed = (run.output + run.errors)[:LOGGED_BYTES].decode(errors="replace").strip() if logs_output else "…"
        level = logging.WARNING if run.problem else logging.INFO
        log.log(level, "program %s %s: %s", run.program, run.problem or "exited with status 0", printed)
        ended(run)

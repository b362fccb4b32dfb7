"""Run a program that prints credentials, within a time and a size."""

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO

from frontdesk.config.credentials import ENVIRONMENT, TEAM_PASSWORD, check_secret, check_team_password
from frontdesk.config.processes import child_environment
from frontdesk_api.credentials import Secret

PROGRAM_SECONDS = 10.0
MAX_BYTES = 65_536


class ProgramFailed(Exception):
    """Raised when the program printed nothing usable; the text says why, and never contains its output.

    Attributes:
        status: its exit status; None if it didn't fail or was killed.
    """

    def __init__(self, words: str, status: int | None = None) -> None:
        super().__init__(words)
        self.status = status


def program_output(command: Sequence[str], environ: Mapping[str, str], sent: bytes = b"") -> bytes:
    """Run a program without a shell or our variables, with `sent` as input, and return its output.

    It gets the variables that open a keyring, which it may need.

    Raises:
        OSError: the program can't be run.
        ProgramFailed: the program failed, took too long, or printed too much.
    """
    process = subprocess.Popen(
        command,
        env=child_environment(environ, opens_keyring=True),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdout as output:
        try:
            with contextlib.suppress(BrokenPipeError), process.stdin as entered:
                entered.write(sent)  # less than a pipe holds, so that this doesn't wait
            printed = _read(output)
            status = process.wait(PROGRAM_SECONDS)
        except subprocess.TimeoutExpired:
            raise _too_slow() from None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if status:
        words = f"the program ended with status {status}; run it in a terminal to see why"
        raise ProgramFailed(words, status)
    return printed


def _read(output: IO[bytes]) -> bytes:
    """Read to the end; a process that the program leaves running can't hold this up."""
    printed, ends_at = b"", time.monotonic() + PROGRAM_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while len(printed) <= MAX_BYTES:
            if not selector.select(max(0.0, ends_at - time.monotonic())):
                raise _too_slow()
            part = os.read(output.fileno(), MAX_BYTES)
            if not part:
                return printed
            printed += part
    raise ProgramFailed(f"the program printed more than {MAX_BYTES} bytes; correct what it prints")


def _too_slow() -> ProgramFailed:
    return ProgramFailed(f"no answer in {PROGRAM_SECONDS:.0f} seconds; run it in a terminal to see why")


def parse_credentials(printed: bytes) -> dict[str, Secret]:
    """Return the credentials by kind, from lines such as `api_key=…`.

    Raises:
        ProgramFailed: the output has other lines, or none.
        SecretError: a credential can't be used.
    """
    found: dict[str, Secret] = {}
    for number, line in enumerate(printed.decode(errors="replace").splitlines(), 1):
        kind, sign, value = line.strip().partition("=")
        if line.strip() and (not sign or kind not in (*ENVIRONMENT, TEAM_PASSWORD) or kind in found):
            raise ProgramFailed(
                f"line {number} of its output isn't cookie=…, api_key=…, bearer=… or team_password=…, each once; "
                "correct what the program prints"
            )
        if sign:
            found[kind] = check_team_password(value) if kind == TEAM_PASSWORD else check_secret(kind, value)
    if not found:
        raise ProgramFailed("the program printed nothing; it has to print cookie=… and api_key=…")
    return found

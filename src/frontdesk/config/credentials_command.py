"""`credentials_command` of a profile: a program, such as `pass`, that prints the credentials.

Run once, before the screens take the terminal; the engine gets the result from its parent.
"""

import os
import selectors
import subprocess
import time
from collections.abc import Mapping
from typing import IO

from frontdesk.config.credentials import ENVIRONMENT, Secret, SecretError, check_origins, check_secret, read_stored
from frontdesk.config.processes import child_environment
from frontdesk.config.settings import Profile

COMMAND_SECONDS = 10.0
MAX_BYTES = 65_536


def add_command_credentials(profile: Profile, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the credentials of the profile's command, which beat all others.

    Raises:
        SecretError: the command failed, or the profile has other hosts than at its last login.
    """
    if not profile.credentials_command or profile.hosts_from_environment:
        return dict(environ)
    check_origins(profile, read_stored(profile.name).origins)
    return {
        **environ,
        **{ENVIRONMENT[kind]: each.reveal() for kind, each in run_command(profile, environ).items()},
    }


def run_command(profile: Profile, environ: Mapping[str, str]) -> dict[str, Secret]:
    """Run the profile's command, without a shell, and return its credentials by kind; nothing without a command.

    Raises:
        SecretError: it failed or printed something else; the text never has what it printed.
    """
    if not profile.credentials_command:
        return {}
    where = f"profiles.{profile.name}.credentials_command"
    printed = _output(profile.credentials_command, where, child_environment(environ))
    found: dict[str, Secret] = {}
    for number, line in enumerate(printed.decode(errors="replace").splitlines(), 1):
        kind, sign, value = line.strip().partition("=")
        if line.strip() and (not sign or kind not in ENVIRONMENT or kind in found):
            raise SecretError(
                f"{where}: line {number} of its output isn't cookie=…, api_key=… or bearer=…, each once; correct "
                "what the program prints"
            )
        if sign:
            found[kind] = check_secret(kind, value)
    if not found:
        raise SecretError(f"{where}: the program printed nothing; it has to print cookie=… and api_key=…")
    return found


def _output(command: tuple[str, ...], where: str, environ: Mapping[str, str]) -> bytes:
    program = os.path.expanduser(command[0])
    try:
        process = subprocess.Popen(
            [program, *command[1:]],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise SecretError(f"{where}: can't run {command[0]} ({error.strerror}); check its name or path") from None
    assert process.stdout is not None
    with process.stdout as output:
        try:
            printed = _read(output, where)
            status = process.wait(COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            raise _too_slow(where) from None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if status:
        raise SecretError(f"{where}: the program ended with status {status}; run it in a terminal to see why")
    return printed


def _read(output: IO[bytes], where: str) -> bytes:
    """Read to the end; a process that the program left behind can't hold this up."""
    printed, ends_at = b"", time.monotonic() + COMMAND_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while len(printed) <= MAX_BYTES:
            if not selector.select(max(0.0, ends_at - time.monotonic())):
                raise _too_slow(where)
            part = os.read(output.fileno(), MAX_BYTES)
            if not part:
                return printed
            printed += part
    raise SecretError(f"{where}: the program printed more than {MAX_BYTES} bytes; correct what it prints")


def _too_slow(where: str) -> SecretError:
    return SecretError(f"{where}: no answer in {COMMAND_SECONDS:.0f} seconds; run it in a terminal to see why")

"""System keyring of a profile with `keyring = true`: all its credentials are one entry.

The package keyring runs in a process of its own, since a locked keyring may never answer.
"""

import importlib.util
import os
import sys
from collections.abc import Mapping
from typing import Literal

from frontdesk.config.credentials import SecretError
from frontdesk.config.program_files import install_command
from frontdesk.config.program_output import ProgramFailed, parse_credentials, program_output
from frontdesk_api.client.credentials import Secret

SERVICE = "frontdesk"
"""The beginning of the entry's name, before the profile's name."""


def read_keyring(name: str, environ: Mapping[str, str]) -> dict[str, Secret]:
    """Return the profile's credentials by kind.

    Raises:
        SecretError: the keyring has no credentials, can't be used, or didn't answer.
    """
    printed = _run("get", name, environ)
    try:
        return parse_credentials(printed)
    except ProgramFailed:
        raise SecretError(
            f"the keyring's entry {SERVICE} {name} isn't what frontdesk saved; run `frontdesk login {name}`"
        ) from None


def save_in_keyring(name: str, secrets: Mapping[str, Secret], environ: Mapping[str, str] = os.environ) -> None:
    """Store credentials in the profile's entry, replacing the earlier ones.

    Raises:
        SecretError: the keyring can't be used, or didn't answer.
    """
    lines = "\n".join(f"{kind}={secret.reveal()}" for kind, secret in secrets.items())
    _run("set", name, environ, lines.encode())


def remove_from_keyring(name: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Remove the profile's entry; return whether there was one.

    Raises:
        SecretError: the keyring can't be used, or didn't answer.
    """
    try:
        _run("del", name, environ)
    except _NoEntry:
        return False
    return True


class _NoEntry(SecretError):
    """Raised when the keyring answered that it has no entry of the profile."""


_NO_ENTRY_STATUS = 3
_PROGRAM = f"""
import sys, keyring
operation, service, name = sys.argv[1:]
if operation == "set":
    sys.exit(keyring.set_password(service, name, sys.stdin.read()))
found = keyring.get_password(service, name)
if found is None:
    sys.exit({_NO_ENTRY_STATUS})
print(found) if operation == "get" else keyring.delete_password(service, name)
"""
"""The program that calls the keyring; the package's own command can't tell a missing entry from no keyring."""


def _run(
    operation: Literal["get", "set", "del"], name: str, environ: Mapping[str, str], sent: bytes = b""
) -> bytes:
    if importlib.util.find_spec("keyring") is None:
        raise SecretError(
            f"profile {name} keeps its credentials in the keyring, and the package keyring isn't installed; "
            f"run `{install_command('keyring')}`"
        )
    # With -P, a keyring.py in the current folder is never run.
    command = [sys.executable, "-P", "-c", _PROGRAM, operation, SERVICE, name]
    try:
        return program_output(command, environ, sent)
    except (ProgramFailed, OSError) as error:
        if getattr(error, "status", None) == _NO_ENTRY_STATUS:
            words = f"the keyring has no credentials of profile {name}; run `frontdesk login {name}`"
            raise _NoEntry(words) from None
        if operation == "set":
            words = f"the keyring didn't save the credentials of profile {name}; unlock it, or use --no-keyring"
        else:
            words = f"the keyring of profile {name} can't be used, or is locked; unlock it, then "
            words += "try again" if operation == "get" else f"run `frontdesk logout {name}` to remove its entry"
        raise SecretError(words) from None

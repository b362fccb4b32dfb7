"""Credentials from outside of frontdesk: a profile's command and the system's keyring.

They are loaded once, before the screens take the terminal; the engine gets the result from its parent. In a
keyring, all credentials of a profile are one entry. The package keyring runs in a process of its own, since a
locked keyring may never answer.
"""

import importlib.util
import os
import sys
from collections.abc import Mapping
from typing import Literal

from frontdesk.config.credentials import (
    ENVIRONMENT,
    TEAM_PASSWORD,
    TEAM_PASSWORD_VARIABLES,
    SecretError,
    check_origins,
    read_stored,
)
from frontdesk.config.processes import engine_environment
from frontdesk.config.program_files import install_command
from frontdesk.config.program_output import ProgramFailed, parse_credentials, program_output
from frontdesk.config.settings import Profile
from frontdesk_api.credentials import Secret

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


def add_outside_credentials(profile: Profile, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for the profile's engine, with the credentials of the profile's command and keyring.

    The command overrides the environment, which overrides the keyring; the file has the remaining ones.

    Raises:
        SecretError: the command or keyring failed, or the profile has other hosts than at its last login.
    """
    found = engine_environment(environ, has_team=profile.team is not None)
    if profile.hosts_from_environment or not (profile.credentials_command or profile.keyring):
        return found
    stored = read_stored(profile.name)
    check_origins(profile, stored.origins)
    variables = dict(ENVIRONMENT)
    is_missing = not all(found.get(variable, "").strip() for variable in ENVIRONMENT.values())
    if profile.team is not None and profile.team.server == stored.team_server:
        variables[TEAM_PASSWORD] = TEAM_PASSWORD_VARIABLES[0]
        is_missing |= not any(found.get(variable, "").strip() for variable in TEAM_PASSWORD_VARIABLES)
    printed = run_command(profile, environ)
    found |= {variables[kind]: each.reveal() for kind, each in printed.items() if kind in variables}
    if profile.keyring and is_missing:
        for kind, each in read_keyring(profile.name, environ).items():
            beats = TEAM_PASSWORD_VARIABLES if kind == TEAM_PASSWORD else (ENVIRONMENT[kind],)
            if kind in variables and not any(found.get(variable, "").strip() for variable in beats):
                found[variables[kind]] = each.reveal()
    return found


def run_command(profile: Profile, environ: Mapping[str, str]) -> dict[str, Secret]:
    """Run the profile's command without a shell; return its credentials by kind, or nothing without a command.

    Raises:
        SecretError: the program failed or printed something else; the text never contains its output.
    """
    if not profile.credentials_command:
        return {}
    where = f"profiles.{profile.name}.credentials_command"
    program, *arguments = profile.credentials_command
    try:
        return parse_credentials(program_output([os.path.expanduser(program), *arguments], environ))
    except ProgramFailed as error:
        raise SecretError(f"{where}: {error}") from None
    except OSError as error:
        raise SecretError(f"{where}: can't run {program} ({error.strerror}); check its name or path") from None

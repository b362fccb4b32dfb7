"""Credentials from outside of frontdesk: a profile's command and the system's keyring.

They are loaded once, before the screens take the terminal; the engine gets the result from its parent.
"""

import os
from collections.abc import Mapping

from frontdesk.config.credentials import (
    ENVIRONMENT,
    TEAM_PASSWORD,
    TEAM_PASSWORD_VARIABLES,
    SecretError,
    check_origins,
    read_stored,
)
from frontdesk.config.processes import engine_environment
from frontdesk.config.program_output import ProgramFailed, parse_credentials, program_output
from frontdesk.config.settings import Profile
from frontdesk.config.system_keyring import read_keyring
from frontdesk_api.client.credentials import Secret


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

"""Runs `credentials_command` of a profile: a program, such as `pass`, that prints the credentials."""

import os
from collections.abc import Mapping

from frontdesk.config.credentials import Secret, SecretError
from frontdesk.config.program_output import ProgramFailed, parse_credentials, program_output
from frontdesk.config.settings import Profile


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

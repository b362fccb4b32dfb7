"""The team's password at `frontdesk login`: asked for, tried once, and asked for again if it was refused.

A team that can't be reached doesn't stop a login: the desk works alone then.
"""

import asyncio
import os
from collections.abc import Mapping

from frontdesk.cli.errors import CommandFailed, print_error
from frontdesk.cli.output import print_line
from frontdesk.cli.prompts import ask
from frontdesk.config.credentials import (
    TEAM_PASSWORD,
    TEAM_PASSWORD_VARIABLES,
    Secret,
    StoredCredentials,
    check_team_password,
)
from frontdesk.config.team import TeamSettings
from frontdesk.relay.errors import PasswordRefused, RelayError
from frontdesk.relay.status import read_status
from frontdesk.team.checks import team_address
from frontdesk.text.questions import Question, fault_of


def find_team_password(
    team: TeamSettings, stored: StoredCredentials, printed: Secret | None, *, is_tty: bool, tries: bool
) -> Secret | None:
    """Take the password from the profile's program, the environment, a hidden prompt, or what was saved.

    Args:
        printed: by the profile's program.
        tries: whether to log in with it once.

    Raises:
        SecretError: the environment's can't be used.
    """
    kept = stored.team_password if stored.team_server == team.server else None
    given = printed or _from_environment(os.environ)
    may_ask = is_tty and given is None
    password = given or (_ask(team, kept, "the saved one") if may_ask else kept)
    while tries and (refusal := _try(team, password)):
        print_error(refusal)
        if not may_ask:
            break
        again = _ask(team, password, "the one just tried")
        if again == password:
            break
        password = again
    return password


def _from_environment(environ: Mapping[str, str]) -> Secret | None:
    given = [value for each in TEAM_PASSWORD_VARIABLES if (value := environ.get(each, "").strip())]
    return check_team_password(given[0]) if given else None


def _ask(team: TeamSettings, kept: Secret | None, kept_words: str) -> Secret | None:
    question = Question(
        TEAM_PASSWORD,
        "Team password",
        f"Team password of {team.server}{'' if kept else ' (enter for none)'}",
        fault=fault_of(check_team_password),
        is_secret=True,
    )
    typed = ask(question, kept.reveal() if kept is not None else "", kept_words)
    return check_team_password(typed) if typed else None


def _try(team: TeamSettings, password: Secret | None) -> str:
    """Log in once; returns why another password is needed, and reports every other failure."""
    try:
        address = team_address(team.url)
        asyncio.run(read_status(address, password.reveal() if password is not None else "", team.account))
    except PasswordRefused:
        if password is None:
            return f"{team.server} wants a password for the team; set PGPASSWORD, or run this in a terminal"
        return f"{team.server} refused the team password"
    except (RelayError, CommandFailed) as error:
        print_error(f"couldn't try the team: {error}")
    else:
        print_line(f"Joined the team {team.account} at {team.server}.")
    return ""

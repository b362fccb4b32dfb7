"""Team of a profile, `[profiles.NAME.team]`: the relay's address, and the account in it (docs/team.md).

`config.relay_address` checks the address.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from frontdesk.config.relay_address import EXAMPLE, LOGIN, parse_relay_url
from frontdesk.config.tables import declare, expect

POLL_CHOICES = ("if nobody else", "never")

MAX_ACCOUNT_LETTERS = 40
"""Maximum length of an account, after which a channel is named: PostgreSQL's names have at most 63 bytes."""

_ACCOUNT = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_ACCOUNT_LETTERS - 1}}}")


def check_team_url(value: Any, where: str, password_remedy: str = LOGIN) -> str:
    """Return a relay's URL if it names a user and a database, and holds no password.

    Args:
        password_remedy: the remedy for a password in the URL.

    Raises:
        ConfigError: the URL can't be used; the text begins with `where`.
    """
    expect(value is not None, f"{where}: missing; set it to the team's address, such as {EXAMPLE}")
    expect(isinstance(value, str), f"{where}: expected text")
    text = str(value).strip()
    parse_relay_url(text, where, password_remedy)
    return text


def check_account(value: Any, where: str) -> str:
    """Return the name of a team's account if it is valid.

    Raises:
        ConfigError: the name isn't valid; the text begins with `where`.
    """
    expect(value is not None, f"{where}: missing; set it to the name given to `frontdesk team init`")
    problem = (
        f"{where}: use only letters, digits, dots, dashes and underscores, at most {MAX_ACCOUNT_LETTERS}, "
        "with a letter or digit first"
    )
    expect(isinstance(value, str) and _ACCOUNT.fullmatch(value) is not None, problem)
    return str(value)


@dataclass(frozen=True, slots=True)
class TeamSettings:
    """The team of a profile."""

    url: str = declare(
        "The team's database: `postgresql://ROLE@HOST:PORT/DATABASE`, without a password. `?sslrootcert=FILE` "
        "names the certificates to trust, `?host=FOLDER` a socket on this machine.",
        read=check_team_url,
    )
    account: str = declare(
        "The team's account in it, the name given to `frontdesk team init`.", read=check_account
    )
    poll: str = declare(
        "`never`: this machine never polls the platform for the team.",
        POLL_CHOICES[0],
        choices=POLL_CHOICES,
        expected=" or ".join(f'"{each}"' for each in POLL_CHOICES),
    )

    @property
    def may_poll(self) -> bool:
        return self.poll != "never"

    @property
    def server(self) -> str:
        """The login and the server, `noa@db:5432`, that a stored password was entered for."""
        address = parse_relay_url(self.url, "url")
        return f"{quote(address.user, safe='')}@{address.host}:{address.port}"


def apply_environment(stored: TeamSettings | None, environ: Mapping[str, str]) -> TeamSettings | None:
    """Return the team with the values that the environment overrides.

    Raises:
        ConfigError: a variable can't be used, or the other one is missing.
    """
    url, account = environ.get("FRONTDESK_TEAM_URL", ""), environ.get("FRONTDESK_TEAM_ACCOUNT", "")
    if not url and not account:
        return stored
    team = stored or TeamSettings("", "")
    if url or not team.url:
        team = replace(team, url=check_team_url(url or None, "FRONTDESK_TEAM_URL"))
    if account or not team.account:
        team = replace(team, account=check_account(account or None, "FRONTDESK_TEAM_ACCOUNT"))
    return team

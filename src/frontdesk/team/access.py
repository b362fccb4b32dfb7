"""A profile's access to its team's relay, as its engine uses it."""

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frontdesk.config.credentials import SecretError, load_team_password
from frontdesk.config.settings import Profile
from frontdesk.relay.connection import RelayRefused
from frontdesk.storage.team_state import LEASE_SECONDS


@dataclass(frozen=True, slots=True)
class TeamTimes:
    """The seconds that a desk goes by in its team; tests make them shorter.

    Attributes:
        lease: how long a leader that stands still keeps the others waiting; it renews its lease every `renew`.
        look: how often a desk tells what it shows, and learns what the others show.
        follow: how often the relay is asked without a notice, as behind a pooler that passes none on.
        alone_after: so long a desk waits for the relay before it reads for itself.
        spread: the desks of a team that has lost its relay begin to read within so many seconds.
        min_retry, max_retry: how soon the relay is tried again, at first and after many failures.
        present: a desk that hasn't told anything for so long shows nothing.
    """

    lease: float = LEASE_SECONDS
    renew: float = 1.5
    look: float = 2.0
    follow: float = 1.0
    alone_after: float = 5.0
    spread: float = 30.0
    min_retry: float = 1.0
    max_retry: float = 30.0
    present: float = 15.0


@dataclass(frozen=True, slots=True)
class TeamAccess:
    """Where the team is, and as whom this desk takes part.

    Attributes:
        url: of the relay's database, without a password.
        password: returns the password as it is now; raises `RelayRefused` where it can't be used.
        desk_name: the name that this desk asks for; one that another desk has is numbered.
        may_poll: whether it may read for the team, as far as this desk's owner decides that.
    """

    url: str
    account: str
    password: Callable[[], str]
    desk_name: str
    may_poll: bool = True
    times: TeamTimes = TeamTimes()


def team_access(profile: Profile, environ: Mapping[str, str] = os.environ) -> TeamAccess | None:
    team = profile.team
    if team is None:
        return None

    def password() -> str:
        try:
            found = load_team_password(profile, environ)
        except SecretError as error:
            raise RelayRefused(str(error)) from None
        return "" if found is None else found.reveal()

    user = team.server.partition("@")[0]
    return TeamAccess(team.url, team.account, password, f"{user}@{socket.gethostname()}", team.may_poll)

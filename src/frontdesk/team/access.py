"""A profile's access to its team's relay, as its engine uses it."""

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frontdesk.config.credentials import SecretError, load_team_password
from frontdesk.config.settings import Profile
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayRefused
from frontdesk.relay.records import ALL_LINES, Account
from frontdesk.storage.records import Connection, Health
from frontdesk.sync.team_role import LEASE_SECONDS


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
    renew: float = 3.0
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
    """Return the access of a profile's team; None where it has none."""
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


_CANNOT_READ = (
    Connection.OFFLINE,
    Connection.INTERCEPTED,
    Connection.REFUSED,
    Connection.STUCK,
    Connection.PAUSED,
)
"""A leader for whom the platform is in such a state for a whole lease lets another desk try."""

RETAIN_SECONDS, RETAIN_MORE_SECONDS = 3_600.0, 60.0
"""How often the leader deletes old rows of the relay, and how soon again where some are left."""


class TeamLease:
    """This desk's hold on its team's lease, or its tries to get it.

    Args:
        own_health: the desk's own connection to the platform.
        steady: seconds that never go back.

    Attributes:
        token: the number of the lease that this desk holds; None while it holds none.
    """

    def __init__(self, access: TeamAccess, own_health: Callable[[], Health], steady: Callable[[], float]):
        self._access, self._own_health, self._steady = access, own_health, steady
        self.token: int | None = None
        self._asked_at = float("-inf")
        self._readable_at = self._retain_at = steady()

    @property
    def is_due(self) -> bool:
        """Return whether it is time to ask for the lease, or to renew it."""
        return self._steady() >= self._asked_at + self._access.times.renew

    @property
    def has_lapsed(self) -> bool:
        """Return whether this desk stood still until its lease had run out."""
        return self.token is not None and self._steady() >= self._asked_at + self._access.times.lease

    def ask_soon(self) -> None:
        """Make the next request due."""
        self._asked_at = float("-inf")

    def may_lead(self, account: Account) -> bool:
        """Return whether this desk may read for all, and can."""
        # Who sees some lines alone would keep the others from theirs.
        if not (account.may_poll and self._access.may_poll and ALL_LINES in account.lines):
            return False
        state, now = self._own_health().state, self._steady()
        if state not in _CANNOT_READ:
            self._readable_at = now
        return state is not Connection.PAUSED and now < self._readable_at + self._access.times.lease

    async def request(self, relay: RelayClient) -> int | None:
        """Ask for the lease or renew it; returns its number, None where another desk holds it."""
        self._asked_at = self._steady()
        return await relay.lease(self._access.times.lease)

    async def delete_old_rows(self, relay: RelayClient) -> bool:
        """Delete what the relay keeps no longer, where that is due; returns whether it was."""
        if self._steady() < self._retain_at:
            return False
        are_left = await relay.retain()
        self._retain_at = self._steady() + (RETAIN_MORE_SECONDS if are_left else RETAIN_SECONDS)
        return True

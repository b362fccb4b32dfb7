"""A desk's hold on its team's lease: taken, renewed, and given up when it can't read."""

from collections.abc import Callable

from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import ALL_LINES, Account, Leader
from frontdesk.storage.records import Connection, Health
from frontdesk.team.access import TeamAccess

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

    Attributes:
        token: the number of the lease that this desk holds; None while it holds none.
    """

    def __init__(self, access: TeamAccess, own_health: Callable[[], Health], steady: Callable[[], float]):
        self._access, self._own_health, self._steady = access, own_health, steady
        self.token: int | None = None
        self._asked_at = self._free_at = float("-inf")
        self._readable_at = self._retain_at = steady()

    @property
    def rest_seconds(self) -> float:
        """Seconds until it is time to renew the lease, or to ask for it: when the one that another holds ends."""
        due_at = self._free_at if self.token is None else self._asked_at + self._access.times.renew
        return max(0.0, due_at - self._steady())

    @property
    def is_due(self) -> bool:
        return self.rest_seconds == 0.0

    @property
    def has_lapsed(self) -> bool:
        """Return whether this desk stood still until its lease had run out."""
        return self.token is not None and self._steady() >= self._asked_at + self._access.times.lease

    def ask_soon(self) -> None:
        """Make the next request due."""
        self._asked_at = self._free_at = float("-inf")

    def note_leader(self, leader: Leader | None, desk: str) -> None:
        """Note how long another desk's lease lasts; until then it is no use to ask for it."""
        self._free_at = float("-inf")
        if leader is not None and leader.desk != desk:
            self._free_at = self._steady() + leader.seconds_left

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
        self._free_at = self._asked_at + self._access.times.renew
        return await relay.lease(self._access.times.lease)

    async def delete_old_rows(self, relay: RelayClient) -> bool:
        """Delete what the relay keeps no longer, where that is due; returns whether it was."""
        if self._steady() < self._retain_at:
            return False
        are_left = await relay.retain()
        self._retain_at = self._steady() + (RETAIN_MORE_SECONDS if are_left else RETAIN_SECONDS)
        return True

"""A team as one of its people sees it, for `frontdesk team status` and `doctor`."""

from dataclasses import dataclass

from frontdesk.config.team import RelayAddress
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import connect, translate_errors
from frontdesk.relay.records import Account, Leader

PUBLIC_IS_OPEN = (
    "SELECT coalesce((SELECT pg_catalog.has_schema_privilege('public', oid, 'CREATE')"
    " FROM pg_catalog.pg_namespace WHERE nspname = 'public'), false)"
)
"""Whether everybody may create things in the schema public."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A desk of the team.

    Attributes:
        version: of what it reads and writes, as `relay.records.VERSION`.
        lag: how many positions it hasn't read yet.
        age: seconds since it was last seen.
    """

    name: str
    role: str
    version: int
    lag: int
    age: float


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """The account, who leads, if anybody does, and its desks, the latest first.

    Attributes:
        server_version: of PostgreSQL, such as 18.1.
        tls: the version of TLS of this connection; empty without.
        is_public_open: whether everybody may create things in the schema public.
        was_asked_for_password: whether the server wanted a password.
        is_limited: whether the server ends this role's open transactions.
        is_pooled: whether a pooler stands before the server.
    """

    account: Account
    leader: Leader | None
    desks: tuple[Desk, ...]
    server_version: str
    tls: str
    is_public_open: bool
    is_limited: bool
    was_asked_for_password: bool
    is_pooled: bool


async def read_status(address: RelayAddress, password: str, account: str) -> TeamStatus:
    """Read the team's status.

    Raises:
        RelayError: it can't be read; the text says what to do.
    """
    connection = await connect(address, password)
    client = RelayClient(connection, address, account, desk="")
    try:
        state, leader = await client.account_state(), await client.leader()
        async with translate_errors(address):
            desks = await connection.fetch(
                "SELECT name, role::text, version, greatest($2 - position, 0) AS lag,"
                " extract(epoch FROM pg_catalog.clock_timestamp() - seen_at)::float8 AS age"
                " FROM frontdesk.desks WHERE account = $1 ORDER BY seen_at DESC, name",
                account,
                state.position,
            )
            server_version = await connection.fetchval(
                "SELECT pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1)"
            )
            is_public_open = await connection.fetchval(PUBLIC_IS_OPEN)
            is_limited = await connection.fetchval(
                "SELECT pg_catalog.current_setting('idle_in_transaction_session_timeout') <> '0'"
            )
    finally:
        await client.close()
    found = tuple(Desk(*row) for row in desks)
    return TeamStatus(
        state,
        leader if leader is not None and leader.seconds_left > 0 else None,
        found,
        server_version,
        connection.tls,
        is_public_open,
        is_limited,
        connection.was_asked_for_password,
        connection.is_pooled,
    )

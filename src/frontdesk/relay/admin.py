"""The relay's database as its owner sets it up: the schema and the accounts. `relay.people` has who uses them."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.config.team import RelayAddress
from frontdesk.relay.connection import RelayRefused, connect, translate_errors
from frontdesk.relay.records import SCHEMA_VERSION
from frontdesk.relay.status import PUBLIC_IS_OPEN

if TYPE_CHECKING:
    import asyncpg

ADMIN_SECONDS = 60.0
"""How long a statement of the owner may take: deleting what is held of a customer reads whole tables."""

DESK_ROLE = "frontdesk_desk"
"""The role that schema.sql makes; each person's role is in it."""

TABLES = ("accounts", "grants", "desks", "leader", "observed", "lookers", "claims", "shared", "journal")

_SCHEMA, _FUNCTIONS = (Path(__file__).with_name(name) for name in ("schema.sql", "functions.sql"))

ROLE_LIMITS = {
    "search_path": "pg_catalog, pg_temp",
    "lock_timeout": "'3s'",
    "statement_timeout": "'15s'",
    "idle_in_transaction_session_timeout": "'5s'",
}
"""Of people's sessions in this database, also behind a pooler, where no setting lasts."""

MAX_SESSIONS = 10
"""Of each person."""


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What `frontdesk team init` changes of an account; None keeps what is there.

    Attributes:
        is_restored: the database was restored from a backup, so all desks load everything again.
    """

    budget_per_minute: int | None = None
    retention_days: int | None = None
    is_restored: bool = False


@dataclass(frozen=True, slots=True)
class InitResult:
    """What was there before, and the account as it is now.

    Attributes:
        is_public_closed: whether everybody could create things in the schema public, which nobody may now.
        still_connected: after a restore, the roles whose desks couldn't be disconnected: they go on as before.
    """

    is_new_schema: bool
    is_new_account: bool
    budget_per_minute: int
    retention_days: int
    is_public_closed: bool = False
    still_connected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many rows about a customer were removed, and from how many entries of the journal what was written."""

    observed: int
    shared: int
    journal: int


@asynccontextmanager
async def open_as_owner(address: RelayAddress, password: str) -> "AsyncIterator[asyncpg.Connection]":
    """Connect as the database's owner; inside, everything that goes wrong is a `RelayError`."""
    connection = await connect(address, password, ADMIN_SECONDS)
    try:
        async with translate_errors(address):
            import asyncpg

            try:
                yield connection
            except asyncpg.InsufficientPrivilegeError as error:
                raise RelayRefused(
                    f"{address.user} may not do this ({str(error)[:200]}); use the role that owns the database "
                    "and may create roles, such as postgres"
                ) from None
    finally:
        with suppress(Exception):  # what was done is done
            await connection.close(timeout=2)
        connection.terminate()


async def init_account(connection: "asyncpg.Connection", account: str, options: InitOptions) -> InitResult:
    """Create the schema and the account where they are missing, and change what the options name.

    Raises:
        RelayRefused: the schema isn't this program's, or of a newer version; or the account to restore is missing.
    """
    async with owners_transaction(connection):
        await connection.execute(
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('frontdesk team init'))"
        )
        version = await _schema_version(connection)
        is_public_closed = await _close_public(connection)
        for step in schema_steps()[version:]:
            await connection.execute(step)
        await connection.execute(_FUNCTIONS.read_text(encoding="utf-8"))
        is_new_account = await connection.fetchval(
            "INSERT INTO frontdesk.accounts (account) VALUES ($1) ON CONFLICT DO NOTHING RETURNING true", account
        )
        await connection.execute("UPDATE frontdesk.accounts SET schema = $1", SCHEMA_VERSION)
        for each in await connection.fetch(
            "SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN (SELECT role FROM frontdesk.grants)"
        ):
            await limit_role(connection, each["rolname"])
        if is_new_account and options.is_restored:
            raise RelayRefused(
                f"there is no account {account} in this database, so nothing of it was restored; check the name "
                "and the database"
            )
        row = await connection.fetchrow(
            "UPDATE frontdesk.accounts SET budget_per_minute = coalesce($2, budget_per_minute),"
            " retention_days = coalesce($3, retention_days) WHERE account = $1"
            " RETURNING budget_per_minute, retention_days",
            account,
            options.budget_per_minute,
            options.retention_days,
        )
        if options.is_restored:
            await _begin_epoch(connection, account)
    still_connected: tuple[str, ...] = ()
    if options.is_restored:
        # Desks look at the epoch when they connect.
        roles = await connection.fetch("SELECT DISTINCT role FROM frontdesk.grants WHERE account = $1", account)
        still_connected = await end_sessions(connection, [row["role"] for row in roles])
    counts = row["budget_per_minute"], row["retention_days"]
    return InitResult(version == 0, bool(is_new_account), *counts, is_public_closed, still_connected)


@asynccontextmanager
async def owners_transaction(connection: "asyncpg.Connection") -> AsyncIterator[None]:
    """Look for names in PostgreSQL's catalogue alone, also behind a pooler, where no session's setting holds."""
    async with connection.transaction():
        await connection.execute("SET LOCAL search_path = pg_catalog, pg_temp")
        yield


async def _close_public(connection: "asyncpg.Connection") -> bool:
    """Let nobody but its owner create things in the schema public; returns whether everybody could.

    Raises:
        RelayRefused: that schema belongs to someone else.
    """
    if not await connection.fetchval(PUBLIC_IS_OPEN):
        return False
    await connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    if await connection.fetchval(PUBLIC_IS_OPEN):  # PostgreSQL only warns
        raise RelayRefused(
            "anyone who may connect can create functions in this database's schema public, and so act as others; "
            "as its owner, such as postgres, run: REVOKE CREATE ON SCHEMA public FROM PUBLIC; then try again"
        )
    return True


async def limit_role(connection: "asyncpg.Connection", role: str) -> None:
    """Set what a person's sessions in this database may take; a role that someone else made may stay as it is."""
    import asyncpg

    database = await connection.fetchval("SELECT current_catalog")
    with suppress(asyncpg.InsufficientPrivilegeError):
        async with connection.transaction():
            for name, value in ROLE_LIMITS.items():
                await execute_named(
                    connection, f"ALTER ROLE %I IN DATABASE %I SET {name} = {value}", role, database
                )
            if await connection.fetchval(
                "SELECT rolconnlimit < 0 FROM pg_catalog.pg_roles WHERE rolname = $1", role
            ):
                await execute_named(connection, f"ALTER ROLE %I CONNECTION LIMIT {MAX_SESSIONS}", role)


async def end_sessions(connection: "asyncpg.Connection", roles: Sequence[str]) -> tuple[str, ...]:
    """End the sessions of roles in this database; returns those roles whose sessions may not be ended."""
    import asyncpg

    refused = []
    for role in await connected_roles(connection, roles):
        for is_member in (False, True):
            try:
                await _end_sessions_of(connection, role, as_member=is_member)
                break
            except asyncpg.InsufficientPrivilegeError:
                continue
        else:
            refused.append(role)
    return tuple(refused)


async def connected_roles(connection: "asyncpg.Connection", roles: Sequence[str]) -> list[str]:
    """Return those of the roles that have a session in this database besides this one."""
    rows = await connection.fetch(
        f"SELECT DISTINCT usename::text FROM pg_catalog.pg_stat_activity WHERE {_OTHER_SESSIONS} ORDER BY 1", roles
    )
    return [row[0] for row in rows]


async def _end_sessions_of(connection: "asyncpg.Connection", role: str, *, as_member: bool) -> None:
    """End a role's sessions.

    Who isn't a superuser may end those of roles that they are a member of. The owner may join the roles that they
    have made, and leaves them at once: nothing of that is left in the database.
    """
    transaction = connection.transaction()
    await transaction.start()
    try:
        if as_member:
            inherits = "" if connection.get_server_version().major < 16 else " WITH INHERIT TRUE"
            await execute_named(connection, f"GRANT %I TO CURRENT_USER{inherits}", role)
        await connection.execute(
            "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
            f" WHERE {_OTHER_SESSIONS}",
            [role],
        )
    finally:
        await transaction.rollback()


_OTHER_SESSIONS = "datname = current_catalog AND usename = ANY($1::name[]) AND pid <> pg_catalog.pg_backend_pid()"


async def execute_named(connection: "asyncpg.Connection", template: str, *names: str) -> None:
    """Execute a statement in which PostgreSQL quotes the names: `%I` as identifiers, `%L` as texts."""
    places = ", ".join(f"${number}::text" for number in range(2, len(names) + 2))
    await connection.execute(
        await connection.fetchval(f"SELECT pg_catalog.format($1, {places})", template, *names)
    )


async def require_account(connection: "asyncpg.Connection", account: str | None) -> str:
    """Return the account if it exists; without a name, the database's only one.

    Raises:
        RelayRefused: it doesn't exist, or several do.
    """
    if not await _schema_version(connection):
        raise RelayRefused("this database has no team; run `frontdesk team init URL --account NAME` first")
    found = [row[0] for row in await connection.fetch("SELECT account FROM frontdesk.accounts ORDER BY account")]
    if account is None and len(found) == 1:
        return str(found[0])
    if account is None:
        raise RelayRefused(f"choose an account with --account; there are {', '.join(found) or 'none'}")
    if account not in found:
        raise RelayRefused(
            f"this database has no account {account} (existing: {', '.join(found) or 'none'}); to add it, run "
            "`frontdesk team init`"
        )
    return account


async def forget_customer(connection: "asyncpg.Connection", account: str, customer_id: str) -> Forgotten:
    """Remove what the account holds of a customer; the journal keeps what was done, without what was written."""
    async with owners_transaction(connection):
        observed = await connection.fetch(
            "DELETE FROM frontdesk.observed WHERE account = $1 AND"
            f" (kind IN ('message', 'page') AND $2 = ANY({_KEY_PARTS})"
            f" OR kind = 'task' AND ($2 = ANY({_TASK_PARTS}) OR {_IS_OF_CUSTOMER})) RETURNING kind, id",
            account,
            customer_id,
        )
        tasks = [row["id"] for row in observed if row["kind"] == "task"]
        shared = await connection.fetch(
            f"DELETE FROM frontdesk.shared WHERE account = $1 AND ({_names_in('id')} OR {_names_in('body')})"
            " RETURNING 1",
            account,
            customer_id,
        )
        journal = await connection.fetch(
            "UPDATE frontdesk.journal SET before = '', after = '' WHERE account = $1 AND before || after <> ''"
            f" AND ({_names_in('target', ' #')} OR {_names_in('before')} OR {_names_in('after')}"
            " OR pg_catalog.string_to_array(target, ' ') && $3::text[]) RETURNING 1",
            account,
            customer_id,
            tasks,
        )
        await connection.execute(
            f"DELETE FROM frontdesk.lookers WHERE account = $1 AND {_names_in('what')}", account, customer_id
        )
    return Forgotten(len(observed), len(shared), len(journal))


# A conversation's id is two ids joined by '#', in either order; keys of messages and pages are lists of texts that
# begin with it. JSON is read as text: PostgreSQL refuses to read some that the platform may send.
_KEY_PARTS = """pg_catalog.string_to_array(substring(id FROM '^\\["([^"]*)"'), '#')"""
_TASK_PARTS = (
    """pg_catalog.string_to_array(substring(body FROM '"participantsIdentifiers"\\s*:\\s*"([^"]*)"'), '#')"""
)
_IS_OF_CUSTOMER = """EXISTS (SELECT FROM pg_catalog.regexp_matches(
    body, '"phoneNumberId"\\s*:\\s*"([^"]*)"', 'g') AS m WHERE m[1] = $2)"""


def _names_in(column: str, separators: str = '"#') -> str:
    """Return the condition that a text names the customer, alone in quotes or in a conversation's id."""
    return f"$2 = ANY(pg_catalog.regexp_split_to_array({column}, '[{separators}]'))"


def schema_steps() -> list[str]:
    """Return the statements that make each version of the schema of the one before."""
    return re.split(r"^-- Version \d+$", _SCHEMA.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


async def _schema_version(connection: "asyncpg.Connection") -> int:
    """Return the version of the schema; 0 if it isn't there.

    Raises:
        RelayRefused: it is another program's, or a newer version's.
    """
    if not await connection.fetchval("SELECT pg_catalog.to_regnamespace('frontdesk') IS NOT NULL"):
        return 0
    tables = await connection.fetchval(
        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_class"
        " WHERE relnamespace = pg_catalog.to_regnamespace('frontdesk') AND relkind = 'r'"
        " AND relname = ANY($1::name[])",
        TABLES,
    )
    if tables < len(TABLES):
        raise RelayRefused(
            "this database has a schema named frontdesk that isn't a team's, and nothing was changed; use "
            "another database"
        )
    version = await connection.fetchval("SELECT coalesce(pg_catalog.max(schema), 1) FROM frontdesk.accounts")
    if version > SCHEMA_VERSION:
        raise RelayRefused("a newer frontdesk has set this team up; update this one, then try again")
    return int(version)


async def _begin_epoch(connection: "asyncpg.Connection", account: str) -> None:
    """Make all desks load everything again, and let no lease or claim of before the restore hold."""
    await connection.execute(
        "UPDATE frontdesk.accounts SET epoch = pg_catalog.gen_random_uuid() WHERE account = $1", account
    )
    for table in ("leader", "claims"):
        await connection.execute(f"DELETE FROM frontdesk.{table} WHERE account = $1", account)
    # Later tokens than those that were given out after the backup was made.
    await connection.execute(
        "SELECT pg_catalog.setval('frontdesk.tokens', greatest(pg_catalog.nextval('frontdesk.tokens'),"
        " (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint))"
    )

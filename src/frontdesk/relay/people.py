"""The people of a team: their roles, what they may see, and how they leave. Run as the database's owner."""

import base64
import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontdesk.relay.admin import (
    DESK_ROLE,
    connected_roles,
    end_sessions,
    execute_named,
    limit_role,
    owners_transaction,
    require_account,
)
from frontdesk.relay.connection import RelayRefused
from frontdesk.relay.records import ALL_LINES

if TYPE_CHECKING:
    import asyncpg

MAX_ROLE_BYTES = 63
_PASSWORD_BYTES = 24
_SCRAM_ITERATIONS = 4096
"""PostgreSQL's own default."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person is to have; None keeps what is there, or stands for the default of somebody new.

    Attributes:
        lines: by default all.
        may_poll: by default not.
    """

    role: str
    agent_id: str | None = None
    lines: tuple[str, ...] | None = None
    may_poll: bool | None = None


@dataclass(frozen=True, slots=True)
class AddedPerson:
    """A person as they are now; `password` is empty where it was kept."""

    account: str
    role: str
    is_new: bool
    agent_id: str
    lines: tuple[str, ...]
    may_poll: bool
    password: str

    def __repr__(self) -> str:
        return f"AddedPerson({self.role!r})"


@dataclass(frozen=True, slots=True)
class RemovedPerson:
    """What is left of a person in the database.

    Attributes:
        role_kept_for: why the role stays; empty once it is dropped, or wasn't there.
        has_sessions: their sessions weren't ended; they see nothing of the account any more.
    """

    account: str
    role: str
    role_kept_for: str
    has_sessions: bool


async def add_person(
    connection: "asyncpg.Connection", account: str | None, wanted: Grant, *, new_password: bool
) -> AddedPerson:
    """Make a person's role if it is missing, and give it these rights in the account.

    Raises:
        RelayRefused: the account is missing, or the role can't be a person's.
    """
    _check_role_name(wanted.role)
    async with owners_transaction(connection):
        account = await require_account(connection, account)
        is_new = await _require_person(connection, wanted.role)
        password = secrets.token_urlsafe(_PASSWORD_BYTES) if is_new or new_password else ""
        if password:
            verb = "CREATE ROLE %I LOGIN PASSWORD %L" if is_new else "ALTER ROLE %I PASSWORD %L"
            # Hashed here, so that no log of the server has it.
            await execute_named(connection, verb, wanted.role, scram_secret(password))
        database = await connection.fetchval("SELECT current_catalog")
        await execute_named(connection, "GRANT %I TO %I", DESK_ROLE, wanted.role)
        await execute_named(connection, "GRANT CONNECT ON DATABASE %I TO %I", database, wanted.role)
        await limit_role(connection, wanted.role)
        lines, agent_id, may_poll = await _replace_grants(connection, account, wanted)
    return AddedPerson(account, wanted.role, is_new, agent_id, lines, may_poll, password)


async def remove_person(connection: "asyncpg.Connection", account: str | None, role: str) -> RemovedPerson:
    """Take a person's rights in the account, end their sessions, and drop the role unless something needs it.

    Raises:
        RelayRefused: there is no such person.
    """
    async with owners_transaction(connection):
        account = await require_account(connection, account)
        found = await connection.fetchrow("SELECT oid, rolsuper FROM pg_catalog.pg_roles WHERE rolname = $1", role)
        granted = await connection.fetch(
            "DELETE FROM frontdesk.grants WHERE account = $1 AND role = $2 RETURNING 1", account, role
        )
        if not granted and found is None:
            raise RelayRefused(f"{account} has nobody named {role}; check the name")
        await _remove_desks(connection, account, role)
    if found is None:
        return RemovedPerson(account, role, "", has_sessions=False)
    if kept_for := await _other_uses(connection, found):
        return RemovedPerson(account, role, kept_for, bool(await connected_roles(connection, [role])))
    has_sessions = bool(await end_sessions(connection, [role]))
    return RemovedPerson(account, role, await _drop_role(connection, role), has_sessions)


def scram_secret(password: str) -> str:
    """Return what PostgreSQL stores of an ASCII password, as RFC 5803 has it."""
    salt = os.urandom(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode("ascii"), salt, _SCRAM_ITERATIONS)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    keys = hashlib.sha256(client_key).digest(), hmac.digest(salted, b"Server Key", "sha256")
    stored, server = (base64.b64encode(each).decode() for each in keys)
    return f"SCRAM-SHA-256${_SCRAM_ITERATIONS}:{base64.b64encode(salt).decode()}${stored}:{server}"


def _check_role_name(role: str) -> None:
    is_usable = role.isprintable() and role == role.strip() and 0 < len(role.encode()) <= MAX_ROLE_BYTES
    if not is_usable or role.startswith("pg_") or role in ("public", "none", DESK_ROLE):
        raise RelayRefused(f"{role[:80]!r} can't be the name of a role; choose a name such as noa")


async def _require_person(connection: "asyncpg.Connection", role: str) -> bool:
    """Return whether the role has to be made.

    Raises:
        RelayRefused: it exists and sees everything anyway, or nobody can log in with it.
    """
    row = await connection.fetchrow(
        "SELECT rolsuper OR rolbypassrls"
        " OR oid = (SELECT nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'frontdesk')"
        " AS sees_all, rolcanlogin FROM pg_catalog.pg_roles WHERE rolname = $1",
        role,
    )
    if row is None:
        return True
    if row["sees_all"]:
        raise RelayRefused(
            f"{role} administers this database, so its rights can't be limited to lines; choose another name"
        )
    if not row["rolcanlogin"]:
        raise RelayRefused(f"{role} is a group that nobody can log in as; choose another name")
    return False


async def _replace_grants(
    connection: "asyncpg.Connection", account: str, wanted: Grant
) -> tuple[tuple[str, ...], str, bool]:
    """Write the rows of a person's rights; returns lines, agent and whether they may poll.

    Raises:
        RelayRefused: they may poll and don't see all lines, so that the others would miss some.
    """
    before = await connection.fetch(
        "DELETE FROM frontdesk.grants WHERE account = $1 AND role = $2 RETURNING line_id, agent_id, may_poll",
        account,
        wanted.role,
    )
    lines = wanted.lines or tuple(sorted(row["line_id"] for row in before)) or (ALL_LINES,)
    lines = (ALL_LINES,) if ALL_LINES in lines else tuple(dict.fromkeys(lines))
    agent_id = (
        wanted.agent_id if wanted.agent_id is not None else max((row["agent_id"] for row in before), default="")
    )
    may_poll = wanted.may_poll if wanted.may_poll is not None else any(row["may_poll"] for row in before)
    if may_poll and ALL_LINES not in lines:
        raise RelayRefused(
            f"a person who may poll must see all lines; omit --line, or add --may-not-poll for {wanted.role}"
        )
    await connection.executemany(
        "INSERT INTO frontdesk.grants (account, role, line_id, agent_id, may_poll) VALUES ($1, $2, $3, $4, $5)",
        [(account, wanted.role, line, agent_id, may_poll) for line in lines],
    )
    return lines, agent_id, may_poll


async def _remove_desks(connection: "asyncpg.Connection", account: str, role: str) -> None:
    """Let another desk lead at once where the person's does, and remove their desks with what these hold."""
    desks = "(SELECT desk FROM frontdesk.desks WHERE account = $1 AND role = $2)"
    led = await connection.fetchval(
        "UPDATE frontdesk.leader SET until = pg_catalog.clock_timestamp()"
        f" WHERE account = $1 AND desk IN {desks} RETURNING true",
        account,
        role,
    )
    if led:
        await connection.execute("SELECT pg_catalog.pg_notify('frontdesk_' || $1, '0')", account)
    for table in ("claims", "lookers", "desks"):
        await connection.execute(
            f"DELETE FROM frontdesk.{table} WHERE account = $1 AND desk IN {desks}", account, role
        )


async def _other_uses(connection: "asyncpg.Connection", found: "asyncpg.Record") -> str:
    """Return what a role is used for besides the account; empty for nothing that is known."""
    if found["rolsuper"]:
        return "it administers the server"
    accounts = await connection.fetch(
        "SELECT DISTINCT account FROM frontdesk.grants g"
        " JOIN pg_catalog.pg_roles r ON r.rolname = g.role WHERE r.oid = $1",
        found["oid"],
    )
    if accounts:
        return f"it belongs to {', '.join(row[0] for row in accounts)} too"
    groups = await connection.fetch(
        "SELECT r.rolname FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON r.oid = m.roleid"
        " WHERE m.member = $1 AND r.rolname <> $2",
        found["oid"],
        DESK_ROLE,
    )
    return f"it is in {', '.join(row[0] for row in groups)} too" if groups else ""


async def _drop_role(connection: "asyncpg.Connection", role: str) -> str:
    """Drop the role; returns why it is kept as it is where that isn't possible."""
    import asyncpg

    database = await connection.fetchval("SELECT current_catalog")
    try:
        async with connection.transaction():
            await execute_named(connection, "REVOKE CONNECT ON DATABASE %I FROM %I", database, role)
            await execute_named(connection, "DROP ROLE %I", role)
    except asyncpg.DependentObjectsStillExistError:
        return "other things on the server belong to it"
    except asyncpg.InsufficientPrivilegeError:
        return "someone else created it, and only they can drop it"
    return ""

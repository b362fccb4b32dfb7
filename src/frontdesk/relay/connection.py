"""Connections to the relay, with every failure as a sentence."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from frontdesk.config.program_files import install_command
from frontdesk.config.tables import ConfigError
from frontdesk.config.team import RelayAddress, parse_relay_url

if TYPE_CHECKING:
    import asyncpg


class RelayError(Exception):
    """The relay can't be used now; the desk goes on alone."""


class RelayUnreachable(RelayError):
    """No connection, or it broke: trying again may help."""


class RelayRefused(RelayError):
    """The database refuses this desk: its password, its rights, its versions. A person must act."""


class NotAllowed(RelayRefused):
    """This role's rights don't cover what was offered; everything else may be taken."""


class PasswordRefused(RelayRefused):
    """The database refuses the role's password."""


class StaleLeader(RelayError):
    """Another desk leads now, or a claim ran out: what was offered was not taken."""


WHERE = "the team's address"


def parse_address(url: str) -> RelayAddress:
    """Parse a relay's URL, as `parse_relay_url` does.

    Raises:
        RelayRefused: it can't be used.
    """
    try:
        return parse_relay_url(url, WHERE)
    except ConfigError as error:
        raise RelayRefused(str(error)) from None


def tls_context(address: RelayAddress) -> ssl.SSLContext | bool:
    """Return how the connection is encrypted: with the certificate checked, or not at all if local.

    Raises:
        RelayRefused: the certificates to trust can't be read.
    """
    if not address.uses_tls:
        return False
    try:
        return ssl.create_default_context(cafile=address.ca_file)
    except OSError:  # ssl.SSLError is one
        raise RelayRefused(
            f"can't read certificates in {address.ca_file}; check sslrootcert in the team's address"
        ) from None


CONNECT_SECONDS = 5.0
COMMAND_SECONDS = 4.0
"""How long a statement may take. Then a desk connects again, and goes on alone if that isn't answered either."""

MIN_SERVER = 14
SOCKET_FOLDERS = ("/run/postgresql", "/var/run/postgresql", "/tmp")
"""Where a server is that has no host."""

NO_LIBRARY = f"the team needs one more package; to install it, run: {install_command('team')}"


async def connect(
    address: RelayAddress,
    password: str,
    seconds: float = COMMAND_SECONDS,
    connect_seconds: float | None = None,
) -> "asyncpg.Connection":
    """Open a connection to a server that is new enough.

    Args:
        seconds: how long each statement may take.
        connect_seconds: how long this may take; None for `CONNECT_SECONDS`.

    Raises:
        RelayError: it failed; the text says what to do.
    """
    try:
        import asyncpg

        from frontdesk.relay.scram import ScramConnection
    except ImportError:
        raise RelayRefused(NO_LIBRARY) from None
    with_tls = tls_context(address)
    async with translate_errors(address):
        connection = await asyncpg.connect(
            host=address.host or [*SOCKET_FOLDERS],  # for None, asyncpg looks into the environment
            port=address.port,
            user=address.user,
            password=password,  # an empty one too: for None, asyncpg looks into the environment and a file
            database=address.database,
            ssl=with_tls,
            direct_tls=False,
            timeout=CONNECT_SECONDS if connect_seconds is None else connect_seconds,
            command_timeout=seconds,
            server_settings={"application_name": "frontdesk"},
            connection_class=ScramConnection,
            statement_cache_size=0,  # behind pgbouncer in transaction mode a statement may meet another session
        )
    version = connection.get_server_version().major
    if version < MIN_SERVER:
        connection.terminate()
        raise RelayRefused(f"{address.name} runs PostgreSQL {version}; frontdesk needs {MIN_SERVER} or newer")
    try:
        async with translate_errors(address):
            # Others may have made functions and operators where this role looks for names. A pooler refuses
            # this as a parameter of the connection.
            _, process = await connection.fetchrow(
                "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),"
                " pg_catalog.pg_backend_pid()"
            )
            connection.is_pooled = process != connection.get_server_pid()
    except BaseException:
        connection.terminate()
        raise
    return connection


_CUT = (ConnectionError, OSError, TimeoutError, asyncio.IncompleteReadError)
"""What a connection that breaks raises; of asyncpg also its internal error, where it broke within an answer."""


@asynccontextmanager
async def translate_errors(address: RelayAddress) -> AsyncIterator[None]:
    """Turn what goes wrong inside into a `RelayError`."""
    import asyncpg

    name = address.name or "the database"
    try:
        yield
    except asyncpg.InvalidPasswordError:
        raise PasswordRefused(f"{name} refused the password of {address.user}; run `frontdesk login`") from None
    except asyncpg.InvalidAuthorizationSpecificationError:
        raise RelayRefused(
            f"{name} refused {address.user}: the role doesn't exist or may not connect this way; ask the "
            f"database administrator"
        ) from None
    except asyncpg.InvalidCatalogNameError:
        raise RelayRefused(f"{name} has no database {address.database}; check the team's address") from None
    except asyncpg.PostgresError as error:
        raise _translated(error, name, address.user) from None
    except ssl.SSLCertVerificationError as error:
        raise _refused_certificate(error, name) from None
    except (*_CUT, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        if "SSL" in str(error) and "upgrade" in str(error):
            raise RelayRefused(f"{name} doesn't offer TLS; turn `ssl` on in its configuration") from None
        raise _unreachable(name) from None


def _refused_certificate(error: ssl.SSLCertVerificationError, name: str) -> RelayRefused:
    """Return why a certificate doesn't count; the codes are OpenSSL's, of its `x509_vfy.h`."""
    if error.verify_code in (62, 64):  # the host's name or address isn't in it
        return RelayRefused(
            f"the certificate of {name} is for another name ({error.verify_message}); use the name it was issued "
            "for in the team's address"
        )
    if error.verify_code in (9, 10):  # not valid yet, expired
        return RelayRefused(
            f"the certificate of {name} isn't valid now ({error.verify_message}); renew it, or correct this "
            "machine's clock"
        )
    return RelayRefused(
        f"the certificate of {name} isn't trusted ({error.verify_message}); set sslrootcert to its certificate "
        "authority's file"
    )


def _translated(error: "asyncpg.PostgresError", name: str, user: str) -> RelayError:
    code, text = error.sqlstate or "", str(error).partition("\n")[0][:200]
    if code == "FD001":
        return StaleLeader(text)
    if code == "FD002":
        return NotAllowed(
            f"{user} has no rights at {name} for this: {text}; ask the person who runs `frontdesk team add`"
        )
    if code == "FD004":  # relay.scram's
        return RelayRefused(f"{name} {str(error).partition(chr(10))[0][:400]}")
    if code == "FD003":
        return NotAllowed(f"{name}: {text}")
    if code == "42501":  # insufficient_privilege
        return RelayRefused(f"{user} has no rights at {name}; ask the person who runs `frontdesk team add`")
    if code in ("3F000", "42P01", "42883", "42703"):  # schema, table, function or column missing
        return RelayRefused(f"{name} has no team of this version; run `frontdesk team init`, or update frontdesk")
    if code == "25006":  # read_only_sql_transaction
        return RelayRefused(f"{name} is a read-only copy; put the main server into the team's address")
    if code[:2] in ("53", "58"):  # out of disk, memory or connections; an I/O error
        return RelayUnreachable(f"{name} is out of resources ({text}); tell the database administrator")
    if code[:2] == "08":  # cut
        return _unreachable(name)
    # Shutting down, cancelled, serialization; a lock's and a transaction's time limit.
    if code[:2] in ("57", "40") or code in ("55P03", "25P03"):
        return RelayUnreachable(f"{name} can't be used now ({text}); try again in a moment")
    return RelayRefused(f"{name} reported an error ({text}); update frontdesk, or tell the database administrator")


def _unreachable(name: str) -> RelayUnreachable:
    return RelayUnreachable(f"{name} can't be reached; check the network and the team's address")

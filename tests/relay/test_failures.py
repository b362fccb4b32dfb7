"""Every failure is a sentence that says what to do, of the type that tells whether trying again may help."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path

import asyncpg
import pytest

from frontdesk.relay import connection
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import (
    NO_LIBRARY,
    PasswordRefused,
    RelayError,
    RelayRefused,
    RelayUnreachable,
    connect,
)
from postgres_server import PASSWORD, Binaries, Postgres, Team, observation, running_postgres

from .fake_servers import (
    AUTHORITY,
    Answer,
    be_a_web_server,
    be_old,
    be_silent,
    cuttable,
    fake_server,
    hang_up,
    offer_tls,
    refuse_tls,
)
from .relay_rows import everything, locked, published, until_waiting

pytestmark = pytest.mark.anyio


def says(error: RelayError, *parts: str) -> None:
    """Assert that a text is one sentence for people with these parts."""
    text = str(error)
    for part in parts:
        assert part in text
    assert "\n" not in text
    assert "asyncpg" not in text
    assert PASSWORD not in text
    assert error.__suppress_context__ or error.__context__ is None


# Logging in


async def test_a_wrong_password_is_told(team: Team) -> None:
    address = team.add("noa")
    for wrong in ("wrong", ""):
        with pytest.raises(PasswordRefused) as refused:
            await connect(address, wrong)
        says(refused.value, "noa", "frontdesk login")


async def test_an_unknown_role_is_told(team: Team) -> None:
    with pytest.raises(RelayRefused) as refused:
        await connect(team.address("nobody_here"), PASSWORD)
    says(refused.value, "nobody_here", "frontdesk login")


async def test_a_role_that_may_not_log_in_is_told(team: Team) -> None:
    address = team.add("noa")
    team.execute("ALTER ROLE noa NOLOGIN")
    with pytest.raises(RelayRefused) as refused:
        await connect(address, PASSWORD)
    says(refused.value, "noa", "ask the database administrator")


async def test_an_unknown_database_is_told(team: Team) -> None:
    address = team.add("noa")._replace(database="elsewhere")
    with pytest.raises(RelayRefused) as refused:
        await connect(address, PASSWORD)
    says(refused.value, "elsewhere", "check the team's address")


async def test_a_database_that_the_role_may_not_connect_to_is_told(team: Team) -> None:
    address = team.add("noa")
    team.execute(f"REVOKE CONNECT ON DATABASE {team.database} FROM public")
    with pytest.raises(RelayRefused) as refused:
        await connect(address, PASSWORD)
    says(refused.value, "noa has no rights", "frontdesk team add")


async def test_too_many_connections_are_told_and_may_pass(team: Team) -> None:
    team.add("noa")
    team.execute("ALTER ROLE noa CONNECTION LIMIT 1")
    async with team.desk("noa"):
        with pytest.raises(RelayUnreachable) as failed:
            await team.open("noa")
    team.execute("ALTER ROLE noa CONNECTION LIMIT -1")
    says(failed.value, "too many connections", "tell the database administrator")


async def test_a_missing_library_is_told(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    address = team.add("noa")
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(RelayRefused) as refused:
        await connect(address, PASSWORD)
    assert str(refused.value) == NO_LIBRARY


# The server


@pytest.mark.parametrize("answer", [be_silent, hang_up, be_a_web_server])
@pytest.mark.parametrize("is_local", [True, False])
async def test_a_server_that_is_no_postgresql_is_told(
    answer: Answer, is_local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if answer is be_silent or (answer is be_a_web_server and is_local):  # which is waited for until the end
        monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.05)
    async with fake_server(answer, is_local) as address:
        with pytest.raises(RelayError) as failed:
            await connect(address, PASSWORD)
    if answer is be_a_web_server and not is_local:
        says(failed.value, "127.0.0.1", "doesn't offer TLS")
    else:
        says(failed.value, "127.0.0.1", "check the network and the team's address")


async def test_nobody_at_the_address_is_told(team: Team, tmp_path: Path) -> None:
    async with fake_server(be_silent) as closed:
        pass
    for address in (closed, closed._replace(host=str(tmp_path)), closed._replace(host="relay.invalid")):
        with pytest.raises(RelayUnreachable) as failed:
            await connect(address, PASSWORD)
        says(failed.value, address.host, "check the network and the team's address")


async def test_a_server_that_is_too_old_is_told() -> None:
    async with fake_server(be_old) as address:
        with pytest.raises(RelayRefused) as refused:
            await connect(address, PASSWORD)
    says(refused.value, "PostgreSQL 13", "needs 14 or newer")


async def test_no_tls_at_another_host_is_refused_before_the_password_leaves() -> None:
    async with fake_server(refuse_tls, is_local=False) as address:
        with pytest.raises(RelayRefused) as refused:
            await connect(address, PASSWORD)
    says(refused.value, "doesn't offer TLS", "turn `ssl` on")


@pytest.mark.parametrize("name", [None, "ca.pem"])
async def test_a_certificate_of_nobody_or_of_another_name_is_refused(tmp_path: Path, name: str | None) -> None:
    ca_file = None if name is None else str(tmp_path / name)
    if ca_file is not None:
        AUTHORITY.cert_pem.write_to_path(ca_file)
    async with fake_server(offer_tls, is_local=False, ca_file=ca_file) as address:
        with pytest.raises(RelayRefused) as refused:
            await connect(address, PASSWORD)
    parts = ("is for another name (IP", "use the name") if ca_file else ("isn't trusted (unable", "sslrootcert")
    says(refused.value, *parts)


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_a_file_of_certificates_that_cannot_be_read_is_told(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    async with fake_server(offer_tls, is_local=False, ca_file=str(file)) as address:
        with pytest.raises(RelayRefused) as refused:
            await connect(address, PASSWORD)
    says(refused.value, str(file), "check sslrootcert")


# The schema


async def test_a_database_without_the_schema_is_told(postgres: Postgres) -> None:
    database = postgres.new_database(None)
    postgres.execute(database, EVE)
    address = postgres.address("eve", database)
    for schema in ("", "CREATE SCHEMA frontdesk; GRANT USAGE ON SCHEMA frontdesk TO public;"):
        postgres.execute(database, schema)
        client = await RelayClient.open(address, PASSWORD, "acme", "d1")
        for call in (client.account_state(), client.join("eve"), client.since(0, 10)):
            with pytest.raises(RelayRefused) as refused:
                await call
            says(refused.value, "frontdesk team init")
        await client.close()
    postgres.drop_database(database)


EVE = (
    "DO $$ BEGIN CREATE ROLE eve; EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
    f"ALTER ROLE eve LOGIN PASSWORD '{PASSWORD}'"
)

FOREIGN = """
CREATE SCHEMA frontdesk;
CREATE TABLE frontdesk.accounts (id int, name text);
CREATE TABLE frontdesk.grants (account text, line_id text, may_poll boolean, agent_id text);
GRANT USAGE ON SCHEMA frontdesk TO public;
GRANT SELECT ON ALL TABLES IN SCHEMA frontdesk TO public;
"""


async def test_a_schema_of_the_same_name_that_is_something_else_is_told(postgres: Postgres) -> None:
    database = postgres.new_database(FOREIGN)
    postgres.execute(database, EVE)
    client = await RelayClient.open(postgres.address("eve", database), PASSWORD, "acme", "d1")
    for call in (client.account_state(), client.lease(1)):
        with pytest.raises(RelayRefused) as refused:
            await call
        says(refused.value, "frontdesk team init")
    await client.close()
    postgres.drop_database(database)


async def test_missing_functions_are_told(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        team.execute("DROP FUNCTION frontdesk.lease, frontdesk.share")
        for call in (noa.lease(1), noa.share("note", "n-1", "l1", "{}")):
            with pytest.raises(RelayRefused) as refused:
                await call
            says(refused.value, "frontdesk team init", "update frontdesk")


async def test_a_role_outside_the_team_has_no_rights(team: Team) -> None:
    team.add("noa", [])
    noa = await team.open("noa")
    for call in (noa.account_state(), noa.join("noa"), noa.lease(1), noa.share("note", "n-1", "", "{}")):
        with pytest.raises(RelayRefused) as refused:
            await call
        says(refused.value, "noa has no rights", "frontdesk team add")
    team.execute("REVOKE frontdesk_desk FROM noa")
    for call in (noa.account_state(), noa.join("noa"), noa.since(0, 1)):
        with pytest.raises(RelayRefused) as refused:
            await call
        says(refused.value, "noa has no rights", "frontdesk team add")
    await noa.close()


async def test_an_account_that_does_not_exist_is_told(team: Team) -> None:
    team.add("noa")
    noa = await team.open("noa", account="another")
    with pytest.raises(RelayRefused) as refused:
        await noa.account_state()
    says(refused.value, "noa has no rights in another", "frontdesk team add")
    await noa.close()


async def test_a_team_of_a_newer_version_is_told(team: Team) -> None:
    team.add("noa")
    team.execute("UPDATE frontdesk.accounts SET min_reader = 2")
    async with team.desk("noa") as noa:
        with pytest.raises(RelayRefused) as refused:
            await noa.account_state()
    says(refused.value, "newer frontdesk", "update this one")


# Errors of a statement


ERRORS = {
    "53100": (RelayUnreachable, "out of resources"),  # disk full
    "53200": (RelayUnreachable, "out of resources"),  # out of memory
    "58030": (RelayUnreachable, "out of resources"),  # I/O error
    "40001": (RelayUnreachable, "try again"),
    "40P01": (RelayUnreachable, "try again"),
    "55P03": (RelayUnreachable, "try again"),  # somebody keeps a lock for too long
    "25P03": (RelayUnreachable, "try again"),
    "57014": (RelayUnreachable, "try again"),  # cancelled, such as by a statement timeout
    "57P03": (RelayUnreachable, "try again"),
    "25006": (RelayRefused, "put the main server into the team's address"),
    "22P02": (RelayRefused, "tell the database administrator"),
    "XX001": (RelayRefused, "tell the database administrator"),
    "P0001": (RelayRefused, "tell the database administrator"),
    "FD999": (RelayRefused, "tell the database administrator"),
}


async def test_each_error_of_the_database_is_told(team: Team) -> None:
    team.add("noa")
    team.execute(
        "CREATE OR REPLACE FUNCTION frontdesk.claim(p text, d text, t text, seconds float8) RETURNS bigint"
        " LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION E'could not extend file\\nCONTEXT: more' USING ERRCODE = t; END $$"
    )
    noa = await team.open("noa")
    for code, (kind, told) in ERRORS.items():
        with pytest.raises(RelayError) as failed:
            await noa.claim(code, 1)
        assert type(failed.value) is kind
        says(failed.value, told)
        assert await noa.position() == 0
    await noa.close()


async def test_a_statement_that_takes_too_long_is_given_up(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    address = team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(60) or 0
        publication = noa._connection.transaction()
        await publication.start()
        await noa.observe(token, [observation("t-1")])
        other = await RelayClient.open(address, PASSWORD, "acme", "d2", seconds=600)
        assert other._connection._config.command_timeout == 600
        with monkeypatch.context() as hurried:
            statement = asyncpg.prepared_stmt.PreparedStatement
            hurried.setattr(statement, "fetch", partialmethod(statement.fetch, timeout=0.05))
            with pytest.raises(RelayUnreachable) as failed:
                await other.share("note", "n-1", "", "{}")
        says(failed.value, "can't be reached")
        await publication.commit()
        assert await other.position() in (1, 2)  # it may have been taken before it was cancelled
        await other.close()


# A connection that ends


async def test_a_connection_that_is_ended_is_told_at_once_and_by_the_next_call(team: Team) -> None:
    team.add("noa")
    woken = asyncio.Event()
    noa = await team.open("noa", notified=woken.set)
    team.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'noa'")
    await asyncio.wait_for(woken.wait(), 60)
    assert noa.is_closed
    for _ in range(2):
        with pytest.raises(RelayUnreachable):
            await noa.position()
    await noa.close()


async def test_a_connection_that_is_ended_in_a_publication_leaves_nothing_half(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa, team.desk("noa") as other:
        token = await noa.lease(60) or 0
        await noa.observe(token, [observation("t-0"), observation("t-5")])
        before = everything(team, "accounts", "observed")
        async with locked(team, "SELECT FROM frontdesk.observed WHERE id = 't-5' FOR UPDATE"):
            publication = asyncio.create_task(
                noa.observe(token, [observation(f"t-{n}", digest="d2") for n in range(10)])
            )
            await until_waiting(team)  # with five of ten written
            team.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            with pytest.raises(RelayUnreachable) as failed:
                await publication
        says(failed.value, team.address("noa").host)
        assert everything(team, "accounts", "observed") == before
        await other.share("note", "n-1", "", "{}")
        assert [row.position for row in await other.since(0, 20)] == [1, 2, 3]


async def test_a_line_that_is_cut_in_a_publication_leaves_all_or_nothing(team: Team) -> None:
    address = team.add("noa", may_poll=True)
    async with cuttable(address) as (through, cut), team.desk("noa") as other:
        noa = await RelayClient.open(through, PASSWORD, "acme", "d1")
        await noa.join("noa")
        token = await noa.lease(60) or 0
        await noa.observe(token, [observation("t-5", asked_at=1.0)])
        async with locked(team, "SELECT FROM frontdesk.observed WHERE id = 't-5' FOR UPDATE"):
            publication = asyncio.create_task(
                noa.observe(token, [observation(f"t-{n}", digest="d2") for n in range(10)])
            )
            await until_waiting(team)
            cut()
            with pytest.raises(RelayUnreachable) as failed:
                await publication
            assert published(team) == [(1, "task", "t-5", "d1")]
        says(failed.value, "127.0.0.1")
        await noa.close()
        with pytest.raises(RelayUnreachable):
            await connect(through, PASSWORD)
        # Whether the statement ends or is given up, this one waits for it.
        await other.share("note", "n-1", "", "{}")
        positions = [row.position for row in await other.since(0, 20)]
        assert positions in ([1, 2], [*range(2, 13)])


async def test_a_server_that_shuts_down_is_told(
    postgres_binaries: Binaries, postgres_folder: Callable[[], Path]
) -> None:
    folder = postgres_folder()
    with running_postgres(postgres_binaries, folder) as server:
        server.execute("postgres", f"CREATE ROLE noa LOGIN PASSWORD '{PASSWORD}'")
        address = server.address("noa", "postgres")
        ended = asyncio.Event()
        noa = await RelayClient.open(address, PASSWORD, "acme", "d1", ended.set)
        os.kill(int((folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGINT)
        await asyncio.wait_for(ended.wait(), 60)
        for call in (noa.position(), connect(address, PASSWORD)):
            with pytest.raises(RelayUnreachable) as failed:
                await call
            says(failed.value)
        await noa.close()


async def test_a_client_that_cannot_listen_leaves_no_connection(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise asyncpg.ConnectionDoesNotExistError("cut")

    address = team.add("noa")
    opened = []

    async def note(*args: object) -> asyncpg.Connection:
        opened.append(await connect(*args))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr("frontdesk.relay.client.connect", note)
    monkeypatch.setattr(asyncpg.Connection, "add_listener", fail)
    with pytest.raises(RelayUnreachable):
        await RelayClient.open(address, PASSWORD, "acme", "d1")
    assert opened[0].is_closed()


async def test_a_closed_client_stays_closed(team: Team) -> None:
    team.add("noa")
    async with team.desk("noa") as noa:
        pass
    assert noa.is_closed
    await noa.close()
    with pytest.raises(RelayUnreachable):
        await noa.since(0, 1)

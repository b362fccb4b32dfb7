"""A schema public that everybody may write to, with functions and operators that the relay's statements name.

PostgreSQL 14 made it so, and upgrades keep it: what a member puts there must not run with anybody else's rights.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from frontdesk.config.team import RelayAddress
from frontdesk.relay.admin import InitOptions, forget_customer, init_account, open_as_owner
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayRefused
from frontdesk.relay.people import Grant, add_person, remove_person
from frontdesk.relay.status import read_status
from postgres_server import OWNER, PASSWORD, Postgres

pytestmark = pytest.mark.anyio

FUNCTIONS = {
    "format(text, text)": "text",
    "format(text, text, text)": "text",
    "format(text, text, text, text)": "text",
    "has_schema_privilege(text, oid, text)": "boolean",
    "nextval(text)": "bigint",
    "setval(text, bigint)": "bigint",
    "pg_terminate_backend(integer)": "boolean",
    "to_regnamespace(varchar)": "regnamespace",
}
"""Which PostgreSQL prefers to its own for the types that the statements have."""

HOSTILE = """
CREATE TABLE public.caught (role name, what text);
GRANT INSERT ON public.caught TO PUBLIC;
CREATE FUNCTION public.catch(text) RETURNS void LANGUAGE sql AS
    'INSERT INTO public.caught VALUES (current_user, $1)';
CREATE FUNCTION public.collect(text[], text) RETURNS text[] LANGUAGE sql AS
    'SELECT public.catch(''array_agg''); SELECT $1 || $2';
CREATE AGGREGATE public.array_agg(text) (SFUNC = public.collect, STYPE = text[]);
""" + "".join(
    f"CREATE FUNCTION public.{signature} RETURNS {type_} LANGUAGE sql AS"
    f" 'SELECT public.catch(''{signature}''); SELECT NULL::{type_}';"
    for signature, type_ in FUNCTIONS.items()
)

OPERATORS = """
CREATE FUNCTION public.multiply(interval, interval) RETURNS interval LANGUAGE sql AS
    'SELECT public.catch(''*''); SELECT $2';
CREATE OPERATOR public.* (FUNCTION = public.multiply, LEFTARG = interval, RIGHTARG = interval);
"""


@pytest.fixture
def database(postgres: Postgres) -> Iterator[str]:
    """An empty database with a role mallory, who may connect and has planted what there is in public."""
    name = postgres.new_database(None)
    mallory = f"mallory_{name}"
    postgres.execute(name, f"CREATE ROLE {mallory}; GRANT CREATE ON SCHEMA public TO PUBLIC")
    postgres.execute(name, f"SET ROLE {mallory};" + HOSTILE + OPERATORS)
    yield name
    postgres.drop_database(name)
    roles = postgres.execute(OWNER, f"SELECT rolname FROM pg_roles WHERE rolname LIKE '%{name}'")
    for [role] in roles:
        postgres.execute(OWNER, f"DROP ROLE {role}")


@asynccontextmanager
async def session_of(address: RelayAddress, *, is_pooled: bool) -> AsyncIterator[asyncpg.Connection]:
    """A session of the owner; behind a pooler it may be another one at each transaction, with no settings."""
    async with open_as_owner(address, "") as connection:
        if is_pooled:
            await connection.execute("RESET search_path")
        yield connection


def caught(postgres: Postgres, database: str) -> list[list[str]]:
    return postgres.execute(database, "SELECT DISTINCT role, what FROM public.caught")


@pytest.mark.parametrize("is_pooled", [False, True])
async def test_what_a_member_made_in_public_is_not_run_by_the_owner(
    postgres: Postgres, database: str, is_pooled: bool
) -> None:
    address, noa = postgres.address(OWNER, database), f"noa_{database}"
    async with session_of(address, is_pooled=is_pooled) as owner:
        done = await init_account(owner, "acme", InitOptions())
        assert done.is_public_closed
        for grant in (Grant(noa), Grant(noa, agent_id="agent-noa", may_poll=True)):
            await add_person(owner, "acme", grant, new_password=True)
        assert not (await init_account(owner, "acme", InitOptions(is_restored=True))).is_public_closed
        await forget_customer(owner, "acme", "9725")
        await remove_person(owner, "acme", noa)
    assert caught(postgres, database) == []


@pytest.mark.parametrize("is_pooled", [False, True])
async def test_what_a_member_made_in_public_is_not_run_by_another_members_desk(
    postgres: Postgres, database: str, is_pooled: bool
) -> None:
    role = f"noa_{database}"
    async with open_as_owner(postgres.address(OWNER, database), "") as owner:
        await init_account(owner, "acme", InitOptions())
        password = (await add_person(owner, "acme", Grant(role, may_poll=True), new_password=False)).password
    address = postgres.address(role, database)
    status = await read_status(address, password, "acme")
    assert not status.is_public_open
    assert status.is_limited
    noa = await RelayClient.open(address, password, "acme", "d1")
    if is_pooled:
        await noa._connection.execute("RESET search_path")
    path = await noa._connection.fetchval("SELECT pg_catalog.current_setting('search_path')")
    assert path == "pg_catalog, pg_temp"
    await noa.account_state()
    await noa.join("noa")
    await noa.observe(await noa.lease(10) or 0, [])
    await noa.look([("", "{}")], 0)
    await noa.lookers(60)
    await noa.desk_count(60)
    await noa.since(0, 10)
    await noa.newest_page("x")
    await noa.close()
    assert caught(postgres, database) == []


async def test_a_name_that_is_not_qualified_would_be_caught(postgres: Postgres, database: str) -> None:
    """What keeps the tests above from proving nothing: the traps work where nothing is done against them."""
    address = postgres.address(OWNER, database)
    async with session_of(address, is_pooled=True) as owner:
        await owner.fetch(
            "SELECT format($1, $2::text), array_agg('x'::text), $3 * interval '1 s'", "%s", "x", None
        )
    assert {what for _, what in caught(postgres, database)} == {"format(text, text)", "array_agg", "*"}


@pytest.mark.parametrize("setting", ["RESET search_path", "SET search_path = public, pg_catalog"])
async def test_a_desk_uses_no_search_path_of_its_role(postgres: Postgres, database: str, setting: str) -> None:
    """A role of before has none; one that its person has set holds for their other sessions."""
    role = f"noa_{database}"
    async with open_as_owner(postgres.address(OWNER, database), "") as owner:
        await init_account(owner, "acme", InitOptions())
        password = (await add_person(owner, "acme", Grant(role), new_password=False)).password
    postgres.execute(database, f"ALTER ROLE {role} IN DATABASE {database} {setting}")
    noa = await RelayClient.open(postgres.address(role, database), password, "acme", "d1")
    await noa.account_state()
    await noa.lookers(60)
    await noa.close()
    assert caught(postgres, database) == []


async def test_a_public_schema_that_the_owner_may_not_close_is_refused(postgres: Postgres, database: str) -> None:
    boss = f"boss_{database}"
    postgres.execute(
        database,
        f"ALTER SCHEMA public OWNER TO {OWNER}; CREATE ROLE {boss} CREATEROLE LOGIN PASSWORD '{PASSWORD}';"
        f"ALTER DATABASE {database} OWNER TO {boss}",
    )
    address = postgres.address(OWNER, database)._replace(user=boss)
    async with open_as_owner(address, PASSWORD) as owner:
        with pytest.raises(RelayRefused, match="REVOKE CREATE ON SCHEMA public FROM PUBLIC; then try again"):
            await init_account(owner, "acme", InitOptions())
    assert postgres.execute(database, "SELECT pg_catalog.to_regnamespace('frontdesk') IS NULL") == [["t"]]
    assert caught(postgres, database) == []
    postgres.execute(database, f"ALTER DATABASE {database} OWNER TO {OWNER}")

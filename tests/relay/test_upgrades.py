"""Databases of each released version become as new ones, and keep what they hold.

`released` has the functions of each version before this one; the tables are made by the steps of schema.sql.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frontdesk.relay.admin import TABLES, InitOptions, init_account, open_as_owner, schema_steps
from frontdesk.relay.connection import RelayRefused
from frontdesk.relay.records import SCHEMA_VERSION
from postgres_server import OWNER, Postgres

RELEASED = Path(__file__).with_name("released")
VERSIONS = range(1, SCHEMA_VERSION)

STEPS = (
    "9f57fdb3ff9cdd41",
    "eb471f44ff22e8ef",
    "c3758f52f19e1b76",
)
"""The beginning of each step's SHA-256: a database that has taken it never takes another one in its place."""

ROWS = {
    "grants": "('acme', 'noa', '*', 'agent-noa', true), ('acme', 'dan', 'l1', 'agent-dan', false)",
    "desks": "('acme', 'd-1', 'noa', 'noa@desk', 1, 7, '2026-11-27')",
    "leader": "('acme', 41, 'd-1', 'noa@desk', '2026-11-27')",
    "observed": "('acme', 'task', 't-1', 'l1', 6, 1.5, 41, 'd1', '{\"title\": \"A\"}'),"
    " ('acme', 'message', 'm-1', '', 7, 2.5, 41, 'd2', '{}')",
    "lookers": "('acme', 'd-1', 'agent-noa', 'noa@desk', '2026-11-27', 'l1', '{}')",
    "claims": "('acme', 'task t-1', 'l1', 42, 'd-1', 'noa@desk', '2026-11-27')",
    "shared": "('acme', 'note', 'n-1', 'l1', 5, 'noa', 'agent-noa', '2026-11-27', '{\"text\": \"hello\"}')",
    "quotas": "('acme', 'noa', '2026-11-27', 1234)",
}
JOURNAL = (
    "INSERT INTO frontdesk.journal (account, role, agent_id, line_id, ref, verb, target, before, after, outcome)"
    " VALUES ('acme', 'noa', 'agent-noa', 'l1', 'd-1 1', 'edit', 'task t-1', '{}', '{}', 'confirmed')"
)

CATALOGUE = {
    "schema": "SELECT array(SELECT unnest(nspacl)::text ORDER BY 1) FROM pg_namespace WHERE nspname = 'frontdesk'",
    "relations": "SELECT relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity,"
    " array(SELECT unnest(relacl)::text ORDER BY 1) FROM pg_class WHERE relnamespace = 'frontdesk'::regnamespace"
    " ORDER BY 1",
    "columns": "SELECT attrelid::regclass::text, attnum, attname, atttypid::regtype, attnotnull, attidentity,"
    " pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
    " WHERE attrelid::regclass::text LIKE 'frontdesk.%' AND attnum > 0 ORDER BY 1, 2",
    "conditions": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'frontdesk'::regnamespace ORDER BY 1, 2",
    "index columns": "SELECT pg_get_indexdef(indexrelid) FROM pg_index"
    " WHERE indexrelid::regclass::text LIKE 'frontdesk.%' ORDER BY 1",
    "policies": "SELECT tablename, policyname, permissive, roles, cmd, qual, with_check FROM pg_policies"
    " WHERE schemaname = 'frontdesk' ORDER BY 1, 2",
    "functions": "SELECT oid::regprocedure::text, md5(pg_get_functiondef(oid)),"
    " array(SELECT unnest(proacl)::text ORDER BY 1) FROM pg_proc WHERE pronamespace = 'frontdesk'::regnamespace"
    " ORDER BY 1",
}


@pytest.fixture
def new_database(postgres: Postgres) -> Iterator[str]:
    yield (name := postgres.new_database(None))
    postgres.drop_database(name)


def make_version(postgres: Postgres, name: str, version: int) -> None:
    """Make a database as a released version has, with a row in each table."""
    functions = (RELEASED / f"functions_{version}.sql").read_text(encoding="utf-8")
    postgres.execute(name, "".join([*schema_steps()[:version], functions]))
    rows = {table: values for table, values in ROWS.items() if version >= 2 or table != "quotas"}
    inserts = [f"INSERT INTO frontdesk.{table} VALUES {values}" for table, values in rows.items()]
    account = "INSERT INTO frontdesk.accounts (account, position, retention_days) VALUES ('acme', 7, 14)"
    postgres.execute(name, ";\n".join([account, *inserts, JOURNAL, "SELECT nextval('frontdesk.tokens')"]))


def catalogue(postgres: Postgres, name: str) -> dict[str, list[list[str]]]:
    return {what: postgres.execute(name, query) for what, query in CATALOGUE.items()}


def rows_of(postgres: Postgres, name: str) -> dict[str, list[dict[str, Any]]]:
    """Return all rows but the version of their account."""
    found = {}
    for table in (*TABLES, "quotas"):
        if postgres.execute(name, f"SELECT to_regclass('frontdesk.{table}')") != [[""]]:
            texts = postgres.execute(name, f"SELECT to_jsonb(t) - 'schema' FROM frontdesk.{table} t ORDER BY 1")
            found[table] = [json.loads(text) for (text,) in texts]
    return found


def upgrade(postgres: Postgres, name: str) -> None:
    async def init() -> None:
        async with open_as_owner(postgres.address(OWNER, name), "") as connection:
            await init_account(connection, "acme", InitOptions())

    asyncio.run(init())


def test_no_released_step_was_changed() -> None:
    assert len(schema_steps()) == SCHEMA_VERSION
    assert tuple(hashlib.sha256(each.strip().encode()).hexdigest()[:16] for each in schema_steps()) == STEPS
    assert sorted(each.name for each in RELEASED.iterdir()) == [f"functions_{each}.sql" for each in VERSIONS]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_a_released_version_becomes_as_a_new_one_and_keeps_its_rows(
    postgres: Postgres, new_database: str, version: int
) -> None:
    make_version(postgres, new_database, version)
    before = rows_of(postgres, new_database)
    assert len(before) == len(TABLES) + (version >= 2)
    assert all(before.values())
    upgrade(postgres, new_database)
    after = rows_of(postgres, new_database)
    for table, rows in before.items():
        kept = [{key: each[key] for key in rows[0]} for each in after[table]]
        assert kept == rows, table
    assert postgres.execute(new_database, "SELECT schema FROM frontdesk.accounts") == [[str(SCHEMA_VERSION)]]
    fresh = postgres.new_database(None)
    upgrade(postgres, fresh)
    expected = catalogue(postgres, fresh)
    assert all(expected.values())
    assert catalogue(postgres, new_database) == expected
    postgres.drop_database(fresh)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgrade_that_fails_changes_nothing(postgres: Postgres, new_database: str, version: int) -> None:
    make_version(postgres, new_database, version)
    postgres.execute(
        new_database,
        "DROP FUNCTION frontdesk.retain(text);"
        "CREATE FUNCTION frontdesk.retain(text) RETURNS text LANGUAGE sql AS 'SELECT $1'",
    )
    before = catalogue(postgres, new_database), rows_of(postgres, new_database)
    with pytest.raises(RelayRefused, match="return type"):
        upgrade(postgres, new_database)
    assert (catalogue(postgres, new_database), rows_of(postgres, new_database)) == before

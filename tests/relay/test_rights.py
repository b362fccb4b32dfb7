"""Rights: what each role reads and can call, over random grants and calls, and tricks around it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.relay.records import JournalEntry
from postgres_server import PASSWORD, Postgres, Team, new_team, observation

from .relay_rows import TABLES

FUNCTIONS = {
    *("join_desk", "lease", "release", "observe", "lacking", "claim", "unclaim", "report"),
    *("look", "leave", "share", "record", "retain"),
}
"""What people may call; each decides by who has logged in."""

ACCOUNTS, PEOPLE, LINES = ("acme", "other"), ("noa", "dan", "gil"), ("l1", "l2", "l3")


# What the catalogue says


def test_people_may_call_the_listed_functions_alone(team: Team) -> None:
    team.add("noa")
    rows = team.execute(
        "SELECT proname, has_function_privilege('noa', oid, 'EXECUTE'), prosecdef, array_to_string(proconfig, ';')"
        " FROM pg_proc WHERE pronamespace = 'frontdesk'::regnamespace"
    )
    assert {name for name, may_call, *_ in rows if may_call == "t"} == FUNCTIONS
    assert {(is_definer, config) for *_, is_definer, config in rows} == {("t", "search_path=pg_catalog, pg_temp")}


def test_people_may_read_tables_and_nothing_else(team: Team) -> None:
    team.add("noa")
    rows = team.execute(
        "SELECT c.relname, c.relkind, c.relrowsecurity, (SELECT string_agg(p, ',')"
        " FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p"
        " WHERE c.relkind = 'r' AND has_table_privilege('noa', c.oid, p)),"
        " c.relkind = 'S' AND has_sequence_privilege('noa', c.oid, 'USAGE, SELECT, UPDATE')"
        " FROM pg_class c"
        " WHERE c.relnamespace = 'frontdesk'::regnamespace AND c.relkind IN ('r', 'S', 'v', 'm', 'f')"
    )
    assert {(name, secured, rights) for name, kind, secured, rights, _ in rows if kind == "r"} == {
        ("quotas", "t", ""),
        *((name, "t", "SELECT") for name in TABLES),
    }
    assert {(name, usable) for name, kind, *_, usable in rows if kind != "r"} == {
        ("tokens", "f"),
        ("journal_entry_seq", "f"),
    }
    assert team.execute("SELECT has_schema_privilege('noa', 'frontdesk', 'CREATE')") == [["f"]]


def test_a_role_outside_the_team_may_do_nothing(team: Team) -> None:
    team.execute("DO $$ BEGIN CREATE ROLE stranger; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    assert team.execute(
        "SELECT has_schema_privilege('stranger', 'frontdesk', 'USAGE')"
        " OR (SELECT bool_or(has_function_privilege('stranger', oid, 'EXECUTE')) FROM pg_proc"
        " WHERE pronamespace = 'frontdesk'::regnamespace)"
        " OR (SELECT bool_or(has_table_privilege('stranger', oid, 'SELECT')) FROM pg_class"
        " WHERE relnamespace = 'frontdesk'::regnamespace AND relkind = 'r')"
    ) == [["f"]]


# Tricks

SECRET = "only of line 2"


@asynccontextmanager
async def eves_session(team: Team) -> AsyncIterator[asyncpg.Connection]:
    """A session of somebody with line 1, beside rows of line 2."""
    team.add("noa", may_poll=True)
    team.add("eve", ["l1"])
    async with team.desk("noa") as noa:
        await noa.observe(
            await noa.lease(60) or 0, [observation("t-1", "l1"), observation("t-2", "l2", digest=SECRET)]
        )
        await noa.share("note", "n-2", "l2", SECRET)
        await noa.look([("l2", SECRET)], 1)
        await noa.record(JournalEntry(0.0, "", "", "l2", "", "assign", "task t-2", SECRET, "", ""))
        await noa.claim("task t-2", 60)
        async with team.desk("eve") as eve:
            yield eve._connection


READ_ALL = " UNION ALL ".join(
    f"SELECT t::text FROM frontdesk.{each} t" for each in ("observed", "shared", "lookers", "journal", "claims")
)


@pytest.mark.anyio
async def test_another_role_in_the_session_shows_nothing_more(team: Team) -> None:
    async with eves_session(team) as session:
        for role in ("postgres", "noa", "pg_read_all_data"):
            for statement in (f"SET ROLE {role}", f"SET SESSION AUTHORIZATION {role}"):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await session.execute(statement)
        await session.execute("SET ROLE frontdesk_desk")
        rows = await session.fetch(READ_ALL)
        assert len(rows) == 1
        assert SECRET not in str(rows)
        with pytest.raises(asyncpg.PostgresError, match="no rights"):
            await session.execute("SELECT frontdesk.share('acme', 'note', 'n-3', 'l2', '{}')")


@pytest.mark.anyio
async def test_switching_policies_off_is_an_error(team: Team) -> None:
    async with eves_session(team) as session:
        await session.execute("SET row_security = off")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await session.fetch("SELECT * FROM frontdesk.observed")
        for statement in (
            "ALTER TABLE frontdesk.observed DISABLE ROW LEVEL SECURITY",
            "DROP POLICY of_my_lines ON frontdesk.observed",
            "CREATE POLICY mine ON frontdesk.observed USING (true)",
            "ALTER ROLE eve BYPASSRLS",
            "GRANT frontdesk_desk TO eve WITH ADMIN OPTION",
            "CREATE FUNCTION frontdesk.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "ALTER FUNCTION frontdesk.retain(text) SET search_path = pg_temp",
            "SELECT pg_read_file('PG_VERSION')",
            "COPY frontdesk.observed TO PROGRAM 'cat'",
            "COPY frontdesk.observed FROM STDIN",
            "SELECT * FROM frontdesk.observed FOR UPDATE",
            "LOCK TABLE frontdesk.accounts IN SHARE MODE",
            "SELECT nextval('frontdesk.tokens')",
        ):
            with pytest.raises(asyncpg.PostgresError):
                await session.execute(statement)


@pytest.mark.anyio
async def test_a_function_in_a_condition_sees_no_row_of_another_line(team: Team) -> None:
    async with eves_session(team) as session:
        notices: list[str] = []
        session.add_log_listener(lambda _, notice: notices.append(str(notice)))
        await session.execute(
            "CREATE FUNCTION pg_temp.peek(v text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS"
            " $$ BEGIN RAISE NOTICE 'peeked %', v; RETURN true; END $$;"
            "CREATE TEMP VIEW all_of_it AS SELECT body, line_id FROM frontdesk.observed"
        )
        for source in ("frontdesk.observed", "all_of_it"):
            await session.fetch(f"SELECT * FROM {source} WHERE pg_temp.peek(body)")
            await session.fetch(f"SELECT * FROM {source} WHERE line_id = 'l2' AND pg_temp.peek(body)")
            await session.fetch(f"SELECT count(*) FILTER (WHERE pg_temp.peek(body)) FROM {source}")
            with suppress(asyncpg.PostgresError):  # it would name the value
                await session.fetch(f"SELECT body::int FROM {source} WHERE line_id = 'l2'")
        assert any("peeked" in each for each in notices)
        assert SECRET not in str(notices)


@pytest.mark.anyio
async def test_the_planners_statistics_show_nothing(team: Team) -> None:
    async with eves_session(team) as session:
        team.execute("ANALYZE")
        assert await session.fetchval("SELECT count(*) FROM pg_stats WHERE schemaname = 'frontdesk'") == 0
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await session.fetchval("SELECT count(*) FROM pg_statistic")
        activity = await session.fetch("SELECT query FROM pg_stat_activity WHERE usename <> 'eve'")
        assert all(row["query"] in (None, "<insufficient privilege>") for row in activity)


@pytest.mark.anyio
async def test_a_function_of_the_inside_cannot_be_called(team: Team) -> None:
    async with eves_session(team) as session:
        for call in ("put_observations('acme', 1, '[]')", "require_member('acme')", "has_line('acme', 'l2')"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await session.execute(f"SELECT frontdesk.{call}")


@pytest.mark.anyio
async def test_an_error_of_a_function_says_nothing_of_another_line(team: Team) -> None:
    async with eves_session(team) as session:
        for call in (
            "share('acme', 'note', 'n-2', 'l1', 'x')",
            "claim('acme', 'desk-1', 'task t-2', 1)",
            'report(\'acme\', 1, \'{"kind": "task", "id": "t-2", "line": "l1"}\')',
            "join_desk('acme', 'desk-1', 'eve', 1)",
        ):
            with pytest.raises(asyncpg.PostgresError) as refused:
                await session.execute(f"SELECT frontdesk.{call}")
            assert SECRET not in str(refused.value.as_dict())


# Random grants and calls


@dataclass(frozen=True)
class Grant:
    account: str
    role: str
    line_id: str
    may_poll: bool


@dataclass(frozen=True)
class Call:
    """A call of a function by a person; `sql` names no schema."""

    role: str
    account: str
    sql: str


Grants = Sequence[Grant]


def may_see(grants: Grants, role: str, account: str, line_id: str | None) -> bool:
    """Whether a person may see a line of an account; None stands for any."""
    lines = {grant.line_id for grant in grants if (grant.account, grant.role) == (account, role)}
    return bool(lines) and (line_id in (None, "") or "*" in lines or line_id in lines)


ANY_LINE = st.sampled_from(("", "*", *LINES))
GRANTS = st.lists(
    st.builds(
        Grant, st.sampled_from(ACCOUNTS), st.sampled_from(PEOPLE), st.sampled_from(("*", *LINES)), st.booleans()
    ),
    max_size=6,
    unique_by=lambda grant: (grant.account, grant.role, grant.line_id),
)
ITEM_IDS = [*(f"t-{line}" for line in LINES), "t-", "t-new"]


@st.composite
def _calls(draw: st.DrawFn) -> Call:
    account, line = draw(st.sampled_from(ACCOUNTS)), draw(ANY_LINE)
    desk = draw(st.sampled_from([f"{account}-{role}" for role in PEOPLE]))
    token = draw(st.integers(1, 8))
    item = {"kind": "task", "id": draw(st.sampled_from(ITEM_IDS)), "line": line, "asked_at": 2e9, "body": "new"}
    item["digest"] = draw(st.sampled_from(("d1", "new")))
    kind, items = draw(st.sampled_from(("note", "read", "view"))), json.dumps([item])
    sql = draw(
        st.sampled_from(
            (
                f"join_desk('{account}', '{desk}', 'name', 1)",
                f"lease('{account}', '{desk}', 60)",
                f"release('{account}', {token})",
                f"observe('{account}', {token}, '{items}')",
                f"lacking('{account}', '{items}')",
                f"claim('{account}', '{desk}', 'task {item['id']}', 60)",
                f"unclaim('{account}', {token})",
                f"report('{account}', {token}, '{json.dumps(item)}')",
                f"look('{account}', '{desk}', '{json.dumps([{'line': line, 'what': 'new'}])}', 1)",
                f"leave('{account}', '{desk}')",
                f"share('{account}', '{kind}', '{kind}-{draw(ANY_LINE)}', '{line}', 'new')",
                f"record('{account}', '{line}', '', 'verb', 'target', '', '', 'new')",
                f"retain('{account}')",
            )
        )
    )
    return Call(draw(st.sampled_from(PEOPLE)), account, sql)


@dataclass(frozen=True)
class Sessions:
    """One event loop with a session of the superuser and of each person."""

    runner: asyncio.Runner
    owner: asyncpg.Connection
    people: Mapping[str, asyncpg.Connection]

    def all_rows(self) -> list[tuple[str, str, str | None, str]]:
        """Return table, account, line and text of every row, past all policies."""
        return self._rows(self.owner)

    def rows_of(self, role: str) -> list[tuple[str, str, str | None, str]]:
        return self._rows(self.people[role])

    def _rows(self, session: asyncpg.Connection) -> list[tuple[str, str, str | None, str]]:
        return sorted(map(tuple, self.runner.run(session.fetch(EVERY_ROW))), key=str)


OF_LINES = ("observed", "lookers", "claims", "shared", "journal")
EVERY_ROW = " UNION ALL ".join(
    f"SELECT '{table}' AS tab, account, {'line_id' if table in OF_LINES else 'NULL'} AS line, t::text"
    f" FROM frontdesk.{table} t"
    for table in TABLES
)


def _world() -> str:
    """Return the statements that fill every table anew, with rows of each line of both accounts."""
    parts = ["TRUNCATE frontdesk.accounts, frontdesk.lookers CASCADE; ALTER SEQUENCE frontdesk.tokens RESTART 20;"]
    for account in ACCOUNTS:
        parts.append(f"INSERT INTO frontdesk.accounts (account, position) VALUES ('{account}', 100);")
        for number, role in enumerate(PEOPLE):
            desk = f"{account}-{role}"
            parts.append(
                f"INSERT INTO frontdesk.desks VALUES ('{account}', '{desk}', '{role}', '{desk}', 1, 0, now());"
                f"INSERT INTO frontdesk.lookers VALUES"
                f" ('{account}', '{desk}', '', '{desk}', now(), '{LINES[number]}', 'old');"
            )
        leader = f"{account}-{PEOPLE[len(account) % 2]}"
        parts.append(
            f"INSERT INTO frontdesk.leader VALUES ('{account}', 1, '{leader}', 'name', now() + interval '1 h');"
        )
        for number, line in enumerate(("", *LINES)):
            desk = f"{account}-{PEOPLE[number % 3]}"
            parts.append(
                f"INSERT INTO frontdesk.observed VALUES"
                f" ('{account}', 'task', 't-{line}', '{line}', {number}, 1, 1, 'd1', 'old'),"
                f" ('{account}', 'message', 'm-{line}', '{line}', {number + 50}, 1, 1, 'd1', 'old');"
                f"INSERT INTO frontdesk.claims VALUES"
                f" ('{account}', 'task t-{line}', '{line}', {number + 2}, '{desk}', '', now() + interval '1 h');"
                f"INSERT INTO frontdesk.journal"
                f" (account, role, agent_id, line_id, ref, verb, target, before, after, outcome)"
                f" VALUES ('{account}', 'noa', '', '{line}', '', '', '', '', '', '');"
            )
            for kind in ("note", "read", "view"):
                parts.append(
                    f"INSERT INTO frontdesk.shared VALUES ('{account}', '{kind}', '{kind}-{line}', '{line}',"
                    f" {number + 20}, '{PEOPLE[number % 3]}', '', now(), 'old');"
                )
    return "".join(parts)


WORLD = _world()


@pytest.fixture(scope="module")
def sessions(postgres: Postgres) -> Iterator[Sessions]:
    with new_team(postgres) as team, asyncio.Runner() as runner:
        for role in PEOPLE:
            team.add(role, [])

        async def connect(url: str, password: str | None) -> asyncpg.Connection:
            return await asyncpg.connect(url, password=password, statement_cache_size=100)

        owner = runner.run(connect(team.owner_url, None))
        people = {role: runner.run(connect(postgres.url(role, team.database), PASSWORD)) for role in PEOPLE}
        yield Sessions(runner, owner, people)
        for session in (owner, *people.values()):
            runner.run(session.close())


def grant(sessions: Sessions, grants: Grants) -> None:
    """Fill the tables anew, with these grants."""
    rows = "".join(
        "INSERT INTO frontdesk.grants VALUES"
        f" ('{each.account}', '{each.role}', '{each.line_id}', '', {each.may_poll});"
        for each in grants
    )
    sessions.runner.run(sessions.owner.execute(WORLD + rows))


def desks_of(rows: Sequence[tuple[str, str, str | None, str]], call: Call) -> list[str]:
    """Return the desks that belong to a call's person; one may take over those of people without a grant."""
    desks = [
        text.strip("()").split(",")
        for table, account, _, text in rows
        if (table, account) == ("desks", call.account)
    ]
    return [desk for _, desk, role, *_ in desks if role == call.role]


@pytest.mark.slow
@settings(max_examples=60)
@given(grants=GRANTS)
def test_everybody_reads_exactly_their_lines(sessions: Sessions, grants: Grants) -> None:
    grant(sessions, grants)
    rows = sessions.all_rows()
    for role in PEOPLE:
        expected = [
            row
            for row in rows
            if may_see(grants, role, row[1], row[2]) and (row[0] != "grants" or f",{role}," in row[3])
        ]
        assert sessions.rows_of(role) == expected


@pytest.mark.slow
@settings(max_examples=100)
@given(grants=GRANTS, calls=st.lists(_calls(), min_size=1, max_size=6))
def test_no_function_works_outside_the_callers_lines(
    sessions: Sessions, grants: Grants, calls: list[Call]
) -> None:
    grant(sessions, grants)
    for call in calls:
        before = sessions.all_rows()
        refused = None
        try:
            sessions.runner.run(sessions.people[call.role].execute(f"SELECT frontdesk.{call.sql}"))
        except asyncpg.PostgresError as error:
            refused = error
        after = sessions.all_rows()
        if refused is not None or not may_see(grants, call.role, call.account, None):
            assert refused is not None
            assert refused.sqlstate in ("FD001", "FD002", "FD003"), refused
            assert after == before
            continue
        touched = set(before) ^ set(after)
        for table, account, line, text in touched:
            assert table != "grants"
            assert account == call.account
            is_own_desks = table in ("lookers", "claims") and any(desk in text for desk in desks_of(before, call))
            may_touch = may_see(grants, call.role, account, line) or is_own_desks or call.sql.startswith("retain")
            assert may_touch, (table, text)

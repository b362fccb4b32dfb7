"""`frontdesk team` against an embedded PostgreSQL: what its owner sets up, and what a person sees of it."""

import asyncio
import getpass
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from cli.commandline import Frontdesk, Typed
from frontdesk.config.settings import load_config
from frontdesk.config.team import RelayAddress
from frontdesk.demo.embedded_postgres import OWNER
from frontdesk.relay.admin import schema_steps
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import PasswordRefused, RelayError, RelayUnreachable
from frontdesk.relay.records import SCHEMA_VERSION
from frontdesk.team import checks as team_checks
from postgres_server import Binaries, Postgres, observation, running_postgres


@dataclass(frozen=True)
class Owner:
    """Runs `frontdesk team` as the owner of an empty database."""

    frontdesk: Frontdesk
    postgres: Postgres
    database: str

    @property
    def url(self) -> str:
        return self.postgres.owner_url(self.database)

    def role(self, name: str) -> str:
        """Return a role's name that no other test has."""
        return f"{name}_{self.database}"

    def sql(self, text: str) -> list[list[str]]:
        return self.postgres.execute(self.database, text)

    def init(self, account: str = "acme", *words: str) -> Typed:
        typed = self.frontdesk("team", "init", self.url, "--account", account, *words)
        assert typed.status == 0, typed
        return typed

    def add(self, name: str, *words: str) -> Typed:
        typed = self.frontdesk("team", "add", self.role(name), "--url", self.url, *words)
        assert typed.status == 0, typed
        return typed

    def remove(self, name: str, *words: str) -> Typed:
        typed = self.frontdesk("team", "remove", self.role(name), "--url", self.url, *words)
        assert typed.status == 0, typed
        return typed

    def grants(self, name: str) -> list[list[str]]:
        return self.sql(
            "SELECT account, line_id, agent_id, may_poll FROM frontdesk.grants"
            f" WHERE role = '{self.role(name)}' ORDER BY account, line_id"
        )

    async def open(self, name: str, password: str, account: str = "acme", desk: str = "desk-1") -> RelayClient:
        address = self.postgres.address(self.role(name), self.database)
        return await RelayClient.open(address, password, account, desk)

    def can_log_in(self, name: str, password: str) -> bool:
        async def log_in() -> None:
            await (await self.open(name, password)).close()

        try:
            asyncio.run(log_in())
        except PasswordRefused:
            return False
        return True


@dataclass(frozen=True)
class Boss:
    """Runs `frontdesk team` as the owner of a database who isn't a superuser."""

    owner: Owner
    url: str

    def __call__(self, *words: str) -> Typed:
        typed = self.owner.frontdesk("team", *words, PGPASSWORD="canary-boss-1")
        assert typed.status == 0, typed
        return typed

    async def disconnects(self, password: str, *words: str) -> None:
        """Run a command, and check that it ends the connection of noa's desk and says nothing else."""
        noa = await self.owner.open("noa", password)
        typed = await asyncio.to_thread(self, *words)
        assert "disconnected" not in typed.out
        assert "connections" not in typed.out
        assert "was kept, because" not in typed.out
        with pytest.raises(RelayUnreachable):
            await noa.position()
        await noa.close()


@pytest.fixture
def owner(nowhere: Frontdesk, postgres: Postgres) -> Iterator[Owner]:
    """The owner of an empty database."""
    nowhere.environ.pop("PGPASSWORD", None)
    database = postgres.new_database(None)
    yield Owner(nowhere, postgres, database)
    postgres.drop_database(database)
    drop_roles(postgres, database, "postgres")


@pytest.fixture
def founder(nowhere: Frontdesk, postgres: Postgres) -> Iterator[Owner]:
    """The owner of a database in which `init` was run for acme."""
    nowhere.environ.pop("PGPASSWORD", None)
    with postgres.database() as database:
        yield Owner(nowhere, postgres, database)
        drop_roles(postgres, database, database, "postgres")


def drop_roles(postgres: Postgres, suffix: str, *databases: str) -> None:
    """Drop the roles that a test has made, and what they own in these databases."""
    for each in databases:
        ends = "EXECUTE format('DROP ROLE %I', each);" if each == databases[-1] else ""
        postgres.execute(
            each,
            "DO $$ DECLARE each name; BEGIN"
            f" FOR each IN SELECT rolname FROM pg_roles WHERE rolname LIKE '%{suffix}' LOOP"
            f" EXECUTE format('DROP OWNED BY %I', each); {ends}"
            " END LOOP; END $$",
        )


def password_of(typed: Typed) -> str:
    found = re.search(r"^Password, shown only now: (\S+)$", typed.out, re.MULTILINE)
    assert found is not None, typed.out
    return found[1]


class TestInit:
    def test_it_creates_the_tables_once_and_any_number_of_accounts(self, owner: Owner) -> None:
        typed = owner.init()
        assert f"Created the team's tables in {owner.database}" in typed.out
        assert "Added the account acme: 120 requests a minute, messages are kept for 30 days." in typed.out
        assert "frontdesk team add NAME --url" in typed.out
        again = owner.init()
        assert "already has the team's tables" in again.out
        assert "The account acme already exists: 120 requests" in again.out
        assert "Added the account other" in owner.init("other").out
        assert owner.sql("SELECT account FROM frontdesk.accounts ORDER BY account") == [["acme"], ["other"]]

    def test_budget_and_retention_are_changed_and_kept(self, owner: Owner) -> None:
        owner.init("acme", "--budget", "300", "--retention", "1")
        again = "The account acme already exists: 300 requests a minute, messages are kept for 1 day."
        assert again in owner.init().out
        shorter = "Changed the retention of the account acme: 300 requests a minute, messages are kept for an hour"
        assert shorter in owner.init("acme", "--retention", "0").out
        both = (
            "Changed the budget and the retention of the account acme: 1 request a minute, messages are kept for 2"
        )
        assert both in owner.init("acme", "--budget", "1", "--retention", "2").out
        assert "Added the account other: 5 requests" in owner.init("other", "--budget", "5").out

    def test_run_again_after_an_update_it_writes_functions_and_limits_anew(self, owner: Owner) -> None:
        owner.init()
        owner.add("noa")
        role = owner.role("noa")
        owner.sql(
            "UPDATE frontdesk.accounts SET schema = 1; DROP FUNCTION frontdesk.retain(text);"
            f"ALTER ROLE {role} IN DATABASE {owner.database} RESET ALL; ALTER ROLE {role} CONNECTION LIMIT -1"
        )
        owner.init()
        assert owner.sql("SELECT schema, to_regproc('frontdesk.retain') FROM frontdesk.accounts") == [
            [str(SCHEMA_VERSION), "frontdesk.retain"]
        ]
        limits = f"SELECT unnest(setconfig) FROM pg_db_role_setting WHERE setrole = '{role}'::regrole ORDER BY 1"
        assert owner.sql(limits) == [
            ["idle_in_transaction_session_timeout=5s"],
            ["lock_timeout=3s"],
            ["search_path=pg_catalog, pg_temp"],
            ["statement_timeout=15s"],
        ]
        sessions = f"SELECT rolconnlimit FROM pg_roles WHERE rolname = '{role}'"
        assert owner.sql(sessions) == [["10"]]
        owner.sql(f"ALTER ROLE {role} CONNECTION LIMIT 3")
        owner.init()
        assert owner.sql(sessions) == [["3"]], "what somebody has chosen stays"

    def test_a_database_of_version_1_becomes_as_a_new_one(self, owner: Owner, founder: Owner) -> None:
        assert len(schema_steps()) == SCHEMA_VERSION
        owner.sql(schema_steps()[0])
        owner.sql("INSERT INTO frontdesk.accounts (account) VALUES ('acme')")
        owner.init()
        columns = (
            "SELECT relname, relrowsecurity, attname, atttypid::regtype, attnotnull, pg_get_expr(adbin, adrelid)"
            " FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
            " LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
            " WHERE relnamespace = 'frontdesk'::regnamespace AND attnum > 0 ORDER BY 1, 3"
        )
        assert owner.sql(columns) == founder.sql(columns)
        assert owner.sql("SELECT schema FROM frontdesk.accounts") == [[str(SCHEMA_VERSION)]]

    def test_after_a_restore_desks_load_everything_again_and_no_old_token_holds(self, owner: Owner) -> None:
        owner.init()
        [[before]] = owner.sql("SELECT epoch FROM frontdesk.accounts")
        later = "clock_timestamp() + interval '1 day'"
        owner.sql(f"INSERT INTO frontdesk.leader VALUES ('acme', 5, 'd', 'n', {later})")
        assert "All machines will load everything again." in owner.init("acme", "--restored").out
        assert owner.sql("SELECT epoch FROM frontdesk.accounts") != [[before]]
        assert owner.sql("SELECT * FROM frontdesk.leader") == []
        [[token]] = owner.sql("SELECT nextval('frontdesk.tokens')")
        owner.init("acme", "--restored")
        assert int(owner.sql("SELECT nextval('frontdesk.tokens')")[0][0]) > int(token) > 1_000_000_000_000

    def test_after_a_restore_desks_are_disconnected_so_that_they_notice(self, owner: Owner) -> None:
        owner.init()
        password = password_of(owner.add("noa"))

        async def work() -> None:
            noa = await owner.open("noa", password)
            typed = await asyncio.to_thread(owner.init, "acme", "--restored")
            assert "restart frontdesk" not in typed.out
            with pytest.raises(RelayUnreachable):
                await noa.position()
            await noa.close()

        asyncio.run(work())

    def test_an_account_that_was_not_restored_is_said(self, owner: Owner) -> None:
        owner.init()
        words = owner.frontdesk.fails(1, "team", "init", owner.url, "--account", "acm", "--restored")
        assert "there is no account acm in this database" in words
        assert owner.sql("SELECT account FROM frontdesk.accounts") == [["acme"]]

    def test_a_foreign_schema_is_refused_and_left_alone(self, owner: Owner) -> None:
        owner.sql("CREATE SCHEMA frontdesk; CREATE TABLE frontdesk.accounts (mine int)")
        words = owner.frontdesk.fails(1, "team", "init", owner.url, "--account", "acme")
        assert "isn't a team's, and nothing was changed; use another database" in words
        tables = "SELECT relname FROM pg_class WHERE relnamespace = 'frontdesk'::regnamespace"
        assert owner.sql(tables) == [["accounts"]]
        for command in (["add", "noa"], ["remove", "noa"], ["forget", "1", "--yes"]):
            assert "isn't a team's" in owner.frontdesk.fails(1, "team", *command, "--url", owner.url)

    def test_one_of_a_newer_version_is_refused(self, owner: Owner) -> None:
        owner.init()
        owner.sql(f"UPDATE frontdesk.accounts SET schema = {SCHEMA_VERSION + 1}")
        words = owner.frontdesk.fails(1, "team", "init", owner.url, "--account", "other")
        assert "update this one" in words
        assert owner.sql("SELECT account FROM frontdesk.accounts") == [["acme"]]

    def test_a_role_without_the_right_is_told_which_one_to_use(self, owner: Owner) -> None:
        role = owner.role("dan")
        owner.sql(f"CREATE ROLE {role} LOGIN PASSWORD 'canary-dan'")
        url = owner.postgres.url(role, owner.database)
        words = owner.frontdesk.fails(1, "team", "init", url, "--account", "acme", PGPASSWORD="canary-dan")
        assert f"{role} may not do this" in words
        assert "such as postgres" in words

    @pytest.mark.parametrize(
        ("url", "status", "words"),
        [
            ("db", 2, "URL: not a database's address; write it as postgresql://"),
            (
                "postgresql://postgres:canary@db/x",
                2,
                "URL: remove the password from it, then enter it when prompted, or set PGPASSWORD",
            ),
            ("postgresql://postgres@db/x?sslmode=disable", 2, "only verify-full checks who answers"),
            ("postgresql://postgres@db/x?color=red", 2, "unknown option: color"),
            ("postgresql://postgres@localhost/x?sslmode=foo", 2, "unknown sslmode=foo; use verify-full"),
            ("postgresql://postgres@localhost/x?sslrootcert=/no/ca", 1, "can't read certificates in /no/ca"),
            ("postgresql://postgres@127.0.0.1:1/x", 4, "127.0.0.1:1 can't be reached; check the network"),
        ],
    )
    def test_an_address_that_cannot_be_used_is_said(
        self, nowhere: Frontdesk, url: str, status: int, words: str
    ) -> None:
        told = nowhere.fails(status, "team", "init", url, "--account", "acme")
        assert words in told
        assert "canary" not in told

    def test_an_account_that_cannot_be_used_is_said(self, owner: Owner) -> None:
        for account in ("a b", "x" * 41, "-a"):
            said = owner.frontdesk.fails(2, "team", "init", owner.url, f"--account={account}")
            assert "--account: use only letters" in said, account

    def test_a_missing_database_is_said(self, postgres: Postgres, nowhere: Frontdesk) -> None:
        url = postgres.owner_url("nothing_here")
        assert "has no database nothing_here" in nowhere.fails(1, "team", "init", url, "--account", "acme")

    def test_without_the_package_it_is_said_how_to_install_it(
        self, nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "asyncpg", None)
        words = nowhere.fails(2, "team", "init", "postgresql://postgres@db/x", "--account", "acme")
        assert "pip install 'frontdesk[team]'" in words


class TestOwnersPassword:
    @pytest.fixture
    def boss(self, owner: Owner) -> str:
        """The URL of an owner who needs a password."""
        owner.sql(f"CREATE ROLE {owner.role('boss')} SUPERUSER LOGIN PASSWORD 'canary-boss-1'")
        return owner.postgres.url(owner.role("boss"), owner.database)

    def test_the_environment_has_it(self, owner: Owner, boss: str) -> None:
        words = ("team", "init", boss, "--account", "acme")
        assert owner.frontdesk(*words, PGPASSWORD="canary-boss-1").status == 0
        told = owner.frontdesk.fails(3, *words, PGPASSWORD="canary-wrong-1")
        assert "refused the password" in told
        assert "correct PGPASSWORD" in told
        assert "canary" not in told
        assert "set PGPASSWORD, or run this in a terminal" in owner.frontdesk.fails(3, *words)

    def test_it_is_asked_for_without_showing_it(
        self, owner: Owner, boss: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from frontdesk.team.cli import app as team_cli

        asked: list[str] = []

        class Terminal:
            def isatty(self) -> bool:
                return True

        class System:
            stdin = Terminal()

        monkeypatch.setattr(team_cli, "sys", System)
        for typed, status in (("canary-boss-1", 0), ("canary-wrong-1", 3), ("", 3)):

            def answer(question: str, typed: str = typed) -> str:
                asked.append(question)
                return typed

            monkeypatch.setattr(getpass, "getpass", answer)
            done = owner.frontdesk("team", "init", boss, "--account", "acme")
            assert done.status == status, typed
            assert asked.pop().startswith("Password of boss"), typed
            assert not asked, "it is asked for once"
            assert "canary" not in done.out + done.err


class TestAdd:
    def test_a_person_gets_a_role_rights_and_what_to_paste(self, founder: Owner, tmp_path: Path) -> None:
        typed = founder.add("noa", "--agent", "agent-noa", "--line", "l1", "--line", "l2")
        noa = founder.role("noa")
        assert f"Added {noa} in acme: agent-noa, 2 lines l1, l2, doesn't poll for the team." in typed.out
        assert founder.grants("noa") == [["acme", "l1", "agent-noa", "f"], ["acme", "l2", "agent-noa", "f"]]
        assert founder.can_log_in("noa", password_of(typed))
        assert not founder.can_log_in("noa", "another")
        assert "`frontdesk login acme --rotate`" in typed.out
        pasted = "\n".join(line.strip() for line in typed.out.splitlines() if line.startswith("    "))
        config = tmp_path / "config.toml"
        config.write_text(f'[profiles.acme]\nbase_url = "https://acme.test"\n\n{pasted}\n')
        team = load_config(config).profiles["acme"].team
        assert team is not None
        assert (team.account, team.server) == ("acme", f"{noa}@{founder.postgres.folder}:5432")

    def test_nothing_of_a_password_but_its_hash_reaches_the_server(self, founder: Owner) -> None:
        typed = founder.add("noa")
        [[stored]] = founder.sql(f"SELECT rolpassword FROM pg_authid WHERE rolname = '{founder.role('noa')}'")
        assert stored.startswith("SCRAM-SHA-256$4096:")
        log = (founder.postgres.folder / "log").read_text(errors="replace")
        assert password_of(typed) not in log

    def test_without_a_line_all_are_seen(self, founder: Owner) -> None:
        assert "no agent id, all lines, doesn't poll for the team" in founder.add("noa").out
        assert founder.grants("noa") == [["acme", "*", "", "f"]]
        founder.add("dan", "--line", "*", "--line", "*")
        assert founder.grants("dan") == [["acme", "*", "", "f"]]

    def test_all_lines_and_one_of_them_are_refused(self, founder: Owner) -> None:
        lines = ("--line", "*", "--line", "3")
        words = founder.frontdesk.fails(2, "team", "add", founder.role("noa"), *lines, "--url", founder.url)
        assert words == "--line '*' already covers all lines; remove it or the other --line options"
        assert founder.grants("noa") == []

    def test_run_again_it_changes_what_is_named_and_keeps_the_rest(self, founder: Owner) -> None:
        password = password_of(founder.add("noa", "--agent", "agent-noa"))
        again = founder.add("noa", "--may-poll")
        assert "Changed" in again.out
        assert "Password" not in again.out
        assert founder.grants("noa") == [["acme", "*", "agent-noa", "t"]]
        founder.add("noa", "--line", "l2", "--agent", "agent-n", "--may-not-poll")
        assert founder.grants("noa") == [["acme", "l2", "agent-n", "f"]]
        founder.add("noa", "--agent", "agent-noa")
        assert founder.grants("noa") == [["acme", "l2", "agent-noa", "f"]]
        assert founder.can_log_in("noa", password)

    def test_who_reads_for_all_must_see_all(self, founder: Owner) -> None:
        place = ("--url", founder.url)
        add = ("team", "add", founder.role("noa"), *place)
        assert "must see all lines" in founder.frontdesk.fails(1, *add, "--line", "l1", "--may-poll")
        founder.add("noa", "--line", "l1")
        assert "must see all lines" in founder.frontdesk.fails(1, *add, "--may-poll")
        founder.add("dan", "--may-poll")
        said = founder.frontdesk.fails(1, "team", "add", founder.role("dan"), "--line", "l1", *place)
        assert "add --may-not-poll" in said
        assert founder.grants("dan") == [["acme", "*", "", "t"]]

    def test_a_new_password_replaces_the_old_one(self, founder: Owner) -> None:
        old = password_of(founder.add("noa"))
        new = password_of(founder.add("noa", "--new-password"))
        assert not founder.can_log_in("noa", old)
        assert founder.can_log_in("noa", new)

    def test_any_name_is_quoted(self, founder: Owner) -> None:
        for name in ("n\"o'a; DROP ROLE x", "Noa", "נועה", "50%I", "select"):
            typed = founder.add(name)
            assert founder.can_log_in(name, password_of(typed)), name
            assert founder.frontdesk("team", "remove", founder.role(name), "--url", founder.url).status == 0, name
            escaped = founder.role(name).replace("'", "''")
            assert founder.sql(f"SELECT 1 FROM pg_roles WHERE rolname = '{escaped}'") == [], name

    def test_a_name_that_no_role_can_have_is_refused(self, founder: Owner) -> None:
        for name in ("pg_noa", "frontdesk_desk", "public", "x" * 64, " noa", "n\noa"):
            said = founder.frontdesk.fails(1, "team", "add", name, "--url", founder.url)
            assert "can't be the name of a role" in said, name

    def test_who_sees_everything_anyway_or_cannot_log_in_is_refused(self, founder: Owner) -> None:
        founder.sql(f"CREATE ROLE {founder.role('group')}; CREATE ROLE {founder.role('all')} LOGIN BYPASSRLS")
        words = founder.frontdesk.fails(1, "team", "add", "postgres", "--url", founder.url)
        assert "postgres administers this database" in words
        words = founder.frontdesk.fails(1, "team", "add", founder.role("all"), "--url", founder.url)
        assert "administers this database" in words
        words = founder.frontdesk.fails(1, "team", "add", founder.role("group"), "--url", founder.url)
        assert "is a group that nobody can log in as" in words
        assert founder.sql("SELECT count(*) FROM frontdesk.grants") == [["0"]]

    def test_an_existing_role_keeps_its_password(self, founder: Owner) -> None:
        founder.sql(f"CREATE ROLE {founder.role('noa')} LOGIN PASSWORD 'canary-own-1'")
        assert "Password" not in founder.add("noa").out
        assert founder.can_log_in("noa", "canary-own-1")

    def test_the_account_is_named_where_it_could_be_another(self, owner: Owner) -> None:
        add = ("team", "add", owner.role("noa"), "--url", owner.url)
        assert "this database has no team; run `frontdesk team init" in owner.frontdesk.fails(1, *add)
        owner.init("acme")
        owner.init("other")
        assert "choose an account with --account; there are acme, other" in owner.frontdesk.fails(1, *add)
        words = owner.frontdesk.fails(1, *add, "--account", "third")
        assert "no account third (existing: acme, other)" in words
        owner.add("noa", "--account", "other")
        assert owner.grants("noa") == [["other", "*", "", "f"]]

    def test_an_agent_id_that_is_a_word_is_refused(self, owner: Owner) -> None:
        words = owner.frontdesk.fails(2, "team", "add", "noa", "--agent", "me", "--url", owner.url)
        assert "--agent: 'me' isn't an agent id. Look at a task assigned to the person" in words

    def test_without_a_url_or_a_team_the_url_is_asked_for(self, nowhere: Frontdesk) -> None:
        for command in (["add", "noa"], ["remove", "noa"], ["forget", "1", "--yes"]):
            words = nowhere.fails(2, "team", *command)
            assert "name the database with --url postgresql://postgres@db/frontdesk" in words


class TestRemove:
    def test_rights_desks_sessions_and_the_role_are_gone(self, founder: Owner) -> None:
        password = password_of(founder.add("noa", "--may-poll"))

        async def work() -> bool:
            noa = await founder.open("noa", password)
            await noa.join("noa-laptop")
            token = await noa.lease(60)
            assert token is not None
            await noa.observe(token, [observation()])
            await noa.look([("l1", "{}")], 1)
            assert await noa.claim("task t-1", 60)
            typed = await asyncio.to_thread(founder.remove, "noa")
            assert "no longer has rights in acme" in typed.out
            assert "stays on its disk; `frontdesk forget PROFILE` deletes it there" in typed.out
            assert "role" not in typed.out
            with pytest.raises(RelayUnreachable):
                await noa.position()
            await noa.close()
            return True

        assert asyncio.run(work())
        for table in ("grants", "desks", "lookers", "claims"):
            assert founder.sql(f"SELECT count(*) FROM frontdesk.{table}") == [["0"]], table
        assert founder.sql("SELECT count(*) FROM frontdesk.observed") == [["1"]]
        assert founder.sql("SELECT until <= clock_timestamp() FROM frontdesk.leader") == [["t"]]
        assert founder.sql(f"SELECT 1 FROM pg_roles WHERE rolname = '{founder.role('noa')}'") == []
        assert not founder.can_log_in("noa", password)

    def test_a_role_with_another_account_stays(self, founder: Owner) -> None:
        founder.init("other")
        password = password_of(founder.add("noa", "--account", "acme"))
        founder.add("noa", "--account", "other")
        assert "was kept, because it belongs to other too" in founder.remove("noa", "--account", "acme").out
        assert founder.grants("noa") == [["other", "*", "", "f"]]
        assert founder.can_log_in("noa", password)

    def test_a_role_that_is_needed_elsewhere_stays(self, founder: Owner) -> None:
        for name, more, reason in (
            (
                "noa",
                "CREATE TABLE hers (); ALTER TABLE hers OWNER TO {}",
                "other things on the server belong to it",
            ),
            ("dan", "CREATE ROLE group_{0}; GRANT group_{0} TO {0}", "it is in group_"),
            ("omar", "ALTER ROLE {} SUPERUSER", "it administers the server"),
        ):
            password = password_of(founder.add(name))
            founder.sql(more.format(founder.role(name)))
            assert f"was kept, because {reason}" in founder.remove(name).out
            assert founder.grants(name) == [], reason
            assert founder.can_log_in(name, password), reason

    def test_somebody_unknown_is_said(self, founder: Owner) -> None:
        words = founder.frontdesk.fails(1, "team", "remove", "noa_nobody", "--url", founder.url)
        assert "acme has nobody named noa_nobody; check the name" in words


class TestOwnerWhoIsNoSuperuser:
    @pytest.fixture
    def boss(self, owner: Owner) -> Boss:
        name = owner.role("boss")
        owner.sql(
            f"CREATE ROLE {name} LOGIN CREATEROLE PASSWORD 'canary-boss-1';"
            f"ALTER DATABASE {owner.database} OWNER TO {name}; GRANT frontdesk_desk TO {name} WITH ADMIN OPTION"
        )
        return Boss(owner, owner.postgres.url(name, owner.database))

    def test_they_disconnect_the_desks_of_the_roles_that_they_made(self, owner: Owner, boss: Boss) -> None:
        boss("init", boss.url, "--account", "acme")
        password = password_of(boss("add", owner.role("noa"), "--may-poll", "--url", boss.url))
        memberships = "SELECT roleid::regrole, member::regrole FROM pg_auth_members ORDER BY 1, 2"
        before = owner.sql(memberships)
        asyncio.run(boss.disconnects(password, "init", boss.url, "--account", "acme", "--restored"))
        assert owner.sql(memberships) == before
        asyncio.run(boss.disconnects(password, "remove", owner.role("noa"), "--url", boss.url))
        assert not owner.can_log_in("noa", password)

    def test_what_they_cannot_do_about_somebody_elses_role_is_said(self, owner: Owner, boss: Boss) -> None:
        boss("init", boss.url, "--account", "acme")
        noa = owner.role("noa")
        owner.sql(f"CREATE ROLE {noa} LOGIN PASSWORD 'canary-noa-1'")
        boss("add", noa, "--url", boss.url)

        async def work() -> None:
            desk = await owner.open("noa", "canary-noa-1")
            await desk.join("noa-laptop")
            restored = await asyncio.to_thread(boss, "init", boss.url, "--account", "acme", "--restored")
            assert (
                f"The open connections of {noa} couldn't be closed; ask these people to restart frontdesk."
                in restored.out
            )
            removed = await asyncio.to_thread(boss, "remove", noa, "--url", boss.url)
            assert (
                f"The role {noa} was kept, because someone else created it, and only they can drop it."
                in removed.out
            )
            assert "Its open connections are still up, but no longer see this account." in removed.out
            with pytest.raises(RelayError):
                await desk.join("noa-laptop")
            await desk.close()

        asyncio.run(work())
        assert "connections" not in boss("remove", noa, "--url", boss.url).out

    @pytest.mark.slow
    def test_one_made_as_the_docs_say_is_enough(
        self, nowhere: Frontdesk, postgres_binaries: Binaries, postgres_folder: Callable[[], Path]
    ) -> None:
        with running_postgres(postgres_binaries, postgres_folder()) as server:
            for command in (("createuser", "--createrole", "boss"), ("createdb", "--owner", "boss", "frontdesk")):
                done = subprocess.run(
                    [server.binaries.folder / command[0], "-h", server.folder, "-U", OWNER, *command[1:]],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stderr
            server.execute(OWNER, "ALTER ROLE boss PASSWORD 'canary-boss-1'")
            owner = Owner(nowhere, server, "frontdesk")
            boss = Boss(owner, server.url("boss", "frontdesk"))
            boss("init", boss.url, "--account", "acme")
            noa = owner.role("noa")
            password = password_of(boss("add", noa, "--may-poll", "--url", boss.url))
            asyncio.run(boss.disconnects(password, "init", boss.url, "--account", "acme", "--restored"))
            asyncio.run(boss.disconnects(password, "remove", noa, "--url", boss.url))
            assert not owner.can_log_in("noa", password)


class TestForget:
    def test_what_is_held_of_a_customer_is_removed_and_nothing_else(self, founder: Owner) -> None:
        rows = {
            ("message", '["l1#972", "m1"]'): "{}",
            ("message", '["972#l1", "m2"]'): "{}",
            ("page", '["l1#972", "", "m1"]'): "{}",
            ("task", "t-1"): '{"participantsIdentifiers": "l1#972", "title": "\\u0000"}',
            ("task", "t-2"): '{"phoneNumberId": "l1", "customer": {"phoneNumberId":"972"}}',
            ("message", '["l1#9721", "m3"]'): '{"message": "972"}',
            ("page", '["l1#9721", "", "m3"]'): '{"ids": ["972"]}',
            ("task", "t-3"): '{"participantsIdentifiers": "l1#9721", "title": "972"}',
            ("gone", "t-4"): "{}",
        }
        for (kind, row), body in rows.items():
            founder.sql(
                f"INSERT INTO frontdesk.observed VALUES ('acme', '{kind}', '{row}', 'l1', 1, 1, 1, 'd', '{body}')"
            )
        founder.init("other")
        founder.sql(
            "INSERT INTO frontdesk.observed"
            " SELECT 'other', kind, id, 'l1', 1, 1, 1, 'd', body FROM frontdesk.observed"
        )
        note = "INSERT INTO frontdesk.shared VALUES ('acme', 'note', '{}', 'l1', 1, 'noa', 'a', now(), '{}')"
        founder.sql(note.format("n1", '{"about": "l1#972"}'))
        founder.sql(note.format("n2", '{"about": "l1#9721", "text": "call 972"}'))
        entry = (
            "INSERT INTO frontdesk.journal"
            " (account, role, agent_id, line_id, ref, verb, target, before, after, outcome)"
            " VALUES ('acme', 'noa', 'a', 'l1', '', 'update', '{}', 'x', 'y', 'ok')"
        )
        for target in ("task t-1", "conversation 972#l1", "task t-3"):
            founder.sql(entry.format(target))
        typed = founder.frontdesk("team", "forget", "972", "--account", "acme", "--yes", "--url", founder.url)
        assert typed.status == 0
        assert (
            "Deleted 5 rows of tasks and messages, and 1 of notes; emptied 2 entries of the journal." in typed.out
        )
        left = founder.sql("SELECT kind, id FROM frontdesk.observed WHERE account = 'acme' ORDER BY kind, id")
        assert left == [list(each) for each in sorted(list(rows)[5:])]
        assert founder.sql("SELECT count(*) FROM frontdesk.observed WHERE account = 'other'") == [["9"]]
        assert founder.sql("SELECT id FROM frontdesk.shared") == [["n2"]]
        assert founder.sql("SELECT target, before, after, outcome FROM frontdesk.journal ORDER BY entry") == [
            ["task t-1", "", "", "ok"],
            ["conversation 972#l1", "", "", "ok"],
            ["task t-3", "x", "y", "ok"],
        ]
        again = founder.frontdesk("team", "forget", "972", "--account", "acme", "--yes", "--url", founder.url)
        assert "has nothing about 972" in again.out

    def test_it_needs_a_yes(self, owner: Owner) -> None:
        words = owner.frontdesk.fails(2, "team", "forget", "972", "--url", owner.url)
        assert words == "nothing was deleted; to delete it, add --yes"
        words = owner.frontdesk.fails(2, "team", "forget", "053-602-2473", "--yes", "--url", owner.url)
        assert words == "'053-602-2473' has no calling code; add it and try again; nothing was deleted"


@dataclass(frozen=True)
class Member:
    """Runs `frontdesk` with a profile whose team is the owner's."""

    owner: Owner
    password: str

    def __call__(self, *words: str, **environ: str) -> Typed:
        return self.owner.frontdesk(*words, **({"PGPASSWORD": self.password} | environ))

    def joined(self, name: str, *, leads: bool = False, read_to: int = 0) -> None:
        """Let a desk of this person join, and lead."""

        async def work() -> None:
            desk = await self.owner.open("noa", self.password, desk=name)
            await desk.join(name)
            if leads:
                token = await desk.lease(60)
                assert token is not None
                await desk.observe(token, [observation(f"t-{number}") for number in range(3)])
            await desk.look([("", "{}")], read_to)
            await desk.close()

        asyncio.run(work())


@pytest.fixture
def member(founder: Owner) -> Member:
    password = password_of(founder.add("noa", "--agent", "agent-noa", "--may-poll"))
    folder = Path(founder.frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    url = founder.postgres.url(founder.role("noa"), founder.database)
    (folder / "config.toml").write_text(
        '[profiles.acme]\nbase_url = "http://127.0.0.1:9"\nagent_id = "agent-noa"\n'
        'lines = [{ id = "l1", label = "Service" }]\n'
        f'[profiles.acme.team]\nurl = "{url}"\naccount = "acme"\n'
    )
    return Member(founder, password)


class TestStatus:
    def test_it_shows_the_leader_and_how_far_each_desk_has_read(self, member: Member) -> None:
        typed = member("team", "status")
        assert typed.status == 0
        assert "nobody polls for the team" in typed.out
        assert "No machine has joined yet" in typed.out
        member.joined("noa-office", leads=True, read_to=3)
        member.joined("noa-home", read_to=1)
        shown = member("team", "status").out
        assert re.search(r"^leader +noa-office$", shown, re.MULTILINE)
        noa = member.owner.role("noa")
        assert re.search(rf"^noa-home +{noa} +1 +2 +\d+ s ago$", shown, re.MULTILINE)
        assert re.search(rf"^noa-office +{noa} +1 +0 +\d+ s ago$", shown, re.MULTILINE)

    def test_the_name_of_a_desk_is_shown_as_text(self, member: Member) -> None:
        member.joined("\x1b[31mred\u202e", leads=True)
        for command in ("status", "doctor"):
            shown = member("team", command).out
            assert "red" in shown
            assert "\x1b" not in shown
            assert "\u202e" not in shown

    def test_as_json_it_is_one_object(self, member: Member) -> None:
        assert member("team", "status", "--json").row["leader"] is None
        member.joined("noa-office", leads=True, read_to=1)
        found = member("team", "status", "--json").row
        assert found["leader"] == {"desk": "noa-office", "name": "noa-office"}
        assert (found["account"], found["position"], found["budget_per_minute"]) == ("acme", 3, 120)
        [desk] = found["desks"]
        assert desk.pop("age") >= 0
        assert desk == {"name": "noa-office", "role": member.owner.role("noa"), "version": 1, "behind": 2}

    def test_what_goes_wrong_is_said_by_both(self, member: Member) -> None:
        no_rights = "has no rights in other; ask the person who runs `frontdesk team add`"
        cases: list[tuple[dict[str, str], int, str]] = [
            ({"PGPASSWORD": "canary-wrong-1"}, 3, "refused the password"),
            ({"PGPASSWORD": ""}, 3, "refused the password"),
            ({"FRONTDESK_TEAM_ACCOUNT": "other"}, 1, no_rights),
            ({"FRONTDESK_TEAM_URL": "postgresql://noa@127.0.0.1:1/x"}, 4, "127.0.0.1:1 can't be reached"),
            ({"FRONTDESK_TEAM_URL": "postgresql://noa@db/x?sslmode=allow"}, 2, "only verify-full checks"),
            ({"FRONTDESK_TEAM_URL": "db"}, 2, "FRONTDESK_TEAM_URL: not a database's address"),
        ]
        for environ, status, words in cases:
            typed = member("team", "status", **environ)
            assert typed.status == status, environ
            assert words in typed.err
            assert "canary" not in typed.err
            checked = member("team", "doctor", **environ)
            assert checked.status == status, environ
            assert words in checked.out + checked.err

    def test_rights_that_were_taken_are_said(self, member: Member) -> None:
        member.owner.sql("DELETE FROM frontdesk.grants")
        assert "has no rights in acme" in member("team", "status").err

    def test_a_database_without_a_team_is_said(self, member: Member) -> None:
        member.owner.sql("DROP SCHEMA frontdesk CASCADE")
        typed = member("team", "status")
        assert typed.status == 1
        assert "has no team of this version; run `frontdesk team init`" in typed.err

    def test_a_profile_without_a_team_is_said(self, member: Member) -> None:
        path = Path(member.owner.frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk/config.toml"
        path.write_text(path.read_text().partition("[profiles.acme.team]")[0])
        for command in ("status", "doctor"):
            assert "profile acme has no team; add [profiles.acme.team]" in member("team", command).err

    def test_the_owner_is_the_default_of_commands_that_need_one(self, member: Member) -> None:
        noa = member.owner.role("noa")
        assert member("team", "add", noa, "--line", "l2", "--may-not-poll", PGPASSWORD="").status == 0
        assert member.owner.grants("noa") == [["acme", "l2", "agent-noa", "f"]]
        assert member("team", "remove", noa, PGPASSWORD="").status == 0


class TestDoctor:
    def test_each_check_is_a_line(self, member: Member) -> None:
        member.joined("noa-office", leads=True)
        typed = member("team", "doctor")
        assert typed.status == 0
        verdicts = {line.split()[1]: line.split()[0] for line in typed.out.splitlines()}
        subjects = "server tls password schema safety rights polling clock epoch leader"
        assert verdicts == dict.fromkeys(subjects.split(), "ok")
        assert "all lines, agent-noa" in typed.out
        assert "may poll for the team, 120 requests a minute" in typed.out
        assert "noa-office polls for the team" in typed.out
        assert "PostgreSQL " in typed.out

    def test_it_warns_of_what_may_be_wrong(self, member: Member) -> None:
        member.owner.sql(
            "UPDATE frontdesk.grants SET agent_id = 'agent-dan'; UPDATE frontdesk.accounts SET min_writer = 2"
        )
        typed = member("team", "doctor")
        assert typed.status == 0
        warned = [line.split()[1] for line in typed.out.splitlines() if line.startswith("warn")]
        assert warned == ["schema", "rights", "leader"]
        assert "the team knows you as agent-dan, your profile as agent-noa" in typed.out

    def test_what_lets_one_person_harm_the_others_is_a_warning(self, member: Member) -> None:
        role, database = member.owner.role("noa"), member.owner.database
        for breach, words in (
            ("UPDATE frontdesk.accounts SET schema = 1", "the database is of an older frontdesk"),
            (
                f"ALTER ROLE {role} IN DATABASE {database} RESET ALL",
                "open transactions have no time limit",
            ),
            ("GRANT CREATE ON SCHEMA public TO PUBLIC", "can create functions in the schema public"),
        ):
            member.owner.sql(breach)
            typed = member("team", "doctor")
            [found] = [line for line in typed.out.splitlines() if words in line]
            assert found.startswith("warn")
            assert "ask the person who set up the team to run `frontdesk team init` again" in found
        assert "Only the owner can now create objects in the schema public" in member.owner.init().out
        assert "warn  s" not in member("team", "doctor").out

    def test_a_server_that_asks_for_no_password_is_said(
        self, member: Member, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read = team_checks.read_team
        monkeypatch.setattr(
            team_checks, "read_team", lambda *args: replace(read(*args), was_asked_for_password=False)
        )
        words = "ok    password    the server didn't ask for one; it identifies you by your user on this machine"
        assert words in member("team", "doctor").out
        monkeypatch.setattr(RelayAddress, "is_socket", False)  # at a port nobody knows who answers
        assert "warn  password    the server didn't ask for one, so anyone" in member("team", "doctor").out

    def test_a_desk_that_is_too_old_fails(self, member: Member) -> None:
        member.owner.sql("UPDATE frontdesk.accounts SET min_reader = 2")
        typed = member("team", "doctor")
        assert typed.status == 1
        assert "the team uses a newer frontdesk; update this one" in typed.out

    def test_who_sees_some_lines_is_told_which(self, member: Member) -> None:
        member.owner.sql("UPDATE frontdesk.grants SET line_id = 'l1'")
        typed = member("team", "doctor")
        assert "1 line: Service, agent-noa" in typed.out
        assert "doesn't see all lines; another machine must poll for the team" in typed.out

    def test_who_may_not_read_for_the_team_is_told(self, member: Member) -> None:
        member.owner.add("noa", "--may-not-poll")
        assert "may not poll for the team; another one has to" in member("team", "doctor").out

    def test_the_general_doctor_has_a_line_for_it(self, member: Member) -> None:
        def line(**environ: str) -> str:
            [found] = [each for each in member("doctor", **environ).out.splitlines() if " team " in each[:12]]
            return found

        assert line().startswith("warn  team        acme at ")
        assert line().endswith(
            "0 desks; nobody polls for the team; start frontdesk on a machine that may (`--may-poll`)"
        )
        member.joined("noa-office", leads=True)
        assert line().startswith("ok    team")
        assert line().endswith("1 desk; noa-office polls for the team")
        assert line(PGPASSWORD="canary-wrong-1").startswith("FAIL  team")
        assert "canary" not in line(PGPASSWORD="canary-wrong-1")

    def test_a_password_of_the_file_is_used_and_one_for_another_server_is_not(self, member: Member) -> None:
        path = Path(member.owner.frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk/credentials.toml"
        server = f"{member.owner.role('noa')}@{member.owner.postgres.folder}:5432"
        path.write_text(f'[acme]\nteam_password = "{member.password}"\nteam_server = "{server}"\n')
        path.chmod(0o600)
        assert member("team", "status", PGPASSWORD="").status == 0
        path.write_text(f'[acme]\nteam_password = "{member.password}"\nteam_server = "noa@other:5432"\n')
        typed = member("team", "status", PGPASSWORD="")
        assert typed.status == 3
        assert "was entered for noa@other:5432" in typed.err
        assert tomllib.loads(path.read_text())["acme"]["team_password"] == member.password

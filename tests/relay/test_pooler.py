"""Behind a pooler in transaction mode, where each transaction may meet another session of the server."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest

from frontdesk.relay.admin import InitOptions, init_account, open_as_owner
from frontdesk.relay.client import RelayClient
from frontdesk.relay.people import Grant, add_person, remove_person
from frontdesk.storage import team_state
from frontdesk.team import link
from postgres_server import PASSWORD, Team, observation
from sandbox.asking import Sandbox
from sync.running_engine import run
from team.desks import Desks, edit, follows, leads, tasks_of

from .pooler import HOST, Pooler, needs_pooler, running_pooler
from .test_tls import doctor

__all__ = ["doctor"]

pytestmark = pytest.mark.anyio

SESSIONS = 2
"""Of each role."""


@pytest.fixture
def pooler(team: Team) -> Iterator[Pooler]:
    """A pooler that knows noa, who may poll, and dan, who sees the line l1."""
    team.add("noa", may_poll=True)
    team.add("dan", ["l1"])
    with running_pooler(team.postgres, SESSIONS) as it:
        yield it


def sessions(team: Team) -> set[str]:
    rows = team.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'frontdesk'"
    )
    return {pid for (pid,) in rows}


async def open_desk(team: Team, pooler: Pooler, role: str, desk: str, heard: list[str]) -> RelayClient:
    address = pooler.before(team.address(role))
    client = await RelayClient.open(address, PASSWORD, team.account, desk, lambda: heard.append(desk))
    await client.join(role)
    return client


@needs_pooler
async def test_desks_share_few_sessions_and_each_gets_its_own_answers(team: Team, pooler: Pooler) -> None:
    heard: list[str] = []
    leader = await open_desk(team, pooler, "noa", "leader", heard)
    others = [await open_desk(team, pooler, "dan", f"desk-{n}", heard) for n in range(9)]
    seen: set[str] = set()
    try:
        token = await leader.lease(60) or 0

        async def publish() -> None:
            for n in range(20):
                await leader.observe(token, [observation(f"t-{n}", f"l{n % 2}")])

        async def work(client: RelayClient, number: int) -> None:
            position, found = 0, list[str]()
            while len(found) < 10:
                await client.look([("l1", f"{number} {len(found)}")], position)
                rows = await client.since(position, 1 + number)
                found += [row.item.id for row in rows]
                position = rows[-1].position if rows else position
                seen.update(sessions(team))
            assert found == [f"t-{n}" for n in range(1, 20, 2)]
            claim = await client.claim(f"task c-{number}", 15)
            assert await client.claimed_by(f"task c-{number}") == client.name
            await client.unclaim(claim or 0)

        await asyncio.gather(publish(), *(work(client, n) for n, client in enumerate(others)))
        shown = await leader.lookers(60)
        assert [(each.desk, each.parts[0].split()[0]) for each in shown] == [
            (f"desk-{n}", str(n)) for n in range(9)
        ]
        assert heard == []
        assert await prepared(leader) == 0
        assert len(sessions(team)) <= 2 * SESSIONS
        assert len(seen) > 1, "they met more than one session"
    finally:
        for each in (leader, *others):
            await each.close()


async def prepared(client: RelayClient) -> int:
    """Count the statements that this session of the server has prepared."""
    return int(await client._connection.fetchval("SELECT count(*) FROM pg_catalog.pg_prepared_statements"))


async def test_without_a_pooler_each_statement_is_prepared_once(team: Team) -> None:
    team.add("noa")
    async with team.desk("noa") as noa:
        before = await prepared(noa)
        for _ in range(3):
            assert await noa.position() == 0
            assert await noa.since(0, 10) == []
        assert await prepared(noa) == before + 2


class PooledDesks(Desks):
    """Desks that connect to the pooler."""

    pooler: Pooler

    def add(self, role: str, lines: Sequence[str] = ("*",), *, may_poll: bool = True) -> None:
        """Leave everybody as the pooler knows them."""

    def url(self, role: str) -> str:
        return f"postgresql://{role}@{HOST}:{self.pooler.port}/{self.team.database}"


@needs_pooler
def test_desks_lead_and_follow_and_notice_a_restore_without_notices(
    sandbox: Sandbox,
    team: Team,
    pooler: Pooler,
    tmp_path: Path,
    filled_store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "COUNT_SECONDS", 0.2)
    desks = PooledDesks(sandbox, team, tmp_path, filled_store)
    desks.pooler = pooler
    team.execute("UPDATE frontdesk.grants SET line_id = '*' WHERE role = 'dan'")

    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            async with desks.desk("dan") as dan:
                await dan.until(lambda: follows(dan))
                task_id = min(tasks_of(noa.store))
                edit(noa, task_id, "Said behind the pooler")
                await dan.until(lambda: "Said behind the pooler" in tasks_of(dan.store).get(task_id, ""))
                team.execute("UPDATE frontdesk.accounts SET epoch = gen_random_uuid()")
                [[epoch]] = team.execute("SELECT epoch FROM frontdesk.accounts")
                await dan.until(lambda: team_state.place(dan.store.reading, team.account).epoch == epoch)
                await dan.until(lambda: follows(dan))

    run(test)


@needs_pooler
async def test_the_owner_sets_a_team_up_through_it(team: Team) -> None:
    boss = f"boss_{team.database}"
    team.execute(f"CREATE ROLE {boss} SUPERUSER LOGIN PASSWORD '{PASSWORD}'")
    try:
        with running_pooler(team.postgres, SESSIONS) as pooler:
            async with open_as_owner(pooler.before(team.address(boss)), PASSWORD) as connection:
                assert connection.is_pooled
                assert (await init_account(connection, "second", InitOptions())).budget_per_minute == 120
                role = f"gil_{team.database}"
                added = await add_person(connection, "second", Grant(role, lines=("l1",)), new_password=True)
                assert (added.role, added.lines) == (role, ("l1",))
                assert (await remove_person(connection, "second", role)).role_kept_for == ""
    finally:
        team.execute(f"DROP ROLE {boss}")


@needs_pooler
def test_doctor_names_the_pooler_and_the_encryption_of_the_way_to_it(
    team: Team, doctor: Callable[[str], tuple[int, str]]
) -> None:
    team.add("noa", may_poll=True)
    with running_pooler(team.postgres, SESSIONS, with_tls=True) as pooler:
        assert pooler.ca_file is not None
        trusted = f"?sslmode=verify-full&sslrootcert={quote(pooler.ca_file, safe='')}"
        _, words = doctor(f"postgresql://noa@{HOST}:{pooler.port}/{team.database}{trusted}")
    assert "behind a pooler: this machine asks once a second for news" in words
    assert "the server's certificate was checked" in words
    assert "checked with SCRAM" in words
    _, words = doctor(team.postgres.url("noa", team.database))
    assert "pooler" not in words
    assert "not needed on this machine" in words

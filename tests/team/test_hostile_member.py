"""A member of the team who means harm, with a session of their own: what they write, hold or plant."""

import asyncio
import json
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import asyncpg
import pytest

from frontdesk.relay.admin import limit_role
from frontdesk.storage import team_state
from frontdesk.storage.sql import first, rows
from postgres_server import PASSWORD, Team
from relay.test_hostile_names import HOSTILE, OPERATORS
from sandbox.asking import Sandbox
from sync.running_engine import Works, run
from team.desks import Desks, conversations_of, edit, follows, is_settled, leads, tasks_of
from team.people import AtDesk

pytestmark = pytest.mark.slow

FAT_PARTS = 8_000_000
MAX_GROWTH_KB = 100_000
"""Of this process, in which both engines run; one fat row took 1.4 GB."""


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path) -> Desks:
    return Desks(sandbox, team, tmp_path, filled_store)


@asynccontextmanager
async def mallorys_session(team: Team, line: str) -> AsyncIterator[asyncpg.Connection]:
    """Mallory may see one line, and may not poll; their role has the limits that `team add` gives it."""
    address = team.add("mallory", [line])
    owner = await asyncpg.connect(team.owner_url)
    await limit_role(owner, "mallory")
    await owner.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    await owner.close()
    session = await asyncpg.connect(
        host=address.host, port=address.port, user="mallory", password=PASSWORD, database=address.database
    )
    await session.execute(HOSTILE + OPERATORS)
    await session.execute("SELECT frontdesk.join_desk('acme', 'mallory', 'mallory', 1)")
    try:
        yield session
    finally:
        session.terminate()


async def claimed(session: asyncpg.Connection, task_id: str) -> int:
    token: int = await session.fetchval("SELECT frontdesk.claim('acme', 'mallory', $1, 60)", f"task {task_id}")
    return token


async def report(session: asyncpg.Connection, item: dict[str, object], body: str) -> None:
    token = await claimed(session, str(item["id"]))
    whole = {"kind": "task", "asked_at": 9e9, "digest": "d", "body": body, **item}
    await session.execute("SELECT frontdesk.report('acme', $1, $2::jsonb)", token, json.dumps(whole))


def plant(team: Team, task_id: str, line: str, body: str) -> None:
    """Write a row past the functions, as those of an older frontdesk took it."""
    team.execute(
        "BEGIN; UPDATE frontdesk.accounts SET position = position + 1; INSERT INTO frontdesk.observed"
        f" SELECT account, 'task', '{task_id}', '{line}', position, extract(epoch FROM now()), 1, 'd', {body}"
        " FROM frontdesk.accounts; COMMIT"
    )


def has_read(desk: Works, position: int) -> bool:
    return team_state.place(desk.store.reading, "acme").position >= position


def names_of(desk: Works) -> set[str]:
    """Return the customers' names that a desk shows."""
    return {str(row[0]) for row in rows(desk.store.reading, "SELECT customer_name FROM tasks")}


def test_a_hostile_member_changes_nothing_and_keeps_nobody_from_working(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
            tasks, names, here = tasks_of(noa.store), names_of(noa), conversations_of(noa.store)[0]
            lines = {task_id: str(json.loads(raw)["phoneNumberId"]) for task_id, raw in tasks.items()}
            mine, line = next(iter(lines.items()))
            theirs = next(task_id for task_id, other in lines.items() if other != line)
            stolen = json.dumps({**json.loads(tasks[theirs]), "customer": {"customerName": "Mallory was here"}})
            grown_from = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            async with mallorys_session(team, line) as session:
                for item, body in (
                    ({"id": theirs, "line": line}, stolen),  # a task of a line without a right to it
                    ({"id": mine, "line": line}, stolen),  # under a task of one's own line
                    ({"id": "planted", "line": line}, stolen.replace(theirs, "planted")),  # of nobody
                    ({"id": mine, "line": line}, json.dumps("x" * 1_000_001)),
                ):
                    with pytest.raises(asyncpg.PostgresError):
                        await report(session, item, body)
                # What an older frontdesk's functions have taken of them: fat, and of other lines.
                head = f"""'{{"taskId": "fat", "phoneNumberId": "{line}", "x": ['"""
                await asyncio.to_thread(
                    plant, team, "fat", line, f"{head} || repeat('[],', {FAT_PARTS}) || '1]}}'"
                )
                await asyncio.to_thread(plant, team, "planted", line, "'" + stolen.replace("'", "''") + "'")
                [[position]] = team.execute("SELECT position FROM frontdesk.accounts")
                await noa.until(lambda: has_read(noa, int(position)))
                await dan.until(lambda: has_read(dan, int(position)))
                # Before the others can write anything, they wait for this transaction, which the server ends.
                with suppress(asyncpg.PostgresError):
                    await session.execute("BEGIN; SELECT frontdesk.share('acme', 'note', 'n-9', '', '{}')")
                AtDesk(dan, "dan").write(here, "as always")
                edit(dan, theirs, "as always")
                await dan.until(lambda: is_settled(dan) and AtDesk(dan, "dan").texts(here) == ["as always"])
                await noa.until(lambda: AtDesk(noa, "noa").texts(here) == ["as always"])
                await noa.until(lambda: leads(noa) and title_of(noa, theirs) == "as always")
                await dan.until(lambda: follows(dan))
            for desk in (noa, dan):
                assert tasks_of(desk.store).keys() == tasks.keys()
                assert names_of(desk) == names
            assert team.execute("SELECT * FROM public.caught WHERE role <> 'mallory'") == []
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown_from < MAX_GROWTH_KB

    run(test)


def title_of(desk: Works, task_id: str) -> str:
    row = first(desk.store.reading, "SELECT title FROM tasks WHERE task_id = ?", (task_id,))
    return str(row[0]) if row is not None else ""

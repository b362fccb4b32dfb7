"""Desks of one team with different lines: each knows of the leader what belongs to its own, and no more."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from frontdesk.storage import clients
from frontdesk.storage.records import Connection
from frontdesk.storage.sql import rows
from frontdesk.sync.status_view import view_health
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import Works, run
from team.desks import Desks, follows, leads, look_at

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path) -> Desks:
    return Desks(sandbox, team, tmp_path, filled_store)


def conversations_by_line(desk: Works) -> Mapping[str, str]:
    """Return a conversation of each line."""
    found = rows(
        desk.store.reading,
        "SELECT line_id, min(conversation_id) FROM conversations WHERE line_id IS NOT NULL GROUP BY line_id",
    )
    return {str(line): str(conversation) for line, conversation in found}


def shown(desk: Works, conversation_id: str = "") -> Connection:
    """Return the connection as the desk's inbox shows it."""
    return view_health(clients.health(desk.store.reading), clients.Focus("inbox", conversation_id)).state


def told(team: Team, line: str) -> str:
    """Return what stands at the relay under a line."""
    found = team.execute(f"SELECT what FROM frontdesk.lookers WHERE line_id = '{line}'")
    return "".join(what for [what] in found)


def test_a_desk_of_one_line_follows_a_leader_that_shows_another(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            (here, mine), (there, theirs), *_ = conversations_by_line(noa).items()
            look_at(noa, theirs)
            await noa.until(lambda: theirs in told(team, there))
            async with desks.desk("dan", lines=[here], may_poll=False) as dan:
                look_at(dan, mine)
                await noa.until(lambda: told(team, here).count(mine) >= 2)  # dan's screen, and the leader's read
                await dan.until(lambda: follows(dan) and shown(dan, mine) == Connection.LIVE)
                assert mine not in told(team, "") + told(team, there)
                assert theirs not in told(team, "") + told(team, here)

    run(test)


def test_a_leader_that_reports_nothing_is_not_shown_as_live(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            look_at(dan, "")
            await dan.until(lambda: leads(noa) and follows(dan) and shown(dan) == Connection.LIVE)
            # In a thread: a desk's open transaction keeps the lock, and ends on this thread.
            await asyncio.to_thread(
                team.execute,
                "CREATE FUNCTION public.skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
                "CREATE TRIGGER skipping BEFORE INSERT ON frontdesk.lookers"
                " FOR EACH ROW EXECUTE FUNCTION public.skip();"
                "DELETE FROM frontdesk.lookers",
            )
            await dan.until(lambda: shown(dan) == Connection.STARTING)
            assert follows(dan)
            await asyncio.to_thread(team.execute, "DROP TRIGGER skipping ON frontdesk.lookers")
            await dan.until(lambda: shown(dan) == Connection.LIVE)

    run(test)


def test_a_desk_that_begins_to_lead_deletes_what_is_old(desks: Desks, team: Team) -> None:
    async def test() -> None:
        team.execute("INSERT INTO frontdesk.observed VALUES ('acme', 'message', 'm', '', 1, 1, 1, '', '{}')")
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))
            assert team.execute("SELECT id FROM frontdesk.observed WHERE asked_at = 1") == []

    run(test)

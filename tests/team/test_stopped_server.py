"""A PostgreSQL that is stopped, as on a machine that hangs: desks go on alone in time, and a slow one is kept."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from frontdesk.team.access import TeamTimes
from postgres_server import Binaries, Postgres, Team, new_team, running_postgres
from relay.relay_rows import locked
from sandbox.asking import Sandbox
from sync.running_engine import run
from team.desks import Desks, follows, is_alone, leads

pytestmark = pytest.mark.slow

TIMES = replace(TeamTimes(), spread=0.5)
MAX_ALONE_SECONDS = 6.0
BUSY_SECONDS = 2.0
"""How much longer a busy machine may take in a test."""


@pytest.fixture
def own_team(postgres_binaries: Binaries, postgres_folder: Callable[[], Path]) -> Iterator[Team]:
    """A team on a server that no other test uses."""
    with ExitStack() as stack:
        server = stack.enter_context(running_postgres(postgres_binaries, postgres_folder()))
        server.make_template()
        yield stack.enter_context(new_team(server))


@contextmanager
def stopped(server: Postgres) -> Iterator[None]:
    """Stop all processes of the server for a while."""
    postmaster = int((server.folder / "data/postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children")
    if not children.exists():
        pytest.skip("the server's processes are found by /proc")
    os.kill(postmaster, signal.SIGSTOP)  # first, so that it starts no other
    processes = [postmaster, *map(int, children.read_text().split())]
    for each in processes:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in processes:
            os.kill(each, signal.SIGCONT)


def test_desks_go_on_alone_within_six_seconds_and_come_back(
    sandbox: Sandbox, own_team: Team, tmp_path: Path, filled_store: Path
) -> None:
    desks = Desks(sandbox, own_team, tmp_path, filled_store)

    async def test() -> None:
        async with desks.desk("noa", times=TIMES) as noa:
            await noa.until(lambda: leads(noa))
            async with desks.desk("dan", may_poll=False, times=TIMES) as dan:
                await dan.until(lambda: follows(dan))
                with stopped(own_team.postgres):
                    began = time.monotonic()
                    await noa.until(lambda: is_alone(noa))
                    await dan.until(lambda: is_alone(dan))
                    assert time.monotonic() - began < MAX_ALONE_SECONDS + BUSY_SECONDS
                await noa.until(lambda: leads(noa))
                await dan.until(lambda: follows(dan))

    run(test)


def test_one_statement_that_takes_long_makes_no_desk_alone(
    sandbox: Sandbox, own_team: Team, tmp_path: Path, filled_store: Path
) -> None:
    desks = Desks(sandbox, own_team, tmp_path, filled_store)
    seen: list[bool] = []

    async def test() -> None:
        async with desks.desk("noa", times=TIMES) as noa:
            await noa.until(lambda: leads(noa))

            first = connections(own_team, "min(pid)")
            async with locked(own_team, "SELECT FROM frontdesk.leader FOR UPDATE"):
                await noa.until(lambda: seen.append(is_alone(noa)) or connections(own_team, "max(pid)") != first)
            await noa.until(lambda: seen.append(is_alone(noa)) or leads(noa))
            assert not any(seen)

    run(test)


def connections(team: Team, what: str = "count(*)") -> int:
    [[found]] = team.execute(f"SELECT coalesce({what}, 0) FROM pg_stat_activity WHERE usename = 'noa'")
    return int(found)

"""Desks of one team: one reads for all, and the others show what it has read."""

from pathlib import Path

import pytest

from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import run
from team.desks import (
    Desks,
    conversations_of,
    follows,
    is_alone,
    leads,
    look_at,
    read_requests,
    state,
    tasks_of,
    thread_of,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path) -> Desks:
    return Desks(sandbox, team, tmp_path)


def test_one_desk_reads_and_the_other_has_the_same_without_asking_the_platform(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))
            async with desks.desk("dan", may_poll=False) as dan:
                await dan.until(lambda: follows(dan))
                assert state(dan).leader == "noa"
                await noa.until(lambda: noa.engine.has_read_all)
                await dan.until(lambda: tasks_of(dan.store) == tasks_of(noa.store))
                for each in conversations_of(noa.store):
                    await dan.until(lambda each=each: thread_of(dan.store, each) == thread_of(noa.store, each))
                assert read_requests(dan) == []

    run(test)

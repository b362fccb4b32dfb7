"""Claims: of several desks one is between the read of a task and its change, and it alone reports the answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayRefused, StaleLeader
from postgres_server import Team, observation

from .relay_rows import everything, observe_before, published

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def two_desks(team: Team) -> AsyncIterator[tuple[RelayClient, RelayClient]]:
    team.add("noa")
    team.add("dan")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        yield noa, dan


def end_claims(team: Team) -> None:
    """Let the time of all claims run out now."""
    team.execute("UPDATE frontdesk.claims SET until = clock_timestamp() - interval '1 ms'")


async def test_a_claim_keeps_the_others_out_until_it_is_given_back(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        token = await noa.claim("task t-1", 15)
        assert token is not None
        assert await dan.claim("task t-1", 15) is None
        assert await dan.claimed_by("task t-1") == "noa"
        assert await dan.claim("task t-2", 15) is not None
        await noa.unclaim(token)
        assert await dan.claimed_by("task t-1") == ""
        assert await dan.claim("task t-1", 15) is not None


async def test_of_many_races_each_has_one_winner(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        for n in range(60):
            tokens = await asyncio.gather(*(desk.claim(f"task t-{n}", 15) for desk in (noa, dan)))
            assert sum(token is not None for token in tokens) == 1
        assert len(everything(team, "claims")["claims"]) == 60


async def test_a_claim_that_ran_out_is_taken_over_with_a_higher_token(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        first = await noa.claim("task t-1", 15) or 0
        end_claims(team)
        assert await dan.claimed_by("task t-1") == ""
        second = await dan.claim("task t-1", 15) or 0
        assert second > first
        await noa.unclaim(first)
        assert await noa.claimed_by("task t-1") == "dan"


async def test_a_renewed_claim_makes_its_old_token_worthless(team: Team) -> None:
    observe_before(team, "t-1")
    async with two_desks(team) as (noa, _):
        first = await noa.claim("task t-1", 15) or 0
        second = await noa.claim("task t-1", 15) or 0
        with pytest.raises(StaleLeader):
            await noa.report(first, observation("t-1"))
        await noa.report(second, observation("t-1"))


async def test_nobody_gives_anothers_claim_back(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        token = await noa.claim("task t-1", 15) or 0
        await dan.unclaim(token)
        assert await dan.claimed_by("task t-1") == "noa"


async def test_a_desk_joins_before_it_claims(team: Team) -> None:
    team.add("noa")
    noa = await team.open("noa")
    with pytest.raises(RelayRefused, match="not joined"):
        await noa.claim("task t-1", 15)
    await noa.close()


async def test_the_answer_to_a_change_is_published_by_its_claim(team: Team) -> None:
    observe_before(team, "t-1")
    async with two_desks(team) as (noa, dan):
        woken = asyncio.Event()
        async with team.desk("dan", notified=woken.set):
            token = await noa.claim("task t-1", 15) or 0
            await noa.report(token, observation("t-1"))
            await asyncio.wait_for(woken.wait(), 60)
        assert [row.item.body for row in await dan.since(0, 10)] == [observation("t-1").body]


async def test_a_report_needs_a_live_claim_of_exactly_its_task(team: Team) -> None:
    observe_before(team, "t-1", "t-2", "t-11")
    before = published(team)
    async with two_desks(team) as (noa, dan):
        token = await noa.claim("task t-1", 15) or 0
        other = await dan.claim("task t-2", 15) or 0
        for desk, wrong, item in (
            (noa, token, observation("t-2")),
            (noa, token, observation("t-11")),
            (noa, token + 100, observation("t-1")),
            (noa, other, observation("t-2")),
            (dan, token, observation("t-1")),
        ):
            with pytest.raises(StaleLeader):
                await desk.report(wrong, item)
        end_claims(team)
        with pytest.raises(StaleLeader):
            await noa.report(token, observation("t-1"))
        token = await noa.claim("task t-1", 15) or 0
        await noa.unclaim(token)
        with pytest.raises(StaleLeader):
            await noa.report(token, observation("t-1"))
    assert published(team) == before


async def test_the_leaders_token_is_no_claim(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(10) or 0
        with pytest.raises(StaleLeader):
            await noa.report(token, observation("t-1"))


@pytest.mark.parametrize("kind", ["message", "page", "gone", "campaign"])
async def test_a_claim_publishes_nothing_but_tasks(team: Team, kind: str) -> None:
    async with two_desks(team) as (noa, _):
        token = await noa.claim(f"{kind} t-1", 15) or 0
        with pytest.raises(RelayRefused, match="only the leader"):
            await noa.report(token, observation("t-1", kind=kind))
    assert published(team) == []


async def test_claims_of_another_lines_tasks_are_neither_taken_nor_shown(team: Team) -> None:
    async with two_desks(team) as (noa, _):
        team.add("gil", ["l1"])
        observe_before(team, "t-2", line_id="l2")
        await noa.claim("task t-2", 15)
        async with team.desk("gil") as gil:
            assert await gil.claimed_by("task t-2") == ""
            with pytest.raises(RelayRefused, match="no rights"):
                await gil.claim("task t-2", 15)


async def test_a_report_replaces_nothing_of_another_line(team: Team) -> None:
    team.add("gil", ["l1"])
    async with team.desk("gil") as gil:
        early = await gil.claim("task t-2", 15) or 0  # before it was observed under its line
        team.execute("INSERT INTO frontdesk.observed VALUES ('acme', 'task', 't-2', 'l2', 1, 1.0, 1, 'd1', '{}')")
        before = everything(team, "observed")
        for line_id in ("l1", "l2"):
            with pytest.raises(RelayRefused, match="no rights"):
                await gil.report(early, observation("t-2", line_id))
    assert everything(team, "observed") == before


async def test_a_report_of_an_older_answer_changes_nothing(team: Team) -> None:
    observe_before(team, "t-1")
    async with two_desks(team) as (noa, _):
        token = await noa.claim("task t-1", 15) or 0
        await noa.report(token, observation("t-1", asked_at=100.0))
        before = published(team)
        await noa.report(token, observation("t-1", asked_at=90.0, digest="d9"))
        assert published(team) == before
        assert [(position, key) for position, _, key, _ in before] == [(2, "t-1")]

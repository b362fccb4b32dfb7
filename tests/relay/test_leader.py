"""The leader's lease, and what its token permits."""

import asyncio

import pytest

from frontdesk.relay.connection import RelayRefused, StaleLeader
from postgres_server import Team, observation

from .relay_rows import everything, published, until_waiting

pytestmark = pytest.mark.anyio


def end_lease(team: Team) -> None:
    """Let the leader's time run out now."""
    team.execute("UPDATE frontdesk.leader SET until = clock_timestamp() - interval '1 ms'")


async def test_one_desk_leads_and_the_others_wait(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        assert await dan.leader() is None
        token = await noa.lease(10)
        assert await dan.lease(10) is None
        leader = await dan.leader()
        assert leader is not None
        assert (leader.desk, leader.name, leader.token) == (noa.desk, "noa", token)
        assert 0 < leader.seconds_left <= 10


async def test_of_many_desks_that_ask_at_once_one_leads(team: Team) -> None:
    team.add("noa", may_poll=True)
    desks = [await team.open("noa") for _ in range(6)]
    for desk in desks:
        await desk.join("noa")
    tokens = await asyncio.gather(*(desk.lease(10) for desk in desks))
    assert len([each for each in tokens if each is not None]) == 1
    for desk in desks:
        await desk.close()


async def test_a_renewal_keeps_the_token(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(10)
        assert await noa.lease(10) == token
        assert await noa.observe(token or 0, [observation()]) == 1


async def test_a_lease_that_ran_out_is_taken_over_with_a_higher_token(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        first = await noa.lease(10)
        end_lease(team)
        second = await dan.lease(10)
        assert first is not None
        assert second is not None
        assert second > first
        assert await noa.lease(10) is None


async def test_the_same_desk_gets_a_higher_token_after_its_lease_ran_out(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        first = await noa.lease(10)
        end_lease(team)
        second = await noa.lease(10)
        assert first is not None
        assert second is not None
        assert second > first
        with pytest.raises(StaleLeader):
            await noa.observe(first, [observation()])


async def test_a_lease_lasts_a_minute_at_most(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        await noa.lease(1e9)
        leader = await noa.leader()
        assert leader is not None
        assert leader.seconds_left <= 60


async def test_a_stale_token_is_refused_and_takes_nothing(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.lease(10) or 0
        await noa.observe(token, [observation("t-1")])
        before = everything(team, "accounts", "observed")
        end_lease(team)
        for wrong in (token, token + 1, 0, -1):
            with pytest.raises(StaleLeader):
                await noa.observe(wrong, [observation("t-1", digest="d2"), observation("t-2")])
        assert everything(team, "accounts", "observed") == before
        newer = await dan.lease(10) or 0
        for desk, wrong in ((noa, token), (noa, newer), (dan, token)):
            with pytest.raises(StaleLeader):
                await desk.observe(wrong, [observation("t-2")])
        assert everything(team, "accounts", "observed") == before
        assert await dan.observe(newer, [observation("t-2")]) == 2


async def test_the_token_of_a_claim_is_no_leaders(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        await noa.lease(10)
        claim = await noa.claim("task t-1", 10)
        with pytest.raises(StaleLeader):
            await noa.observe(claim or 0, [observation()])
    assert published(team) == []


async def test_only_who_may_poll_leads(team: Team) -> None:
    team.add("dan", may_poll=False)
    async with team.desk("dan") as dan:
        with pytest.raises(RelayRefused, match="may not poll"):
            await dan.lease(10)
        assert await dan.leader() is None


async def test_a_desk_joins_before_it_leads(team: Team) -> None:
    team.add("noa", may_poll=True)
    noa = await team.open("noa")
    with pytest.raises(RelayRefused, match="not joined"):
        await noa.lease(10)
    await noa.close()


async def test_a_desk_of_somebody_else_does_not_lead(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa", "d1"):
        dan = await team.open("dan", "d1")
        with pytest.raises(RelayRefused, match="not joined"):
            await dan.lease(10)
        await dan.close()


async def test_a_leader_whose_right_is_gone_publishes_nothing(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(10) or 0
        team.execute("DELETE FROM frontdesk.grants WHERE role = 'noa'")
        with pytest.raises(RelayRefused, match="no rights"):
            await noa.observe(token, [observation()])
    assert published(team) == []


async def test_the_right_to_poll_is_checked_at_each_publication(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(10) or 0
        team.execute("UPDATE frontdesk.grants SET may_poll = false")
        with pytest.raises(RelayRefused, match="may not poll"):
            await noa.observe(token, [observation()])
    assert published(team) == []


async def test_a_release_lets_the_next_desk_lead_and_tells_it(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    news = asyncio.Event()
    async with team.desk("noa") as noa, team.desk("dan", notified=news.set) as dan:
        token = await noa.lease(10) or 0
        await noa.release(token)
        await asyncio.wait_for(news.wait(), 60)
        assert await dan.lease(10) is not None
        with pytest.raises(StaleLeader):
            await noa.observe(token, [observation()])


async def test_nobody_releases_anothers_lease(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.lease(10) or 0
        await dan.release(token)
        await noa.release(token + 1)
        assert await dan.lease(10) is None
        assert await noa.observe(token, [observation()]) == 1


async def test_a_takeover_waits_for_a_publication_that_has_begun(team: Team) -> None:
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.lease(10) or 0
        publication = noa._connection.transaction()
        await publication.start()
        await noa.observe(token, [observation()])
        takeover = asyncio.create_task(dan.lease(10))
        await until_waiting(team)
        await publication.commit()
        assert await takeover is None
        end_lease(team)
        assert await dan.observe(await dan.lease(10) or 0, [observation("t-2")]) == 2

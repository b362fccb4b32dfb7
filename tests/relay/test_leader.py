"""The leader's lease and its token."""

import pytest

from postgres_server import Team, observation

pytestmark = pytest.mark.anyio


async def test_a_desk_leads_and_publishes(team: Team) -> None:
    team.add("noa", may_poll=True)
    team.add("dan", ["l2"])
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.lease(10)
        assert token is not None
        assert await noa.observe(token, [observation("t-1", "l1"), observation("t-2", "l2")]) == 2
        assert [row.position for row in await dan.since(0, 10)] == [2]

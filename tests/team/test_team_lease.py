"""When a desk asks for its team's lease: to renew it, and when the one that another desk holds ends."""

from typing import cast

import pytest

from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import Leader
from frontdesk.storage.records import Connection, Health
from frontdesk.team.access import TeamAccess, TeamTimes
from frontdesk.team.lease import TeamLease

pytestmark = pytest.mark.anyio

TIMES = TeamTimes(lease=7.0, renew=1.5, look=2.0)
STEP = 0.25


class LeaseTable:
    """The relay's lease, with the time of one clock.

    Attributes:
        asked: when each desk has asked for it.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.holder, self.until = "", 0.0
        self.asked: dict[str, list[float]] = {"noa": [], "dan": []}

    def leader(self) -> Leader | None:
        return Leader(self.holder, self.holder, 1, self.until - self.now) if self.holder else None

    def take(self, desk: str, seconds: float) -> int | None:
        self.asked[desk].append(self.now)
        if desk != self.holder and self.now < self.until:
            return None
        self.holder, self.until = desk, self.now + seconds
        return 1


class LeaseClient:
    """The relay of one desk."""

    def __init__(self, table: LeaseTable, desk: str):
        self._table, self._desk = table, desk

    async def lease(self, seconds: float) -> int | None:
        return self._table.take(self._desk, seconds)


class LeasingDesk:
    """What a desk's link does with its lease."""

    def __init__(self, table: LeaseTable, name: str):
        self._table, self._name, self._looked_at = table, name, float("-inf")
        access = TeamAccess("", "acme", lambda: "", name, times=TIMES)
        self.lease = TeamLease(access, lambda: Health(Connection.LIVE), lambda: table.now)
        self._client = cast(RelayClient, LeaseClient(table, name))

    async def step(self) -> None:
        if self._table.now >= self._looked_at + TIMES.look:
            self._looked_at = self._table.now
            self.lease.note_leader(self._table.leader(), self._name)
        if self.lease.is_due:
            self.lease.token = await self.lease.request(self._client)


async def pass_time(table: LeaseTable, seconds: float, *desks: LeasingDesk) -> None:
    for _ in range(round(seconds / STEP)):
        table.now += STEP
        for each in desks:
            await each.step()


async def test_a_follower_asks_when_the_lease_ends_and_not_before() -> None:
    table = LeaseTable()
    noa, dan = LeasingDesk(table, "noa"), LeasingDesk(table, "dan")
    await pass_time(table, 60, noa, dan)
    assert table.asked["noa"] == [STEP + 1.5 * n for n in range(40)]
    assert table.asked["dan"] == []
    ends_at = table.until
    await pass_time(table, 10, dan)
    assert table.asked["dan"][0] == ends_at
    assert table.holder == "dan"


async def test_of_two_followers_the_one_that_comes_second_waits_for_the_new_leader() -> None:
    table = LeaseTable()
    noa, dan = LeasingDesk(table, "noa"), LeasingDesk(table, "dan")
    table.holder, table.until = "gil", 7.0
    await pass_time(table, 40, noa, dan)
    assert table.holder == "noa"
    assert table.asked["dan"] == [7.0]


async def test_a_lease_that_was_let_go_is_asked_for_at_once() -> None:
    table = LeaseTable()
    noa, dan = LeasingDesk(table, "noa"), LeasingDesk(table, "dan")
    await pass_time(table, 10, noa, dan)
    table.until = table.now
    dan.lease.ask_soon()
    await pass_time(table, STEP, dan)
    assert (table.holder, table.asked["dan"]) == ("dan", [table.now])

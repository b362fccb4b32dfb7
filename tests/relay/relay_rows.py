"""What the relay's tables hold, read past all policies, and what is heard of it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import asyncpg

from frontdesk.relay.client import RelayClient
from postgres_server import Team

TABLES = ("accounts", "grants", "desks", "leader", "observed", "lookers", "claims", "shared", "journal")


def observe_before(team: Team, *task_ids: str, line_id: str = "l1", body: str = "{}") -> None:
    """Let tasks have been published before: their answers are taken from whoever changes them."""
    for task_id in task_ids:
        team.execute(
            "UPDATE frontdesk.accounts SET position = position + 1; INSERT INTO frontdesk.observed SELECT account,"
            f" 'task', '{task_id}', '{line_id}', position, 1.0, 1, 'd0', '{body}' FROM frontdesk.accounts"
        )


def everything(team: Team, *tables: str) -> dict[str, list[str]]:
    """Return all rows of the tables as text; of all tables if none is named."""
    return {
        table: sorted(row[0] for row in team.execute(f"SELECT t::text FROM frontdesk.{table} t"))
        for table in tables or TABLES
    }


def published(team: Team) -> list[tuple[int, str, str, str]]:
    """Return position, kind, id and digest of what was published, in order."""
    rows = team.execute("SELECT position, kind, id, digest FROM frontdesk.observed ORDER BY position")
    return [(int(position), kind, key, digest) for position, kind, key, digest in rows]


async def until_waiting(team: Team, unless: asyncio.Future[None] | None = None) -> None:
    """Wait until a session of the team's database waits for another's lock, or until a future is done."""
    began = time.monotonic()
    while not (unless and unless.done()) and team.execute(WAITING) == [["0"]]:
        assert time.monotonic() < began + 60, "nobody waits"
        await asyncio.sleep(0.01)


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@asynccontextmanager
async def locked(team: Team, statement: str) -> AsyncIterator[None]:
    """Hold the locks that the superuser takes with a statement."""
    owner = await asyncpg.connect(team.owner_url)
    try:
        async with owner.transaction():
            await owner.execute(statement)
            yield
    finally:
        await owner.close()


class Notices:
    """What a connection hears on the account's channel."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self._ended = asyncio.Event()

    @classmethod
    async def of(cls, connection: asyncpg.Connection) -> Self:
        notices = cls()
        await connection.add_listener("frontdesk_acme", notices._hear)
        return notices

    def _hear(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        if payload == "now":
            self._ended.set()
        else:
            self._heard.append(payload)

    async def until_now(self, desk: RelayClient) -> list[str]:
        """Return the payloads of all notices that were sent before."""
        await desk._connection.execute("SELECT pg_notify('frontdesk_acme', 'now')")
        await asyncio.wait_for(self._ended.wait(), 60)
        return self._heard

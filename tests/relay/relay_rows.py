"""What the relay's tables hold, read past all policies."""

import asyncio
import time

from postgres_server import Team

TABLES = ("accounts", "grants", "desks", "leader", "observed", "lookers", "claims", "shared", "journal")


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


async def until_waiting(team: Team, sessions: int = 1) -> None:
    """Wait until so many sessions of the team's database wait for another's lock."""
    began = time.monotonic()
    while int(team.execute(WAITING)[0][0]) < sessions:
        assert time.monotonic() < began + 60, "nobody waits"
        await asyncio.sleep(0.01)


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

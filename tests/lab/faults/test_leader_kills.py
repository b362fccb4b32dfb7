"""Leaders that are killed again and again: another desk goes on, and nothing is lost or doubled.

The desks go by shorter times, so that a kill takes a second.
"""

import json
import random
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from frontdesk.storage.sql import first
from frontdesk.team.access import TeamTimes
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.storage import read_task
from lab.sample import SEED, count
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import Works, run
from team.desks import Desks, conversations_of, edit, follows, is_settled, leads, tasks_of

pytestmark = pytest.mark.lab

KILLS = count(12, 300)
LEASE = 0.5
TIMES = TeamTimes(
    lease=LEASE,
    renew=0.3 * LEASE,
    look=0.2 * LEASE,
    follow=0.1 * LEASE,
    alone_after=60.0,
    min_retry=0.05,
    max_retry=0.1,
    present=10.0,
)
ROLES = ("noa", "dan", "marta")


class Leaders:
    """Three desks of a team, one of which leads."""

    def __init__(self, desks: Desks):
        self._desks = desks
        self._open: dict[str, AsyncExitStack] = {}
        self.running: dict[str, Works] = {}

    async def start(self, role: str) -> None:
        self._open[role] = stack = AsyncExitStack()
        self.running[role] = await stack.enter_async_context(self._desks.desk(role, times=TIMES))

    async def kill(self, role: str) -> None:
        await self.running[role].kill()
        self._desks.cut_connections(role)
        await self.end(role)

    async def end(self, role: str) -> None:
        await self._open.pop(role).aclose()
        del self.running[role]

    async def leader(self) -> str:
        """Wait until one desk leads and the others follow; returns whose it is."""
        desks = self.running.values()
        await next(iter(desks)).until(
            lambda: sum(map(leads, desks)) == 1 and sum(map(follows, desks)) == len(desks) - 1
        )
        return next(role for role, each in self.running.items() if leads(each))


@pytest.mark.timeout(max(200, KILLS * (LEASE + 5) * 2))
def test_another_desk_goes_on_after_each_kill_and_all_stores_agree(
    sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path
) -> None:
    chance, waits = random.Random(SEED), list[float]()
    three = Leaders(Desks(sandbox, team, tmp_path, filled_store))

    async def test() -> None:
        for role in ROLES:
            await three.start(role)
        leader = three.running[await three.leader()]
        await leader.until(lambda: leader.engine.has_read_all)
        task_ids, conversation_ids = sorted(tasks_of(leader.store)), conversations_of(leader.store)
        for number in range(KILLS):
            killed = await three.leader()
            writer = three.running[chance.choice([role for role in ROLES if role != killed])]
            await writer.until(
                lambda writer=writer: is_settled(writer) and tasks_of(writer.store).keys() >= {*task_ids}
            )
            edit(writer, chance.choice(task_ids), f"edit {number}")
            said = {
                "participantsIdentifiers": chance.choice(conversation_ids),
                "messageContent": f"message {number}",
            }
            assert (await sandbox.asked("POST", "/sandbox/messages", json=said)).is_success
            began = time.monotonic()
            await three.kill(killed)
            await three.leader()
            waits.append(time.monotonic() - began)
            await three.start(killed)
        await three.leader()
        for desk in three.running.values():
            await desk.until(lambda desk=desk: is_settled(desk))
            await desk.until(lambda desk=desk: titles_of(desk) == titles_on(sandbox))
            for number in range(KILLS):
                await desk.until(lambda desk=desk, number=number: heard(desk, f"message {number}") == 1)
        for role in ROLES:
            await three.end(role)

    run(test, seconds=max(190, KILLS * (LEASE + 5)))
    waits.sort()
    median, p95 = waits[len(waits) // 2], waits[int(len(waits) * 0.95)]
    said = f"{KILLS} kills, lease {LEASE} s: median {median:.2f} s, p95 {p95:.2f} s, at most {waits[-1]:.2f} s"
    print(said)


def titles_of(desk: Works) -> dict[str, str]:
    return {task_id: json.loads(raw)["title"] for task_id, raw in tasks_of(desk.store).items()}


def titles_on(sandbox: Sandbox) -> dict[str, str]:
    """Return the titles of all tasks as the platform has them."""
    storage = sandbox.world.storage
    ids = [str(row[0]) for row in storage.rows("SELECT task_id FROM tasks")]
    found = {each: read_task(storage, fixtures.ACCOUNT, each) for each in ids}
    return {each: str(json.loads(raw)["title"]) for each, raw in found.items() if raw}


def heard(desk: Works, text: str) -> int:
    """Count the messages of a desk's store that say this."""
    row = first(desk.store.reading, "SELECT count(*) FROM messages WHERE raw LIKE ?", (f'%"{text}"%',))
    return 0 if row is None else int(row[0])

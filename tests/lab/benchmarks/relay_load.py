"""What a thousand desks cost their PostgreSQL, and how long a desk takes to catch up.

.venv/bin/pytest -n 0 -s tests/lab/benchmarks/relay_load.py [-k pooler]
"""

import asyncio
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayError
from postgres_server import PASSWORD, Binaries, Postgres, Team, new_team, observation, running_postgres
from relay.pooler import needs_pooler, running_pooler

pytestmark = pytest.mark.anyio

DESKS = 1_000
PUBLICATIONS, ITEMS = 20, 10
POOLED_SECONDS, POOLED_EVERY, POOLED_CONNECTIONS = 30, 2.0, 25
ROWS, ROW_BYTES = 50_000, 600


@pytest.fixture
def large_team(postgres_binaries: Binaries, postgres_folder: Callable[[], Path]) -> Iterator[Team]:
    """A team on a server that takes a thousand desks."""
    options = {"max_connections": str(DESKS + 100), "shared_buffers": "128MB", "autovacuum": "on"}
    with running_postgres(postgres_binaries, postgres_folder(), options) as server:
        server.make_template()
        with new_team(server) as team:
            yield team


def processes(server: Postgres) -> list[psutil.Process]:
    return psutil.Process(server.pid).children(recursive=True)


def megabytes(server: Postgres) -> float:
    """Return the memory of the server's processes; what they share is counted once (PSS)."""
    found = 0
    for each in processes(server):
        with suppress(psutil.NoSuchProcess):
            found += each.memory_full_info().pss
    return found / 1e6


def cpu_seconds(server: Postgres) -> float:
    """Return the processor time of the server's processes, of those that run more precisely than psutil does."""
    found = 0.0
    for each in processes(server):
        with suppress(psutil.NoSuchProcess, FileNotFoundError):
            found += int(Path(f"/proc/{each.pid}/schedstat").read_text().split()[0]) / 1e9
            ended = each.cpu_times()
            found += ended.children_user + ended.children_system
    return found


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


async def test_a_thousand_desks_are_told_of_publications(large_team: Team) -> None:
    team, server = large_team, large_team.postgres
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * DESKS)), hard))
    team.add("noa", may_poll=True)
    team.add("dan", ["l1"])
    before = megabytes(server)
    heard: list[float] = []
    all_heard = asyncio.Event()
    reads = False
    positions: dict[RelayClient, int] = {}
    reading: set[asyncio.Task[None]] = set()

    async def read(desk: RelayClient) -> None:
        rows = await desk.since(positions[desk], 500)
        positions[desk] = rows[-1].position if rows else positions[desk]
        read_at.append(time.monotonic())

    def note(desk: list[RelayClient]) -> None:
        heard.append(time.monotonic())
        if reads:
            reading.add(task := asyncio.create_task(read(desk[0])))
            task.add_done_callback(reading.discard)
        if len(heard) == DESKS:
            all_heard.set()

    began, began_cpu = time.monotonic(), cpu_seconds(server)
    desks: list[RelayClient] = []
    for _ in range(DESKS):
        own: list[RelayClient] = []
        own.append(await team.open("dan", notified=lambda own=own: note(own)))  # type: ignore[misc]
        desks += own
        positions[own[0]] = 0
    print(
        f"\n{DESKS} desks connect in {time.monotonic() - began:.1f} s, {cpu_seconds(server) - began_cpu:.1f} s of"
        f" PostgreSQL; its memory grows from {before:.0f} to {megabytes(server):.0f} MB (PSS)"
    )
    async with team.desk("noa") as noa:
        token = await noa.lease(60) or 0
        for reads in (False, True):
            delays, read_delays = [], []
            began_cpu = cpu_seconds(server)
            for n in range(PUBLICATIONS):
                heard.clear()
                all_heard.clear()
                read_at: list[float] = []
                items = [observation(f"t-{each}", "l1", digest=f"{reads} {n}") for each in range(ITEMS)]
                assert await noa.lease(60) == token
                sent_at = time.monotonic()  # the notices come before the answer
                await noa.observe(token, items)
                await asyncio.wait_for(all_heard.wait(), 120)
                await asyncio.gather(*reading)
                delays += [at - sent_at for at in heard]
                read_delays += [at - sent_at for at in read_at]
            print(
                f"{PUBLICATIONS} publications of {ITEMS} rows{', each read by all' if reads else ''}:"
                f" {len(delays)} notices, p95 {p95(delays):.2f} s after it was sent"
                + (f", rows read p95 {p95(read_delays):.2f} s" if reads else "")
                + f"; {cpu_seconds(server) - began_cpu:.2f} s of PostgreSQL; {megabytes(server):.0f} MB"
            )
    for desk in desks:
        desk._connection.terminate()


@needs_pooler
@pytest.mark.parametrize(("people", "in_all"), [(2, 0), (DESKS, 0), (DESKS, POOLED_CONNECTIONS)])
async def test_a_thousand_desks_ask_behind_a_pooler(large_team: Team, people: int, in_all: int) -> None:
    """Desks of few people share sessions; of a thousand people each needs one, or logs in for each question."""
    team, server = large_team, large_team.postgres
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * DESKS)), hard))
    team.add("noa", may_poll=True)
    roles = [f"p{n}" for n in range(people - 1)]
    for role in roles:
        team.add(role, ["l1"])
    before = megabytes(server)
    published_at: dict[int, float] = {}
    delays, waits, failed = list[float](), list[float](), list[str]()

    async def follow(desk: RelayClient, rest: float) -> None:
        position = read_to = 0
        await asyncio.sleep(rest)
        while True:
            began = time.monotonic()
            try:
                if (newest := await desk.position()) != read_to:
                    rows = await desk.since(position, 500)
                    read_to, position = newest, rows[-1].position if rows else position
                    delays.append(time.monotonic() - published_at[newest])
                waits.append(time.monotonic() - began)
            except RelayError as error:
                failed.append(str(error))
            await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - began)))

    async with team.desk("noa") as noa:
        token = await noa.lease(60) or 0
        published_at[await noa.observe(token, [observation("t-0", "l1")])] = time.monotonic()
        with running_pooler(server, POOLED_CONNECTIONS if people == 2 else 1, in_all=in_all) as pooler:
            addresses = [pooler.before(team.address(roles[n % len(roles)])) for n in range(DESKS)]
            desks = [
                await RelayClient.open(each, PASSWORD, team.account, f"x{n}") for n, each in enumerate(addresses)
            ]
            began_cpu, began = cpu_seconds(server), time.monotonic()
            tasks = [asyncio.create_task(follow(desk, n / DESKS)) for n, desk in enumerate(desks)]
            for n in range(round(POOLED_SECONDS / POOLED_EVERY)):
                await asyncio.sleep(POOLED_EVERY)
                assert await noa.lease(60) == token
                items = [observation(f"t-{each}", "l1", digest=f"{n}") for each in range(ITEMS)]
                at = time.monotonic()
                published_at[await noa.observe(token, items)] = at
            spent, seconds = cpu_seconds(server) - began_cpu, time.monotonic() - began
            print(
                f"\n{DESKS} desks of {people} people behind a pooler, {in_all or 'any number of'} connections:"
                f" {len(processes(server))} processes of PostgreSQL, from {before:.0f} to"
                f" {megabytes(server):.0f} MB; {spent / seconds:.2f} cores;"
                f" {len(waits) / seconds:.0f} questions a second, p95 {p95(waits):.2f} s;"
                f" rows read p95 {p95(delays):.2f} s after they were sent; {len(failed)} failed {failed[:1]}"
            )
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for desk in desks:
                desk._connection.terminate()


async def test_a_desk_catches_up(large_team: Team) -> None:
    team, server = large_team, large_team.postgres
    team.add("noa")
    team.add("dan", ["l1"])
    team.execute(
        "INSERT INTO frontdesk.observed SELECT 'acme', 'message', 'm-' || n, 'l' || n % 10, n, 1, 1, md5(n::text),"
        f" repeat(md5(n::text), {ROW_BYTES // 32}) FROM generate_series(1, {ROWS}) n;"
        f"UPDATE frontdesk.accounts SET position = {ROWS}; ANALYZE"
    )
    print()
    for role, lines in (("noa", "all lines"), ("dan", "one line of ten")):
        for batch in (500, 2_000):
            async with team.desk(role) as desk:
                began, began_cpu, own = time.monotonic(), cpu_seconds(server), time.process_time()
                position = count = 0
                while rows := await desk.since(position, batch):
                    position, count = rows[-1].position, count + len(rows)
                print(
                    f"{lines}: {count} of {ROWS} rows of {ROW_BYTES} bytes in batches of {batch}:"
                    f" {time.monotonic() - began:.2f} s, {cpu_seconds(server) - began_cpu:.2f} s of PostgreSQL,"
                    f" {time.process_time() - own:.2f} s of the desk"
                )

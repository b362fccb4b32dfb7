"""What a thousand desks cost their PostgreSQL, and how long a desk takes to catch up.

.venv/bin/pytest -n 0 -s tests/lab/benchmarks/relay_load.py
"""

import asyncio
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from frontdesk.relay.client import RelayClient
from postgres_server import Binaries, Postgres, Team, new_team, observation, running_postgres

pytestmark = pytest.mark.anyio

DESKS = 1_000
PUBLICATIONS, ITEMS = 20, 10
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
    return sum(each.memory_full_info().pss for each in processes(server)) / 1e6


def cpu_seconds(server: Postgres) -> float:
    """Return the processor time of the running processes, more precisely than psutil, which cuts to hundredths."""
    return sum(int(Path(f"/proc/{each.pid}/schedstat").read_text().split()[0]) for each in processes(server)) / 1e9


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

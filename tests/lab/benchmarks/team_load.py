"""What a team asks of the platform, and how old its news is: a real leader, a real PostgreSQL, and many desks.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.team_load [--minutes 3] [DESKS,BUDGET ...]

The desks besides the leader tell the relay what they show, as real ones do, and one of them follows what is
published; they have no stores. Each has a conversation open, and changes it every two minutes; in each open one a
customer writes every five minutes. The sandbox has 245 conversations, so of more desks some look at the same.
The first page of tasks has signs of the messages of conversations with an open task; those without one are
told apart. Targets: 50 and 200 desks ask at most 120 times a minute, and 95 % of the messages are there within
4.5 s; of 1,000 desks at 300 a minute within 6.5 s. `team_freshness.py` has the same on a virtual clock.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from frontdesk.config.team import RelayAddress
from frontdesk.demo.embedded_postgres import OWNER, EmbeddedPostgres, init_cluster
from frontdesk.engine.engine import Engine
from frontdesk.inbox.store import conversations
from frontdesk.relay.admin import InitOptions, init_account, open_as_owner
from frontdesk.relay.client import RelayClient
from frontdesk.relay.people import Grant, add_person
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk.sync.budget import Budget
from frontdesk.team.access import TeamAccess
from frontdesk.team.reports import Report
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from postgres_server import find_binaries
from sync.simulated_reads import share_below
from terminal.service import Service

DESKS_EACH = 20
"""Desks of a person, as many as the relay keeps."""

LOOK_SECONDS = 2.0
CHANGES_EVERY, WRITES_EVERY = 120.0, 300.0
ACCOUNT, DATABASE = "bench", "postgres"
DEFAULT = ("1,120", "50,120", "200,120")


class News:
    """When each message was written, and when the relay had it."""

    def __init__(self) -> None:
        self._written: dict[str, tuple[float, bool]] = {}
        self.ages: dict[bool, list[float]] = {True: [], False: []}
        """By whether the conversation has an open task."""

    def note_written(self, text: str, *, is_signed: bool) -> None:
        self._written[text] = time.monotonic(), is_signed

    def note_read(self, body: str) -> None:
        text = str(json.loads(body).get("messageContent"))
        if (written := self._written.pop(text, None)) is not None:
            self.ages[written[1]].append(time.monotonic() - written[0])

    @property
    def unseen(self) -> int:
        return len(self._written)


async def follow(client: RelayClient, news: News, wake: asyncio.Event) -> None:
    """Read what is published as it comes."""
    position = await client.position()
    while True:
        wake.clear()
        for row in await client.since(position, 500):
            position = row.position
            if row.item.kind == "message":
                news.note_read(row.item.body)
        try:
            async with asyncio.timeout(1.0):
                await wake.wait()
        except TimeoutError:
            pass


async def look(client: RelayClient, screens: dict[str, str], lines: dict[str, str]) -> None:
    """Tell what some desks show, one after the other within each round; `lines` are those of all conversations."""
    while True:
        began = time.monotonic()
        for desk, conversation_id in list(screens.items()):
            focus = Focus("inbox", conversation_id, active_at=time.time())
            client.desk = desk
            await client.look(Report((focus,)).parts(lines), 0)
        await asyncio.sleep(max(0.0, LOOK_SECONDS - (time.monotonic() - began)))


@asynccontextmanager
async def leading(url: str, store: Store, access: TeamAccess, per_minute: int) -> AsyncIterator[Engine]:
    """Run the desk that reads for all, which has learned that the platform answers so many requests a minute."""
    budget = Budget(5.0, per_minute, time.monotonic)

    async def gate(_: object) -> None:
        await budget.take()

    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    async with PlatformClient(Hosts(url, url, url, url, url), credentials, gate=gate, retry=ONCE) as client:
        engine = Engine(client, store, budget, team=access)
        task = asyncio.create_task(engine.run())
        try:
            yield engine
        finally:
            engine.stop()
            await task


async def measure(folder: Path, service: Service, socket: Path, desks: int, budget: int, minutes: float) -> None:
    """Print one row of the table."""
    owner = RelayAddress(str(socket), 5432, OWNER, DATABASE, is_local=True)
    async with open_as_owner(owner, "") as connection:
        await init_account(connection, ACCOUNT, InitOptions(budget_per_minute=budget))
        person = await add_person(connection, ACCOUNT, Grant("bench", may_poll=True), new_password=True)
        people = [
            await add_person(connection, ACCOUNT, Grant(f"bench{number}"), new_password=True)
            for number in range(-(-desks // DESKS_EACH))
        ]
        await connection.execute("DELETE FROM frontdesk.lookers")
    address = RelayAddress(str(socket), 5432, "bench", DATABASE, is_local=True)
    url = f"postgresql://bench@/{DATABASE}?host={socket}"
    access = TeamAccess(url, ACCOUNT, lambda: person.password, "leader")
    chance, news, wake = random.Random(desks), News(), asyncio.Event()
    with Store(folder) as store:
        async with leading(service.url, store, access, budget) as engine:
            while not engine.has_read_all:  # noqa: ASYNC110 - it is a property
                await asyncio.sleep(1.0)
            found = rows(
                store.reading, "SELECT conversation_id, line_id FROM conversations WHERE line_id IS NOT NULL"
            )
            lines = {str(each): str(line) for each, line in found}
            unsigned = conversations.unsigned_threads(store.reading, lines)
            ids = [*lines]
            screens = {f"light-{desks}-{number}": chance.choice(ids) for number in range(desks)}
            clients = [
                await RelayClient.open(address._replace(user=f"bench{number}"), each.password, ACCOUNT, "x")
                for number, each in enumerate(people)
            ]
            for number, desk in enumerate(screens):
                client = clients[number % len(clients)]
                client.desk = desk
                await client.join(desk)
            parts: list[dict[str, str]] = [{} for _ in clients]
            for number, desk in enumerate(screens):
                parts[number % len(clients)][desk] = screens[desk]
            reader = await RelayClient.open(address, person.password, ACCOUNT, "reader", wake.set)
            tasks = [asyncio.create_task(look(*each, lines)) for each in zip(clients, parts, strict=True)]
            tasks.append(asyncio.create_task(follow(reader, news, wake)))
            await asyncio.sleep(30)
            number, began, since = 0, time.monotonic(), time.time()
            while time.monotonic() - began < 60 * minutes:
                await asyncio.sleep(1.0)
                for part in parts:
                    for desk, conversation_id in part.items():
                        if chance.random() < 1 / CHANGES_EVERY:
                            part[desk] = chance.choice(ids)
                        if chance.random() < 1 / WRITES_EVERY:
                            number += 1
                            text = f"bench {desks} {number}"
                            said = {"participantsIdentifiers": conversation_id, "messageContent": text}
                            news.note_written(text, is_signed=conversation_id not in unsigned)
                            await asyncio.to_thread(service.ask, "POST", "/sandbox/messages", said)
            per_minute = await requests(service, since) / (time.monotonic() - began) * 60
            await asyncio.sleep(20)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for client in (*clients, reader):
                await client.close()
    for name, ages in (
        ("all", news.ages[True] + news.ages[False]),
        ("with an open task", news.ages[True]),
        ("without", news.ages[False]),
    ):
        shares = " | ".join(f"{share_below(ages or [float('nan')], share):.1f}" for share in (0.5, 0.95, 1.0))
        print(
            f"| {desks} | {budget} | {per_minute:.0f} | {name} | {len(ages)} | {shares} | {news.unseen} |",
            flush=True,
        )


async def requests(service: Service, since: float) -> int:
    """Count the requests to the interface since a time."""
    asked = await asyncio.to_thread(service.ask, "GET", "/sandbox/requests")
    return sum(each["time"] >= since for each in asked)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("rows", nargs="*", default=DEFAULT, help="DESKS,BUDGET")
    options = parser.parse_args(argv)
    binaries = find_binaries()
    socket = binaries.new_folder()
    data = binaries.new_folder() / "data"
    init_cluster(binaries, data)
    server = EmbeddedPostgres(binaries, data, socket)
    print("| desks | budget | requests/min | conversations | messages | p50 s | p95 s | max s | not seen |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            service = Service(Path(scratch) / "sandbox")
            try:
                for each in options.rows:
                    desks, budget = map(int, each.split(","))
                    asyncio.run(measure(Path(scratch) / "leader", service, socket, desks, budget, options.minutes))
            finally:
                service.kill()
    finally:
        server.stop()


if __name__ == "__main__":
    os.environ.pop("FRONTDESK_PROFILE", None)
    main()

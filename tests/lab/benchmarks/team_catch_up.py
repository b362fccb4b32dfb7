"""How long a desk takes to catch up after a day offline: 43,200 messages and 5,000 changes of tasks.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.team_catch_up

A leader's publications are made as if it had read each of 300 threads after each of its 144 messages; a desk with
an empty store applies them. Targets: what is looked at and the newest tasks within 2 s, everything within 15 s.
"""

import asyncio
import time
from pathlib import Path
from typing import Any

from frontdesk.config.team import RelayAddress
from frontdesk.demo.embedded_postgres import OWNER, EmbeddedPostgres, init_cluster
from frontdesk.inbox.observations import ReadPage, ThreadObserver
from frontdesk.inbox.store import threads
from frontdesk.relay.admin import InitOptions, init_account, open_as_owner
from frontdesk.relay.client import RelayClient
from frontdesk.relay.people import Grant, add_person
from frontdesk.storage.database import Store
from frontdesk.storage.sql import first
from frontdesk.tasks.observations import observed_tasks
from frontdesk.team.follower import Follower
from frontdesk.team.publisher import Publisher
from frontdesk_api.contract.ids import ConversationId
from postgres_server import find_binaries

THREADS, MESSAGES, PAGE = 300, 144, 50
TASKS = 5_000
ACCOUNT, DATABASE = "bench", "postgres"
OPEN = "L1#C7"
START = 1_790_000_000.0


def message(thread: int, number: int) -> dict[str, Any]:
    """Return a message as the platform sends it, of some 600 bytes."""
    return {
        "messageId": f"m-{thread}-{number}",
        "createdAt": int((START + number * 600 + thread) * 1000),
        "messageDirection": "incoming" if number % 2 else "outgoing",
        "messageContent": f"message {number} of thread {thread}: " + "words " * 40,
        "type": "text",
        "participantsIdentifiers": f"L1#C{thread}",
        "initiator": "person",
        "status": "read",
        "phoneNumberId": "L1",
    }


def task(number: int, change: int) -> dict[str, Any]:
    return {
        "taskId": f"t-{number}",
        "phoneNumberId": "L1",
        "participantsIdentifiers": f"L1#C{number % THREADS}",
        "title": f"Task {number}, change {change}",
        "body": "words " * 30,
        "statusCase": "open",
        "customer": {"phoneNumberId": f"C{number % THREADS}", "customerName": f"Customer {number % THREADS}"},
        "assignedAgentIds": [],
        "unreadCount": 0,
        "createdAt": START,
        "updatedAt": START + change,
    }


async def publish_day(relay: RelayClient, token: int, publisher: Publisher) -> None:
    """Publish the day as a leader does that reads every thread after each message."""
    observer = ThreadObserver()
    for number in range(MESSAGES):
        for thread in range(THREADS):
            held = [message(thread, each) for each in range(max(0, number - PAGE + 1), number + 1)][::-1]
            page = ReadPage(held, None, threads.position_of(held[-1]), number >= PAGE, 0.0)
            observed = observer.observed(ConversationId(f"L1#C{thread}"), "L1", page, time.time())
            publisher.observe(observed, 0.0)
            while publisher.is_waiting:
                await publisher.publish(relay, token)
        for each in range(TASKS // MESSAGES + 1):
            publisher.observe(observed_tasks([task(number * 35 + each, 1)], time.time()), 0.0)
        while publisher.is_waiting:
            await publisher.publish(relay, token)
        await relay.lease(60)


async def catch_up(folder: Path, relay: RelayClient) -> None:
    """Print how long it takes."""
    state = await relay.account_state()
    with Store(folder) as store:
        follower = Follower(store, ACCOUNT, time.time, lambda _db, _row: None)
        began = time.monotonic()
        await follower.begin(state)
        await follower.apply_first(relay, [OPEN])
        found = first(store.reading, "SELECT count(*) FROM messages")
        print(f"on screen after {time.monotonic() - began:.1f} s: {found} messages", flush=True)
        while await follower.step(relay):
            pass
        seconds = time.monotonic() - began
        messages = first(store.reading, "SELECT count(*) FROM messages")
        tasks = first(store.reading, "SELECT count(*) FROM tasks")
        gaps = first(store.reading, "SELECT count(*) - count(DISTINCT conversation) FROM segments")
    print(f"caught up in {seconds:.1f} s: {messages} messages, {tasks} tasks, {gaps} gaps", flush=True)


async def run(folder: Path, socket: Path) -> None:
    owner = RelayAddress(str(socket), 5432, OWNER, DATABASE, is_local=True)
    async with open_as_owner(owner, "") as connection:
        await init_account(connection, ACCOUNT, InitOptions())
        person = await add_person(connection, ACCOUNT, Grant("bench", may_poll=True), new_password=True)
    address = RelayAddress(str(socket), 5432, "bench", DATABASE, is_local=True)
    relay = await RelayClient.open(address, person.password, ACCOUNT, "desk", seconds=60)
    await relay.join("desk")
    token = await relay.lease(60)
    assert token is not None
    publisher = Publisher(lambda: None)
    publisher.begin({"*"})
    began = time.monotonic()
    await publish_day(relay, token, publisher)
    position = await relay.position()
    print(f"published in {time.monotonic() - began:.0f} s, {position:,} positions", flush=True)
    await catch_up(folder / "empty", relay)
    await relay.close()


def main() -> None:
    binaries = find_binaries()
    folder = binaries.new_folder()
    init_cluster(binaries, folder / "data")
    server = EmbeddedPostgres(binaries, folder / "data", folder)
    try:
        asyncio.run(run(folder / "stores", folder))
    finally:
        server.stop()


if __name__ == "__main__":
    main()

"""A full sync against fetching and JSON-decoding the same pages and nothing else.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.full_sync FOLDER [THREADS [ROUNDS]]

FOLDER is one that `large.py` made; its sandbox serves. All tasks are walked, then so many threads are
read. Meanwhile another process reads the store as a screen does, and says how long it waited at most.
Targets: half the speed, and 10 ms.
"""

import asyncio
import json
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from frontdesk.engine.features import ProfileResources, make_housekeeping
from frontdesk.inbox.store import conversations
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks.history import HISTORY_DAYS
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from lab.benchmarks.raw import keep
from sandbox.serving import Process

HEADERS = {"Cookie": "token=sandbox", "x-api-key": "sandbox-key"}
THREADS = 1000
ROUNDS = 3


async def fetch_only(url: str, pairs: list[tuple[str, str]]) -> tuple[int, float]:
    """Pages and seconds of a client that only fetches and decodes."""
    pages, began = 0, time.perf_counter()
    async with httpx.AsyncClient(base_url=url, headers=HEADERS, timeout=30) as client:
        cursor: dict[str, Any] = {}
        while True:
            reply = await client.post("/tasks/list", json={"limit": 100, **cursor})
            body = json.loads(reply.content)
            pages += 1
            if not body.get("lastEvaluatedKey"):
                break
            cursor = {"lastEvaluatedKey": body["lastEvaluatedKey"]}
        for line, customer in pairs:
            query = {"phoneNumberId": line, "targetPhoneNumberId": customer}
            json.loads((await client.post("/getMessages", json=query)).content)
            pages += 1
    return pages, time.perf_counter() - began


async def sync(url: str, folder: Path, ids: list[ConversationId]) -> float:
    """Seconds that the engine's own way takes for the same pages."""
    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    with Store(folder, syncs=True) as store:
        async with PlatformClient(Hosts(url, url, url, url, url), credentials, retry=ONCE) as client:
            puller = ProfileResources(client, store, time.time)
            keeping = asyncio.create_task(keep_house(store))
            began = time.perf_counter()
            while not puller.swept:
                await puller.tasks.tasks_sweep()
            swept = time.perf_counter() - began
            for each in ids:
                await puller.threads.thread_head(each)
            await store.run(lambda _: None)
            seconds = time.perf_counter() - began
            keeping.cancel()
            print(f"    tasks {swept:.2f} s, threads {seconds - swept:.2f} s", flush=True)
            return seconds


async def keep_house(store: Store) -> None:
    """What the engine does beside its polls."""
    keeping = make_housekeeping(store, time.time, time.monotonic, 10**12, HISTORY_DAYS)
    while True:  # noqa: ASYNC110 - it rests as long as it says
        await asyncio.sleep(await keeping.step())


def watch(folder: Path) -> None:
    """Read as a screen does until the input ends; print how long the longest read took."""
    longest, count = 0.0, 0
    with Store(folder) as store:
        db = store.reading
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], 0.005)[0]:
            began = time.perf_counter()
            for each in conversations.ids(db, ConversationOrder.WAITING, 50)[:20]:
                record_lookup.conversation(db, each)
            clients.health(db)
            longest, count = max(longest, time.perf_counter() - began), count + 1
    print(f"{1000 * longest:.1f} ms the longest of {count} reads", flush=True)


def main(folder: Path, threads: int, rounds: int) -> None:
    """Measure, print and keep."""
    alone_seconds, our_seconds, waits = [], [], []
    service = Process("--data", str(folder / "sandbox"), "--no-crowd")
    try:
        with Store(folder / "profile") as store:
            known = conversations.ids(store.reading, ConversationOrder.ACTIVITY, threads)
            found = [record_lookup.conversation(store.reading, each) for each in known]
        records = [each for each in found if each is not None and each.line_id and each.customer_id]
        ids = [each.conversation_id for each in records]
        pairs = [(str(each.line_id), str(each.customer_id)) for each in records]
        for _ in range(rounds):
            pages, alone = asyncio.run(fetch_only(service.url, pairs))
            with tempfile.TemporaryDirectory() as scratch:
                profile = Path(scratch) / "profile"
                Store(profile).close()
                watcher = subprocess.Popen(
                    [sys.executable, __file__, "watch", str(profile)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                assert watcher.stdin is not None
                assert watcher.stdout is not None
                watcher.stdout.readline()
                ours = asyncio.run(sync(service.url, profile, ids))
                watcher.stdin.close()
                waited = watcher.stdout.read().strip()
                watcher.wait()
            alone_seconds.append(alone)
            our_seconds.append(ours)
            waits.append(float(waited.split()[0]))
            print(
                f"{pages:,} pages: fetched and decoded {alone:.2f} s, synced {ours:.2f} s,"
                f" speed {alone / ours:.2f} (target 0.5); a screen waited {waited} (target 10)",
                flush=True,
            )
        beside = {"fetching and decoding alone": alone_seconds}
        keep("full sync", "s", our_seconds, target=2.0, beside=beside, times="fetching and decoding alone")
        keep("a screen's longest read while a full sync runs", "ms", waits, target=10.0)
    finally:
        service.end()


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch(Path(sys.argv[2]))
    else:
        numbers = [int(each) for each in sys.argv[2:]]
        main(Path(sys.argv[1]), *numbers, *[THREADS, ROUNDS][len(numbers) :])

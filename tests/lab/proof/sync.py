"""Requests, statements and steps of SQLite of a full sync: the twins of `tests/lab/benchmarks/full_sync.py`."""

import asyncio
import sys
import threading
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import apsw
import httpx

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.features import ProfileResources
from frontdesk.inbox.store import conversations
from frontdesk.storage.database import Store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox.application import Application
from lab.proof.desk_data import opened_world
from lab.proof.sql_steps import SqlSteps
from snapshots.desk import NOW, URL
from source_tree import SOURCE

OTHERS = (str(SOURCE / "frontdesk_sandbox"),)
THREADS = 100


class Requests(httpx.ASGITransport):
    """The way to the platform, which counts what is asked."""

    asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        return await super().handle_async_request(request)


class Calls:
    """Counts the calls of our functions, on every thread that begins from now on and on this one."""

    def __init__(self) -> None:
        self._by_thread: Counter[int] = Counter()

    @property
    def count(self) -> int:
        return sum(self._by_thread.values())

    def __enter__(self) -> "Calls":
        threading.setprofile(self._count)
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def _count(self, frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(SOURCE)) and not name.startswith(OTHERS):
            self._by_thread[threading.get_ident()] += 1


def measure(_: Path) -> dict[str, int]:
    """Return counts by name, on a store that is new."""
    with opened_world() as world, TemporaryDirectory() as folder:
        return asyncio.run(_sync(Requests(Application(world)), Path(folder) / "store"))


async def _sync(way: Requests, folder: Path) -> dict[str, int]:
    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    Store(folder).close()
    sql, found = SqlSteps(), {}
    async with PlatformClient(demo_profile(URL).hosts, credentials, transport=way, retry=ONCE) as client:
        with Calls() as calls, Store(folder, syncs=True) as store:
            await _watch(store, sql)
            puller = ProfileResources(client, store, lambda: NOW)
            while not puller.swept:
                await puller.tasks.tasks_sweep()
            threads = conversations.never_read_threads(store.reading, THREADS)
            for each, _line, _customer in threads:
                await puller.threads.thread_head(each)
            await store.run(lambda _: None)
            pages = way.asked
            found["full sync: HTTP requests"] = pages
            found["full sync: statements a page"] = round(sql.statements / pages)
            found["full sync: SQLite steps a page"] = round(sql.steps / pages)
            found["full sync: calls a page"] = round(calls.count / pages)
            before = store.reading.execute("SELECT max(seq) FROM feed").fetchall()
            sql.statements = sql.steps = 0
            await puller.tasks.tasks_head()
            await puller.threads.thread_head(threads[0][0])
            await store.run(lambda _: None)
            assert before == store.reading.execute("SELECT max(seq) FROM feed").fetchall(), "a poll changed it"
            found["a poll of tasks and of a thread, nothing new: HTTP requests"] = way.asked - pages
            found["a poll of tasks and of a thread, nothing new: statements"] = sql.statements
            found["a poll of tasks and of a thread, nothing new: SQLite steps"] = sql.steps
            await store.run(_unwatch)
            _unwatch(store.reading)
    return found


async def _watch(store: Store, sql: SqlSteps) -> None:
    sql.watch(store.reading)
    await store.run(sql.watch)


def _unwatch(db: apsw.Connection) -> None:
    db.trace_v2(0, None)

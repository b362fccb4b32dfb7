"""An engine, its store, and the sandbox in this process as the platform, for the tests of this folder."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import httpx

from frontdesk.campaigns.alert_monitor import AlertMonitor
from frontdesk.campaigns.alert_rules import AlertRule
from frontdesk.config.program_runner import ProgramRunner
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.engine import Engine
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.sync.budget import Budget
from frontdesk.team.access import TeamAccess
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from frontdesk_sandbox.application import Application
from new_store import open_store
from sandbox.asking import Sandbox
from services import Services

URL = "http://127.0.0.1:1"
HOSTS = Hosts(URL, URL, URL, URL, URL)

PATIENCE = 140.0
"""Seconds that a test waits for what it expects: a machine that is ten times as slow is no failure."""


class Clocks:
    """A wall clock that a test sets, and a steady one; without a setting they are the machine's."""

    def __init__(self) -> None:
        self.at: float | None = None
        self._steady_at: float | None = None

    def stand(self, at: float | None = None) -> float:
        """Let the wall clock stand from now on, here or at another moment."""
        before = self.wall()
        self.at = before if at is None else at
        if at is None or self._steady_at is None:
            self._steady_at = self.steady()
        return self.at

    def go_on(self, seconds: float) -> None:
        """Let both go on by so much, having stood."""
        assert self.at is not None
        assert self._steady_at is not None
        self.at, self._steady_at = self.at + seconds, self._steady_at + seconds

    def wall(self) -> float:
        return time.time() if self.at is None else self.at

    def steady(self) -> float:
        """It stands with the wall clock: a test that the machine keeps waiting has seen no time pass."""
        return time.monotonic() if self._steady_at is None else self._steady_at


Rewrite = Callable[[bytes], bytes]
"""Changes the body of an answer."""


class Line(httpx.AsyncBaseTransport):
    """The way to the sandbox, which a test can cut before or after a request arrives."""

    def __init__(self, sandbox: Sandbox):
        self._through = httpx.ASGITransport(app=Application(sandbox.world))
        self.is_cut = False
        self.loses_answers_to: str = ""
        self.hangs_at: str = ""
        self.hanging = 0
        self._goes_on = asyncio.Event()
        self.rewrite: Rewrite | None = None
        self.delay: Callable[[], float] = lambda: 0.0
        self.seen: list[tuple[str, str]] = []
        self.bodies: list[bytes] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_cut:
            raise httpx.ConnectError("refused", request=request)
        if (seconds := self.delay()) > 0:
            await asyncio.sleep(seconds)
        if self.hangs_at and self.hangs_at in request.url.path:
            self.hanging += 1
            await self._goes_on.wait()
        answer = await self._through.handle_async_request(request)
        self.seen.append((request.method, request.url.path))
        self.bodies.append(await request.aread())
        if request.method == self.loses_answers_to:
            raise httpx.ReadError("", request=request)
        if self.rewrite is not None:
            whole = httpx.ByteStream(self.rewrite(await answer.aread()))
            kept = {name: value for name, value in answer.headers.items() if name != "content-length"}
            return httpx.Response(answer.status_code, headers=kept, stream=whole)
        return answer

    def release_keys(self) -> None:
        """What hangs is answered after all."""
        self.hangs_at = ""
        self._goes_on.set()

    def count(self, method: str) -> int:
        """How many requests with this method arrived."""
        return sum(1 for seen, _ in self.seen if seen == method)

    def paths(self, first: int = 0) -> Counter[str]:
        """How often each path was asked for, from the request with this number on."""
        return Counter(path for _, path in self.seen[first:])


class Works:
    """A running engine with what a test wants to reach."""

    def __init__(self, engine: Engine, services: Services, line: Line, store: Store):
        self.engine, self.services, self.line, self.store = engine, services, line, store
        self._running = asyncio.create_task(engine.run())
        self._is_killed = False

    async def ended(self) -> None:
        """Wait until the engine has ended."""
        with suppress(asyncio.CancelledError) if self._is_killed else nullcontext():
            await self._running

    async def kill(self) -> None:
        """End the engine at once, wherever it is: it says nothing to anybody."""
        self._is_killed = True
        self._running.cancel()
        await self.ended()

    async def until(self, is_true: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait for a condition; one that never holds tells how things stand."""
        try:
            async with asyncio.timeout(seconds):
                pause = 0.005
                while not is_true():
                    await asyncio.sleep(pause)
                    pause = min(0.1, pause * 1.2)
                    await asyncio.to_thread(lambda: self.store.write(lambda _: None).result())
        except TimeoutError:
            db = self.services.store.reading
            raise AssertionError(
                f"not within {seconds} s: {outbox_queue.recent(db)[:3]} {clients.health(db)}"
            ) from None


Start = Callable[..., AbstractAsyncContextManager[Works]]


@asynccontextmanager
async def running(
    sandbox: Sandbox,
    folder: Path,
    settle_after: float,
    clocks: Clocks | None = None,
    rules: Sequence[AlertRule] = (),
    *,
    read_only: bool = False,
    rewrite: Rewrite | None = None,
    team: TeamAccess | None = None,
) -> AsyncIterator[Works]:
    clocks, line = clocks or Clocks(), Line(sandbox)
    line.rewrite = rewrite
    # The budget's time goes on while a test lets the clocks stand.
    budget = Budget(1000, 100_000, time.monotonic)
    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    client = make_client(HOSTS, credentials, budget, transport=line)
    with open_store(folder) as store:
        services = Services(store, replace(demo_profile(URL), watched_campaigns=()), clock=clocks.wall)
        async with client:
            alerts = AlertMonitor(store, rules, clocks.wall, ProgramRunner({}), clocks.steady)
            engine = Engine(
                client,
                store,
                budget,
                clock=clocks.wall,
                steady=clocks.steady,
                chance=lambda: 0.0,
                settle_after=settle_after,
                alerts=alerts,
                read_only=read_only,
                team=team,
            )
            it = Works(engine, services, line, store)
            try:
                yield it
            finally:
                engine.stop()
                await it.ended()


def make_client(
    hosts: Hosts, credentials: CredentialSet, budget: Budget, transport: httpx.AsyncBaseTransport | None = None
) -> PlatformClient:
    """A client as the engine has one, whose writes aren't waited for at the end."""

    async def gate(_: object) -> None:
        await budget.take()

    return PlatformClient(hosts, credentials, gate=gate, transport=transport, retry=ONCE, close_grace_seconds=0)


def run(test: Callable[[], Awaitable[None]], seconds: float = 2 * PATIENCE) -> None:
    """Run an async test on a loop of its own, for at most so long."""

    async def bounded() -> None:
        async with asyncio.timeout(seconds):
            await test()

    asyncio.run(bounded())

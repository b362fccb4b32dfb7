"""A desk that is the same in every run: a sandbox of a fixed seed at a fixed time, and all that an engine read."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import httpx

from frontdesk.accounts.profile_switcher import start_profile
from frontdesk.config.settings import Settings
from frontdesk.config.team import TeamSettings
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.engine import Engine
from frontdesk.metrics import store as metrics
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage import full_text
from frontdesk.storage.clients import Focus, SyncRequests
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.sync.budget import Budget
from frontdesk.workflows import store as workflow_store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox.application import Application
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import Clock, World, open_world
from snapshots import campaign_history

NOW = datetime(2026, 11, 19, 13, 42, tzinfo=UTC).timestamp()
ZONE = timezone(timedelta(hours=2), "IST")
URL = "http://127.0.0.1:1"
MAX_FILL_SECONDS = 600
"""For an engine that hangs, not for a machine that is busy."""


class StandingClock:
    """A clock that moves only when it is told to, in Unix seconds."""

    def __init__(self) -> None:
        self._passed_seconds = 0.0

    def pass_time(self, seconds: float) -> None:
        self._passed_seconds += seconds

    def now(self) -> float:
        return NOW + self._passed_seconds

    def steady(self) -> float:
        return self._passed_seconds


def open_sandbox(data: Path, clock: StandingClock) -> World:
    """Open a sandbox without a crowd; the same seed at the same time is the same business."""
    return open_world(SandboxOptions(data=data, crowd=False), Clock(wall=lambda: NOW, steady=clock.steady))


def profile_store(
    store: Store,
    settings: Settings | None = None,
    clock: Callable[[], float] = lambda: NOW,
    team: TeamSettings | None = None,
) -> ProfileStore:
    return ProfileStore(store, replace(demo_profile(URL), team=team), settings, clock=clock)


@asynccontextmanager
async def running_engine(
    store: Store, transport: httpx.AsyncBaseTransport, clock: StandingClock
) -> AsyncIterator[Engine]:
    """Run an engine on the sandbox, without a limit of requests and without chance."""
    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    async with PlatformClient(demo_profile(URL).hosts, credentials, transport=transport) as client:
        budget = Budget(10_000, 1_000_000, clock.now)
        engine = Engine(client, store, budget, clock=clock.now, steady=clock.steady, chance=lambda: 0.0)
        running = asyncio.create_task(engine.run())
        yield engine
        engine.stop()
        await running


async def fill_store(store: Store, world: World, clock: StandingClock) -> None:
    """Let one engine read all of the sandbox."""
    opened = profile_store(store)
    start_profile(opened, OutboxCommands(opened, lambda: CHANGE_HANDLERS))
    store.write(
        lambda db: db.execute("UPDATE outbox.task_history_start SET at = ?", (NOW - 16 * 86_400,))
    ).result()
    for screen in ("workflows", "agents"):
        # Whole workflows and the files of AI agents are read while somebody looks at them.
        SyncRequests(profile_store(store)).report_focus(Focus(screen=screen, active_at=NOW))
    transport = httpx.ASGITransport(app=Application(world))
    async with running_engine(store, transport, clock) as engine, asyncio.timeout(MAX_FILL_SECONDS):
        while not (engine.has_read_all and _is_complete(store.reading)):  # noqa: ASYNC110 - the engine announces nothing
            await asyncio.sleep(0.05)


def _is_complete(db: apsw.Connection) -> bool:
    """Whether each workflow is whole and nothing waits for the index of the search."""
    return not full_text.unindexed(db) and all(
        each.read_at is not None for each in workflow_store.listing(db).records
    )


async def make_desk(folder: Path) -> None:
    """Make the folder of a store that has read all, with a past of the campaigns, and its numbers counted."""
    clock = StandingClock()
    with TemporaryDirectory() as data, Store(folder) as store:
        world = open_sandbox(Path(data) / "sandbox", clock)
        await fill_store(store, world, clock)
        world.close()
        campaign_history.add(store, NOW)
        while store.write(lambda db: metrics.count_batch(db, 50)).result():
            pass

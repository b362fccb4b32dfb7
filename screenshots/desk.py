"""The sandbox of a fixed seed, a clock that stands, an engine and the program: for make.py and record.py."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import apsw
import httpx

from frontdesk.api.client.client import PlatformClient
from frontdesk.app.engine import Engine
from frontdesk.app.profile_switcher import start_profile
from frontdesk.app.registries import CHANGE_HANDLERS
from frontdesk.app.run_demo import demo_profile
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.credentials import CredentialSet, Secret
from frontdesk.config.settings import Settings
from frontdesk.config.team import TeamSettings
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.sandbox.application import Application
from frontdesk.sandbox.options import SandboxOptions
from frontdesk.sandbox.world import Clock, World, open_world
from frontdesk.storage import change_feed, full_text
from frontdesk.storage.clients import Focus, SyncRequests
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import Event
from frontdesk.sync.budget import Budget
from frontdesk.text.glyphs import glyphs
from frontdesk.tui.context import AppContext
from frontdesk.workflows import store as workflow_store

NOW = datetime(2026, 11, 19, 13, 42, tzinfo=UTC).timestamp()
ZONE = timezone(timedelta(hours=2), "IST")
URL = "http://127.0.0.1:1"
MAX_FILL_SECONDS = 600
"""For an engine that hangs, not for a machine that is busy."""

MARK = "picture"
"""A kind of event of which only the pictures know: what was written before it was heard once it is heard."""

PROFILES = {"demo": URL, "acme": "https://acme.example", "acme-test": "https://test.acme.example"}


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


class DeskApp(FrontdeskApp):
    """The program, of which one can wait until it has heard of all that was written."""

    _heard_mark = _heard_to = 0

    def store_changed(self, changed: frozenset[Event]) -> None:
        super().store_changed(changed)
        self._heard_mark = max([self._heard_mark, *(int(each.id) for each in changed if each.kind == MARK)])

    async def hear_writes(self) -> bool:
        """Wait for the store's threads and its feed; return whether anything was written since the last time."""
        store = self.app_context.store
        await asyncio.wrap_future(store.flush())
        await asyncio.wrap_future(store.read_in_background(lambda _: None))
        if change_feed.position(store.reading) == self._heard_to:
            return False
        for mark in (self._heard_mark + 1, self._heard_mark + 2):
            # Two, since a change in the outbox may come with the look after the one at the feed.
            await asyncio.wrap_future(store.write(lambda db, mark=mark: change_feed.append(db, MARK, [str(mark)])))
            while self._heard_mark < mark and self.is_running:  # noqa: ASYNC110 - a crash announces nothing
                await asyncio.sleep(0.01)
        self._heard_to = change_feed.position(store.reading)
        return True


def make_app(opened: ProfileStore, *, greets: bool = False) -> DeskApp:
    """Make the program on a store; its settings and its clock are the store's."""
    settings = opened.settings
    context = AppContext(
        opened,
        OutboxCommands(opened, lambda: CHANGE_HANDLERS),
        glyphs(settings.ascii),
        ZONE,
        opened.clock,
        keymap=KEYMAP,
    )
    return DeskApp(context, profiles=lambda: PROFILES, greets=greets)

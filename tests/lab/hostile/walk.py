"""A walk through every screen and dialog of the app over a hostile platform, with what it writes at each step."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Any

from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input
from textual.widgets._toast import ToastRack

from frontdesk.accounts.profile_switcher import start_profile
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.actions import Action
from frontdesk.config.settings import Settings
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.engine import Engine
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.database import ProfileStore
from frontdesk.sync.budget import Budget
from frontdesk.tui.context import AppContext
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.wide_cells import position_cells
from lab.hostile.platform import CAMPAIGNS, NOW, HostilePlatform, InProcess, fields_in
from new_store import open_store
from tui.hosts import quiet, until
from tui.screen_text import is_painted, screen_strips, shown_toasts, use_truecolor

URL = "http://127.0.0.1:1"
SIZE = COLUMNS, ROWS = 150, 45
SAMPLED = {"i", "a", "t", "y"}
"""Keys of the actions that the sample tries: the whole record, two lists of names, and copying."""

LEAVE = {
    "app.quit",
    "app.suspend",
    "go.back",
    "app.redraw",
    "sync.pause",
    "profile.switch",
    "app.privacy",
}
"""Actions that end the walk, or change how everything after them looks."""


class HostileApp(FrontdeskApp):
    """The app, writing what it would to a terminal."""

    is_headless = False  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Step:
    """The screen or dialog on top after some keys, its own text, and what was written since the step before."""

    keys: str
    place: str
    shown: str
    written: str
    toasts: tuple[str, ...]


class Walk:
    """The steps so far."""

    def __init__(self, app: HostileApp, pilot: Pilot[None], wire: list[str]) -> None:
        self.app, self._pilot, self._wire = app, pilot, wire
        self.steps: list[Step] = []

    async def press(self, *keys: str) -> None:
        """Press keys and take what came of all of them as one step."""
        await self._pilot.press(*keys)
        await self.settle()
        self.take(" ".join(keys))

    async def settle(self) -> None:
        """Wait until what was asked for is painted."""
        await self._pilot.pause()
        await quiet(self.app)
        await until(lambda: not self.app.is_running or is_painted(self.app))

    def take(self, keys: str) -> None:
        """Note a step."""
        written = "".join(map(position_cells, self._wire))
        self._wire.clear()
        shown, toasts = top_text(self.app), tuple(shown_toasts(self.app))
        self.steps.append(Step(keys, type(self.app.screen).__name__, shown, written, toasts))

    async def close_all(self) -> None:
        """Close every dialog, and leave every field that is typed in."""
        for _ in range(12):
            if self.app.screen is self.app.current_screen and not isinstance(self.app.focused, Input):
                return
            await self._pilot.press("escape")
            await self._pilot.pause()
        raise AssertionError(f"{type(self.app.screen).__name__} doesn't close")


def top_text(app: HostileApp) -> str:
    """The text of the screen on top; of a dialog, without what shines through around it."""
    strips = screen_strips(app)
    if not isinstance(app.screen, ModalScreen):
        return "\n".join(strip.text for strip in strips)
    parts = [each.region for each in app.screen.children if each.region and not isinstance(each, ToastRack)]
    own = Region.from_union(parts)
    return "\n".join(strip.crop(own.x, own.right).text for strip in strips[own.y : own.bottom])


@asynccontextmanager
async def opened(
    folder: Path, platform: HostilePlatform, wire: list[str], settings: Settings | None = None
) -> AsyncIterator[Walk]:
    """The app over a store that an engine has filled from a hostile platform, the engine running."""
    profile = replace(demo_profile(URL), watched_campaigns=tuple(map(CampaignId, CAMPAIGNS)))
    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), Secret("bearer"))
    client = PlatformClient(profile.hosts, credentials, transport=InProcess(platform), retry=ONCE)
    began = time.monotonic()

    def clock() -> float:
        return NOW + time.monotonic() - began

    chosen = settings or Settings(notify="osc777", attention="all", hints=False)
    with open_store(folder) as store:
        own = ProfileStore(store, profile, chosen, clock)
        outbox = OutboxCommands(own, lambda: CHANGE_HANDLERS)
        start_profile(own, outbox)
        async with client:
            engine = Engine(
                client,
                store,
                Budget(1000, 100_000, time.monotonic),
                clock=clock,
                chance=lambda: 0.0,
                settle_after=0.0,
            )
            running = asyncio.create_task(engine.run())
            try:
                await until(lambda: running.done() or engine.has_read_all, 60)
                app = HostileApp(AppContext(own, outbox, glyphs(False), UTC, clock, keymap=KEYMAP))
                use_truecolor(app)
                async with app.run_test(size=SIZE, notifications=True) as pilot:
                    await until(lambda: app.current_screen is not None and app.current_screen.is_mounted)
                    walk = Walk(app, pilot, wire)
                    await walk.settle()
                    walk.take("start")
                    yield walk
            finally:
                engine.stop()
                await running


def actions_of(screen: str) -> list[Action]:
    """The actions that a walk tries on a screen, in the order of the table of keys."""
    chosen = [each for each in KEYMAP if {screen, "app", "list"} & set(each.contexts) and each.id not in LEAVE]
    return [each for each in chosen if not each.id.startswith("go.")]


def sampled_actions(screen: str) -> list[Action]:
    """The few of them for which the quick walk has time."""
    return [each for each in actions_of(screen) if each.keys[0] in SAMPLED]


async def walk_screen(walk: Walk, key: str, actions: Iterable[Action]) -> None:
    """Open a screen, try actions on its first row, look into each dialog, and close it."""
    await walk.press(key, "g")
    await walk.press("enter")
    await walk.press(key)
    for action in actions:
        await walk.press(key)
        await walk.press(action.keys[0])
        if walk.app.screen is not walk.app.current_screen:
            await walk.press("down", "tab")
        await walk.close_all()
        walk.take("closed")


async def walk_searches(walk: Walk) -> None:
    """Search for what each hostile text begins with, and look at a bulk change of marked conversations."""
    for opens in ("f", "J"):
        await walk.press("1", opens)
        await walk.press("z", "q")
        await until(lambda: fields_in(top_text(walk.app)))
        await walk.settle()
        walk.take("found")
        await walk.close_all()
    await walk.press("1", "g")
    await walk.press("space", "down", "space", "down", "space")
    await walk.press("c")
    await walk.close_all()
    walk.take("closed")


APP_MODULES = frozenset(
    f"frontdesk.{name}"
    for name in ("accounts.account_dialog", "accounts.name_dialogs", "accounts.setup_app", "app.dialogs")
)
"""The modules of the app that have dialogs."""


def dialogs() -> set[str]:
    """Every dialog of the program that is opened as it is: classes that others inherit from are no dialogs."""
    for module in _modules():
        __import__(module)
    found: set[type[Any]] = set()
    left: list[type[Any]] = [ModalScreen]
    while left:
        for each in left.pop().__subclasses__():
            left.append(each)
            if each.__module__.startswith("frontdesk."):
                found.add(each)
    return {each.__name__ for each in found}


def _modules() -> list[str]:
    import pkgutil

    import frontdesk

    names = [each.name for each in pkgutil.walk_packages(frontdesk.__path__, "frontdesk.")]
    return [name for name in names if ".tui" in name or name in APP_MODULES]

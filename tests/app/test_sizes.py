"""Every screen at every size of the design page, and any order of sizes with any dialog open."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from textual import events
from textual.app import App
from textual.geometry import Size
from textual.screen import ModalScreen

from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Settings
from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.storage.database import Store
from frontdesk.tui.overlays import TooSmall, is_too_small
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.widgets.line_bar import PaneTabs
from frontdesk_lines.widgets.pane import Pane
from kit import At, profile, running
from sample_json import raw_message, raw_task
from tui.hosts import text_of, until
from tui.screen_text import set_driver_size

pytestmark = pytest.mark.anyio

SIZES = [
    *((200, 60), (140, 40), (139, 30), (120, 30), (100, 30), (99, 30)),
    *((80, 24), (79, 24), (60, 15), (59, 15), (60, 14), (30, 8), (1, 1)),
]
SEED = 5
MODES = ("inbox", "board", "campaigns", "workflows", "agents", "activity", "numbers")
DIALOGS = [
    *("task('status')", "task('due')", "task('tag')", "task('assign')", "task('edit')"),
    *("record('show_raw')", "record('copy_id')", "navigate('pair')", "navigate('find')", "navigate('jump')"),
    *("app.help", "app.command_palette"),
]


@asynccontextmanager
async def filled(store: Store, size: tuple[int, int]) -> AsyncIterator[At]:
    page = [raw_message(number, message="Long words " * 30) for number in range(30, 0, -1)]
    store.write(
        lambda db: threads.put_page(db, ConversationId("L1#C1"), page, start=None, has_more=True, now=1.0)
    ).result()
    raws = [raw_task(number, title=f"Task {number} " * 9, dueDate=1_600_000_000) for number in range(1, 40)]
    settings = Settings(clipboard="show")
    async with running(store, *raws, as_profile=profile(me="me"), settings=settings, size=size) as at:
        yield at


async def resize(app: App[None], width: int, height: int) -> None:
    """Another size of the window, at once: Pilot's own waits for an idle machine."""
    size = Size(width, height)
    set_driver_size(app, size)
    app.post_message(events.Resize(size, size))
    await until(lambda: app.screen.size == size)


def is_right(app: FrontdeskApp, width: int, height: int) -> bool:
    """Whether the screen has the panes and lines that belong to this size."""
    screen = app.current_screen
    assert screen is not None
    lines = text_of(app)
    if is_too_small(width, height):
        said = "need 60x15" in "\n".join(lines)
        return screen.query_one(TooSmall).display and (said or width < 13)
    if screen.key_context == "inbox":
        panes = sum(pane.display for pane in screen.query(Pane))
        expected = 3 if width >= 140 else 2 if width >= 100 else 1
        has_tabs = screen.query_one(PaneTabs).display
        if panes != expected or has_tabs != (width < 100 and height >= 20):
            return False
    return lines[0].split()[:1] in (["frontdesk"], ["1"]) and lines[-1].endswith("? keys")


@pytest.mark.slow
async def test_every_screen_has_its_panes_at_every_size(store: Store) -> None:
    chance = random.Random(SEED)
    sizes = chance.sample(SIZES, len(SIZES))
    async with filled(store, sizes[0]) as at:
        for width, height in sizes:
            await resize(at.app, width, height)
            for mode in chance.sample(MODES, 3):
                at.app.action_go(mode)
                await until(partial(is_at, at.app, mode))
                await until(partial(is_right, at.app, width, height))


def is_at(app: FrontdeskApp, mode: str) -> bool:
    screen = app.current_screen
    return screen is not None and screen.key_context == mode and screen.is_ready


@pytest.mark.slow
async def test_any_order_of_sizes_is_lived_through_with_every_dialog_open(store: Store) -> None:
    chance = random.Random(SEED)
    async with filled(store, (120, 30)) as at:
        for action in chance.sample(DIALOGS, len(DIALOGS)):
            await at.app.run_action(action, default_namespace=at.inbox)
            await until(lambda: isinstance(at.app.screen, ModalScreen))
            shown = at.app.screen
            for width, height in chance.sample(SIZES, 3):
                await resize(at.app, width, height)
            assert at.app.screen is shown, action
            await resize(at.app, 60, 15)
            await until(lambda: any("esc" in line for line in text_of(at.app)))
            await shown.run_action("close")
            await until(lambda: isinstance(at.app.screen, InboxScreen))
        assert at.app.is_running

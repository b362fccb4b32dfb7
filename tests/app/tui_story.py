"""Stories of the running app over the sandbox and an engine: what their tests share."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC

from textual.pilot import Pilot

import kit
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.automation.command_keys import add_commands
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.registry.keymap import KEYMAP
from frontdesk.tui.context import AppContext
from frontdesk_lines.glyphs import glyphs
from sync.running_engine import Start, Works, run

SIZE = (140, 40)


class At(kit.At):
    """A running app with the engine below it."""

    def __init__(self, it: Works, app: FrontdeskApp, pilot: Pilot[None]):
        super().__init__(app, pilot, it.store, it.services.store.clock)
        self.it = it

    @property
    def thread(self) -> ThreadPane:
        return self.inbox.thread

    async def until(self, is_true: Callable[[], object]) -> None:
        await self.it.until(is_true)


@asynccontextmanager
async def inbox(
    works: Start, size: tuple[int, int] = SIZE, commands: Sequence[CommandSetting] = ()
) -> AsyncIterator[At]:
    async with works(is_filled=True) as it:
        await it.until(lambda: it.engine.has_read_all)
        store, extensions = it.services.store, Extensions(tuple(commands))
        store.settings = replace(store.settings, extensions=extensions)
        keymap, problems = add_commands(KEYMAP, extensions)
        assert not problems
        app_context = AppContext(store, it.services.outbox, glyphs(False), UTC, store.clock, keymap=keymap)
        app = FrontdeskApp(app_context)
        async with app.run_test(size=size) as pilot:
            at = At(it, app, pilot)
            await at.until(lambda: isinstance(app.current_screen, InboxScreen) and at.inbox.list.rows.keys)
            yield at


def story(
    works: Start,
    tell: Callable[[At], Awaitable[None]],
    size: tuple[int, int] = SIZE,
    commands: Sequence[CommandSetting] = (),
) -> None:
    async def told() -> None:
        async with inbox(works, size, commands) as at:
            await tell(at)

    run(told)

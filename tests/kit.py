"""The testing kit: a running app over a store with nothing behind it, what it shows, and how a test waits.

    async with running(store, raw_task(1), size=(80, 24)) as at:
        await at.press("c")
        await at.until(lambda: "Completed" in at.toasts)

A test of one widget or dialog needs no app of ours: `tui.widgets.hosts` has a small one.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC
from typing import Any, TypeVar

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from frontdesk.app.last_place import SCREEN
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.keymap import SCREENS, Keymap
from frontdesk_api.contract.ids import AgentId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.content import plain
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.widgets.line_bar import StatusLine
from sample_json import raw_task
from services import Services
from tui.hosts import quiet, text_of, until
from tui.screen_text import shown_toasts

NOW = 1_700_000_000.0
NOWHERE = Hosts(*["http://127.0.0.1:9"] * 5)
"""Hosts that nothing listens at."""

SCREEN_KEYS = {str(number): screen for number, screen in enumerate(SCREENS, 1)}
"""The screens by their keys."""

S = TypeVar("S", bound=Screen[Any])
A = TypeVar("A", bound="At")


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def profile(name: str = "test", *, me: str | None = None, people: Iterable[str] = (), **fields: Any) -> Profile:
    """A profile without a platform; people's names are their ids, capitalized."""
    agents = {AgentId(each): each.capitalize() for each in people}
    return replace(Profile(name, NOWHERE, agent_id=None if me is None else AgentId(me), agents=agents), **fields)


class At:
    """A running app.

    Attributes:
        clock: the clock of the app and of its store.
        services: commands on the store below it, as the app gives them.
    """

    def __init__(self, app: FrontdeskApp, pilot: Pilot[None], store: Store, clock: Callable[[], float]) -> None:
        self.app, self.pilot, self.store, self.clock = app, pilot, store, clock
        self.services = Services.of(app.app_context.store)

    def on(self, kind: type[S]) -> S:
        """The screen or dialog on top, which is of this kind."""
        screen = self.app.screen
        assert isinstance(screen, kind), screen
        return screen

    @property
    def inbox(self) -> InboxScreen:
        screen = self.app.current_screen
        assert isinstance(screen, InboxScreen)
        return screen

    @property
    def board(self) -> BoardScreen:
        screen = self.app.current_screen
        assert isinstance(screen, BoardScreen)
        return screen

    @property
    def text(self) -> str:
        """What the screen on top shows, a line each."""
        return "\n".join(text_of(self.app))

    @property
    def status(self) -> str:
        """The words of the status line."""
        return plain(self.app.screen.query_one(StatusLine).line)

    @property
    def toasts(self) -> str:
        """What the toasts say, oldest first."""
        return " | ".join(shown_toasts(self.app))

    @property
    def footer(self) -> str:
        """The last line: that of the screen, also below a dialog."""
        screen = self.app.current_screen
        return "" if screen is None else plain(screen.query_one(StatusLine).line)

    @property
    def changed(self) -> list[str]:
        """What was changed here, once all is written: the target of each change."""
        self.store.write(lambda db: None).result()
        return sorted(each.target for each in queue.recent(self.store.reading))

    @property
    def is_typing(self) -> bool:
        return isinstance(self.app.focused, Input)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def until(self, is_true: Callable[[], object]) -> None:
        await until(is_true)

    async def sees(self, *words: str) -> None:
        """Wait until the screen shows all of these."""

        def are_seen() -> bool:
            text = self.text
            return all(each in text for each in words)

        await until(are_seen)

    async def says(self, *words: str) -> None:
        """Wait until the screen or a toast says all of these."""

        def are_said() -> bool:
            # To draw the screen costs most.
            left = [each for each in words if each not in self.toasts]
            text = self.text if left else ""
            return all(each in text for each in left)

        await until(are_said)

    async def types(self, words: str) -> None:
        """Put these into the first field on top, in place of what it has."""
        self.app.screen.query(Input).first().value = words
        await self.pilot.pause()

    async def goes(self, key: str) -> None:
        """Press the key of a screen, and wait until it is there."""
        await self.press(key)
        await until(lambda: self.app.current_mode == SCREEN_KEYS[key] and self.app.current_screen.is_ready)
        await quiet(self.app)

    async def back(self) -> None:
        """Wait until no dialog is on top."""
        await until(lambda: isinstance(self.app.screen, BaseScreen))

    async def opens(self, kind: type[S], *keys: str) -> S:
        """Press keys, and wait until they have opened this dialog or screen."""
        await self.press(*keys)
        await until(lambda: isinstance(self.app.screen, kind) and not self.app.is_dialog_opening)
        await quiet(self.app)
        return self.on(kind)

    async def close_dialogs(self) -> None:
        """Close every dialog, and leave a field that is typed in."""
        while isinstance(self.app.screen, Dialog) or self.is_typing:
            await self.press("escape")


@asynccontextmanager
async def running(
    store: Store,
    *raws: dict[str, Any],
    settings: Settings | None = None,
    as_profile: Profile | None = None,
    clock: Callable[[], float] | None = None,
    size: tuple[int, int] = (140, 30),
    screen: str = "",
    fills: bool = True,
    keymap: Keymap = KEYMAP,
    kind: type[FrontdeskApp] = FrontdeskApp,
    ascii_only: bool = False,
    notifications: bool = True,
    context: dict[str, Any] | None = None,
    wraps: type[A] = At,  # type: ignore[assignment]
    **of_app: Any,
) -> AsyncIterator[A]:
    """Run the app over a store.

    Args:
        raws: tasks that the store gets first, as the platform sends them; without any, two.
        fills: whether it gets any, and knows that it has all; False for one that the test fills.
        screen: the key of the screen to begin on; a new store opens it as the one that was left open.
        kind: the app's class, for one that writes to a terminal.
        context: more for the app's context.
        wraps: what a test reaches for, where that is more than `At` has.
        of_app: more arguments of the app.
    """
    if fills:
        store.write(lambda db: task_store.put(db, raws or [raw_task(1), raw_task(2)])).result()
        store.write(note_listed).result()
    clock = clock or Clock()
    services = Services(store, as_profile or profile(), settings, clock)
    if screen and services.outbox.saved_view_state(SCREEN) is None:
        services.outbox.save_view_state(SCREEN, SCREEN_KEYS[screen])
        store.write(lambda db: None).result()
    app_context = AppContext(
        services.store, services.outbox, glyphs(ascii_only), UTC, clock, keymap=keymap, **(context or {})
    )
    app = kind(app_context, **of_app)
    async with app.run_test(size=size, notifications=notifications) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.is_ready)
        at = wraps(app, pilot, store, clock)
        if screen and app.current_mode != SCREEN_KEYS[screen]:
            await at.goes(screen)
        else:
            await quiet(app)
        yield at

"""The program on a loop that knows when nothing is under way: for snapshots, for the pictures and for counts.

Nothing here waits for a time to pass: on a busy machine what follows a key comes later, and is waited for.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from html import unescape
from typing import Any, TypeVar

from textual import constants
from textual.pilot import Pilot

from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import change_feed
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Event
from frontdesk.tui.context import AppContext
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import set_terminal
from frontdesk_lines.glyphs import glyphs
from snapshots.desk import ZONE

T = TypeVar("T")

MARK = "snapshot"
"""A kind of event that only `SettledApp` knows: what was written before it was heard once it is heard."""

WAIT = "wait"
"""Among keys: what was written before must have come back."""

LOOKS_AT_REST = 3
"""So often in a row nothing may be under way: a message may be between two queues."""

LOOK_SECONDS = 0.02
MAX_SETTLE_SECONDS = 300
"""For a screen that never rests, not for a machine that is busy."""

CELL_WIDTH = 12.2
"""Of the program's exported screens, in their units."""

EVERY_CELL = (
    "rect { shape-rendering: crispEdges }"
    # Browsers read xml:space only on the text itself, other viewers only xml:space.
    " text { direction: ltr; unicode-bidi: bidi-override; white-space: pre }"
)

# Drawn as for a terminal of all colours, whichever one this runs in.
constants.COLOR_SYSTEM = "truecolor"

MAX_PAUSE_SECONDS = 0.9
"""What is put off for less follows a key; what is put off for longer comes again and again."""


class WorkLoop(asyncio.SelectorEventLoop):
    """Counts the calls that it has put off for less than `MAX_PAUSE_SECONDS`, and the calls on threads."""

    def __init__(self) -> None:
        super().__init__()
        self._pauses: set[asyncio.TimerHandle] = set()
        self._thread_calls = 0

    @property
    def has_work(self) -> bool:
        """Whether a short pause isn't over, or a call on a thread hasn't returned, however late it is."""
        self._pauses = {each for each in self._pauses if not each.cancelled()}
        return bool(self._pauses or self._thread_calls)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        if when - self.time() >= MAX_PAUSE_SECONDS:
            return super().call_at(when, callback, *args, context=context)

        def call() -> None:
            self._pauses.discard(handle)
            callback(*args)

        handle = super().call_at(when, call, context=context)
        self._pauses.add(handle)
        return handle

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        self._thread_calls += 1
        running: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        running.add_done_callback(self._end_thread_call)
        return running

    def _end_thread_call(self, _: object) -> None:
        self._thread_calls -= 1


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a `WorkLoop`, as `settle` needs it."""
    with asyncio.Runner(loop_factory=WorkLoop) as runner:
        return runner.run(main)


class SettledApp(FrontdeskApp):
    """The program, of which one can wait until it has heard of all that was written.

    Textual's `run` has a loop of its own, which can't tell whether anything is under way.
    """

    _heard_mark = _heard_to = 0

    def run(self, **options: Any) -> Any:
        return run(self.run_async(**options))

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        return simplify_svg(super().export_screenshot(title=title, simplify=simplify))

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


def make_app(opened: ProfileStore) -> SettledApp:
    """Make the program on a store; its settings and its clock are the store's."""
    settings = opened.settings
    set_terminal(emoji_as_text=settings.emoji == "text")
    outbox = OutboxCommands(opened, lambda: CHANGE_HANDLERS)
    context = AppContext(opened, outbox, glyphs(settings.ascii), ZONE, opened.clock, keymap=KEYMAP)
    return SettledApp(context)


async def press_keys(app: SettledApp, pilot: Pilot[None], keys: Sequence[str] = ()) -> None:
    """Press keys, and wait until all that follows from them has ended."""
    await settle(app, pilot)
    for key in keys:
        await (settle(app, pilot) if key == WAIT else pilot.press(key))
    await settle(app, pilot)
    if app.clear_toasts():  # they go after seconds, which a busy machine moves
        await settle(app, pilot)


async def settle(app: SettledApp, pilot: Pilot[None]) -> None:
    """Wait until what a key began has ended: pauses, messages, threads, and what was written has come back.

    Raises:
        TimeoutError: it went on for `MAX_SETTLE_SECONDS`.
    """
    loop, looks = asyncio.get_running_loop(), 0
    assert isinstance(loop, WorkLoop)
    async with asyncio.timeout(MAX_SETTLE_SECONDS):
        while looks < LOOKS_AT_REST:
            await pilot.pause(0)
            if loop.has_work or _has_messages(app):
                looks = 0
                await asyncio.sleep(LOOK_SECONDS)
            else:
                looks = 0 if await app.hear_writes() else looks + 1


def _has_messages(app: SettledApp) -> bool:
    widgets = (each for screen in app.screen_stack for each in screen.walk_children(with_self=True))
    return any(each.message_queue_size for each in (app, *widgets))


def simplify_svg(svg: str) -> str:
    """Keep cells as a terminal paints them: no reordering by the viewer, no blanks collapsed, no font fetched.

    What is the same for every cell is said once: half the size, and a change shows what it changes.
    """
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<clipPath id=\"terminal-\d+-line.*?</clipPath>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' clip-path="url\(#terminal-\d+-line-\d+\)"| shape-rendering="crispEdges"', "", svg)
    svg = re.sub(r"<text [^>]*>(?:&#160;)*</text>", "", svg)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1).replace("&#160;", " ")
    svg = re.sub(r'textLength="[\d.]+">([^<]*)</text>', _with_cells, svg)
    svg = svg.replace("</style>", f"{EVERY_CELL}</style>", 1)
    return re.sub(r"terminal-\d+", "terminal", svg)


def _with_cells(found: re.Match[str]) -> str:
    """Return a text with the length of its cells: the exporter counts the characters, several for an emoji."""
    return f'textLength="{CELL_WIDTH * cell_width(unescape(found[1])):.5g}">{found[1]}</text>'

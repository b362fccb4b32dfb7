"""Hand results and events of other threads to the app's thread."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App

from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage import change_feed
from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.records import Event

T = TypeVar("T")


def on_done(app: App[Any], future: "Future[T]", then: Callable[["Future[T]"], object]) -> None:
    """Call `then` with the future on the app's thread, or drop it after the app has ended.

    Args:
        app: looked up where the action began: a screen removed since, or another thread, has none.
    """
    future.add_done_callback(lambda done: call_on_app_thread(app, then, done))


def show_once(
    app: App[Any],
    outbox: OutboxCommands,
    news: Mapping[str, tuple[float, T]],
    show: Callable[[Sequence[T]], object],
) -> None:
    """Show news on one screen of all: `show` gets those whose names this one has claimed at their moments."""
    if not news:
        return

    def claimed(done: "Future[frozenset[str]]") -> None:
        if done.exception() is None and (mine := [news[name][1] for name in news if name in done.result()]):
            show(mine)

    on_done(app, outbox.claim({name: at for name, (at, _) in news.items()}), claimed)


def call_on_app_thread(app: App[Any], then: Callable[..., object], *arguments: object) -> None:
    """Schedule a call on the app's thread; do nothing after the app has ended."""
    try:
        app.call_later(then, *arguments)
    except RuntimeError:
        if app.is_running:
            raise  # else its loop was closed while this was on its way


async def await_future(future: "Future[T]") -> T:
    """Wait for a future in a worker; cancelling the worker doesn't cancel the future."""
    return await asyncio.shield(asyncio.wrap_future(future))


class EventMerger:
    """Merges the events of one store, which its watcher reports on a thread of its own.

    Args:
        schedule: schedules a call on the app's thread; harmless after it has ended.
        on_events: called on that thread with all events since its last call.
    """

    def __init__(
        self,
        folder: Path,
        schedule: Callable[[Callable[[], None]], object],
        on_events: Callable[[frozenset[Event]], None],
    ):
        self._schedule, self._on_events = schedule, on_events
        self._pending: set[Event] = set()
        self._lock = threading.Lock()
        self._watcher = FeedWatcher(folder, self._collect)

    def start(self) -> None:
        self._watcher.start()

    def stop(self) -> None:
        self._watcher.stop()

    def _collect(self, changed: frozenset[Event]) -> None:
        """Collect on the watcher's thread; only the first of many events schedules a delivery.

        Reports of what screens show are for the engine: a screen would hear of its own whenever the cursor rests.
        """
        with self._lock:
            was_empty = not self._pending
            self._pending.update(each for each in changed if each.kind != change_feed.FOCUS)
            is_first = was_empty and bool(self._pending)
        if is_first:
            self._schedule(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            changed, self._pending = frozenset(self._pending), set()
        self._on_events(changed)

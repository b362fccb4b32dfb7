"""What the store's watcher tells on its own thread, merged and handed over to the thread of the screens.

Held by the app.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.records import Event


class EventMerger:
    """The events of one store.

    Args:
        hand_over: has a function called on the screens' thread; harmless when they are gone.
        pass_on: told of all events since it was told last, on that thread.
    """

    def __init__(
        self,
        folder: Path,
        hand_over: Callable[[Callable[[], None]], object],
        pass_on: Callable[[frozenset[Event]], None],
    ):
        self._hand_over, self._pass_on = hand_over, pass_on
        self._pending: set[Event] = set()
        self._lock = threading.Lock()
        self._watcher = FeedWatcher(folder, self._heard)

    def start(self) -> None:
        """From here on what differs is told."""
        self._watcher.start()

    def stop(self) -> None:
        """Nothing is told any more."""
        self._watcher.stop()

    def _heard(self, changed: frozenset[Event]) -> None:
        """From the watcher's thread: only the first of many is handed over, the others go with it."""
        with self._lock:
            is_first = not self._pending
            self._pending |= changed
        if is_first:
            self._hand_over(self._take)

    def _take(self) -> None:
        with self._lock:
            changed, self._pending = frozenset(self._pending), set()
        self._pass_on(changed)

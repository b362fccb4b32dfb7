"""The number of conversations in each view, counted in the background, one view at a time."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future

from textual.message_pump import MessagePump
from textual.timer import Timer

from frontdesk.inbox import saved_views
from frontdesk.inbox.saved_views import View
from frontdesk.inbox.store import conversations
from frontdesk.tui.context import AppContext

COUNT_SECONDS = 2.0
"""Views are counted at most this often while events keep coming, one after the other."""

COUNT_STEP_SECONDS = 0.05
"""Between two views' counts the program has its turn."""

COUNT_SHARE = 20
"""Counting all of them rests so many times as long as it took."""


class ViewCounts:
    """Counts of views by name.

    Args:
        pane: the pane that shows them; results after its end are dropped.
        changed: called after each count.
    """

    def __init__(self, pane: MessagePump, app_context: AppContext, changed: Callable[[], None]):
        self._pane = pane
        self._app_context = app_context
        self._changed = changed
        self._counts: dict[str, int] = {}
        self._to_count: list[View] = []
        self._timer: Timer | None = None
        self._is_counting = False
        self._seconds = 0.0

    @property
    def is_at_rest(self) -> bool:
        """Return whether no count is running or scheduled."""
        return self._timer is None and not self._is_counting

    def of(self, view: View) -> int | None:
        """Return the count of a view, or None."""
        return self._counts.get(view.name)

    def set(self, view: View, count: int) -> None:
        """Set a count that is known without counting."""
        self._counts[view.name] = count

    def count(self, wanted: Iterable[View]) -> None:
        """Count these again: soon, or after the delay since the last count."""
        self._to_count = list(wanted)
        if self.is_at_rest:
            self._after(COUNT_STEP_SECONDS)

    def _after(self, seconds: float) -> None:
        self._timer = self._pane.set_timer(seconds, self._count_next)

    def _count_next(self) -> None:
        self._timer = None
        if not self._to_count:
            return
        view, *self._to_count = self._to_count
        began, store = time.monotonic(), self._app_context.store
        self._is_counting = True

        def report(done: Future[int]) -> None:
            self._pane.call_later(self._counted, view, done, time.monotonic() - began)

        wanted = saved_views.wanted(view.query, store.profile, self._app_context.clock())
        store.read_in_background(lambda db: conversations.count(db, wanted)).add_done_callback(report)

    def _counted(self, view: View, done: Future[int], seconds: float) -> None:
        self._is_counting = False
        self._seconds += seconds
        # One that failed shows the count before: what reads for the screen itself will say what is wrong.
        if not done.cancelled() and done.exception() is None:
            self._counts[view.name] = done.result()
            self._changed()
        rest = COUNT_STEP_SECONDS
        if not self._to_count:
            rest, self._seconds = max(COUNT_SECONDS, COUNT_SHARE * self._seconds), 0.0
        self._after(rest)

"""The conversations that a list shows, and the number of conversations in each view.

The first window is read from the order's index; further down the whole list is read. Views are counted in the
background.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future

from textual.message_pump import MessagePump
from textual.timer import Timer

from frontdesk.inbox import filter_words
from frontdesk.inbox.filter_words import View
from frontdesk.inbox.store import conversations
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store.conversation_query import OF_THREADS, QueryTerm
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage.coverage import Coverage
from frontdesk.storage.records import ConversationOrder
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import ConversationId

FIRST_ROWS = 500
"""So many conversations are read at first; further ones when the cursor comes near them."""


class ListWindow:
    """The conversations of one list.

    Args:
        is_slow: whether reading an account takes minutes, at the pace that its platform bears.

    Attributes:
        order: the chosen order; `sorted_by` is the one that the list has.
        coverage: how much of what they are sorted and chosen by was read.
        window: how many are read; None for all.
    """

    def __init__(self, db: ReadConnection, order: ConversationOrder, *, is_slow: bool = False):
        self._db = db
        self.order = order
        self._is_early = is_slow
        self.keys: list[ConversationId] = []
        self.matching = 0
        self.known = 0
        self.coverage = Coverage()
        self.window: int | None = FIRST_ROWS

    @property
    def sorted_by(self) -> ConversationOrder:
        """Return the order of the list: by last activity until half of what a chosen one stands on was read."""
        return ConversationOrder.ACTIVITY if self._is_early and self.order in OF_THREADS else self.order

    def sort(self, order: ConversationOrder) -> None:
        """Sort by another order from the next read on, however little of what it stands on was read."""
        self.order, self._is_early = order, False
        self.window = FIRST_ROWS

    def read(self, wanted: Sequence[QueryTerm], needed: Collection[ConversationId] = ()) -> None:
        """Read the ids again; those `needed` stay: a poll never removes what the cursor or a mark is on."""
        self._count_known()
        self._read(wanted, ())
        missing = set(needed).difference(self.keys)
        if not missing:
            return
        stay = missing - conversation_store.wanted_among(self._db, missing, wanted)
        if stay:
            self._read(wanted, stay)
            missing.difference_update(self.keys)
        if missing and self.window is not None:
            # Sorted out of the window: the cursor and the marks stay on their conversations.
            self.window = None
            self._read(wanted, stay)

    def _count_known(self) -> None:
        self.coverage = clock_store.coverage(self._db)
        self.known = self.coverage.known
        # Once it has another order, the list keeps that: threads that are found later don't change it back.
        self._is_early = self._is_early and 2 * self.coverage.read < max(1, self.known)

    def _read(self, wanted: Sequence[QueryTerm], also: Collection[ConversationId]) -> None:
        limit = -1 if self.window is None else self.window
        self.keys, self.matching = conversation_store.window(self._db, self.sorted_by, limit, wanted, also)


COUNT_SECONDS, SOON_SECONDS = 2.0, 0.05
"""Views are counted at most this often while events keep coming, and so soon after a rest."""

COUNT_SHARE = 20
"""Counting all of them rests so many times as long as it took."""


Counts = dict[str, tuple[int, Coverage]]
"""By the name of a view how many it has, and what had been read by then."""


class ViewCounts:
    """Counts of views by name, each with what had been read when it was counted.

    Args:
        pane: the pane that shows them; results after its end are dropped.
    """

    def __init__(self, pane: MessagePump, app_context: AppContext, changed: Callable[[], None]):
        self._pane = pane
        self._app_context = app_context
        self._changed = changed
        self._counts: Counts = {}
        self._to_count: list[View] = []
        self._timer: Timer | None = None
        self._is_counting = False

    @property
    def is_at_rest(self) -> bool:
        return self._timer is None and not self._is_counting

    def of(self, view: View) -> tuple[int, Coverage] | None:
        """Return the count of a view, or None: what was read since may have changed it."""
        return self._counts.get(view.name)

    def set(self, view: View, count: int, coverage: Coverage) -> None:
        self._counts[view.name] = (count, coverage)

    def count(self, wanted: Iterable[View]) -> None:
        """Count these again: soon, or after the delay since the last count."""
        self._to_count = list(wanted)
        if self.is_at_rest:
            self._timer = self._pane.set_timer(SOON_SECONDS, self._count)

    def _count(self) -> None:
        self._timer, views, self._to_count = None, self._to_count, []
        if not views:
            return
        began, store, now = time.monotonic(), self._app_context.store, self._app_context.clock()
        wanted = {view.name: filter_words.wanted(view.query, store.profile, now) for view in views}
        before = {name: self._counts.get(name) for name in wanted}
        self._is_counting = True

        def report(done: Future[Counts]) -> None:
            self._pane.call_later(self._counted, before, done, time.monotonic() - began)

        def count(db: ReadConnection) -> Counts:
            coverage = clock_store.coverage(db)  # before: what is read meanwhile makes it no more certain
            counted = {name: conversations.awake(db, terms, now) for name, terms in wanted.items()}
            return {name: (conversations.count(db, terms), coverage) for name, terms in counted.items()}

        store.read_in_background(count).add_done_callback(report)

    def _counted(
        self, before: Mapping[str, tuple[int, Coverage] | None], done: Future[Counts], seconds: float
    ) -> None:
        self._is_counting = False
        # Counts that failed stay as they were: what reads for the screen itself will say what is wrong.
        if not done.cancelled() and done.exception() is None:
            # The list has set the others meanwhile.
            self._counts |= {
                name: found for name, found in done.result().items() if self._counts.get(name) is before[name]
            }
            self._changed()
        self._timer = self._pane.set_timer(max(COUNT_SECONDS, COUNT_SHARE * seconds), self._count)

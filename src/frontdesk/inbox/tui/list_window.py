"""The conversations that a list shows: a window of an order, read again or updated.

The first window is read from the order's index; further down the whole list is read, which is then updated
where events say that something moved.
"""

from bisect import bisect_left
from collections.abc import Collection, Sequence

from frontdesk.api.contract.ids import ConversationId
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import ordering
from frontdesk.inbox.store.conditions import QueryTerm
from frontdesk.storage.records import ConversationOrder
from frontdesk.storage.sql import ReadConnection

FIRST_ROWS = 500
"""So many conversations are read at first; further ones when the cursor comes near them."""

MAX_MENDED = 60
"""So many conversations at most are put in their places one by one; for more of them all are read."""


class ListWindow:
    """The conversations of one list.

    Attributes:
        keys: the ids read so far, in order.
        matching: how many match in all.
        known: how many are known at all.
        window: how many are read; None for all.
    """

    def __init__(self, db: ReadConnection, order: ConversationOrder):
        self._db = db
        self.order = order
        self.keys: list[ConversationId] = []
        self.matching = 0
        self.known = 0
        self.window: int | None = FIRST_ROWS

    @property
    def is_long(self) -> bool:
        """Return whether the whole of a long list is held."""
        return self.window is None and len(self.keys) > FIRST_ROWS

    def read(self, wanted: Sequence[QueryTerm], needed: Collection[ConversationId] = ()) -> None:
        """Read the ids again; those `needed` stay: a poll never removes what the cursor or a mark is on."""
        self.known = conversation_store.count(self._db)
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

    def mend(
        self, wanted: Sequence[QueryTerm], changed: Collection[ConversationId], needed: Collection[ConversationId]
    ) -> bool:
        """Move the changed ones to their new positions; False where reading all again is cheaper."""
        if not self.is_long or len(changed) > MAX_MENDED:
            return False
        moved = set(changed)
        keys = [each for each in self.keys if each not in moved]
        known = conversation_store.wanted_among(self._db, moved, ())
        fits = conversation_store.wanted_among(self._db, moved, wanted) if wanted else known
        self.known = conversation_store.count(self._db)
        self.matching = conversation_store.count(self._db, wanted) if wanted else self.known
        for each in fits | (known & set(needed)):
            at = bisect_left(keys, self._place(each), key=self._place)
            keys.insert(at, each)
        self.keys = keys
        return True

    def _place(self, conversation_id: ConversationId) -> tuple[object, ...]:
        return ordering.place(self._db, self.order, conversation_id)

    def _read(self, wanted: Sequence[QueryTerm], also: Collection[ConversationId]) -> None:
        limit = -1 if self.window is None else self.window
        self.keys, self.matching = conversation_store.window(self._db, self.order, limit, wanted, also)

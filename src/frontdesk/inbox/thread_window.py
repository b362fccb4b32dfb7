"""The messages of a stored thread that a screen holds, without a gap, at most `MOST`."""

from collections.abc import Sequence

import apsw

from frontdesk.api.contract.ids import ConversationId
from frontdesk.inbox.models import MessageRecord
from frontdesk.inbox.store import thread_pages
from frontdesk.storage.records import MessagePosition

STEP = 60
"""So many messages are read when a screen comes near an end of the window; more on a screen that is taller."""

MOST = 4 * STEP
"""So many are held on a screen of up to `STEP` lines."""


class ThreadWindow:
    """Messages of one thread, oldest first; no move reads more than the window holds.

    Attributes:
        before: the stored message before the first one, which decides whether a day or a sender's turn begins
            there; None where nothing older is stored.
        has_newer: whether newer ones are stored.
    """

    def __init__(self, db: apsw.Connection, conversation_id: ConversationId):
        self._db = db
        self._id = conversation_id
        self.messages: Sequence[MessageRecord] = ()
        self.before: MessageRecord | None = None
        self.has_newer = False

    @property
    def has_older(self) -> bool:
        return self.before is not None

    def outside(self, shown: int) -> tuple[int, int]:
        """Estimate by time how many entries are older and newer than the `shown` ones: no counting."""
        messages = self.messages
        if not messages or not (self.has_older or self.has_newer):
            return 0, 0
        ends = thread_pages.ends(self._db, self._id)
        first, last = messages[0].key.created_at, messages[-1].key.created_at
        if ends is None or last <= first:
            return len(messages) * self.has_older, len(messages) * self.has_newer
        each = shown / (last - first)
        older, newer = (first - ends[0].created_at) * each, (ends[1].created_at - last) * each
        return max(self.has_older, int(older)), max(self.has_newer, int(newer))

    def to_newest(self, count: int = STEP) -> None:
        """Load the newest messages."""
        self._hold(thread_pages.page_before(self._db, self._id, None, count + 1), count, has_newer=False)

    def to_oldest(self, count: int = STEP) -> None:
        """Load the oldest messages."""
        found = thread_pages.page_from(self._db, self._id, None, count + 1)
        self.before, self.messages, self.has_newer = None, found[:count], len(found) > count

    def around(self, key: MessagePosition, older: int = STEP, newer: int = STEP) -> None:
        """Load messages around a position."""
        after = thread_pages.page_from(self._db, self._id, key, newer + 1)
        found = thread_pages.page_before(self._db, self._id, key, older + 1)
        self._hold([*found, *after[:newer]], older + min(newer, len(after)), has_newer=len(after) > newer)

    def older(self, step: int = STEP) -> bool:
        """Slide towards the oldest; False at the oldest stored one."""
        if not self.messages or self.before is None:
            return False
        found = thread_pages.page_before(self._db, self._id, self.messages[0].key, step + 1)
        kept = self.messages[: max(0, _most(step) - min(step, len(found)))]
        has_newer = self.has_newer or len(kept) < len(self.messages)
        self._hold([*found, *kept], min(step, len(found)) + len(kept), has_newer=has_newer)
        return bool(found)

    def newer(self, step: int = STEP) -> bool:
        """Slide towards the newest; False at the newest stored one."""
        if not self.messages or not self.has_newer:
            return False
        last = self.messages[-1].key
        found = [each for each in thread_pages.page_from(self._db, self._id, last, step + 2) if each.key != last]
        self.has_newer = len(found) > step
        messages = [*self.messages, *found[:step]]
        passed = len(messages) - _most(step)
        if passed > 0:
            self.before, messages = messages[passed - 1], messages[passed:]
        self.messages = messages
        return bool(found)

    def read_again(self, reading: MessagePosition | None, step: int = STEP) -> None:
        """Read the window again, with what is new.

        `reading` is the message at the top of the screen, which stays; None follows the end of the thread.
        """
        most = _most(step)
        if not self.messages:
            self.to_newest(step)
            return
        if reading is None:
            first = self.messages[0].key
            found = thread_pages.page_from(self._db, self._id, first, most + 1)
            if len(found) > most or not found:
                self.to_newest(most // 2)
                return
            older = thread_pages.page_before(self._db, self._id, found[0].key, 1)
            self._hold([*older, *found], len(found), has_newer=False)
            return
        above = sum(1 for each in self.messages if each.key < reading)
        self.around(reading, above, most - above)

    def _hold(self, found: Sequence[MessageRecord], count: int, *, has_newer: bool) -> None:
        """Hold the last `count`; `before` is the message before them."""
        over = len(found) - count
        self.before = found[over - 1] if over > 0 else None
        self.messages, self.has_newer = found[max(0, over) :], has_newer


def _most(step: int) -> int:
    return max(MOST, 4 * step)

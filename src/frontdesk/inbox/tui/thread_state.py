"""Reading positions of threads, and requests for their older messages.

A request is identified by the message before which something is missing.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.view.thread import LOADING_OLDER, why_no_messages
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.records import MessagePosition
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import on_done
from frontdesk_api.contract.ids import ConversationId, MessageId
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, span
from frontdesk_lines.widgets.entry_stack import ReadingPosition


class ThreadRequests:
    """The requests of one open thread: those that are `loading`, and why others `failed`.

    `progress` describes requests that follow each other.
    """

    def __init__(self) -> None:
        self.progress: Line = EMPTY
        self.loading: set[MessagePosition] = set()
        self.failed: dict[MessagePosition, str] = {}

    def forget(self) -> None:
        self.loading.clear()
        self.failed.clear()
        self.progress = EMPTY

    def begin(self, before: MessagePosition) -> bool:
        """Start a request; False where it is under way."""
        if before in self.loading:
            return False
        self.loading.add(before)
        self.failed.pop(before, None)
        return True

    def end(self, before: MessagePosition, failed: str = "") -> bool:
        """End a request, failed for a reason; False where it isn't of this thread."""
        if before not in self.loading:
            return False
        self.loading.discard(before)
        if failed:
            self.failed[before] = failed
        return True

    def end_answered(self, segments: Sequence[Segment]) -> None:
        self.loading &= {each.oldest for each in segments if not each.complete}

    def status_line(self, near: Collection[MessagePosition]) -> Line:
        """Return the loading or failed state, unless its own line is among those `near`."""
        if self.progress:
            return self.progress
        if self.loading.difference(near):
            return (span(LOADING_OLDER, Role.ACCENT),)
        why = next((why for key, why in self.failed.items() if key not in near), "")
        return (span(trusted(f"not loaded: {show_line(why, 80).text}"), Role.BAD),) if why else EMPTY


class OlderRequests:
    """Requests of the inbox to the engine for older messages.

    Args:
        end: gets a request's message and why it failed, empty where it didn't.

    Attributes:
        pending: the messages before which something was requested, by request id.
    """

    def __init__(self, screen: BaseScreen, end: Callable[[MessagePosition, str], None]) -> None:
        self._screen, self._end = screen, end
        self._store = screen.app_context.store
        self.pending: dict[int, MessagePosition] = {}

    def request(self, conversation_id: ConversationId, before: MessagePosition) -> None:
        asked = SyncRequests(self._store).request_older(conversation_id, before)
        on_done(self._screen.app, asked, lambda done: self._add(done, before))

    def update(self) -> None:
        """End those that are finished or forgotten."""
        for request_id in tuple(self.pending):
            self._update(request_id)

    def _add(self, asked: "Future[int]", before: MessagePosition) -> None:
        error = asked.exception()
        if error is not None:
            self._end(before, str(error) or type(error).__name__)
            return
        self.pending[asked.result()] = before
        self._update(asked.result())

    def _update(self, request_id: int) -> None:
        ask = clients.request_by_id(self._store.reading, request_id)
        if ask is None or ask.state != "asked":
            self._end(self.pending.pop(request_id), "" if ask is None else ask.reason)


def why_empty(db: ReadConnection, conversation_id: ConversationId | None) -> str:
    if conversation_id is None:
        return "No conversation is open."
    record = record_lookup.conversation(db, conversation_id)
    return "Not loaded yet." if record is None else why_no_messages(record, "Not loaded yet.")


def missing_before(segments: Sequence[Segment], here: MessagePosition) -> MessagePosition | None:
    """Return the message nearest above this one, or this one, before which something is missing."""
    return max((each.oldest for each in segments if not each.complete and each.oldest <= here), default=None)


MAX_POSITIONS = 200
"""Threads whose position is kept."""


class ThreadPosition(NamedTuple):
    """A position in a thread.

    Attributes:
        key: the message at the top of the screen.
        reading: the entries at the top and under the cursor.
        seen: the newest message when the end was last visible.
    """

    key: MessagePosition
    reading: ReadingPosition
    seen: MessagePosition | None


class ThreadPositions:
    """The positions of the threads that were left last."""

    def __init__(self) -> None:
        self._positions: OrderedDict[ConversationId, ThreadPosition] = OrderedDict()

    def get(self, conversation_id: ConversationId | None) -> ThreadPosition | None:
        """Return the position in a thread; None for its end."""
        return None if conversation_id is None else self._positions.get(conversation_id)

    def put(self, conversation_id: ConversationId, position: ThreadPosition | None) -> None:
        self._positions.pop(conversation_id, None)
        if position is not None:
            self._positions[conversation_id] = position
            if len(self._positions) > MAX_POSITIONS:
                self._positions.popitem(last=False)


def position_as_json(conversation_id: ConversationId | None, position: ThreadPosition | None) -> object:
    """Return a thread's position as JSON that `position_from_json` reads; None without one."""
    if conversation_id is None or position is None:
        return None
    seen = None if position.seen is None else [*position.seen]
    return [conversation_id, [*position.key], [*position.reading], seen]


def position_from_json(kept: object) -> tuple[ConversationId, ThreadPosition] | None:
    """Parse a position; None where it is invalid."""
    match kept:
        case [
            str(conversation),
            [int() | float() as at, str(each)],
            [str(top), int(line), str(cursor)],
            [int() | float() as seen_at, str(seen)],
        ]:
            position = ThreadPosition(
                MessagePosition(at, MessageId(each)),
                ReadingPosition(top, max(0, line), cursor),
                MessagePosition(seen_at, MessageId(seen)),
            )
            return ConversationId(conversation), position
    return None

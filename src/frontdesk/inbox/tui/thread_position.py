"""Reading positions of threads."""

from collections import OrderedDict
from dataclasses import dataclass

from frontdesk.api.contract.ids import ConversationId, MessageId
from frontdesk.storage.records import MessagePosition
from frontdesk.tui.widgets.entry_stack import ReadingPosition

MAX_POSITIONS = 200
"""Threads whose position is kept."""


@dataclass(frozen=True, slots=True)
class ThreadPosition:
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
        """Store the position in a thread; None for its end."""
        self._positions.pop(conversation_id, None)
        if position is not None:
            self._positions[conversation_id] = position
            if len(self._positions) > MAX_POSITIONS:
                self._positions.popitem(last=False)


def position_as_json(conversation_id: ConversationId | None, position: ThreadPosition | None) -> object:
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

"""Where a thread was left half-way, and how that is kept over a restart.

Held by the thread's pane; the inbox writes it down with its own place.
"""

from dataclasses import dataclass

from frontdesk.api.contract.ids import ConversationId, MessageId
from frontdesk.storage.records import MessagePosition
from frontdesk.tui.widgets.entry_stack import ReadingPosition


@dataclass(frozen=True, slots=True)
class ThreadPosition:
    """Where a thread was left half-way.

    Attributes:
        key: the message at the top of the screen.
        reading: the entries at the top and under the cursor.
        seen: the newest message there was when the end was last in sight.
    """

    key: MessagePosition
    reading: ReadingPosition
    seen: MessagePosition | None


def place_as_json(conversation_id: ConversationId | None, place: ThreadPosition | None) -> object:
    """A place in a form that can be kept."""
    if conversation_id is None or place is None:
        return None
    return [conversation_id, [*place.key], [*place.reading], None if place.seen is None else [*place.seen]]


def place_from_json(kept: object) -> tuple[ConversationId, ThreadPosition] | None:
    """A place that was kept, or None where it isn't one."""
    match kept:
        case [
            str(conversation),
            [int() | float() as at, str(each)],
            [str(top), int(line), str(cursor)],
            [int() | float() as seen_at, str(seen)],
        ]:
            place = ThreadPosition(
                MessagePosition(at, MessageId(each)),
                ReadingPosition(top, max(0, line), cursor),
                MessagePosition(seen_at, MessageId(seen)),
            )
            return ConversationId(conversation), place
    return None

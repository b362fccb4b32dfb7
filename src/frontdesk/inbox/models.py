"""Messages as the store gives them to screens."""

from dataclasses import dataclass

from frontdesk.storage.records import Json, MessagePosition


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One message as it came."""

    key: MessagePosition
    raw: Json


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a thread without holes. `complete` says that nothing older exists.

    `cursor` is what the platform wants to be asked with for what is older, where that isn't
    `oldest`: messages of one moment come in an order of its own.
    """

    newest: MessagePosition
    oldest: MessagePosition
    complete: bool
    cursor: MessagePosition | None = None

"""Messages and segments as the store returns them."""

from dataclasses import dataclass

from frontdesk.storage.records import Json, MessagePosition


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """A message and its raw object."""

    key: MessagePosition
    raw: Json


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a thread without gaps. `complete`: nothing older exists.

    `cursor` requests what is older, where that isn't `oldest`: messages of one millisecond have an order of
    their own.
    """

    newest: MessagePosition
    oldest: MessagePosition
    complete: bool
    cursor: MessagePosition | None = None

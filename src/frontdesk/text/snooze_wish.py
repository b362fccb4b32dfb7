"""What wakes something that is snoozed, apart from the parser of its words: rows show it in the first paint."""

from datetime import datetime
from typing import NamedTuple

UNTIL_THEY_WRITE = "until they write"


class SnoozeWish(NamedTuple):
    """What wakes it: a time in the zone of the `now` it was read with, the customer's next message, or either.

    With neither it isn't snoozed.

    Attributes:
        note: a warning, such as a change of clocks.
    """

    until: datetime | None = None
    on_message: bool = False
    note: str = ""

    @property
    def at(self) -> datetime | None:
        """Return when it wakes, as a due time is named."""
        return self.until

    @property
    def is_off(self) -> bool:
        """Return whether this wakes what is snoozed."""
        return self.until is None and not self.on_message

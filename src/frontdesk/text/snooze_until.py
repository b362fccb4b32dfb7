"""The end of a snooze, apart from the parser of its words: rows show it in the first paint."""

from datetime import datetime
from typing import NamedTuple

UNTIL_THEY_WRITE = "until they write"


class SnoozeWish(NamedTuple):
    """The end of a snooze: a time in the zone of the parser's `now`, the customer's next message, or either.

    With neither the record isn't snoozed.

    Attributes:
        note: a warning, such as a change of clocks.
    """

    until: datetime | None = None
    on_message: bool = False
    note: str = ""

    @property
    def at(self) -> datetime | None:
        """Return the wake-up time under the name that a due time has."""
        return self.until

    @property
    def is_off(self) -> bool:
        return self.until is None and not self.on_message

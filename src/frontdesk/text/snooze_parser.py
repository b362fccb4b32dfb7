"""Parse the end of a snooze: `tomorrow 9am`, `until they write`, `fri only`, or `off` to wake it."""

from datetime import datetime

from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.snooze_until import SnoozeWish

EXAMPLES = "tomorrow 9am, until they write, fri only or off"

_OFF = frozenset({"0", "off", "none", "clear", "wake", "wake up", "now"})
_WRITES = ("they write", "they reply", "they answer", "message", "reply")
_OR_MESSAGE = tuple(f" or {middle}{each}" for middle in ("until ", "when ", "") for each in _WRITES)
_TIME_ALONE = (" only", " even if they write")


def parse_snooze(words: str, now: datetime) -> SnoozeWish:
    """Parse a time, as for due dates, or the customer's next message, in the zone of `now`.

    A time alone also ends with the customer's message, which must not stay hidden. `only` after the time
    prevents that.

    Raises:
        DueNotUnderstood: the words mean no time, or a past one; the text has examples.
    """
    text = " ".join(words.lower().split())
    if text in _OFF:
        return SnoozeWish()
    text = text.removeprefix("until ").removeprefix("till ")
    if text in _WRITES:
        return SnoozeWish(on_message=True)
    on_message = True
    for each in (*_OR_MESSAGE, *_TIME_ALONE):
        if text.endswith(each):
            text, on_message = text.removesuffix(each), each not in _TIME_ALONE
            break
    due = parse_due(text, now)
    if due.at is None:
        raise DueNotUnderstood(f"{words.strip()!r} isn't a recognized time; try {EXAMPLES}")
    if due.is_past:
        raise DueNotUnderstood(f"{words.strip()!r} is in the past; try {EXAMPLES}")
    return SnoozeWish(due.at, on_message, due.note)

"""What a dry run is played with: what the customer says and presses, and the time that goes by.

The command line makes steps of its options, the dialog of what is typed.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

LONGEST_SECONDS = 366 * 86_400.0
"""Nothing waits longer than that in a dry run."""

_UNITS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3_600, "hr": 3_600, "hour": 3_600}
_UNITS |= {"d": 86_400, "day": 86_400, "w": 604_800, "week": 604_800}
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)", re.ASCII)
_BETWEEN = re.compile(r"[\s,]*(?:and\s+)?", re.ASCII)


class Deed(StrEnum):
    """What a step is."""

    BEGIN = "begin"
    SAY = "say"
    PRESS = "press"
    WAIT = "wait"
    SILENCE = "silence"
    CHOOSE = "choose"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a script.

    Attributes:
        deed: begin (as the trigger needs it), say, press, wait, silence (until what it waits for is over),
            or choose (a way where nothing decides).
        words: what is said; the title, payload, id or number of what is pressed or chosen.
        seconds: how long a wait is.
    """

    deed: Deed
    words: str = ""
    seconds: float = 0.0


class NotATime(ValueError):
    """The words are no length of time; the text has examples."""


def seconds_of(words: str) -> float:
    """A length of time in words, as `2 hours`, `90m` or `1h 30m`.

    Raises:
        NotATime: they aren't one, or it is longer than a year.
    """
    text = words.strip().lower()
    total, at = 0.0, 0
    while at < len(text):
        found = _PART.match(text, at)
        size = None if found is None else _UNITS.get(found[2]) or _UNITS.get(found[2].removesuffix("s"))
        if found is None or size is None:
            raise NotATime(f"{words[:40]!r} is no length of time; 20 minutes, 2h and 1 day are")
        total += float(found[1]) * size
        between = _BETWEEN.match(text, found.end())
        at = between.end() if between else found.end()
    if not text or total > LONGEST_SECONDS:
        raise NotATime(f"{words[:40]!r} is {'longer than a year' if text else 'no length of time'}")
    return total

"""Privacy: hide text that names or quotes a person while the screen is shared; a customer keeps one alias.

`display_text.show_line` hides every outside text here, so a new place hides its texts without being told to.
It is a mask for a shared screen, not protection: the store and what is sent stay as they are.
"""

import re
import threading
import unicodedata
from dataclasses import dataclass, field

SIGN = "•"
"""Replaces each letter, digit and picture."""

IS_HIDDEN = "Names, numbers and texts are hidden"
IS_SHOWN = "Names, numbers and texts are shown."

_ASCII_LETTER = re.compile("[0-9A-Za-z]")
_KEPT = frozenset(" …·–—“”‘’␤•")


@dataclass(repr=False, eq=False)
class _Privacy:
    is_on: bool = False
    aliases: dict[tuple[str, str], str] = field(default_factory=dict)
    named: dict[tuple[str, str], str] = field(default_factory=dict)
    """The key of the first person with each name; text that has only a name gets that person's alias."""
    counts: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    """A lock, since threads that lay texts out also assign aliases."""


# A process has one terminal, whose screen is shared as a whole.
_privacy = _Privacy()


def is_private() -> bool:
    return _privacy.is_on


def set_private(is_on: bool) -> None:
    """Hide or show names, numbers and texts from now on; aliases are kept until the process ends."""
    _privacy.is_on = is_on


def hide(text: str) -> str:
    """Replace each letter, digit and picture; blanks and punctuation stay, so lines break in the same places."""
    if text.isascii():
        return _ASCII_LETTER.sub(SIGN, text)
    return "".join(map(_hidden, text))


def alias(kind: str, key: str, name: str = "") -> str:
    """Return the alias of one person until the process ends, such as `Customer 12`.

    Args:
        kind: the first word of the alias.
        key: the person's id; the name if nothing else is known.
        name: the person's name. A place that knows only the name shows the alias of the first person who has it.
    """
    with _privacy.lock:
        if (found := _privacy.aliases.get((kind, key))) is not None:
            return found
        by_name = (kind, name)
        is_first = bool(name) and name != key and _privacy.named.setdefault(by_name, key) == key
        found = _privacy.aliases.get(by_name) if is_first else None
        if found is None:
            count = _privacy.counts[kind] = _privacy.counts.get(kind, 0) + 1
            found = f"{kind} {count}"
        _privacy.aliases[kind, key] = found
        if is_first:
            _privacy.aliases[by_name] = found
        return found


def _hidden(letter: str) -> str:
    if letter in _KEPT:
        return letter
    if letter.isascii():
        return letter if not letter.isalnum() else SIGN
    # A mark or joiner would be drawn over the sign before it.
    return "" if unicodedata.category(letter) in ("Mn", "Me", "Mc", "Cf") else SIGN

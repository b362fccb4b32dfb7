"""Count the terminal cells that a text takes, expected and at most.

Terminals disagree on joined emoji, flags, variation selectors and vowel signs: `cell_width` is the right
number, `max_cells` that of the least able terminal.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

_SETTLED = (
    "\u0000-\u02ff\u0370-\u0482\u048a-\u0589\u05be\u05c0\u05c3\u05d0-\u05f4\u060c-\u060f\u061b-\u064a\u0660-\u066f"
    "\u0671-\u06d3\u06f0-\u06ff\u10a0-\u10ff\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20c0\u2100-\u2319"
    "\u2400-\u2426\u2500-\u25fc\u2713\u2717\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\uff01-\uff9d\uffe0-\uffe6\ufffd"
)
"""Characters that have the same cells in every terminal and never join; Han and Hangul have them too."""

_MAYBE_DISPUTED = re.compile(f"[^{_SETTLED}]")
_DISPUTED = f"[^{_SETTLED}\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]"
"""With Han and Hangul, which `re` compiles letter by letter in 1% of the start-up: few texts need it."""

_NARROW = re.compile(
    "[ -~\u00a0-\u02ff\u0370-\u0482\u048a-\u0589\u05be\u05c0\u05c3\u05d0-\u05f4\u060c-\u060f\u061b\u061d-\u064a"
    "\u0660-\u066f\u0671-\u06d3\u06f0-\u06ff\u10a0-\u10ff\u1e00-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u2070-\u20c0\u2100-\u2319\u2400-\u2426\u2500-\u25fc\u2713\u2717\uff61-\uff9d\ufffd]*"
)
"""Characters of one cell each, counted without wcwidth's tables: loading these takes 5% of the start-up."""

_WIDENING = "\ufe0f"
"""Requests the emoji form of a sign, which takes two cells in terminals that know it."""


@lru_cache(maxsize=8192)
def cell_width(text: str) -> int:
    """Count the cells of a text, grapheme by grapheme."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    from wcwidth import width  # not needed for most first paints

    if not is_disputed(text):
        return width(text)
    return sum(map(width, graphemes(text)))


@lru_cache(maxsize=8192)
def max_cells(text: str) -> int:
    """Count the cells of a text on the least able terminal, which joins nothing."""
    if not is_disputed(text):
        return cell_width(text)
    return sum(_max_cells_of_grapheme(letter) for letter in graphemes(text))


@lru_cache(maxsize=8192)
def _max_cells_of_grapheme(letter: str) -> int:
    width = cell_width(letter)
    if len(letter) == 1:
        # Some vowel signs, such as Burmese ones, are base characters with zero width.
        return 2 if "\U0001f1e6" <= letter <= "\U0001f1ff" else max(width, _takes_a_cell(letter))
    from wcwidth import wcwidth

    apart = sum(max(0, wcwidth(char)) for char in letter)
    # Half a flag takes two cells in terminals without flags; a vowel sign takes one if it isn't joined.
    apart += sum(1 for char in letter if "\U0001f1e6" <= char <= "\U0001f1ff" and wcwidth(char) == 1)
    apart += sum(1 for char in letter[1:] if wcwidth(char) == 0 and _takes_a_cell(char))
    apart += sum(1 for char, after in pairwise(letter) if after == _WIDENING and wcwidth(char) == 1)
    return max(width, apart)


def is_disputed(text: str) -> bool:
    """Return whether terminals may disagree about the cells of this text."""
    if text.isascii() or _MAYBE_DISPUTED.search(text) is None:
        return False
    return re.search(_DISPUTED, text) is not None


def first_disputed(text: str) -> int | None:
    """Return the index of the first character with disputed cells."""
    if text.isascii() or _MAYBE_DISPUTED.search(text) is None:
        return None
    found = re.search(_DISPUTED, text)
    return None if found is None else found.start()


def last_disputed(text: str) -> int:
    """Return the index of the last character with disputed cells, or -1 if there is none."""
    last = -1
    for found in re.finditer(_DISPUTED, text):
        last = found.start()
    return last


def graphemes(text: str) -> list[str]:
    if text.isascii() or _NARROW.fullmatch(text):
        return list(text)
    from wcwidth import iter_graphemes

    return list(iter_graphemes(text))


def _takes_a_cell(char: str) -> bool:
    """Return whether a character is a spacing vowel sign, or the second or third part of a Hangul syllable."""
    return unicodedata.category(char) == "Mc" or "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb"

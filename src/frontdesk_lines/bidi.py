"""Right-to-left text in the order of its cells, by python-bidi (UAX 9).

Added here: brackets are mirrored, letters keep their marks, phone numbers and addresses stay as written, and a
line whose letters would join again stays unchanged rather than getting wider.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from frontdesk_lines.cell_width import cell_width, graphemes

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
# Parts written left to right in any text: an address, an e-mail address, a number to call. The algorithm alone
# would turn `+972 52-123-4567` into `52-123-4567 972+` beside a Hebrew word.
_WRITTEN_LEFT_TO_RIGHT = r"""(?x)
    https?://[\x21-\x7e]+
    | www\.[\x21-\x7e]+
    | [A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+
    | (?<![0-9:.,/+-])\+[0-9](?:[ ().-]{0,2}[0-9]){5,}
    | (?<![0-9:.,/+-])\(?0[0-9]{1,3}\)?(?:[ .-]{1,2}[0-9]{3,}){1,4}
    """
_FOLLOWER, _CURSOR_FOLLOWER = "\U0001d242", "\U0001d243"
"""Rare combining marks: the algorithm keeps one next to its bracket, and puts it first if that is mirrored."""
_CURSOR = "\ue000"
"""Marks the cursor's piece among equal pieces."""
_SENTENCE_END = ".,;:!?)]}'\""


def _pool(code_points: Iterable[int], direction: str) -> list[str]:
    return [char for char in map(chr, code_points) if unicodedata.bidirectional(char) == direction]


@lru_cache(maxsize=1)
def _stand_ins() -> dict[str, list[str]]:
    """Characters that replace a whole grapheme while a line is reordered, by direction."""
    return {
        "R": _pool(range(0x10800, 0x10D00), "R"),
        "AL": _pool(range(0xFB50, 0xFDFC), "AL"),
        "EN": _pool(range(0x1D7CE, 0x1D800), "EN"),
        "AN": _pool(range(0x10E60, 0x10E7F), "AN"),
        "L": _pool(range(0x13000, 0x13400), "L"),
        "ON": _pool(range(0x2500, 0x2580), "ON"),
    }


def has_right_to_left(text: str) -> bool:
    """Return whether any letter is right-to-left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter with a direction is right-to-left."""
    if not has_right_to_left(text):
        return False
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def lay_out(text: str, right_to_left: bool | None = None) -> str:
    """Order one line by its cells, left to right.

    Args:
        right_to_left: the paragraph's direction; None for the line's own.
    """
    if right_to_left is None:
        right_to_left = is_right_to_left(text)
    if not right_to_left and not has_right_to_left(text):
        return text
    laid = _ordered(list(_parts(text)), right_to_left)
    # Reordered letters may join their new neighbours: leave the line unordered rather than wider.
    return laid if laid is not None and cell_width(laid) == cell_width(text) else text


def lay_out_typed(text: str, cursor: int) -> tuple[str, int] | None:
    """Order a line that is being typed; return it and the cursor's index in it.

    After the last letter the cursor is on a blank, which is at the left end of a right-to-left line. None for a
    line that needs no order or can't be ordered.
    """
    if not has_right_to_left(text):
        return None
    right_to_left = is_right_to_left(text)
    if cursor >= len(text):
        laid = lay_out(text, right_to_left)
        return (" " + laid, 0) if right_to_left else (laid + " ", len(laid))
    parts, at, marked = list(_parts(text)), 0, 0
    for place, part in enumerate(parts):
        if at + len(part) > cursor:
            marked = place
            break
        at += len(part)
    laid, found = _place(parts, marked, right_to_left)
    if found < 0:
        return None
    inside = cursor - at if len(graphemes(parts[marked])) > 1 else 0
    return laid, found + inside


MAX_PLACED = 400
"""The maximum number of pieces of a line that are placed one by one, each in time in proportion to the line.

A longer line than any terminal's is returned whole.
"""


def letters_in_cells(text: str, start: int, stop: int, right_to_left: bool) -> str:
    """Return the letters of a line that `lay_out` puts into these cells, in the order in which they are read."""
    parts = list(_parts(text))
    if len(parts) > MAX_PLACED:
        return text
    kept: list[str] = []
    for place, part in enumerate(parts):
        laid, found = _place(parts, place, right_to_left)
        if found < 0:
            return text
        at = cell_width(laid[:found])
        for letter in graphemes(part):
            if start <= at < stop:
                kept.append(letter)
            at += cell_width(letter)
    return "".join(kept)


def _place(parts: list[str], place: int, right_to_left: bool) -> tuple[str, int]:
    """Return the ordered line and the index of a piece in it; -1 if it can't be ordered."""
    laid = _ordered([*parts[:place], _CURSOR + parts[place], *parts[place + 1 :]], right_to_left) or ""
    return laid.replace(_CURSOR, ""), laid.find(_CURSOR)


def _ordered(parts: list[str], right_to_left: bool) -> str | None:
    """Return the pieces in the order of their cells, or `None` if there are too few stand-ins for them."""
    from bidi import get_display
    from bidi.mirror import MIRRORED

    used = set("".join(parts))
    free = {direction: (char for char in pool if char not in used) for direction, pool in _stand_ins().items()}
    stand_in: dict[str, str] = {}
    whole: dict[str, str] = {}
    for part in parts:
        bare = part.lstrip(_CURSOR)
        if bare in MIRRORED:
            stand_in[part] = bare + (_FOLLOWER if part == bare else _CURSOR_FOLLOWER)
        elif len(part) > 1 and part not in stand_in:
            char = next(free[_direction(bare)], None)
            if char is None:
                return None
            stand_in[part], whole[char] = char, part
    ordered = str(get_display("".join(stand_in.get(part, part) for part in parts), base_dir="LR"[right_to_left]))
    return "".join(whole.get(char, char) for char in _brackets().sub(_turn_bracket, ordered))


@lru_cache(maxsize=1)
def _brackets() -> re.Pattern[str]:
    """Match a bracket and the combining character next to it, in either order."""
    from bidi.mirror import MIRRORED

    followers, brackets = _FOLLOWER + _CURSOR_FOLLOWER, re.escape("".join(MIRRORED))
    return re.compile(f"([{brackets}])([{followers}])|([{followers}])(.)", re.DOTALL)


def _turn_bracket(found: re.Match[str]) -> str:
    from bidi.mirror import MIRRORED

    bracket, follower = (found[1], found[2]) if found[1] else (MIRRORED.get(found[4], found[4]), found[3])
    return bracket if follower == _FOLLOWER else _CURSOR + bracket


def _parts(text: str) -> Iterator[str]:
    """Split into unbreakable pieces: graphemes, and text that is always left-to-right."""
    at = 0
    for found in re.finditer(_WRITTEN_LEFT_TO_RIGHT, text):
        kept = found.group().rstrip(_SENTENCE_END)
        yield from graphemes(text[at : found.start()])
        yield kept
        at = found.start() + len(kept)
    yield from graphemes(text[at:])


def _direction(part: str) -> str:
    if re.match(_WRITTEN_LEFT_TO_RIGHT, part):
        return "ON"
    direction = unicodedata.bidirectional(part[0])
    if direction == "L" and not part[0].isalpha():
        return "ON"
    return direction if direction in ("R", "AL", "EN", "AN", "L") else "ON"

"""What strangers wrote, made safe to show; knows nobody (design.md, section 9).

Every outside string reaches a screen, a table or a log through `Shown`. The store keeps the
original: nothing here is ever sent back or compared.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LINE_LIMIT = 200
BODY_LIMIT = 20_000
BODY_LINES = 400
MARKS_A_LETTER = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """Text that a terminal may be given. Not a `str`, so nothing raw is taken for it.

    Attributes:
        text: one line, free of control, bidi-override and filler characters.
        altered: True where something was replaced or taken out.
    """

    text: str
    altered: bool = False

    def __len__(self) -> int:
        return len(self.text)

    def __bool__(self) -> bool:
        return bool(self.text)


NOTHING = Shown("")

# C0 and DEL become their visible pictures: evidence of what was tried. C1 has no pictures.
_VISIBLE: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(0x20)}
_VISIBLE[0x7F] = "␡"
_VISIBLE.update(dict.fromkeys((*range(128, 160), *range(55296, 57344)), "�"))
_VISIBLE.update({ord("\t"): "    ", ord("\n"): "␤", ord("\r"): None})
_VISIBLE.update({0x85: "␤", 0x2028: "␤", 0x2029: "␤"})
# Bidi overrides and isolates, zero-width and filler characters: they make text look like other text.
_VISIBLE.update(
    dict.fromkeys(
        (
            0xAD,
            0x34F,
            0x61C,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            0x180E,
            0x200B,
            0x200E,
            0x200F,
            *range(0x202A, 0x202F),
            *range(0x2060, 0x2070),
            0x3164,
            0xFEFF,
            0xFFA0,
            *range(0xFFF9, 0xFFFC),
            *range(0xE0000, 0xE1000),
        )
    )
)
_SAFE_ASCII = re.compile(r"[ -~]*").fullmatch
_LINE_BREAK = re.compile("\r\n|[\n\x85\u2028\u2029]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
# A reordered right-to-left run puts a mark before its letter; the terminal wants it after.
_MARK_BEFORE_LETTER = re.compile(
    "([\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670]+)([\u05d0-\u05f2\u0620-\u064a\u066e-\u06d3])"
)
# Stand-ins while a line is reordered: neutral in direction, like the emoji they stand for.
_NEUTRALS = [chr(code) for code in range(0x2500, 0x2580)]


def own(text: str) -> Shown:
    """frontdesk's own words, which need no cleaning."""
    return Shown(text)


def show_line(raw: object, limit: int = LINE_LIMIT) -> Shown:
    """Outside text as one line of at most `limit` characters; a line break is shown as `␤`."""
    if raw is None:
        return NOTHING
    text = raw if isinstance(raw, str) else str(raw)
    if len(text) <= limit and _SAFE_ASCII(text):
        return Shown(text)
    return _clean(text, limit)


def body_lines(raw: object, limit: int = BODY_LIMIT, lines: int = BODY_LINES) -> tuple[Shown, ...]:
    """Outside text as the lines it was written in, bounded; what is cut is said in a last line."""
    if raw is None:
        return ()
    text = raw if isinstance(raw, str) else str(raw)
    kept = text[:limit]
    parts = _LINE_BREAK.split(kept)
    shown = [show_line(part, limit) for part in parts[:lines]]
    if len(text) > limit or len(parts) > lines:
        shown.append(own(f"… {len(text):,} characters in all; the rest is not shown"))
    return tuple(shown)


def _clean(text: str, limit: int) -> Shown:
    cut = len(text) > limit
    body = text[:limit]
    clean = body.translate(_VISIBLE)
    if not clean.isascii():
        clean = _few_marks(clean)
    altered = clean != body
    return Shown(clean + "…" if cut else clean, altered)


def _few_marks(text: str) -> str:
    """At most four combining marks on a letter: more of them paint over the lines around."""
    kept: list[str] = []
    marks = 0
    for char in text:
        if char >= "\u0300" and unicodedata.category(char)[0] == "M":
            marks += 1
            if marks > MARKS_A_LETTER:
                continue
        else:
            marks = 0
        kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=8192)
def cell_width(text: str) -> int:
    """How many cells a terminal gives to this text, by grapheme."""
    if text.isascii():
        return len(text)
    from wcwidth import width  # not needed for the first paint of ASCII

    return width(text)


def graphemes(text: str) -> list[str]:
    """The letters as a reader counts them."""
    if text.isascii():
        return list(text)
    from wcwidth import iter_graphemes

    return list(iter_graphemes(text))


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells; what is missing is marked with `…`."""
    if cell_width(text) <= width:
        return text
    if width <= 0:
        return ""
    if text.isascii():
        return text[: width - 1] + "…"
    kept: list[str] = []
    left = width - 1
    for letter in graphemes(text):
        left -= cell_width(letter)
        if left < 0:
            break
        kept.append(letter)
    return "".join(kept) + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly `width` cells, cut or filled; `right` puts it at the right edge."""
    text = cut(text, width)
    fill = " " * (width - cell_width(text))
    return fill + text if right else text + fill


def wrap(shown: Shown, width: int) -> list[Shown]:
    """The line as several, none wider than `width` cells, broken at spaces where there are some."""
    if cell_width(shown.text) <= width:
        return [shown]
    lines: list[str] = []
    line, used = "", 0
    for word in re.findall(r"\s+|\S+", shown.text):
        size = cell_width(word)
        if used + size <= width:
            line, used = line + word, used + size
            continue
        if word.isspace():
            lines.append(line)
            line, used = "", 0
            continue
        if line.strip():
            lines.append(line.rstrip())
            line, used = "", 0
        for letter in graphemes(word) if size > width else [word]:
            size = cell_width(letter)
            if used + size > width and line:
                lines.append(line)
                line, used = "", 0
            line, used = line + letter, used + size
    if line.strip():
        lines.append(line.rstrip())
    return [Shown(part, shown.altered) for part in lines]


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is Hebrew, Arabic or a relative of theirs."""
    if text.isascii() or not _RIGHT_TO_LEFT.search(text):
        return False
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def lay_out(text: str, right_to_left: bool | None = None) -> str:
    """One line in the order in which its cells are painted, left to right (UAX 9).

    Call it last, on what fits the width: it is for the eye alone and never measured, searched
    or copied.

    Args:
        right_to_left: the direction of the paragraph that the line is part of; None for its own.
    """
    if right_to_left is None:
        right_to_left = is_right_to_left(text)
    if not right_to_left and (text.isascii() or not _RIGHT_TO_LEFT.search(text)):
        return text
    from bidi import get_display

    logical = text
    clusters = [letter for letter in set(graphemes(text)) if len(letter) > 1 and _is_neutral(letter)]
    free = (char for char in _NEUTRALS if char not in text)
    stand_ins = dict(zip(clusters, free, strict=False))
    for letter, char in stand_ins.items():
        text = text.replace(letter, char)
    laid = str(get_display(text, base_dir="R" if right_to_left else "L"))
    laid = _MARK_BEFORE_LETTER.sub(r"\2\1", laid)
    for letter, char in stand_ins.items():
        laid = laid.replace(char, letter)
    # Letters that are new neighbours may join into one: rather unordered than a column too many.
    return laid if cell_width(laid) == cell_width(logical) else logical


def _is_neutral(letter: str) -> bool:
    return unicodedata.bidirectional(letter[0]) in ("ON", "L") and not letter[0].isalpha()

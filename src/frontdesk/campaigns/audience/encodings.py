"""How a text file is encoded: told by its mark, by what it can't be, or guessed by its letters.

`reader` asks; the guess is shown to a person, who may say otherwise.
"""

import codecs
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from frontdesk.campaigns.audience.models import AudienceError

_WITH_MARK = ("utf-8", "utf-16", "utf-32")
ENCODINGS = (*_WITH_MARK, "utf-16-le", "utf-16-be", "cp1255", "cp1256", "cp1251", "cp1252", "latin-1")
"""Those that can be chosen; utf-8, utf-16 and utf-32 take their mark off."""

_PIECE = 1 << 20
_LOOKED_AT = 64 << 20
_SAMPLE = 1 << 18
_CONTROLS = bytes([*range(9), *range(14, 32)])
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def guess_encoding(path: Path) -> str:
    """One of `ENCODINGS`. Reads up to 64 MB.

    Raises:
        AudienceError: it is no text at all.
    """
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
        for mark, name in _MARKS:
            if head.startswith(mark):
                return name
        wide = _wide(head)
        if wide is not None:
            return wide
        if len(head) - len(head.translate(None, _CONTROLS)) > 8 + len(head) // 20:
            raise AudienceError("this is no text and no workbook: save the list as .xlsx or .csv")
        high = _first_broken(file, head)
    if high is None:
        return "utf-8"
    if _is_hebrew(high) and _decodes(high, "cp1255"):
        return "cp1255"
    return "cp1252" if _decodes(high, "cp1252") else "latin-1"


def codec_of(encoding: str) -> str:
    """What Python calls it; with the mark taken off where there may be one.

    Raises:
        AudienceError: no such encoding can be chosen.
    """
    if encoding not in ENCODINGS:
        raise AudienceError(f"no such encoding; one of {', '.join(ENCODINGS)}")
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _wide(head: bytes) -> str | None:
    """UTF-16 without its mark: every second byte of common text is 0 there."""
    if len(head) < 4 or b"\0" not in head:
        return None
    half = len(head) // 2
    if head[1::2].count(0) > half * 0.4 and head[::2].count(0) < half * 0.1:
        return "utf-16-le"
    if head[::2].count(0) > half * 0.4 and head[1::2].count(0) < half * 0.1:
        return "utf-16-be"
    return None


def _first_broken(file: BinaryIO, head: bytes) -> bytes | None:
    """A sample around the first bytes that aren't UTF-8; None where all that was looked at is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    piece, read = head, 0
    while piece:
        try:
            decoder.decode(piece)
        except UnicodeDecodeError:
            return piece
        read += len(piece)
        piece = file.read(_PIECE) if read < _LOOKED_AT else b""
    return None


def _is_hebrew(sample: bytes) -> bool:
    """Whether letters of the upper half stand together as in Hebrew words, and not between Latin ones."""
    together = apart = 0
    for before, sign in pairwise(sample):
        if 0xE0 <= sign <= 0xFA:
            if 0xE0 <= before <= 0xFA:
                together += 1
            elif 0x41 <= before <= 0x5A or 0x61 <= before <= 0x7A:
                apart += 1
    return together > apart


def _decodes(sample: bytes, encoding: str) -> bool:
    try:
        sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True

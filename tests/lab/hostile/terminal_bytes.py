"""What a program writes to its terminal, read as the terminal reads it; anything but text and its own is a fault.

The program's own: colours, places of the cursor, frames, the pointer's shape, its title, what was copied by hand,
and a notification where the settings ask for one.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\x1b\[(?P<csi>[0-?]*[ -/]*[@-~])"
    r"|\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b(?P<other>[P_^X][^\x1b]*\x1b\\|[ -/]*[0-~])"
    r"|(?P<text>[^\x1b\r\n]+)|[\r\n]|(?P<alone>\x1b)",
    re.DOTALL,
)
_OWN_CSI = re.compile(
    r"(?!8m)(?:\d{1,3}[;:]?){0,16}m|(?:\d{1,4};?){0,2}H|\d{0,4}[ABCDdGX]|K|\?(?:2026|25)[hl]|2[23];2t"
)
_OWN_OTHER = frozenset({"7", "8"})
"""The cursor is saved and restored around words whose width is disputed."""

_TITLE = re.compile(r"(?:\(\d+\+?\) )?(?:!\d+ )?frontdesk · [\w.-]+")
JOINERS = "\u200c\u200d"
VISIBLE_FORMATS = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Signs around numbers in Arabic, Syriac and Kaithi: Unicode counts them as formats, but they are visible."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text that went to the terminal otherwise than as cells."""

    place: str
    text: str


def unsafe_letters(text: str) -> list[str]:
    """The letters that aren't for a screen: controls, overrides, what is invisible, halves of characters."""
    return [
        f"U+{ord(letter):04X}"
        for letter in sorted(set(text))
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and letter not in JOINERS
        and letter not in VISIBLE_FORMATS
    ]


def faults(written: str) -> list[str]:
    """What in this no terminal should have been sent."""
    found: list[str] = []
    for token in _TOKEN.finditer(written):
        csi, osc, other, text = token.group("csi", "osc", "other", "text")
        if text is not None:
            found += [f"{each} in {text[:60]!r}" for each in unsafe_letters(text)]
        elif csi is not None and not _OWN_CSI.fullmatch(csi):
            found.append(f"CSI {csi!r}")
        elif osc is not None:
            found += _osc_faults(osc)
        elif (other is not None and other not in _OWN_OTHER) or token["alone"]:
            found.append(f"ESC {token[0]!r}")
    return found


def _osc_faults(osc: str) -> Iterator[str]:
    number, _, rest = osc.partition(";")
    if unsafe := unsafe_letters(rest):
        yield f"{unsafe} in OSC {osc[:80]!r}"
    if number == "2" and not _TITLE.fullmatch(rest):
        yield f"title {rest!r}"
    elif number == "52":
        if copied(rest).startswith("EVIL"):
            yield f"copied {rest!r}"
        elif unsafe := unsafe_letters(copied(rest).replace("\n", "")):
            yield f"{unsafe} copied: {rest[:80]!r}"
    elif number == "777":
        if rest.count(";") != 2 or not rest.startswith("notify;") or rest.startswith("notify;OWNED"):
            yield f"notification {rest!r}"
    elif number not in ("2", "22"):
        yield f"OSC {osc[:80]!r}"


def copied(payload: str) -> str:
    """The text of an OSC 52 after its number; what is no text stays as it is."""
    try:
        return base64.b64decode(payload.removeprefix("c;"), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return f"\x1b{payload}"


def said(written: str) -> Iterator[Said]:
    """The titles, copies and notifications in this."""
    places = {"2": "title", "52": "clipboard", "777": "desktop notification"}
    for token in _TOKEN.finditer(written):
        number, _, rest = (token["osc"] or "").partition(";")
        if number in places:
            yield Said(places[number], copied(rest) if number == "52" else rest)

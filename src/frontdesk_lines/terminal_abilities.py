"""Tell from the environment what a terminal can show: colors, signs, letters, and xterm's sequences.

The locale tells which letters arrive; Python itself writes UTF-8 even in the locale "C" (PEP 538, PEP 540).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

_BEFORE_XTERM = re.compile(r"vt\d.*|linux.*|ansi.*|cygwin|cons25.*")
"""Terminals that have few signs, and that may print xterm's sequences as text."""

_WITHOUT_COLORS = re.compile(r"vt\d.*|.*-(m|mono)")
_COERCED = "c.utf-8"

NO_LETTERS = "the locale isn't UTF-8; set LC_ALL to one that is, such as C.UTF-8"


class TerminalAbilities(NamedTuple):
    """The abilities of one terminal.

    Attributes:
        has_letters: it shows letters beyond ASCII.
        has_signs: it shows lines and signs beyond ASCII.
        has_colors: it has colors; `NO_COLOR` isn't considered.
        is_xterm_like: it has titles, a clipboard and a second screen, and skips sequences that it doesn't know.
    """

    has_letters: bool = True
    has_signs: bool = True
    has_colors: bool = True
    is_xterm_like: bool = True


def terminal_abilities(environ: Mapping[str, str]) -> TerminalAbilities:
    """Tell from TERM, COLORTERM and the locale what the terminal can do."""
    term = environ.get("TERM", "")
    is_xterm_like = not _BEFORE_XTERM.fullmatch(term)
    has_letters = is_utf8(environ)
    return TerminalAbilities(
        has_letters,
        has_letters and is_xterm_like,
        bool(environ.get("COLORTERM")) or not _WITHOUT_COLORS.fullmatch(term),
        is_xterm_like,
    )


def has_own_driver(environ: Mapping[str, str]) -> bool:
    """Return whether another program draws the screens, such as `textual serve`: then no terminal is needed."""
    return bool(environ.get("TEXTUAL_DRIVER"))


def is_utf8(environ: Mapping[str, str]) -> bool:
    """Return whether the locale's letters are UTF-8; without any locale they are.

    In the locale "C", Python sets LC_CTYPE to C.UTF-8 for itself and its children: LANG then says what was meant.
    """
    lang = environ.get("LANG", "")
    ctype = environ.get("LC_CTYPE", "")
    if ctype.lower() == _COERCED and lang in ("C", "POSIX"):
        ctype = ""
    locale = environ.get("LC_ALL", "") or ctype or lang
    return not locale or "utf8" in locale.lower().replace("-", "")

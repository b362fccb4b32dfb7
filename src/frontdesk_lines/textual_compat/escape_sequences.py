"""Make sequences for the terminal itself, also from inside tmux and screen: bell, title, notification, clipboard.

Leans on `App._driver` (8.2.8) to send them: Textual has no public way to write what is not painted. All else is
pure.

Guarantees that what strangers wrote, which comes as `SafeText`, can't end a sequence or begin another.
"""

import base64
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from textual.app import App

from frontdesk_lines.display_text import SafeText, cut
from frontdesk_lines.terminal_abilities import terminal_abilities
from frontdesk_lines.textual_compat.line_filters import plain_letters

BELL = "\a"
PUSH_TITLE, POP_TITLE = "\x1b[22;2t", "\x1b[23;2t"
"""Terminals such as xterm keep a stack of titles: the previous one is restored."""

LONGEST_COPY = 74_994
"""Bytes of base64: longer ones are cut or dropped by terminals that are in use (xterm's own limit, hterm)."""

_SCREEN_CHUNK = 768
"""Bytes of a string that GNU screen passes on; it drops the rest."""

_TITLE_CELLS, _BODY_CELLS = 60, 160


class Multiplexer(StrEnum):
    """A program between this one and the terminal."""

    NONE = ""
    TMUX = "tmux"
    SCREEN = "screen"


def multiplexer(environ: Mapping[str, str]) -> Multiplexer:
    """Return the multiplexer that this process runs in.

    `TERM=screen` alone may be either of them on a remote machine: sequences are then not wrapped, since one shows
    as text what is wrapped for the other.
    """
    term = environ.get("TERM", "")
    if environ.get("TMUX") or term.startswith("tmux"):
        return Multiplexer.TMUX
    return Multiplexer.SCREEN if environ.get("STY") else Multiplexer.NONE


def wrap_for_multiplexer(sequence: str, inside: Multiplexer) -> str:
    """Wrap a sequence for the terminal outside: tmux wants its ESC doubled, screen takes small pieces."""
    if inside is Multiplexer.TMUX:
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if inside is Multiplexer.SCREEN:
        size = _SCREEN_CHUNK - len("\x1bP\x1b\\")
        pieces = [sequence[at : at + size] for at in range(0, len(sequence), size)]
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    return sequence


def title(words: SafeText) -> str:
    """Set the title of the window or pane; tmux and screen have their own, so it is never wrapped."""
    return f"\x1b]2;{words.text}\a"


def notification(style: str, heading: SafeText, body: SafeText, inside: Multiplexer) -> str:
    """Make a desktop notification, by OSC 9 (one text) or OSC 777 (a heading and a text).

    Semicolons separate the fields, and after `9;4` some terminals read a progress bar.
    """
    above, below = _field(heading, _TITLE_CELLS), _field(body, _BODY_CELLS)
    if style == "osc777":
        sequence = f"\x1b]777;notify;{above};{below}\a"
    else:
        sequence = f"\x1b]9;{': '.join(part for part in (above, below) if part)}\a"
    return wrap_for_multiplexer(sequence, inside)


def clipboard(text: str, inside: Multiplexer) -> str | None:
    """Make the sequence that fills the clipboard (OSC 52); None for too long a text.

    tmux gets it twice: for itself (`set-clipboard on`) and for the terminal outside (`allow-passthrough on`).
    """
    data = base64.b64encode(text.encode("utf-8", "replace")).decode()
    if len(data) > LONGEST_COPY:
        return None
    sequence = f"\x1b]52;c;{data}\a"
    itself = sequence if inside is Multiplexer.TMUX else ""
    return itself + wrap_for_multiplexer(sequence, inside)


def open_link(url: str) -> str:
    """Make the sequence that opens a link in the person's browser (iTerm2's OSC 1337, OpenURL)."""
    return f"\x1b]1337;OpenURL=:{base64.b64encode(url.encode('utf-8', 'replace')).decode()}\a"


def takes_clipboard(environ: Mapping[str, str]) -> bool:
    """Return False if the terminal is known not to support OSC 52."""
    if environ.get("TERM") == "dumb" or not terminal_abilities(environ).is_xterm_like:
        return False
    if multiplexer(environ) is not Multiplexer.NONE:
        return True  # other variables describe the terminal in which that was started
    if environ.get("TERM_PROGRAM") == "Apple_Terminal":
        return False
    return not any(
        name in environ and _number(environ[name]) < least for name, least in _FIRST_WITH_CLIPBOARD.items()
    )


_FIRST_WITH_CLIPBOARD = {"VTE_VERSION": 7600, "KONSOLE_VERSION": 241200}
"""The versions before these of VTE (GNOME's terminals) and Konsole don't know OSC 52."""


def send(app: App[Any], data: str) -> None:
    """Write to the terminal after everything painted so far; letters that it can't show are replaced."""
    driver = app._driver
    if not getattr(app, "has_letters", True):
        data = plain_letters(data)
    if driver is not None and data:
        driver.write(data)
        driver.flush()


def _field(words: SafeText, cells: int) -> str:
    return cut(words.text.replace(";", ","), cells)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0

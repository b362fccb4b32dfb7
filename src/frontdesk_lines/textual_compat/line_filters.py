"""Filter all lines below the widgets for terminals that have few signs or no colours, and set the first theme.

Leans on `App._refresh_truecolor_filter` (8.2.8), the one private step of `App._watch_theme`: to set `App.theme`
has every rule parsed and applied again, and at the start nothing is styled yet. The filters lean on no private
name: `DiffingApp.get_line_filters` puts them in the place of Textual's or after them. With NO_COLOR Textual sends
greys, which tell nothing apart; the setting `ascii` also covers Textual's own chrome.

Guarantees that every segment keeps its width, that letters of all scripts stay, and the classes, variables and
filters that `App._watch_theme` would leave.
"""

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor

from frontdesk_lines.content import SafetyFilter

_SIGNS = {
    # Lines.
    "-": "─╌╍┄┅┈┉╴╶–—‐‑‒―−·•∙⋅▔־",
    "=": "━═╺╸▃▄▅",
    "|": "│┆┊▏▎▍▕▐║╵╷¦",
    "#": "┃┏┓┗┛┣┫┳┻╋█▇▆▓▉",
    "+": "▣◆╭╮╰╯┌┐└┘├┤┬┴┼╱╲╳◐◑",
    "_": "▁▂",
    "*": "●★☆▪■✶✱",
    "o": "○◯◦□▫",
    ".": "░▒‧。۔",
    "~": "…≈⇅",
    ">": "→▸▶›▌▋▊»➜↳⏵",
    "<": "←◂◀‹«⏴",
    "^": "↑▴▲△",
    "v": "↓▾▼▽✓✔",
    "x": "✗✘×✕✖",
    "'": "‘’‚′׳´",
    '"': "“”„″״",
    "w": "◷",
    "@": "▤",
    # Punctuation of other scripts and languages.
    "?": "¿؟⸮",
    "!": "¡",
    ",": "،、",
    ";": "؛",
    ":": "׃",
    "/": "÷⁄",
}
_TABLE = {sign: plain[0] for plain, signs in _SIGNS.items() for sign in signs}
_BRACKETS = {"Ps": "(", "Pe": ")", "Pi": '"', "Pf": '"', "Pd": "-"}
_LETTERS = ("L", "M", "N")
"""Unicode categories of text (with `Cf` and currency, `Sc`); all other characters are signs."""


_NO_COLOURS = NoColor()
"""One for all frames: strips cache their filtered form by the filter itself."""


def own_filters(*, ascii_only: bool, has_letters: bool) -> tuple[LineFilter, ...]:
    """Return the filters that all lines pass before they are sent; the safety filter is the last."""
    if not has_letters:
        return PlainFilter(plain_letters), SafetyFilter()
    return (PlainFilter(plain), SafetyFilter()) if ascii_only else (SafetyFilter(),)


def without_colours(filters: Sequence[LineFilter]) -> list[LineFilter]:
    """Remove all colours, instead of Textual's filter for NO_COLOR, which leaves greys."""
    return [*(each for each in filters if not isinstance(each, Monochrome | NoColor)), _NO_COLOURS]


class PlainFilter(LineFilter):
    """Replaces non-ASCII characters before the last filter, each in as many cells.

    Args:
        make_plain: `plain` or `plain_letters`.
    """

    def __init__(self, make_plain: Callable[[str], str]) -> None:
        super().__init__()
        self._make_plain = make_plain

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(self._make_plain(segment.text), segment.style)
            for segment in segments
        ]


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Replace signs by ASCII ones, in as many cells."""
    if text.isascii():
        return text
    return "".join(char if char.isascii() else _plain_sign(char) for char in text)


@lru_cache(maxsize=4096)
def plain_letters(text: str) -> str:
    """Replace signs and letters by ASCII ones, in as many cells; a letter without a counterpart is `?`."""
    return "".join(char if char.isascii() else _plain_letter(char) for char in plain(text))


def _plain_letter(char: str) -> str:
    width = cell_len(char)
    base = unicodedata.normalize("NFKD", char)[:1]
    return base.ljust(width) if width and base.isascii() else "?" * width


def _plain_sign(char: str) -> str:
    category = unicodedata.category(char)
    width = cell_len(char)
    if (sign := _TABLE.get(char) or _BRACKETS.get(category)) is not None:
        return sign.ljust(width)
    if category[0] in _LETTERS or category in ("Cf", "Sc"):
        return char
    alike = unicodedata.normalize("NFKC", char)
    if alike.isascii() and len(alike) <= width:
        return alike.ljust(width)
    return (" " if category == "Zs" else "?") * width


def set_first_theme(app: App[Any], name: str) -> None:
    app.set_reactive(App.theme, name)
    theme = app.current_theme
    app.set_class(theme.dark, "-dark-mode")
    app.set_class(not theme.dark, "-light-mode")
    for each_class in tuple(app.classes):
        if each_class.startswith("-theme-"):
            app.remove_class(each_class)
    app.add_class(f"-theme-{theme.name}")
    app.stylesheet.set_variables(app.get_css_variables())
    app._refresh_truecolor_filter(app.ansi_theme)

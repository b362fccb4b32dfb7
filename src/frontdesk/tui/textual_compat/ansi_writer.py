"""Write the cells of a terminal in few bytes, for `screen_buffer`.

Rich resets and restates every attribute and both colours for each segment, about 40 bytes, and a list row has
five. Here each move of the cursor and each change of the style is as short as can be.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.style import Style
from textual.strip import Strip

from frontdesk.text.cell_width import is_disputed

RESET = "\x1b[0m"
_ATTRIBUTES = (
    ("bold", "1", "22"),
    ("dim", "2", "22"),
    ("italic", "3", "23"),
    ("underline", "4", "24"),
    ("blink", "5", "25"),
    ("reverse", "7", "27"),
    ("strike", "9", "29"),
)
PLAIN = Style()
# Colours that every terminal has under a number: the same colour in half the bytes.
_LEVELS = (0, 95, 135, 175, 215, 255)
_INDEXED: dict[tuple[int, int, int], int] = {
    (red, green, blue): 16 + 36 * r + 6 * g + b
    for r, red in enumerate(_LEVELS)
    for g, green in enumerate(_LEVELS)
    for b, blue in enumerate(_LEVELS)
} | {(grey, grey, grey): 232 + step for step, grey in enumerate(range(8, 248, 10))}


def is_special(style: Style) -> bool:
    """Return whether a style has a link or a rare attribute, which Textual renders itself."""
    return bool(style.link or style.underline2 or style.overline or style.conceal or style.frame or style.encircle)


@lru_cache(maxsize=4096)
def style_change(before: Style, after: Style, system: ColorSystem) -> str:
    """Return the sequence that takes a terminal from one style to the other."""
    if before == after:
        return ""
    codes: list[str] = []
    ended = {off for name, _, off in _ATTRIBUTES if getattr(before, name) and not getattr(after, name)}
    codes += sorted(ended)
    # 22 ends both bold and dim, so the other one is set again.
    codes += [
        on for name, on, off in _ATTRIBUTES if getattr(after, name) and (not getattr(before, name) or off in ended)
    ]
    colours = _colour(after, system, foreground=True), _colour(after, system, foreground=False)
    earlier = _colour(before, system, foreground=True), _colour(before, system, foreground=False)
    codes += [new for new, old in zip(colours, earlier, strict=True) if new != old]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def _colour(style: Style, system: ColorSystem, *, foreground: bool) -> str:
    colour = style.color if foreground else style.bgcolor
    if colour is None:
        return "39" if foreground else "49"
    code = _INDEXED.get(colour.triplet) if colour.triplet is not None else None
    if code is not None and system is ColorSystem.TRUECOLOR:
        return f"{38 if foreground else 48};5;{code}"
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground))


@lru_cache(maxsize=4096)
def blank_style(style: Style) -> Style:
    """Return what is seen of a style on a blank: its background, and lines through it."""
    if style.underline or style.strike or style.reverse:
        return style
    return Style(bgcolor=style.bgcolor)


@lru_cache(maxsize=4096)
def shows_blank(style: Style, blank: Style) -> bool:
    """Return whether a blank written in one style looks as it should in another."""
    return style == blank or blank_style(style) == blank


Cell = tuple[str, Style]
"""A grapheme and its style; the second cell of a wide one has no text."""

_BLANKS = re.compile(r" {11,}")
"""So many blanks take more bytes than an erasure and a move of the cursor behind it."""

_ERASED_AT_END = 5
"""More blanks than these take more bytes than an erasure."""

_SHORT_WAY_BACK = 9
"""So many columns back on the next line take fewer bytes than a position."""

_MANY_PIECES = 12
"""With so many pieces it may be shorter to write those of one style together."""


class AnsiWriter:
    """Writes cells in few bytes: each move of the cursor and each change of the style is as short as can be.

    Args:
        width: columns of the terminal.
        erases: whether the terminal erases characters to the current background.
    """

    def __init__(self, console: Console, width: int, *, erases: bool = False) -> None:
        self._console = console
        self._width = width
        self._erases = erases
        self._system = COLOR_SYSTEMS[console.color_system] if console.color_system else ColorSystem.TRUECOLOR
        self._pieces: list[_Piece] = []

    def text(self) -> str:
        """Return everything written, with a reset of the style at the end."""
        text = self._encode(self._pieces)
        if len(self._pieces) < _MANY_PIECES or any(each.style is None for each in self._pieces):
            return text
        # Scrollbars, times and names of one style below each other: setting the cursor is shorter than a style.
        # Lines with disputed words come first, each in its order: a terminal may draw them over what follows.
        styles = dict.fromkeys(each.style for each in self._pieces)
        places = {style: place for place, style in enumerate(styles)}
        by_style = sorted(self._pieces, key=lambda piece: -1 if piece.is_disputed else places[piece.style])
        return min(text, self._encode(by_style), key=len)

    def write(self, y: int, x: int, cells: list[Cell]) -> None:
        """Write the cells of one line from column `x` on."""
        disputed = has_disputed(cells)
        for start, stop, style in _of_one_style(cells):
            text, end = "".join([letter for letter, _ in cells[start:stop]]), x + stop
            # Blanks behind disputed words are the driver's: words that reach into them stay whole.
            if self._erases and not disputed and not (style.underline or style.strike or style.reverse):
                stripped = text.rstrip(" ")
                if (blanks := len(text) - len(stripped)) > _ERASED_AT_END:
                    text, end = f"{stripped}\x1b[{blanks}X", end - blanks
                text = _BLANKS.sub(_erase, text)
            self._pieces.append(_Piece(y, x + start, end, text, style, disputed))

    def write_as_it_is(self, y: int, x: int, strip: Strip) -> None:
        """Write a strip that cells can't hold, such as one with a link, in Textual's own form."""
        self._pieces.append(_Piece(y, x, x, strip.render(self._console), None, False))

    def _encode(self, pieces: Iterable["_Piece"]) -> str:
        parts: list[str] = []
        at: tuple[int, int] | None = None
        style = PLAIN
        for piece in pieces:
            parts.append(_cursor_move(at, piece.y, piece.x))
            if piece.style is None:
                parts.append(RESET if style != PLAIN else "")
                style, at = PLAIN, None
            else:
                parts.append(style_change(style, piece.style, self._system))
                style = piece.style
                # After the last column terminals differ in where the cursor is.
                at = (piece.y, piece.end) if piece.end < self._width else None
            parts.append(piece.text)
        parts.append(RESET if style != PLAIN else "")
        return "".join(parts)


class _Piece(NamedTuple):
    """What is written in one style from one place.

    Attributes:
        x: its first column.
        end: the cursor's column behind it.
        style: None for text that brings its own.
        is_disputed: whether its line has words of disputed width.
    """

    y: int
    x: int
    end: int
    text: str
    style: Style | None
    is_disputed: bool


def _of_one_style(cells: list[Cell]) -> Iterator[tuple[int, int, Style]]:
    """Split cells where their style changes; a blank joins the text before it, or the first text."""
    first = cells[0][1]
    style = next((each for text, each in cells if text != " "), first)
    if not continues(style, *cells[0]):
        style = first
    start = 0
    for at, (text, its_style) in enumerate(cells):
        if its_style is not style and not continues(style, text, its_style):
            yield start, at, style
            start, style = at, its_style
    yield start, len(cells), style


def _erase(blanks: re.Match[str]) -> str:
    count = len(blanks.group())
    return f"\x1b[{count}X\x1b[{count}C"


def _cursor_move(at: tuple[int, int] | None, y: int, x: int) -> str:
    """Return the shortest sequence that sets the cursor, from where it is known to be."""
    if at == (y, x):
        return ""
    if at is not None and at[0] == y and x > at[1]:
        steps = x - at[1]
        return f"\x1b[{steps}C" if steps > 1 else "\x1b[C"
    if at is not None and at[0] == y - 1 and 0 <= (back := at[1] - x) <= _SHORT_WAY_BACK:
        return "\x1b[B" + ("", "\x1b[D")[back] if back < 2 else f"\x1b[B\x1b[{back}D"
    return f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"


def continues(style: Style, text: str, its_style: Style) -> bool:
    """Return whether a cell is written in the style before it."""
    return its_style == style or (text == " " and shows_blank(style, its_style))


def has_disputed(cells: list[Cell]) -> bool:
    """Return whether terminals may draw some of these cells in another width."""
    return is_disputed("".join([text for text, _ in cells]))

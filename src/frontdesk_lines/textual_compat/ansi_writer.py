"""Write the cells of a terminal in few bytes, for `screen_buffer`.

Rich resets and restates every attribute and both colours for each segment, about 40 bytes, and a list row has
five. Here each move of the cursor and each change of the style is as short as can be.
"""

import curses
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.style import Style
from textual.strip import Strip

from frontdesk_lines.cell_width import is_disputed

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
def seen_style(style: Style) -> Style:
    """Return what is seen of a style: not the offsets by which Textual selects text, which change with a text."""
    return _shared(style.clear_meta_and_links() if style.meta and not style.link else style)


@lru_cache(maxsize=4096)
def _shared(style: Style) -> Style:
    """Return the same object for equal styles, which cells are compared by."""
    return style


@lru_cache(maxsize=4096)
def blank_style(style: Style) -> Style:
    """Return what is seen of a style on a blank: its background, and lines through it."""
    if style.underline or style.strike or style.reverse:
        return style
    return _shared(Style(bgcolor=style.bgcolor))


@lru_cache(maxsize=4096)
def shows_blank(style: Style, blank: Style) -> bool:
    """Return whether a blank written in one style looks as it should in another."""
    return style == blank or blank_style(style) == blank


@lru_cache(maxsize=1)
def erases_in_colour() -> bool:
    """Return whether terminfo says that the terminal erases characters (ECH) to the current background."""
    try:
        curses.setupterm(fd=1)
    except curses.error:
        return False
    return curses.tigetflag("bce") == 1 and curses.tigetstr("ech") is not None


Cell = tuple[str, Style]
"""A grapheme and its style; the second cell of a wide one has no text."""

_BLANKS = re.compile(r" {11,}")
"""Matches blanks that take more bytes than an erasure and a move of the cursor past it."""

_ERASED_AT_END = 4
"""More blanks than these take more bytes than an erasure."""

_MANY_PIECES = 12
"""From this number of pieces on it may be shorter to write those of one style together."""


class AnsiWriter:
    """Writes cells in few bytes: each move of the cursor and each change of the style is as short as can be.

    Args:
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
        return min(text, self._encode(self._by_style()), key=len)

    def _by_style(self) -> list["_Piece"]:
        """Sort the pieces by style, as the cursor is set in fewer bytes than a style; a blank joins any style.

        Disputed words come first, in their order: a terminal may draw them over what follows.
        """
        seen = [each.style for each in self._pieces if each.style and not each.is_disputed and not each.is_blank]
        left, styles = dict.fromkeys(seen), [PLAIN]
        while left:
            styles.append(min(left, key=lambda each: len(style_change(styles[-1], each, self._system))))
            del left[styles[-1]]
        places = {style: place for place, style in enumerate(styles)}

        def place(piece: _Piece) -> int:
            style = piece.style or PLAIN
            if piece.is_disputed:
                return -1
            fitting = (at for each, at in places.items() if piece.is_blank and shows_blank(each, style))
            return next(fitting, places.get(style, len(places)))

        return sorted(self._pieces, key=place)

    def write(self, y: int, x: int, cells: list[Cell], shown: list[Cell] | None = None) -> None:
        """Write the cells of one line from column `x` on.

        Args:
            shown: the cells that the terminal shows there; None if they are unknown.
        """
        for start, stop, style in _of_one_style(cells):
            text, end = "".join([letter for letter, _ in cells[start:stop]]), x + stop
            disputed, is_blank = is_disputed(text), not text.strip(" ")
            spare = 0
            if shown is not None and not disputed and not is_blank:
                spare = _spare_cells(cells[start:stop], shown[start:stop])
            # The driver handles blanks after disputed words: words that reach into them stay whole.
            if self._erases and not disputed and not (style.underline or style.strike or style.reverse):
                stripped = text.rstrip(" ")
                if (blanks := len(text) - len(stripped)) > _ERASED_AT_END:
                    text, end, spare = f"{stripped}\x1b[{blanks}X", end - blanks, 0
                text = _BLANKS.sub(_erase, text)
            self._pieces.append(_Piece(y, x + start, end, text, style, disputed, is_blank, spare))

    def write_as_it_is(self, y: int, x: int, strip: Strip) -> None:
        """Write a strip that cells can't hold, such as one with a link, in Textual's own form."""
        self._pieces.append(_Piece(y, x, x, strip.render(self._console), None))

    def _encode(self, pieces: Sequence["_Piece"]) -> str:
        parts: list[str] = []
        at: tuple[int, int] | None = None
        style = PLAIN
        for piece, following in zip_longest(pieces, pieces[1:]):
            parts.append(_cursor_move(at, piece.y, piece.x))
            if piece.style is None:
                parts.append(RESET if style != PLAIN else "")
                style, at = PLAIN, None
                parts.append(piece.text)
                continue
            if not piece.is_blank or not shows_blank(style, piece.style):
                parts.append(style_change(style, piece.style, self._system))
                style = piece.style
            text, end = piece.text, piece.end
            if piece.spare and (following is None or (following.y, following.x) != (piece.y, end)):
                text, end = text[: -piece.spare], end - piece.spare
            parts.append(text)
            # After the last column terminals differ in where the cursor is.
            at = (piece.y, end) if end < self._width else None
        parts.append(RESET if style != PLAIN else "")
        return "".join(parts)


class _Piece(NamedTuple):
    """A text that is written in one style from one place.

    Attributes:
        x: its first column.
        end: the cursor's column after it.
        style: None for text that brings its own.
        is_disputed: whether it has words of disputed width.
        is_blank: whether nothing but its background is seen.
        spare: the number of letters at its end that are on the screen already.
    """

    y: int
    x: int
    end: int
    text: str
    style: Style | None
    is_disputed: bool = False
    is_blank: bool = False
    spare: int = 0


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


def _spare_cells(cells: Sequence[Cell], shown: Sequence[Cell]) -> int:
    """Return how many cells at the end are shown already, as letters of one byte."""
    count = 0
    for cell, before in zip(reversed(cells), reversed(shown), strict=True):
        if not (cell[0].isascii() and cell[0]) or (cell is not before and cell != before):
            break
        count += 1
    return count if count < len(cells) else 0


def _cursor_move(at: tuple[int, int] | None, y: int, x: int) -> str:
    """Return the shortest sequence that sets the cursor, from its known place or from anywhere."""
    if at == (y, x):
        return ""
    position = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H"
    if at is None:
        return position
    return min(_line_move(y - at[0], y) + _column_move(x - at[1], x), position, key=len)


def _line_move(lines: int, y: int) -> str:
    if not lines:
        return ""
    # No backspace and no two-character escapes, though shorter: only others' text would hold them.
    if abs(lines) == 1:
        return "\x1b[B" if lines > 0 else "\x1b[A"
    return min(f"\x1b[{lines}B" if lines > 0 else f"\x1b[{-lines}A", f"\x1b[{y + 1}d", key=len)


def _column_move(columns: int, x: int) -> str:
    if not columns:
        return ""
    if not x:
        return "\r"
    if abs(columns) == 1:
        return "\x1b[C" if columns > 0 else "\x1b[D"
    return min(f"\x1b[{columns}C" if columns > 0 else f"\x1b[{-columns}D", f"\x1b[{x + 1}G", key=len)


def continues(style: Style, text: str, its_style: Style) -> bool:
    """Return whether a cell is written in the style before it."""
    return its_style is style or (text == " " and shows_blank(style, its_style))


def has_disputed(cells: list[Cell]) -> bool:
    """Return whether terminals may draw some of these cells in another width."""
    return is_disputed("".join([text for text, _ in cells]))

"""Curves in the cells of a terminal, drawn by plotext and converted to lines with roles.

None of the library's colour codes reaches a widget: each colour stands for a role.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from frontdesk_lines.display_text import SafeText
from frontdesk_lines.glyphs import ASCII, Glyphs
from frontdesk_lines.lines import Line, Role, Span, span

CURVE_ROLES = (Role.ACCENT, Role.WARN, Role.GOOD, Role.BOT, Role.AGENT, Role.STRONG)
"""How the curves look; each one also has its letter, for colour never carries meaning alone."""

LETTERS = "ABCDEF"
MIN_WIDTH, MIN_HEIGHT = 24, 5
LINE_EVERY = 3
"""The upright line has a sign in each of so many rows: a whole one costs three times the bytes to move."""

_TICK_CELLS = 14
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(_MINUTE * each for each in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * each for each in (1, 2, 4, 8, 12)),
    *(_DAY * each for each in (1, 2, 7)),
)
_COLOUR = re.compile("\x1b\\[([0-9;]*)m")
_PLAIN_FRAME = str.maketrans("┌┐└┘├┤┬┴┼─│", "+++++++++-|")

Part = Sequence[tuple[float, float]]
Cell = tuple[str, Role]


def bar(filled: int, cells: int, role: Role, glyphs: Glyphs) -> tuple[Span, Span]:
    """Return a horizontal bar of which so many cells are filled."""
    return span(glyphs.full * filled, role), span(glyphs.empty * (cells - filled), Role.RULE)


@dataclass(frozen=True, slots=True)
class Curve:
    """One campaign's curve: its letter's index, and its points in parts without a hole."""

    index: int
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Picture:
    """Curves as cells.

    Attributes:
        left: the column of time 0.
        columns: from time 0 to the end.
        lines: above the axis.
    """

    cells: tuple[tuple[Cell, ...], ...]
    left: int
    columns: int
    lines: int

    def at(self, share: float, sign: str) -> list[Line]:
        """Return the picture with a vertical line at a time, as a share of the whole."""
        column = self.left + round(max(0.0, min(1.0, share)) * (self.columns - 1))
        found: list[Line] = []
        for y, row in enumerate(self.cells):
            cells = list(row)
            if y < self.lines and y % LINE_EVERY == 0 and column < len(cells) and cells[column][0] == " ":
                cells[column] = (sign, Role.DIM)
            found.append(_as_line(cells))
        return found


def draw(
    curves: Sequence[Curve],
    until: float,
    most: float,
    width: int,
    height: int,
    glyphs: Glyphs,
    value: Callable[[float], str],
) -> Picture | None:
    """Draw the curves with axes in exactly these cells; None where there is no room.

    Args:
        until: seconds at the right edge.
        most: the value at the upper edge.
        value: formats a value for the axis, in ASCII.
    """
    if width < MIN_WIDTH or height < MIN_HEIGHT or until <= 0 or most <= 0:
        return None
    import plotext  # a fifteenth of a second, and only who compares needs it

    is_plain = glyphs is ASCII
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limit_size(False, False)  # else it asks how large the terminal is
    plotext.plotsize(width, height)
    plotext.xaxes(True, False)
    plotext.yaxes(True, False)
    plotext.xlim(0, until)
    plotext.ylim(0, most)
    for curve in curves:
        marker = LETTERS[curve.index].lower() if is_plain else "braille"
        for part in curve.parts:
            # The library would walk every step of a line that leads far out of the picture.
            inside = [(at, max(0.0, min(most, height))) for at, height in part if 0 <= at <= until]
            if inside:
                plotext.plot(*map(list, zip(*inside, strict=True)), marker=marker, color=curve.index + 1)
    heights = [0.0, most / 2, most]
    plotext.yticks(heights, [value(each) for each in heights])
    times = list(_ticks(until, width))
    plotext.xticks(times, [_length(each) for each in times])
    rows = [list(_cells(text)) for text in plotext.build().rstrip("\n").split("\n")]
    plotext.clear_figure()
    rows = [(row + [(" ", Role.TEXT)] * width)[:width] for row in rows[:height]]
    left = _axis(rows)
    lines = max(0, len(rows) - 2)
    _put_letters(rows, curves, until, most, left, lines)
    if is_plain:
        rows = [[(sign.translate(_PLAIN_FRAME), role) for sign, role in row] for row in rows]
    return Picture(tuple(map(tuple, rows)), left, width - left, lines)


def _cells(text: str) -> Iterator[Cell]:
    role = Role.DIM
    for index, piece in enumerate(_COLOUR.split(text)):
        if index % 2:
            colour = piece.rpartition(";")[2] if piece.startswith("38;5;") else ""
            known = colour.isdecimal() and 0 < int(colour) <= len(CURVE_ROLES)
            role = CURVE_ROLES[int(colour) - 1] if known else Role.DIM
        else:
            # What is no letter of ours, no braille and no frame would be something that nobody expects.
            yield from (((sign if sign.isprintable() else " "), role) for sign in piece)


def _axis(rows: Sequence[Sequence[Cell]]) -> int:
    signs = [sign for sign, _ in rows[0]]
    return next((x + 1 for x, sign in enumerate(signs) if sign in "┤│├"), 0)


def _put_letters(
    rows: list[list[Cell]], curves: Sequence[Curve], until: float, most: float, left: int, lines: int
) -> None:
    """Draw each curve's letter at its end; of two in one cell the later one goes above."""
    taken: set[tuple[int, int]] = set()
    columns = len(rows[0]) - left if rows else 0
    for curve in curves:
        if not curve.parts or lines < 1:
            continue
        at, height = curve.parts[-1][-1]
        x = left + round(max(0.0, min(1.0, at / until)) * (columns - 1))
        y = round((1 - max(0.0, min(1.0, height / most))) * (lines - 1))
        while (y, x) in taken and y > 0:
            y -= 1
        while (y, x) in taken and x > left:
            x -= 1
        taken.add((y, x))
        rows[y][x] = (LETTERS[curve.index], CURVE_ROLES[curve.index])


def _ticks(until: float, width: int) -> Iterator[float]:
    room = max(2, width // _TICK_CELLS)
    step = next((each for each in _STEPS if until / each <= room), until / room)
    index = 0
    while index * step <= until:
        yield index * step
        index += 1


def _length(seconds: float) -> str:
    """Return a time since the start: `30s`, `5m`, `1h30`, `2d`."""
    if seconds < 60:
        return f"{seconds:.0f}s" if seconds else "0"
    if seconds < 3_600:
        whole, rest = divmod(round(seconds), 60)
        return f"{whole}m{rest:02}" if rest else f"{whole}m"
    if seconds < 172_800:
        whole, rest = divmod(round(seconds / 60), 60)
        return f"{whole}h{rest:02}" if rest else f"{whole}h"
    return f"{seconds / 86_400:.0f}d"


def _as_line(cells: Sequence[Cell]) -> Line:
    return tuple(
        Span(SafeText("".join(sign for sign, _ in run)), role)
        for role, run in groupby(cells, key=lambda cell: cell[1])
    )

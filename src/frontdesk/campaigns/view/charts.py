"""Bars, and curves in braille with their axes, as lines with roles."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
_FRAME, _PLAIN_FRAME = tuple("│┤└─┬"), tuple("|++-+")
"""The upright axis, a value at it, the corner, the axis of time and a time at it."""

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille sign's dots by row and column."""


Part = Sequence[tuple[float, float]]
Cell = tuple[str, Role]


def bar(filled: int, cells: int, role: Role, glyphs: Glyphs) -> tuple[Span, Span]:
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
        column = self.left + _step(share, self.columns)
        found: list[Line] = []
        for y, row in enumerate(self.cells):
            cells = list(row)
            if y < self.lines and y % LINE_EVERY == 0 and column < len(cells) and cells[column][0] == " ":
                cells[column] = (sign, Role.DIM)
            found.append(_as_line(cells))
        return found

    def marked(self, shares: Iterable[float], sign: str) -> list[Line]:
        """Return the lines with a sign at each of these times, shares of the whole, on the axis of time."""
        rows = [list(row) for row in self.cells]
        for share in shares:
            rows[self.lines][self.left + _step(share, self.columns)] = (sign, Role.BAD)
        return [*map(_as_line, rows)]


def draw(
    curves: Sequence[Curve],
    until: float,
    most: float,
    width: int,
    height: int,
    glyphs: Glyphs,
    value: Callable[[float], str],
    moment: Callable[[float], str] | None = None,
) -> Picture | None:
    """Draw the curves with axes in exactly these cells; None where there is no room.

    Args:
        until: seconds at the right edge.
        most: the value at the upper edge.
        value: formats a value for the axis, in ASCII.
        moment: formats seconds for the axis of time; None: as the time since the start. A single curve that has
            its own times has no letter.
    """
    if width < MIN_WIDTH or height < MIN_HEIGHT or until <= 0 or most <= 0:
        return None
    labels = [value(each) for each in (most, most / 2, 0.0)]
    left, lines = max(map(len, labels)) + 1, height - 2
    columns, is_plain = width - left, glyphs is ASCII
    across, up = (1, 1) if is_plain else (2, 4)
    rows = _axes(labels, until, left, columns, lines, _PLAIN_FRAME if is_plain else _FRAME, moment or _length)
    dots: Counter[tuple[int, int]] = Counter()
    ends: dict[int, tuple[int, int]] = {}
    for curve in curves:
        for x, y in _trace(curve, until, most, columns * across, lines * up):
            row, column = ends[curve.index] = y // up, left + x // across
            dots[row, column] |= _DOTS[y % 4][x % 2]
            sign = LETTERS[curve.index].lower() if is_plain else chr(_BRAILLE + dots[row, column])
            rows[row][column] = (sign, CURVE_ROLES[curve.index])
    if moment is None:
        _put_letters(rows, ends, left)
    return Picture(tuple(map(tuple, rows)), left, columns, lines)


def _step(share: float, steps: int) -> int:
    """Return which of so many steps is nearest to a share of the whole."""
    return round(max(0.0, min(1.0, share)) * (steps - 1))


def _trace(curve: Curve, until: float, most: float, columns: int, lines: int) -> Iterator[tuple[int, int]]:
    """Return the dots of a curve by column and line: its points, and straight lines from one to the next."""
    for part in curve.parts:
        before = None
        for at, height in part:
            if 0 <= at <= until:
                x, y = _step(at / until, columns), _step(1 - height / most, lines)
                from_x, from_y = before or (x, y)
                steps = max(1, abs(x - from_x), abs(y - from_y))
                for step in range(1, steps + 1):
                    yield from_x + round((x - from_x) * step / steps), from_y + round((y - from_y) * step / steps)
                before = x, y


def _axes(
    labels: Sequence[str],
    until: float,
    left: int,
    columns: int,
    lines: int,
    frame: Sequence[str],
    moment: Callable[[float], str],
) -> list[list[Cell]]:
    side, mark, corner, rule, notch = frame
    rows = [" " * (left - 1) + side + " " * columns for _ in range(lines)]
    for share, label in zip((0.0, 0.5, 1.0), labels, strict=True):
        rows[_step(share, lines)] = label.rjust(left - 1) + mark + " " * columns
    axis, times = list(" " * (left - 1) + corner + rule * columns), list(" " * (left + columns))
    for at in _ticks(until, left + columns):
        column, words = left + _step(at / until, columns), moment(at)
        start = min(column - len(words) // 2, len(times) - len(words))
        axis[column], times[start : start + len(words)] = notch, words
    return [[(sign, Role.DIM) for sign in row] for row in (*rows, axis, times)]


def _put_letters(rows: list[list[Cell]], ends: Mapping[int, tuple[int, int]], left: int) -> None:
    """Draw each curve's letter at its end; of two in one cell the later one goes above."""
    taken: set[tuple[int, int]] = set()
    for index, (y, x) in ends.items():
        while (y, x) in taken and y > 0:
            y -= 1
        while (y, x) in taken and x > left:
            x -= 1
        taken.add((y, x))
        rows[y][x] = (LETTERS[index], CURVE_ROLES[index])


def count_label(value: float) -> str:
    """Format a count for an axis: `850`, `12,000`, `1.5M`."""
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def round_up(value: float) -> float:
    """Return the next number of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten."""
    power = (
        10.0 ** (len(f"{value:.0f}") - 1)
        if value >= 1
        else 10.0 ** -next((each for each in range(1, 12) if value * 10**each >= 1), 12)
    )
    return next((each * power for each in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if each * power >= value), 10 * power)


_SPANS = (60, 120, 300, 600, 900, 1_200, 1_800, 2_700, 3_600, 5_400, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200)


def round_span(seconds: float) -> float:
    """Return the next round time, for an axis that is drawn anew seldom."""
    found = next((float(each) for each in _SPANS if each >= seconds), None)
    return found or 86_400.0 * (int(seconds // 86_400) + (seconds % 86_400 > 0))


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

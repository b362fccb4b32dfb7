"""Turn each of Textual's updates into the cells that differ from what the terminal shows, in few bytes.

Leans on `textual._compositor.CompositorUpdate`, `LayoutUpdate` (`strips`, `region`) and `ChopsUpdate` (`chops`,
`chop_ends`, `spans`) (8.2.8). Textual repaints regions, and at the start, after a dialog or with a new title
whole panes, most of whose cells stand there already. Rich resets and restates every attribute and both colours
for each segment, about 40 bytes, and a list row has five.

Guarantees the cells and styles that the update itself would leave. An update of an unknown kind is answered with
None, and everything is sent again behind it.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
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


Cell = tuple[str, Style]
"""A grapheme and its style; the second cell of a wide one has no text."""

_UNKNOWN: Cell = ("\0", PLAIN)
"""A cell of unknown contents; equal to no cell of a strip."""

_SPILL = 8
"""Cells after words of disputed width that a terminal may have overdrawn, and that are written again."""

_SHORT_GAP = 4
"""A gap of so many equal cells is written again: moving the cursor costs as many bytes."""


class Sequences(CompositorUpdate):
    """An update that was converted to escape sequences."""

    def __init__(self, text: str) -> None:
        self._text = text

    def render_segments(self, console: Console) -> str:  # noqa: ARG002
        return self._text


class ScreenBuffer:
    """The cells of one terminal; an update that was converted counts as shown."""

    def __init__(self) -> None:
        self._size = Size(0, 0)
        self._rows: list[list[Cell]] = []

    def forget(self) -> None:
        """Send every cell again: something else may have been drawn on the terminal."""
        self._size = Size(0, 0)

    def difference(self, update: CompositorUpdate, size: Size, console: Console) -> str | None:
        """Return the sequences that bring the terminal from its present cells to this update.

        Empty where nothing differs, None for an update of an unknown kind.
        """
        if size != self._size:
            self._size = size
            self._rows = [[_UNKNOWN] * size.width for _ in range(size.height)]
        strips = _strips(update)
        if strips is None:
            self.forget()
            return None
        writer = AnsiWriter(console, size.width)
        for y, x, strip in strips:
            if 0 <= y < size.height:
                self._write_strip(y, x, strip, writer)
        return writer.text()

    def _write_strip(self, y: int, x: int, strip: Strip, writer: "AnsiWriter") -> None:
        row = self._rows[y]
        cells = _cells(strip)
        if cells is None or x + len(cells) > len(row):
            writer.write_as_it_is(y, x, strip)
            end = min(len(row), x + strip.cell_length)
            row[x:end] = [_UNKNOWN] * (end - x)
            return
        end = x + len(cells)
        before = row[x:end]
        if before == cells:
            return
        row[x:end] = cells
        if _UNKNOWN in before:
            writer.write(y, x, cells)
            return
        runs = _runs(before, cells)
        if _is_disputed(before) or _is_disputed(cells):
            runs = _extend_to_phrases(runs, before, cells)
        for start, stop in runs:
            writer.write(y, x + start, cells[start:stop])


class AnsiWriter:
    """Writes cells in few bytes by tracking the cursor and the current style."""

    def __init__(self, console: Console, width: int) -> None:
        self._console = console
        self._width = width
        self._system = COLOR_SYSTEMS[console.color_system] if console.color_system else ColorSystem.TRUECOLOR
        self._parts: list[str] = []
        self._at: tuple[int, int] | None = None
        self._style = PLAIN

    def text(self) -> str:
        """Return everything written, with a reset of the style at the end."""
        if self._style != PLAIN:
            self._parts.append(RESET)
            self._style = PLAIN
        return "".join(self._parts)

    def write(self, y: int, x: int, cells: list[Cell]) -> None:
        self._move_cursor(y, x)
        text, style = "", cells[0][1]
        for letter, its_style in cells:
            if its_style is not style and its_style != style:
                self._write_styled(text, style)
                text, style = "", its_style
            text += letter
        self._write_styled(text, style)
        # After the last column terminals differ in where the cursor is.
        self._at = (y, x + len(cells)) if x + len(cells) < self._width else None

    def write_as_it_is(self, y: int, x: int, strip: Strip) -> None:
        """Write a strip that cells can't hold, such as one with a link, in Textual's own form."""
        self._move_cursor(y, x)
        if self._style != PLAIN:
            self._parts.append(RESET)
            self._style = PLAIN
        self._parts.append(strip.render(self._console))
        self._at = None

    def _write_styled(self, text: str, style: Style) -> None:
        self._parts.append(style_change(self._style, style, self._system) + text)
        self._style = style

    def _move_cursor(self, y: int, x: int) -> None:
        if self._at is not None and self._at[0] == y and x >= self._at[1]:
            steps = x - self._at[1]
            if steps:
                self._parts.append(f"\x1b[{steps}C" if steps > 1 else "\x1b[C")
        else:
            self._parts.append(f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H")


def _strips(update: CompositorUpdate) -> Iterable[tuple[int, int, Strip]] | None:
    if isinstance(update, LayoutUpdate):
        return _layout_strips(update)
    if isinstance(update, ChopsUpdate):
        return _chops_strips(update)
    return None


def _layout_strips(update: LayoutUpdate) -> Iterator[tuple[int, int, Strip]]:
    for y, line in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in line:
            yield y, x, strip
            x += strip.cell_length


def _chops_strips(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    for y, x1, x2 in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x <= x2 and end > x1:
                yield y, x, strip if end <= x2 else strip.crop(0, x2 - x)


def _cells(strip: Strip) -> list[Cell] | None:
    """Split a strip into cells; None where cells can't hold it or its width is wrong."""
    cells: list[Cell] = []
    for text, style, control in strip:
        if control or (style is not None and is_special(style)):
            return None
        look = PLAIN if style is None else style
        if text.isascii():
            cells += [(letter, look) for letter in text]
            continue
        for start, stop, width in split_graphemes(text)[0]:
            if width:
                cells.append((text[start:stop], look))
                cells += [("", look)] * (width - 1)
            elif cells:
                cells[-1] = (cells[-1][0] + text[start:stop], cells[-1][1])
    return cells if len(cells) == strip.cell_length else None


def _runs(before: list[Cell], after: list[Cell]) -> Iterator[tuple[int, int]]:
    """Find the runs of cells that differ, with short gaps of one style filled."""
    start = stop = -1
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is new or old == new:
            continue
        if at < stop:
            continue  # the rest of a wide grapheme that is written already
        if start < 0:
            start = at
        elif at - stop > _SHORT_GAP or any(
            not text.isascii() or not text or style != after[stop - 1][1] for text, style in after[stop:at]
        ):
            yield start, stop
            start = at
        stop = at + 1
        while stop < len(after) and not after[stop][0]:
            stop += 1  # the rest of a wide grapheme
    if start >= 0:
        yield start, stop


def _extend_to_phrases(
    runs: Iterable[tuple[int, int]], before: list[Cell], after: list[Cell]
) -> Iterator[tuple[int, int]]:
    """Extend the runs so that words of disputed width are written as a whole.

    The driver positions such words with the text after them (`driver`): where the terminal draws them wider, that
    text isn't in the expected cell.
    """
    phrases = [*_disputed_phrases(before), *_disputed_phrases(after)]
    last = -1
    for start, stop in runs:
        grown = True
        while grown:  # one that is taken in may reach into another
            grown = False
            for first, end in phrases:
                if first < stop and end > start and (first < start or end > stop):
                    start, stop, grown = min(start, first), max(stop, end), True
        if stop > last:
            yield max(start, last), stop
            last = stop


def _is_disputed(cells: list[Cell]) -> bool:
    return is_disputed("".join([text for text, _ in cells]))


def _disputed_phrases(cells: list[Cell]) -> Iterator[tuple[int, int]]:
    """Find words of one style with single blanks between them, and the blanks after: see `driver`."""
    at, end = 0, len(cells)
    while at < end:
        start, style, disputed = at, cells[at][1], False
        blanks = 0
        while at < end and cells[at][1] == style and (blanks < 2 or cells[at][0] == " "):
            text = cells[at][0]
            blanks = blanks + 1 if text == " " else 0
            disputed = disputed or is_disputed(text)
            at += 1
        if disputed:
            behind = min(end, max(at, at - blanks + _SPILL))
            while behind < end and not cells[behind][0]:
                behind += 1  # the rest of a wide grapheme
            yield start, behind

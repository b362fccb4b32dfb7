"""Turn each of Textual's updates into the cells that differ from what the terminal shows, in few bytes.

Leans on `textual._compositor.CompositorUpdate`, `LayoutUpdate` (`strips`, `region`) and `ChopsUpdate` (`chops`,
`chop_ends`, `spans`) (8.2.8). Textual repaints regions, and at the start, after a dialog or with a new title
whole panes, most of whose cells are shown already.

Guarantees the characters and colours that the update itself would leave; a blank keeps only what is seen of its
style. An update of an unknown kind is answered with None, and everything is sent again after it.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from rich.cells import split_graphemes
from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

from frontdesk_lines.cell_width import is_disputed
from frontdesk_lines.textual_compat.ansi_writer import (
    PLAIN,
    AnsiWriter,
    Cell,
    blank_style,
    continues,
    has_disputed,
    is_special,
    seen_style,
)

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
    """The cells of one terminal; an update that was converted counts as shown.

    Args:
        erases: whether the terminal erases characters to the current background.
    """

    def __init__(self, *, erases: bool = False) -> None:
        self._erases = erases
        self._size = Size(0, 0)
        self._rows: list[list[Cell]] = []

    def forget(self) -> None:
        """Send every cell again: something else may have been drawn on the terminal."""
        self._size = Size(0, 0)

    def difference(self, update: CompositorUpdate, size: Size, console: Console) -> str | None:
        """Return the sequences that bring the terminal from its present cells to this update.

        They are empty if nothing differs, and None for an update of an unknown kind.
        """
        if size != self._size:
            self._size = size
            self._rows = [[_UNKNOWN] * size.width for _ in range(size.height)]
        strips = _strips(update)
        if strips is None:
            self.forget()
            return None
        writer = AnsiWriter(console, size.width, erases=self._erases)
        for y, x, strip in strips:
            if 0 <= y < size.height:
                self._write_strip(y, x, strip, writer)
        return writer.text()

    def _write_strip(self, y: int, x: int, strip: Strip, writer: AnsiWriter) -> None:
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
        if has_disputed(before) or has_disputed(cells):
            for start, stop in _extend_to_phrases(runs, before, cells):
                writer.write(y, x + start, cells[start:stop])
        else:
            for start, stop in runs:
                writer.write(y, x + start, cells[start:stop], before[start:stop])


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
    """Split a strip into cells, or return None if cells can't hold it or its width is wrong."""
    cells: list[Cell] = []
    for text, style, control in strip:
        if control or (style is not None and is_special(style)):
            return None
        look = seen_style(style or PLAIN)
        ascii_cells = _ascii_cells(look)
        if text.isascii():
            cells += map(ascii_cells.__getitem__, text)
            continue
        for start, stop, width in split_graphemes(text)[0]:
            if width:
                grapheme = text[start:stop]
                cells.append(ascii_cells.get(grapheme) or (grapheme, look))
                cells += [("", look)] * (width - 1)
            elif cells:
                cells[-1] = (cells[-1][0] + text[start:stop], cells[-1][1])
    return cells if len(cells) == strip.cell_length else None


@lru_cache(maxsize=4096)
def _ascii_cells(look: Style) -> dict[str, Cell]:
    """Return the cells of all ASCII characters in one style, the same objects each time: see `_runs`."""
    cells = {letter: (letter, look) for letter in map(chr, range(128))}
    return {**cells, " ": (" ", blank_style(look))}


def _runs(before: list[Cell], after: list[Cell]) -> Iterator[tuple[int, int]]:
    """Find the runs of cells that differ, with short gaps of one style filled."""
    start = stop = -1
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        # Equal styles are one object (`seen_style`): Rich compares others in Python, hundreds of times a key.
        if old is new or (old[1] is new[1] and old[0] == new[0]):
            continue
        if at < stop:
            continue  # the rest of a wide grapheme that is written already
        if start < 0:
            start = at
        elif at - stop > _SHORT_GAP or any(
            not text.isascii() or not text or not continues(after[stop - 1][1], text, style)
            for text, style in after[stop:at]
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

"""Copy a part of shown lines: without signs, in the order in which text is read, and unwrapped. Pure.

`Span.copied` has what differs from the text shown.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import letter_cells, read_cells
from frontdesk_lines.lines import Line


class Cell(NamedTuple):
    """A cell of several lines."""

    x: int
    y: int


class _Run(NamedTuple):
    """Spans that are copied as one: those of one laid-out text, which a search hit may part."""

    start: int
    shown: str
    copied: str | None


def selected_cells(line: Line, start: int, stop: int) -> list[range]:
    """Return which of these cells of a line are copied, without signs and with letters whole."""
    found: list[range] = []
    for run in _runs(line):
        if run.copied == "":
            continue
        kept = [
            range(cell, cell + cell_width(letter))
            for cell, letter in letter_cells(run.shown)
            if start <= run.start + cell < stop
        ]
        if kept:
            cells = range(run.start + kept[0].start, run.start + kept[-1].stop)
            if found and found[-1].stop == cells.start:
                found[-1] = range(found[-1].start, cells.stop)
            else:
                found.append(cells)
    return found


def selected_text(lines: Sequence[Line], first: Cell, end: Cell) -> str:
    """Return the text from a cell up to, not including, another; no line ends with blanks."""
    kept: list[str] = []
    for y in range(first.y, min(end.y, len(lines) - 1) + 1):
        is_last = y == end.y
        text = _part(lines[y], first.x if y == first.y else 0, end.x if is_last else None).rstrip()
        kept.append(text if is_last else text + _joint(lines[y]))
    return "".join(kept).strip("\n")


def _part(line: Line, start: int, stop: int | None) -> str:
    kept: list[str] = []
    for run in _runs(line):
        width = cell_width(run.shown)
        first, last = max(0, start - run.start), width if stop is None else min(width, stop - run.start)
        if first >= last:
            continue
        if run.copied is None:
            kept += [letter for cell, letter in letter_cells(run.shown) if first <= cell < last]
        elif (first, last) == (0, width) or run.shown.isspace():
            kept.append(run.copied)
        else:
            kept.append(read_cells(run.copied, run.shown, first, last))
    return "".join(kept)


def _joint(line: Line) -> str:
    """Return the text between a line and the next one when both are copied."""
    return next((part.copied for part in line if not part.text and part.copied is not None), "\n")


def _runs(line: Line) -> Iterator[_Run]:
    at = 0
    run: _Run | None = None
    for part in line:
        shown, copied = part.text.text, part.copied
        if not shown:
            continue
        if run is not None and copied and copied is run.copied:
            run = run._replace(shown=run.shown + shown)
        else:
            if run is not None:
                yield run
            if copied is None and shown == " " and run is not None and run.copied == "":
                copied = ""  # the blank beside a sign
            run = _Run(at, shown, copied)
        at += cell_width(shown)
    if run is not None:
        yield run

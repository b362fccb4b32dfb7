"""The rows of an exported screen as short SVG: lines and blocks are drawn, so that they join in every font."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from xml.etree import ElementTree

from frontdesk_lines.cell_width import cell_width, graphemes
from snapshots.settled_app import CELL_WIDTH

SVG = "{http://www.w3.org/2000/svg}"
ROW_HEIGHT, FIRST_BASELINE = 24.4, 20.0
"""Of the program's exported screens, in their units."""

LINE_WIDTH, RADIUS = 1.5, 5.0
_MIDDLE, _CENTER = ROW_HEIGHT / 2, CELL_WIDTH / 2
_BLOCKS = {
    "─": (0, _MIDDLE - LINE_WIDTH / 2, CELL_WIDTH, LINE_WIDTH),
    "│": (_CENTER - LINE_WIDTH / 2, 0, LINE_WIDTH, ROW_HEIGHT),
    "▌": (0, 0, CELL_WIDTH / 2, ROW_HEIGHT),
    "▐": (CELL_WIDTH / 2, 0, CELL_WIDTH / 2, ROW_HEIGHT),
    "▏": (0, 0, CELL_WIDTH / 8, ROW_HEIGHT),
}
"""Left, top, width and height in a cell."""

_CORNERS = {"╭": (CELL_WIDTH, ROW_HEIGHT), "╮": (0, ROW_HEIGHT), "╰": (CELL_WIDTH, 0), "╯": (0, 0)}
"""Where the arms of a corner end: a side, and top or bottom."""

_DRAWN = {*_BLOCKS, *_CORNERS}


@dataclass
class Styles:
    """CSS declarations, each with a short class name."""

    _names: dict[str, str] = field(default_factory=dict)

    def name_of(self, declarations: str) -> str:
        return self._names.setdefault(declarations, f"s{len(self._names)}")

    def css(self) -> str:
        return "".join(f".{name}{{{declarations}}}" for declarations, name in self._names.items())


def screen_text(svg: str) -> str:
    """Return the words of an exported screen, a line for each row."""
    lines: dict[str, str] = {}
    for each in _cells(ElementTree.fromstring(svg), "text"):
        lines[each.get("y", "")] = lines.get(each.get("y", ""), "") + (each.text or "")
    return "\n".join(lines.values())


def screen_rows(svg: str, background: str, styles: Styles) -> list[str]:
    """Return the rows of an exported screen; cells that have the background's color are left out."""
    root = ElementTree.fromstring(svg)
    declared = dict(re.findall(r"\.terminal-(r\d+) \{ (.*?) ?\}", root.findtext(f"{SVG}style") or ""))
    rows: dict[int, list[str]] = {}
    for row, fill, left, right in _joined_boxes(root):
        if fill != background:
            rows.setdefault(row, []).append(_box(fill, left, row * ROW_HEIGHT, right - left, ROW_HEIGHT))
    for each in _cells(root, "text"):
        row = round((float(each.get("y", "0")) - FIRST_BASELINE) / ROW_HEIGHT)
        declarations = declared[each.get("class", "").removeprefix("terminal-")]
        drawn = _draw_text(each.text or "", float(each.get("x", "0")), row, declarations, styles)
        rows.setdefault(row, []).extend(drawn)
    return ["".join(rows[row]) for row in sorted(rows)]


def _cells(root: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """Return the boxes, or the texts, of the cells: the last groups hold both, and the texts."""
    return [*root.iter(f"{SVG}g")][-2].iter(f"{SVG}{tag}")


def _joined_boxes(root: ElementTree.Element) -> Iterator[tuple[int, str, float, float]]:
    """Yield row, color, left and right edge of neighbours of one color."""

    def place(each: ElementTree.Element) -> tuple[int, str]:
        return round((float(each.get("y", "0")) - 1.5) / ROW_HEIGHT), each.get("fill", "")

    for (row, fill), neighbours in groupby(_cells(root, "rect"), key=place):
        boxes = [(float(each.get("x", "0")), float(each.get("width", "0"))) for each in neighbours]
        yield row, fill, boxes[0][0], sum(boxes[-1])


def _draw_text(text: str, left: float, row: int, declarations: str, styles: Styles) -> Iterator[str]:
    """Draw words, each emoji by itself: the exporter's `textLength` counts characters, not cells."""
    color = re.findall(r"fill: (#\w+)", declarations)[0]
    for is_emoji, run in groupby(graphemes(text), key=lambda letter: cell_width(letter) > 1):
        for part in run if is_emoji else ["".join(run)]:
            cells = cell_width(part)
            yield from _drawn(part, left, row * ROW_HEIGHT, color)
            words = "".join(" " if letter in _DRAWN else letter for letter in part)
            blanks = len(words) - len(words.lstrip(" "))
            if words.strip(" "):
                name = styles.name_of(declarations.replace(": ", ":"))
                place = f'x="{left + CELL_WIDTH * blanks:g}" y="{row * ROW_HEIGHT + FIRST_BASELINE:g}"'
                width = CELL_WIDTH * (cells - len(words) + len(words.strip(" ")))
                shown = escape(words.strip(" "), False)
                yield f'<text class="{name}" {place} textLength="{width:g}">{shown}</text>'
            left += CELL_WIDTH * cells


def _drawn(text: str, left: float, top: float, color: str) -> Iterator[str]:
    """Draw the lines and blocks of a text; equal horizontal neighbours are one."""
    column = 0
    for letter, run in groupby(text):
        count, at = len([*run]), left + column * CELL_WIDTH
        column += count
        if letter == "─":
            x, y, width, height = _BLOCKS[letter]
            yield _box(color, at + x, top + y, width * count, height)
            continue
        for _ in range(count):
            if letter in _BLOCKS:
                x, y, width, height = _BLOCKS[letter]
                yield _box(color, at + x, top + y, width, height)
            elif letter in _CORNERS:
                yield _corner(color, at, top, *_CORNERS[letter])
            at += CELL_WIDTH


def _box(color: str, left: float, top: float, width: float, height: float) -> str:
    return f'<rect fill="{color}" x="{left:.5g}" y="{top:.5g}" width="{width:.5g}" height="{height:.5g}"/>'


def _corner(color: str, left: float, top: float, side: float, end: float) -> str:
    x, y = left + _CENTER, top + _MIDDLE
    before = x + RADIUS if side else x - RADIUS
    after = y + RADIUS if end else y - RADIUS
    path = f"M{left + side:.5g} {y:.5g}H{before:.5g}Q{x:.5g} {y:.5g} {x:.5g} {after:.5g}V{top + end:.5g}"
    return f'<path fill="none" stroke="{color}" stroke-width="{LINE_WIDTH}" d="{path}"/>'

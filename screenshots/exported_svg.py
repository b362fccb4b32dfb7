"""What is kept of a screen that Textual exports as SVG, so that every viewer paints the same cells."""

import re
from html import unescape

from terminal_rows import CELL_WIDTH

from frontdesk.text.cell_width import cell_width

EVERY_CELL = (
    "rect { shape-rendering: crispEdges }"
    # Browsers read xml:space only on the text itself, other viewers only xml:space.
    " text { direction: ltr; unicode-bidi: bidi-override; white-space: pre }"
)


def simplify_svg(svg: str) -> str:
    """Keep cells as a terminal paints them: no reordering by the viewer, no blanks collapsed, no font fetched.

    What is the same for every cell is said once: half the size, and a change shows what it changes.
    """
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<clipPath id=\"terminal-\d+-line.*?</clipPath>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' clip-path="url\(#terminal-\d+-line-\d+\)"| shape-rendering="crispEdges"', "", svg)
    svg = re.sub(r"<text [^>]*>(?:&#160;)*</text>", "", svg)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1).replace("&#160;", " ")
    svg = re.sub(r'textLength="[\d.]+">([^<]*)</text>', _with_cells, svg)
    svg = svg.replace("</style>", f"{EVERY_CELL}</style>", 1)
    return re.sub(r"terminal-\d+", "terminal", svg)


def _with_cells(found: re.Match[str]) -> str:
    """Return a text with the length of its cells: the exporter counts the characters, several for an emoji."""
    return f'textLength="{CELL_WIDTH * cell_width(unescape(found[1])):.5g}">{found[1]}</text>'

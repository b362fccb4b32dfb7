"""What is around the recorded screen: its window, and below it a caption, the pressed key, time and network."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

from terminal_rows import ROW_HEIGHT

from snapshots.settled_app import CELL_WIDTH

BACKGROUND = "#1c1c1c"
"""The screen's own, in the dark theme."""

EDGE, TITLE_HEIGHT, BAR_HEIGHT = 9.0, 41.0, 84.0
KEY_HEIGHT = 40.0
LETTER_WIDTH = 12.1
"""Of the key's letters, at their size."""

ACCENT, GOOD, BAD, TEXT, DIM = "#87afff", "#87d787", "#ff8787", "#f2f2f2", "#a8a8a8"
CSS = (
    "text{white-space:pre;direction:ltr;unicode-bidi:bidi-override;"
    'font:20px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}'
    "rect{shape-rendering:crispEdges}.round{shape-rendering:auto}"
    ".caption,.title,.clock{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}"
    ".caption{font-size:27px;font-weight:600}.title{font-size:44px;font-weight:600;text-anchor:middle}"
    ".clock{font-size:20px;text-anchor:end}.key{font-size:21px;font-weight:bold}"
)


def view_box(size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Return left, top, width and height of all; the screen's upper left corner is 0, 0."""
    width, height = _extent(size)
    return -EDGE, -TITLE_HEIGHT, width + 2 * EDGE, TITLE_HEIGHT + height + BAR_HEIGHT


def draw_window(size: tuple[int, int]) -> str:
    """Draw the window with the empty screen and the empty bar."""
    width, height = _extent(size)
    left, top, whole_width, whole_height = view_box(size)
    circles = "".join(
        f'<circle cx="{17 + 22 * index}" cy="-20" r="7" fill="{color}"/>'
        for index, color in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<rect class="round" x="{left + 1:g}" y="{top + 1:g}" width="{whole_width - 2:g}"'
        f' height="{whole_height - 2:g}" rx="10" fill="#262626" stroke="#4e4e4e"/>{circles}'
        f'<text class="clock" x="{width / 2:g}" y="-14" fill="{DIM}" style="text-anchor:middle">frontdesk</text>'
        f'<rect x="0" y="0" width="{width:g}" height="{height:g}" fill="{BACKGROUND}"/>'
    )


def draw_bar(
    size: tuple[int, int], caption: str, badge: tuple[str, str] | None, at: datetime, *, is_online: bool
) -> Sequence[str]:
    """Draw the parts of the line below the screen, each of which may stay while another changes."""
    width, height = _extent(size)
    middle = height + BAR_HEIGHT / 2
    drawn = [
        f'<text class="caption" x="16" y="{middle + 9:g}" fill="{TEXT}">{escape(caption, False)}</text>',
        f'<text class="clock" x="{width - 16:g}" y="{middle - 8:g}" fill="{DIM}">{at:%a %H:%M}</text>',
        _draw_network(width - 16, middle + 20, is_online=is_online),
    ]
    if badge is not None:
        drawn.append(_draw_badge(width - 190, middle, *badge))
    return drawn


def draw_title(title: str, size: tuple[int, int]) -> str:
    """Draw large words in the middle of the screen."""
    width, height = _extent(size)
    return f'<text class="title" x="{width / 2:g}" y="{height / 2:g}" fill="{TEXT}">{escape(title, False)}</text>'


def _draw_network(right: float, baseline: float, *, is_online: bool) -> str:
    color, words = (GOOD, "network on") if is_online else (BAD, "network off")
    return f'<text class="clock" x="{right:g}" y="{baseline:g}" fill="{color}">{words}</text>'


def _draw_badge(right: float, middle: float, key: str, words: str) -> str:
    """Draw a key and what it does, to the left of `right`."""
    left = right - KEY_HEIGHT - 12 - LETTER_WIDTH * len(words)
    top = middle - KEY_HEIGHT / 2
    return (
        f'<rect class="round" x="{left:g}" y="{top:g}" width="{KEY_HEIGHT:g}" height="{KEY_HEIGHT:g}" rx="8"'
        f' fill="#303030" stroke="{ACCENT}" stroke-width="1.5"/>'
        f'<text class="key" x="{left + KEY_HEIGHT / 2:g}" y="{middle + 7:g}" fill="{ACCENT}"'
        f' style="text-anchor:middle">{escape(key, False)}</text>'
        f'<text x="{left + KEY_HEIGHT + 12:g}" y="{middle + 7:g}" fill="{TEXT}"'
        f' textLength="{LETTER_WIDTH * len(words):g}">{escape(words, False)}</text>'
    )


def _extent(size: tuple[int, int]) -> tuple[float, float]:
    columns, rows = size
    return columns * CELL_WIDTH, rows * ROW_HEIGHT

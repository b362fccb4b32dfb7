"""HTML pages of reports and of the wallboard: escaping, a page's frame, tables, and pictures as SVG.

No page loads anything or runs a script of its own; the wallboard's script is a file of `frontdesk.web`.
"""

import html
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from frontdesk_lines.display_text import show_label


def escape_html(text: str) -> str:
    """Escape outside text for HTML, between tags or in a quoted attribute; privacy hides nothing in a file."""
    return html.escape(show_label(text, len(text)).text)


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_page(title: str, style: str, body: str, scripts: Sequence[str] = ()) -> str:
    """Return a whole page, which runs no script and loads nothing unless scripts of its own server are named.

    Args:
        style, body: frontdesk's own, in which outside text is escaped.
        scripts: their addresses; then the server's headers say what the page may do.
    """
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    if scripts:
        own = "".join(f'<script src="{each}" defer></script>\n' for each in scripts)
        policy = f'<link rel="icon" href="data:,">\n{own}'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"{policy}"
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_html(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


STYLE = """\
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; }
th, td { padding: 0.25em 0.5em; border-bottom: 1px solid; text-align: start; vertical-align: top; }
tbody th { font-weight: 600; overflow-wrap: anywhere; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { overflow-x: auto; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
"""
"""The style of this module's tables and pictures, for every page."""


def html_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: int = 1,
    caption: str = "",
    bars: Sequence[str] = (),
) -> str:
    """Return a table whose first column names its rows; all texts are escaped here.

    Args:
        words: how many of the columns at the left are words, not numbers.
        bars: a picture for the name of each row.
    """

    def line(cells: Sequence[str], first: str, other: str, bar: str = "") -> str:
        tags = [first, *[other] * (len(cells) - 1)]
        kinds = [tag if at < words else f'{tag} class="number"' for at, tag in enumerate(tags)]
        drawn = (
            f"<{kind}><bdi>{escape_html(cell)}</bdi></{kind[:2]}>" for kind, cell in zip(kinds, cells, strict=True)
        )
        return f"<tr>{''.join(drawn).replace('</bdi>', f'</bdi>{bar}', 1)}</tr>"

    column = 'th scope="col"'
    titled = f"<caption>{escape_html(caption)}</caption>\n" if caption else ""
    named = zip(rows, bars or [""] * len(rows), strict=True)
    body = "\n".join(line(each, 'th scope="row"', "td", bar) for each, bar in named)
    head = line(headings, column, column)
    return f"<table>\n{titled}<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"


class Mark(NamedTuple):
    """A moment in a curve's picture, as a share of its width, with its words."""

    at: float
    words: str


_WIDTH, _HEIGHT, _TOP, _BOTTOM = 640, 140, 18, 20


def curve_svg(
    label: str, values: Sequence[float | None], ends: tuple[str, str], most: str, marks: Sequence[Mark] = ()
) -> str:
    """Return a curve of values at equal distances; an unknown one is a gap with a grey ground.

    Args:
        label: what the picture shows, for those who don't see it.
        ends: the words below its left and right end.
        most: the words of the highest value, which is at the upper edge.
    """
    height, step = _HEIGHT - _TOP - _BOTTOM, _WIDTH / max(1, len(values))
    highest = max((each for each in values if each is not None), default=0.0) or 1.0
    parts = [f'<path d="M0 {_HEIGHT - _BOTTOM}H{_WIDTH}" stroke="currentColor" opacity="0.5"/>']
    at = 0
    for is_known, group in groupby(values, lambda each: each is not None):
        run = list(group)
        if is_known:
            heights = [_TOP + height * (1 - max(0.0, each or 0.0) / highest) for each in run]
            drawn = " ".join(f"{(at + nth + 0.5) * step:.1f},{y:.1f}" for nth, y in enumerate(heights))
            ends_of_run = (
                f"{at * step:.1f},{heights[0]:.1f} {drawn} {(at + len(run)) * step:.1f},{heights[-1]:.1f}"
            )
            parts.append(f'<polyline points="{ends_of_run}" fill="none" stroke="currentColor" stroke-width="2"/>')
        else:
            box = f'x="{at * step:.1f}" y="{_TOP}" width="{len(run) * step:.1f}" height="{height}"'
            parts.append(f'<rect {box} fill="currentColor" opacity="0.12"/>')
        at += len(run)
    for mark in marks:
        x = max(0.0, min(1.0, mark.at)) * _WIDTH
        line = f'd="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#c62828" stroke-width="2" stroke-dasharray="4 3"'
        parts.append(f"<path {line}><title>{escape_html(mark.words)}</title></path>")
        parts.append(f'<text x="{min(x + 3, _WIDTH - 8):.1f}" y="{_TOP + 12}">!</text>')
    parts.append(f'<text x="0" y="12">{escape_html(most)}</text>')
    parts.append(f'<text x="0" y="{_HEIGHT - 4}">{escape_html(ends[0])}</text>')
    parts.append(f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{escape_html(ends[1])}</text>')
    drawn = "\n".join(parts)
    return (
        f'<svg role="img" aria-label="{escape_html(label)}" viewBox="0 0 {_WIDTH} {_HEIGHT}">\n{drawn}\n</svg>\n'
    )


def bar_svg(share: float | None) -> str:
    """Return a bar as long as a share of its width; for the eye alone, since its number is given as text."""
    if share is None:
        return ""
    width = max(0.0, min(1.0, share)) * 100
    return (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="100" height="6" fill="currentColor" opacity="0.12"/>'
        f'<rect width="{width:.1f}" height="6" fill="currentColor" opacity="0.7"/></svg>'
    )

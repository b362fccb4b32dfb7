"""A screen of the program as SVG, cell by cell, once it has settled; for make.py and record.py."""

import re

from textual import constants
from textual.pilot import Pilot

from frontdesk.app.tui_app import FrontdeskApp

FOLLOWS_SECONDS = 0.2
"""Longer than any pause after which a screen follows what is typed."""

EVERY_CELL = "rect { shape-rendering: crispEdges } text { direction: ltr; unicode-bidi: bidi-override }"

# Drawn as for a terminal of all colours, whichever one this runs in.
constants.COLOR_SYSTEM = "truecolor"


async def settled_screen(app: FrontdeskApp, pilot: Pilot[None]) -> str:
    """Return the screen once it stays as it is: what follows a key after a pause is there by then."""
    await pilot.pause(FOLLOWS_SECONDS)
    shown = draw_screen(app)
    while True:
        await pilot.pause(FOLLOWS_SECONDS / 2)
        before, shown = shown, draw_screen(app)
        if shown == before:
            return shown


def draw_screen(app: FrontdeskApp) -> str:
    """Draw cells as a terminal paints them: no reordering by the viewer, no blanks collapsed, no font fetched.

    What is the same for every cell is said once: half the size, and a change shows what it changes.
    """
    svg = app.export_screenshot(title="")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<clipPath id=\"terminal-\d+-line.*?</clipPath>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' clip-path="url\(#terminal-\d+-line-\d+\)"| shape-rendering="crispEdges"', "", svg)
    svg = re.sub(r"<text [^>]*>(?:&#160;)*</text>", "", svg)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1).replace("&#160;", " ")
    svg = svg.replace("</style>", f"{EVERY_CELL}</style>", 1)
    return re.sub(r"terminal-\d+", "terminal", svg)

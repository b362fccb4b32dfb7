"""A screen of the program as SVG, cell by cell, once it has settled; for make.py and record.py."""

from exported_svg import simplify_svg
from textual import constants
from textual.pilot import Pilot

from frontdesk.app.tui_app import FrontdeskApp

FOLLOWS_SECONDS = 0.2
"""Longer than any pause after which a screen follows what is typed."""

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
    return simplify_svg(app.export_screenshot(title=""))

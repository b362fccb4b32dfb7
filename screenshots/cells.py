"""A screen of the program as SVG, cell by cell, once nothing is under way; for make.py and record.py.

Nothing here waits for a time to pass: on a busy machine what follows a key comes later, and is waited for.
"""

import asyncio

from desk import DeskApp
from exported_svg import simplify_svg
from textual import constants
from textual.pilot import Pilot
from work_loop import work_loop

LOOKS_AT_REST = 3
"""So often in a row nothing may be under way: a message may be between two queues."""

LOOK_SECONDS = 0.02

MAX_SETTLE_SECONDS = 300
"""For a screen that never rests, not for a machine that is busy."""

# Drawn as for a terminal of all colours, whichever one this runs in.
constants.COLOR_SYSTEM = "truecolor"


async def settled_screen(app: DeskApp, pilot: Pilot[None]) -> str:
    """Return the screen once nothing is under way."""
    await settle(app, pilot)
    return draw_screen(app)


async def settle(app: DeskApp, pilot: Pilot[None]) -> None:
    """Wait until what a key began has ended: pauses, messages, threads, and what was written has come back.

    Raises:
        TimeoutError: it went on for `MAX_SETTLE_SECONDS`.
    """
    looks = 0
    async with asyncio.timeout(MAX_SETTLE_SECONDS):
        while looks < LOOKS_AT_REST:
            await pilot.pause(0)
            if work_loop().has_work or _has_messages(app):
                looks = 0
                await asyncio.sleep(LOOK_SECONDS)
            else:
                looks = 0 if await app.hear_writes() else looks + 1


def draw_screen(app: DeskApp) -> str:
    return simplify_svg(app.export_screenshot(title=""))


def _has_messages(app: DeskApp) -> bool:
    widgets = (each for screen in app.screen_stack for each in screen.walk_children(with_self=True))
    return any(each.message_queue_size for each in (app, *widgets))

"""What `frontdesk sync` prints about its connection: a line whenever its state or the reason changes."""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable

import apsw

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.time_zone import local_zone
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.sync import status_view
from frontdesk.text.glyphs import glyphs

READ_SECONDS = 2.0
PASSING = (Connection.STARTING, Connection.WAITING, Connection.BUSY)
"""States that soon turn into another one: an answer after all, or none."""


class ConnectionReport:
    """Words for a connection as it changes; a retry alone is no change."""

    def __init__(self) -> None:
        self._printed: tuple[Connection, str] | None = None

    def line(self, health: Health, view: RenderContext) -> str:
        """Return the line to print; empty if nothing has changed."""
        health = status_view.current_health(health, view)
        now = health.state, health.reason
        if health.state in PASSING or now == self._printed:
            return ""
        self._printed = now
        return status_view.sentence(health._replace(late=()), view)


async def report_connection(store: Store, names: Catalogue, print_line: Callable[[str], None]) -> None:
    """Print the connection's changes until this is cancelled, or nobody reads what is printed.

    What an earlier run reported isn't printed.
    """
    report, zone, began = ConnectionReport(), local_zone(), time.time()
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(READ_SECONDS)
            view = RenderContext(names, glyphs(ascii_only=False), time.time(), zone, engine_process=os.getpid())
            with contextlib.suppress(apsw.Error):  # whoever opened the store sees it too
                health = clients.shown_health(store)
                if (store.trouble or (health.heard_at or 0) >= began) and (line := report.line(health, view)):
                    print_line(line)

"""WorkflowLoader: has the engine read a workflow's whole document now, while a person waits for it.

Used before a campaign is checked. What is read lies in the store; this says only whether it was, and why not.
"""

import asyncio
from typing import Any

from textual.screen import Screen

from frontdesk.sync.status_view import SILENT_AFTER_SECONDS
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.lines import Span, span
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.waiting import WaitingDialog
from frontdesk.tui.futures import settled

QUIET_SECONDS = 0.3
"""A read that takes longer is shown."""

POLL_SECONDS = 0.1
"""How often the store is asked whether the read is done."""

MAX_SECONDS = 90.0
"""An answer may take 20 seconds, and two of them are read, perhaps after two of a read that had begun before."""

MAX_SECONDS_WITHOUT_ENGINE = 10.0
"""The engine says every five seconds that it lives, and begins to after the first paint."""


class WorkflowLoader:
    """One read of one workflow by the engine; the progress is shown over `screen`."""

    def __init__(self, screen: Screen[Any], app_context: AppContext, workflow_id: str) -> None:
        self._screen, self._services, self._workflow_id = screen, app_context.services, workflow_id

    async def load(self, name: SafeText) -> str | None:
        """Read it, with a line that says so where it takes a while.

        Args:
            name: the workflow's, for that line.

        Returns:
            Why it couldn't be read, empty where it was; None where a person gave it up, or something else was
            opened over the screen before the line was shown.

        Raises:
            StoreUnusable: the engine can't be asked.
        """
        reading = asyncio.ensure_future(self._read())
        try:
            await asyncio.wait({reading}, timeout=QUIET_SECONDS)
            if not reading.done() and not (self._screen.is_active and await self._wait_for(name, reading)):
                return None
            return await reading
        finally:
            reading.cancel()

    async def _wait_for(self, name: SafeText, reading: "asyncio.Future[str]") -> bool:
        """Show that it is read until it is; False where a person closes that."""
        words = (span("Reading workflow "), Span(name), span(" …"))
        dialog = WaitingDialog(trusted("Check"), words, max_seconds=MAX_SECONDS)
        closed: asyncio.Future[Answered[None] | Closed | None] = asyncio.get_running_loop().create_future()

        def take(answer: Answered[None] | Closed | None) -> None:
            if not closed.done():
                closed.set_result(answer)

        await self._screen.app.push_screen(dialog, take)
        either: set[asyncio.Future[Any]] = {reading, closed}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not closed.done():
            dialog.done(None)
        return isinstance(await closed, Answered)

    async def _read(self) -> str:
        ask_id = await settled(self._services.ask_workflow(self._workflow_id))
        loop = asyncio.get_running_loop()
        begun_at = loop.time()
        while True:
            ask = self._services.queries.ask(ask_id)
            if ask is not None and ask.state != "asked":
                return ask.reason if ask.state == "failed" else ""
            waited = loop.time() - begun_at
            if waited > MAX_SECONDS_WITHOUT_ENGINE and not self._is_engine_alive():
                return "the process that talks to the platform isn't answering"
            if waited > MAX_SECONDS:
                why = self._services.queries.health().reason
                return f"no answer within {MAX_SECONDS:.0f} s" + (f" ({why})" if why else "")
            await asyncio.sleep(POLL_SECONDS)

    def _is_engine_alive(self) -> bool:
        heard_at = self._services.queries.health().heard_at
        return heard_at is not None and abs(self._services.clock() - heard_at) <= SILENT_AFTER_SECONDS

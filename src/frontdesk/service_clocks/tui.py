"""ServiceClockNotices: shows the SLA alerts on the screens."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from textual.app import App

from frontdesk.service_clocks.monitor import ServiceAlerts, claimed
from frontdesk.service_clocks.store import DueClock
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import trusted
from frontdesk_lines.textual_compat import escape_sequences

CHECK_SECONDS = 5.0
TOAST_SECONDS = 20.0


class ServiceClockNotices:
    """The SLA alerts that no other screen has claimed."""

    def __init__(self, app: App[Any], app_context: AppContext, is_focused: Callable[[], bool]):
        self._app, self._app_context, self._is_focused = app, app_context, is_focused
        self._inside = escape_sequences.multiplexer(app_context.environ)
        self._alerts = ServiceAlerts(app_context.store.reading, app_context.store, app_context.outbox)
        self._is_resting = False

    def start(self) -> None:
        """Look from time to time; what came near or passed while the program was closed, too.

        Not at once: clocks of a config that has changed are computed anew after the start.
        """
        if self._app_context.store.settings.sla:
            self._app.set_interval(CHECK_SECONDS, self._check)

    def _check(self) -> None:
        if self._is_resting:
            return
        new = self._alerts.find_new(self._app_context.clock())
        if not new:
            return

        def show_claimed(done: "Future[frozenset[str]]") -> None:
            if done.exception() is None:
                self._show(claimed(new, done.result()))
            else:
                self._alerts.retry(new)

        on_done(self._app, self._alerts.claim(new), show_claimed)

    def _show(self, found: Sequence[DueClock]) -> None:
        if not found:
            return
        # What comes while these are read is told of together after them.
        self._is_resting = True
        self._app.set_timer(TOAST_SECONDS, self._go_on)
        context = self._app_context
        words = self._alerts.words(found, context.view())
        for each in words:
            notify(self._app, each, severity="warning", timeout_seconds=TOAST_SECONDS)
        settings = context.store.settings
        parts = [escape_sequences.BELL] if settings.bell else []
        if settings.notify != "off" and not self._is_focused():
            heading = trusted("frontdesk")
            parts += [
                escape_sequences.notification(settings.notify, heading, each, self._inside) for each in words
            ]
        escape_sequences.send(self._app, "".join(parts))

    def _go_on(self) -> None:
        self._is_resting = False

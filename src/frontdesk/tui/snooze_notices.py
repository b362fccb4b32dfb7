"""SnoozeNotices: has lists show what woke, and says so once a profile, by the screen that claims it first."""

from concurrent.futures import Future
from typing import Any

from textual.app import App

from frontdesk.outbox import snoozes
from frontdesk.outbox.snooze_view import woken_words
from frontdesk.outbox.snoozes import Woken
from frontdesk.storage import change_feed
from frontdesk.storage.records import Event
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk_lines.content import notify

CHECK_SECONDS = 5.0
"""How late a list shows what woke by time."""

TOAST_SECONDS = 15.0

_MAY_WAKE = {change_feed.CONVERSATION, change_feed.EVERYTHING.kind}


class SnoozeNotices:
    """Watches for what wakes by time, or by a message that was stored."""

    def __init__(self, app: App[Any], app_context: AppContext) -> None:
        self._app, self._app_context = app, app_context
        self._is_started = self._is_claiming = False

    def start(self) -> None:
        """Show what woke while the program was closed, and watch from now on."""
        self._is_started = True
        self._check()
        self._app.set_interval(CHECK_SECONDS, self._check)

    def apply_events(self, events: frozenset[Event]) -> None:
        """Look for what the messages of a conversation woke."""
        if self._is_started and any(event.kind in _MAY_WAKE for event in events):
            self._check()

    def _check(self) -> None:
        store = self._app_context.store
        if self._is_claiming or not snoozes.unannounced(store.reading, self._app_context.clock()):
            return
        self._is_claiming = True
        on_done(self._app, snoozes.claim_woken(store), self._claimed)

    def _claimed(self, done: "Future[list[Woken]]") -> None:
        self._is_claiming = False
        if done.exception() is None and (woken := done.result()):
            notify(self._app, woken_words(woken, self._app_context.store.reading), timeout_seconds=TOAST_SECONDS)

"""Notices that nobody asked for: new messages, alerts, mentions, snoozes that ended, due service clocks."""

from collections.abc import Callable
from typing import Any

from textual.app import App

from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.tui import alert_notifier
from frontdesk.campaigns.tui.alert_notifier import AlertNotifier
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.tui.mention_notices import MentionNotices
from frontdesk.inbox.tui.notifier import Notifier
from frontdesk.service_clocks.tui import ServiceClockNotices
from frontdesk.storage.records import Event
from frontdesk.tui.attention_reporter import AttentionReporter
from frontdesk.tui.context import AppContext, StatusPart
from frontdesk.tui.snooze_notices import SnoozeNotices


class Notices:
    """The notices of all features, and their part of the status line.

    Args:
        attention: knows whether the terminal is looked at, and what it shows.
        update_status: called when a part of the status line may have changed.

    Attributes:
        messages: also keeps the terminal's title.
    """

    def __init__(
        self,
        app: App[Any],
        app_context: AppContext,
        attention: AttentionReporter,
        update_status: Callable[[], object],
    ) -> None:
        self._app_context, self._reporter, self._update_status = app_context, attention, update_status

        def is_focused() -> bool:
            return attention.is_focused

        self.alerts = AlertNotifier(
            app,
            app_context,
            is_focused,
            self._watches_campaigns,
            self._alerts_changed,
            lambda: attention.active_at,
        )
        self.messages = Notifier(app, app_context, is_focused, self._readable_thread, lambda: self.alerts.in_title)
        self.mentions = MentionNotices(app, app_context, update_status)
        self._snoozes = SnoozeNotices(app, app_context)
        self._service_clocks = ServiceClockNotices(app, app_context, is_focused)

    def start(self) -> None:
        self.messages.start()
        self.alerts.start()
        self.mentions.start()
        self._snoozes.start()
        self._service_clocks.start()

    def apply_events(self, events: frozenset[Event]) -> None:
        self.messages.collect(events)
        self.alerts.apply_events(events)
        self.mentions.apply_events(events)
        self._snoozes.apply_events(events)

    def alert_part(self, view: RenderContext) -> StatusPart:
        return alert_notifier.status_part(alert_store.unseen(self._app_context.store.reading, view.now), view)

    def mention_part(self, view: RenderContext) -> StatusPart:
        return self.mentions.status_part(view)

    def _readable_thread(self) -> str:
        """Return the conversation that a person is reading now, or empty."""
        screen = self._reporter.seen_screen
        return "" if screen is None else screen.state().readable_thread

    def _watches_campaigns(self) -> bool:
        screen = self._reporter.seen_screen
        return screen is not None and screen.key_context == "campaigns" and self._reporter.is_focused

    def _alerts_changed(self) -> None:
        self.messages.count_soon()
        self._update_status()

"""The alerts of service clocks in the linear mode."""

import logging
from collections.abc import Mapping, Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.service_clocks.alerts import ServiceAlerts, claimed
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import SafeText, trusted

CLAIM_SECONDS = 5.0
"""How long a claim may take; then the alert comes later."""

log = logging.getLogger("frontdesk.linear")


class ServiceClockNews:
    """News of deadlines that are near or have passed, once each.

    Args:
        db: a reading connection of the news' thread.
    """

    def __init__(self, db: ReadConnection, store: ProfileStore, outbox: OutboxCommands):
        self._store = store
        self._alerts = ServiceAlerts(db, store, outbox)

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:  # noqa: ARG002
        if not self._store.settings.sla:
            return []
        new = self._alerts.find_new(view.now)
        if not new:
            return []
        try:
            keys = self._alerts.claim(new).result(CLAIM_SECONDS)
        except Exception:  # the store can't be written: the next look tries again
            log.exception("couldn't claim alerts of service clocks")
            self._alerts.retry(new)
            return []
        words = self._alerts.words(claimed(new, keys), view.now, view.zone)
        return [trusted(f"Service clock: {each.text}.") for each in words]

"""The SLA alerts in the linear mode."""

from collections.abc import Mapping, Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.notifications import await_claim
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.service_clocks.monitor import ServiceAlerts, claimed
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.sql import ReadConnection
from frontdesk_lines.display_text import SafeText, trusted


class ServiceClockNews:
    """News of deadlines that are near or have passed, once each; `db` is the news' thread's."""

    def __init__(self, db: ReadConnection, store: ProfileStore, outbox: OutboxCommands):
        self._store = store
        self._alerts = ServiceAlerts(db, store, outbox)

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:  # noqa: ARG002
        if not self._store.settings.sla:
            return []
        new = self._alerts.find_new(view.now)
        if not new:
            return []
        keys = await_claim(self._alerts.claim(new), "SLA alerts")
        if keys is None:
            self._alerts.retry(new)
            return []
        words = self._alerts.words(claimed(new, keys), view)
        return [trusted(f"SLA: {each.text}{'' if each.text.endswith('…') else '.'}") for each in words]

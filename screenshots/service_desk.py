"""Service clocks and numbers for the pictures, computed as the engine does it."""

import apsw
from desk import NOW, URL, profile_store

from frontdesk.app.registries import CHANGE_HANDLERS
from frontdesk.app.run_demo import demo_profile
from frontdesk.app.service_policies import load_policies
from frontdesk.config.settings import Settings
from frontdesk.metrics import store as metrics
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.alerts import ServiceAlerts
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows

SETTINGS = Settings(
    sla=(
        {
            "name": "Service",
            "zone": "Europe/Rome",
            "hours": ["mon-fri 08:00-19:00"],
            "first_response": "1h",
            "next_response": "4h",
            "resolution": "30h",
            "pauses": ["standby"],
        },
    )
)


def write(store: Store) -> None:
    """Compute the clocks and count the messages; alerts would stand above the pictures, so they have been seen."""
    (policy,) = load_policies(SETTINGS, demo_profile(URL)).all

    def put(db: apsw.Connection) -> None:
        ids = [str(row[0]) for row in rows(db, "SELECT conversation_id FROM conversations")]
        clock_store.put(db, clock_store.compute(db, ids, dict.fromkeys(ids, policy)))
        clock_store.put_position(db, {"walked": None})

    store.write(put).result()
    while store.write(lambda db: metrics.count_batch(db, 50)).result():
        pass
    opened = profile_store(store, SETTINGS)
    alerts = ServiceAlerts(store.reading, opened, OutboxCommands(opened, lambda: CHANGE_HANDLERS))
    alerts.claim(alerts.find_new(NOW)).result()

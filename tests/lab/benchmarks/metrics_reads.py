"""How long the numbers of a desk take on a large store.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.metrics_reads FOLDER

FOLDER is one that `large.py` made. What is stale is counted first, as the engine does; that is timed, too. The
first page of numbers, with a service policy, is meant to be there within 300 ms.
"""

import sys
import time
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import Profile
from frontdesk.metrics import store as metrics
from frontdesk.metrics.models import Dimension
from frontdesk.metrics.periods import parse_period
from frontdesk.metrics.promises import Promises
from frontdesk.metrics.report import MetricsReader
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, Policy
from frontdesk.storage.database import Store
from frontdesk.storage.sql import first
from frontdesk_api.contract.ids import AgentId
from frontdesk_api.hosts import Hosts
from lab.benchmarks.raw import keep

TARGET_MS = 300.0
OFFICE = BusinessHours(ZoneInfo("Europe/Rome"), [[(9 * 3600, 13 * 3600), (14 * 3600, 18 * 3600)]] * 5 + [[], []])
TARGETS = {ClockKind.FIRST: 1_800.0, ClockKind.NEXT: 3_600.0, ClockKind.RESOLUTION: 57_600.0}
PROMISES = Promises((Policy("office", "", OFFICE, TARGETS),))
PROFILE = Profile("large", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("agent-noa"))


def main(folder: Path) -> None:
    """Print each figure beside its target."""
    with Store(folder / "profile") as store:
        began, left = time.perf_counter(), metrics.stale(store.reading)
        while store.write(lambda db: metrics.count_batch(db, 50)).result():
            pass
        print(f"{left:,} quarters counted in {time.perf_counter() - began:.1f} s")
        began, left = time.perf_counter(), metrics.stale_threads(store.reading)
        while metrics.stale_threads(store.reading):
            store.write(lambda db: metrics.keep_threads(db, 1_000)).result()
        print(f"{left:,} threads kept in {time.perf_counter() - began:.1f} s")
        newest = first(store.reading, "SELECT max(rowid) >> 20 FROM messages")
    now = (newest[0] if newest else 0) / 1000
    for days in ("today", "7", "28"):
        for by in ((), (Dimension.STATUS, Dimension.AGE), *((each,) for each in Dimension)):
            taken = []
            for _ in range(5):
                with Store(folder / "profile") as store:
                    began = time.perf_counter()
                    reader = MetricsReader(store.reading, Catalogue(PROFILE), now, PROMISES)
                    reader.report(parse_period(days, now, UTC), by)
                    taken.append(1000 * (time.perf_counter() - began))
            keep(f"numbers of {days} by {', '.join(by) or 'nothing'}", "ms", taken, target=TARGET_MS)
            verdict = "met" if sorted(taken)[2] <= TARGET_MS else "MISSED"
            print(f"{days:>6} by {', '.join(by) or '-':12} {sorted(taken)[2]:8.1f} ms median, {verdict}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

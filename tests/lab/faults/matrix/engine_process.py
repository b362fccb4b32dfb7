"""The engine as a process of its own, in real time: its memory under a fault, and how soon it is live again.

All polled operations meet the fault at once, while a person looks at the inbox.
"""

import asyncio
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Any

from canary.echo_server import ENVIRON
from frontdesk.campaigns.store import campaigns
from frontdesk.config.render_context import RenderContext
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.sync.status_view import current_health, shortest_words, view_health
from frontdesk_lines.glyphs import glyphs
from lab.faults.matrix.modes import Mode
from lab.faults.matrix.operations import CAMPAIGN, READS
from lab.faults.matrix.platform import MANY_TIMES, Platform, exactly, running_platform
from services import Services

FAULT_SECONDS, BACK_SECONDS = 25.0, 90.0
"""How long the fault lasts, longer than a request that hangs, and how long is waited for "live" after it."""

LOOK_SECONDS = 0.1
FOCUS_SECONDS = 5.0
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Measured:
    """One mode's figures.

    Attributes:
        peak_megabytes: the largest resident set of the engine, from before the fault until it was live again.
        live_seconds: None if it wasn't live again within `BACK_SECONDS`.
        starts: how often the process replaced itself because of its memory.
        silent_seconds: how long the status line said "not updating".
        words: what the status line showed longest during the fault, without causes and times.
    """

    peak_megabytes: float
    live_seconds: float | None
    starts: int
    silent_seconds: float
    words: str


def measure(folder: Path, data: Path, store_folder: Path, mode: Mode) -> Measured:
    """Run an engine on a store that knows everything, and let this mode strike.

    Args:
        folder: for the process' configuration and log.
    """

    async def main() -> Measured:
        async with running_platform(data, 1.0) as platform:
            with Store(store_folder) as store:
                return await _measured(folder, platform, store, mode)

    return asyncio.run(main())


async def _measured(folder: Path, platform: Platform, store: Store, mode: Mode) -> Measured:
    services = Services(store, replace(demo_profile(platform.url), watched_campaigns=()))
    store.write(lambda db: campaigns.watch(db, [CAMPAIGN], time.time())).result()
    looking = asyncio.create_task(_keep_looking(services))
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("FRONTDESK", "XDG"))}
    environ |= {"HOME": str(folder), "FRONTDESK_BASE_URL": platform.url, **ENVIRON}
    words = ["-m", "frontdesk.engine.main", "--store", str(store.folder)]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, env=environ)
    watch = _Watch(process.pid, services)
    try:
        assert await watch.until(lambda: watch.state is Connection.LIVE, BACK_SECONDS), "live before the fault"
        faults = [
            {**mode.rule, "method": each.method, "path": exactly(each.path), "times": MANY_TIMES}
            for each in READS.values()
        ]
        await platform.strike(*faults)
        services.sync.request_refresh()
        watch.shown.clear()
        await watch.until(lambda: False, FAULT_SECONDS)
        shown = watch.shown.most_common(1)[0][0]
        await platform.strike()
        began = time.monotonic()
        services.sync.request_refresh("") if mode.asks_to_wait else None
        is_live = await watch.until(lambda: watch.state is Connection.LIVE, BACK_SECONDS)
        live_seconds = time.monotonic() - began if is_live else None
        assert process.returncode is None, "the engine lives"
        return Measured(watch.peak / MEGABYTE, live_seconds, watch.starts(folder), watch.silent_seconds, shown)
    finally:
        looking.cancel()
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _keep_looking(services: Services) -> None:
    while True:
        focus = READS["get_messages"].focus(services.store.reading)
        services.sync.report_focus(focus._replace(active_at=time.time()))
        await asyncio.sleep(FOCUS_SECONDS)


def _state_words(health: Health, view: RenderContext) -> str:
    """Return the state as the status line has it, without the symbol before it and a cause in parentheses."""
    state = shortest_words(health._replace(reason=""), view)[0]
    return state.text.text.partition(" ")[2]


class _Watch:
    """What a person and the machine see of the engine."""

    def __init__(self, pid: int, services: Services) -> None:
        self._pid, self._services = pid, services
        self.state = Connection.STARTING
        self.peak = 0.0
        self.silent_seconds = 0.0
        self.shown: Counter[str] = Counter()

    async def until(self, is_true: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._look()
            if is_true():
                return True
            await asyncio.sleep(LOOK_SECONDS)
        return False

    def _look(self) -> None:
        db: Any = self._services.store.reading
        focus = READS["get_messages"].focus(db)
        catalogue = self._services.store.catalogue
        view = RenderContext(catalogue, glyphs(True), time.time(), UTC, engine_process=self._pid)
        health = current_health(view_health(clients.health(db), focus), view)
        self.state = health.state
        self.shown[_state_words(health, view)] += 1
        self.silent_seconds += LOOK_SECONDS * (self.state is Connection.SILENT)
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self._pid}/status").read_text())
        if found is not None:
            self.peak = max(self.peak, int(found[1]) * 1024.0)

    def starts(self, folder: Path) -> int:
        logs = [each.read_text() for each in folder.rglob("frontdesk.log")]
        return sum(each.count("; starting again in") for each in logs)

"""The running platform, wired once: storage, clock, settings, faults, request log, engine, crowd."""

import secrets
import shutil
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from frontdesk.sandbox.campaign_engine import CampaignEngine
from frontdesk.sandbox.clock import Clock
from frontdesk.sandbox.crowd import Crowd
from frontdesk.sandbox.faults import Faults
from frontdesk.sandbox.options import SandboxOptions
from frontdesk.sandbox.settings import SandboxSettings
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.workflow_counts import store_all_analytics
from frontdesk.sandbox.workflow_runs import WorkflowRuns

MAX_REQUEST_LOG = 10_000
COUNTS_ARE_ROWS = "counts_are_rows"
"""Set once no workflow's document holds its analytics, as in older files."""
MAX_UNSAVED_SECONDS = 60
"""Real seconds that may pass between the last saved time and a kill."""


@dataclass(frozen=True, slots=True)
class RequestLogEntry:
    """One request of the interface, for `GET /sandbox/requests`; `status` 0 means that no answer was given."""

    method: str
    path: str
    query: str
    status: int
    time: float


@dataclass
class World:
    """The running platform."""

    options: SandboxOptions
    storage: Storage
    clock: Clock
    faults: Faults
    secret: bytes
    runs: WorkflowRuns
    campaigns: CampaignEngine
    crowd: Crowd
    settings: SandboxSettings = field(default_factory=SandboxSettings)
    request_log: deque[RequestLogEntry] = field(default_factory=lambda: deque(maxlen=MAX_REQUEST_LOG))
    temporary: Path | None = None

    def log_request(self, method: str, path: str, query: str, status: int) -> None:
        self.request_log.append(RequestLogEntry(method, path, query, status, time.time()))

    def save_time(self) -> None:
        """Save virtual and real time, so that the clock never runs backwards over a restart or a kill."""
        with self.storage.writing():
            self.storage.set_meta("clock_ms", self.clock.now_ms())
            self.storage.set_meta("clock_kept_at", time.time())
            self.storage.set_meta("clock_speed", self.options.speed)

    def close(self) -> None:
        """Close the file, and remove the temporary folder if there is one."""
        self.save_time()
        self.storage.set_meta("clock_kept_at", None)
        self.storage.close()
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)


def open_world(options: SandboxOptions, clock: Clock | None = None, storage: Storage | None = None) -> World:
    """Open the platform of the data folder, and seed it if the folder is new.

    Args:
        storage: used in place of the data folder's file.

    Raises:
        SandboxCannotStart: the folder can't be used.
    """
    temporary = None
    if storage is None:
        folder = options.data
        if folder is None:
            folder = temporary = Path(tempfile.mkdtemp(prefix="frontdesk-sandbox-"))
        storage = Storage.open(folder)
    clock = clock or Clock(options.speed, _latest_ms(storage))
    if storage.meta("secret") is None:
        from frontdesk.sandbox.seeding.seed import seed  # only a fresh folder needs the phrases

        with storage.writing():
            seed(storage, options.seed, options.size, clock.now_ms())
            storage.set_meta("seed", options.seed)
            storage.set_meta("secret", secrets.token_bytes(16))
            storage.set_meta(COUNTS_ARE_ROWS, 1)
    elif storage.meta(COUNTS_ARE_ROWS) is None:
        with storage.writing():
            store_all_analytics(storage)
            storage.set_meta(COUNTS_ARE_ROWS, 1)
    seed_number = int(storage.meta("seed"))
    runs = WorkflowRuns(storage, seed_number)
    world = World(
        options=options,
        storage=storage,
        clock=clock,
        faults=Faults(options.seed),
        secret=storage.meta("secret"),
        runs=runs,
        campaigns=CampaignEngine(storage, seed_number, runs),
        crowd=Crowd(storage, seed_number, runs, options.speed),
        settings=SandboxSettings(other_codes=options.other_codes),
        temporary=temporary,
    )
    world.save_time()
    return world


def _latest_ms(storage: Storage) -> float:
    """The latest virtual time that a client may have seen before the process ended."""
    kept, kept_at = float(storage.meta("clock_ms") or 0), storage.meta("clock_kept_at")
    if kept_at is None:
        return kept
    # Not ended but killed: its clock went on for some time after it was kept.
    unkept_ms = min(max(time.time() - float(kept_at), 0), MAX_UNSAVED_SECONDS) * 1000
    return kept + unkept_ms * float(storage.meta("clock_speed"))

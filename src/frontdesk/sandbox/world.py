"""The running platform: storage, clock, settings, faults, request log, and the engines that advance it."""

import secrets
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from frontdesk.sandbox import credentials
from frontdesk.sandbox.campaign_delivery import note_all_unfinished
from frontdesk.sandbox.campaign_engine import CampaignEngine
from frontdesk.sandbox.crowd import Crowd
from frontdesk.sandbox.faults import Faults
from frontdesk.sandbox.fixtures import TOKEN
from frontdesk.sandbox.options import SandboxOptions
from frontdesk.sandbox.request import require_object, validate
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.workflow_counts import store_all_analytics
from frontdesk.sandbox.workflow_runs import WorkflowRuns

MAX_REQUEST_LOG = 10_000
COUNTS_ARE_ROWS = "counts_are_rows"
"""Set once no workflow's document holds its analytics, as in older files."""
AGENTS_AT = "agents_at_ms"
"""The virtual time up to which AI agents have used tokens; none while a crowd keeps them busy."""

MAX_UNSAVED_SECONDS = 60
"""Real seconds that may pass between the last saved time and a kill."""

BATCH = 200
SLICE_MS = 1_000
"""The slice of virtual time after which all kinds of events are checked again."""


class Clock:
    """Virtual Unix milliseconds.

    Args:
        speed: virtual seconds a real second.
        resume_ms: the latest time known from an earlier run; the clock starts there if real time is
            behind it, because stored times must stay in the past.
    """

    def __init__(
        self,
        speed: float = 1.0,
        resume_ms: float = 0,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._steady = steady
        self._speed = speed
        self._origin_ms = max(wall() * 1000, resume_ms)
        self._started = steady()

    def now_ms(self) -> int:
        return int(self._origin_ms + (self._steady() - self._started) * 1000 * self._speed)

    def now_seconds(self) -> int:
        return self.now_ms() // 1000

    def advance(self, seconds: float) -> None:
        """Jump ahead; the control behind `POST /sandbox/advance`."""
        self._origin_ms += seconds * 1000


class SandboxSettings(BaseModel):
    """What a test may change while it runs, each with the rule of tests/sandbox/rules.md that leaves it open."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    message_page_size: Annotated[int, Field(ge=1, le=1000)] = 25  # 196
    tags_replace: bool = False  # 207
    strict_tasks: bool = False  # 182
    absent_counters: bool = False  # 79
    shuffle_tasks: bool = False  # 162
    more_workflows: bool = False  # 88
    graph_put: bool = True  # chapter 7
    other_codes: bool = False  # tests/sandbox/rules.md
    requests_per_second: Annotated[int, Field(ge=0)] = 0  # 19; 0 is no throttle
    token: Annotated[str, Field(min_length=1)] = TOKEN  # 8; another one makes the Cookie of before expire


def update_settings(current: SandboxSettings, value: Any) -> SandboxSettings:
    """Change the given settings.

    Raises:
        Refusal: an unknown name or a wrong type.
    """
    return validate(SandboxSettings, current.model_dump() | require_object(value))


@dataclass(frozen=True)
class RequestLogEntry:
    """One request of the interface, for `GET /sandbox/requests`.

    Attributes:
        status: of the answer; 0 where none was given.
        time: Unix seconds, real time.
        outcome: the status that the platform itself came to; 0 where a fault kept the request from it.
    """

    method: str
    path: str
    query: str
    status: int
    time: float
    outcome: int


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

    def log_request(self, method: str, path: str, query: str, status: int, outcome: int) -> None:
        self.request_log.append(RequestLogEntry(method, path, query, status, time.time(), outcome))

    def agents_at_ms(self) -> int:
        """Return the time up to which AI agents have worked: without a crowd, the one it was stopped at."""
        stopped_at = self.storage.meta(AGENTS_AT)
        return self.clock.now_ms() if stopped_at is None else int(stopped_at)

    def stop_agents(self) -> None:
        """Stop AI agents at this moment, where there is no crowd."""
        self.storage.set_meta(AGENTS_AT, self.clock.now_ms())

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
    latest_ms = _latest_ms(storage)
    clock = clock or Clock(options.speed, latest_ms)
    note_all_unfinished(storage, int(latest_ms))
    if storage.meta("secret") is None:
        from frontdesk.sandbox.seeding.seed import seed  # only a fresh folder needs the phrases

        with storage.writing():
            seed(storage, options.seed, options.size, clock.now_ms(), options.language)
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
        settings=SandboxSettings(other_codes=options.other_codes, token=credentials.MAIN.token),
        temporary=temporary,
    )
    if options.crowd:
        storage.set_meta(AGENTS_AT, None)
    elif storage.meta(AGENTS_AT) is None:
        world.stop_agents()
    world.save_time()
    return world


def _latest_ms(storage: Storage) -> float:
    """Return the latest virtual time that a client may have seen before the process ended."""
    kept, kept_at = float(storage.meta("clock_ms") or 0), storage.meta("clock_kept_at")
    if kept_at is None:
        return kept
    # Not ended but killed: its clock went on for some time after it was kept.
    unkept_ms = min(max(time.time() - float(kept_at), 0), MAX_UNSAVED_SECONDS) * 1000
    return kept + unkept_ms * float(storage.meta("clock_speed"))


def step(world: World, batch: int = BATCH) -> bool:
    """Do one batch of the earliest due events; return whether more may be due.

    Time advances by slices, and each kind of event is finished before the next: an answer counts before the wait
    for it ends, however far the clock jumped.
    """
    now = world.clock.now_ms()
    first = _next_at(world)
    if first > now:
        return False
    begins = world.campaigns.next_start_at()
    # Whom a campaign is for, and whose turn on its line it is, depends on all that was before it.
    until = int(min(now, int(first) + SLICE_MS, begins if begins < first + 1 else begins - 1))
    try:
        with world.storage.writing():
            moved = (
                world.campaigns.advance(until, batch)
                or (world.options.crowd and world.crowd.advance(until, now, batch))
                or world.runs.advance(until, batch)
            )
            world.runs.flush()
    except BaseException:
        world.runs.discard()
        world.campaigns.discard()
        raise
    return moved


def _next_at(world: World) -> float:
    moments = [world.campaigns.next_at(), world.runs.next_at()]
    if world.options.crowd:
        moments.append(world.crowd.next_at())
    return min(moments)


def catch_up(world: World) -> None:
    """Do everything that is due by now."""
    while step(world):
        pass

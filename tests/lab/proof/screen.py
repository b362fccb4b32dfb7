"""Bytes and writes that a key costs on the terminal, and our calls until they are sent.

The twins of `lab.benchmarks.terminal_speed`: the program runs in this process, on a clock that stands, and
what Linux's driver would write is counted. A key's first frame is what the eye waits for.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import sin
from pathlib import Path
from statistics import fmean
from types import FrameType
from typing import Any
from unittest import mock

import apsw
from textual._ansi_sequences import SYNC_END
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.config.settings import Settings
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.textual_compat.driver import CellDriver
from snapshots.desk import StandingClock, profile_store
from snapshots.settled_app import SettledApp, make_app, run, settle
from source_tree import SOURCE
from tui.screen_text import use_truecolor

SIZE = (120, 36)


@dataclass
class Wire:
    """What the program writes to its terminal, as Linux's driver writes it.

    Attributes:
        calls: of our functions, from a key to its first frame; None while nothing is counted.
    """

    writes: list[str] = field(default_factory=list)
    calls: int = 0

    def __post_init__(self) -> None:
        self._driver = CellDriver.__new__(CellDriver)
        self._driver._writer_thread = self  # type: ignore[assignment]

    def take(self, data: str) -> None:
        """Stand in for the driver's `write`."""
        self._driver.write(data)

    def write(self, data: str) -> None:
        """Stand in for the thread that writes to the terminal."""
        self.writes.append(data)
        if data.endswith(SYNC_END):
            sys.setprofile(None)

    def count_calls(self) -> None:
        """Count the calls of our functions until the next frame was written."""
        self.calls = 0
        sys.setprofile(self._count)

    def _count(self, frame: FrameType, event: str, _: object) -> None:
        self.calls += event == "call" and frame.f_code.co_filename.startswith(str(SOURCE))


@dataclass(frozen=True)
class Cost:
    """What one key costs.

    Attributes:
        bytes: of its first frame.
        bytes_after: of what follows when the cursor rests, such as the thread.
        calls: of our functions until the first frame is written.
    """

    bytes: int
    bytes_after: int
    writes: int
    calls: int


@dataclass(frozen=True)
class Step:
    """Keys that are counted one by one; the median counts, and of `bytes_after` the mean.

    What follows a key comes in one frame or in two, which is chance and makes a difference of some 35 bytes.

    Attributes:
        before: keys that lead there, before each key that opens something and else before all.
        opens: whether a screen or a dialog is opened; its calls aren't counted, since they depend on what its
            threads bring first.
    """

    name: str
    keys: Sequence[str]
    before: Sequence[str] = ()
    opens: bool = False


# The numbers aren't here: a thread brings them, and how many frames that takes is chance.
STEPS = (
    Step("inbox, a cursor move", "jjjjjkkjj", ["S", "S", "S", "g"]),
    Step("thread, a cursor move", "kkkjj", ["tab", "G"]),
    Step("help, opened", ["question_mark"] * 3, ["escape"], opens=True),
    Step("board, a cursor move", "jjjjkj", ["escape", "2"]),
    Step("board, opened", "222", ["1"], opens=True),
    Step("inbox, opened", "111", ["2"], opens=True),
    Step("search, a typed letter", "refun", ["f"]),
    Step("inbox, a move that scrolls", "j", ["escape", "S", "g", *"j" * 14]),
)


RUNNING, READ_SECONDS = 5, 2.0
"""Campaigns that run at the same time, and how often each is read."""

READ_BEFORE, READS = 450, 25
"""Reads of each before any is counted, so that the curves are full, and how many of them all are counted."""


def measure(folder: Path) -> dict[str, int]:
    """Return bytes, writes and calls by name, on this store."""
    with Store(folder) as store:
        wire, clock = Wire(), StandingClock()
        app = make_app(profile_store(store, Settings(hints=False), clock.now))
        use_truecolor(app)
        app._sync_available = True  # as if the terminal had said that it shows a frame at once
        with (
            mock.patch.object(SettledApp, "is_headless", False),
            mock.patch.object(HeadlessDriver, "write", lambda _, data: wire.take(data)),
        ):
            return run(_play(app, wire, store, clock))


async def _play(app: SettledApp, wire: Wire, store: Store, clock: StandingClock) -> dict[str, int]:
    found = {}
    async with app.run_test(size=SIZE) as pilot:
        await settle(app, pilot)
        found["start, the first screen: bytes"] = _bytes(wire.writes)
        for step in STEPS:
            costs = []
            for at, key in enumerate(step.keys):
                if step.opens or not at:
                    await _press(app, pilot, step.before)
                costs.append(await _cost(app, pilot, wire, key))
            for each in fields(Cost):
                if step.opens and each.name == "calls":
                    continue
                values = sorted(getattr(cost, each.name) for cost in costs)
                count = round(fmean(values)) if each.name == "bytes_after" else values[len(values) // 2]
                found[f"{step.name}: {each.name.replace('_', ' ')}"] = count
        ticks = await _ticks(app, pilot, wire, store, clock)
    found["campaigns, a tick: bytes"] = ticks[len(ticks) // 2]
    found["campaigns, a tick: bytes on average"] = sum(ticks) // len(ticks)
    found["campaigns, the largest tick: bytes"] = ticks[-1]
    return found


async def _ticks(app: SettledApp, pilot: Pilot[None], wire: Wire, store: Store, clock: StandingClock) -> list[int]:
    """Return the bytes of each read of a running campaign, smallest first: its row, its curve and its details."""
    ids = [CampaignId(f"tick-{number}") for number in range(RUNNING)]
    began_at = clock.now()

    def read(db: apsw.Connection, number: int) -> None:
        raw = _running_campaign(ids[number % RUNNING], began_at, number // RUNNING)
        campaign_store.put(db, raw["id"], raw, began_at + number * READ_SECONDS / RUNNING)

    def read_before(db: apsw.Connection) -> None:
        campaign_store.watch(db, ids, began_at)
        for number in range(RUNNING * READ_BEFORE):
            read(db, number)

    clock.pass_time(READ_BEFORE * READ_SECONDS)
    store.write(read_before).result()
    await _press(app, pilot, ["escape", "escape", "3", "j", "j"])
    found = []
    for number in range(RUNNING * READ_BEFORE, RUNNING * READ_BEFORE + READS):
        clock.pass_time(READ_SECONDS / RUNNING)
        wire.writes.clear()
        store.write(lambda db, number=number: read(db, number)).result()
        await settle(app, pilot)
        found.append(_bytes(wire.writes))
    return sorted(found)


def _running_campaign(campaign_id: CampaignId, began_at: float, read: int) -> dict[str, Any]:
    """Return a campaign that sends about 80 a second, in waves, as it is read for the so many-th time."""
    sent = round(READ_SECONDS * 80 * (read + 9 * sin(read / 11)))
    failed, throttled = sent // 40, sent // 200
    return {
        "id": campaign_id,
        "name": f"Spring sale {campaign_id}",
        "status": "inProgress",
        "associatedToBusinessId": "L1",
        "startedAt": began_at * 1000,
        "totalRecipients": 100_000,
        "pendingCount": 100_000 - sent - failed - throttled,
        "sentCount": sent,
        "deliveredCount": sent * 9 // 10,
        "readCount": sent // 3,
        "failedCount": failed,
        "optOutCount": 0,
        "duplicateMessageCount": 0,
        "tooManyRequestsCount": throttled,
    }


async def _cost(app: SettledApp, pilot: Pilot[None], wire: Wire, key: str) -> Cost:
    wire.writes.clear()
    wire.count_calls()
    try:
        await _press(app, pilot, [key])
    finally:
        sys.setprofile(None)
    first = next(at for at, each in enumerate(wire.writes) if each.endswith(SYNC_END)) + 1
    return Cost(_bytes(wire.writes[:first]), _bytes(wire.writes[first:]), len(wire.writes), wire.calls)


async def _press(app: SettledApp, pilot: Pilot[None], keys: Sequence[str]) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(app, pilot)


def _bytes(writes: Sequence[str]) -> int:
    return sum(len(each.encode()) for each in writes)

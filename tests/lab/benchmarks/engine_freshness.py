"""How old what the screens show is, by real engines against the sandbox over HTTP, at the default budget.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.engine_freshness [SECONDS]

`freshness.py` has the same figures by the simulation. Screens are registered in the store as real ones do it.
Each row is sampled for so many seconds (60), after half a minute. Targets: 14 campaigns in progress p90 <= 10 s;
the list of tasks p95 <= 6 s with 1, 10 and 50 screens; what somebody looks at first within 5 s of a first start.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import apsw

from frontdesk.campaigns.store import campaigns
from frontdesk.config.request_pace import REMOTE
from frontdesk.engine.engine import Engine
from frontdesk.inbox.store import conversations
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.sync.budget import Budget
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from lab.benchmarks.campaign_body import campaign
from sync.simulated_reads import share_below
from terminal.service import Service

HEAD = Job(PollKind.TASKS_HEAD)
RUNNING = [CampaignId(f"bench-{number}") for number in range(14)]
RECIPIENTS = 3_000
CAMPAIGN_READS = [Job(PollKind.CAMPAIGN, each) for each in RUNNING]
SETTLE_SECONDS, SAMPLE_SECONDS = 30.0, 0.25
MAX_SCREENS = 50
MAX_SECONDS = 300.0


@asynccontextmanager
async def engine_over(url: str, store: Store) -> AsyncIterator[Engine]:
    """Run an engine as `frontdesk` does over a platform elsewhere, with the default budget."""
    budget = Budget(REMOTE.per_second, REMOTE.per_minute, time.monotonic, REMOTE.start)

    async def gate(_: object) -> None:
        await budget.take()

    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    async with PlatformClient(Hosts(url, url, url, url, url), credentials, gate=gate, retry=ONCE) as client:
        engine = Engine(client, store, budget)
        task = asyncio.create_task(engine.run())
        try:
            yield engine
        finally:
            engine.stop()
            await task


async def show(store: Store, screens: Sequence[Focus]) -> None:
    """Report these screens and no others, each with a key pressed now."""

    def report(db: apsw.Connection) -> None:
        now = time.time()
        for place in range(MAX_SCREENS):
            clients.clear_focus(db, f"bench-{place}")
        for place, focus in enumerate(screens):
            clients.report_focus(db, f"bench-{place}", focus._replace(active_at=now), now)

    await store.run(report)


async def settle(store: Store, screens: Sequence[Focus]) -> None:
    """Show these, and let half a minute pass; a screen that reports nothing for two counts as gone."""
    await show(store, screens)
    await asyncio.sleep(SETTLE_SECONDS)
    await show(store, screens)


async def ages(engine: Engine, jobs: Sequence[Job], seconds: float) -> list[float]:
    """Sample how old the answers are that a screen shows, by when they were asked for."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        now = time.time()
        read_at = engine.poller.results.read_at
        found += [now - read_at[each] for each in jobs if each in read_at]
        await asyncio.sleep(SAMPLE_SECONDS)
    return sorted(found)


async def shown_ages(store: Store, seconds: float) -> list[float]:
    """Sample the same of the campaigns as screens tell it: stored, or reported by the heartbeat."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        now = time.time()
        db = store.reading
        shown = [campaigns.with_last_read(db, each).read_at for each in campaigns.watched(db)]
        found += [now - each for each in shown if each is not None]
        await asyncio.sleep(SAMPLE_SECONDS)
    return sorted(found)


def row(name: str, found: Sequence[float], target: str) -> None:
    """Print one row of the table."""
    shares = (statistics.median(found), share_below(found, 0.9), share_below(found, 0.95), max(found))
    print(f"| {name} | " + " | ".join(f"{each:.1f}" for each in shares) + f" | {target} |", flush=True)


def have_read(engine: Engine, jobs: Sequence[Job]) -> bool:
    """Whether each of these was read and stored."""
    return all(each in engine.poller.results.read_at for each in jobs)


async def until(is_true: Callable[[], object]) -> float:
    """Return the seconds until this holds."""
    began = time.monotonic()
    while not is_true():
        assert time.monotonic() - began < MAX_SECONDS
        await asyncio.to_thread(time.sleep, 0.02)
    return time.monotonic() - began


async def first_starts(url: str, folder: Path) -> None:
    """Print when what somebody looks at is read into an empty store, with everything else to be read, too."""
    print("\n| first start | seconds | target |\n|---|---|---|")
    with Store(folder / "inbox") as store:
        async with engine_over(url, store) as engine:
            await until(lambda: engine._resources.swept)
            thread = str(conversations.ids(store.reading, ConversationOrder.ACTIVITY, 1)[0])
    looked_at = {
        "open thread": (Focus("inbox", thread), [Job(PollKind.THREAD, thread)]),
        "list of tasks": (Focus("inbox", thread), [HEAD]),
        "14 campaigns": (Focus("campaigns"), CAMPAIGN_READS),
    }
    for name, (focus, jobs) in looked_at.items():
        with Store(folder / name) as store:
            await store.run(lambda db: campaigns.watch(db, RUNNING, time.time()))
            await show(store, [focus])
            async with engine_over(url, store) as engine:
                seconds = await until(partial(have_read, engine, jobs))
        print(f"| {name} | {seconds:.1f} | 5 |", flush=True)


async def steady(url: str, folder: Path, seconds: float) -> None:
    """Print the ages of what stays on the screens."""
    print("| on the screens | p50 s | p90 s | p95 s | max s | target |\n|---|---|---|---|---|---|")
    with Store(folder / "steady") as store:
        await store.run(lambda db: campaigns.watch(db, RUNNING, time.time()))
        await show(store, [Focus("campaigns")])
        async with engine_over(url, store) as engine:
            await until(lambda: engine._resources.swept)
            await settle(store, [Focus("campaigns")])
            read, shown = await asyncio.gather(ages(engine, CAMPAIGN_READS, seconds), shown_ages(store, seconds))
            running = [each for each in campaigns.watched(store.reading) if each.status == "inProgress"]
            row(f"{len(running)} campaigns in progress", read, "p90 10")
            row("the same, as shown", shown, "")
            threads = conversations.ids(store.reading, ConversationOrder.ACTIVITY, 50)
            for count in (1, 10, 50):
                await settle(store, [Focus("inbox", each) for each in threads[:count]])
                row(f"list, {count} screens", await ages(engine, [HEAD], seconds), "p95 6")
                jobs = [Job(PollKind.THREAD, each) for each in threads[:count]]
                row(f"their {count} threads", await ages(engine, jobs, SETTLE_SECONDS), "")


def main(seconds: float) -> None:
    """Run against one sandbox, and print two tables."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        service = Service(folder / "sandbox", moves=True)
        try:
            for each in RUNNING:
                service.ask("POST", "/campaigns", campaign(each, f"Campaign {each}", RECIPIENTS))
            asyncio.run(steady(service.url, folder, seconds))
            asyncio.run(first_starts(service.url, folder))
        finally:
            service.kill()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)

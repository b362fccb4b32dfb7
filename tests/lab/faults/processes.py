"""The three processes of a profile, to be killed: the platform, the engine, and a person at work.

Started by `start` from a server that has imported everything heavy, so that a new one lives within
milliseconds. Each is a real process with real files and a real connection between them.
"""

import asyncio
import json
import logging
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.engine import Engine
from frontdesk.outbox import queue, sender
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState
from frontdesk.sync import backoff
from frontdesk.sync.budget import Budget
from frontdesk.tasks import changes as task_changes
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import AgentId, StatusId, TaskId
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from frontdesk_sandbox import fixtures, handlers, service, world
from frontdesk_sandbox.options import SandboxOptions
from services import Services

NOBODY_KNOWS = StatusId("no-such-status")
"""A status that the platform refuses."""

FIRST_DUE = 2_000_000_000
"""Due dates of the person's changes, each used once, which is how a doubled one is told."""

_PRELOAD = [
    "frontdesk.engine.engine",
    "frontdesk.registry.changes",
    "services",
    "frontdesk_sandbox.service",
    "frontdesk.app.run_demo",
]


def start(work: Callable[..., None], *arguments: object) -> BaseProcess:
    """Run a function of this module in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    process = context.Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


def kill(process: BaseProcess) -> None:
    """End it as a power cut does, and wait until it is gone."""
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def announced(work: Callable[..., None], *arguments: object) -> tuple[BaseProcess, str]:
    """Run a function that is given the end of a pipe too, last, and says through it where it can be reached."""
    ours, theirs = multiprocessing.get_context("forkserver").Pipe(duplex=False)
    process = start(work, *arguments, theirs)
    theirs.close()
    url = ours.recv()
    ours.close()
    return process, str(url)


def start_platform(data: Path, log: Path) -> tuple[BaseProcess, str]:
    """The sandbox on this data, writing down each PATCH that it carries out; answers its URL too."""
    return announced(_serve, data, log)


def _serve(data: Path, log: Path, announcing: Any) -> None:
    world.MAX_REQUEST_LOG = 1_000_000
    carry_out = handlers.update_task_row
    with log.open("a", buffering=1) as lines:

        def noted(storage: Any, account: str, task_id: str, fields: dict[str, Any], *more: Any) -> str:
            before = json.loads(handlers.read_task(storage, account, task_id) or "{}")
            answer = carry_out(storage, account, task_id, fields, *more)
            lines.write(json.dumps({"task": task_id, "fields": fields, "before": before}) + "\n")
            return answer

        handlers.update_task_row = noted
        service.run(SandboxOptions(port=0, data=data, crowd=False), announcing.send)


def engine(folder: Path, url: str, settle_after: float, cut_at: str = "") -> None:
    """The engine until it is killed. `cut_at` names a point at which it ends by itself, see `cuts`."""
    logging.basicConfig(filename=folder.parent / "engine.log", level=logging.WARNING)
    # A test has no minute to wait after each of a hundred faults.
    backoff.FIRST_SECONDS = backoff.MAX_SECONDS = 0.02
    sender.MAX_TARGET_WAIT = 0.1
    asyncio.run(_keep_true(folder, url, settle_after, cut_at))


async def _keep_true(folder: Path, url: str, settle_after: float, cut_at: str) -> None:
    budget = Budget(1000, 100_000, time.monotonic)
    credentials = CredentialSet(Secret(fixtures.COOKIE), Secret(fixtures.API_KEY), Secret(fixtures.BEARER))

    async def gate(_: object) -> None:
        await budget.take()

    transport: httpx.AsyncBaseTransport = httpx.AsyncHTTPTransport()
    store = Store(folder)
    if cut_at:
        from lab.faults.cuts import CutStore, CutTransport

        transport, store = CutTransport(transport, cut_at), CutStore(folder, cut_at)
    hosts = Hosts(url, url, url, url, url)
    async with PlatformClient(hosts, credentials, gate=gate, retry=ONCE, transport=transport) as client:
        await Engine(client, store, budget, settle_after=settle_after).run()


def person(
    folder: Path, url: str, task_ids: Sequence[TaskId], until: int, seed: int, seconds: float, told: Path
) -> None:
    """Change tasks at random, one thing after the other, until so many changes are in the outbox.

    Writes down the due date of each change that the outbox has taken.
    """
    task_changes.TASK_HOLD_SECONDS = 0.05
    chance = random.Random(seed)
    people = [AgentId(each.id) for each in fixtures.AGENTS[:4]]
    statuses = [StatusId(each) for each in ("open", "standby", "completed")]
    with Store(folder) as store, told.open("a", buffering=1) as lines:
        services = Services(store, replace(demo_profile(url), watched_campaigns=()))
        while (made := queue.count(store.reading, tuple(ChangeState))) < until:
            # Few tasks at a time, so that changes of one task meet.
            near = made * len(task_ids) // until
            ids = chance.sample(task_ids[max(0, near - 3) : near + 4], chance.choice((1, 1, 1, 3)))
            what = chance.random()
            if what < 0.6:
                due = FIRST_DUE + seed * 1_000_000 + made
                services.tasks.set_due(ids[:1], due).result()
                lines.write(f"{due}\n")
            elif what < 0.8:
                services.tasks.set_status(ids, chance.choice(statuses)).result()
            elif what < 0.85:
                services.tasks.set_status(ids[:1], NOBODY_KNOWS).result()
            else:
                add, remove = chance.sample(people, 2)
                services.tasks.assign(ids, [add], [remove]).result()
            time.sleep(chance.uniform(0, 2 * seconds))

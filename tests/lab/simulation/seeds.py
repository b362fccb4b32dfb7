"""One seed from its beginning to its end: `simulate` runs it, on a platform that `make_platform` has made once."""

import asyncio
import logging
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest import mock

import apsw

from frontdesk.engine import engine as engine_module
from frontdesk.storage import lease
from frontdesk.storage import lease as lease_module
from frontdesk.sync import backoff as backoff_module
from frontdesk.tasks import sync as task_sync
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.storage import Storage
from frontdesk_sandbox.world import Clock, World, open_world
from lab.simulation import virtual_loop
from lab.simulation.colleague import Colleague
from lab.simulation.desk_store import STATEMENTS_KEPT
from lab.simulation.file_locks import FileLocks
from lab.simulation.invariants import Invariant
from lab.simulation.machine import BEGAN, Machine, try_simulated_lease, watch
from lab.simulation.team import Outcome, Team
from sandbox.fixtures import file_bytes

TASKS = 3
TASKS_ON_A_PAGE = 2
"""All tasks are two pages, so that lists are read on."""

EMPTIED = (
    *("tasks", "conversations", "messages", "heard", "ai_agents", "executions"),
    *("campaigns", "campaign_documents", "recipients", "agenda"),
)
"""Tables of the sandbox of which nothing is kept."""

UNANSWERED_CHECK_SECONDS = 30.0
"""How often an engine looks how old what it shows is, which nothing here judges: each second it costs a tenth."""


@contextmanager
def quiet() -> Iterator[None]:
    """Log nothing."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def open_virtual_world(connection: apsw.Connection) -> World:
    """Open a platform whose clock is the loop's."""
    clock = Clock(wall=lambda: BEGAN, steady=asyncio.get_running_loop().time)
    return open_world(SandboxOptions(crowd=False), clock, Storage(connection))


def connect_platform(content: bytes) -> apsw.Connection:
    """Open a platform's file in memory."""
    connection = apsw.Connection(":memory:", statementcachesize=STATEMENTS_KEPT)
    connection.deserialize("main", content)
    return connection


def make_platform(seeded: bytes) -> bytes:
    """Return a small platform made of the sandbox's business: a conversation with its tasks, and one workflow."""

    async def make(connection: apsw.Connection) -> bytes:
        with closing(open_virtual_world(connection)) as world:
            colleague = Colleague(world)
            await colleague.write_message("hello")
            for number in range(TASKS):
                await colleague.open_task(f"Task {number}", BEGAN)
            return connection.serialize("main")

    connection = connect_platform(seeded)
    for table in EMPTIED:
        connection.execute(f"DELETE FROM {table}")
    connection.execute("DELETE FROM workflows WHERE id <> 'wf-early-access'; VACUUM")
    return virtual_loop.run(make(connection))


def new_platform() -> bytes:
    """Return `make_platform` of a new sandbox's business, which takes about a second to make."""
    with TemporaryDirectory() as name:
        open_world(SandboxOptions(data=Path(name), crowd=False)).close()
        return make_platform(file_bytes(Path(name)))


@contextmanager
def on_virtual_machines(
    machines: Sequence[Machine], locks: FileLocks, seed: int, failed: Callable[[str], None]
) -> Iterator[None]:
    """Have the engines of these machines use their disks, locks and clock.

    Args:
        failed: told of errors in an engine that nobody foresaw.
    """
    folders = {machine.folder: machine for machine in machines}

    def note_error(*_: object) -> None:
        failed(f"a step of an engine failed: {sys.exception()!r}")

    with (
        mock.patch.object(engine_module, "FeedWatcher", partial(watch, folders)),
        mock.patch.object(engine_module, "UNANSWERED_CHECK_SECONDS", UNANSWERED_CHECK_SECONDS),
        mock.patch.object(engine_module.log, "exception", note_error),
        mock.patch.object(lease_module, "FileLock", locks),
        mock.patch.object(lease, "try_acquire", try_simulated_lease),
        mock.patch.object(backoff_module, "random", SimpleNamespace(Random=lambda: random.Random(seed))),
    ):
        yield


@contextmanager
def limited_pages() -> Iterator[None]:
    """Have lists of tasks come in small pages."""
    with mock.patch.object(task_sync, "MAX_TASKS_LIMIT", TASKS_ON_A_PAGE):
        yield


def simulate(seed: int, platform: bytes) -> Outcome:
    """Run one seed.

    Args:
        platform: of `make_platform`.

    Raises:
        Violation: something happened that must never happen.
    """

    async def main() -> Outcome:
        locks = FileLocks()
        with closing(open_virtual_world(connect_platform(platform))) as world:
            team = Team(seed, world, locks)
            failed = partial(team.judge.note, Invariant.PROGRESS)
            with on_virtual_machines(team.machines, locks, seed, failed), limited_pages():
                return await team.run()

    with quiet():
        return virtual_loop.run(main())

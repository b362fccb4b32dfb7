"""An engine that stood still and lost its lease: it sends nothing, stops, and leaves the word to the next one."""

import time

import pytest

from frontdesk.api.contract.ids import StatusId, TaskId
from frontdesk.outbox import queue
from frontdesk.storage.lease import LEASE_SECONDS, try_acquire
from frontdesk.storage.records import UNCONFIRMED
from sandbox.asking import Sandbox
from sync.running_engine import Start, run


@pytest.mark.slow
def test_an_engine_that_lost_its_lease_sends_nothing_and_stops(works: Start, sandbox: Sandbox) -> None:
    task_id = TaskId(sandbox.task(title="A task")["taskId"])
    passed = 0.0

    def clock() -> float:
        return time.monotonic() + passed

    async def story() -> None:
        nonlocal passed
        async with works() as stopped, works() as successor:
            for it in (stopped, successor):
                await it.until(lambda it=it: it.engine.has_read_all)
            lease = await try_acquire(stopped.store, clock)
            assert lease is not None
            passed = LEASE_SECONDS
            assert await try_acquire(successor.store, clock) is not None
            lease.unlock_file()
            successor.services.tasks.set_status([task_id], StatusId("completed")).result()
            await stopped.ended()
            await successor.until(lambda: queue.count(successor.services.store.reading, UNCONFIRMED) == 0)
            assert (stopped.line.count("PATCH"), successor.line.count("PATCH")) == (0, 1)

    run(story)

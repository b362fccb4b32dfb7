"""An engine that stood still and lost its lease: it sends nothing, stops, and leaves the word to the next one."""

import time

import pytest

from frontdesk.outbox import queue
from frontdesk.storage.lease import LEASE_SECONDS, try_acquire
from frontdesk.storage.records import UNCONFIRMED
from frontdesk_api.contract.ids import StatusId, TaskId
from sandbox.asking import Sandbox
from sync.running_engine import Start, run


@pytest.mark.slow
def test_an_engine_that_lost_its_lease_sends_nothing_and_stops(works: Start, sandbox: Sandbox) -> None:
    task_id = TaskId(sandbox.task(title="A task")["taskId"])

    def later() -> float:
        """The successor's clock, by which every lease of the other has run out, however late it was renewed."""
        return time.monotonic() + LEASE_SECONDS

    async def story() -> None:
        async with works() as stopped, works() as successor:
            for it in (stopped, successor):
                await it.until(lambda it=it: it.engine.has_read_all)
            lease = await try_acquire(stopped.store)
            assert lease is not None
            assert await try_acquire(successor.store, later) is not None
            lease.unlock_file()
            successor.services.tasks.set_status([task_id], StatusId("completed")).result()
            await stopped.ended()
            await successor.until(lambda: queue.count(successor.services.store.reading, UNCONFIRMED) == 0)
            assert (stopped.line.count("PATCH"), successor.line.count("PATCH")) == (0, 1)

    run(story)

"""A page that was asked for before a change was settled brings nothing old back."""

import asyncio
from typing import Any

import pytest

from frontdesk.storage import record_lookup
from frontdesk.tasks.sync import TaskPuller
from frontdesk_api.contract.decode import Item, Page
from frontdesk_api.contract.tasks import Task, TaskQuery
from sync.scene import DONE, ONE, STANDBY, TWO, Scene


class SlowList:
    """The platform's list of tasks, whose answer is made at once and arrives when a change is settled.

    Args:
        clock_step: seconds by which the clock is set once the change is settled.
    """

    def __init__(self, scene: Scene, clock_step: float = 0.0):
        self._scene, self._clock_step = scene, clock_step
        self.is_slow = True

    async def list_tasks(self, _query: TaskQuery) -> Page[Task]:
        raws: list[dict[str, Any]] = [dict(raw) for raw in self._scene.platform.tasks.values()]
        if self.is_slow:
            self._scene.now += 2
            await self._scene.sender.send_due()
            self._scene.now += 1 + self._clock_step
        items = tuple(Item(Task.model_validate(raw), raw) for raw in raws)
        return Page(items=items, broken=(), has_more=False, cursor=None)


@pytest.mark.parametrize("clock_step", [0.0, -3.0, -3600.0, 3600.0])
def test_a_page_from_before_a_confirmation_does_not_bring_the_old_value_back(
    scene: Scene, clock_step: float
) -> None:
    platform = SlowList(scene, clock_step)
    puller = TaskPuller(platform, scene.store, lambda: scene.now)  # type: ignore[arg-type]
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.platform.tasks["t2"]["statusCase"] = STANDBY
    asyncio.run(puller.tasks_head())
    ours, other = (
        record_lookup.task(scene.services.store.reading, ONE),
        record_lookup.task(scene.services.store.reading, TWO),
    )
    assert ours is not None
    assert other is not None
    assert (ours.status, tuple(ours.pending)) == (DONE, ())
    assert other.status == STANDBY, "the rest of the page is news"

    platform.is_slow = False
    scene.now += 1
    scene.platform.tasks["t1"]["statusCase"] = "open"
    asyncio.run(puller.tasks_head())
    later = record_lookup.task(scene.services.store.reading, ONE)
    assert later is not None
    assert later.status == "open", "what is asked for later counts"


def test_a_settlement_that_the_clock_puts_into_the_future_hides_nothing(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.send()
    scene.now -= 3_600
    platform = SlowList(scene)
    platform.is_slow = False
    scene.platform.tasks["t1"]["statusCase"] = STANDBY
    asyncio.run(TaskPuller(platform, scene.store, lambda: scene.now).tasks_head())  # type: ignore[arg-type]
    shown = record_lookup.task(scene.services.store.reading, ONE)
    assert shown is not None
    assert shown.status == STANDBY

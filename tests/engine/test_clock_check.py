"""Requests without an answer keep their time to arrive, whenever and however the clock is set."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from frontdesk.engine.clock_check import ClockCheck
from frontdesk.engine.features import make_sender
from frontdesk.inbox.changes import TAGS_HOLD_SECONDS
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage.records import ChangeState
from frontdesk.sync.clock_jumps import ClockEvent
from frontdesk_api.client.errors import Ambiguous
from frontdesk_api.contract.ids import TagId
from sync.scene import DONE, HERE, ONE, TWO, Scene


class Clock:
    """The scene's wall clock, which can be set, and a steady one that only goes on with it."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._set_by = scene, 0.0

    def wall(self) -> float:
        return self._scene.now

    def steady(self) -> float:
        return self._scene.now - self._set_by

    def set(self, seconds: float) -> None:
        self._scene.now += seconds
        self._set_by += seconds


def lose_patches(scene: Scene) -> None:
    """Lose what is sent now, and let nothing but its time keep it from being sent again."""
    scene.fail("patch", Ambiguous("lost"))
    scene.send()
    scene.platform.step = None
    scene.sender.delays.clear()
    scene.backoff.reset()


@contextmanager
def full_disk(scene: Scene) -> Iterator[None]:
    """Let the engine write nothing."""
    run = scene.store.run

    async def full(job: Any) -> Any:
        raise apsw.FullError("disk full")

    scene.store.run = full  # type: ignore[method-assign]
    try:
        yield
    finally:
        scene.store.run = run  # type: ignore[method-assign]


def new_check(scene: Scene, clock: Clock, noticed: list[ClockEvent] | None = None) -> ClockCheck:
    events = [] if noticed is None else noticed
    return ClockCheck(
        scene.store, clock.wall, clock.steady, SETTLE_AFTER, lambda event, seconds: events.append(event)
    )


async def noticed_at_once(scene: Scene, clock: Clock, set_clock: Callable[[], None]) -> None:
    check = new_check(scene, clock)
    set_clock()
    await check.check()


async def noticed_by_the_next_engine(scene: Scene, clock: Clock, set_clock: Callable[[], None]) -> None:
    check = new_check(scene, clock)
    await check.take_over()
    await scene.store.run(check.keep)
    set_clock()
    await new_check(scene, clock).take_over()


async def noticed_after_a_write_that_failed(scene: Scene, clock: Clock, set_clock: Callable[[], None]) -> None:
    check = new_check(scene, clock)
    set_clock()
    with full_disk(scene), pytest.raises(apsw.FullError):
        await check.check()
    await check.check()


@pytest.mark.parametrize("seconds", [-3600.0, -10.0, 10.0, 3600.0])
@pytest.mark.parametrize(
    "notice", [noticed_at_once, noticed_by_the_next_engine, noticed_after_a_write_that_failed]
)
def test_nothing_overtakes_a_discarded_change_that_may_still_arrive(
    scene: Scene, notice: Callable[..., Any], seconds: float
) -> None:
    clock = Clock(scene)
    scene.change(title="lost on the way")
    lose_patches(scene)
    scene.services.outbox.drop(1).result()
    scene.change(title="the newest")
    asyncio.run(notice(scene, clock, lambda: clock.set(seconds)))
    scene.send(SETTLE_AFTER - 5)
    assert scene.platform.count("patch") == 1, "only the lost one"
    scene.send(6)
    assert scene.platform.count("patch") == 2
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]


@pytest.mark.parametrize("seconds", [-3600.0, -10.0, 10.0, 3600.0])
@pytest.mark.parametrize(
    "notice", [noticed_at_once, noticed_by_the_next_engine, noticed_after_a_write_that_failed]
)
def test_a_change_without_an_answer_is_not_sent_again_before_its_time(
    scene: Scene, notice: Callable[..., Any], seconds: float
) -> None:
    clock = Clock(scene)
    scene.change(title="lost on the way")
    lose_patches(scene)
    asyncio.run(notice(scene, clock, lambda: clock.set(seconds)))
    scene.send(SETTLE_AFTER - 5)
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.send(6)
    scene.send()
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == 2


def test_a_clock_set_while_another_target_is_sent_takes_no_time_from_the_next(scene: Scene) -> None:
    clock = Clock(scene)
    check = new_check(scene, clock)
    scene.sender = make_sender(
        scene.platform,  # type: ignore[arg-type]
        scene.store,
        scene.backoff,
        clock.wall,
        "me",
        SETTLE_AFTER,
        check.check,
    )
    for task_id in (ONE, TWO):
        scene.services.tasks.set_status([task_id], DONE).result()
        lose_patches(scene)
    scene.once("get", lambda: clock.set(3600))
    scene.send(9)
    assert scene.platform.asked[-1] == ("get", ONE)
    assert scene.states() == [ChangeState.UNKNOWN, ChangeState.UNKNOWN]


def test_what_could_not_be_written_is_told_once_it_is(scene: Scene) -> None:
    clock, noticed = Clock(scene), list[ClockEvent]()
    check = new_check(scene, clock, noticed)
    with full_disk(scene):
        for seconds in (3600, -3600):
            clock.set(seconds)
            with pytest.raises(apsw.FullError):
                asyncio.run(check.check())
    assert noticed == []
    asyncio.run(check.check())
    assert noticed == [ClockEvent.WOKE, ClockEvent.WENT_BACK]


def test_a_change_made_after_the_clock_was_set_back_keeps_its_hold_though_that_is_written_later(
    scene: Scene,
) -> None:
    clock = Clock(scene)
    check = new_check(scene, clock)
    clock.set(-3600)
    with full_disk(scene), pytest.raises(apsw.FullError):
        asyncio.run(check.check())
    scene.now += 1
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()
    (made,) = scene.all()
    asyncio.run(check.check())
    assert scene.all() == [made]
    assert made.send_after == made.made_at + TAGS_HOLD_SECONDS

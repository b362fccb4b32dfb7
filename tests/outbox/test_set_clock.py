"""Requests without an answer keep their time to arrive, whenever and however the clock is set."""

from collections.abc import Callable

import pytest

from frontdesk.outbox.sender import MAX_TARGET_WAIT, SETTLE_AFTER
from frontdesk.storage.records import ChangeState
from frontdesk.tasks.changes import TASK_HOLD_SECONDS
from frontdesk_api.client.errors import Ambiguous, RateLimited
from sync.scene import DONE, ONE, TWO, Scene


def lose_patches(scene: Scene) -> None:
    """Lose what is sent now, and let nothing but its time keep it from being sent again."""
    scene.fail("patch", Ambiguous("lost"))
    scene.send()
    scene.platform.step = None
    scene.sender.delays.clear()
    scene.backoff.reset()


def start_anew(scene: Scene) -> None:
    scene.sender = scene.new_sender()
    assert scene.sender.next_at() is not None, "an engine looks at the outbox as soon as it runs"


def expect_no_resend_after_a_clock_set_ahead(scene: Scene) -> None:
    scene.change(title="lost on the way")
    lose_patches(scene)
    scene.set_clock(3600)
    start_anew(scene)
    scene.send(SETTLE_AFTER - 5)
    assert scene.states() == [ChangeState.UNKNOWN]


def noticed_at_once(scene: Scene, seconds: float) -> None:
    assert scene.sender.next_at() is not None
    scene.set_clock(seconds)


def noticed_by_the_next_engine(scene: Scene, seconds: float) -> None:
    scene.store.write(scene.sender.keep_clocks).result()
    scene.set_clock(seconds)
    start_anew(scene)


def noticed_by_the_next_but_one(scene: Scene, seconds: float) -> None:
    """The engine that saw it ended, too, and kept its clocks before."""
    noticed_at_once(scene, seconds)
    scene.store.write(scene.sender.keep_clocks).result()
    start_anew(scene)


Notice = Callable[[Scene, float], None]
noticed = pytest.mark.parametrize(
    "notice", [noticed_at_once, noticed_by_the_next_engine, noticed_by_the_next_but_one]
)
by_seconds = pytest.mark.parametrize("seconds", [-3600.0, -10.0, 10.0, 3600.0])


@by_seconds
@noticed
def test_nothing_overtakes_a_discarded_change_that_may_still_arrive(
    scene: Scene, notice: Notice, seconds: float
) -> None:
    scene.change(title="lost on the way")
    scene.store.write(scene.sender.keep_clocks).result()
    lose_patches(scene)
    scene.services.outbox.drop(1).result()
    scene.change(title="the newest")
    notice(scene, seconds)
    scene.send(SETTLE_AFTER - 5)
    assert scene.platform.count("patch") == 1, "only the lost one"
    scene.send(6)
    assert scene.platform.count("patch") == 2
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]


@by_seconds
@noticed
def test_a_change_without_an_answer_is_not_sent_again_before_its_time(
    scene: Scene, notice: Notice, seconds: float
) -> None:
    scene.change(title="lost on the way")
    scene.store.write(scene.sender.keep_clocks).result()
    lose_patches(scene)
    notice(scene, seconds)
    scene.send(SETTLE_AFTER - 5)
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.send(6)
    scene.send()
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == 2


def test_an_engine_that_crashes_after_its_first_request_leaves_it_its_time(scene: Scene) -> None:
    scene.store.write(scene.sender.keep_clocks).result()
    scene.set_clock(-3600)
    scene.sender = scene.new_sender()
    expect_no_resend_after_a_clock_set_ahead(scene)


def test_a_command_that_sends_where_no_engine_ever_ran_leaves_its_request_its_time(scene: Scene) -> None:
    expect_no_resend_after_a_clock_set_ahead(scene)


def test_a_clock_set_while_another_target_is_sent_takes_no_time_from_the_next(scene: Scene) -> None:
    for task_id in (ONE, TWO):
        scene.services.tasks.set_status([task_id], DONE).result()
        lose_patches(scene)
    scene.once("get", lambda: scene.set_clock(3600))
    scene.send(9)
    assert scene.platform.count("patch") == 2
    assert scene.states() == [ChangeState.UNKNOWN, ChangeState.UNKNOWN]


def test_clocks_of_before_are_kept_until_nothing_sent_then_can_arrive(scene: Scene) -> None:
    kept = []
    for seconds, later in ((0, 5), (3600, 5), (0, SETTLE_AFTER), (0, 5)):
        scene.set_clock(seconds)
        scene.now += later
        scene.store.write(scene.sender.keep_clocks).result()
        kept.append(scene.sender._reading.wall)
    assert kept[1] == kept[0]
    assert kept[3] == scene.now


def test_a_wait_by_a_clock_that_was_ahead_is_not_drawn_out_by_the_next_engine(scene: Scene) -> None:
    scene.change(title="asked to wait")
    scene.set_clock(3600)
    scene.fail("patch", RateLimited("not now", status=429, retry_after=20.0))
    scene.send()
    scene.platform.step = None
    scene.backoff.adjust_to_clock(3600)
    scene.set_clock(-3600)
    scene.store.write(scene.sender.keep_clocks).result()
    start_anew(scene)
    scene.send(MAX_TARGET_WAIT + 1)
    assert scene.states() == [ChangeState.CONFIRMED]


def test_a_wait_that_began_right_before_the_clock_was_set_back_is_not_drawn_out(scene: Scene) -> None:
    scene.change(title="asked to wait")
    assert scene.sender.next_at() is not None
    scene.set_clock(3600)
    scene.fail("patch", RateLimited("not now", status=429, retry_after=20.0))
    scene.send()
    scene.platform.step = None
    scene.backoff.adjust_to_clock(3600)
    scene.set_clock(-3600)
    scene.send(MAX_TARGET_WAIT + 1)
    assert scene.states() == [ChangeState.CONFIRMED]


def test_a_wait_of_a_change_behind_another_is_not_drawn_out(scene: Scene) -> None:
    scene.change(title="first")
    scene.change(body="second")
    scene.fail("patch", RateLimited("not now", status=429, retry_after=20.0))
    scene.send()
    assert scene.sender.next_at() is not None
    scene.platform.step = None
    scene.backoff.adjust_to_clock(3600)
    scene.set_clock(-3600)
    scene.services.outbox.drop(1).result()
    scene.send(40)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]


def test_the_next_engine_keeps_the_hold_of_a_change_made_before_the_clock_was_set_ahead(scene: Scene) -> None:
    scene.store.write(scene.sender.keep_clocks).result()
    scene.change(title="held")
    scene.set_clock(3600)
    start_anew(scene)
    scene.send(TASK_HOLD_SECONDS - 0.25)
    assert scene.platform.count("patch") == 0
    scene.send(0.25)
    assert scene.platform.count("patch") == 1


def test_a_clock_set_ahead_before_the_engine_sees_a_change_leaves_its_hold(scene: Scene) -> None:
    assert scene.sender.next_at() is None
    scene.change(title="held")
    scene.set_clock(3600)
    scene.send(0)
    assert scene.platform.count("patch") == 0
    scene.send(TASK_HOLD_SECONDS)
    assert scene.platform.count("patch") == 1

"""Each change exactly once, never over a colleague, whatever happens between."""

import asyncio
from typing import Any

import apsw
import pytest

from frontdesk.outbox import queue
from frontdesk.outbox.delivery import MAX_AGE, WAITED_DAY
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage.records import ChangeState
from frontdesk_api.client.errors import MAX_RETRY_AFTER, Ambiguous, NotSent, RateLimited, ServerError
from frontdesk_api.contract.ids import TagId
from sync.scene import DONE, HERE, ONE, STANDBY, TWO, Scene


def test_a_tag_taken_back_while_something_else_is_sent_is_not_sent(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()

    def undo_and_wait() -> None:
        undoing = scene.services.outbox.undo()
        assert undoing is not None
        undoing.result()
        scene.now += 10

    scene.once("get", undo_and_wait)
    scene.send()
    scene.send(10)
    assert scene.platform.count("tags") == 0
    assert scene.states() == [ChangeState.CONFIRMED, ChangeState.UNDONE]


def test_a_change_undone_while_its_task_is_read_stays_undone(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()

    def undo_under_a_colleague() -> None:
        undoing = scene.services.outbox.undo()
        assert undoing is not None
        undoing.result()
        scene.platform.tasks["t1"]["statusCase"] = "standby"

    scene.once("get", undo_under_a_colleague)
    scene.send()
    assert scene.states() == [ChangeState.UNDONE]
    assert scene.platform.count("patch") == 0


def test_an_unknown_change_dropped_while_it_is_read_back_is_never_sent(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.fail("patch", Ambiguous("lost"))
    scene.send()
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.once("get", lambda: scene.services.outbox.drop(1).result())
    scene.send(60)
    scene.send(60)
    assert scene.states() == [ChangeState.DROPPED]
    assert scene.platform.count("patch") == 1


def test_a_change_whose_answer_was_lost_is_confirmed_as_soon_as_it_is_seen_to_have_arrived(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.fail("patched", Ambiguous("lost"))
    scene.send()
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.send(10)
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == 1


def test_a_change_that_is_not_seen_yet_is_not_sent_again_before_it_can_no_longer_arrive(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.fail("patch", Ambiguous("lost"))
    scene.send()
    scene.platform.step = None
    for _ in range(3):
        scene.send(9)
        assert scene.states() == [ChangeState.UNKNOWN]
    assert scene.platform.count("patch") == 1
    scene.send(SETTLE_AFTER)
    scene.send()
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == 2


@pytest.mark.parametrize("lands", [True, False])
def test_after_a_takeover_what_the_stopped_engine_was_sending_has_the_whole_time_to_land(
    scene: Scene, *, lands: bool
) -> None:
    """The wait counts from the takeover: the stopped one had perhaps begun to send right before."""
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.now += 2
    before = {"statusCase": "open"}
    seen = queue.unsent(scene.store.reading)
    (claimed,) = scene.store.write(lambda db: queue.claim(db, seen, "stopped", scene.now, before)).result()
    assert claimed.state is ChangeState.SENDING
    scene.now += 10 * SETTLE_AFTER
    asyncio.run(scene.sender.confirmation.adopt_orphans())
    for _ in range(3):
        scene.send(SETTLE_AFTER / 4)
        assert scene.states() == [ChangeState.UNKNOWN]
    assert scene.platform.count("patch") == 0
    if lands:
        scene.platform.tasks[ONE]["statusCase"] = DONE
    scene.send(SETTLE_AFTER / 4 + 1)
    scene.send()
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == (0 if lands else 1)
    assert scene.platform.tasks[ONE]["statusCase"] == DONE


def test_one_task_that_cannot_be_read_holds_no_other_up(scene: Scene) -> None:
    scene.fail("get", ServerError("broken", status=500), target="t1")
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.services.tasks.set_status([TWO], DONE).result()
    scene.send()
    assert scene.states()[1] is ChangeState.CONFIRMED
    assert scene.platform.tasks["t2"]["statusCase"] == "completed"


def test_what_was_meant_yesterday_is_not_sent_unasked(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()
    scene.now += MAX_AGE
    scene.services.tasks.set_status([ONE], STANDBY).result()
    scene.services.tasks.set_status([TWO], DONE).result()
    scene.send(10)
    other, new, tags, old = queue.recent(scene.services.store.reading)
    assert (old.state, tags.state, old.reason) == (ChangeState.CONFLICT, ChangeState.CONFLICT, WAITED_DAY)
    assert (new.state, other.state) == (ChangeState.CONFIRMED, ChangeState.CONFIRMED)
    assert (scene.platform.count("tags"), scene.platform.tasks["t1"]["statusCase"]) == (0, "standby")
    scene.services.outbox.retry(tags.change_id).result()
    scene.send(10)
    assert (scene.states()[-1], scene.platform.count("tags")) == (ChangeState.CONFIRMED, 1)


def test_the_tags_hosts_trouble_is_not_the_tasks(scene: Scene) -> None:
    scene.fail("tags", NotSent("no connection"))
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.send(6)
    assert scene.states() == [ChangeState.QUEUED, ChangeState.CONFIRMED]


def test_what_could_not_leave_is_taken_back(scene: Scene) -> None:
    scene.fail("tags", NotSent("offline"))
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()
    scene.send(6)
    undoing = scene.services.outbox.undo()
    assert undoing is not None
    assert undoing.result().count == 1
    scene.platform.step = None
    scene.send(120)
    assert scene.platform.count("tags") == 1, "only the try that did not leave"
    assert scene.states() == [ChangeState.UNDONE]


def test_tags_are_sent_blindly_twice_and_then_a_person_decides(scene: Scene) -> None:
    scene.fail("tags", *[Ambiguous("lost") for _ in range(4)])
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()
    scene.sender._settle_after = 5.0  # all of it within the time in which a repetition is harmless
    for _ in range(6):
        scene.send(6)
    assert scene.platform.count("tags") == 2
    assert scene.states() == [ChangeState.CONFLICT]


def test_a_retry_after_of_years_is_capped(scene: Scene) -> None:
    scene.fail("patch", RateLimited("slow", status=429, retry_after=1e9))
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.send()
    at = scene.sender.next_at()
    assert at is not None
    assert at - scene.now <= MAX_RETRY_AFTER


def test_quick_changes_whose_answer_was_lost_are_settled_together(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], STANDBY).result()
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.fail("patched", Ambiguous("lost"))
    scene.send(4)
    scene.platform.step = None
    scene.send(60)
    assert scene.states() == [ChangeState.CONFIRMED, ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == 1


def test_a_send_that_never_left_does_not_count(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.fail("patch", NotSent("no"), NotSent("no"), Ambiguous("lost"))
    for _ in range(3):
        scene.send(70)
    scene.platform.step = None
    scene.send(70)
    scene.send(70)
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.tasks["t1"]["statusCase"] == "completed"


def test_a_confirmation_that_the_store_could_not_keep_is_read_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    real = scene.store.run

    async def full(job: Any) -> Any:
        if getattr(job, "func", job).__name__ == "confirm":
            raise apsw.FullError("disk full")
        return await real(job)

    monkeypatch.setattr(scene.store, "run", full)
    with pytest.raises(apsw.FullError):
        scene.send()
    monkeypatch.setattr(scene.store, "run", real)
    scene.send()
    scene.send(60)
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("patch") == 1


def test_the_second_of_two_changes_stands_when_the_first_is_dropped(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], STANDBY).result()
    scene.services.tasks.set_status([ONE], DONE).result()
    scene.services.outbox.drop(1).result()
    scene.send(4)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]


def test_a_task_that_is_gone_refuses_its_changes(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], DONE).result()
    del scene.platform.tasks["t1"]
    scene.send()
    assert scene.states() == [ChangeState.REFUSED]

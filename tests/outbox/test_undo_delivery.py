"""Undo and redo with the sender at work: nothing is lost, doubled, or put over a colleague's change."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage import record_lookup
from frontdesk.storage.records import ChangeState
from frontdesk_api.client.errors import Ambiguous, Refused
from frontdesk_api.contract.ids import StatusId, TagId
from new_store import open_store
from sync.scene import HERE, ONE, Scene

COMPLETED = StatusId("completed")
CONFIRMED, UNDONE = ChangeState.CONFIRMED, ChangeState.UNDONE


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_store(tmp_path / "profile") as store:
        yield Scene(store)


def undo(scene: Scene) -> ActionResult:
    done = scene.services.outbox.undo().result()
    assert done is not None
    return done


def redo(scene: Scene) -> ActionResult:
    done = scene.services.outbox.redo().result()
    assert done is not None
    return done


def status(scene: Scene) -> tuple[str, str]:
    """As shown, and as the platform has it."""
    task = record_lookup.task(scene.services.store.reading, ONE)
    assert task is not None
    return task.status, scene.platform.tasks["t1"]["statusCase"]


def while_asked(scene: Scene, where: str, do: Callable[[], object], error: Exception | None = None) -> None:
    """Do this at the next such request, then let it fail."""

    def then() -> None:
        do()
        if error is not None:
            raise error

    scene.once(where, then)


def test_what_is_undone_while_it_is_held_asks_the_platform_for_nothing(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    undo(scene)
    scene.send(60)
    assert scene.platform.asked == []
    redo(scene)
    scene.send(60)
    assert status(scene) == ("completed", "completed")
    assert scene.platform.count("patch") == 1


def test_what_is_undone_while_it_is_sent_is_changed_back_behind_it(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    while_asked(scene, "patch", lambda: undo(scene))
    scene.send()
    assert status(scene) == ("open", "completed")
    scene.send()
    assert status(scene) == ("open", "open")
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert scene.platform.count("patch") == 2


def test_undone_and_redone_while_it_is_sent_is_sent_once(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    while_asked(scene, "patch", lambda: (undo(scene), redo(scene)))
    scene.send()
    scene.send(60)
    assert status(scene) == ("completed", "completed")
    assert scene.states() == [CONFIRMED, UNDONE]
    assert scene.platform.count("patch") == 1


def test_what_is_undone_while_nobody_knows_whether_it_arrived_is_changed_back_if_it_did(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    scene.fail("patched", Ambiguous("lost"))
    scene.send()
    undo(scene)
    assert status(scene) == ("open", "completed")
    scene.platform.step = None
    scene.send(10)
    scene.send()
    assert status(scene) == ("open", "open")
    assert scene.states() == [CONFIRMED, CONFIRMED]


def test_what_is_undone_while_nobody_knows_and_never_arrived_is_not_sent_again(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    scene.fail("patch", Ambiguous("lost"))
    scene.send()
    undo(scene)
    scene.platform.step = None
    for _ in range(4):
        scene.send(SETTLE_AFTER)
    assert status(scene) == ("open", "open")
    assert scene.platform.count("patch") == 1, "only the try that got lost"
    assert outbox_bulk.unconfirmed_count(scene.services.store.reading) == 0


def test_what_is_undone_while_it_is_refused_leaves_nothing_to_change_back(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    while_asked(scene, "patch", lambda: undo(scene), Refused("no such status", status=400))
    scene.send()
    scene.send()
    assert status(scene) == ("open", "open")
    assert scene.states() == [ChangeState.REFUSED, CONFIRMED]
    assert scene.platform.count("patch") == 1


def test_a_change_back_is_never_put_over_what_a_colleague_did_meanwhile(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    scene.send()
    undo(scene)
    scene.platform.tasks["t1"]["statusCase"] = "standby"
    scene.send()
    assert status(scene) == ("standby", "standby")
    assert scene.states() == [CONFIRMED, ChangeState.CONFLICT]
    assert scene.services.outbox.redo().result() is None


def test_what_was_changed_back_is_changed_forward_again_while_nothing_moved(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    scene.send()
    for turn, expected in ((undo, "open"), (redo, "completed"), (undo, "open"), (redo, "completed")):
        assert turn(scene).count == 1
        scene.send()
        assert status(scene) == (expected, expected)
    assert scene.platform.count("patch") == 5


def test_a_tag_taken_back_unsent_is_given_again_and_then_cannot_be_undone(scene: Scene) -> None:
    scene.services.inbox.give_tags([HERE], [TagId("vip")]).result()
    assert undo(scene).count == 1
    scene.send(60)
    assert scene.platform.asked == []
    assert redo(scene).count == 1
    scene.send(60)
    assert scene.platform.count("tags") == 1
    done = undo(scene)
    assert (done.count, len(done.problems)) == (0, 1)
    assert "can't remove tags" in done.problems[0]


def test_texts_written_over_a_colleagues_that_nobody_has_seen_are_a_conflict(scene: Scene) -> None:
    scene.services.tasks.edit(ONE, {"title": "Mine"}, {"title": "Task 1"}).result()
    scene.platform.tasks["t1"]["title"] = "Theirs"
    scene.send()
    (change,) = outbox_queue.recent(scene.services.store.reading)
    assert change.state is ChangeState.CONFLICT
    assert (change.fields["title"], change.theirs) == ("Mine", {"title": "Theirs"})
    assert scene.platform.count("patch") == 0


def refused_while(scene: Scene, *turns: Callable[[Scene], object]) -> None:
    """The next PATCH is refused while these are done."""
    while_asked(scene, "patch", lambda: [turn(scene) for turn in turns], Refused("no", status=400))
    scene.send()
    scene.send(60)


def test_what_was_refused_while_it_was_undone_and_redone_never_took_effect(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    refused_while(scene, undo, redo)
    done = undo(scene)
    assert (done.count, len(done.problems)) == (0, 1)
    assert "never took effect" in done.problems[0]
    assert status(scene) == ("open", "open")


def test_a_redo_that_was_refused_is_not_undone_by_doing_it(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    scene.send()
    undo(scene)
    scene.send()
    redo(scene)
    refused_while(scene, undo, redo)
    assert "never took effect" in undo(scene).problems[0]
    assert status(scene) == ("open", "open")


def test_an_undo_that_was_refused_leaves_the_deed_in_effect_and_redo_says_so(scene: Scene) -> None:
    scene.services.tasks.set_status([ONE], COMPLETED).result()
    scene.send()
    undo(scene)
    refused_while(scene, redo, undo)
    done = redo(scene)
    assert done.count == 0
    assert "it is still in effect" in done.problems[0]
    assert status(scene) == ("completed", "completed")

"""Bulk actions: planned, followed by the outbox alone, stopped between two sends, asked about before undo."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import BulkPlan, BulkRun, plan_tasks
from frontdesk.outbox.changes import USED_TAG, NotPossible
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.outbox.undo import StopResult, TooManyToUndo, UndoRequest
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState
from frontdesk.tasks import store as task_store
from frontdesk_api.client.errors import Refused
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from new_store import open_store
from sample_json import raw_task
from services import Services
from sync.scene import Scene

DONE = StatusId("completed")
SIX = [TaskId(f"t{number}") for number in range(1, 7)]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Six tasks on the platform and in the store."""
    with open_store(tmp_path / "profile") as store:
        scene = Scene(store)
        scene.platform.tasks = {each: raw_task(int(each[1:])) for each in SIX}
        raws = list(scene.platform.tasks.values())
        store.write(lambda db: task_store.put(db, raws)).result()
        yield scene


def run_of(scene: Scene) -> BulkRun:
    run = outbox_bulk.oldest_running(scene.services.store.reading, scene.now)
    assert run is not None
    return run


def on_platform(scene: Scene) -> set[str]:
    return {each for each, raw in scene.platform.tasks.items() if raw["statusCase"] == DONE}


def test_a_plan_tells_what_changes_what_is_so_already_and_what_is_gone(store: Store, services: Services) -> None:
    raws = [raw_task(1), raw_task(2, statusCase="completed"), raw_task(3, assignedAgentIds=["noa"])]
    store.write(lambda db: task_store.put(db, raws)).result()
    one, two, three, gone = (TaskId(each) for each in ("t1", "t2", "t3", "t9"))
    ids = [three, gone, one, two]

    def planned(ids: list[TaskId], fields: dict[str, Any]) -> BulkPlan:
        return plan_tasks(task_store.shown_values(store.reading, ids, tuple(fields)), ids, fields)

    plan = planned(ids, {"statusCase": DONE})
    assert (plan.will, plan.already, plan.gone) == ((three, one), (two,), (gone,))
    assert planned(ids, {ASSIGNED: {"add": [AgentId("noa")], "remove": []}}).already == (three,)
    assert planned(ids, {"dueDate": 0}).will == ()
    services.tasks.set_status([one], DONE).result()
    assert planned([one], {"statusCase": DONE}).will == (), "what waits to be sent is so already"


def at(scene: Scene, where: tuple[str, str], do: Callable[[], object], refused: str = "") -> None:
    """Do this at one request, and refuse the PATCHes of one task."""

    async def step(what: str, target: str) -> None:
        if (what, target) == where:
            do()
        if (what, target) == ("patch", refused):
            raise Refused("no such status", status=400)

    scene.platform.step = step


def test_how_far_it_is_is_told_by_the_outbox_alone_so_that_a_restart_goes_on(scene: Scene) -> None:
    done = scene.services.tasks.set_status(SIX, DONE).result()
    assert run_of(scene) == BulkRun(done.batch, "Status: Completed", ChangeKind.TASK, 6, 0, 0, 0)
    seen: list[BulkRun | None] = []

    def look_anew() -> None:
        with Store(scene.store.folder) as again:
            seen.append(
                outbox_bulk.oldest_running(Services(again, scene.services.store.profile).store.reading, scene.now)
            )

    at(scene, ("get", "t4"), look_anew, refused="t2")
    scene.send()
    assert seen == [BulkRun(done.batch, "Status: Completed", ChangeKind.TASK, 6, 3, 1, 2)]
    assert outbox_bulk.oldest_running(scene.services.store.reading, scene.now) is None
    assert outbox_bulk.outcome(scene.services.store.reading, done.batch)[:2] == (5, 1)
    assert [change.target for change in outbox_bulk.failures(scene.services.store.reading)] == ["t2"]


def test_a_run_is_seen_behind_many_single_changes_that_wait(scene: Scene) -> None:
    for number in range(25):
        scene.services.tasks.set_due([TaskId("t1")], number + 1).result()
    done = scene.services.tasks.set_status(SIX, DONE).result()
    assert run_of(scene).batch == done.batch


def test_a_deed_on_a_few_is_no_run(scene: Scene) -> None:
    scene.services.tasks.set_status(SIX[:4], DONE).result()
    assert outbox_bulk.oldest_running(scene.services.store.reading, scene.now) is None


@pytest.mark.parametrize(
    ("where", "sent"), [(("get", "t4"), {"t1", "t2", "t3"}), (("patch", "t4"), {"t1", "t2", "t3", "t4"})]
)
def test_a_stop_takes_back_what_waits_and_nothing_that_is_on_its_way(
    scene: Scene, where: tuple[str, str], sent: set[str]
) -> None:
    done = scene.services.tasks.set_status(SIX, DONE).result()
    stopped: list[StopResult] = []
    at(scene, where, lambda: stopped.append(scene.services.outbox.stop(done.batch).result()))
    scene.send()
    assert stopped == [StopResult(6 - len(sent), len(sent))]
    assert on_platform(scene) == sent
    shown = {
        each
        for each in SIX
        if (task := record_lookup.task(scene.services.store.reading, each)) is not None and task.status == DONE
    }
    assert shown == sent
    scene.send()
    assert on_platform(scene) == sent, "what was taken back is never sent"
    undone = scene.services.outbox.undo().result()
    assert isinstance(undone, ActionResult)
    assert (undone.count, undone.problems) == (len(sent), ())
    scene.send()
    assert on_platform(scene) == set()
    again = scene.services.outbox.redo().result()
    assert isinstance(again, ActionResult)
    assert again.count == len(sent), "what was stopped is not brought by a redo"


def test_a_stopped_undo_leaves_the_rest_done_and_goes_on(scene: Scene) -> None:
    done = scene.services.tasks.set_status(SIX, DONE).result()
    scene.send()
    scene.now += 1
    scene.services.outbox.undo().result()
    assert run_of(scene).label == "Undo: Status Completed"
    stopped: list[StopResult] = []
    at(scene, ("get", "t3"), lambda: stopped.append(scene.services.outbox.stop(done.batch).result()))
    scene.send()
    assert stopped == [StopResult(4, 2, ChangeState.UNDONE)]
    assert on_platform(scene) == {"t3", "t4", "t5", "t6"}
    scene.platform.step = None
    rest = scene.services.outbox.undo().result()
    assert isinstance(rest, ActionResult)
    assert rest.count == 4
    scene.send()
    assert on_platform(scene) == set()


def test_what_failed_is_sent_again_together(scene: Scene) -> None:
    scene.services.tasks.set_status(SIX, DONE).result()
    at(scene, ("", ""), lambda: None, refused="t2")
    scene.send()
    failed = [change.change_id for change in outbox_bulk.failures(scene.services.store.reading)]
    scene.platform.step = None
    assert scene.services.outbox.retry_all(failed).result() == 1
    scene.send()
    assert on_platform(scene) == set(SIX)
    with pytest.raises(NotPossible, match="none of these changes needs"):
        scene.services.outbox.retry_all(failed).result()


def test_a_large_deed_is_not_turned_unasked_and_no_other_in_its_place(services: Services, store: Store) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(number) for number in range(1, 7)])).result()
    done = services.tasks.set_status(SIX, DONE).result()
    asked = services.outbox.undo(UndoRequest(above=5)).result()
    assert isinstance(asked, TooManyToUndo)
    assert (asked.label, asked.batch, asked.count, asked.first.kind) == (
        "Status: Completed",
        done.batch,
        6,
        ChangeKind.TASK,
    )
    assert asked.first is not None
    assert asked.first.target == "t1"
    assert services.outbox.undo(UndoRequest(above=6, confirmed_batch="another")).result() == ActionResult(
        0, ("Nothing was undone, because something else was changed first.",), label="Status: Completed"
    )
    assert {change.state for change in outbox_queue.recent(services.store.reading)} == {ChangeState.HELD}
    undone = services.outbox.undo(UndoRequest(above=5, confirmed_batch=done.batch)).result()
    assert isinstance(undone, ActionResult)
    assert undone.count == 6
    assert isinstance(services.outbox.redo(UndoRequest(above=5)).result(), TooManyToUndo)


def test_tags_used_last_come_first_also_after_a_restart(services: Services, store: Store, folder: Path) -> None:
    here = [ConversationId("L1#C1")]
    services.inbox.give_tags(here, [TagId("new")]).result()
    services.store.clock = lambda: 9e9
    services.inbox.give_tags(here, [TagId("late")]).result()
    with Store(folder) as again:
        later = Services(again, services.store.profile)
        used = [TagId(each) for each in reversed(outbox_queue.all_kept(later.store.reading, USED_TAG))]
        assert [tag.id for tag in later.store.catalogue.tags((), used)] == ["late", "new", "vip"]

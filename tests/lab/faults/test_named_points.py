"""The engine ends at a named point of a change's way, and the next one brings it to its end.

Between any two of these points the state of a change in the store, on its way or on the platform differs.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.outbox import changes as outbox_changes
from frontdesk.outbox import queue
from frontdesk.outbox.changes import OutboxTransaction
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import OUTBOX_FILE, STORE_FILE
from frontdesk.storage.records import ChangeState, Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import StatusId, TaskId
from lab.faults import cuts, processes
from lab.faults.scene import Scene, opened, wait
from lab.sample import cases

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("named points")]

DUE = processes.FIRST_DUE + 1
DONE = StatusId("completed")
LOSES_AN_ANSWER = {"path": "^/tasks/", "method": "PATCH", "kind": "drop", "times": 1}


@pytest.fixture(scope="module")
def scene(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with opened(tmp_path_factory.mktemp("points"), seeded, how_many=len(cuts.POINTS) + 4) as opened_scene:
        yield opened_scene


def put_down(store: Store, task_id: TaskId, due: int) -> None:
    """Two changes of one task, which become one PATCH."""

    def change(db: object) -> None:
        for fields in ({"dueDate": due}, {"statusCase": DONE}):
            task_changes.change_tasks(db, [task_id], fields, Made(f"b{due}", "change", time.time()))  # type: ignore[arg-type]

    store.write(change).result()


@pytest.mark.parametrize("point", cases(cuts.POINTS, 5))
def test_cut_off_at_a_point_the_change_arrives_once(scene: Scene, point: str) -> None:
    number = cuts.POINTS.index(point)
    task_id, due = scene.task_ids[number], DUE + number
    with Store(scene.store_folder) as store:
        put_down(store, task_id, due)
        if "orphans" in point:
            seen = queue.live_for(store.reading, task_id)
            assert store.write(lambda db: queue.claim(db, seen, "dead", 0.0)).result()
    if "doubt" in point or "settlement" in point:
        loses = {**LOSES_AN_ANSWER, "after": "doubt" in point}
        scene.ask("PUT", "/sandbox/faults", [loses])
    engine = scene.engine(cut_at=point)
    engine.join(30)
    assert engine.exitcode == cuts.STATUS, "the point was met"
    scene.wait_until_settled(30)
    ours = [change for change in scene.changes() if change.target == task_id]
    assert [change.state for change in ours] == [ChangeState.CONFIRMED, ChangeState.CONFIRMED]
    sent = [patch["fields"] for patch in scene.patches() if patch["task"] == task_id]
    assert sent == [{"dueDate": due, "statusCase": DONE}]
    assert scene.ask("GET", f"/tasks/{task_id}")["task"]["unreadCount"] == 1


@pytest.mark.parametrize("lost", [STORE_FILE, OUTBOX_FILE])
@pytest.mark.parametrize("deed", ["made", "settled"])
def test_a_commit_that_came_into_one_file_only_is_put_right(
    scene: Scene, tmp_path: Path, lost: str, deed: str
) -> None:
    """Killed between the commits of the two files, each of which is one transaction of its own."""
    task_id, folder = scene.task_ids[len(cuts.POINTS)], tmp_path / "profile"
    before, after = tmp_path / "before", tmp_path / "after"
    with Store(folder) as store:
        raw = scene.ask("GET", f"/tasks/{task_id}")["task"]
        store.write(lambda db: task_store.put(db, [raw])).result()
        if deed == "settled":
            put_down(store, task_id, DUE)
    shutil.copytree(folder, before)
    with Store(folder) as store:
        if deed == "made":
            put_down(store, task_id, DUE)
        else:
            for each in queue.live_for(store.reading, task_id):
                store.write(
                    lambda db, each=each: outbox_changes.drop(
                        OutboxTransaction(db, CHANGE_HANDLERS, 1.0), each.change_id
                    )
                ).result()
    shutil.copytree(folder, after)
    shutil.rmtree(folder)
    shutil.copytree(after, folder)
    for part in folder.glob(f"{lost}*"):
        part.unlink()
    for part in before.glob(f"{lost}*"):
        shutil.copy(part, folder)
    with Store(folder) as store:
        live = queue.live_for(store.reading, task_id)
        assert bool(live) == ((deed == "made") == (lost == STORE_FILE))
        wanted = ("dueDate", "statusCase") if live else ()
        assert _pending(store, task_id) != wanted
        engine = processes.start(processes.engine, folder, "http://127.0.0.1:9", 1.0)
        try:
            wait(lambda: _pending(store, task_id) == wanted, 20, lambda: _pending(store, task_id))
        finally:
            processes.kill(engine)


def _pending(store: Store, task_id: TaskId) -> tuple[str, ...]:
    task = record_lookup.task(store.reading, task_id)
    assert task is not None
    return tuple(task.pending)

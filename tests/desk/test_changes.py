"""What a person does: at once on the screen, undone while nothing else moved."""

import pytest

from frontdesk.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk.desk.changes import NotPossible
from frontdesk.desk.desk import Desk, Done
from frontdesk.store import outbox, tasks
from frontdesk.store.records import ChangeState
from frontdesk.store.store import Store
from raws import raw_task

ONE, TWO = TaskId("t1"), TaskId("t2")
ME, NOA = AgentId("me"), AgentId("noa")
DONE = StatusId("completed")


@pytest.fixture(autouse=True)
def two_tasks(store: Store) -> None:
    raws = [raw_task(1, assignedAgentIds=["noa"]), raw_task(2)]
    store.write(lambda db: tasks.put(db, raws, 1)).result()


def settle(store: Store, state: ChangeState) -> None:
    """As the sender would: every unsettled change ends in this state, the platform agreeing."""

    def job(db: object) -> None:
        for change in outbox.unsent(db):  # type: ignore[arg-type]
            shown = tasks.task(db, TaskId(change.target))  # type: ignore[arg-type]
            if state is ChangeState.CONFIRMED and shown is not None:
                raw = {**shown.raw, "statusCase": shown.status, "assignedAgentIds": list(shown.assigned)}
                tasks.put(db, [raw], 1)  # type: ignore[arg-type]
            outbox.claim(db, [change], "test", 9e9)  # type: ignore[arg-type]
            outbox.move(db, change.change_id, state, expected=(ChangeState.SENDING,), now=1.0)  # type: ignore[arg-type]
            tasks.lay_over_again(db, TaskId(change.target))  # type: ignore[arg-type]

    store.write(job).result()


def undone(desk: Desk) -> Done:
    done = desk.undo().result()
    assert done is not None
    return done


def status(desk: Desk, task_id: TaskId = ONE) -> str:
    task = desk.reads.task(task_id)
    assert task is not None
    return task.status


def test_a_change_of_many_is_one_batch_and_undone_as_one(desk: Desk) -> None:
    assert desk.set_status([ONE, TWO], DONE).result().count == 2
    assert undone(desk).count == 2
    assert (status(desk), status(desk, TWO)) == ("open", "open")
    assert {change.state for change in desk.reads.changes()} == {ChangeState.UNDONE}


def test_setting_what_is_set_already_sends_nothing(desk: Desk) -> None:
    assert desk.set_status([ONE], StatusId("open")).result().count == 0
    assert desk.reads.unsent() == 0
    assert desk.undo().result() is None


def test_a_confirmed_change_is_undone_by_the_values_before(store: Store, desk: Desk) -> None:
    desk.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    undone(desk)
    assert status(desk) == "open"
    assert desk.reads.changes()[0].fields == {"statusCase": "open"}


def test_undo_says_no_when_someone_moved_it_since(store: Store, desk: Desk) -> None:
    desk.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    store.write(lambda db: tasks.put(db, [raw_task(1, statusCase="standby")], 1)).result()
    done = undone(desk)
    assert done.count == 0
    assert "changed again since" in done.problems[0]
    assert status(desk) == "standby"


def test_assigning_adds_and_removes_and_leaves_others(store: Store, desk: Desk) -> None:
    desk.assign([ONE, TWO], [ME], []).result()
    task = desk.reads.task(ONE)
    assert task is not None
    assert task.assigned == ("noa", "me")
    settle(store, ChangeState.CONFIRMED)
    undone(desk)
    task = desk.reads.task(ONE)
    assert task is not None
    assert task.assigned == ("noa",)


def test_tags_are_held_and_then_say_that_they_cannot_be_undone(store: Store, desk: Desk) -> None:
    here = ConversationId("L1#C1")
    desk.give_tags([here], [TagId("vip")]).result()
    assert [state for _, _, state in desk.reads.tags_given(here)] == [ChangeState.HELD]
    settle(store, ChangeState.CONFIRMED)
    assert "can't take tags off" in undone(desk).problems[0]


def test_a_refused_change_is_dropped_or_sent_again(store: Store, desk: Desk) -> None:
    desk.set_status([ONE], DONE).result()
    settle(store, ChangeState.REFUSED)
    assert status(desk) == "open"
    change = desk.reads.changes()[0]
    desk.retry(change.change_id).result()
    assert status(desk) == "completed"
    with pytest.raises(NotPossible):
        desk.retry(change.change_id).result()
    again = desk.reads.changes()[0]
    desk.drop(again.change_id).result()
    assert status(desk) == "open"


def test_an_open_change_survives_a_restart(store: Store, desk: Desk) -> None:
    desk.set_status([ONE], DONE).result()
    folder = store.folder
    with Store(folder) as again:
        task = tasks.task(again.reading, ONE)
        assert task is not None
        assert task.status == "completed"

"""What a person does: at once on the screen, undone while nothing else moved."""

from pathlib import Path

import apsw
import pytest

from frontdesk.outbox import batches, queue
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from sample_json import raw_task
from services import Services

ONE, TWO = TaskId("t1"), TaskId("t2")
ME, NOA = AgentId("me"), AgentId("noa")
DONE = StatusId("completed")


@pytest.fixture(autouse=True)
def two_tasks(store: Store) -> None:
    raws = [raw_task(1, assignedAgentIds=["noa"]), raw_task(2)]
    store.write(lambda db: task_store.put(db, raws)).result()


def settle(store: Store, state: ChangeState) -> None:
    """As the sender would: every unsettled change ends in this state, the platform agreeing."""

    def job(db: object) -> None:
        for change in queue.unsent(db):  # type: ignore[arg-type]
            shown = record_lookup.task(db, TaskId(change.target))  # type: ignore[arg-type]
            if state is ChangeState.CONFIRMED and shown is not None:
                raw = {**shown.raw, "statusCase": shown.status, "assignedAgentIds": list(shown.assigned)}
                task_store.put(db, [raw])  # type: ignore[arg-type]
            queue.claim(db, [change], "test", 9e9)  # type: ignore[arg-type]
            queue.move(db, change.change_id, state, expected=(ChangeState.SENDING,), now=1.0)  # type: ignore[arg-type]
            task_store.refresh_overlay(db, [TaskId(change.target)])  # type: ignore[arg-type]

    store.write(job).result()


def undone(services: Services) -> ActionResult:
    done = services.outbox.undo().result()
    assert done is not None
    return done


def status(services: Services, task_id: TaskId = ONE) -> str:
    task = record_lookup.task(services.store.reading, task_id)
    assert task is not None
    return task.status


def test_a_change_of_many_is_one_batch_and_undone_as_one(services: Services) -> None:
    assert services.tasks.set_status([ONE, TWO], DONE).result().count == 2
    assert undone(services).count == 2
    assert (status(services), status(services, TWO)) == ("open", "open")
    assert {change.state for change in queue.recent(services.store.reading)} == {ChangeState.UNDONE}


def test_setting_what_is_set_already_sends_nothing(services: Services) -> None:
    assert services.tasks.set_status([ONE], StatusId("open")).result().count == 0
    assert outbox_bulk.unconfirmed_count(services.store.reading) == 0
    assert services.outbox.undo().result() is None


def test_a_confirmed_change_is_undone_by_the_values_before(store: Store, services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    undone(services)
    assert status(services) == "open"
    assert queue.recent(services.store.reading)[0].fields == {"statusCase": "open"}


def test_undo_says_no_when_someone_moved_it_since(store: Store, services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    store.write(lambda db: task_store.put(db, [raw_task(1, statusCase="standby")])).result()
    done = undone(services)
    assert done.count == 0
    assert "it has changed since then" in done.problems[0]
    assert status(services) == "standby"


def test_a_bulk_undo_that_fails_everywhere_says_on_how_many(store: Store, services: Services) -> None:
    services.tasks.set_status([ONE, TWO], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    moved = [raw_task(number, statusCase="standby") for number in (1, 2)]
    store.write(lambda db: task_store.put(db, moved)).result()
    done = undone(services)
    assert done.problems == ("Status: Completed on any of the 2 tasks: it has changed since then",)


def test_assigning_adds_and_removes_and_leaves_others(store: Store, services: Services) -> None:
    services.tasks.assign([ONE, TWO], [ME], []).result()
    task = record_lookup.task(services.store.reading, ONE)
    assert task is not None
    assert task.assigned == ("noa", "me")
    settle(store, ChangeState.CONFIRMED)
    undone(services)
    task = record_lookup.task(services.store.reading, ONE)
    assert task is not None
    assert task.assigned == ("noa",)


def test_tags_are_held_and_then_say_that_they_cannot_be_undone(store: Store, services: Services) -> None:
    here = ConversationId("L1#C1")
    services.inbox.give_tags([here], [TagId("vip")]).result()
    assert [state for _, _, state in queue.added_tags(services.store.reading, here)] == [ChangeState.HELD]
    settle(store, ChangeState.CONFIRMED)
    assert "can't remove tags" in undone(services).problems[0]


def test_what_cannot_be_resent_or_dropped_is_called_by_its_state(store: Store, services: Services) -> None:
    services.inbox.give_tags([ConversationId("L1#C1")], [TagId("vip")]).result()
    change = queue.recent(services.store.reading)[0]
    with pytest.raises(NotPossible, match="it is waiting to send: you can only resend"):
        services.outbox.retry(change.change_id).result()
    settle(store, ChangeState.SENDING)
    with pytest.raises(NotPossible, match="it is being sent, so it can't be discarded"):
        services.outbox.drop(change.change_id).result()


def test_a_refused_change_is_dropped_or_sent_again(store: Store, services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.REFUSED)
    assert status(services) == "open"
    change = queue.recent(services.store.reading)[0]
    services.outbox.retry(change.change_id).result()
    assert status(services) == "completed"
    with pytest.raises(NotPossible):
        services.outbox.retry(change.change_id).result()
    again = queue.recent(services.store.reading)[0]
    services.outbox.drop(again.change_id).result()
    assert status(services) == "open"


def test_an_open_change_survives_a_restart(store: Store, services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    folder = store.folder
    with Store(folder) as again:
        task = record_lookup.task(again.reading, ONE)
        assert task is not None
        assert task.status == "completed"


def again(services: Services) -> ActionResult:
    done = services.outbox.redo().result()
    assert done is not None
    return done


def other(store: Store, services: Services) -> Services:
    """The same person in another pane."""
    return Services(store, services.store.profile, clock=services.store.clock)


def test_undo_works_after_a_restart_and_from_another_process(
    folder: Path, store: Store, services: Services
) -> None:
    services.tasks.set_status([ONE], DONE).result()
    services.tasks.set_status([TWO], DONE).result()
    with Store(folder) as pane:
        assert undone(other(pane, services)).count == 1
    assert (status(services), status(services, TWO)) == ("completed", "open")
    store.close()
    with Store(folder) as reopened:
        later = other(reopened, services)
        assert undone(later).count == 1
        assert later.outbox.undo().result() is None
        assert [again(later).label for _ in range(2)] == ["Status: Completed"] * 2
        assert later.outbox.redo().result() is None
        assert (status(later), status(later, TWO)) == ("completed", "completed")


def test_what_is_done_after_an_undo_ends_redo(services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    undone(services)
    services.tasks.set_status([TWO], DONE).result()
    assert services.outbox.redo().result() is None
    assert undone(services).count == 1
    assert services.outbox.undo().result() is None


def test_a_part_is_undone_and_the_rest_says_why_not_and_only_the_part_is_redone(
    store: Store, services: Services
) -> None:
    services.tasks.set_status([ONE, TWO], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    moved = raw_task(1, statusCase="standby", assignedAgentIds=["noa"])
    store.write(lambda db: task_store.put(db, [moved])).result()
    done = undone(services)
    assert done.count == 1
    assert done.problems == ("Status: Completed on 1 of the 2 tasks: it has changed since then",)
    assert (status(services), status(services, TWO)) == ("standby", "open")
    assert again(services).count == 1
    assert (status(services), status(services, TWO)) == ("standby", "completed")


def test_undo_of_people_takes_off_whom_it_put_on_and_nobody_whom_a_colleague_added(
    store: Store, services: Services
) -> None:
    services.tasks.assign([ONE], [ME], [NOA]).result()
    settle(store, ChangeState.CONFIRMED)
    store.write(lambda db: task_store.put(db, [raw_task(1, assignedAgentIds=["me", "omar"])])).result()
    assert undone(services).count == 1
    task = record_lookup.task(services.store.reading, ONE)
    assert task is not None
    assert set(task.assigned) == {"omar", "noa"}


def test_a_refused_deed_says_that_it_never_took_effect_and_makes_way(store: Store, services: Services) -> None:
    services.tasks.set_status([TWO], DONE).result()
    services.tasks.set_status([ONE], DONE).result()
    settle_one(store, ONE, ChangeState.REFUSED)
    assert "never took effect" in undone(services).problems[0]
    assert undone(services).count == 1
    assert status(services, TWO) == "open"


def settle_one(store: Store, task_id: TaskId, state: ChangeState) -> None:
    def job(db: apsw.Connection) -> None:
        (change,) = queue.live_for(db, task_id)
        queue.claim(db, [change], "test", 9e9)
        queue.move(db, change.change_id, state, expected=(ChangeState.SENDING,), now=1.0)
        task_store.refresh_overlay(db, [task_id])

    store.write(job).result()


def test_a_change_given_up_in_activity_is_no_deed_to_undo(services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    services.tasks.set_status([TWO], DONE).result()
    services.outbox.drop(queue.recent(services.store.reading)[0].change_id).result()
    assert undone(services).count == 1
    assert (status(services), status(services, TWO)) == ("open", "open")


def test_both_texts_of_a_task_are_one_change_and_one_undo(services: Services) -> None:
    done = services.tasks.edit(ONE, {"title": "New", "body": "a\nb"}, {"title": "Task 1", "body": ""}).result()
    assert done.count == 1
    task = record_lookup.task(services.store.reading, ONE)
    assert task is not None
    assert (task.title, task.body, len(queue.recent(services.store.reading))) == ("New", "a\nb", 1)
    assert undone(services).label == "Edit title and text"
    task = record_lookup.task(services.store.reading, ONE)
    assert task is not None
    assert (task.title, task.body) == ("Task 1", "")


def test_a_text_that_someone_else_changed_while_it_was_written_is_a_conflict(
    store: Store, services: Services
) -> None:
    theirs = raw_task(1, title="Theirs")
    store.write(lambda db: task_store.put(db, [theirs])).result()
    done = services.tasks.edit(ONE, {"title": "Mine"}, {"title": "Task 1"}).result()
    assert done.count == 0
    assert "someone else changed this while you were editing" in done.problems[0]
    (change,) = queue.recent(services.store.reading)
    assert change.state is ChangeState.CONFLICT
    assert (change.fields, change.base, change.theirs) == (
        {"title": "Mine"},
        {"title": "Task 1"},
        {"title": "Theirs"},
    )
    services.outbox.retry(change.change_id).result()
    task = record_lookup.task(services.store.reading, ONE)
    assert task is not None
    assert task.title == "Mine"
    assert undone(services).count == 1, "what was retried belongs to its deed"


def test_texts_that_are_so_already_change_nothing(services: Services) -> None:
    assert services.tasks.edit(ONE, {"title": "Task 1"}, {"title": "old"}).result().count == 0
    assert services.outbox.undo().result() is None


@pytest.mark.slow
def test_only_so_many_deeds_are_kept(services: Services) -> None:
    for number in range(batches.MAX_BATCHES + 3):
        services.tasks.set_due([ONE], 1_800_000_000 + number).result()
    left = 0
    while services.outbox.undo().result() is not None:
        left += 1
    assert left == batches.MAX_BATCHES


def test_the_texts_behind_one_that_is_gone_begin_where_it_began(store: Store, services: Services) -> None:
    services.tasks.edit(ONE, {"title": "A", "body": "a"}, {"title": "Task 1", "body": ""}).result()
    services.tasks.edit(ONE, {"title": "B"}, {"title": "A"}).result()
    services.tasks.edit(ONE, {"body": "b"}, {"body": "a"}).result()
    services.outbox.drop(1).result()
    bases = {
        name: value for change in queue.recent(services.store.reading)[:2] for name, value in change.base.items()
    }
    assert bases == {"title": "Task 1", "body": ""}


def test_a_dropped_refusal_leaves_what_was_done_after_it_as_it_is(store: Store, services: Services) -> None:
    """What stood behind it was given its beginning when it was refused."""
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    services.tasks.set_status([TaskId("t1")], StatusId("standby")).result()
    (refused,) = queue.recent(services.store.reading)

    def refuse(db: apsw.Connection) -> None:
        queue.move(db, refused.change_id, ChangeState.REFUSED, expected=tuple(ChangeState), now=1.0)
        task_store.put(db, [raw_task(1, statusCase="pending")])

    store.write(refuse).result()
    services.tasks.set_status([TaskId("t1")], StatusId("completed")).result()
    services.outbox.drop(refused.change_id).result()
    assert queue.recent(services.store.reading)[0].base == {"statusCase": "pending"}


def test_what_waits_for_a_decision_is_listed_however_much_was_done_since(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(number) for number in range(600)])).result()
    services.tasks.set_status([TaskId("t1")], StatusId("standby")).result()
    (old,) = queue.recent(services.store.reading)
    store.write(
        lambda db: queue.move(db, old.change_id, ChangeState.CONFLICT, expected=tuple(ChangeState), now=1.0)
    ).result()
    services.tasks.set_status([TaskId(f"t{number}") for number in range(600)], StatusId("completed")).result()
    assert old.change_id in {each.change_id for each in queue.recent(services.store.reading)}

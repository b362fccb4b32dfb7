"""Undo of chosen changes, which need not be of the last action, and the order in which redo follows."""

from collections.abc import Callable

import pytest

from frontdesk.outbox import batches, queue
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.labels import inline_label, shown_label, undo_label
from frontdesk.outbox.undo import TooManyToUndo, UndoRequest
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import StatusId, TaskId
from outbox.test_changes import settle, status
from sample_json import raw_task
from services import Services

ONE, TWO, THREE = (TaskId(f"t{number}") for number in (1, 2, 3))
DONE, WAITING = StatusId("completed"), StatusId("standby")


@pytest.fixture(autouse=True)
def three_tasks(store: Store) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(number) for number in (1, 2, 3)])).result()


def changes(services: Services, label: str = "") -> list[Change]:
    return [each for each in queue.recent(services.store.reading) if not label or each.label == label]


def undo(services: Services, *found: Change) -> ActionResult:
    done = services.outbox.undo(UndoRequest(changes=tuple(each.change_id for each in found))).result()
    assert isinstance(done, ActionResult)
    return done


def test_an_earlier_action_is_undone_and_redone_in_its_turn(store: Store, services: Services) -> None:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    services.tasks.set_status([TWO], WAITING).result()
    earlier = next(each for each in changes(services) if each.target == ONE)
    assert undo(services, earlier).count == 1
    assert (status(services, ONE), status(services, TWO)) == ("open", "standby")
    assert services.outbox.undo().result().count == 1  # type: ignore[union-attr]
    assert status(services, TWO) == "open"
    services.outbox.redo().result()
    assert (status(services, ONE), status(services, TWO)) == ("open", "standby"), (
        "what was undone last is redone first"
    )
    services.outbox.redo().result()
    assert status(services, ONE) == "completed"


def test_one_record_of_many_is_undone_and_the_rest_with_the_next_undo(services: Services) -> None:
    services.tasks.set_status([ONE, TWO, THREE], DONE).result()
    two = next(each for each in changes(services) if each.target == TWO)
    done = undo(services, two)
    assert (done.count, done.is_partial) == (1, True)
    assert [status(services, each) for each in (ONE, TWO, THREE)] == ["completed", "open", "completed"]
    assert services.outbox.undo().result().count == 2  # type: ignore[union-attr]
    assert [status(services, each) for each in (ONE, TWO, THREE)] == ["open"] * 3


def test_many_are_confirmed_first(services: Services) -> None:
    services.tasks.set_status([ONE, TWO, THREE], DONE).result()
    ids = tuple(each.change_id for each in changes(services))
    asked = services.outbox.undo(UndoRequest(above=2, changes=ids)).result()
    assert isinstance(asked, TooManyToUndo)
    assert asked.count == 3
    done = services.outbox.undo(UndoRequest(above=2, confirmed_batch=asked.batch, changes=ids)).result()
    assert isinstance(done, ActionResult)
    assert (done.count, done.is_partial) == (3, False)


def refuse(store: Store, services: Services) -> Change:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.REFUSED)
    return changes(services)[0]


def undone_already(store: Store, services: Services) -> Change:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    services.outbox.undo().result()
    return changes(services)[-1]


def an_undo(store: Store, services: Services) -> Change:
    undone_already(store, services)
    return changes(services)[0]


def discarded(_: Store, services: Services) -> Change:
    services.tasks.set_status([ONE], DONE).result()
    return services.outbox.drop(changes(services)[0].change_id).result()


def too_old(store: Store, services: Services) -> Change:
    services.tasks.set_status([ONE], DONE).result()
    settle(store, ChangeState.CONFIRMED)
    store.write(lambda db: db.execute("DELETE FROM outbox.deeds")).result()
    return changes(services)[0]


def done_again(store: Store, services: Services) -> Change:
    first = undone_already(store, services)
    settle(store, ChangeState.CONFIRMED)
    services.outbox.redo().result()
    return first


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (refuse, "it never took effect; discard it instead"),
        (undone_already, "it was undone already"),
        (an_undo, "this change is itself an undo; to bring back what it undid, redo it"),
        (discarded, "it never took effect"),
        (too_old, f"only the last {batches.MAX_BATCHES} actions can be undone"),
        (done_again, "it was done again later; undo that"),
    ],
)
def test_what_cannot_be_undone_says_why_and_changes_nothing(
    store: Store, services: Services, make: Callable[[Store, Services], Change], reason: str
) -> None:
    found = make(store, services)
    before = changes(services)
    done = undo(services, found)
    assert (done.count, done.problems) == (0, (f"Status: Completed: {reason}",))
    assert changes(services) == before


def test_a_label_has_at_most_one_colon() -> None:
    assert undo_label("Status: Completed") == "Undo: Status Completed"
    assert (
        shown_label("Undo: Status: Completed") == shown_label("Undo: Status Completed") == "Undo: Status Completed"
    )
    assert shown_label("Status: Completed") == "Status: Completed"
    assert inline_label("Undo: Status: Completed") == "Undo Status Completed"
    assert inline_label("Due: 17:00") == "Due 17:00"

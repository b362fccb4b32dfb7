"""Changes of a task on their way: what each PATCH holds, and what is stored of its answer, or of none."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import apsw
import pytest

from frontdesk.outbox import queue
from frontdesk.outbox.delivery import MEANWHILE, SO_ALREADY, Confirmation
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage import record_lookup
from frontdesk.storage.records import Change, ChangeState, TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.delivery import NEITHER, REPLACED, SENT_TWICE, TaskDelivery
from frontdesk_api.client.errors import (
    Ambiguous,
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsRefused,
    NotFound,
    NotSent,
    RateLimited,
    Redirected,
    Refused,
    ServerError,
)
from frontdesk_api.contract.decode import Item
from frontdesk_api.contract.ids import TaskId
from frontdesk_api.contract.tasks import Task, TaskUpdate
from outbox.rows import NOW, add, outbox_in_memory, read
from sample_json import raw_task

CONFIRMED, CONFLICT, DROPPED = ChangeState.CONFIRMED, ChangeState.CONFLICT, ChangeState.DROPPED
QUEUED, REFUSED, UNKNOWN = ChangeState.QUEUED, ChangeState.REFUSED, ChangeState.UNKNOWN


class Desk:
    """A delivery over tables in memory, and a platform with one task, which it can be told to refuse."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db
        self.task: dict[str, Any] = raw_task(1, title="old", unreadCount=3)
        self.patches: list[dict[str, Any]] = []
        self.errors: dict[str, ApiError] = {}
        self.before_patch: Callable[[], object] = lambda: None
        task_store.put(db, [self.task])
        it: Any = self
        self._confirmation = Confirmation(it, CHANGE_HANDLERS, lambda: NOW + 1, "me")
        self.delivery = TaskDelivery(it, it, self._confirmation, lambda: NOW + 1)

    @property
    def reading(self) -> apsw.Connection:
        return self.db

    async def run(self, job: Callable[[apsw.Connection], Any]) -> Any:
        return job(self.db)

    async def get_task(self, task_id: TaskId) -> Item[Task]:
        if "get" in self.errors:
            raise self.errors["get"]
        return Item(Task.model_validate(self.task), dict(self.task))

    async def update_task(self, task_id: TaskId, update: TaskUpdate) -> Item[Task]:
        self.patches.append(update.model_dump(exclude_unset=True))
        self.before_patch()
        if "patch" in self.errors:
            raise self.errors["patch"]
        self.task |= self.patches[-1] | {"unreadCount": self.task["unreadCount"] + 1}
        return Item(Task.model_validate(self.task), dict(self.task))

    def change(self, base: dict[str, Any] | None = None, **fields: Any) -> Change:
        found = {name: self.task.get(name) for name in fields} if base is None else base
        change = add(self.db, fields=fields, base=found)
        task_store.refresh_overlay(self.db, [TaskId("t1")])
        return change

    def send(self, *changes: Change) -> bool:
        return asyncio.run(self.delivery.send([read(self.db, each) for each in changes]))

    def look(self, *changes: Change, final: bool = True) -> None:
        asyncio.run(self.delivery.read_back([read(self.db, each) for each in changes], final=final))

    def lose(self, *changes: Change) -> None:
        """As after a PATCH without an answer."""
        for each in changes:
            self.db.execute(
                "UPDATE outbox.changes SET state = 'unknown', sends = sends + 1, sent_at = ? WHERE change_id = ?",
                (NOW, each.change_id),
            )

    def states(self, *changes: Change) -> list[ChangeState]:
        return [read(self.db, each).state for each in changes]

    @property
    def shown(self) -> TaskRecord:
        found = record_lookup.task(self.db, TaskId("t1"))
        assert found is not None
        return found


@pytest.fixture
def desk() -> Iterator[Desk]:
    with outbox_in_memory() as db:
        yield Desk(db)


def test_one_patch_has_what_all_changes_set_and_nothing_that_is_so_already(desk: Desk) -> None:
    changes = [desk.change(title="one", dueDate=0), desk.change(title="two", statusCase="completed")]
    assert desk.send(*changes)
    assert desk.patches == [{"title": "two", "statusCase": "completed"}]
    assert desk.states(*changes) == [CONFIRMED, CONFIRMED]
    assert {read(desk.db, each).reason for each in changes} == {""}
    assert (desk.shown.title, desk.shown.status, tuple(desk.shown.pending)) == ("two", "completed", ())
    assert desk.shown.unread == 3, "the PATCH raised it, which isn't news"


def test_what_the_platform_has_already_is_confirmed_without_a_request(desk: Desk) -> None:
    change = desk.change({"title": "before"}, title="mine")
    desk.task["title"] = "mine"
    assert not desk.send(change)
    assert (desk.patches, desk.states(change), read(desk.db, change).reason) == ([], [CONFIRMED], SO_ALREADY)
    assert (desk.shown.title, tuple(desk.shown.pending), desk.shown.unread) == ("mine", (), 3)


def test_a_colleagues_value_is_shown_as_a_conflict_and_the_rest_is_sent(desk: Desk) -> None:
    changes = [desk.change(title="mine"), desk.change(statusCase="completed")]
    desk.task["title"] = "theirs"
    assert desk.send(*changes)
    assert desk.states(*changes) == [CONFLICT, CONFIRMED]
    conflict = read(desk.db, changes[0])
    assert (conflict.theirs, conflict.reason, conflict.fields) == (
        {"title": "theirs"},
        MEANWHILE,
        {"title": "mine"},
    )
    assert desk.patches == [{"statusCase": "completed"}]
    assert (desk.shown.title, desk.shown.status) == ("theirs", "completed")


def test_where_all_collide_nothing_is_sent(desk: Desk) -> None:
    change = desk.change(title="mine")
    desk.task["title"] = "theirs"
    assert not desk.send(change)
    assert (desk.patches, desk.states(change), desk.shown.title) == ([], [CONFLICT], "theirs")


def test_what_follows_a_conflict_begins_at_the_beginning_of_both(desk: Desk) -> None:
    """A field that a later change sets anew is that one's conflict."""
    first = desk.change(title="one", body="text")
    second = desk.change({"title": "one"}, title="two")
    desk.task |= {"title": "theirs", "body": "theirs"}
    assert not desk.send(first, second)
    assert read(desk.db, first).fields == {"body": "text"}
    assert read(desk.db, first).theirs == {"body": "theirs"}
    assert (read(desk.db, second).base, read(desk.db, second).theirs) == ({"title": "old"}, {"title": "theirs"})
    assert desk.states(first, second) == [CONFLICT, CONFLICT]


def test_a_change_that_a_later_one_replaces_whole_is_dropped(desk: Desk) -> None:
    first, second = desk.change(title="one"), desk.change({"title": "one"}, title="two")
    desk.task["title"] = "theirs"
    desk.send(first, second)
    assert desk.states(first, second) == [DROPPED, CONFLICT]
    assert (read(desk.db, first).reason, read(desk.db, first).theirs) == (REPLACED, None)


def test_later_changes_begin_at_what_the_platform_made_of_ours(desk: Desk) -> None:
    change = desk.change(title="mine ")
    later: list[Change] = []

    def edit_again() -> None:
        later.append(desk.change({"title": "mine "}, title="newest"))
        desk.before_patch = lambda: None

    desk.before_patch = edit_again
    real = desk.update_task

    async def trim(task_id: TaskId, update: TaskUpdate) -> Item[Task]:
        await real(task_id, update)
        desk.task["title"] = "mine"
        return Item(Task.model_validate(desk.task), dict(desk.task))

    desk.update_task = trim  # type: ignore[method-assign]
    assert desk.send(change)
    assert read(desk.db, later[0]).base == {"title": "mine"}


@pytest.mark.parametrize("error", [Refused("no", status=422), BadRequestInput("too long")])
def test_of_several_refused_changes_each_is_tried_alone(desk: Desk, error: ApiError) -> None:
    changes = [desk.change(title="one"), desk.change(statusCase="x")]
    desk.errors = {"patch": error}
    assert not desk.send(*changes)
    assert desk.states(*changes) == [QUEUED, QUEUED]
    assert {(each.sends, each.sent_at, each.reason, each.send_after) for each in queue.unsent(desk.db)} == {
        (0, None, "", NOW + 1)
    }
    desk.errors = {}
    assert desk.send(*changes)
    assert desk.patches[1:] == [{"title": "one"}]
    desk.errors = {"patch": error}
    assert not desk.send(changes[1])
    assert desk.patches[2:] == [{"statusCase": "x"}]
    assert (desk.states(*changes), read(desk.db, changes[1]).reason) == ([CONFIRMED, REFUSED], str(error))
    assert (desk.shown.title, desk.shown.status, tuple(desk.shown.pending)) == ("one", "open", ())


@pytest.mark.parametrize(
    ("error", "state", "sends"),
    [
        (NotSent("offline"), QUEUED, 0),
        (RateLimited("slow", status=429), QUEUED, 0),
        (Ambiguous("lost"), UNKNOWN, 1),
        (ServerError("broken", status=500), UNKNOWN, 1),
    ],
)
def test_an_error_that_is_no_answer_about_the_changes_is_raised(
    desk: Desk, error: ApiError, state: ChangeState, sends: int
) -> None:
    changes = [desk.change(title="one"), desk.change(statusCase="x")]
    desk.errors = {"patch": error}
    with pytest.raises(type(error)):
        desk.send(*changes)
    assert {(each.state, each.sends, each.reason) for each in queue.unsent(desk.db)} == {
        (state, sends, str(error))
    }


@pytest.mark.parametrize(
    "error", [NotFound("gone", status=404), Refused("no", status=403), BadRequestInput("odd")]
)
def test_a_task_that_the_platform_does_not_show_refuses_its_changes(desk: Desk, error: ApiError) -> None:
    change = desk.change(title="one")
    desk.errors = {"get": error}
    assert not desk.send(change)
    assert (desk.states(change), read(desk.db, change).reason) == ([REFUSED], str(error))
    assert (desk.shown.title, desk.patches) == ("old", [])


@pytest.mark.parametrize(
    "error",
    [
        CredentialsRefused("no", status=401),
        RateLimited("slow", status=429),
        Redirected("x", status=302),
        NotSent("x"),
    ],
)
def test_a_task_that_cannot_be_read_now_leaves_its_changes_as_they_are(desk: Desk, error: ApiError) -> None:
    change = desk.change(title="one")
    desk.errors = {"get": error}
    with pytest.raises(type(error)):
        desk.send(change)
    assert read(desk.db, change) == change


def test_a_task_that_cannot_be_understood_is_why_its_changes_wait(desk: Desk) -> None:
    change = desk.change(title="one")
    desk.errors = {"get": BadReply("half of it")}
    with pytest.raises(BadReply):
        desk.send(change)
    assert (desk.states(change), read(desk.db, change).reason) == (
        [QUEUED],
        "can't load the task; trying again: half of it",
    )


def test_a_change_that_moved_while_the_task_was_read_is_not_sent(desk: Desk) -> None:
    change = desk.change(title="one")
    stale = [read(desk.db, change)]
    queue.move(desk.db, change.change_id, ChangeState.UNDONE, expected=[QUEUED], now=NOW)
    assert not asyncio.run(desk.delivery.send(stale))
    assert desk.patches == []


@pytest.mark.parametrize("final", [True, False])
def test_a_lost_patch_that_is_there_is_confirmed_at_any_look(desk: Desk, *, final: bool) -> None:
    changes = [desk.change(title="one"), desk.change(statusCase="completed")]
    desk.lose(*changes)
    desk.task |= {"title": "one", "statusCase": "completed", "unreadCount": 4}
    desk.look(*changes, final=final)
    assert desk.states(*changes) == [CONFIRMED, CONFIRMED]
    assert (desk.shown.title, tuple(desk.shown.pending), desk.shown.unread) == ("one", (), 3)


def lost(desk: Desk, sends: int, **there: Any) -> list[Change]:
    """Look for the last time at two lost changes, of which the platform shows this."""
    changes = [desk.change(title="one"), desk.change(statusCase="completed", body="text")]
    for _ in range(sends):
        desk.lose(*changes)
    desk.task |= there
    desk.look(*changes, final=False)
    assert desk.states(*changes) == [UNKNOWN, UNKNOWN], "an early look decides nothing"
    desk.look(*changes)
    return [read(desk.db, each) for each in changes]


def test_what_never_arrived_goes_once_more(desk: Desk) -> None:
    found = lost(desk, 1)
    assert {(each.state, each.reason, each.sends, each.send_after) for each in found} == {(QUEUED, "", 1, NOW + 1)}
    assert (desk.shown.title, desk.shown.unread) == ("one", 3)


def test_what_never_arrived_twice_is_left_to_the_person(desk: Desk) -> None:
    found = lost(desk, 2)
    assert {(each.state, each.reason) for each in found} == {(CONFLICT, SENT_TWICE)}
    assert [each.theirs for each in found] == [{"title": "old"}, {"statusCase": "open", "body": None}]
    assert desk.shown.title == "old"


def test_of_a_patch_that_arrived_in_part_the_rest_is_a_conflict(desk: Desk) -> None:
    found = lost(desk, 1, title="one", body="theirs", unreadCount=4)
    assert [each.state for each in found] == [CONFIRMED, CONFLICT]
    assert (found[0].reason, found[1].reason) == ("", NEITHER)
    assert (found[1].fields, found[1].theirs) == (
        {"statusCase": "completed", "body": "text"},
        {"statusCase": "open", "body": "theirs"},
    )
    assert (desk.shown.unread, tuple(desk.shown.pending)) == (3, ()), "our own PATCH raised it"


def test_where_a_colleague_moved_one_field_only_its_change_is_a_conflict(desk: Desk) -> None:
    found = lost(desk, 1, statusCase="standby", unreadCount=4)
    assert [each.state for each in found] == [QUEUED, CONFLICT]
    assert found[1].theirs == {"statusCase": "standby", "body": None}
    assert desk.shown.unread == 4, "nothing of ours has raised it"


def test_what_was_so_before_proves_nothing_and_is_confirmed_as_such(desk: Desk) -> None:
    changes = [desk.change(title="one"), desk.change({"statusCase": "open"}, statusCase="open")]
    desk.lose(*changes)
    desk.look(*changes)
    assert (desk.states(*changes), read(desk.db, changes[1]).reason) == ([QUEUED, CONFIRMED], SO_ALREADY)


def test_people_of_colleagues_are_no_conflict(desk: Desk) -> None:
    change = desk.change({ASSIGNED: []}, **{ASSIGNED: {"add": ["me"], "remove": []}})
    desk.task[ASSIGNED] = ["noa"]
    assert desk.send(change)
    assert desk.patches == [{ASSIGNED: ["noa", "me"]}]


@pytest.mark.parametrize(("final", "state"), [(False, UNKNOWN), (True, REFUSED)])
def test_a_task_that_is_not_shown_decides_at_the_last_look(desk: Desk, *, final: bool, state: ChangeState) -> None:
    change = desk.change(title="one")
    desk.lose(change)
    desk.errors = {"get": NotFound("gone", status=404)}
    desk.look(change, final=final)
    assert desk.states(change) == [state]


def test_the_fields_of_an_answer_are_stored_before_the_change_is_shown_no_more(desk: Desk) -> None:
    """So the card never shows the old value in between."""
    seen: list[str] = []
    change = desk.change(title="one")
    desk.before_patch = lambda: seen.append(desk.shown.title)
    desk.send(change)
    assert [*seen, desk.shown.title] == ["one", "one"]
    assert queue.live_for(desk.db, "t1") == []
